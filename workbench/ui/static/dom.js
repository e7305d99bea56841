// The one place that makes DOM. Text of a trace is hostile: it becomes text nodes and nothing else,
// marks that hide or reorder text are drawn as escapes, and attributes come from a closed list.
// A view's module is joined behind this one; it uses these functions and never touches markup.
//
//   const ui = frame(context, { title, about, terms, keys, hears })   header, notices, body, status, help
//   ui.say(kind, fields)      to the kernel; ui.tools, ui.body: where a view puts its own
//   ui.decide(kind, fields)   the same for a decision: it also says how much of the log was seen here
//   el, svg, text, shown, button, field, select, search, chip, rows (virtual list), witness, state

const ATTRIBUTES = new Set([
  "autocomplete", "checked", "class", "colspan", "cols", "cx", "cy", "d", "dir", "disabled", "dx", "dy",
  "fill", "for", "height", "hidden", "id", "inert", "max", "min", "name", "open", "pathLength", "placeholder",
  "points", "preserveAspectRatio", "r", "readonly", "required", "role", "rows", "rx", "scope", "selected", "size",
  "spellcheck", "step", "stroke", "stroke-width", "tabindex", "text-anchor", "title", "transform", "type",
  "value", "viewBox", "width", "x", "x1", "x2", "y", "y1", "y2",
]);
const HIDING =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0\ufe00-\ufe0e\u{e0100}-\u{e01ef}]/gu;
const NAMES = {
  0x00: "null", 0x08: "backspace", 0x0d: "carriage return", 0x1b: "escape", 0x7f: "delete",
  0xad: "soft hyphen", 0x61c: "Arabic letter mark", 0x200b: "zero-width space",
  0x200c: "zero-width non-joiner", 0x200d: "zero-width joiner", 0x200e: "left-to-right mark",
  0x200f: "right-to-left mark", 0x2028: "line separator", 0x2029: "paragraph separator",
  0x202a: "left-to-right embedding", 0x202b: "right-to-left embedding", 0x202c: "end of embedding",
  0x202d: "left-to-right override", 0x202e: "right-to-left override", 0x2060: "word joiner",
  0x2066: "left-to-right isolate", 0x2067: "right-to-left isolate", 0x2068: "first strong isolate",
  0x2069: "end of isolate", 0xfeff: "byte order mark",
};
const MAX_TEXT = 20000; // what the kernel takes of one text
const MARK = Math.random().toString(36).slice(2, 8);
let made = 0;

// --- elements ---------------------------------------------------------------

/** Return an id that no other drawing of any view has. */
function uid(stem) {
  made += 1;
  return `wb-${stem}-${MARK}-${made}`;
}

/** Make an element: attributes from the closed list, `on: {event: f}`, `at: {left: px}`, children as text. */
function el(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** Make an SVG element, under the same rules. */
function svg(tag, attributes, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [kind, act] of Object.entries(value)) node.addEventListener(kind, act);
    else if (name === "at") place(node, value);
    else if (ATTRIBUTES.has(name) || /^(aria|data)-[a-z-]+$/.test(name))
      node.setAttribute(name, value === true ? "" : shown(String(value)));
    else throw new Error("an attribute that is not on the list");
  }
  put(node, ...children);
  return node;
}

/** Add children: nodes as they are, anything else as text. */
function put(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child instanceof Node ? child : text(child));
  }
  return node;
}

/** Replace all children. */
function fill(node, ...children) {
  node.replaceChildren();
  return put(node, ...children);
}

/** Set numbers of a style: `{left: 12}` in pixels, `{"--wb-share": 0.4}` as they are; no text. */
function place(node, style) {
  for (const [name, value] of Object.entries(style)) {
    const number = Number(value);
    if (!Number.isFinite(number)) continue;
    node.style.setProperty(name, name.startsWith("--") || name === "z-index" ? `${number}` : `${number}px`);
  }
}

// --- text -------------------------------------------------------------------

/** Return a text with hidden marks as `⟨U+202E⟩`; line ends and tabs stay. */
function shown(value) {
  return String(value).replace(HIDING, (mark) => (mark === "\n" || mark === "\t" ? mark : escape_of(mark)));
}

function escape_of(mark) {
  return `⟨U+${mark.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** Return nodes for a text; hidden marks become labelled escapes; `hit`: a lower-case text to mark. */
function text(value, { hit = "" } = {}) {
  const all = String(value);
  HIDING.lastIndex = 0;
  if (!hit && !HIDING.test(all)) return document.createTextNode(all);
  const nodes = document.createDocumentFragment();
  let from = 0;
  HIDING.lastIndex = 0; // `matchAll` would start where `test` ended
  for (const found of all.matchAll(HIDING)) {
    const mark = found[0];
    if (mark === "\n" || mark === "\t") continue;
    plain(nodes, all.slice(from, found.index), hit);
    const code = mark.codePointAt(0);
    const name = NAMES[code] ?? "hidden character";
    const node = document.createElement("span");
    node.className = "wb-escape";
    node.title = `${name}, ${escape_of(mark).slice(1, -1)}`;
    node.textContent = escape_of(mark);
    nodes.append(node);
    from = found.index + mark.length;
  }
  plain(nodes, all.slice(from), hit);
  return nodes;
}

/** Return nodes for a value whose blanks at both ends are made visible: they are often the whole incident. */
function edged(value, marks = {}) {
  const all = String(value);
  const from = all.length - all.trimStart().length;
  const to = Math.max(from, all.trimEnd().length);
  return [blanks(from), text(all.slice(from, to), marks), blanks(all.length - to)];
}

function blanks(number) {
  if (!number) return null;
  return el("span", { class: "wb-blank", title: number === 1 ? "1 blank" : `${count(number)} blanks` }, "␣".repeat(Math.min(number, 8)));
}

function plain(nodes, part, hit) {
  let from = 0;
  const low = hit ? part.toLowerCase() : "";
  // A lower-cased text may be longer than the text (İ); then nothing is marked rather than the wrong part.
  for (let at = hit && low.length === part.length ? low.indexOf(hit) : -1; at >= 0; at = low.indexOf(hit, from)) {
    if (at > from) nodes.append(part.slice(from, at));
    const mark = document.createElement("mark");
    mark.className = "wb-hit";
    mark.textContent = part.slice(at, at + hit.length);
    nodes.append(mark);
    from = at + hit.length;
  }
  if (from < part.length) nodes.append(part.slice(from));
}

/** Return `1,234`. */
function count(number) {
  return Number(number).toLocaleString("en-US");
}

/** Return a duration as people say it: `340 ms`, `12.4 s`, `3 min 05 s`. */
function duration(ms) {
  if (ms === null || ms === undefined) return "";
  if (ms < 1) return ms > 0 ? "<1 ms" : "0 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
  const minutes = Math.floor(ms / 60000);
  if (minutes < 60) return `${minutes} min ${String(Math.floor((ms % 60000) / 1000)).padStart(2, "0")} s`;
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
}

// --- controls ---------------------------------------------------------------

/** Make a button; `key` is shown and announced. `look`: primary, quiet, danger. */
function button(label, act, { key = "", look = "", title = "", pressed = null, disabled = false } = {}) {
  return el(
    "button",
    {
      type: "button", class: `wb-button ${look ? `wb-button-${look}` : ""}`, title, disabled,
      "aria-pressed": pressed === null ? null : String(pressed),
      "aria-keyshortcuts": key || null, on: { click: act },
    },
    label,
    key ? el("kbd", { "aria-hidden": "true" }, key) : null,
  );
}

/** Make a label with its control; `note` says more, `problem` is shown as an error. */
function field(label, control, { note = "", hide = false } = {}) {
  control.id ||= uid("field");
  const said = note ? el("span", { class: "wb-note", id: uid("note") }, note) : null;
  if (said) control.setAttribute("aria-describedby", said.id);
  return el("div", { class: "wb-field" },
    el("label", { for: control.id, class: hide ? "wb-sr" : "wb-label" }, label), control, said);
}

/** Say at a control what is wrong with it: `[{message, fix}]`; nothing: it is right. */
function wrong(control, problems) {
  const node = wrongs.get(control) ?? el("span", { class: "wb-said", id: uid("problem") });
  if (!wrongs.has(control)) {
    wrongs.set(control, node);
    (control.closest(".wb-field") ?? control).append(node);
    control.setAttribute("aria-describedby", [control.getAttribute("aria-describedby"), node.id].filter(Boolean).join(" "));
  }
  control.setAttribute("aria-invalid", String(problems.length > 0));
  fill(node, problems.map((one) => el("span", { class: "wb-problem" }, one.message, one.fix ? `. ${one.fix[0].toUpperCase()}${one.fix.slice(1)}.` : "")));
}
const wrongs = new WeakMap();

/** Make a select of `[value, words]` pairs. */
function select(options, act, { value = "" } = {}) {
  const node = el("select", { class: "wb-input", on: { change: () => act(node.value) } },
    options.map(([name, words]) => el("option", { value: name }, shown(words))));
  node.value = value;
  return node;
}

/** Make a search box that speaks after a pause in typing; `pause: 0`: at once. */
function search(label, act, { placeholder = "", pause = 120 } = {}) {
  let timer = 0;
  const node = el("input", {
    type: "search", class: "wb-input wb-search", "aria-label": label, placeholder, spellcheck: "false",
    autocomplete: "off",
    on: { input: () => { clearTimeout(timer); if (pause) timer = setTimeout(() => act(node.value), pause); else act(node.value); } },
  });
  return node;
}

/** Make a small word in a colour; the word alone says it all. `look`: ok, bad, warn, quiet, or a lane. */
function chip(words, look = "quiet", { title = "" } = {}) {
  return el("span", { class: `wb-chip wb-chip-${look}`, title }, words);
}

/** Make a word that explains itself when pointed at. */
function term(words, meaning) {
  return el("abbr", { class: "wb-term", title: meaning }, words);
}

/** Handle keys of a node: `{"ArrowDown": f, "Shift+A": f}`; a handled key goes no further. */
function keys(node, acts, { typing = false } = {}) {
  node.addEventListener("keydown", (event) => {
    const inside = event.target.closest("input,textarea,select");
    if (inside && !typing && event.key !== "Escape") return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = acts[event.shiftKey && event.key.length > 1 ? `Shift+${event.key}` : event.key];
    if (!act || act(event) === false) return;
    event.preventDefault();
    event.stopPropagation();
  });
}

// --- what was looked at -----------------------------------------------------

/** Return what of a node is on the screen, from top to bottom in pixels: no scroller cuts it off. */
function on_screen(node) {
  let { top, bottom } = node.getBoundingClientRect();
  // What overflows the body is cut off by the window, which comes last.
  for (let above = node.parentElement; above && above !== document.body; above = above.parentElement) {
    if (getComputedStyle(above).overflowY === "visible") continue;
    const box = above.getBoundingClientRect();
    [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
  }
  return { top: Math.max(top, 0), bottom: Math.min(bottom, window.innerHeight) };
}

/**
 * Note which children of a scroller were on the screen from their top to their end, at once or as
 * one scrolls on; what is jumped over was not. A child's `data-mark` is its name, drawn anew or not.
 */
function witness(scroller, told) {
  const upto = new Map(); // mark -> share of its height that was on the screen, from its top
  const look = () => {
    if (document.visibilityState !== "visible") return;
    const band = on_screen(scroller);
    let more = false;
    for (const child of scroller.children) {
      const { top, height } = child.getBoundingClientRect();
      const was = upto.get(child.dataset.mark) ?? 0;
      if (!child.dataset.mark || !height || was === 1) continue;
      const from = (band.top - top) / height;
      const to = (band.bottom - top + 1) / height;
      if (band.bottom <= band.top || from > was + 1 / height || to <= was) continue;
      upto.set(child.dataset.mark, Math.min(1, to));
      more = true;
    }
    if (more) told();
  };
  let asked = 0;
  const later = () => { cancelAnimationFrame(asked); asked = requestAnimationFrame(look); };
  document.addEventListener("scroll", later, true);
  window.addEventListener("resize", later);
  return {
    look: later,
    has: (mark) => upto.get(mark) === 1,
    forget: (mark) => upto.delete(mark),
    end: () => {
      cancelAnimationFrame(asked);
      document.removeEventListener("scroll", later, true);
      window.removeEventListener("resize", later);
    },
  };
}

// --- states -----------------------------------------------------------------

const SIGNS = { empty: "∅", loading: "…", error: "!", gone: "×" };

/** Draw a state in place of content: `empty`, `loading`, `error` or `gone`. */
function state(kind, title, detail = "", ...actions) {
  return el("div", { class: `wb-state wb-state-${kind}`, role: kind === "error" || kind === "gone" ? "alert" : "status" },
    el("span", { class: "wb-state-sign", "aria-hidden": "true" }, SIGNS[kind]),
    el("p", { class: "wb-state-title" }, title),
    detail ? el("p", { class: "wb-state-detail" }, detail) : null,
    actions.length ? el("div", { class: "wb-bar" }, actions) : null);
}

// --- the frame of a view ----------------------------------------------------

/**
 * Draw a view's frame and connect it to the kernel.
 *
 * terms: {word: meaning}; keys: {key: what it does}, both for the help panel.
 * hears: {kind: (message) => ...}. Refusals and failures of the kernel are shown by the frame.
 * sync: milliseconds after which to ask what others decided, while somebody looks; 0: never.
 */
function frame({ model, el: root }, { title, about = "", terms = {}, keys: map = {}, hears = {}, name, sync = 0 }) {
  root.classList.add("wb");
  root.setAttribute("data-lm-suppress-shortcuts", "true");
  root.addEventListener("keydown", (event) => {
    // A key that nobody here took must not cut a cell either.
    if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
  });
  const status = el("p", { class: "wb-status", role: "status", "aria-live": "polite" });
  const spoken = el("p", { class: "wb-sr", role: "status", "aria-live": "polite" });
  const notices = el("div", { class: "wb-notices" });
  const tools = el("div", { class: "wb-tools" });
  const aside = el("div", { class: "wb-head-side" });
  const body = el("div", { class: "wb-body" }, state("loading", "Loading …"));
  const helping = help(terms, map);
  const heading = el("h3", { class: "wb-title", id: uid("title") }, title);
  const box = el("div", { role: "group", class: `wb-frame wb-${name ?? "view"}`, "aria-labelledby": heading.id },
    el("div", { class: "wb-head" }, el("div", {}, heading, about ? el("p", { class: "wb-about" }, about) : null),
      aside, helping.toggle),
    helping.panel, notices, tools, body, status, spoken);
  root.append(box);

  let patience = 0;
  let seen = 0;
  const calm = () => { clearTimeout(patience); drop("waiting"); };
  const drop = (kind) => { for (const old of notices.querySelectorAll(`[data-kind="${kind}"]`)) old.remove(); };
  const notice = (kind, words, ...actions) => {
    drop(kind);
    notices.append(el("div", { class: `wb-notice wb-notice-${kind}`, "data-kind": kind, role: "alert" },
      el("span", {}, words), actions,
      button("Dismiss", (event) => event.currentTarget.parentElement.remove(), { look: "quiet" })));
  };
  const say = (kind, fields = {}) => {
    const long = Object.values(fields).find((value) => typeof value === "string" && value.length > MAX_TEXT);
    if (long !== undefined) {
      notice("refused", `A text of ${count(long.length)} characters is too long: at most ${count(MAX_TEXT)} are taken. Nothing was sent.`);
      return;
    }
    clearTimeout(patience);
    patience = setTimeout(() => notice("waiting", "The kernel has not answered for 8 seconds: it is busy or gone."), 8000);
    // A restart takes the channel away before anybody is told: what cannot be sent says the same.
    try { model.send({ kind, ...fields }); } catch { lost(); }
  };
  const hear = (message) => {
    calm();
    if (Number.isInteger(message.seen)) seen = message.seen;
    if (message.kind === "refused") notice("refused", message.message);
    else if (message.kind === "broken")
      notice("broken", `This did not work: ${message.error} at ${message.place}. Nothing decided is lost.`);
    else if (Object.hasOwn(hears, message.kind)) hears[message.kind](message);
  };
  const gone = () => { if (model.comm_live !== true) lost(); };
  const lost = () => {
    if (box.dataset.gone) return;
    box.dataset.gone = "true";
    calm();
    body.inert = true;
    tools.inert = true;
    notices.replaceChildren(state("gone", "The kernel was restarted or is gone.",
      "Every decision was kept when it was made. Run the cell again to go on."));
  };
  model.on("msg:custom", hear);
  model.on("comm_live_update", gone);
  model.on("comm:close", gone);
  keys(box, { "?": helping.flip, Escape: () => helping.close() }, {});
  const is_seen = () => document.visibilityState === "visible" && !box.dataset.gone && box.isConnected;
  const beat = sync ? setInterval(() => { if (is_seen()) say("sync"); }, sync) : 0;
  return {
    root: box, body, tools, aside, say, notice, drop,
    decide: (kind, fields = {}) => say(kind, { ...fields, seen }),
    status: (words) => { status.textContent = shown(words); },
    announce: (words) => { spoken.textContent = ""; setTimeout(() => { spoken.textContent = shown(words); }, 30); },
    end: () => {
      clearTimeout(patience);
      clearInterval(beat);
      model.off("msg:custom", hear);
      model.off("comm_live_update", gone);
      model.off("comm:close", gone);
    },
  };
}

/** Make the help panel and the button that opens it. */
function help(terms, map) {
  const panel = el("div", { class: "wb-help", id: uid("help"), role: "group", "aria-label": "Help", hidden: true, tabindex: "-1" },
    Object.keys(terms).length ? el("div", {}, el("h4", {}, "Words"),
      el("dl", {}, Object.entries(terms).map(([word, meaning]) => [el("dt", {}, word), el("dd", {}, meaning)]))) : null,
    Object.keys(map).length ? el("div", {}, el("h4", {}, "Keys"),
      el("dl", { class: "wb-keymap" }, Object.entries(map).map(([key, what]) =>
        [el("dt", {}, key.split(" ").map((one) => el("kbd", {}, one))), el("dd", {}, what)]))) : null);
  const set = (open) => {
    panel.hidden = !open;
    toggle.setAttribute("aria-expanded", String(open));
  };
  const flip = () => { set(panel.hidden); (panel.hidden ? toggle : panel).focus(); };
  const toggle = el("button", {
    type: "button", class: "wb-button wb-button-quiet wb-help-toggle", "aria-expanded": "false", "aria-controls": panel.id,
    title: "Words and keys of this view (?)", on: { click: flip },
  }, "Help", el("kbd", { "aria-hidden": "true" }, "?"));
  const close = () => {
    if (panel.hidden) return false;
    set(false);
    toggle.focus();
    return true;
  };
  return { panel, toggle, flip, close };
}

// --- long lists -------------------------------------------------------------

/**
 * Make a list of any length that draws only what is seen.
 *
 * role: "listbox" or "tree" (then `level(item)` and `expanded(item)` are told to assistive tools).
 * draw(item, index) -> children of the row; look(item) -> class names; name(item) -> spoken name.
 * The list has one tab stop; arrows, Page keys, Home and End move; Enter opens.
 */
function rows({ label, height = 26, visible = 16, role = "listbox", draw, look, name, level, expanded,
  onselect = () => {}, onopen = () => {}, acts = {} }) {
  const pad = el("div", { class: "wb-rows-pad", role: "presentation" });
  const node = el("div", { class: "wb-rows", role, tabindex: "0", "aria-label": label }, pad);
  const stem = uid("row");
  let items = [];
  let at = -1;
  let asked = 0;
  place(node, { height: height * visible + 2 });

  const kept = new Map(); // rows that are drawn, by index
  const make = (item, index) => el("div", {
    class: `wb-row ${look ? look(item) : ""}`, role: role === "tree" ? "treeitem" : "option",
    id: `${stem}-${index}`, "aria-selected": String(index === at), "aria-setsize": items.length,
    "aria-posinset": index + 1, "aria-label": name ? name(item) : null,
    "aria-level": level ? level(item) : null,
    "aria-expanded": expanded && expanded(item) !== null ? String(expanded(item)) : null,
    at: { top: index * height, height }, "data-index": index,
  }, draw(item, index));
  /** Draw what is seen and not drawn yet; a row that scrolls by keeps its nodes. */
  const update = () => {
    const from = Math.max(0, Math.floor(node.scrollTop / height) - 4);
    const to = Math.min(items.length, from + Math.ceil((node.clientHeight || height * visible) / height) + 8);
    for (const [index, row] of kept)
      if (index < from || index >= to) { row.remove(); kept.delete(index); }
    let after = null;
    for (let index = to - 1; index >= from; index -= 1) {
      if (!kept.has(index)) kept.set(index, make(items[index], index));
      const row = kept.get(index);
      if (row.parentNode !== pad || row.nextSibling !== after) pad.insertBefore(row, after);
      after = row;
    }
    if (at >= from && at < to) node.setAttribute("aria-activedescendant", `${stem}-${at}`);
    else node.removeAttribute("aria-activedescendant");
  };
  const forget = (...indices) => {
    for (const index of indices) { kept.get(index)?.remove(); kept.delete(index); }
  };
  const paint = () => { forget(...kept.keys()); update(); };
  const later = () => { cancelAnimationFrame(asked); asked = requestAnimationFrame(update); };
  const reveal = () => {
    const top = at * height;
    if (top < node.scrollTop) node.scrollTop = top;
    else if (top + height > node.scrollTop + node.clientHeight) node.scrollTop = top + height - node.clientHeight;
  };
  const go = (index, { quiet = false } = {}) => {
    if (!items.length) return;
    const was = at;
    at = Math.max(0, Math.min(items.length - 1, index));
    reveal();
    forget(was, at);
    update();
    if (!quiet) onselect(items[at], at);
  };
  const page = () => Math.max(1, Math.floor(node.clientHeight / height) - 1);
  node.addEventListener("scroll", later);
  pad.addEventListener("click", (event) => {
    const row = event.target.closest(".wb-row");
    if (!row) return;
    node.focus({ preventScroll: true });
    go(Number(row.dataset.index));
    // The row that was clicked is drawn anew by now, so a dblclick event would reach nobody.
    if (event.detail === 2 && items[at]) onopen(items[at], at);
  });
  keys(node, {
    ArrowDown: () => go(at + 1), ArrowUp: () => go(at < 0 ? 0 : at - 1),
    PageDown: () => go(at + page()), PageUp: () => go(at - page()),
    Home: () => go(0), End: () => go(items.length - 1),
    Enter: () => (items[at] ? onopen(items[at], at) : false),
    ...acts,
  });
  // At once, since this comes after layout and before paint: a frame later would show a gap.
  const watch = new ResizeObserver(update);
  watch.observe(node);
  return {
    node, go, paint,
    get items() { return items; },
    get index() { return at; },
    set(next, { keep = -1 } = {}) {
      items = next;
      at = keep;
      place(pad, { height: items.length * height });
      if (at >= 0) reveal();
      paint();
    },
    end: () => { watch.disconnect(); cancelAnimationFrame(asked); },
  };
}
