// Counts what the page itself has set going and can be seen nowhere else: short timers, frames that it asked for, and
// messages that its workers have not answered. It runs in the page's own world. The functions keep their names, lengths,
// arguments, `this`, results and text. Nothing is added to the page: the count goes out as an event whose name only the
// observer knows.
(token, shortest) => {
  const apply = Reflect.apply;
  const send = EventTarget.prototype.dispatchEvent, Word = CustomEvent, page = document;
  const nativeText = Function.prototype.toString;
  const CHAIN = 6, ROUNDS = 2, VAIN = 3;
  const originals = new WeakMap(), live = new Map(), now = performance.now.bind(performance);
  // What runs now was set going by a chain of so many timers and frames, which began then.
  const NO_CHAIN = { depth: 0, since: 0 };
  let told = '', chain = NO_CHAIN;
  const link = () => ({ depth: chain.depth + 1, since: chain.depth ? chain.since : now() });
  // Many and for long: either alone can be work that ends.
  const goesOn = ({ depth, since }) => depth > CHAIN && now() - since > shortest;
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
  const wrap = (name, handler, on = window) => {
    const native = on[name];
    const wrapped = new Proxy(native, { apply: (target, self, args) => handler(target, self, args) });
    originals.set(wrapped, native);
    const shape = Object.getOwnPropertyDescriptor(on, name);
    Object.defineProperty(on, name, { ...shape, value: wrapped });
    return native;
  };
  const run = (callback, self, args, inner) => {
    const outer = chain;
    chain = inner;
    try { return apply(callback, self, args); } finally { chain = outer; tell(); }
  };
  const later = wrap('setTimeout', (native, self, args) => {
    const callback = args[0], delay = Number(args[1]) || 0;
    if (typeof callback !== 'function' || delay > shortest) return apply(native, self, args);
    const inner = link();
    let id;
    const once = function (...given) { live.delete(id); return run(callback, this, given, inner); };
    id = apply(native, self, [once, ...args.slice(1)]);
    live.set(id, { endless: goesOn(inner) });
    tell();
    return id;
  });
  // The numbers of frames are not those of timers.
  const frame = (id) => 'frame ' + id;
  wrap('requestAnimationFrame', (native, self, args) => {
    const callback = args[0];
    // A page that is not shown gets no frames.
    if (typeof callback !== 'function' || page.hidden) return apply(native, self, args);
    const inner = link();
    let id;
    const once = function (time) { 'use strict'; live.delete(frame(id)); return run(callback, this, [time], inner); };
    id = apply(native, self, [once]);
    live.set(frame(id), { endless: goesOn(inner) });
    tell();
    return id;
  });
  wrap('cancelAnimationFrame', (native, self, args) => {
    const done = apply(native, self, args);
    if (live.delete(frame(args[0]))) tell();
    return done;
  });
  if (window.Worker) {
    const listen = EventTarget.prototype.addEventListener, workers = new WeakMap();
    const meet = (worker) => {
      // How many messages it has not answered, and how often in a row it was waited for in vain.
      const known = { open: 0, vain: 0, posted: 0 };
      workers.set(worker, known);
      const answered = () => {
        known.vain = 0;
        if (known.open && !--known.open) { live.delete(known); tell(); }
      };
      const gone = () => { known.open = 0; live.delete(known); tell(); };
      apply(listen, worker, ['message', answered]);
      apply(listen, worker, ['error', gone]);
      return known;
    };
    wrap('postMessage', (native, self, args) => {
      const done = apply(native, self, args);
      const known = workers.get(self) ?? meet(self);
      // One that never answers is no longer waited for, until it says something.
      if (known.vain >= VAIN) return done;
      known.open++;
      const number = ++known.posted;
      live.set(known, { endless: false });
      tell();
      apply(later, window, [() => {
        if (known.posted !== number || !known.open) return;
        known.open = 0;
        known.vain++;
        live.delete(known);
        tell();
      }, shortest]);
      return done;
    }, Worker.prototype);
    wrap('terminate', (native, self, args) => {
      const done = apply(native, self, args), known = workers.get(self);
      if (known && live.delete(known)) { known.open = 0; tell(); }
      return done;
    }, Worker.prototype);
  }
  wrap('setInterval', (native, self, args) => {
    const callback = args[0], delay = Number(args[1]) || 0;
    if (typeof callback !== 'function') return apply(native, self, args);
    const timer = { endless: delay > shortest, rounds: 0 }, inner = link();
    const again = function (...given) {
      if (++timer.rounds >= ROUNDS && now() - inner.since > shortest) timer.endless = true;
      // What an endless one sets going is as endless.
      return run(callback, this, given, timer.endless ? { ...inner, depth: CHAIN } : inner);
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
