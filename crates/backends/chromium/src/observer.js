// Watches one document from an isolated world: the page's scripts cannot see it, and a content security policy
// does not reach it. It never sets a timer, an attribute or a global of the page. It names nodes whose
// accessibility may have changed ("dirty"), and tells facts that the accessibility tree does not hold:
// developer-given ids, places on the screen, and what the page is busy with.
//
// The host asks with next(), and gets its answer as soon as there is something to tell:
// [JSON, nodes], where JSON names the numbers under which the nodes are known from then on.
(config) => {
  if (globalThis.stillpoint) return;
  const MANY = 400, FACTS_AT_ONCE = 3000, WALK_AT_MOST = 20000, SMALL = 60, CALM = 2, OLD = 250;
  // Attributes that can change what lies inside, not only the element itself.
  const DEEP = new Set(['hidden', 'inert', 'aria-hidden', 'role', 'open', 'disabled', 'aria-disabled', 'contenteditable',
    'aria-modal', 'aria-readonly', 'popover', 'slot', 'multiple', 'type', 'size', 'style', 'class', 'dir', 'aria-busy',
    'scope', 'border', 'summary', 'src', 'usemap', 'aria-owns', 'readonly', 'list', 'aria-live', 'aria-atomic', 'name',
    'aria-label', 'alt', 'title', 'aria-multiselectable', 'aria-orientation', 'shape', 'href', 'tabindex']);
  const LINKS = ['aria-labelledby', 'aria-describedby', 'aria-owns', 'aria-details', 'aria-errormessage', 'for',
    'aria-controls', 'aria-flowto'];
  const ODD = new Set(['role', 'title', 'tabindex', 'inert']), LATE_AT_ONCE = 100;
  // Besides custom elements, a page can give a shadow root to these only.
  const AUTHORED = new Set(['article', 'aside', 'blockquote', 'body', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
    'header', 'main', 'nav', 'p', 'section', 'span']);
  const CONTROL = new Set(['input', 'textarea', 'select']);
  const records = new WeakMap(), named = new WeakSet();
  const dirty = new Set(), facts = new Set(), controls = new Set(), linkers = new Set(), hopeful = new Set();
  const range = document.createRange();
  let last = 0, bulk = false, waiting = null, title = null, url = null, surveyCost = 0, surveyedAt = 0, armed = false;
  // Frames since anything was heard; what the next survey must look at: nothing, what is near the screen, everything.
  let calm = 0, stale = 2, sheets = '';
  const stirred = new Set();
  // What a barrier found and nobody has asked for yet: nodes or not, and how many facts. Facts are told in the order in which they came.
  let owedNodes = false, owedFacts = 0;
  let idleSent = '', parsingSent = null, timers = 0, repeating = 0, pulsing = false, own = 0;
  const closedRoots = new WeakMap();

  const rootOf = (el) => el.shadowRoot || closedRoots.get(el) || null;
  const know = (node) => {
    let rec = records.get(node);
    if (rec) return rec;
    rec = { n: ++last, node, on: false, x: 0, y: 0, w: 0, h: 0, shown: undefined, sig: undefined, id: null, tag: null, secret: 0 };
    // The record must not keep its node alive: only sets that are emptied at each answer hold nodes.
    rec.node = null;
    records.set(node, rec);
    if (node.nodeType === 1) greet(node, rec);
    return rec;
  };
  const greet = (el, rec) => {
    identify(el, rec);
    const name = el.localName;
    if (CONTROL.has(name)) { controls.add(el); rec.sig = signature(el); }
    if (name === 'label' || LINKS.some((a) => el.hasAttribute(a))) linkers.add(el);
    const root = rootOf(el);
    if (root) watch(root);
    else if (name.includes('-')) { hopeful.add(el); facts.add(el); }
  };
  const isBuiltIn = (host) => !!host && !host.localName.includes('-') && !AUTHORED.has(host.localName);
  const identify = (el, rec) => {
    let tag = null;
    for (const attribute of config.tests) if (!tag) tag = el.getAttribute(attribute) || null;
    let id = el.id && typeof el.id === 'string' ? el.id : null;
    // The browser's own parts have ids too (a details element's content), which no developer gave.
    if ((id || tag) && isBuiltIn(el.getRootNode().host)) id = tag = null;
    const secret = el.localName === 'input' && el.type === 'password' ? 1 : 0;
    if (id === rec.id && tag === rec.tag && secret === rec.secret) return;
    rec.id = id; rec.tag = tag; rec.secret = secret;
    facts.add(el);
  };
  const signature = (el) => {
    if (el.localName === 'select') {
      let s = el.disabled + ' ' + el.length;
      for (const o of el.selectedOptions) s += ' ' + o.index;
      return s;
    }
    return el.value + '\u0000' + el.checked + el.indeterminate + el.disabled + el.readOnly + (el.validity?.valid);
  };
  const mark = (node) => {
    if (bulk) return;
    know(node);
    dirty.add(node);
    stirred.add(node);
    if (dirty.size > MANY) { bulk = true; dirty.clear(); }
  };
  const each = (top, visit) => {
    const stack = [top];
    while (stack.length) {
      const node = stack.pop();
      if (visit(node) === false) return false;
      const root = node.nodeType === 1 && rootOf(node);
      if (root) for (let c = root.lastChild; c; c = c.previousSibling) stack.push(c);
      for (let c = node.lastChild; c; c = c.previousSibling) if (c.nodeType === 1 || c.nodeType === 3) stack.push(c);
      // What is put into a slot lies in it for a reader, though not in the DOM.
      if (node.localName === 'slot') stack.push(...node.assignedNodes());
    }
    return true;
  };
  const markAll = (top) => each(top, (node) => { mark(node); return !bulk; });
  const markInside = (top, style) => {
    mark(top);
    let count = 0;
    const small = each(top, () => ++count <= SMALL);
    // A style on something big: the survey finds what it shows and hides, without reading everything again.
    if (small || !style) markAll(top);
  };

  const handle = (list) => {
    for (const record of list) {
      const target = record.target;
      if (record.type === 'characterData') { mark(target); if (target.parentNode) mark(target.parentNode); continue; }
      if (record.type === 'childList') { changedChildren(record, target); continue; }
      changedAttribute(record.attributeName, target, record.oldValue);
    }
  };
  const hasSlot = (el) => el.localName === 'slot' || !!el.querySelector('slot');
  // Another slot may hold now what one held before.
  const reslot = (target) => { const host = target.getRootNode().host; if (host) markAll(host); };
  const changedChildren = (record, target) => {
    if (target.nodeType === 11) { if (target.host) markInside(target.host); } else mark(target);
    for (const node of record.addedNodes) {
      if ((node.nodeType === 1 || node.nodeType === 3) && node.isConnected) markAll(node);
      if (node.nodeType === 1 && hasSlot(node)) reslot(target);
    }
    for (const node of record.removedNodes) {
      // It is asked for once more and found gone; whoever holds it for a reader (a slot, a list's popup, which the DOM
      // does not name here) is read then.
      if (!node.isConnected && (node.nodeType === 1 || node.nodeType === 3)) mark(node);
      if (node.nodeType !== 1) continue;
      if (hasSlot(node)) reslot(target);
      if (node.id || node.localName === 'label' || node.querySelector?.('[id],label')) markLinkers();
      const labels = node.localName === 'label' ? [node] : node.querySelectorAll('label');
      for (const label of labels) {
        const control = label.htmlFor ? document.getElementById(label.htmlFor) : null;
        if (control) mark(control);
        for (const c of label.querySelectorAll('input,textarea,select,button')) if (c.isConnected) mark(c);
      }
      // A moved fieldset, legend, caption or list part names its old surroundings no more.
      if (target.nodeType === 1 && target.parentElement) mark(target.parentElement);
    }
    const host = target.closest?.('label,select,datalist,fieldset,table,figure');
    if (host) host.localName === 'label' ? markAll(host) : mark(host);
  };
  const changedAttribute = (name, el, old) => {
    if (el.nodeType !== 1) return;
    const rec = know(el);
    if (name === 'id' || name === 'type' || config.tests.includes(name)) identify(el, rec);
    if (name === 'id' || name === 'for') {
      markLinkers();
      const before = name === 'for' && old ? document.getElementById(old) : null;
      if (before) mark(before);
    }
    if (LINKS.includes(name)) {
      linkers.add(el);
      for (const id of ((old || '') + ' ' + (el.getAttribute(name) || '')).split(/\s+/)) {
        const other = id && el.getRootNode().getElementById?.(id);
        if (other) name === 'aria-owns' ? markInside(other) : mark(other);
      }
    }
    if (DEEP.has(name)) {
      markInside(el, name === 'style' || name === 'class');
      if (name === 'role' && el.parentElement) mark(el.parentElement);
    } else mark(el);
    if (CONTROL.has(el.localName)) sampleOne(el);
  };
  const markLinkers = () => {
    for (const el of linkers) {
      if (!el.isConnected) { linkers.delete(el); continue; }
      if (el.localName !== 'label') { mark(el); continue; }
      markAll(el);
      if (el.control) mark(el.control);
    }
  };
  // The browser leaves the text of a label out while its checkbox says the same, and when that ends it may find out
  // only when anything else changes. The texts of such labels are named at each change; the host reads those that it
  // knows as left out.
  const isLate = (label) => {
    const control = label.control;
    if (control?.type !== 'checkbox' && control?.type !== 'radio') return false;
    const isOdd = (el) => el.getAttributeNames().some((a) => a.startsWith('aria-') || ODD.has(a));
    return isOdd(label) || isOdd(control) || !control.checkVisibility({ visibilityProperty: true });
  };
  const lateTexts = () => {
    const texts = [];
    for (const el of linkers) {
      if (texts.length >= LATE_AT_ONCE) break;
      if (el.localName !== 'label' || !el.isConnected || !isLate(el)) continue;
      each(el, (node) => { if (node.nodeType === 3 && node.data.trim()) texts.push(node); });
    }
    return texts;
  };
  // Names that are taken from elsewhere change along with their source.
  const markRelated = () => {
    if (!linkers.size || bulk || !dirty.size) return;
    const touched = new Set();
    for (const node of dirty) for (let p = node; p && !touched.has(p); p = p.parentNode || p.host) touched.add(p);
    for (const el of linkers) {
      if (!el.isConnected) { linkers.delete(el); continue; }
      // The text of a label counts as its control's name, and is shown by itself only while it names nothing.
      if (el.localName === 'label') {
        const control = el.control;
        if (touched.has(el) || touched.has(control)) {
          markAll(el);
          if (control) mark(control);
        }
      }
      for (const attribute of LINKS) {
        const ids = el.getAttribute(attribute);
        if (!ids) continue;
        const scope = el.getRootNode();
        for (const id of ids.split(/\s+/)) {
          const source = id && scope.getElementById?.(id);
          if (source && touched.has(source)) mark(el);
        }
      }
    }
  };

  const sampleOne = (el) => {
    const rec = know(el), now = signature(el);
    if (now === rec.sig) return;
    rec.sig = now;
    mark(el);
    stir();
    if (el.localName === 'select') for (const option of el.options) mark(option);
  };
  const sample = () => {
    for (const el of controls) el.isConnected ? sampleOne(el) : controls.delete(el);
    for (const el of hopeful) {
      if (!el.isConnected) { hopeful.delete(el); continue; }
      const defined = el.matches(':defined');
      const rec = know(el);
      if (rec.defined === undefined) rec.defined = defined;
      if (defined && !rec.defined) { rec.defined = true; markAll(el); }
      if (el.shadowRoot) { hopeful.delete(el); watch(el.shadowRoot); markAll(el); }
    }
  };

  const place = (node, rec, box, on) => {
    if (!on) { if (rec.on) { rec.on = false; facts.add(node); } return; }
    const x = Math.round(box.left), y = Math.round(box.top), w = Math.round(box.width), h = Math.round(box.height);
    if (rec.on && rec.x === x && rec.y === y && rec.w === w && rec.h === h) return;
    rec.on = true; rec.x = x; rec.y = y; rec.w = w; rec.h = h;
    facts.add(node);
  };
  // Everything around what changed, up to the document: the survey goes in there, wherever it lies.
  const around = () => {
    const chain = new Set();
    for (const node of stirred) for (let p = node; p && !chain.has(p); p = p.parentNode || p.host) chain.add(p);
    stirred.clear();
    return chain;
  };
  // One walk over what is there: where it is, whether it shows, and shadow roots that came without a mutation. What
  // lies in an element off screen is taken to be off screen too, unless something in it changed or was on screen;
  // `far` is true there, and places are not asked for, which is most of the cost. What comes late in a large document
  // is not entered where it is far.
  const survey = () => {
    const began = performance.now(), all = stale > 1 || bulk, changed = around();
    stale = 0;
    const stack = [[document.documentElement, 0, 0, innerWidth, innerHeight, false]];
    let count = 0;
    while (stack.length && ++count <= WALK_AT_MOST * 2) {
      const isBeyond = count > WALK_AT_MOST;
      const [el, l, t, r, b, far] = stack.pop();
      if (!el) continue;
      const fresh = !records.has(el), rec = know(el);
      const shown = el.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
      if (!fresh && rec.shown !== undefined && rec.shown !== shown) {
        mark(el);
        for (let c = el.firstChild; c; c = c.nextSibling) if (c.nodeType === 3) mark(c);
      }
      rec.shown = shown;
      const root = rootOf(el);
      if (root && !rec.root) { rec.root = true; watch(root); if (!fresh) markAll(el); }
      if (!shown && !el.firstElementChild && !root) { place(el, rec, null, false); continue; }
      let below = [l, t, r, b, far];
      const isEntered = rec.on || rec.holds || changed.has(el);
      if (!far || isEntered) below = placeBox(el, rec, shown, l, t, r, b, all && !isBeyond);
      if (isBeyond && below[4] && !isEntered) continue;
      if (root) for (let c = root.lastElementChild; c; c = c.previousElementSibling) stack.push([c, ...below]);
      for (let c = el.lastElementChild; c; c = c.previousElementSibling) stack.push([c, ...below]);
    }
    surveyedAt = performance.now();
    surveyCost = surveyedAt - began;
  };
  // Places one element; gives the clip for what lies in it, and whether that is far.
  const placeBox = (el, rec, shown, l, t, r, b, all) => {
    const box = el.getBoundingClientRect(), has = box.width > 0 && box.height > 0;
    const meets = box.left < r && box.right > l && box.top < b && box.bottom > t;
    const on = shown && has && meets, was = rec.on;
    place(el, rec, box, on);
    // An element without an area, or beside its content, holds what is on screen all the same.
    if (on) for (let p = el.parentNode || el.host; p && !records.get(p)?.on && !records.get(p)?.holds; p = p.parentNode || p.host) know(p).holds = true;
    if (was && !on) for (let c = el.firstChild; c; c = c.nextSibling) if (c.nodeType === 3 && records.has(c)) place(c, know(c), null, false);
    if (el.localName === 'iframe' || el.localName === 'frame') inner(el, rec);
    if (on && el.childNodes.length > 1) placeTexts(el, l, t, r, b);
    if (el.firstElementChild && el !== document.documentElement && el !== document.body && (meets || all)
        && (el.scrollHeight > el.clientHeight + 1 || el.scrollWidth > el.clientWidth + 1)
        && getComputedStyle(el).overflow !== 'visible') {
      return [Math.max(l, box.left), Math.max(t, box.top), Math.min(r, box.right), Math.min(b, box.bottom), false];
    }
    return [l, t, r, b, !all && has && !meets];
  };
  const placeTexts = (el, l, t, r, b) => {
    for (let c = el.firstChild; c; c = c.nextSibling) {
      if (c.nodeType !== 3 || !c.data.trim()) continue;
      range.selectNodeContents(c);
      const box = range.getBoundingClientRect();
      place(c, know(c), box, box.width > 0 && box.left < r && box.right > l && box.top < b && box.bottom > t);
    }
  };
  const inner = (el, rec) => {
    const style = getComputedStyle(el);
    const dx = el.clientLeft + parseFloat(style.paddingLeft), dy = el.clientTop + parseFloat(style.paddingTop);
    if (rec.dx !== dx || rec.dy !== dy) { rec.dx = dx; rec.dy = dy; facts.add(el); }
  };

  // The next frame, without a handle that the page could count.
  let framing = null;
  const frame = () => framing ||= new Promise((done) => {
    const box = new ResizeObserver(() => { box.disconnect(); framing = null; calm++; done(); });
    box.observe(document.documentElement || document);
  });
  // Something was heard: places may have changed, and the next frames may bring more.
  const stir = (what = 1) => { calm = 0; stale = Math.max(stale, what); arm(); };
  const arm = () => {
    if (armed || !document.documentElement) return;
    armed = true;
    frame().then(() => {
      armed = false;
      sample();
      // A big page is surveyed less often; the barrier always surveys.
      const rested = performance.now() - surveyedAt >= surveyCost * 8;
      if (stale && rested) survey();
      if (stale || calm < CALM) arm();
      answer();
    });
  };
  // Style sheets tell nobody when a script edits them: their number and that of their rules is looked at.
  const sheetsNow = () => {
    let count = document.styleSheets.length + ' ' + document.adoptedStyleSheets.length;
    for (const sheet of [...document.styleSheets, ...document.adoptedStyleSheets]) {
      try { count += ' ' + sheet.disabled + sheet.cssRules.length; } catch { count += ' ?'; }
    }
    return count;
  };
  // Whether there is anything to survey. A rule that was edited in place shows in nothing that could be looked at, so
  // an old survey does not count, and neither does one from before the host saw something happen.
  const isStale = (news) => {
    const now = sheetsNow();
    if (now !== sheets) { sheets = now; stale = 2; }
    if (news || performance.now() - surveyedAt > Math.max(OLD, surveyCost * 20)) stale = Math.max(stale, 1);
    if (document.getAnimations().some((animation) => animation.playState === 'running')) stale = Math.max(stale, 1);
    return stale > 0;
  };

  const busyNow = () => {
    const list = { animation: 0, endless: 0, images: 0, fonts: 0, timers, repeating, own, loading: document.readyState === 'complete' ? 0 : 1 };
    for (const animation of document.getAnimations()) {
      if (animation.playState !== 'running') continue;
      const end = animation.effect?.getComputedTiming().endTime;
      if (end === undefined) continue;
      if (end === Infinity || end > 60000) { list.endless++; continue; }
      list.animation++;
      if (!named.has(animation)) { named.add(animation); animation.finished.then(pulse, pulse); }
    }
    for (const image of document.images) {
      if (!image.complete && image.getAttribute('src') && records.get(image)?.on) list.images++;
    }
    if (document.fonts.status === 'loading') { list.fonts = 1; document.fonts.ready.then(pulse); }
    return list;
  };
  const pulse = () => {
    if (pulsing) return;
    pulsing = true;
    Promise.resolve().then(() => { pulsing = false; stir(); answer(); });
  };

  const size = () => document.getElementsByTagName('*').length;
  const parsing = () => document.readyState === 'loading';

  const hasFacts = (node, rec) => rec.sent || rec.on || rec.id || rec.tag || rec.secret || hopeful.has(node);
  const answer = () => {
    if (!waiting) return;
    markRelated();
    const idle = config.idle ? JSON.stringify(busyNow()) : '';
    const newTitle = document.title !== title, newUrl = location.href !== url;
    if (newTitle && title !== null) mark(document);
    if (!bulk && !dirty.size && !facts.size && idle === idleSent && !newTitle && !newUrl && parsing() === parsingSent) return;
    const refs = [], nodes = [], told = [], out = { controls: controls.size, size: size(), parsing: parsing() };
    const name = (node) => {
      const rec = know(node);
      if (!rec.sent) { rec.sent = true; refs.push(rec.n); nodes.push(node); }
      return rec.n;
    };
    if (bulk) out.bulk = true;
    if (dirty.size) out.late = lateTexts().map(name);
    out.dirty = Array.from(dirty, name);
    for (const node of facts) {
      if (told.length === FACTS_AT_ONCE) break;
      facts.delete(node);
      owedFacts = Math.max(0, owedFacts - 1);
      const rec = know(node);
      if (!hasFacts(node, rec)) continue;
      told.push([name(node), rec.id, rec.tag, rec.on ? 1 : 0, rec.x, rec.y, rec.w, rec.h, rec.dx || 0, rec.dy || 0, rec.secret]);
    }
    out.facts = told;
    out.refs = refs;
    if (newTitle) out.title = title = document.title;
    if (newUrl) out.url = url = location.href;
    if (idle !== idleSent) { idleSent = idle; out.idle = JSON.parse(idle); }
    bulk = owedNodes = false;
    parsingSent = out.parsing;
    dirty.clear();
    const done = waiting;
    waiting = null;
    done([JSON.stringify(out), nodes]);
  };

  const observer = new MutationObserver((list) => { handle(list); sample(); stir(); answer(); });
  const WHAT = { subtree: true, childList: true, attributes: true, characterData: true, attributeOldValue: true };
  const watched = new WeakSet();
  const watch = (root) => {
    if (watched.has(root)) return;
    watched.add(root);
    observer.observe(root, WHAT);
    if (root !== document) {
      listen(root);
      for (let c = root.firstChild; c; c = c.nextSibling) each(c, (node) => { know(node); });
    }
  };
  const dirtying = (event) => {
    const node = event.composedPath()[0];
    if (node && (node.nodeType === 1)) mark(node);
    if (event.type.startsWith('focus')) mark(document);
    sample(); stir(); answer();
  };
  // Scrolling and the like move everything.
  const MOVING = new Set(['scroll', 'resize', 'load', 'fullscreenchange', 'pageshow']);
  const stirring = (event) => { sample(); stir(MOVING.has(event.type) ? 2 : 1); if (config.idle) pulse(); };
  const listen = (root) => {
    for (const type of ['input', 'change', 'focusin', 'focusout', 'toggle', 'reset', 'invalid', 'close']) {
      root.addEventListener(type, dirtying, { capture: true, passive: true });
    }
  };
  listen(document);
  for (const type of ['scroll', 'click', 'pointerup', 'pointerover', 'keyup', 'load', 'error', 'transitionrun', 'transitionend',
    'animationstart', 'animationend', 'animationcancel', 'transitioncancel', 'slotchange', 'fullscreenchange', 'readystatechange']) {
    document.addEventListener(type, stirring, { capture: true, passive: true });
  }
  for (const type of ['resize', 'load', 'hashchange', 'popstate', 'pageshow', 'focus', 'blur']) {
    addEventListener(type, (event) => { mark(document); stirring(event); }, { passive: true });
  }
  document.addEventListener('readystatechange', () => answer(), { passive: true });
  if (config.token) {
    document.addEventListener(config.token, (event) => {
      const [some, endless] = String(event.detail).split(' ').map(Number);
      timers = some; repeating = endless;
      stir();
      answer();
    });
    document.dispatchEvent(new Event(config.token + '?'));
  }
  // A page that embeds the idle SDK tells about its own work.
  addEventListener('stillpoint-idle', (event) => { own = event.detail?.busy ? 1 : 0; answer(); });

  const drain = () => {
    const list = observer.takeRecords();
    if (list.length) { handle(list); stir(); }
    sample();
  };
  const owed = () => owedFacts + (owedNodes ? 1 : 0);
  globalThis.stillpoint = {
    next: () => new Promise((done) => { waiting?.([JSON.stringify({ superseded: true }), []]); waiting = done; answer(); }),
    // A frame is waited for only while one may bring something: until two have passed since anything was heard.
    settle: async (wait, news) => {
      drain();
      if (wait && calm < CALM && !document.hidden) await frame();
      drain();
      if (isStale(news)) { survey(); drain(); }
      answer();
      owedNodes = bulk || dirty.size > 0;
      owedFacts = facts.size;
      return owed();
    },
    owed,
    sample: () => { sample(); answer(); },
    // Whether a turn of the wheel moves anything here: known at the first scroll, or when so many frames have brought none.
    wheel: (frames) => new Promise((done) => {
      const moved = () => done(true);
      document.addEventListener('scroll', moved, { capture: true, passive: true, once: true });
      (async () => { for (let n = 0; n < frames && !document.hidden; n++) await frame(); })().then(() => {
        document.removeEventListener('scroll', moved, { capture: true });
        done(false);
      });
    }),
    // Nobody asks any more.
    stop: () => { observer.disconnect(); facts.clear(); dirty.clear(); waiting = null; delete globalThis.stillpoint; },
    // A node that the accessibility tree knows and we do not: it lies in a closed shadow root.
    adopt: (...nodes) => {
      for (const node of nodes) {
        const root = node?.getRootNode?.();
        if (root && root.nodeType === 11 && root.host) { closedRoots.set(root.host, root); watch(root); }
      }
      stale = 2; survey(); answer();
    },
    size,
    parsing,
    // Everything is told again to a host that forgot it.
    forget: () => { bulk = false; each(document, (node) => { const rec = records.get(node); if (rec) { rec.sent = false; if (hasFacts(node, rec)) facts.add(node); } }); idleSent = ''; title = url = parsingSent = null; answer(); },
  };
  watch(document);
  if (document.documentElement) { each(document.documentElement, (node) => { know(node); }); survey(); }
}
