// The tasks on a page, for Stillpoint and its peers, in turns: first tree, reading again, finding, acting, waiting for nothing, sizes,
// memory, and many sessions. OUT is written anew after each figure.
// usage: web_tasks.mjs OUT --stillpoint PROGRAM [--quick] [--only PART] [--sizes N]… (PEERS names the npm packages)
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createRequire } from 'node:module';
import { devtools, playwright, stillpoint } from '../web/servers.mjs';
import { serve } from '../flake/web_server.mjs';
import { WAYS, refuse } from '../flake/web_tools.mjs';
import { at, undisturbed } from '../pairs.mjs';
import { Figures, fastest, joined } from './figures.mjs';
import { playwrightLibrary, seleniumLibrary } from './libraries.mjs';
import { PLACES, atRest, cpuOf, memoryOf, memoryOfOne, place } from './processes.mjs';

const { values: options, positionals: [out] } = parseArgs({ allowPositionals: true,
  options: { stillpoint: { type: 'string' }, quick: { type: 'boolean', default: false }, only: { type: 'string' },
  sizes: { type: 'string', multiple: true } } });
const { encode } = createRequire(path.join(path.resolve(process.env.PEERS), 'package.json'))('gpt-tokenizer');
const SIZES = options.sizes?.map(Number) ?? (options.quick ? [100, 1000] : [100, 1000, 10000, 50000]);
const SESSIONS = options.quick ? [1, 10, 50] : [1, 10, 50, 200], PAGES = options.quick ? [1, 8] : [1, 8, 20];
const NEVER_MS = 6000, NEVER = { passes: options.quick ? 1 : 2, times: 7 }, ELEMENTS_PER_ROW = 7;
// A turn takes what is short again, so many times and for so long at most. On a page so large, where a peer's turns are long and few, it does so
// in several bursts with a pause in between: 20 reads within 3 ms differed by 19 % between two runs.
const AGAIN = 20, TURN_MS = 30, BURSTS = 10, PAUSE_MS = 50, LARGE = 10000;
// How often acting and the trees of all sizes are gone through, and what a tool may take for its turns at one task in a pass, in milliseconds:
// the two of a ratio more than the others. The machine is slower for tenths of a second and for minutes, so that a ratio needs many turns,
// over a long time, in passes between everything else, a quick run's the shortest: with the same tools all turns of a pass may be twice as slow
// (finding among 1,000 elements, in four passes, differed by 18 % between two quick runs). `fewest` are rounds of the two at least, and of
// whoever is not slow: which of the peers is the fastest must not hang on a single turn.
const ACTING = { passes: 2, ...(options.quick ? { pair: 2500, others: 500, mostRounds: 80, fewest: 2 } : { pair: 4000, others: 500, mostRounds: 140, fewest: 3 }) };
// What waits is acted on in one pass in a quick run, for it is dear there.
const ACTING_ONCE = { ...ACTING, pair: 5000, others: 1000, fewest: 3 };
const READING = options.quick ? { passes: 6, pair: 1000, others: 200, mostRounds: 30, fewest: 2 } : { passes: 3, pair: 4000, others: 700, mostRounds: 80, fewest: 5 };
// One beginning of a browser in six takes half as long again: of eight in a quick run the ratio has a deviation of a tenth, of some twenty 3 %.
const BEGINNING = options.quick ? { ...READING, pair: 1350, fewest: 1 } : READING;
// A page so large takes a peer 20 s, and in three passes as long as everything else: a whole run was 63 minutes long on a slow day.
const HUGE = 50000, FEW = { passes: 2, fewest: 3 };
// How often pages are opened one after the other: seven openings in half a minute differed by 16 % between two runs.
const OPENINGS = options.quick ? 2 : 3;
const SLOW_MS = 1500;
const folder = path.join(import.meta.dirname, '../../apps/patterns');
const patterns = JSON.parse(fs.readFileSync(path.join(folder, 'patterns.json'))).filter((one) => one.bench);
const figures = new Figures(out, 'script/bench tasks');
const NO_TREE = 'cannot: it has no accessibility tree', NO_SERVER = 'cannot: it is a library in its caller’s process';

const timed = async (work) => { const began = performance.now(); const told = await work(); return [performance.now() - began, told]; };
/** Whether a turn with these times goes on. */
const isShort = (times) => times.length < AGAIN && times.reduce((sum, ms) => sum + ms, 0) + times.at(-1) <= TURN_MS;
const failed = (error) => `failed: ${String(error.message).slice(0, 80)}`;
async function burst(work) {
  const times = [];
  do times.push((await timed(work))[0]); while (isShort(times));
  return times;
}
/** A turn: the times of what is short, one of what is long; words where it fails. */
async function turn(work, bursts = 1) {
  try {
    const times = await burst(work);
    while (times.length < AGAIN * bursts && at(times, 0.5) * AGAIN <= TURN_MS) {
      await pause(PAUSE_MS);
      times.push(...await burst(work));
    }
    return times;
  } catch (error) {
    return failed(error);
  }
}
// A peer may fail twice, or in one turn of twenty: who is early now and then is counted in the flake lab, and is able here.
const FORGIVEN = 2, FORGIVEN_SHARE = 0.05, lapses = new WeakMap();
/** A turn's times, or the words of a failure, which stay and replace times where it is not forgiven. */
const put = (samples, label, told) => {
  const taken = samples[label] ?? [];
  if (typeof taken === 'string') return;
  if (typeof told !== 'string') {
    samples[label] = [...taken, told];
    return;
  }
  const times = { ...lapses.get(samples) };
  times[label] = (times[label] ?? 0) + 1;
  lapses.set(samples, times);
  console.log(`${label} failed: ${told}`);
  if (label.startsWith('Stillpoint') || times[label] > Math.max(FORGIVEN, FORGIVEN_SHARE * taken.length)) samples[label] = told;
};
/** Whether there is time for another turn after these. */
function hasTurn(taken, isPaired, budget) {
  const spent = taken.flat().reduce((sum, ms) => sum + ms, 0), isSlow = spent > SLOW_MS * taken.length;
  if (taken.length < (isPaired || !isSlow ? budget.fewest : 1)) return true;
  return spent + spent / taken.length <= (isPaired ? budget.pair : budget.others);
}
/** Who takes a turn in the next round: everybody in the first one, then those who are quick, and the two of the ratio. Rounds of ours alone
 * would be compared with nothing. */
function takers(labels, samples, budget) {
  const pair = ['Stillpoint', fastest(samples)];
  const chosen = labels.filter((label) => typeof samples[label] !== 'string' && hasTurn(samples[label] ?? [], pair.includes(label), budget));
  const areOursAlone = chosen.every((label) => label.startsWith('Stillpoint'));
  return areOursAlone && (samples.Stillpoint?.length ?? 0) >= budget.fewest ? [] : chosen;
}
/** All rounds of several tasks, by turns: each is [who takes part, its samples, a turn of somebody, its own budget if it has one]. */
async function race(tasks, budget) {
  for (let round = 0; round < budget.mostRounds; round++) {
    for (const [labels, samples, take, own = budget] of tasks) {
      for (const label of takers(labels, samples, own)) {
        await atRest();
        put(samples, label, await take(label));
      }
    }
  }
}
/** What `take` brings for each, several times (for some less often), and never for one twice in a row: the steps to it, and where it is then. */
function inPasses(passes, each, take, passesOf = () => passes) {
  const taken = each.map(() => []), steps = [];
  for (let pass = 0; pass < passes; pass++) {
    for (const [place, one] of each.entries()) if (pass < passesOf(one)) steps.push(async () => taken[place].push(await take(one, pass)));
  }
  return { taken, steps };
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'stillpoint-tasks-'));
const site = await serve(folder);
const rows = (size, word = '') => `${site.base}rows.html?n=${Math.round(size / ELEMENTS_PER_ROW)}${word && `&${word}`}`;

const MAKERS = { Stillpoint: () => stillpoint(options.stillpoint), 'Playwright MCP': () => playwright(scratch), 'chrome-devtools-mcp': () => devtools(scratch),
  Playwright: playwrightLibrary, Selenium: seleniumLibrary };
async function makeAll() {
  const made = {};
  for (const [label, make] of Object.entries(MAKERS)) made[label] = await make();
  return made;
}
const closeAll = async (tools) => { for (const tool of Object.values(tools)) await tool.close(); };

/** A part of this program: its steps, and what is told after them. */
async function acts() {
  const labels = { Stillpoint: 'Stillpoint', 'Stillpoint, expecting': 'Stillpoint, expecting', 'Playwright, told the text': 'Playwright, locator',
    'Playwright, its auto-wait': 'Playwright, auto-wait alone', 'Selenium, told the text': 'Selenium, explicit wait', 'Playwright MCP, its answer': 'Playwright MCP, its answer',
    'Playwright MCP, told the text': 'Playwright MCP, wait_for', 'chrome-devtools-mcp, its answer': 'chrome-devtools-mcp, its answer',
    'chrome-devtools-mcp, told the text': 'chrome-devtools-mcp, wait_for' };
  const drivers = {};
  for (const [label, way] of Object.entries(labels)) drivers[label] = await WAYS[way].make(scratch, options.stillpoint);
  const places = Object.keys(labels);
  const isOnce = (pattern) => options.quick && pattern.steps.some(([step]) => step === 'wait');
  const actOn = async (pattern, pass) => {
    if (pass && isOnce(pattern)) return {};
    const samples = Object.fromEntries(places.map((label) => [label, []]));
    for (const [place, label] of places.entries()) {
      await drivers[label].open(`${site.base}web.html?pattern=${encodeURIComponent(pattern.name)}&token=act${place}`, pattern.do);
    }
    const acted = Object.fromEntries(places.map((label) => [label, 0]));
    const act = async (place, label, way) => {
      const n = ++acted[label], expect = pattern.expect.replaceAll('{n}', n), truth = site.truth(`act${place}`);
      const [ms, text] = await timed(() => drivers[label].perform('tap', n, WAYS[way].isTold ? expect : null));
      await truth;
      return text.includes(expect) ? ms : null;
    };
    await race([[places, samples, async (label) => {
      const times = [];
      try {
        do times.push(await act(places.indexOf(label), label, labels[label])); while (times.at(-1) !== null && isShort(times));
        return times.includes(null) ? 'early: did not read the final state' : times;
      } catch (error) {
        return failed(error);
      }
    }]], isOnce(pattern) ? ACTING_ONCE : ACTING);
    return samples;
  };
  const { taken, steps } = inPasses(ACTING.passes, patterns, actOn);
  const tell = async () => {
    for (const [place, passes] of taken.entries()) if (passes.length) figures.add('act', `web: ${patterns[place].name}`, 'ms', joined(passes));
    await closeAll(drivers);
  };
  return { steps, tell };
}

/** What was read, if it begins as the page does: an error, or a page that is still empty, is no tree. */
function whole(text) {
  if (!text.includes('Mark 1')) throw new Error(`no tree: ${text}`);
  return text;
}

/** We on one core, our server on another, and browsers where they like: left to the scheduler, an answer from memory takes 0.07 ms beside its client or
 * 0.12 across, for a second or for a minute. The peers' servers are where they like, too: on one core they are slower. */
async function apart(server, work) {
  place(server.pid, PLACES.last);
  place(process.pid, PLACES.first);
  try {
    return await work();
  } finally {
    place(process.pid, PLACES.any);
  }
}

/** From nothing: a server or library is started, opens the page with a browser of its own, and tells the tree. What it starts must not be kept where we are. */
async function firstTree(make, size) {
  let made;
  place(process.pid, PLACES.any);
  try {
    const [ms] = await timed(async () => {
      made = await make();
      await made.open(rows(size));
      whole(await made.read());
    });
    return [ms];
  } catch (error) {
    return failed(error);
  } finally {
    await made?.close();
    place(process.pid, PLACES.first);
  }
}

/** First tree, reading again, finding, sizes. For each size the tools are started anew: a process and its browser remember large pages. */
function trees() {
  const readers = Object.keys(MAKERS).filter((label) => label !== 'Selenium');
  const readBy = async (tools, size) => {
    const first = { Selenium: NO_TREE }, again = { Selenium: NO_TREE }, bytes = { Selenium: NO_TREE }, tokens = { Selenium: NO_TREE }, finding = {}, told = {};
    for (const [label, tool] of Object.entries(tools)) {
      try {
        await tool.open(rows(size));
        if (!tool.read) continue;
        const text = whole(await tool.read());
        [bytes[label], tokens[label]] = [[Buffer.byteLength(text)], [encode(text).length]];
        if (label === 'Stillpoint') told.note = /\((?:[^()]*rows[^()]*|[^()]*more[^()]*)\)/.exec(text)?.[0];
      } catch (error) {
        again[label] = bytes[label] = tokens[label] = finding[label] = failed(error);
      }
    }
    const sound = Object.keys(tools).filter((label) => typeof finding[label] !== 'string'), few = size < HUGE ? {} : FEW;
    await apart(tools.Stillpoint, () => race([
      [readers, first, (label) => firstTree(MAKERS[label], size), { ...BEGINNING, ...few }],
      [sound.filter((one) => tools[one].read), again, (label) => turn(tools[label].readAgain ?? (async () => whole(await tools[label].read())), size < LARGE ? 1 : BURSTS)],
      [sound, finding, (label) => turn(async () => refuse(await (tools[label].lookUp ?? tools[label].find)('button', 'Mark 7')))],
    ], { ...READING, ...few }));
    return { first, again, finding, bytes, tokens, told };
  };
  const readAnew = async (size) => {
    const tools = await makeAll();
    try {
      return await readBy(tools, size);
    } finally {
      await closeAll(tools);
    }
  };
  const { taken, steps } = inPasses(READING.passes, SIZES, readAnew, (size) => (size < HUGE ? READING : FEW).passes);
  const tell = () => {
    for (const [place, passes] of taken.entries()) {
      if (!passes.length) continue;
      const size = SIZES[place], { bytes, tokens, told } = passes[0], of = (task) => joined(passes.map((pass) => pass[task]));
      figures.add('first-web', `page of ${size} elements: first tree, from nothing`, 'ms', of('first'), { x: size }, { rule: undisturbed });
      figures.add('again-web', `page of ${size} elements: reading again`, 'ms', of('again'), { x: size }, { rule: undisturbed });
      figures.add('find-web', `page of ${size} elements: find a button by its name`, 'ms', of('finding'), { x: size }, { rule: undisturbed });
      figures.add('bytes-web', `page of ${size} elements: a snapshot`, 'bytes', bytes, { x: size, ...told });
      figures.add('tokens-web', `page of ${size} elements: a snapshot`, 'tokens', tokens, { x: size });
    }
  };
  return { steps, tell };
}

/** What an agent reads to learn what a click changed. */
async function changes(tools) {
  const bytes = {}, tokens = {};
  for (const [label, tool] of Object.entries(tools)) {
    bytes[label] = tokens[label] = 'cannot: has no answer to a click, its caller reads the page again';
    if (!tool.click) continue;
    await tool.open(rows(3500, 'change'));
    const { text } = await tool.click(await tool.find('button', 'Mark 7'));
    const isThere = text.includes('Mark 7: done');
    bytes[label] = isThere ? [Buffer.byteLength(text)] : 'its answer lacks the change';
    tokens[label] = isThere ? [encode(text).length] : 'its answer lacks the change';
  }
  figures.add('delta', 'a change on a page of 3,500 elements, bytes', 'bytes', bytes);
  figures.add('tokens', 'a change on a page of 500 rows', 'tokens', tokens);
}

const rootsOf = (tool) => tool.pids ?? [tool.pid];

async function memory(tools) {
  const alone = {}, whole = {};
  for (const [label, tool] of Object.entries(tools)) {
    await tool.open(rows(3500, 'memory'));
    if (tool.read) await tool.read();
    alone[label] = tool.pid ? [await memoryOfOne(tool.pid)] : NO_SERVER;
    whole[label] = [await memoryOf(rootsOf(tool))];
  }
  figures.add('memory', 'the server alone', 'MiB', alone);
  figures.add('memory', 'with its browser', 'MiB', whole);
}

/** Processor time of the tool's processes and all that they started, for each second of waiting in vain. All at once. Of the waits the lower
 * quartile is told: in the others the browser did chores of its own. */
function never() {
  const waits = {
    Stillpoint: () => tools.Stillpoint.act('wait_for_ui', { selector: '"Never"', timeout_ms: NEVER_MS }),
    'chrome-devtools-mcp': () => tools['chrome-devtools-mcp'].call('wait_for', { text: ['Never'], timeout: NEVER_MS }),
    'Playwright MCP': () => tools['Playwright MCP'].call('browser_wait_for', { text: 'Never' }),
  };
  const cost = async (label) => {
    const tool = tools[label], roots = rootsOf(tool), costs = [];
    for (let round = 0; round < NEVER.times; round++) {
      const before = cpuOf(roots);
      const [ms] = await timed(() => (waits[label] ?? (() => tool.never(NEVER_MS)))().catch(() => null));
      costs.push((cpuOf(roots) - before) / (ms / 1000));
    }
    return [label, costs];
  };
  const wait = async () => {
    for (const tool of Object.values(tools)) await tool.open(rows(3500, 'never'));
    return Object.fromEntries(await Promise.all(Object.keys(tools).map(cost)));
  };
  const { taken: [passes], steps } = inPasses(NEVER.passes, ['all tools'], wait);
  const tell = () => figures.add('never', 'page of 3,500 elements, with its browser', 'ms/s', joined(passes), {}, { share: 0.25, rule: undisturbed });
  return { steps, tell };
}

/** Apps of the simulator in one server: what a session costs where nothing but Stillpoint takes part. */
async function sessions() {
  const server = await stillpoint(options.stillpoint);
  const none = { 'Playwright MCP': 'cannot: pages alone', 'chrome-devtools-mcp': 'cannot: pages alone', Playwright: 'cannot: pages alone', Selenium: 'cannot: pages alone' };
  let opened = 0;
  for (const count of SESSIONS) {
    for (; opened < count; opened++) await server.call('snapshot', { app: `sim:table:60?seed=${opened + 1}`, max_nodes: 1 });
    figures.add('sessions', `${count} simulated apps of 305 elements at once`, 'MiB', { Stillpoint: [await memoryOfOne(server.pid)], ...none }, { x: count });
    const look = () => server.call('find_element', { app: 'sim:table:60?seed=1', selector: 'button "Delete"[7]' });
    const times = [];
    for (let round = 0; round < 40; round++) times.push((await timed(look))[0]);
    figures.add('sessions-time', `find in one of ${count} simulated apps`, 'ms', { Stillpoint: times, ...none }, { x: count });
  }
  await server.close();
}

/** Pages open at once, each read: a target of ours, a tab of the MCP servers, a context of Playwright, a session of Selenium. */
function pages() {
  const more = {
    Stillpoint: (server, url) => server.call('snapshot', { app: `web:${url}` }),
    'Playwright MCP': async (server, url) => {
      const tab = await server.call('browser_tabs', { action: 'new' });
      return tab.failed ? tab : server.open(url);
    },
    'chrome-devtools-mcp': (server, url) => server.another(url),
    Playwright: (tool, url) => tool.another(url), Selenium: (tool, url) => tool.another(url),
  };
  /** Times and memory for each number of pages. */
  const openAll = async () => {
    const made = await makeAll(), told = [];
    let opened = 0;
    try {
      for (const count of PAGES) {
        const times = {}, memories = {};
        for (; opened < count; opened++) {
          for (const [label, tool] of Object.entries(made)) {
            await atRest();
            try {
              const [ms, page] = await timed(() => more[label](tool, rows(700, `page=${opened}`)));
              put(times, label, page?.failed ? `failed: ${page.text.slice(0, 80)}` : [ms]);
            } catch (error) {
              put(times, label, failed(error));
            }
          }
        }
        for (const [label, tool] of Object.entries(made)) memories[label] = Array.isArray(times[label]) ? [await memoryOf(rootsOf(tool))] : times[label];
        told.push({ times, memories });
      }
    } finally {
      await closeAll(made);
    }
    return told;
  };
  const { taken: [passes], steps } = inPasses(OPENINGS, ['all tools'], openAll);
  const tell = () => {
    for (const [place, count] of PAGES.entries()) {
      const of = (what) => joined(passes.map((pass) => pass[place][what]));
      figures.add('pages', `${count} pages of 700 elements at once, with browsers`, 'MiB', of('memories'), { x: count });
      // The first page is the figure of the first tree.
      if (count > 1) figures.add('pages-time', `opening and reading one more, up to ${count} pages`, 'ms', of('times'), { x: count }, { rule: undisturbed });
    }
  };
  return { steps, tell };
}

const tools = await makeAll();
/** A part of one step, which tells its figures itself. */
const alone = (work) => () => ({ steps: [work], tell: () => {} });
const PARTS = { acts, memory: alone(() => memory(tools)), never, trees, changes: alone(() => changes(tools)), sessions: alone(sessions), pages };
/** The parts' steps in their order; those that are repeated all along between the others, so that no slow minute is in all turns of one. */
function inOrder(steps) {
  const placed = (list) => list.map((step, place) => [(place + 0.5) / list.length, step]);
  const spread = ['trees', 'pages', 'never'], of = (name) => steps.filter((step) => step.name === name);
  const lists = [steps.filter(({ name }) => !spread.includes(name)), ...spread.map(of)].flatMap(placed);
  return lists.sort(([a], [b]) => a - b).map(([, step]) => step);
}
const failures = new Set(), spent = {};
async function attempt(name, work) {
  const began = performance.now();
  try { return await work(); } catch (error) {
    failures.add(name);
    console.error(`${name} FAILED: ${error.stack}`);
  } finally {
    spent[name] = (spent[name] ?? 0) + performance.now() - began;
  }
}
try {
  const steps = [];
  for (const name of Object.keys(PARTS).filter((name) => !options.only || options.only === name)) {
    const part = await attempt(name, PARTS[name]);
    if (part) steps.push(...part.steps.map((work) => ({ name, work, tell: part.tell })));
  }
  const order = inOrder(steps), isLast = ({ name }, place) => !order.slice(place + 1).some((other) => other.name === name);
  for (const [place, step] of order.entries()) {
    await attempt(step.name, step.work);
    if (!isLast(step, place)) continue;
    await attempt(step.name, step.tell);
    console.log(`${step.name}: ${Math.round(spent[step.name] / 1000)} s`);
  }
} finally {
  await closeAll(tools);
  site.close();
  fs.rmSync(scratch, { recursive: true, force: true });
}
process.exitCode = failures.size ? 1 : 0;
