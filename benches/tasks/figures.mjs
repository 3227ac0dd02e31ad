// The figures of one program, in a file that is written anew after each.
import fs from 'node:fs';

const at = (list, share) => { const sorted = [...list].sort((a, b) => a - b); return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]; };
const isNumber = (value) => typeof value === 'number';

export class Figures {
  constructor(out, command) { Object.assign(this, { out, command, all: [] }); }

  /** Medians of ours and the peers' in one figure; what is words stays words. */
  add(task, name, unit, samples, more = {}) {
    const middle = Object.fromEntries(Object.entries(samples).map(([who, told]) => [who, Array.isArray(told) ? at(told, 0.5) ?? 'not measured' : told]));
    const { Stillpoint: ours, ...peers } = middle, own = Array.isArray(samples.Stillpoint) ? samples.Stillpoint : [];
    const numbers = Object.entries(peers).filter(([who, value]) => isNumber(value) && !who.startsWith('Stillpoint')).map(([, value]) => value);
    this.all.push({ task, name, unit, ours, p50: ours, p99: at(own, 0.99) ?? null, samples: own.length, peers,
      ratio: isNumber(ours) && numbers.length ? ours / Math.min(...numbers) : null, command: this.command, ...more });
    fs.writeFileSync(this.out, JSON.stringify(this.all, null, 1));
    const short = (value) => (isNumber(value) ? Math.round(value * 100) / 100 : value);
    console.log(`${name}, ${unit}: ${JSON.stringify(Object.fromEntries(Object.entries(middle).map(([who, value]) => [who, short(value)])))}`);
  }
}
