// `script/bench web`: Stillpoint beside Playwright MCP and chrome-devtools-mcp, each with a private Chromium of its own,
// driven by one MCP client in one run, turn by turn; for reads also Playwright's ariaSnapshot. Loopback only.
// usage: bench.mjs STILLPOINT SERVE_WEB REPORT (PEERS names the folder of the npm packages)
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Cannot, ariaReader, devtools, playwright, stillpoint } from './servers.mjs';
import { PATTERNS } from './patterns.mjs';
import { cpuOver, figure, report, times } from './report.mjs';
import { atRest } from '../tasks/processes.mjs';

const [program, serve, file] = process.argv.slice(2);
const ROUNDS = Number(process.env.ROUNDS ?? 25), READS = 25, IDLE_SECONDS = 20;
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'stillpoint-bench-'));

const pages = spawn(serve, [], { stdio: ['pipe', 'pipe', 'inherit'] });
const [base] = await once(createInterface({ input: pages.stdout }), 'line');

const servers = [await stillpoint(program), await playwright(scratch), await devtools(scratch)];
const [ours, ...others] = servers;
const figures = [];
const log = (line) => process.stderr.write(`${line}\n`);

async function timed(work) {
  const began = performance.now();
  const answer = await work();
  return [performance.now() - began, answer];
}

/** From the call to the answer that holds the new state; a server whose answer lacks it is shown with what it lacked. */
async function actions(name, page, target, expected, aim) {
  const samples = new Map(servers.map((s) => [s, []])), wrong = new Map(servers.map((s) => [s, 0]));
  for (const server of servers) await server.open(base + page);
  for (let round = 1; round <= ROUNDS; round++) {
    for (const server of servers) {
      const on = await target(server, round);
      await atRest();
      const [ms, answer] = await timed(() => server.click(on));
      samples.get(server).push(ms);
      if (!answer.text.includes(expected(round))) wrong.set(server, wrong.get(server) + 1);
    }
  }
  for (const [server, count] of wrong) if (count) log(`${name}: ${server.name} lacked the new state ${count} of ${ROUNDS} times`);
  if (wrong.get(ours)) throw new Error(`${name}: our answer lacked the new state`);
  figures.push(times(name, samples.get(ours), others.map((s) => [s.name, samples.get(s)]), 'Playwright MCP', aim));
}

async function bytesAndReads() {
  const url = base + 'table.html', size = (text) => Buffer.byteLength(text);
  for (const server of others) await server.open(url);
  await ours.open(url);
  const aria = await ariaReader(url);
  const sizes = [];
  for (const server of others) sizes.push([server.name, size(await server.read())]);
  sizes.push(['ariaSnapshot', size(await aria.read())]);
  // Ours tells the rows that are on screen and counts the others; theirs tell all.
  const told = await ours.read();
  const rows = told.split('\n').filter((line) => /^ *row .*Customer/.test(line)).length;
  if (!told.includes('(501 rows, ') || rows < 10) throw new Error('our snapshot of the 500-row page is not as expected');
  figures.push(figure('bytes of a full snapshot, 500 rows', 'bytes', size(told), sizes, { against: 'Playwright MCP', most: 1 / 3 }));
  figures.push(figure('bytes of a snapshot for each row told', 'bytes', size(told) / rows,
    sizes.map(([name, bytes]) => [name, bytes / 500]), { against: 'Playwright MCP', most: 1 / 3 }));

  const before = await ours.revision();
  await ours.click(await ours.byTestId('delete-7'));
  const delta = await ours.delta(before);
  if (!delta.includes('Picked delete-7')) throw new Error('the delta lacks the change');
  figures.push(figure('bytes of the delta after one change, 500 rows', 'bytes', size(delta),
    others.map((s) => [s.name, 'cannot: gives whole snapshots']), { value: 400 }));

  const readers = [ours, ...others, aria], reads = readers.map(() => []);
  for (let round = 0; round < READS; round++) {
    for (const [at, reader] of readers.entries()) {
      await atRest();
      reads[at].push((await timed(() => reader.read()))[0]);
    }
  }
  figures.push(times('time of a full snapshot, 500 rows', reads[0],
    [...others.map((s, at) => [s.name, reads[at + 1]]), ['ariaSnapshot', reads[3]]]));
  await aria.close();
  return aria.version;
}

/** Whether an answer is the final state: all its words are there, and none of those that are to be gone. */
function isFinal(server, text, { final, passing = [] }) {
  const now = text.split('\n').filter((line) => !server.isPast(line)).join('\n');
  return final.every((word) => now.includes(word)) && !passing.some((word) => now.includes(word));
}

async function pattern(server, one) {
  await server.open(base + one.page);
  try {
    const target = await server.find(one.do.role, one.do.name, one.do.selector);
    const work = one.do.text === undefined ? () => server.click(target) : () => server.type(target, one.do.text);
    const [ms, answer] = await timed(work);
    const right = isFinal(server, answer.text, one);
    log(`${one.name}: ${server.name} ${right ? 'final' : 'NOT FINAL'} after ${Math.round(ms)} ms`);
    if (!right && server === ours) log(answer.text);
    return right ? 'final' : 'not final';
  } catch (error) {
    if (error instanceof Cannot) return `cannot: ${error.message}`;
    throw error;
  }
}

async function correctness() {
  const score = new Map(servers.map((s) => [s, 0]));
  const table = [];
  for (const one of PATTERNS) {
    const row = {};
    for (const server of servers) {
      row[server.name] = await pattern(server, one);
      if (row[server.name] === 'final') score.set(server, score.get(server) + 1);
    }
    table.push({ pattern: one.name, ...row });
  }
  const all = PATTERNS.length;
  const known = figure('asynchronous patterns whose answer was the final state', `of ${all}`, score.get(ours),
    others.map((s) => [s.name, score.get(s)]), undefined, Math.max);
  figures.push({ ...known, aim: all, met: score.get(ours) === all, table });
}

async function idleCpu() {
  for (const server of servers) await server.open(base + 'static.html');
  // Ours has just launched its browser, which works for itself at first; theirs run since the beginning.
  await cpuOver(servers.map((s) => s.pid), IDLE_SECONDS);
  const [server, whole] = await cpuOver(servers.map((s) => s.pid), IDLE_SECONDS);
  // All of them are next to nothing, and a ratio of two such figures says nothing.
  const row = (name, list, aim) => figures.push(figure(name, '% of a core', list[0],
    others.map((s, at) => [s.name, list[at + 1]]), aim, null));
  row('CPU while idle, the server', server, { value: 1 });
  row('CPU while idle, with its browser', whole);
}

let aria = '';
try {
  await actions('action to settled observation, static button', 'static.html',
    (server) => server.find('button', 'Add one'), (n) => `Count: ${n}`, 1 / 10);
  await actions('action to settled observation, 500 rows', 'table.html',
    (server, n) => server.byTestId(`delete-${n}`), (n) => `Picked delete-${n}`, 1 / 20);
  aria = await bytesAndReads();
  await correctness();
  await idleCpu();
} finally {
  for (const server of servers) await server.close();
  pages.stdin.end();
  fs.rmSync(scratch, { recursive: true, force: true });
}
const versions = Object.fromEntries(others.map((s) => [s.name, s.version]));
report(file, figures, { ...versions, 'playwright-core': aria }, program);
