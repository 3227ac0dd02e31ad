// The tasks on a page, for Stillpoint and its peers, in turns: first tree, reading again, finding, acting, waiting for nothing, sizes,
// memory, and many sessions. usage: web_tasks.mjs OUT --stillpoint PROGRAM [--quick] (PEERS names the npm packages)
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createRequire } from 'node:module';
import { ariaReader, devtools, playwright, stillpoint } from '../web/servers.mjs';
import { serve } from '../flake/web_server.mjs';
import { WAYS } from '../flake/web_tools.mjs';
import { cpuTicks, memoryOf } from './processes.mjs';

const { values: options, positionals: [out] } = parseArgs({ allowPositionals: true,
  options: { stillpoint: { type: 'string' }, quick: { type: 'boolean', default: false } } });
const { encode } = createRequire(path.join(path.resolve(process.env.PEERS), 'package.json'))('gpt-tokenizer');
const ROUNDS = options.quick ? 3 : 7, SIZES = options.quick ? [10, 100, 500] : [10, 100, 500, 2000];
const SESSIONS = options.quick ? [1, 10, 50] : [1, 10, 50, 200];
const NEVER_MS = 4000, COLD_ROUNDS = options.quick ? 2 : 4;
const folder = path.join(import.meta.dirname, '../../apps/patterns');
const patterns = JSON.parse(fs.readFileSync(path.join(folder, 'patterns.json'))).filter((one) => one.bench);
const figures = [], command = 'script/bench tasks';

const at = (list, share) => { const sorted = [...list].sort((a, b) => a - b); return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]; };
const timed = async (work) => { const began = performance.now(); const told = await work(); return [performance.now() - began, told]; };

/** Medians of ours and the peers' in one figure; what is words stays words. */
function figure(task, name, unit, samples, more = {}) {
  const middle = Object.fromEntries(Object.entries(samples).map(([who, list]) => [who, Array.isArray(list) ? at(list, 0.5) : list]));
  const { Stillpoint: ours, ...peers } = middle;
  const numbers = Object.entries(peers).filter(([who, value]) => typeof value === 'number' && !who.startsWith('Stillpoint')).map(([, value]) => value);
  figures.push({ task, name, unit, ours, p50: ours, p99: at([samples.Stillpoint].flat(), 0.99), samples: [samples.Stillpoint].flat().length, peers,
    ratio: numbers.length ? ours / Math.min(...numbers) : null, command, ...more });
  console.log(`${name}: ${ours} ${unit}; ${JSON.stringify(peers)}`);
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'stillpoint-tasks-'));
const site = await serve(folder);

async function acts() {
  const labels = { Stillpoint: 'Stillpoint', 'Stillpoint, expecting': 'Stillpoint, expecting', 'Playwright, told the text': 'Playwright, locator',
    'Selenium, told the text': 'Selenium, explicit wait', 'Playwright MCP, its answer': 'Playwright MCP, its answer',
    'Playwright MCP, told the text': 'Playwright MCP, wait_for', 'chrome-devtools-mcp, its answer': 'chrome-devtools-mcp, its answer',
    'chrome-devtools-mcp, told the text': 'chrome-devtools-mcp, wait_for' };
  const drivers = {};
  for (const [label, way] of Object.entries(labels)) drivers[label] = await WAYS[way].make(scratch, options.stillpoint);
  for (const pattern of patterns) {
    const samples = Object.fromEntries(Object.keys(labels).map((label) => [label, []]));
    for (const [place, label] of Object.keys(labels).entries()) {
      await drivers[label].open(`${site.base}web.html?pattern=${encodeURIComponent(pattern.name)}&token=act${place}`, pattern.do);
    }
    for (let n = 1; n <= ROUNDS; n++) {
      for (const [place, [label, way]] of Object.entries(labels).entries()) {
        const expect = pattern.expect.replaceAll('{n}', n), truth = site.truth(`act${place}`);
        const [ms, text] = await timed(() => drivers[label].perform('tap', n, WAYS[way].isTold ? expect : null));
        await truth;
        if (!text.includes(expect)) samples[label] = 'did not read the final state';
        else if (Array.isArray(samples[label])) samples[label].push(ms);
      }
    }
    figure('act', `web: ${pattern.name}`, 'ms', samples);
  }
  for (const driver of Object.values(drivers)) await driver.close();
}

/** From nothing: a server is started, opens the page with a browser of its own, and tells the tree. */
async function firstTree(size) {
  const makers = { Stillpoint: () => stillpoint(options.stillpoint), 'Playwright MCP': () => playwright(scratch), 'chrome-devtools-mcp': () => devtools(scratch),
    'Playwright ariaSnapshot': () => ariaReader('about:blank') };
  const samples = {};
  for (let round = 0; round < COLD_ROUNDS; round++) {
    for (const [label, make] of Object.entries(makers)) {
      const [ms, server] = await timed(async () => {
        const made = await make();
        await made.open(`${site.base}rows.html?n=${size}`);
        await made.read();
        return made;
      });
      (samples[label] ??= []).push(ms);
      await server.close();
    }
  }
  figure('first-web', `first tree of ${size} rows, from nothing`, 'ms', samples, { x: size });
}

/** Reading again, finding, sizes. */
async function trees(servers) {
  for (const size of SIZES) {
    const again = {}, bytes = {}, texts = {}, finding = {};
    await firstTree(size);
    for (const [label, server] of Object.entries(servers)) {
      await server.open(`${site.base}rows.html?n=${size}`);
      texts[label] = await server.read();
      bytes[label] = [Buffer.byteLength(texts[label])];
    }
    for (let round = 0; round < ROUNDS; round++) {
      for (const [label, server] of Object.entries(servers)) {
        (again[label] ??= []).push((await timed(() => server.readAgain?.() ?? server.read()))[0]);
        const look = server.lookUp ?? server.find;
        if (look) (finding[label] ??= []).push((await timed(() => look('button', 'Mark 7')))[0]);
      }
    }
    figure('again-web', `reading ${size} rows again`, 'ms', again, { x: size });
    figure('bytes-web', `snapshot of ${size} rows`, 'bytes', bytes, { x: size });
    if (size === 500) {
      figure('tokens', 'a snapshot of 500 rows', 'tokens', Object.fromEntries(Object.entries(texts).map(([label, text]) => [label, [encode(text).length]])));
      figure('find', 'page of 500 rows', 'ms', finding);
    }
  }
}

/** What an agent reads to learn what a click changed. */
async function changes(servers) {
  const tokens = {};
  for (const [label, server] of Object.entries(servers)) {
    if (!server.click) { tokens[label] = 'has no answer to a click: its caller reads the page again'; continue; }
    await server.open(`${site.base}rows.html?n=500&change`);
    const { text } = await server.click(await server.find('button', 'Mark 7'));
    tokens[label] = text.includes('Mark 7: done') ? [encode(text).length] : 'its answer lacks the change';
  }
  figure('tokens', 'a change on a page of 500 rows', 'tokens', tokens);
}

async function memory(servers) {
  const alone = {}, whole = {};
  for (const [label, server] of Object.entries(servers)) {
    if (!server.pid) continue;
    await server.open(`${site.base}rows.html?n=500&memory`);
    await server.read();
    const [own, all] = memoryOf(server.pid);
    alone[label] = [own];
    whole[label] = [all];
  }
  figure('memory', 'the server alone', 'MiB', alone);
  figure('memory', 'with its browser', 'MiB', whole);
}

/** Processor time of the server and all that it started, for each second of waiting in vain. */
async function never(servers) {
  const waits = {
    Stillpoint: () => servers.Stillpoint.act('wait_for_ui', { selector: '"Never"', timeout_ms: NEVER_MS }),
    'Playwright MCP': () => servers['Playwright MCP'].call('browser_wait_for', { text: 'Never' }),
    'chrome-devtools-mcp': () => servers['chrome-devtools-mcp'].call('wait_for', { text: ['Never'], timeout: NEVER_MS }),
  };
  const samples = {};
  for (const [label, wait] of Object.entries(waits)) {
    await servers[label].open(`${site.base}rows.html?n=500&never`);
    const before = cpuTicks(servers[label].pid), [ms] = await timed(() => wait().catch(() => null));
    samples[label] = [(cpuTicks(servers[label].pid) - before) / (ms / 1000)];
  }
  figure('never', 'page of 500 rows, with its browser', 'ms/s', samples);
}

async function sessions() {
  const server = await stillpoint(options.stillpoint);
  let opened = 0;
  for (const count of SESSIONS) {
    for (; opened < count; opened++) await server.call('snapshot', { app: `sim:table:60?seed=${opened + 1}`, max_nodes: 1 });
    figure('sessions', `${count} sessions`, 'MiB', { Stillpoint: [memoryOf(server.pid)[0]] }, { x: count });
  }
  await server.close();
}

const servers = { Stillpoint: await stillpoint(options.stillpoint), 'Playwright MCP': await playwright(scratch), 'chrome-devtools-mcp': await devtools(scratch) };
try {
  await acts();
  const aria = await ariaReader('about:blank');
  await trees({ ...servers, 'Playwright ariaSnapshot': aria });
  await aria.close();
  await changes(servers);
  await memory(servers);
  await never(servers);
  await sessions();
} finally {
  for (const server of Object.values(servers)) await server.close();
  site.close();
  fs.rmSync(scratch, { recursive: true, force: true });
}
fs.writeFileSync(out, JSON.stringify(figures, null, 1));
