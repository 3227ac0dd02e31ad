// What ten journeys cost an agent: calls, and tokens of what it sends and reads, over real MCP. No model takes part; each agent
// follows the shortest script that a careful user of its server could: look once, act, look again only when it has to.
// usage: economy.mjs OUT --stillpoint PROGRAM (PEERS names the npm packages)
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { createRequire } from 'node:module';
import { devtools, playwright, stillpoint } from '../web/servers.mjs';
import { serve } from '../flake/web_server.mjs';
import { Figures } from './figures.mjs';
import { JOURNEYS } from './journeys.mjs';

const { values: options, positionals: [out] } = parseArgs({ allowPositionals: true, options: { stillpoint: { type: 'string' } } });
const { encode } = createRequire(path.join(path.resolve(process.env.PEERS), 'package.json'))('gpt-tokenizer');
const quoted = (role, name) => `${role} ${JSON.stringify(name)}`;
const need = (answer) => { if (answer.failed) throw new Error(answer.text.slice(0, 400)); return answer.text; };

/** Names what it acts on, and says in the last action what must be seen. */
const ours = (server) => ({
  async journey(url, { steps, see }) {
    server.point(url);
    need(await server.act('snapshot', {}));
    let told = '';
    for (const [n, { tap, type, set, far }] of steps.entries()) {
      // "Checkout" and the like need the agent's word.
      const more = n === steps.length - 1 ? { confirm: true, expect: `~${JSON.stringify(see)}` } : { confirm: true };
      if (tap) told = need(await server.act('tap', { selector: quoted(...tap), ...more }));
      else if (type) told = need(await server.act('type_text', { selector: quoted('textbox', type[0]), text: type[1], ...more }));
      else if (set) told = need(await server.act('set_value', { selector: quoted(set[0], set[1]), value: Number(set[2]), ...more }));
      else {
        need(await server.act('scroll_to', { selector: JSON.stringify(far[1]), timeout_ms: 30000 }));
        told = need(await server.act('tap', { selector: JSON.stringify(far[1]), ...more }));
      }
    }
    return told;
  },
});

/** Takes references from the last snapshot it was given, asks for another where that lacks them, and waits for the text. */
const byReference = (server, { open, look, target, click, type, wait }) => ({
  async journey(url, { steps, see }) {
    let seen = need(await open(url));
    const find = async (role, name) => {
      const found = target(seen, role, name);
      if (found) return found;
      seen = need(await look());
      const again = target(seen, role, name);
      if (!again) throw new Error(`no ${role} ${name}`);
      return again;
    };
    for (const { tap, type: typing, set, far } of steps) {
      const wanted = tap ?? far ?? (set ? [set[0], set[1]] : ['textbox', typing[0]]);
      const act = async () => { const at = await find(...wanted); return tap || far ? click(at) : type(at, set ? set[2] : typing[1]); };
      let done = await act();
      if (done.failed) {
        // The reference may be out of date: look again, once.
        seen = '';
        done = await act();
      }
      const told = need(done);
      if (told.includes('[ref=') || told.includes('uid=')) seen = told;
    }
    if (!seen.includes(see)) {
      need(await wait(see));
      seen = need(await look());
    }
    return seen;
  },
});

const playwrightAgent = (server) => byReference(server, {
  open: server.open, look: () => server.call('browser_snapshot', {}), click: server.click,
  target: (text, role, name) => text.split('\n').map((line) => (line.includes(`- ${quoted(role, name)}`) || (role === 'listitem' && line.includes(`: ${name}`))) && /\[ref=(\w+)\]/.exec(line)?.[1]).find(Boolean),
  type: (target, text) => server.call('browser_type', { target, text }),
  wait: (text) => server.call('browser_wait_for', { text }),
});

const devtoolsAgent = (server) => byReference(server, {
  open: async (url) => { await server.open(url); return server.call('take_snapshot', {}); },
  look: () => server.call('take_snapshot', {}), click: server.click,
  target: (text, role, name) => text.split('\n').map((line) => line.includes(role === 'listitem' ? ` "${name}"` : quoted(role, name)) && /uid=(\S+)/.exec(line)?.[1]).find(Boolean),
  type: (uid, value) => server.call('fill', { uid, value }),
  wait: (text) => server.call('wait_for', { text: [text], timeout: 10000 }),
});

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'stillpoint-economy-'));
const site = await serve(path.join(import.meta.dirname, '../../apps/web'));
const own = await stillpoint(options.stillpoint), theirs = [await playwright(scratch), await devtools(scratch)];
const agents = { Stillpoint: [own, ours(own)], 'Playwright MCP': [theirs[0], playwrightAgent(theirs[0])], 'chrome-devtools-mcp': [theirs[1], devtoolsAgent(theirs[1])] };
const figures = new Figures(out, 'script/bench economy'), totals = {}, done = {};
const figure = (task, name, unit, values) =>
  figures.add(task, name, unit, Object.fromEntries(Object.entries(values).map(([who, value]) => [who, typeof value === 'number' ? [value] : value])));

try {
  const lists = {};
  for (const [label, [server]] of Object.entries(agents)) lists[label] = encode(await server.tools()).length;
  for (const journey of JOURNEYS) {
    const calls = {}, tokens = {};
    for (const [label, [server, agent]] of Object.entries(agents)) {
      await server.leave?.();
      Object.assign(server.meter, { calls: 0, sent: [], read: [] });
      try {
        const end = await agent.journey(`${site.base}${journey.page}`, journey);
        if (!end.includes(journey.see)) throw new Error(`did not see ${journey.see}`);
        calls[label] = server.meter.calls;
        tokens[label] = encode([...server.meter.sent, ...server.meter.read].join('\n')).length;
        totals[label] = (totals[label] ?? 0) + tokens[label];
        done[label] = (done[label] ?? 0) + 1;
      } catch (error) {
        if (label === 'Stillpoint') process.exitCode = 1;
        calls[label] = tokens[label] = `could not: ${error.message.slice(0, 100)}`;
      }
    }
    figure('economy-calls', journey.name, 'calls', calls);
    figure('economy-tokens', journey.name, 'tokens', tokens);
  }
  for (const [label, count] of Object.entries(done)) if (count < JOURNEYS.length) totals[label] = `could do ${count} of ${JOURNEYS.length}`;
  figure('economy-total', 'all journeys', 'tokens', totals);
  figure('tokens', 'the list of tools', 'tokens', lists);
} finally {
  for (const [server] of Object.values(agents)) await server.close();
  site.close();
  fs.rmSync(scratch, { recursive: true, force: true });
}
