// The figures of one program, in a file that is written anew after each.
import fs from 'node:fs';
import { at, timesOf, usual } from '../pairs.mjs';

const isNumber = (value) => typeof value === 'number';
/** The median of each turn; what was taken once is a turn of its own. */
export const middles = (turns) => turns.map((turn) => (Array.isArray(turn) ? at(turn, 0.5) : turn));

/** The peer that the ratio is to. */
export function fastest(samples) {
  const times = Object.entries(samples).filter(([who, turns]) => !who.startsWith('Stillpoint') && Array.isArray(turns) && turns.length)
    .map(([who, turns]) => [at(middles(turns), 0.5), who]);
  return times.sort(([a], [b]) => a - b)[0]?.[1];
}

/** The samples of several passes as one. The rounds that the two of the ratio took both in a pass stand first, for these are compared. */
export function joined(passes) {
  const labels = [...new Set(passes.flatMap(Object.keys))];
  const told = Object.fromEntries(labels.map((label) => [label, passes.map((pass) => pass[label] ?? [])]));
  const words = (label) => told[label].find((turns) => typeof turns === 'string');
  const peer = fastest(Object.fromEntries(labels.filter((label) => !words(label)).map((label) => [label, told[label].flat()])));
  const common = passes.map((pass) => Math.min(pass.Stillpoint?.length ?? 0, pass[peer]?.length ?? 0));
  const inOrder = (turns) => [...turns.flatMap((one, pass) => one.slice(0, common[pass])), ...turns.flatMap((one, pass) => one.slice(common[pass]))];
  return Object.fromEntries(labels.map((label) => [label, words(label) ?? inOrder(told[label])]));
}

/** Ours by the fastest peer's. */
function ratio(samples, rule) {
  const peer = fastest(samples), ours = samples.Stillpoint;
  if (!peer || !Array.isArray(ours) || !ours.length) return null;
  return timesOf(middles(ours), middles(samples[peer]), rule);
}

export class Figures {
  /** What is told is in `out`; every turn that was taken is in a file beside it. */
  constructor(out, command) {
    Object.assign(this, { out, command, all: [] });
    fs.writeFileSync(`${out}.turns`, '');
  }

  /** Medians of ours and the peers' in one figure, or another share of the turns; what is words stays words. `samples` are turns, `rule` is what of them the ratio is of. */
  add(task, name, unit, samples, more = {}, { share = 0.5, rule = usual } = {}) {
    const told = Object.fromEntries(Object.entries(samples).map(([who, turns]) => [who, Array.isArray(turns) ? at(middles(turns), share) ?? 'not measured' : turns]));
    const { Stillpoint: ours, ...peers } = told, own = Array.isArray(samples.Stillpoint) ? samples.Stillpoint.flat() : [];
    this.all.push({ task, name, unit, ours, p50: ours, p99: at(own, 0.99) ?? null, samples: own.length, peers, ratio: ratio(samples, rule), command: this.command, ...more });
    fs.writeFileSync(this.out, JSON.stringify(this.all, null, 1));
    const turns = Object.fromEntries(Object.entries(samples).filter(([, taken]) => Array.isArray(taken)).map(([who, taken]) => [who, middles(taken)]));
    fs.appendFileSync(`${this.out}.turns`, `${JSON.stringify({ name, rule: rule.name, turns })}\n`);
    const short = (value) => (isNumber(value) ? Math.round(value * 100) / 100 : value);
    console.log(`${name}, ${unit}: ${JSON.stringify(Object.fromEntries(Object.entries(told).map(([who, value]) => [who, short(value)])))}`);
  }
}
