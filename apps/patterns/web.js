// The patterns of patterns.json as a page: `web.html?pattern=NAME&seed=N`. Delays come from the seed. For each time that the
// pattern ran, the truth is posted to /truth: when it began and ended (epoch milliseconds of the page's monotonic clock),
// what it shows in the end, and what it showed on the way.
'use strict';

const options = new URLSearchParams(location.search);
const seed = Number(options.get('seed') ?? 1), token = options.get('token') ?? '';
const CLOCK_MS = 100;
const at = (id) => document.getElementById(id);
const now = () => performance.timeOrigin + performance.now();

// The same number on every surface: it depends on these alone (see desktop.py).
function delay(pattern, run, step, shortest, longest) {
  let mixed = 2166136261;
  for (const byte of new TextEncoder().encode(`${seed}/${pattern}/${run}/${step}`)) mixed = Math.imul(mixed ^ byte, 16777619) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 15), 2246822519) >>> 0;
  return shortest + (mixed % (longest - shortest + 1));
}

const row = (text) => Object.assign(document.createElement('li'), { textContent: text });
const made = (id, text) => Object.assign(document.createElement('p'), { id, textContent: text });

const verbs = {
  say(slot, text) {
    if (slot === 'note' && !at('note')) at('first').append(made('note', ''));
    at(slot).textContent = text;
  },
  show: (slot) => { at(slot).hidden = false; },
  hide: (slot) => { if (slot === 'note') at(slot).remove(); else at(slot).hidden = true; },
  add: (text) => at('list').append(row(text)),
  clear: () => { at('list').textContent = ''; },
  reverse: () => at('list').replaceChildren(...[...at('list').children].reverse().map((item) => row(item.textContent))),
  remake: (slot, text) => at(slot).replaceWith(made(slot, text)),
  bar: (percent) => Object.assign(at('bar'), { value: percent, hidden: percent === 100 }),
  dialog(text) {
    const dialog = document.body.appendChild(document.createElement('dialog'));
    dialog.append(made('wait', text));
    dialog.showModal();
  },
  close: () => document.querySelector('dialog').remove(),
  page(name) { for (const one of ['first', 'second']) at(one).hidden = one !== name; },
  enable: (slot) => { at(slot).disabled = false; },
  disable: (slot) => { at(slot).disabled = true; },
  block(shortest, longest, pattern, run, step) {
    const until = now() + delay(pattern, run, step, shortest, longest);
    while (now() < until);
  },
};

const worker = new Worker('worker.js'), asked = new Map();
worker.onmessage = ({ data: id }) => { const then = asked.get(id); asked.delete(id); then(); };

const ways = {
  timer: (ms, then) => setTimeout(then, ms),
  io: (ms, then) => fetch(`/api/slow?ms=${ms}`).then((answer) => answer.text()).then(then),
  thread(ms, then) {
    const id = Math.random();
    asked.set(id, then);
    worker.postMessage({ id, ms });
  },
  frames(ms, then) {
    const until = now() + ms;
    const frame = () => (now() < until ? requestAnimationFrame(frame) : then());
    requestAnimationFrame(frame);
  },
};

function shown() {
  if (at('first').hidden) return [at('title').textContent];
  return ['status', 'next', 'note'].map((id) => at(id)?.textContent).concat([...at('list').children].map((item) => item.textContent));
}

let turn = 0, run = 0;
function begin(pattern, number) {
  turn += 1;
  run = number;
  const mine = turn, began = now(), told = new Set();
  const fill = (word) => {
    if (typeof word !== 'string') return word;
    const text = word.replaceAll('{n}', run);
    if (text !== word) told.add(text);
    return text;
  };
  const goOn = (step) => {
    if (mine !== turn) return;
    while (step < pattern.steps.length) {
      const [verb, ...given] = pattern.steps[step++];
      if (verb === 'wait') {
        ways[given[2]](delay(pattern.name, run, step, given[0], given[1]), () => goOn(step));
        return;
      }
      verbs[verb](...given.map(fill), pattern.name, run, step);
    }
    const texts = shown(), words = [...told];
    const truth = { pattern: pattern.name, n: run, begin: began, end: now(), final: words.filter((w) => texts.includes(w)), gone: words.filter((w) => !texts.includes(w)) };
    navigator.sendBeacon(`/truth?token=${token}`, JSON.stringify(truth));
  };
  goOn(0);
}

fetch('patterns.json').then((answer) => answer.json()).then((patterns) => {
  const pattern = patterns.find((one) => one.name === options.get('pattern'));
  if (pattern.clock) {
    let ticks = 0;
    at('clock').hidden = false;
    setInterval(() => { at('clock').textContent = `Tick ${++ticks}`; }, CLOCK_MS);
  }
  if (pattern.do === 'tap') at('go').onclick = () => begin(pattern, run + 1);
  else at('field').oninput = () => at('field').value && begin(pattern, Number(at('field').value));
});
