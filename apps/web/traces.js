// Looks for anything that an automation tool could have left in the page.
const NAMES = ['setTimeout', 'setInterval', 'clearTimeout', 'clearInterval', 'fetch', 'requestAnimationFrame', 'MutationObserver'];
const LENGTHS = { setTimeout: 1, setInterval: 1, clearTimeout: 0, clearInterval: 0, fetch: 1, requestAnimationFrame: 1, MutationObserver: 1 };
const frame = document.createElement('iframe');

function traces() {
  const found = [];
  const clean = frame.contentWindow;
  const own = new Set(Object.getOwnPropertyNames(clean));
  const ours = new Set(['traces', 'NAMES', 'LENGTHS', 'frame', 'report', 'look', 'isolated', 'text']);
  for (const name of Object.getOwnPropertyNames(window)) {
    if (!own.has(name) && !ours.has(name) && !/^\d+$/.test(name)) found.push(`global ${name}`);
  }
  for (const name of NAMES) {
    const fn = window[name];
    if (fn.name !== name) found.push(`name of ${name}`);
    if (fn.length !== LENGTHS[name]) found.push(`length of ${name}: ${fn.length}`);
    if (fn.toString() !== `function ${name}() { [native code] }`) found.push(`text of ${name}`);
    if (Function.prototype.toString.call(fn) !== `function ${name}() { [native code] }`) found.push(`deep text of ${name}`);
  }
  const post = Worker.prototype.postMessage;
  if (post.name !== 'postMessage' || post.length !== 1 || post.toString() !== 'function postMessage() { [native code] }') found.push('postMessage');
  if (Object.keys(clean.Worker.prototype).join() !== Object.keys(Worker.prototype).join()) found.push('keys of Worker');
  if (Function.prototype.toString.toString() !== 'function toString() { [native code] }') found.push('text of toString');
  for (const el of document.querySelectorAll('*')) {
    for (const attribute of el.attributes) {
      if (!['id', 'role', 'lang', 'charset', 'src', 'data-frame', 'hidden'].includes(attribute.name)) found.push(`attribute ${attribute.name}`);
    }
  }
  try { setTimeout.call({}, () => {}); found.push('setTimeout takes any this'); } catch { /* as it must be */ }
  let got;
  const id = setTimeout((a, b) => { got = a + b; }, 0, 1, 2);
  if (typeof id !== 'number') found.push('no timer id');
  return new Promise((done) => setTimeout(function () {
    if (this !== window) found.push('this in a timer');
    if (got !== 3) found.push('arguments of a timer');
    done(found);
  }, 1));
}

addEventListener('DOMContentLoaded', () => {
  frame.hidden = true;
  document.body.append(frame);
  const run = async () => {
    const found = await traces();
    report.textContent = found.length ? `Found: ${found.join(', ')}` : 'Nothing found';
  };
  look.onclick = () => { report.textContent = 'Looking'; run(); };
  run();
});
