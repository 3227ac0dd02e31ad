// Counts the page's own short timers, in the page's own world, because they can be seen nowhere else. The
// functions keep their names, lengths, arguments, `this`, results and text. Nothing is added to the page: the
// count goes out as an event whose name only the observer knows.
(token, shortest) => {
  const apply = Reflect.apply;
  const send = EventTarget.prototype.dispatchEvent, Word = CustomEvent, page = document;
  const nativeText = Function.prototype.toString;
  const CHAIN = 6, ROUNDS = 2;
  const originals = new WeakMap(), live = new Map();
  let told = '', depth = 0;
  const tell = () => {
    let some = 0, endless = 0;
    for (const timer of live.values()) timer.endless ? endless++ : some++;
    const word = some + ' ' + endless;
    if (word === told) return;
    told = word;
    apply(send, page, [new Word(token, { detail: word })]);
  };
  // An observer that comes later asks for the count.
  apply(EventTarget.prototype.addEventListener, page, [token + '?', () => { told = ''; tell(); }]);
  const wrap = (name, handler) => {
    const native = window[name];
    const wrapped = new Proxy(native, { apply: (target, self, args) => handler(target, self, args) });
    originals.set(wrapped, native);
    const shape = Object.getOwnPropertyDescriptor(window, name);
    Object.defineProperty(window, name, { ...shape, value: wrapped });
  };
  const run = (callback, self, args, inner) => {
    const outer = depth;
    depth = inner;
    try { return apply(callback, self, args); } finally { depth = outer; tell(); }
  };
  wrap('setTimeout', (native, self, args) => {
    const callback = args[0], delay = Number(args[1]) || 0;
    if (typeof callback !== 'function' || delay > shortest) return apply(native, self, args);
    const inner = depth + 1;
    let id;
    const once = function (...given) { live.delete(id); return run(callback, this, given, inner); };
    id = apply(native, self, [once, ...args.slice(1)]);
    live.set(id, { endless: inner > CHAIN });
    tell();
    return id;
  });
  wrap('setInterval', (native, self, args) => {
    const callback = args[0], delay = Number(args[1]) || 0;
    if (typeof callback !== 'function') return apply(native, self, args);
    const timer = { endless: delay > shortest, rounds: 0 };
    const again = function (...given) {
      if (++timer.rounds >= ROUNDS) timer.endless = true;
      return run(callback, this, given, depth + 1);
    };
    const id = apply(native, self, [again, ...args.slice(1)]);
    live.set(id, timer);
    tell();
    return id;
  });
  for (const name of ['clearTimeout', 'clearInterval']) {
    wrap(name, (native, self, args) => {
      const done = apply(native, self, args);
      if (live.delete(Number(args[0]))) tell();
      return done;
    });
  }
  const text = new Proxy(nativeText, {
    apply: (target, self, args) => apply(target, originals.get(self) || self, args),
  });
  originals.set(text, nativeText);
  const shape = Object.getOwnPropertyDescriptor(Function.prototype, 'toString');
  Object.defineProperty(Function.prototype, 'toString', { ...shape, value: text });
}
