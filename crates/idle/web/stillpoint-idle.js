// Says when a page has work in flight. Load it first: <script src="stillpoint-idle.js"></script>
//
//   const end = stillpoint.idle.busy("search");   // … work …   end();
//   stillpoint.idle.track();                       // requests, short timers, animations, navigation, DOM work
//
// State for readers: window.__stillpointIdle = {version, busy, resources: {name: {count, since}}, changes}; each time the
// page becomes idle or busy, an event "stillpoint-idle" with detail {busy} goes to window.
(function (scope) {
  "use strict";
  if (scope.__stillpointIdle) return;

  const now = () => (scope.performance ? scope.performance.now() : Date.now());
  const resources = Object.create(null);
  const state = { version: 1, busy: 0, changes: 0, resources };
  const waiters = new Set();
  const MAX_RESOURCES = 64;
  const OVERFLOW = "(other)";

  function announce() {
    if (state.busy === 0) {
      for (const resolve of waiters) resolve();
      waiters.clear();
    }
    if (typeof scope.CustomEvent === "function" && scope.dispatchEvent) {
      scope.dispatchEvent(new scope.CustomEvent("stillpoint-idle", { detail: { busy: state.busy > 0 } }));
    }
  }

  // Work called `name` is in flight until the function that this returns is called. Calling it twice does no harm.
  function busy(name) {
    name = String(name || "(unnamed)").slice(0, 40);
    if (!resources[name] && Object.keys(resources).length >= MAX_RESOURCES) name = OVERFLOW;
    const entry = resources[name] || (resources[name] = { count: 0, since: 0 });
    if (entry.count++ === 0) entry.since = now();
    state.changes++;
    if (state.busy++ === 0) announce();
    let held = true;
    return function end() {
      if (!held) return;
      held = false;
      entry.count--;
      state.changes++;
      if (--state.busy === 0) announce();
    };
  }

  // Busy until the promise is settled; gives the promise back.
  function during(name, promise) {
    const end = busy(name);
    promise.then(end, end);
    return promise;
  }

  const isIdle = () => state.busy === 0;
  const whenIdle = () => (isIdle() ? Promise.resolve() : new Promise((resolve) => waiters.add(resolve)));
  const busyResources = () =>
    Object.entries(resources)
      .filter(([, entry]) => entry.count > 0)
      .map(([name, entry]) => ({ name, count: entry.count, age_ms: now() - entry.since }));

  let tracked = false;

  // Switches the ready-made trackers on. `timerMs`: timers due later than this are no reason to wait.
  function track({ timerMs = 1500 } = {}) {
    if (tracked) return;
    tracked = true;
    trackRequests();
    trackTimers(timerMs);
    trackAnimations();
    trackNavigation();
    trackDom();
  }

  function trackRequests() {
    const fetch = scope.fetch;
    if (fetch) {
      scope.fetch = function (...args) {
        const end = busy("fetch");
        const done = fetch.apply(this, args);
        done.then(end, end);
        return done;
      };
    }
    const request = scope.XMLHttpRequest && scope.XMLHttpRequest.prototype;
    if (request) {
      const send = request.send;
      request.send = function (...args) {
        const end = busy("xhr");
        this.addEventListener("loadend", end, { once: true });
        try {
          return send.apply(this, args);
        } catch (error) {
          end();
          throw error;
        }
      };
    }
  }

  // Single timers only: an interval has no end to wait for.
  function trackTimers(limit) {
    const { setTimeout, clearTimeout } = scope;
    const pending = new Map();
    const finish = (id) => {
      const end = pending.get(id);
      pending.delete(id);
      if (end) end();
    };
    scope.setTimeout = function (callback, delay, ...args) {
      if (typeof callback !== "function" || !(Number(delay || 0) <= limit)) {
        return setTimeout.call(scope, callback, delay, ...args);
      }
      const id = setTimeout.call(
        scope,
        function (...given) {
          try {
            callback.apply(this, given);
          } finally {
            finish(id);
          }
        },
        delay,
        ...args,
      );
      pending.set(id, busy("timer"));
      return id;
    };
    scope.clearTimeout = function (id) {
      finish(id);
      return clearTimeout.call(scope, id);
    };
  }

  // Animations and transitions that end. One that repeats for ever is decoration, and nobody waits for it.
  function trackAnimations() {
    if (!scope.document || !scope.document.addEventListener || !scope.document.getAnimations) return;
    const known = new WeakSet();
    const look = () => {
      for (const animation of scope.document.getAnimations()) {
        const timing = animation.effect && animation.effect.getComputedTiming();
        if (known.has(animation) || animation.playState !== "running" || !timing || timing.endTime === Infinity) continue;
        known.add(animation);
        const end = busy("animation");
        const over = () => {
          known.delete(animation);
          end();
        };
        animation.finished.then(over, over);
      }
    };
    for (const kind of ["animationstart", "transitionrun"]) scope.document.addEventListener(kind, look, true);
    look();
  }

  // From the moment the page is being left; the next page starts anew. And while this one still loads.
  function trackNavigation() {
    if (!scope.addEventListener || !scope.document) return;
    if (scope.document.readyState !== "complete") {
      scope.addEventListener("load", busy("loading"), { once: true });
    }
    if (scope.navigation && scope.navigation.addEventListener) {
      scope.navigation.addEventListener("navigate", () => {
        const end = busy("navigation");
        scope.navigation.addEventListener("navigatesuccess", end, { once: true });
        scope.navigation.addEventListener("navigateerror", end, { once: true });
      });
    }
  }

  // A change of the DOM is in flight until the frame that shows it.
  function trackDom() {
    if (!scope.MutationObserver || !scope.requestAnimationFrame || !scope.document) return;
    let end = null;
    const observer = new scope.MutationObserver(() => {
      if (end) return;
      end = busy("dom");
      scope.requestAnimationFrame(() =>
        scope.requestAnimationFrame(() => {
          end();
          end = null;
        }),
      );
    });
    observer.observe(scope.document, { subtree: true, childList: true, characterData: true, attributes: true });
  }

  scope.__stillpointIdle = state;
  scope.stillpoint = Object.assign(scope.stillpoint || {}, {
    idle: { busy, during, isIdle, whenIdle, busyResources, track },
  });
})(typeof window === "undefined" ? globalThis : window);
