// The figures of one program, in a file that is written anew after each.
import fs from 'node:fs';

const at = (list, share) => { const sorted = [...list].sort((a, b) => a - b); return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]; };
const isNumber = (value) => typeof value === 'number';
/** The median of each turn; what was taken once is a turn of its own. */
export const middles = (turns) => turns.map((turn) => (Array.isArray(turn) ? at(turn, 0.5) : turn));

/** The peer that the ratio is to. */
export function fastest(samples) {
  const times = Object.entries(samples).filter(([who, turns]) => !who.startsWith('Stillpoint') && Array.isArray(turns) && turns.length)
    .map(([who, turns]) => [at(middles(turns), 0.5), who]);
  return times.sort(([a], [b]) => a - b)[0]?.[1];
}

/** Ours by the fastest peer's, round by round, and of that the median: what slows the machine for a while slows both. With fewer than three
 * rounds in common, or where the least is told, it is the ratio of what is told. */
function ratio(samples, told, share) {
  const peer = fastest(samples), ours = samples.Stillpoint;
  if (!peer || !Array.isArray(ours) || !ours.length) return null;
  const theirs = middles(samples[peer]), pairs = middles(ours).slice(0, theirs.length).map((one, round) => one / theirs[round]);
  return share !== 0.5 || pairs.length < 3 ? told.Stillpoint / told[peer] : at(pairs, 0.5);
}

export class Figures {
  constructor(out, command) { Object.assign(this, { out, command, all: [] }); }

  /** Medians of ours and the peers' in one figure, or another share of the turns; what is words stays words. `samples` are turns. */
  add(task, name, unit, samples, more = {}, share = 0.5) {
    const told = Object.fromEntries(Object.entries(samples).map(([who, turns]) => [who, Array.isArray(turns) ? at(middles(turns), share) ?? 'not measured' : turns]));
    const { Stillpoint: ours, ...peers } = told, own = Array.isArray(samples.Stillpoint) ? samples.Stillpoint.flat() : [];
    this.all.push({ task, name, unit, ours, p50: ours, p99: at(own, 0.99) ?? null, samples: own.length, peers, ratio: ratio(samples, told, share), command: this.command, ...more });
    fs.writeFileSync(this.out, JSON.stringify(this.all, null, 1));
    const short = (value) => (isNumber(value) ? Math.round(value * 100) / 100 : value);
    console.log(`${name}, ${unit}: ${JSON.stringify(Object.fromEntries(Object.entries(told).map(([who, value]) => [who, short(value)])))}`);
  }
}
