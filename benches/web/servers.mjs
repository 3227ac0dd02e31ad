// The servers that are compared, each behind the same few verbs, all spoken to through the same MCP client.
import fs from 'node:fs';
import path from 'node:path';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { BROWSER } from './browser.mjs';

const peers = path.resolve(process.env.PEERS);
const require = createRequire(path.join(peers, 'package.json'));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const { Client } = await load('@modelcontextprotocol/sdk/client/index.js');
const { StdioClientTransport } = await load('@modelcontextprotocol/sdk/client/stdio.js');
const manifest = (name) => JSON.parse(fs.readFileSync(path.join(peers, 'node_modules', name, 'package.json'), 'utf8'));

async function connect(command, args, cwd) {
  const client = new Client({ name: 'stillpoint-bench', version: '1' });
  const transport = new StdioClientTransport({ command, args, cwd, stderr: 'ignore' });
  await client.connect(transport);
  // What the agent has sent and was given to read, for whoever counts.
  const meter = { calls: 0, sent: [], read: [] };
  const call = async (name, given) => {
    const answer = await client.callTool({ name, arguments: given }, undefined, { timeout: 60000 });
    const text = answer.content.map((part) => part.text ?? '').join('\n');
    meter.calls += 1;
    meter.sent.push(JSON.stringify({ name, arguments: given }));
    meter.read.push(text);
    return { text, json: answer.structuredContent, failed: !!answer.isError };
  };
  const tools = async () => JSON.stringify((await client.listTools()).tools);
  return { call, meter, tools, pid: transport.pid, close: () => client.close() };
}

/** What a verb cannot do is said with this, and shown in the report as such. */
export class Cannot extends Error {}

export async function stillpoint(program) {
  const { call, meter, tools, pid, close } = await connect(program, ['mcp']);
  let app = '', seen;
  const act = (verb, given) => call(verb, { app, ...given });
  const point = (url) => {
    app = `web:${url}`;
    seen = undefined;
  };
  const leave = async () => { if (app) await call('close_target', { app }); };
  return {
    name: 'stillpoint', version: '', pid, close, act, call, meter, tools,
    async open(url) {
      await leave();
      point(url);
      return call('open_target', { app });
    },
    // Any verb opens its target on first use.
    point,
    leave,
    read: async (more = {}) => (await act('snapshot', more)).text,
    // Whoever has read before asks what is new.
    async readAgain() {
      const told = await act('snapshot', { since: seen ?? (await act('snapshot', { max_nodes: 1 })).json.snapshot_revision });
      seen = told.json.snapshot_revision;
      return told.text;
    },
    lookUp: (role, name) => act('find_element', { selector: `${role} ${JSON.stringify(name)}` }),
    // A selector is all that it needs: nothing is looked up.
    find: async (role, name, selector) => selector ?? `${role} ${JSON.stringify(name)}`,
    // Its answers tell also what was there before, and what came and went.
    isPast: (line) => /^[-!] /.test(line),
    byTestId: async (id) => `#${id}`,
    // The answer holds what changed; what did not change the caller has from before. A button that says "Delete" needs
    // the word of the caller.
    click: async (target) => act('tap', { selector: target, confirm: true }),
    type: async (target, text) => act('type_text', { selector: target, text, replace: true }),
    revision: async () => (await act('snapshot', { max_nodes: 1 })).json.snapshot_revision,
    delta: async (since) => (await act('snapshot', { since })).text,
  };
}

export async function playwright(scratch) {
  const version = manifest('@playwright/mcp').version;
  const cli = path.join(peers, 'node_modules/@playwright/mcp/cli.js');
  const { call, meter, tools, pid, close } = await connect('node', [cli, '--headless', '--no-sandbox', '--isolated',
    '--viewport-size', '1280x800', '--executable-path', BROWSER, '--output-dir', scratch], scratch);
  // An answer begins with the code that was run, which is no observation. It may name the file that holds its
  // snapshot: reading that is part of reading the answer.
  const whole = (said) => {
    const answer = { ...said, text: said.text.replace(/### Ran Playwright code[^]*?(?=### |$)/, '') };
    const file = /\[Snapshot\]\(([^)]+)\)/.exec(answer.text)?.[1];
    if (!file) return answer;
    const snapshot = fs.readFileSync(path.resolve(scratch, file), 'utf8');
    meter.read.push(snapshot);
    return { ...answer, text: answer.text + snapshot };
  };
  const snapshot = async () => (await call('browser_snapshot', {})).text;
  const ref = (text, start) => {
    const line = text.split('\n').find((one) => one.includes(start) && one.includes('[ref='));
    if (!line) throw new Cannot(`no ${start} in its snapshot`);
    return /\[ref=(\w+)\]/.exec(line)[1];
  };
  return {
    name: 'Playwright MCP', version, pid, close, call, meter, tools,
    open: async (url) => whole(await call('browser_navigate', { url })),
    isPast: () => false,
    read: snapshot,
    find: async (role, name) => ref(await snapshot(), `- ${role} ${JSON.stringify(name)}`),
    byTestId: async (id) => `[data-testid=${id}]`,
    click: async (target) => whole(await call('browser_click', { target })),
    // Typing brings no snapshot with it: its caller has to ask.
    async type(target, text) {
      const typed = whole(await call('browser_type', { target, text }));
      return typed.text.includes('[ref=') ? typed : { ...typed, text: typed.text + await snapshot() };
    },
  };
}

export async function devtools(scratch) {
  const version = manifest('chrome-devtools-mcp').version;
  const bin = path.join(peers, 'node_modules/chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js');
  const { call, meter, tools, pid, close } = await connect('node', [bin, '--headless', '--isolated', '--executablePath', BROWSER,
    '--viewport', '1280x800', '--chromeArg=--no-sandbox', '--no-usage-statistics'], scratch);
  const pages = (await call('list_pages', {})).text;
  const pageId = Number(/^(\d+):/m.exec(pages)?.[1] ?? 1);
  const on = (verb, given) => call(verb, { pageId, ...given });
  const snapshot = async () => (await on('take_snapshot', {})).text;
  const uid = (text, start) => {
    const found = new RegExp(`uid=(\\S+) ${start.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`).exec(text)?.[1];
    if (!found) throw new Cannot(`no ${start} in its snapshot`);
    return found;
  };
  return {
    name: 'chrome-devtools-mcp', version, pid, close, call: on, meter, tools,
    async another(url) {
      const told = await call('new_page', { url });
      if (told.failed) throw new Error(told.text);
      const opened = [...told.text.matchAll(/^(\d+):/gm)].map(([, id]) => Number(id));
      return call('take_snapshot', { pageId: Math.max(...opened) });
    },
    open: (url) => on('navigate_page', { type: 'url', url }),
    isPast: () => false,
    read: snapshot,
    find: async (role, name) => uid(await snapshot(), `${role} ${JSON.stringify(name)}`),
    // It knows no test ids: the nth button is looked up in its snapshot.
    byTestId: async (id) => {
      const all = [...(await snapshot()).matchAll(/uid=(\S+) button "Delete"/g)];
      return all[Number(id.split('-')[1]) - 1][1];
    },
    click: async (target) => on('click', { uid: target, includeSnapshot: true }),
    type: async (target, text) => on('fill', { uid: target, value: text, includeSnapshot: true }),
  };
}

/** Playwright's own reader, without a server around it. */
export async function ariaReader(url) {
  const { chromium } = (await load('playwright-core')).default;
  const browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  await page.goto(url);
  return {
    version: manifest('playwright-core').version,
    open: (address) => page.goto(address),
    read: () => page.locator('body').ariaSnapshot(),
    close: () => browser.close(),
  };
}
