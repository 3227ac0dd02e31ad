// Figures in the shape of every bench of this repository, as a file and as a table.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import { at, timesOf } from '../pairs.mjs';
import { cpuOf, cpuOfOne } from '../tasks/processes.mjs';
import { BROWSER } from './browser.mjs';

const round = (x) => typeof x === 'number' ? Math.round(x * 100) / 100 : x;

/** One number; `aim` is a value, or a share of one peer's. The ratio is against the best peer that has a number: the one
    with the least, unless more is better; none where nobody is the best. */
export function figure(name, unit, ours, peers, aim, choose = Math.min) {
  const numbers = peers.map(([, n]) => n).filter((n) => typeof n === 'number');
  const best = numbers.length && choose ? choose(...numbers) : null;
  const out = { name, unit, ours: round(ours), peers: Object.fromEntries(peers.map(([k, v]) => [k, round(v)])),
    ratio: best ? Number((ours / best).toPrecision(4)) : null, samples: 1, p50: round(ours), p99: round(ours), command: 'script/bench web' };
  if (aim) {
    const most = aim.value ?? Object.fromEntries(peers)[aim.against] * aim.most;
    Object.assign(out, { aim: round(most), aim_for: 'p50', met: ours <= most });
  }
  return out;
}

/** Times in milliseconds: medians, with the aim as a share of one peer's median, and the ratio to the fastest peer, round by round. */
export function times(name, ours, peers, against, most) {
  const medians = peers.map(([peer, samples]) => [peer, at(samples, 0.5)]);
  const one = figure(name, 'ms', at(ours, 0.5), medians, most && { against, most });
  const fastest = peers.map(([, samples]) => samples).sort((a, b) => at(a, 0.5) - at(b, 0.5))[0];
  return { ...one, ratio: Number(timesOf(ours, fastest).toPrecision(4)), samples: ours.length, p99: round(at(ours, 0.99)) };
}

/** The share of a core that each process uses over these seconds: alone, and with all that it started. */
export async function cpuOver(pids, seconds) {
  const used = () => pids.map((pid) => [cpuOfOne(pid), cpuOf([pid])]);
  const before = used(), began = performance.now();
  await new Promise((done) => setTimeout(done, seconds * 1000));
  const share = (performance.now() - began) / 100;
  const after = used();
  return [0, 1].map((part) => after.map((now, n) => (now[part] - before[n][part]) / share));
}

/** Writes the file and prints the table. */
export function report(file, figures, versions, program) {
  const machine = { cores: os.cpus().length, cpu: os.cpus()[0]?.model, memory_mib: Math.round(os.totalmem() / 2 ** 20),
    load: os.loadavg().map(round), os: `${os.type()} ${os.release()}` };
  const chromium = execFileSync(BROWSER, ['--version'], { stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim();
  const own = execFileSync(program, ['--version']).toString().trim();
  const told = { machine, versions: { ...versions, stillpoint: own, build: process.env.BUILD ?? 'release', chromium, node: process.version }, figures };
  fs.writeFileSync(file, `${JSON.stringify(told, null, 2)}\n`);
  for (const f of figures) {
    const peers = Object.entries(f.peers).map(([k, v]) => `${k} ${v}`).join(', ');
    const aim = f.aim === undefined ? '' : `  aim ${f.aim}: ${f.met ? 'met' : 'MISSED'}`;
    console.log(`${f.name}: ${f.ours} ${f.unit} (p99 ${f.p99}, ${f.samples} samples); ${peers}${aim}`);
  }
  console.log(`→ ${file}`);
}
