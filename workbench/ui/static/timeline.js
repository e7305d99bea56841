// What happened in a run: an overview in lanes, a waterfall of rows, and the details of one row.

const LANE = {
  model: ["Model", "A model was asked and replied"],
  tool: ["Tool", "A tool was called; its result is in the same row"],
  permission: ["Permit", "Whether a tool may be used was decided"],
  state: ["State", "The world, or the model's context, changed"],
  message: ["Text", "A person, the system or a claim said something"],
};
const KIND = {
  system_message: "System", user_message: "User", claim: "Claim", state_change: "State",
  context_change: "Context", model_request: "Model", model_reply: "Model", tool_call: "Tool",
  permission: "Permit",
};
const SIGN = { ok: "✓", retryable: "↻", permanent: "✗", unknown: "?", denied: "⊘", missing: "∅", blocked: "⊘",
  missing_fixture: "∅", granted: "✓", asked: "…", success: "✓", failure: "✗", unresolved: "?" };

export default {
  render(context) {
    const runs = { this: null, other: null }; // head, spans as told, turns with calls below them
    const lists = {};
    let parting = null;
    let hit = "";
    let asking = 0;
    let far = new Set();
    let failures = false;
    let shown_detail = null;
    const closed = { this: new Set(), other: new Set() };

    const ui = frame(context, {
      name: "timeline",
      title: "What happened?",
      about: "Every event of the run, in order. Failures stand out; calls that ran at once say so.",
      terms: {
        row: "A call with its result, a model's request with its reply, or one other event.",
        outcome: "How a call ended: ok, retryable, permanent, unknown, denied, missing.",
        "∥ 2": "Ran at the same time as two other calls.",
        "▒ 2": "Redaction replaces two values of the row; the details mark them.",
        trigger: "What makes the failure happen. Marked values are kept through redaction and shrinking.",
        claim: "A text shown to a person, with the outcome it claims.",
        "⌁": "A stretch in which nothing ran was cut out of the drawing.",
        "parts here": "The first event where two runs of one task differ; all that follows may be its consequence.",
      },
      keys: {
        "↑ ↓": "Next and previous row", "← →": "Close and open a turn", "Home End": "First and last row",
        "n p": "Next and previous failure", "/": "Search", f: "Failures only", t: "Mark the row as trigger",
        m: "Mask values", "?": "This help",
      },
      hears: { nothing, head, rows: more, detail, found, go: ({ seq }) => jump(seq) },
    });

    const find = search("Search events", look_for, { placeholder: "Search names and values …", pause: 0 });
    const only = button("Failures only", () => flip_failures(), { key: "f", pressed: false });
    const mask = button("Mask values", () => ui.say("mask", { on: mask.getAttribute("aria-pressed") !== "true" }), { key: "m", pressed: false });
    const fold = button("Collapse all", () => fold_all(), { look: "quiet" });
    const other = el("input", { class: "wb-input wb-compare", type: "text", "aria-label": "Run to compare with",
      placeholder: "Compare with run …", spellcheck: "false", autocomplete: "off" });
    const compare = button("Compare", () => { if (other.value) ui.say("compare", { run_id: other.value }); });
    keys(other, { Enter: () => compare.click() }, { typing: true });
    put(ui.tools, find, only,
      button("Previous failure", () => failure(-1), { key: "p" }), button("Next failure", () => failure(1), { key: "n" }),
      fold, el("span", { class: "wb-grow" }), other, compare, mask);
    keys(ui.root, {
      "/": () => find.focus(), f: flip_failures, n: () => failure(1), p: () => failure(-1), m: () => mask.click(),
      t: () => (shown_detail ? trigger() : false),
    });

    const canvas = el("canvas", { class: "wb-overview", role: "img", "aria-label": "Overview of the run" });
    canvas.addEventListener("click", (event) => {
      const at = (event.offsetX / canvas.clientWidth) * runs.this.head.end;
      const near = lists.this.items.reduce((best, span, index) =>
        (Math.abs(span.start - at) < Math.abs(lists.this.items[best].start - at) ? index : best), 0);
      lists.this.node.focus();
      lists.this.go(near);
    });
    const banner = el("div", { class: "wb-parting", hidden: true });
    const holder = el("div", { class: "wb-sides" });
    const pane = el("div", { class: "wb-detail", role: "group", "aria-label": "Details", tabindex: "0" });
    const repaint = new MutationObserver(() => { overview(); setTimeout(overview, 250); }); // a theme's styles may come late
    repaint.observe(document.body, { attributes: true, attributeFilter: ["data-jp-theme-light"] });
    const resized = new ResizeObserver(() => overview());

    // --- what the kernel tells ------------------------------------------------

    function nothing() {
      fill(ui.body, state("empty", "No run is picked yet.", "Pick one in the list above; its timeline appears here."));
      ui.status("0 events");
    }
    function head({ side, head: said, parting: apart }) {
      const same = runs[side]?.head.run_id === said.run_id;
      runs[side] = { head: said, spans: [], parents: new Set(), fresh: !same };
      parting = apart;
      if (parting?.parts) {
        parting.set_first = new Set(parting.after_first);
        parting.set_second = new Set(parting.after_second);
      }
      if (!same) closed[side] = new Set();
      if (side !== "this") return;
      if (!parting) runs.other = null;
      mask.setAttribute("aria-pressed", String(said.masked));
      const status = { failed: ["✗ failed", "bad"], ok: ["✓ ok", "ok"] }[said.status] ?? ["? unknown", "quiet"];
      fill(ui.aside, chip(...status), el("code", { class: "wb-value wb-run", title: said.run_id }, said.run_id),
        said.ms === null ? null : el("span", { class: "wb-soft wb-num" }, duration(said.ms)));
    }
    function more({ side, rows: part }) {
      const run = runs[side];
      const first = run.spans.length === 0;
      run.spans.push(...part);
      const two = Boolean(parting && runs.other);
      if (first && (run.fresh || !lists[side] || Boolean(lists.other) !== two)) lay_out(two);
      run.fresh = false;
      if (lists[side]) refresh(side);
      if (run.spans.length >= run.head.rows) ready(side);
    }
    function ready(side) {
      if (side === "this") overview();
      if (parting && side === "other") part_banner();
      say_status();
      const chosen = runs.this.head.selected;
      if (side === "this" && chosen !== null && lists.this.index < 0) jump(chosen);
    }
    function found({ text: asked, seqs }) {
      if (asked !== hit) return;
      far = new Set(seqs);
      refresh("this");
      say_status();
    }

    // --- the lists --------------------------------------------------------------

    function lay_out(two) {
      const focused = ui.body.contains(document.activeElement);
      for (const old of Object.values(lists)) old.end();
      lists.this = list_of("this", two);
      if (two) lists.other = list_of("other", two);
      else delete lists.other;
      fill(holder, two ? side_box("other", "Other run") : null, side_box("this", two ? "This run" : ""));
      holder.classList.toggle("wb-two", two);
      fill(pane, state("empty", "Choose a row to see what it holds."));
      fill(ui.body, two ? banner : canvas, el("div", { class: "wb-split" }, holder, pane));
      banner.hidden = !two;
      resized.disconnect();
      if (!two) resized.observe(canvas);
      shown_detail = null;
      if (two) refresh("this");
      if (focused) lists.this.node.focus();
    }
    function side_box(side, words) {
      const { timed } = runs[side].head;
      const { ms, breaks } = runs[side].head;
      const scale = timed ? ["0", duration(ms)] : ["first", "last"];
      const unit = !timed ? "order" : breaks.length ? "time, idle cut ⌁" : "time";
      return el("div", { class: "wb-side" },
        words ? el("h4", { class: "wb-side-title" }, words, " ", el("code", { class: "wb-value" }, runs[side].head.run_id)) : null,
        el("div", { class: "wb-columns", "aria-hidden": "true" },
          el("span", { class: "wb-c-seq" }, "#"), el("span", { class: "wb-c-lane" }, "Lane"),
          el("span", { class: "wb-c-title" }, "What"), el("span", { class: "wb-c-outcome" }, "Outcome"),
          el("span", { class: "wb-c-ms" }, "Took"),
          el("span", { class: "wb-c-bar wb-axis" }, el("span", {}, scale[0]), el("span", {}, unit), el("span", {}, scale[1]))),
        lists[side].node);
    }
    function list_of(side, two) {
      return rows({
        label: side === "this" ? "Events of the run" : "Events of the other run",
        role: "tree", height: 26, visible: two ? 14 : 13,
        draw: (span) => row(span, side),
        look: (span) => [`wb-lane-${span.lane}`, span.bad ? "wb-bad" : "", span.beside ? "wb-beside" : "",
          mine(side, span, "at") ? "wb-parts" : "", mine(side, span, "after") ? "wb-after" : ""].join(" "),
        name: (span) => spoken(span, side),
        level: (span) => span.depth + 1,
        expanded: (span) => (is_turn(span, side) ? !closed[side].has(span.turn) : null),
        onselect: (span) => ui.say("select", { seq: span.seq, side }),
        onopen: () => pane.focus(),
        acts: {
          ArrowLeft: () => set_closed(side, true), ArrowRight: () => set_closed(side, false),
        },
      });
    }
    function is_turn(span, side) {
      return span.lane === "model" && span.turn > 0 && runs[side].parents.has(span.turn);
    }
    function set_closed(side, close) {
      const list = lists[side];
      const span = list.items[list.index];
      if (!span) return false;
      if (close && span.depth > 0) {
        const parent = list.items.findIndex((one) => one.lane === "model" && one.turn === span.turn);
        if (parent >= 0) list.go(parent);
        return true;
      }
      if (!is_turn(span, side)) return false;
      closed[side][close ? "add" : "delete"](span.turn);
      refresh(side);
      say_status();
      return true;
    }
    function fold_all() {
      const side = "this";
      const all = [...runs.this.parents];
      const open = all.some((turn) => !closed[side].has(turn));
      closed[side] = new Set(open ? all : []);
      fill(fold, open ? "Expand all" : "Collapse all");
      refresh(side);
      say_status();
    }
    function refresh(side) {
      const run = runs[side];
      run.parents = new Set(run.spans.filter((span) => span.depth > 0).map((span) => span.turn));
      const narrowed = hit || failures;
      const items = run.spans.filter((span) => narrowed
        ? (!failures || span.bad) && (!hit || span.text.includes(hit) || (span.long && far.has(span.seq)))
        : span.depth === 0 || !closed[side].has(span.turn));
      const list = lists[side];
      const seq = list.items[list.index]?.seq;
      list.set(items, { keep: seq === undefined ? -1 : items.findIndex((span) => span.seq === seq) });
    }
    function row(span, side) {
      const run = runs[side].head;
      const twisty = is_turn(span, side);
      return [
        el("span", { class: "wb-c-seq wb-num" }, span.seq),
        el("span", { class: "wb-c-lane" }, chip(KIND[span.kind] ?? LANE[span.lane][0], span.lane)),
        el("span", { class: `wb-c-title wb-depth-${span.depth}`, title: span.title },
          twisty ? el("span", { class: "wb-twisty", "aria-hidden": "true",
            on: { click: (event) => { event.stopPropagation(); toggle_turn(side, span.turn); } } },
          closed[side].has(span.turn) ? "▸" : "▾") : span.depth ? null : el("span", { class: "wb-twisty" }),
          span.trigger ? chip(runs.other ? "⚑" : "⚑ trigger", "warn", { title: "Marked as trigger" }) : null,
          span.replaced ? chip(`▒ ${count(span.replaced)}`, "permission", { title: `${replaced(span.replaced)} by redaction` }) : null,
          mine(side, span, "at") ? chip("◆ parts here", "bad") : null,
          span.agent ? el("span", { class: "wb-soft wb-value wb-agent" }, text(span.agent, { hit })) : null,
          el("span", { class: `wb-value ${span.lane === "tool" ? "wb-mono" : ""}` }, text(span.title.replace(/\s+/g, " "), { hit })),
          span.lane === "model" ? el("span", { class: "wb-soft" }, span.detail) : null,
          span.beside ? el("span", { class: "wb-at-once", title: `Ran at the same time as ${span.beside} other calls` }, `∥ ${span.beside}`) : null),
        el("span", { class: "wb-c-outcome" }, span.outcome
          ? chip([SIGN[span.outcome] ? `${SIGN[span.outcome]} ` : "", span.outcome.replaceAll("_", " ")],
            span.bad ? "bad" : span.outcome === "ok" || span.outcome === "granted" ? "ok" : "quiet",
            { title: span.detail }) : null),
        el("span", { class: "wb-c-ms wb-num" }, duration(span.ms)),
        el("span", { class: "wb-c-bar", "aria-hidden": "true" },
          (run.breaks.length > 12 ? [] : run.breaks).map((gap) => el("i", { class: "wb-gap", at: { "--wb-from": gap.at / run.end } })),
          el("i", { class: `wb-bar-mark ${span.length ? "" : "wb-moment"}`,
            at: { "--wb-from": span.start / run.end, "--wb-share": span.length / run.end } })),
      ];
    }
    function replaced(many) {
      return `${count(many)} ${many === 1 ? "value is" : "values are"} replaced`;
    }
    function toggle_turn(side, turn) {
      closed[side][closed[side].has(turn) ? "delete" : "add"](turn);
      refresh(side);
      say_status();
    }
    function spoken(span, side) {
      return [`${span.seq}`, KIND[span.kind] ?? span.kind, span.title.slice(0, 80), span.outcome.replaceAll("_", " "), span.bad ? "failure" : "",
        duration(span.ms), span.beside ? `at the same time as ${span.beside} others` : "", span.trigger ? "trigger" : "",
        span.replaced ? replaced(span.replaced) : "",
        mine(side, span, "at") ? "the runs part here" : mine(side, span, "after") ? "after they part" : ""].filter(Boolean).join(", ");
    }
    function say_status() {
      if (!lists.this) return;
      const all = runs.this.spans;
      const bad = all.filter((span) => span.bad).length;
      const listed = lists.this.items.length;
      ui.status(`${count(listed)} of ${count(runs.this.head.rows)} rows, ${count(runs.this.head.events)} events · ` +
        `${bad} failure${bad === 1 ? "" : "s"}${hit ? ` · search: ${count(listed)} found` : ""}` +
        (hidden() ? ` · ${replaced(hidden())}` : "") +
        (runs.this.head.timed ? "" : " · no times were recorded: rows stand by order"));
    }

    function hidden() {
      return runs.this.spans.reduce((sum, span) => sum + span.replaced, 0);
    }

    // --- moving -------------------------------------------------------------------

    function look_for(value) {
      hit = value.toLowerCase();
      far = new Set();
      for (const side of Object.keys(lists)) refresh(side);
      say_status();
      clearTimeout(asking);
      if (hit && runs.this.spans.some((span) => span.long)) asking = setTimeout(() => ui.say("search", { text: hit }), 150);
    }
    function flip_failures() {
      failures = !failures;
      only.setAttribute("aria-pressed", String(failures));
      refresh("this");
      say_status();
    }
    function failure(by) {
      if (!lists.this) return;
      const { items, index } = lists.this;
      for (let at = index < 0 && by < 0 ? items.length - 1 : index + by; at >= 0 && at < items.length; at += by)
        if (items[at].bad) {
          lists.this.node.focus();
          lists.this.go(at);
          return;
        }
      ui.announce(by > 0 ? "No failure after this row" : "No failure before this row");
    }
    function jump(seq) {
      const span = runs.this?.spans.find((one) => one.seq <= seq && seq <= one.last);
      if (!span) return;
      closed.this.delete(span.turn);
      refresh("this");
      lists.this.go(lists.this.items.findIndex((one) => one.seq === span.seq));
    }

    // --- the overview ---------------------------------------------------------------

    function overview() {
      const box = canvas.getBoundingClientRect();
      if (!box.width || !runs.this) return;
      const ratio = window.devicePixelRatio || 1;
      canvas.width = box.width * ratio;
      canvas.height = box.height * ratio;
      const pen = canvas.getContext("2d");
      pen.scale(ratio, ratio);
      const colour = palette();
      const { head: run, spans } = runs.this;
      const left = 62;
      const wide = box.width - left - 12;
      const x = (at) => left + (at / run.end) * wide;
      const shelf = { model: 8, tool: 27, permission: 60, state: 79 };
      pen.font = `11px ${getComputedStyle(ui.root).fontFamily}`;
      pen.textBaseline = "middle";
      pen.lineWidth = 1;
      for (const [words, y, high] of [["Model", 6, 15], ["Tools", 25, 29], ["Permits", 58, 15], ["State", 77, 15]]) {
        pen.fillStyle = colour["ink-soft"];
        pen.fillText(words, 12, y + high / 2);
        pen.fillStyle = colour.raised;
        pen.fillRect(left, y, wide, high);
      }
      const ends = [-1, -1, -1, -1];
      for (const span of spans) {
        if (span.lane === "message") continue;
        let y = shelf[span.lane];
        let high = 11;
        if (span.lane === "tool") {
          let slot = ends.findIndex((end) => end <= span.start);
          if (slot < 0) slot = ends.length - 1;
          ends[slot] = span.start + span.length;
          y += slot * 6.5;
          high = 5;
        }
        pen.fillStyle = span.bad ? colour.bad : colour[span.lane];
        pen.fillRect(x(span.start), y, Math.max(2, (span.length / run.end) * wide), high);
      }
      pen.fillStyle = colour.bad;
      for (const span of spans.filter((one) => one.bad)) {
        const at = x(span.start);
        pen.beginPath();
        pen.moveTo(at - 4, 103);
        pen.lineTo(at + 4, 103);
        pen.lineTo(at, 96);
        pen.fill();
      }
      pen.strokeStyle = colour["ink-soft"];
      pen.setLineDash([2, 2]);
      pen.globalAlpha = run.breaks.length > 12 ? 0.4 : 1; // many would be a fence before the events
      for (const gap of run.breaks) {
        pen.beginPath();
        pen.moveTo(x(gap.at), 4);
        pen.lineTo(x(gap.at), 94);
        pen.stroke();
      }
      const bad = spans.filter((span) => span.bad).length;
      canvas.setAttribute("aria-label", `Overview: ${spans.length} rows, ${bad} failures, ${run.breaks.length} idle stretches cut`);
      canvas.title = "Model, tools, permissions and state over time; ▲ marks a failure. Click to go there.";
    }
    /** Resolve the tokens: a canvas knows no variables. */
    function palette() {
      const node = el("span", {});
      ui.root.append(node);
      const found = {};
      for (const name of ["model", "tool", "permission", "state", "bad", "ink-soft", "raised"]) {
        node.className = `wb-paint-${name}`;
        found[name] = getComputedStyle(node).color;
      }
      node.remove();
      return found;
    }

    // --- where two runs part -----------------------------------------------------------

    function mine(side, span, what) {
      if (!parting?.parts) return false;
      const at = side === "this" ? parting.second : parting.first;
      if (what === "at") return at !== null && span.seq <= at && at <= span.last;
      const after = side === "this" ? parting.set_second : parting.set_first;
      return Boolean(after?.has(span.seq)) && !mine(side, span, "at");
    }
    function part_banner() {
      if (!parting.parts) {
        fill(banner, chip("✓ same", "ok"), el("p", {}, "The two runs do the same; only words may differ."));
        return;
      }
      fill(banner, chip(`◆ ${parting.what}`, "bad"), el("p", { class: "wb-value" }, parting.sentence),
        parting.versions.map((one) => el("span", { class: "wb-version" }, one.what, " ",
          el("code", { class: "wb-value wb-cut", title: one.first ?? "" }, one.first ?? "?"), " → ", el("code", { class: "wb-value wb-cut", title: one.second ?? "" }, one.second ?? "?"))));
      for (const side of ["other", "this"]) {
        const at = side === "this" ? parting.second : parting.first;
        refresh(side);
        const index = lists[side].items.findIndex((span) => span.seq <= at && at <= span.last);
        if (at !== null && index >= 0) lists[side].go(index, { quiet: side === "other" });
      }
    }

    // --- details ---------------------------------------------------------------------

    function trigger() {
      ui.say("trigger", { seq: shown_detail.seq });
    }
    function detail(message) {
      const span = runs[message.side]?.spans.find((one) => one.seq === message.seq);
      if (!span) return;
      shown_detail = message.side === "this" ? message : null;
      const last = message.events.at(-1);
      fill(pane,
        el("div", { class: "wb-detail-head" },
          chip(KIND[span.kind] ?? span.lane, span.lane),
          span.outcome ? chip([SIGN[span.outcome] ?? "", " ", span.outcome.replaceAll("_", " ")], span.bad ? "bad" : "quiet") : null,
          span.detail ? el("span", { class: "wb-value wb-mono wb-soft wb-cut", title: span.detail }, span.detail) : null,
          el("span", { class: "wb-soft wb-num" }, [message.events.map((one) => one.place).join(" – "),
            message.events[0].at ? ` · ${message.events[0].at}` : "", span.ms === null ? "" : ` · took ${duration(span.ms)}`].join("")),
          el("span", { class: "wb-grow" }),
          message.side === "this"
            ? button(message.is_trigger ? "⚑ Trigger: unmark" : "⚑ Mark as trigger", trigger, {
              key: "t", pressed: message.is_trigger, title: `${message.trigger_place}: kept through redaction and shrinking` })
            : null),
        message.beside.length ? el("div", { class: "wb-detail-note" }, "At the same time: ",
          message.beside.slice(0, 8).map((seq) => button(`#${seq}`, () => jump(seq), { look: "quiet" })),
          message.beside.length > 8 ? ` and ${message.beside.length - 8} more` : "") : null,
        message.events.map((event) => el("div", { class: "wb-event" },
          el("h4", { class: "wb-event-title" }, event.kind.replaceAll("_", " "), " ", el("span", { class: "wb-soft" }, event.place, " "),
            event === last && event.origin ? el("span", { class: "wb-soft wb-value wb-cut", title: event.origin }, ` from ${event.origin}`) : null),
          event.fields.length ? el("div", { class: "wb-tree" }, event.fields.map((one) => node(one.name, one.value, 0)))
            : el("p", { class: "wb-soft" }, "Nothing more was recorded."),
          event.raw.map((one) => el("details", { class: "wb-raw" },
            el("summary", {}, `Raw text as recorded: ${one.name}`),
            el("pre", { class: "wb-value", tabindex: "0" }, text(one.text, { hit })), left_out(one.more, "characters"))))));
      pane.scrollTop = 0;
    }
    function node(name, value, depth) {
      const key = el("span", { class: "wb-key wb-value" }, text(name, { hit }));
      const marks = [
        value.mark ? chip(`▒ ${value.mark.type} ${value.mark.decision === "retained" ? "kept" : "replaced"}`, "permission",
          { title: `${value.mark.decision}${value.mark.by ? `, found by ${value.mark.by}` : ""}` }) : null,
        value.trigger ? chip("⚑ trigger", "warn") : null,
      ];
      if (value.type === "object" || value.type === "array") {
        const size = `${value.size} ${value.type === "object" ? (value.size === 1 ? "key" : "keys") : (value.size === 1 ? "item" : "items")}`;
        if (!value.size) return el("div", { class: "wb-node" }, key, el("span", { class: "wb-soft" }, value.type === "object" ? "{}" : "[]"), marks);
        return el("details", { class: "wb-node", open: depth < 3 },
          el("summary", {}, key, el("span", { class: "wb-soft" }, size), marks),
          el("div", { class: "wb-inner" }, value.items.map(([inner, item]) => node(inner, item, depth + 1)),
            left_out(value.more, value.type === "object" ? "keys" : "items")));
      }
      return el("div", { class: "wb-node" }, key,
        el("span", { class: `wb-leaf wb-leaf-${value.masked ? "masked" : value.type} wb-value` },
          value.masked ? value.text : value.type === "string" && !value.more ? edged(value.text, { hit }) : text(value.text, { hit })), left_out(value.more, "characters"), marks);
    }
    function left_out(more_of, what) {
      return more_of ? el("span", { class: "wb-left-out" }, `… ${count(more_of)} more ${what} not shown`) : null;
    }

    ui.say("ready");
    return () => {
      clearTimeout(asking);
      for (const list of Object.values(lists)) list.end();
      repaint.disconnect();
      resized.disconnect();
      ui.end();
    };
  },
};
