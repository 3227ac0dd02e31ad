// Random changes of the DOM: structure, text, ARIA, styles that hide, form values, shadow DOM, frames. The same seed
// makes the same changes.
function generator(seed) {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13; state >>>= 0; state ^= state >>> 17; state ^= state << 5; state >>>= 0;
    return state % below;
  };
}

const WORDS = ['alpha', 'beta', 'gamma', 'delta', 'Save', 'Open', 'Delete', 'Orders', 'Total', 'Search'];
const ROLES = ['button', 'link', 'checkbox', 'switch', 'tab', 'listitem', 'heading', 'img', 'alert', 'status', 'none', 'group', 'slider', 'option', 'row'];
const HIDING = ['gone', 'unseen', 'pre', 'loud'];
let names = 0;

function leaf(pick) {
  const word = `${WORDS[pick(WORDS.length)]} ${pick(100)}`;
  const make = (html) => { const box = document.createElement('template'); box.innerHTML = html; return box.content.firstElementChild; };
  const id = `n${++names}`;
  switch (pick(16)) {
    case 0: return make(`<button id="${id}">${word}</button>`);
    case 1: return make(`<p>${word} <b>bold</b> <a href="#x">${word}</a> tail</p>`);
    case 2: return make(`<div><label for="${id}">${word}</label><input id="${id}" value="${pick(50)}"></div>`);
    case 3: return make(`<label><input type="checkbox" ${pick(2) ? 'checked' : ''}> ${word}</label>`);
    case 4: return make(`<select id="${id}"><option>one<option selected>two<option>three</select>`);
    case 5: return make(`<ul><li>${word}<li>second<li>third</ul>`);
    case 6: return make(`<table><caption>${word}</caption><tr><th>a<th>b</tr><tr><td>1<td>${word}</tr></table>`);
    case 7: return make(`<div role="slider" aria-valuemin="0" aria-valuemax="9" aria-valuenow="${pick(9)}" tabindex="0" aria-label="${word}"></div>`);
    case 8: return make(`<h${1 + pick(4)}>${word}</h${1}>`);
    case 9: return make(`<div class="pre" id="${id}">${word}</div>`);
    case 10: return make(`<fieldset><legend>${word}</legend><input type="radio" name="${id}" aria-label="r1"><input type="radio" name="${id}" aria-label="r2"></fieldset>`);
    case 11: return make(`<details><summary>${word}</summary><p>inside</p></details>`);
    case 12: return make(`<div aria-labelledby="n${1 + pick(names)}" role="group"><span>${word}</span></div>`);
    case 13: return make(`<textarea aria-label="${word}">text</textarea>`);
    case 14: return make(`<img alt="${word}" width="10" height="10">`);
    default: return make(`<div>${word}<div>inner <span>${word}</span></div></div>`);
  }
}

function host(pick) {
  const el = document.createElement('div');
  const root = el.attachShadow({ mode: pick(2) ? 'open' : 'closed' });
  root.append(leaf(pick), document.createElement('slot'));
  el.append(leaf(pick));
  shadows.push(root);
  return el;
}

const shadows = [], frames = [];

function everything() {
  const list = [...ground.querySelectorAll('*')];
  for (const root of shadows) if (root.host.isConnected) list.push(...root.querySelectorAll('*'));
  for (const frame of frames) if (frame.isConnected && frame.contentDocument?.body) list.push(...frame.contentDocument.body.querySelectorAll('*'));
  return list;
}

function change(pick) {
  const all = everything();
  const el = all.length ? all[pick(all.length)] : ground.appendChild(leaf(pick));
  const word = `${WORDS[pick(WORDS.length)]} ${pick(1000)}`;
  const kind = pick(all.length > 140 ? 20 : 17);
  story.push(`${kind} ${word} ${(el.outerHTML || '').slice(0, 160)}`);
  switch (kind) {
    case 0: case 1: ground.insertBefore(leaf(pick), ground.children[pick(ground.children.length + 1)] || null); break;
    case 2: if (!['SELECT', 'OPTION', 'INPUT', 'IMG', 'TEXTAREA', 'IFRAME'].includes(el.tagName)) el.append(leaf(pick)); break;
    case 3: { const text = [...el.childNodes].find((c) => c.nodeType === 3); if (text) text.data = word; else if (!el.firstElementChild && el.tagName !== 'IFRAME') el.textContent = word; break; }
    case 4: el.setAttribute('aria-label', word); break;
    case 5: el.removeAttribute('aria-label'); break;
    case 6: pick(2) ? el.setAttribute('role', ROLES[pick(ROLES.length)]) : el.removeAttribute('role'); break;
    case 7: el.hidden = !el.hidden; break;
    case 8: el.classList.toggle(HIDING[pick(HIDING.length)]); break;
    case 9: el.style.display = pick(2) ? 'none' : ''; break;
    case 10: pick(2) ? el.setAttribute('aria-hidden', 'true') : el.removeAttribute('aria-hidden'); break;
    case 11: if ('value' in el && el.type !== 'file') el.value = String(pick(99)); break;
    case 12: if ('checked' in el) el.checked = !el.checked; else if (el.tagName === 'SELECT') el.selectedIndex = pick(3); break;
    case 13: if ('disabled' in el) el.disabled = !el.disabled; else el.setAttribute('aria-expanded', String(!!pick(2))); break;
    case 14: pick(3) ? el.setAttribute('aria-describedby', `n${1 + pick(names + 1)}`) : el.setAttribute('aria-checked', ['true', 'false', 'mixed'][pick(3)]); break;
    case 15: if (pick(4) === 0) ground.append(host(pick)); else if (el.tagName === 'DETAILS') el.open = !el.open; else el.inert = !el.inert; break;
    case 16: if (frames.length < 3 && pick(6) === 0) {
      const frame = document.createElement('iframe');
      frame.srcdoc = `<p>${word}</p><button>In frame ${frames.length}</button>`;
      frame.width = 200; frame.height = 60;
      frames.push(frame);
      ground.prepend(frame);
    } else if (el.id && pick(3) === 0) el.id = `n${++names}`; break;
    case 17: case 18: if (el.tagName !== 'IFRAME' && el.parentNode) el.remove(); break;
    default: { const other = all[pick(all.length)]; const plain = (e) => ['DIV', 'P', 'SPAN', 'LI', 'FIELDSET'].includes(e.tagName);
      if (plain(other) && !el.contains(other) && el.tagName !== 'IFRAME' && other.ownerDocument === el.ownerDocument) other.append(el); }
  }
}

// What the last round did, for the message of a test that fails.
let story = [];

function mutate(n, seed) {
  story = [];
  const pick = generator(seed);
  for (let i = 0; i < n; i++) change(pick);
}

const styles = document.createElement('style');
styles.textContent = '.gone { display: none } .unseen { visibility: hidden } .pre::before { content: "before " } .loud { text-transform: uppercase }';
document.documentElement.append(styles);
