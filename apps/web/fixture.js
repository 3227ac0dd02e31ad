// The screens of the desktop fixtures (apps/README.md) as a web page: the same names, texts and delays, so that the
// same scenarios run on it. `?seed=1&delay-min=120&delay-max=240` choose the delays.
'use strict';

const options = new URLSearchParams(location.search);
const number = (name, otherwise) => Number(options.get(name) ?? otherwise);
const [seed, shortest, longest] = [number('seed', 1), number('delay-min', 120), number('delay-max', 240)];
const ROWS = 2000;
const STEP_MS = 20;

const byId = (id) => document.getElementById(id);
const say = (id, text) => { byId(id).textContent = text; };

// The n-th delay of an operation depends on the seed, its name and n, and on nothing else.
const uses = {};
function delay(name) {
  uses[name] = (uses[name] ?? 0) + 1;
  let hash = 2166136261;
  for (const c of `${seed}/${name}/${uses[name]}`) hash = Math.imul(hash ^ c.charCodeAt(0), 16777619) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 15), 2246822519) >>> 0;
  return shortest + (hash % (longest - shortest + 1));
}

const timers = {};
function after(name, action) {
  clearTimeout(timers[name]);
  timers[name] = setTimeout(() => { delete timers[name]; action(); }, delay(name));
}

// What was done, and how often since the page was shown: whoever acts twice can see it.
let done = {};
function tell(id, text) {
  done[text] = (done[text] ?? 0) + 1;
  say(id, done[text] === 1 ? text : `${text}, ${done[text]} times`);
}

let version = 1;
const pages = {
  login: `<p>Sign in to continue</p>
    <label>Username <input id="login-username" autocomplete="off"></label>
    <label>Password <input id="login-password" type="password" autocomplete="off"></label>
    <button id="login-submit">Sign in</button>
    <div id="login-spinner" role="progressbar" aria-label="Signing in" hidden>…</div>
    <p id="login-error" hidden>Wrong user name or password</p>`,
  welcome: '<p id="welcome-greeting">Welcome</p><button id="welcome-signout">Sign out</button>',
  dialog: `<button id="dialog-open">Settings</button><p id="dialog-status">Nothing happened</p>
    <button id="dialog-delete">Delete</button>`,
  rows: '<p id="rows-status">No row chosen</p><ul id="rows-list" aria-label="Rows"></ul>',
  values: `<label>Volume <input id="values-slider" type="range" min="0" max="100" value="0"></label>
    <p id="values-volume">Volume is 0</p>
    <label>Amount <input id="values-spin" type="number" min="0" max="100" value="0"></label>
    <p id="values-amount">Amount is 0</p>`,
  twins: `<div role="group" aria-label="Network"><button id="twins-network">Apply</button></div>
    <div role="group" aria-label="Printer"><button id="twins-printer">Apply</button></div>
    <p id="twins-status">Nothing applied</p>`,
  form: `<label>Email <input id="form-email"></label>
    <label><input id="form-agree" type="checkbox"> I agree</label>
    <button id="form-submit" disabled>Submit</button><p id="form-status">Not submitted</p>`,
  checkout: `<label>Quantity of boots <input id="checkout-quantity" type="number" min="0" max="100" value="0"></label>
    <label>E-mail <input id="checkout-email"></label>
    <label><input id="checkout-terms" type="checkbox"> I accept the terms</label>
    <p id="checkout-total">Total: 0</p><button id="checkout-order" disabled>Place order</button>
    <div id="checkout-spinner" role="progressbar" aria-label="Placing the order" hidden>…</div>
    <p id="checkout-status">Nothing ordered</p>`,
  moving: `<button id="moving-start">Start moving</button>
    <div class="stage"><button id="moving-target" style="left: 0; top: 10px">Catch me</button></div>
    <p id="moving-status">At rest</p>`,
  replaced: `<button id="replaced-refresh">Refresh</button>
    <div id="replaced-place"><button id="replaced-target">Open report</button></div>
    <p id="replaced-status">Version 1</p>`,
  drag: `<div id="drag-card" class="card" draggable="true" role="img" aria-label="Card">Card</div>
    <div id="drag-tray" class="card" role="group" aria-label="Tray">Tray</div><p id="drag-status">Nothing dropped</p>`,
  shortcut: '<label>Document <input id="shortcut-document"></label><p id="shortcut-status">Not saved</p>',
};

const behaviour = {
  login() {
    byId('login-submit').onclick = () => {
      const [name, password] = [byId('login-username').value, byId('login-password').value];
      byId('login-error').hidden = true;
      byId('login-spinner').hidden = false;
      byId('login-submit').disabled = true;
      after('signin', () => {
        byId('login-spinner').hidden = true;
        byId('login-submit').disabled = false;
        if (name && password === 'secret') {
          show('welcome');
          say('welcome-greeting', `Welcome, ${name}`);
        } else {
          byId('login-error').hidden = false;
        }
      });
    };
  },
  welcome() { byId('welcome-signout').onclick = () => show('login'); },
  dialog() {
    byId('dialog-open').onclick = () => { byId('settings').hidden = false; };
    byId('dialog-delete').onclick = () => tell('dialog-status', 'Deleted');
  },
  rows() {
    const rows = Array.from({ length: ROWS }, (_, n) => `<li tabindex="-1">Row ${n + 1}</li>`);
    byId('rows-list').innerHTML = rows.join('');
    byId('rows-list').onclick = (event) => {
      const row = event.target.closest('li');
      if (row) say('rows-status', `Chose row ${row.textContent.slice(4)}`);
    };
  },
  values() {
    byId('values-slider').oninput = (event) => say('values-volume', `Volume is ${event.target.value}`);
    byId('values-spin').oninput = (event) => say('values-amount', `Amount is ${event.target.value}`);
  },
  twins() {
    byId('twins-network').onclick = () => tell('twins-status', 'Network applied');
    byId('twins-printer').onclick = () => tell('twins-status', 'Printer applied');
  },
  form() {
    const follow = () => {
      byId('form-submit').disabled = !(byId('form-email').value.includes('@') && byId('form-agree').checked);
    };
    byId('form-email').oninput = byId('form-agree').onchange = follow;
    byId('form-submit').onclick = () => tell('form-status', 'Submitted');
  },
  checkout() {
    const [quantity, email, terms] = ['quantity', 'email', 'terms'].map((name) => byId(`checkout-${name}`));
    const follow = () => {
      const valid = !timers.order && email.value.includes('@') && terms.checked && Number(quantity.value) > 0;
      byId('checkout-order').disabled = !valid;
    };
    email.oninput = terms.onchange = follow;
    quantity.oninput = () => {
      follow();
      after('total', () => say('checkout-total', `Total: ${Number(quantity.value) * 7}`));
    };
    byId('checkout-order').onclick = () => {
      const said = `Ordered ${quantity.value} for ${email.value}`;
      byId('checkout-order').disabled = true;
      byId('checkout-spinner').hidden = false;
      after('order', () => {
        byId('checkout-spinner').hidden = true;
        tell('checkout-status', said);
      });
    };
  },
  moving() {
    byId('moving-start').onclick = () => {
      const until = performance.now() + delay('move');
      let count = 0;
      say('moving-status', 'Moving');
      clearInterval(timers.move);
      timers.move = setInterval(() => {
        Object.assign(byId('moving-target').style, { left: `${(count * 12) % 320}px`, top: `${10 + ((count * 5) % 90)}px` });
        count += 1;
        if (performance.now() >= until) {
          clearInterval(timers.move);
          if (byId('moving-status').textContent === 'Moving') say('moving-status', 'At rest');
        }
      }, STEP_MS);
    };
    byId('moving-target').onclick = () => tell('moving-status', 'Caught');
  },
  replaced() {
    const open = () => tell('replaced-status', `Opened version ${version}`);
    byId('replaced-target').onclick = open;
    byId('replaced-refresh').onclick = () => after('replace', () => {
      version += 1;
      byId('replaced-place').innerHTML = '<button id="replaced-target">Open report</button>';
      byId('replaced-target').onclick = open;
      say('replaced-status', `Version ${version}`);
    });
  },
  drag() {
    byId('drag-card').ondragstart = (event) => event.dataTransfer.setData('text/plain', 'Card');
    byId('drag-tray').ondragover = (event) => event.preventDefault();
    byId('drag-tray').ondrop = (event) => {
      event.preventDefault();
      tell('drag-status', `Dropped: ${event.dataTransfer.getData('text/plain')}`);
    };
  },
};

function show(page) {
  done = {};
  byId('main').innerHTML = `<section aria-label="${page}">${pages[page]}</section>`;
  behaviour[page]?.();
}

function closeSettings(outcome) {
  const notify = byId('settings-notify').checked ? 'on' : 'off';
  byId('settings').hidden = true;
  say('dialog-status', `Settings ${outcome}, notifications ${notify}`);
}

byId('settings-ok').onclick = () => closeSettings('saved');
byId('settings-cancel').onclick = () => closeSettings('cancelled');
addEventListener('keydown', (event) => {
  if (event.ctrlKey && event.key === 's') {
    event.preventDefault();
    if (byId('shortcut-status')) tell('shortcut-status', 'Saved');
  }
});
for (const page of Object.keys(pages)) {
  const button = document.createElement('button');
  button.textContent = `${page[0].toUpperCase()}${page.slice(1)} page`;
  button.onclick = () => show(page);
  byId('nav').append(button);
}
show('login');
