// A lane of the web's flake lab: every way of driving has a page of its own and takes its turn at each pattern. Results go
// to OUT, one JSON line for each time.
// usage: web_lane.mjs OUT --stillpoint PROGRAM --seed N --reps N --single-reps N [--only WAY]… [--pattern NAME]…
// `--single-reps` are those of a tool that is used in one way alone.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { serve } from './web_server.mjs';
import { WAYS } from './web_tools.mjs';

const { values: options, positionals: [out] } = parseArgs({ allowPositionals: true, options: {
  stillpoint: { type: 'string' }, seed: { type: 'string', default: '1' }, reps: { type: 'string', default: '5' },
  'single-reps': { type: 'string', default: '5' }, only: { type: 'string', multiple: true }, pattern: { type: 'string', multiple: true } } });
const folder = path.join(import.meta.dirname, '../../apps/patterns');
const patterns = JSON.parse(fs.readFileSync(path.join(folder, 'patterns.json')))
  .filter((one) => (options.pattern ? options.pattern.includes(one.name) : !one.bench));
// Longer than any pattern takes.
const LONGEST_MS = 20000;
const isSingle = (name) => Object.values(WAYS).filter((other) => other.tool === WAYS[name].tool).length === 1;
const clock = () => performance.timeOrigin + performance.now();

/** What was read decides; the clock says whether it was too early or out of date. */
function judge(answer, truth, n) {
  const times = { took_ms: truth.end - truth.begin, late_ms: answer.at - truth.end };
  if (answer.error) return { ...times, verdict: 'missed', why: answer.error };
  const { text } = answer;
  if (truth.n === n && truth.final.every((w) => text.includes(w)) && !truth.gone.some((w) => text.includes(w))) return { ...times, verdict: 'right' };
  return { ...times, verdict: answer.at < truth.end ? 'premature' : 'wrong', read: text.slice(-600), final: truth.final, gone: truth.gone, truth_n: truth.n };
}

async function once(driver, name, pattern, n, truth) {
  const told = (text) => (WAYS[name].isTold && text ? text.replaceAll('{n}', n) : null);
  const answer = {};
  try { answer.text = await driver.perform(pattern.do, n, told(pattern.expect), told(pattern.expect_gone)); } catch (error) { answer.error = String(error.message ?? error).slice(0, 300); }
  answer.at = clock();
  const known = await truth(n), result = { surface: 'web', way: name, pattern: pattern.name, n };
  if (!known) return { ...result, verdict: 'missed', why: `the page was not reached: ${answer.error ?? ''}`, late_ms: 0, took_ms: 0 };
  return { ...result, ...judge(answer, known, n) };
}

/** What the page logs about the n-th time; null if it logs nothing for longer than any pattern takes. */
async function logged(token, n) {
  for (;;) {
    const truth = await site.truth(token, LONGEST_MS);
    if (!truth || truth.n >= n) return truth;
  }
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'stillpoint-flake-'));
const site = await serve(folder);
const names = options.only ?? Object.keys(WAYS);
const drivers = new Map();
const sink = fs.openSync(out, 'w');
const make = async (name) => drivers.set(name, await WAYS[name].make(scratch, options.stillpoint));
const leave = async (name) => { try { await drivers.get(name)?.close(); } catch (error) { console.error(`${name}: ${error.message}`); } };
try {
  for (const name of names) await make(name);
  for (const pattern of patterns) {
    const times = {};
    const goTo = async (place, name) => {
      const address = `${site.base}web.html?pattern=${encodeURIComponent(pattern.name)}&seed=${options.seed}&token=${place}`;
      await drivers.get(name).open(address, pattern.do);
      times[name] = 0;
    };
    // A tool that cannot even open a page is started anew, once: its cell then says so, and the others go on.
    const open = async (place, name) => {
      try { await goTo(place, name); } catch (error) {
        console.error(`${name}, ${pattern.name}: started anew: ${error.message}`);
        await leave(name);
        await make(name);
        await goTo(place, name);
      }
    };
    const lost = new Set();
    const failed = (name, error) => {
      lost.add(name);
      fs.writeSync(sink, `${JSON.stringify({ surface: 'web', way: name, pattern: pattern.name, n: 0, verdict: 'missed', why: `the page could not be opened: ${error.message}`.slice(0, 300), late_ms: 0, took_ms: 0 })}\n`);
    };
    for (const [place, name] of names.entries()) await open(place, name).catch((error) => failed(name, error));
    const most = (name) => Number(isSingle(name) ? options['single-reps'] : options.reps);
    for (let round = 1; round <= Math.max(...names.map(most)); round++) {
      for (const [place, name] of names.entries()) {
        if (lost.has(name) || round > most(name)) continue;
        const result = await once(drivers.get(name), name, pattern, ++times[name], (n) => logged(String(place), n));
        fs.writeSync(sink, `${JSON.stringify(result)}\n`);
        // It did not even reach the page, which counts its own times: both begin again.
        if (result.why?.startsWith('the page was not reached')) await open(place, name).catch((error) => failed(name, error));
      }
    }
  }
} finally {
  for (const name of drivers.keys()) await leave(name);
  site.close();
  fs.rmSync(scratch, { recursive: true, force: true });
}
