// The search for the least that still fails: a curve while it runs, and what is left with its reasons.

const WIDTH = 720;
const HEIGHT = 280;
const LEFT = 46;
const RIGHT = 104;
const TOP = 12;
const BOTTOM = 66;
const PHASES = {
  ready: ["Not searched yet", "quiet"], working: ["Searching …", "model"], stopping: ["Stopping …", "warn"],
  stopped: ["Stopped early", "warn"], done: ["✓ Smallest", "ok"], changed: ["Locks changed: search again", "warn"], failed: ["✗ Failed", "bad"],
};
const PASSES = {
  evidence: "what the violations name", reads: "what the contract read", chunks: "groups of events", units: "single calls and claims",
  arguments: "arguments", metadata: "metadata", texts: "words of texts",
};
const SIDES = { stimulus: ["it saw", "tool"], behaviour: ["it did", "model"] };

/** Return places on a scale of round numbers between two values. */
function ticks(low, high, many) {
  const rough = Math.max(1, (high - low) / many);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((one) => one * power >= rough);
  const found = [];
  for (let at = Math.ceil(low / step) * step; at <= high; at += step) found.push(at);
  return found;
}

/** Draw the curve; a scale of powers when much goes, so that the end can be read. */
function plot(state, steps) {
  const total = state.events;
  const calls = Math.max(state.calls, 4);
  const is_log = total / Math.max(1, state.now) > 25;
  const scaled = (events) => (is_log ? Math.log(Math.max(1, events)) / Math.log(Math.max(2, total)) : events / Math.max(1, total));
  const x = (call) => LEFT + ((call - 1) / Math.max(1, calls - 1)) * (WIDTH - LEFT - RIGHT);
  const y = (events) => TOP + (1 - scaled(events)) * (HEIGHT - TOP - BOTTOM);
  const base = HEIGHT - BOTTOM;
  const root = svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", preserveAspectRatio: "xMidYMid meet",
    "aria-label": `Size of the trace by oracle calls: ${count(total)} events at first, ${count(state.now)} after ${count(state.calls)} calls` });
  bands(root, steps, x, base);
  const levels = is_log ? [1, 10, 100, 1000, 10000, 100000].filter((one) => one <= total) : ticks(0, total, 4);
  for (const level of levels) {
    root.append(svg("line", { class: "wb-grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(level), y2: y(level) }),
      svg("text", { x: LEFT - 8, y: y(level) + 4, "text-anchor": "end" }, count(level)));
  }
  for (const call of ticks(1, calls, 6).filter(Number.isInteger))
    root.append(svg("text", { x: x(call), y: base + 17, "text-anchor": "middle" }, count(call)));
  root.append(svg("line", { class: "wb-axis", x1: LEFT, x2: WIDTH - RIGHT, y1: base, y2: base }));
  curve(root, state, steps, x, y, base);
  root.append(svg("text", { x: (LEFT + WIDTH - RIGHT) / 2, y: HEIGHT - 2, "text-anchor": "middle" },
    `oracle calls${is_log ? " · events on a scale of powers" : ""}`));
  return root;
}

function bands(root, steps, x, base) {
  const runs = [];
  for (const [call, , trying] of steps) {
    const last = runs[runs.length - 1];
    if (last && last.trying === trying) last.to = call;
    else runs.push({ trying, from: last ? last.to : 1, to: call });
  }
  runs.forEach((run, nth) => {
    const wide = x(run.to) - x(run.from);
    if (nth % 2 === 0) root.append(svg("rect", { class: "wb-band", x: x(run.from), y: TOP - 6, width: Math.max(0, wide), height: base - TOP + 6 + 42 }));
    if (wide > 8 * run.trying.length) root.append(svg("text", { x: x(run.from) + wide / 2, y: base + 36, "text-anchor": "middle" }, run.trying));
  });
}

function curve(root, state, steps, x, y, base) {
  let path = `M${x(1)} ${y(state.events)}`;
  let at = state.events;
  let end = 1;
  let deepest = null;
  const marks = [];
  for (const [call, events, , adopted] of steps) {
    path += `H${x(call)}`;
    if (events !== at) path += `V${y(events)}`;
    if (adopted) marks.push(svg("circle", { class: "wb-took", cx: x(call), cy: y(events), r: 4 }));
    else marks.push(svg("line", { class: "wb-left", x1: x(call), x2: x(call), y1: y(events) - 4, y2: y(events) + 4 }));
    if (!deepest || at - events > deepest.gone) deepest = { gone: at - events, call, from: at, to: events };
    at = events;
    end = call;
  }
  root.append(svg("path", { class: "wb-area", d: `${path}V${base}H${x(1)}Z` }), svg("path", { class: "wb-curve", d: path }));
  root.append(svg("circle", { class: "wb-took", cx: x(1), cy: y(state.events), r: 4 }), ...marks.slice(-600));
  if (deepest && y(deepest.to) - y(deepest.from) > 24 && x(deepest.call) < WIDTH - RIGHT - 150)
    root.append(svg("text", { class: "wb-loud", x: x(deepest.call) + 10, y: (y(deepest.from) + y(deepest.to)) / 2 + 4 },
      `−${count(deepest.gone)} in one call`));
  root.append(svg("text", { class: "wb-loud", x: x(end) + 10, y: y(at) + 5 }, `${count(at)} events`));
}

function render(context) {
  let events = [];
  let steps = [];
  let now = null;
  let filter = "kept";

  const ui = frame(context, {
    name: "shrink", title: "Shrink",
    about: "The least of the trace that still fails in the same way. Nothing is rewritten: the result only lacks things.",
    terms: {
      "oracle call": "One question “does this smaller trace still fail with the same violations?”, answered by the contract.",
      "it did": "Behaviour: replies, calls and claims of the agent. None of those left can be dropped alone.",
      "it saw": "Stimulus: instructions, messages and results. It is kept when a value of it is used later, not because the contract reads it.",
      locked: "A person said that the event must stay. Other locks make another search.",
      "smallest": "1-minimal: without any single call or claim that is left, the failure is gone.",
    },
    keys: { "g": "search, or go on", ".": "stop with what is reached", "l": "lock or unlock the event", "↑ ↓": "through the events", "?": "this help" },
    sync: 10000,
    hears: {
      events: (message) => { events = message.events; },
      progress: (message) => {
        steps = message.since === 0 ? message.steps : [...steps.slice(0, message.since), ...message.steps];
        now = message.state;
        draw();
      },
    },
  });

  const by = el("input", { class: "wb-input", type: "text", "aria-label": "Reviewer", autocomplete: "off", spellcheck: "false",
    placeholder: "your name", on: { change: () => ui.say("reviewer", { by: by.value }) } });
  ui.aside.append(el("span", { class: "wb-bar wb-by" }, el("span", { class: "wb-label", "aria-hidden": "true" }, "Reviewer"), by));
  const start = button("Search", () => begin(), { key: "g", look: "primary" });
  const stop = button("Stop", () => end(), { key: ".", look: "danger" });
  const phase = el("span", {});
  ui.tools.append(start, stop, phase);
  const figure = el("div", { class: "wb-plot" });
  const told = el("div", { class: "wb-facts" });
  const filters = el("div", { class: "wb-listed", role: "group", "aria-label": "Which events are listed" });
  const list = rows({
    label: "Events", height: 28, visible: 12,
    look: (row) => `${is_kept(row) === false ? "wb-gone" : ""} ${is_locked(row) ? "wb-row-locked" : ""}`,
    draw: (row) => {
      const [word, look] = SIDES[row.side];
      return [
        el("span", { class: "wb-no" }, `#${row.seq}`), el("span", { class: "wb-lane" }, chip(word, look)),
        el("span", { class: "wb-kind" }, row.kind.replaceAll("_", " ")), el("span", { class: "wb-says-what" }, row.line),
        el("span", { class: "wb-why" }, why(row)),
      ];
    },
    name: (row) => `${row.seq}, ${row.kind.replaceAll("_", " ")}, ${SIDES[row.side][0]}, ${row.line}, ${why(row)}`,
    acts: { l: () => flip() },
    onopen: () => flip(),
  });
  const content = [el("div", { class: "wb-story" }, figure, told), filters, list.node];

  const is_kept = (row) => (now?.kept ? Object.hasOwn(now.kept, String(row.seq)) : null);
  const is_locked = (row) => now?.locks.includes(`#${row.seq}`) ?? false;
  function why(row) {
    const lock = is_locked(row) ? `locked by ${now.by[`#${row.seq}`]}` : "";
    if (is_kept(row) === null) return lock;
    if (!is_kept(row)) return lock || "removed";
    const reasons = now.kept[String(row.seq)].filter((word) => word !== "locked");
    return [lock, ...reasons].filter(Boolean).join(" · ");
  }

  function draw() {
    if (document.activeElement !== by) by.value = now.reviewer;
    ui.drop("failure");
    if (now.failure) ui.notice("failure", now.failure);
    const busy = now.phase === "working" || now.phase === "stopping";
    start.disabled = busy;
    start.firstChild.textContent = { stopped: "Go on", done: "Search again", changed: "Search again" }[now.phase] ?? "Search";
    stop.disabled = now.phase !== "working";
    const [words, look] = PHASES[now.phase];
    fill(phase, chip(words, look));
    if (!figure.isConnected) fill(ui.body, content);
    draw_figure();
    draw_told();
    draw_list();
    const trying = steps.length ? steps[steps.length - 1][2] : "";
    ui.status(busy ? `${count(now.calls)} of at most ${count(now.budget)} oracle calls, trying ${PASSES[trying] ?? "the whole trace"}`
      : now.phase === "ready" ? `${count(now.events)} events. Lock what must stay, then search.`
        : `${count(now.events)} → ${count(now.now)} events in ${count(now.calls)} oracle calls. ${now.written ? `✓ written to ${now.out}.` : "Not written yet."}`);
    if (!busy && draw.was !== now.phase && draw.was) ui.announce(`${words}: ${now.now} of ${now.events} events`);
    draw.was = now.phase;
  }

  function draw_figure() {
    if (!steps.length) {
      fill(figure, now.phase === "ready" ? state("empty", "Nothing was tried yet.", `The trace has ${count(now.events)} events. Press g to search.`)
        : state("loading", "Judging the whole trace first …"));
      return;
    }
    fill(figure, plot(now, steps), el("p", { class: "wb-caption" },
      `Draft ${now.draft}. ● a smaller trace that still fails the same way; | one that does not. Oracle: ${now.oracle}.`));
  }

  function draw_told() {
    const kept = (side) => events.filter((row) => row.side === side && is_kept(row)).length;
    const all = (side) => events.filter((row) => row.side === side).length;
    const gauge = (side, words, meaning) => el("div", { class: "wb-side" },
      el("strong", {}, term(words, meaning)),
      el("span", { class: "wb-num" }, now.kept ? `${count(kept(side))} of ${count(all(side))}` : count(all(side))),
      el("div", { class: `wb-gauge wb-gauge-${side}`, "aria-hidden": "true" },
        el("span", { at: { "--wb-share": now.kept ? kept(side) / Math.max(1, all(side)) : 1 } })));
    const share = now.events ? Math.round((now.now / now.events) * 100) : 0;
    fill(told,
      el("p", { class: "wb-shift" }, el("span", { class: "wb-was" }, `${count(now.events)} → `), count(now.now),
        el("small", {}, `events, ${share} % of the trace, in ${count(now.calls)} oracle ${now.calls === 1 ? "call" : "calls"}`)),
      gauge("behaviour", "What it did", "Behaviour: reduced until none of it can be left out alone."),
      gauge("stimulus", "What it saw", "Stimulus: kept when a value of it is used later."),
      now.kept ? el("div", { class: "wb-bar" },
        now.minimal ? chip("✓ none can be left out", "ok") : chip("not minimal yet", "warn", { title: now.why_stopped }),
        now.also_seen ? chip(`${now.also_seen} other failures met`, "quiet", { title: "Smaller traces that fail in another way; they were rejected." }) : null,
        now.unresolved ? chip(`${now.unresolved} could not be judged`, "warn") : null) : null,
      now.kept && !now.minimal && now.why_stopped ? el("p", { class: "wb-caption" }, now.why_stopped) : null,
      now.says?.length ? el("ul", { class: "wb-says", "aria-label": "What still fails" }, now.says.map((words) => el("li", {}, words))) : null);
  }

  function draw_list() {
    const known = Boolean(now.kept);
    const groups = {
      kept: ["Kept", (row) => is_kept(row) === true], removed: ["Removed", (row) => is_kept(row) === false],
      locked: ["Locked", is_locked], all: ["All", () => true],
    };
    const chosen = known ? filter : "all";
    fill(filters, Object.entries(groups).filter(([name]) => known || name === "all" || name === "locked").map(([name, [words, test]]) =>
      button(`${words} ${count(events.filter(test).length)}`, () => { filter = name; draw_list(); }, { pressed: chosen === name })),
    el("span", { class: "wb-grow" }), button("Lock or unlock", flip, { key: "l" }));
    const shown_events = events.filter(groups[chosen][1]);
    const held = list.items[list.index]?.seq;
    list.set(shown_events, { keep: shown_events.findIndex((row) => row.seq === held) });
    list.node.hidden = !shown_events.length;
  }

  function begin() { if (!start.disabled) { ui.say("start"); list.node.focus({ preventScroll: true }); } }
  function end() {
    if (stop.disabled) return;
    stop.disabled = true;
    fill(phase, chip(...PHASES.stopping));
    ui.say("stop");
  }
  function flip() {
    const row = list.items[list.index];
    if (!row) { list.go(0); return; }
    ui.decide(is_locked(row) ? "free" : "keep", { seq: row.seq });
    ui.announce(`#${row.seq} ${is_locked(row) ? "unlocked" : "locked"}`);
  }

  keys(ui.root, { g: begin, ".": end, l: flip });
  ui.say("ready");
  return () => { list.end(); ui.end(); };
}

export default { render };
