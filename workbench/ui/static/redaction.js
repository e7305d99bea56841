// The redaction of a draft. Values stay masked until a key is held down, and that is written down.

const STATUS = {
  open: ["○", "to decide"], accepted: ["✓", "accepted"], rejected: ["–", "not personal"],
  retained: ["◆", "stays"], seen: ["✓", "seen"], settled: ["✓", "settled with its values"],
  sent: ["…", "being kept"],
};
const TYPES = { LOCATION: "place", PERSON: "person", EMAIL_ADDRESS: "e-mail address", PHONE_NUMBER: "phone number" };
const STRATEGIES = { next_draw: "another pseudonym", exact_length: "same length", shape: "same shape" };
const SYNC_MS = 10000;

function typed(type) {
  return TYPES[type] ?? String(type).toLowerCase().replaceAll("_", " ");
}

function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}

/** Draw one part of a line: text, a masked value, or a pseudonym; `raw`: what the hunk's own value is. */
function part(piece, raw) {
  if ("t" in piece) return text(piece.t);
  if ("p" in piece) return el("span", { class: piece.own ? "wb-pseudo-own" : "wb-pseudo" }, edged(piece.p));
  if (piece.own && raw !== null) return el("span", { class: "wb-shown wb-value" }, edged(raw));
  return el("span", {
    class: piece.own ? "wb-masked wb-masked-own" : "wb-masked", role: "img",
    "aria-label": `masked value of ${piece.m} characters`,
  }, "•".repeat(Math.min(piece.m, 12)), ` ${piece.m}`);
}

function line(look, sign, word, pieces, hunk, raw) {
  return el("div", { class: `wb-line wb-line-${look}` },
    el("span", { "aria-hidden": "true" }, sign),
    el("span", {}, el("span", { class: "wb-sr" }, `${word}: `), hunk.more_before ? "… " : null,
      pieces.map((piece) => part(piece, raw)), hunk.more_after ? " …" : null));
}

/** Draw a value where it stands; `lead`: what else its head says. */
function hunk(one, raw, lead = null) {
  const lines = one.stays
    ? [line("stays", "=", one.stays === "rejected" ? "stays, not personal" : "stays", one.old, one, raw)]
    : [line("old", "−", "now", one.old, one, raw), line("new", "+", "in the case", one.new, one, raw)];
  return el("div", { class: "wb-hunk" },
    el("div", { class: "wb-hunk-head" }, el("span", { class: "wb-mono" }, one.at), lead,
      el("span", { title: "Which detector found it, and how certain it is, from 0 to 1" },
        `found by ${one.detector.replaceAll("_", " ")} · ${one.score.toFixed(2)}`)), lines);
}

function reading(one, lead = null) {
  const portion = one.from > 0 || one.to < one.length ? `, characters ${count(one.from + 1)}–${count(one.to)} of ${count(one.length)}` : "";
  return el("div", { class: "wb-hunk" },
    el("div", { class: "wb-hunk-head" }, el("span", { class: "wb-mono" }, one.at), lead,
      el("span", {}, `${plural(one.places, "place")}${portion}`)),
    el("div", { class: "wb-text" }, one.parts.map((piece) => part(piece, null))));
}

/** Put a group's line before its first member that is listed, and the others right behind it. */
function gathered(listed, groups) {
  const by_name = new Map(listed.map((row) => [row.name, row]));
  const group_of = new Map();
  for (const group of groups) {
    const members = group.members.map((name) => by_name.get(name)).filter(Boolean);
    Object.assign(group, { kind: "group", status: "open", trigger: members.some((row) => row.trigger) });
    for (const row of members) { row.member = true; group_of.set(row, [group, ...members]); }
  }
  const lines = listed.flatMap((row) => group_of.get(row) ?? [row]);
  return [...new Set(lines)];
}

/** Say what a group holds. */
function alike(group) {
  return `${group.of === "text" ? `read: ${group.type}` : typed(group.type)}, ${group.members.length} alike`;
}

function render(context) {
  let all = [];
  let groups = [];
  let filter = "reaches";
  let open = null;
  let raw = null;
  let held = false;
  let state_now = {};
  let asking = null;
  const sent = new Set();

  const ui = frame(context, {
    name: "redaction", title: "Redaction",
    about: "Values that reach the case first. A decision is kept when you make it; the same decisions redact headless.",
    terms: {
      "reaches the case": "The least of the trace that still fails holds this value. Everything else is replaced by rule, unseen.",
      fact: "A checkable property, such as “is a valid e-mail” or “longer than 2³¹”. What made the failure happen must keep its facts.",
      trigger: "The value makes the failure happen. A lost fact here refuses the export.",
      "stays": "Left as it is: either no personal data, or retained with a reason that the case shows.",
      alike: "Values of one type in one part of what one tool or person said, or texts of one sort. They are listed together; once each was on your screen, one key accepts the values or marks the texts as seen. Each gets its own entry under your name.",
      seen: "A named person has read the text, and nothing more is to be replaced in it.",
    },
    keys: {
      "a": "accept the replacement", "n": "accept with another pseudonym", "e": "accept with one of the same length",
      "x": "not personal data", "r": "retain: it stays, for a reason", "s": "seen: nothing more in this text",
      "g": "decide on a group that was shown whole: accept its values, or mark its texts as seen",
      "Space": "scroll on in the finding or the group",
      "h": "hold down to show the raw value (is written down)", "u": "take back your last decision, a group's as one",
      "U": "take back your last decision alone, one of a group's too", "j k": "next, previous", "w": "write the redacted draft", "?": "this help",
    },
    sync: SYNC_MS,
    hears: {
      list: (message) => { sent.clear(); state_now = message.state; all = message.rows; groups = message.groups; draw_state(); draw_list(); },
      state: (message) => { state_now = message.state; draw_state(); },
      detail: (message) => { if (open === message.detail.name) draw_detail(message.detail); },
      raw: (message) => { if (held && open === message.name) { raw = message.values; redraw(); } },
      undone: (message) => {
        ui.announce("Taken back");
        if (message.name) choose(message.name);
      },
    },
  });

  // --- frame ---
  const figures = el("div", { class: "wb-figures" });
  const by = el("input", { class: "wb-input", type: "text", "aria-label": "Reviewer", autocomplete: "off", spellcheck: "false",
    placeholder: "your name", on: { change: () => ui.say("reviewer", { by: by.value }) } });
  const names = el("span", { class: "wb-bar" });
  ui.aside.append(el("span", { class: "wb-bar wb-by" }, el("span", { class: "wb-label", "aria-hidden": "true" }, "Reviewer"), names, by));
  const filters = el("div", { class: "wb-bar", role: "group", "aria-label": "Which findings are listed" });
  const undo = button("Undo", () => ui.say("undo"), { key: "u", title: "Takes back your last decision, a group's as one; Shift and u: one alone" });
  const write = button("Write redacted draft", () => ui.say("write"), { key: "w", look: "primary" });
  ui.tools.append(filters, el("span", { class: "wb-grow" }), undo, write);
  ui.tools.before(figures);

  const list = rows({
    label: "Findings", height: 46, visible: 10,
    look: (row) => (row.kind === "group" ? "wb-row-group" : row.member ? "wb-row-member" : ""),
    draw: (row) => {
      if (row.kind === "group") return group_row(row);
      const [mark] = STATUS[row.status];
      return [
        el("span", { class: `wb-mark wb-mark-${row.status}`, "aria-hidden": "true" }, mark),
        el("span", { class: "wb-two" },
          el("span", {}, el("span", { class: "wb-what" }, row.kind === "text" ? `read: ${row.type}` : typed(row.type)),
            row.becomes ? el("span", { class: "wb-becomes" }, "→ ", text(row.becomes.trim())) : null,
            row.trigger ? chip("trigger", "bad") : null, row.lost ? chip(`${row.lost} lost`, "warn") : null,
            row.reaches ? null : chip("by rule")),
          el("span", { class: "wb-where" }, el("span", { class: "wb-at", title: row.at }, row.at),
            row.places > 1 ? el("span", { class: "wb-places" }, `· ${row.places} places`) : null)),
        el("span", { class: "wb-said" }, row.status === "open" ? "" : row.by ?? ""),
      ];
    },
    name: (row) => row.kind === "group" ? `group: ${alike(row)}, ${row.where}, to decide together${row.trigger ? ", trigger" : ""}`
      : `${row.kind === "text" ? `text to read, ${row.type}` : typed(row.type)}, ${row.at}, ${plural(row.places, "place")},`
      + ` ${STATUS[row.status][1]}${row.by ? ` by ${row.by}` : ""}${row.trigger ? ", trigger" : ""}`,
    onselect: (row) => show(row),
  });
  const head = el("div", { class: "wb-finding-head" });
  const facts = el("div", { class: "wb-facts" });
  const hunks = el("div", { class: "wb-hunks", tabindex: "0", role: "group", "aria-label": "The finding in its contexts" });
  const acts = el("div", { class: "wb-acts" });
  const finding = el("div", { class: "wb-finding" }, head, facts, hunks, acts);
  const desk = el("div", { class: "wb-desk" }, list.node, finding);
  let detail = null;
  const drawn_as = new Map();
  const watch = witness(hunks, () => { if (detail?.kind === "group" && detail.name === open) draw_group_acts(); });

  const peek = button("Hold to show", () => {}, { key: "h", title: "Shows the raw value while held; that you looked is written down." });
  peek.addEventListener("pointerdown", reveal);
  for (const kind of ["pointerup", "pointerleave", "blur"]) peek.addEventListener(kind, conceal);
  peek.addEventListener("keydown", (event) => { if (event.key === " " || event.key === "Enter") { event.preventDefault(); event.stopPropagation(); reveal(event); } });
  peek.addEventListener("keyup", conceal);

  // --- what is listed ---
  const listed = {
    open: (row) => row.reaches && row.status === "open",
    reaches: (row) => row.reaches,
    all: () => true,
  };

  function draw_state() {
    const now = state_now;
    if (document.activeElement !== by) by.value = now.reviewer ?? "";
    fill(names, (now.reviewers ?? []).filter((name) => name !== now.reviewer).slice(-3)
      .map((name) => button(name, () => ui.say("reviewer", { by: name }), { look: "quiet", title: `Decide as ${name}` })));
    ui.drop("told");
    ui.drop("done");
    ui.drop("failure");
    if (now.failure && now.looked) ui.notice("failure", now.failure); // else it stands in place of the list
    if (now.notice) ui.notice(now.written ? "done" : "told", now.notice);
    if (!now.looked) {
      write.disabled = undo.disabled = true;
      return fill(figures);
    }
    fill(figures,
      figure(`${count(now.surviving)} of ${count(now.values)}`, "values reach the case"),
      figure(count(now.unreviewed), now.unreviewed === 1 ? "text that nobody has seen" : "texts that nobody has seen", now.unreviewed ? "open" : "done"),
      figure(`${now.decided} of ${now.reaching}`, "decided"),
      el("span", { class: "wb-proven" }, now.checking ? chip("checking …", "quiet")
        : now.refusals.length ? chip(`✗ ${plural(now.refusals.length, "refusal")}`, "bad", { title: now.refusals.join("\n") })
          : chip("✓ fails as before", "ok", { title: "The contract answers the same before and after, and no replaced value is left." })),
      el("span", { class: "wb-track", "aria-hidden": "true" }, el("span", { at: { "--wb-share": now.reaching ? now.decided / now.reaching : 1 } })));
    for (const reason of now.refusals) figures.append(el("span", { class: "wb-problem" }, reason));
    const counts = { open: now.reaching - now.decided, reaches: now.reaching, all: all.length };
    const words = { open: "To decide", reaches: "Reaches the case", all: "All" };
    fill(filters, Object.keys(words).map((name) => button(`${words[name]} ${count(counts[name])}`,
      () => { filter = name; draw_state(); draw_list(); }, { pressed: filter === name })));
    write.disabled = now.checking || now.refusals.length > 0;
    undo.disabled = !now.can_undo;
    ui.status(`${count(now.decided)} of ${count(now.reaching)}${now.others ? ` and ${plural(now.others, "other")}` : ""} decided, each kept. ${now.written ? `✓ ${now.out} is written as decided.` : `${now.out} is not written as decided yet.`}`
      + `${now.names_in_prose ? "" : " Names in prose are not detected: no language model was asked."}`);
  }

  function figure(number, words, look = "") {
    return el("span", { class: `wb-figure ${look ? `wb-figure-${look}` : ""}` }, el("strong", {}, number), words);
  }

  function draw_list() {
    if (!state_now.looked) {
      fill(ui.body, state_now.failure ? state("error", "The draft could not be looked at.", state_now.failure)
        : state("loading", "Looking for personal data …", "Detectors read every text once. It takes a few seconds the first time."));
      return;
    }
    if (!desk.isConnected) fill(ui.body, desk);
    const shown_rows = gathered(all.filter(listed[filter]), groups);
    const keep = shown_rows.findIndex((row) => row.name === open);
    list.set(shown_rows, { keep });
    if (!shown_rows.length) return nothing();
    if (keep < 0) list.go(Math.max(0, list.index));
    else show(shown_rows[keep]);
  }

  function nothing() {
    open = null;
    detail = null;
    fill(facts);
    fill(acts);
    fill(head);
    fill(hunks, state("empty", all.length ? "Nothing is left to decide." : "Nothing personal was found.",
      all.length ? "Write the redacted draft, or look through what was decided." : "No detector, key, rule or person named a value."));
  }

  function choose(name) {
    const index = list.items.findIndex((row) => row.name === name);
    if (index >= 0) list.go(index);
    else if ([...all, ...groups].some((row) => row.name === name)) {
      filter = "all";
      open = name;
      draw_state();
      draw_list();
    }
  }

  function show(row) {
    if (open !== row.name) raw = null;
    open = row.name;
    if (row.kind === "group") ui.say("group", { name: open });
    else ui.say("open", { name: open, start: 0 });
  }

  // --- one finding ---
  function draw_detail(next) {
    if (detail && next.start > 0 && next.name === detail.name) detail = { ...next, texts: [...detail.texts, ...next.texts] };
    else {
      if (detail?.name !== next.name) hunks.scrollTop = 0;
      detail = next;
    }
    if (detail.kind === "group") return draw_group();
    const [mark, word] = STATUS[detail.status];
    const is_text = detail.kind === "text";
    fill(head,
      el("h4", {}, is_text ? `Read what is left: ${detail.type}` : typed(detail.type)),
      detail.trigger ? chip("trigger", "bad", { title: "It makes the failure happen; its facts must stay." }) : null,
      detail.reaches ? chip("reaches the case", "tool") : chip("replaced by rule"),
      chip(`${mark} ${word}`, detail.status === "open" ? "warn" : detail.status === "retained" ? "bad" : "ok"),
      detail.by ? el("span", { class: "wb-soft" }, `by ${detail.by}${detail.policy ? " in redaction.yaml" : ""}`) : null,
      detail.strategy ? el("span", { class: "wb-soft" }, STRATEGIES[detail.strategy]) : null,
      detail.reason ? el("span", { class: "wb-soft" }, `“${detail.reason}”`) : null,
      is_text ? null : [el("span", { class: "wb-grow" }), peek]);
    if (is_text) {
      fill(facts, "No detector settled this. Read it: pseudonyms are underlined, everything else reaches the case as it stands.");
    } else {
      fill(facts, el("span", {}, `${plural(detail.of, "place")}${detail.hunks.length < detail.of ? `, the first ${detail.hunks.length} shown` : ""}.`),
        detail.lost.length ? "Facts lost:" : null, detail.lost.map((fact) => chip(`✗ ${fact} lost`, detail.trigger ? "bad" : "warn")),
        detail.kept.length ? "Facts kept:" : null, detail.kept.map((fact) => chip(`✓ ${fact}`, "quiet")),
        !detail.lost.length && detail.kept.length ? el("span", { class: "wb-sr" }, "all facts kept") : null);
    }
    redraw();
    draw_acts();
  }

  function redraw() {
    const top = hunks.scrollTop;
    if (detail.kind === "group") fill(hunks, detail.shown.map((one) => member(one, raw?.[one.name])));
    else if (detail.kind === "text") {
      fill(hunks, detail.texts.map(reading), detail.upto < detail.total
        ? button(`Show more (${count(detail.upto)} of ${count(detail.total)} characters)`, () => ui.say("open", { name: open, start: detail.upto })) : null);
    } else fill(hunks, detail.hunks.map((one, nth) => hunk(one, raw ? raw[nth] : null)));
    hunks.scrollTop = top;
    watch.look();
  }

  // --- findings that are alike ---
  function group_row(group) {
    return [
      el("span", { class: "wb-mark wb-mark-open", "aria-hidden": "true" }, "≡"),
      el("span", { class: "wb-two" },
        el("span", {}, el("span", { class: "wb-what" }, alike(group)), group.trigger ? chip("trigger", "bad") : null),
        el("span", { class: "wb-where" }, el("span", { class: "wb-at", title: group.where }, text(group.where)))),
      el("span", { class: "wb-said" }, "together"),
    ];
  }

  function draw_group() {
    for (const one of detail.shown) {
      const drawn = JSON.stringify(one);
      if (drawn_as.get(one.name) !== drawn) watch.forget(one.name); // it has changed: to be looked at again
      drawn_as.set(one.name, drawn);
    }
    const is_text = detail.of === "text";
    fill(head,
      el("h4", {}, is_text ? `Read what is left: ${detail.type}, ${detail.members.length} alike` : alike(detail)),
      detail.shown.some((one) => one.trigger) ? chip("trigger", "bad", { title: "One of them makes the failure happen; its facts are kept." }) : null,
      chip("reaches the case", "tool"), is_text ? null : [el("span", { class: "wb-grow" }), peek]);
    fill(facts, el("span", {}, "All in ", el("span", { class: "wb-mono" }, text(detail.where)), is_text
      ? ". Read them: pseudonyms are underlined, everything else reaches the case as it stands."
      : ". Each keeps all its facts and gets its own entry; what should stay raw is decided alone."));
    redraw();
    draw_acts();
  }

  function member(one, raws) {
    const lead = [one.trigger ? chip("trigger", "bad") : null, el("span", { class: "wb-grow" }),
      button("Alone", () => choose(one.name), { look: "quiet", title: `Decide on this ${one.kind} by itself` })];
    return el("div", { class: "wb-member", role: "group", "aria-label": `${one.kind === "text" ? "text" : typed(one.type)}, ${one.at}`, "data-mark": one.name },
      one.kind === "text" ? one.texts.map((part, nth) => reading(part, nth ? null : lead))
        : one.hunks.map((place, nth) => hunk(place, raws ? raws[nth] : null, nth ? null : lead)),
      one.more ? el("p", { class: "wb-more" }, `and ${plural(one.more, "more place")} like ${one.hunks.length > 1 ? "these" : "this"}`) : null);
  }

  /** Return how many members of the group were on the screen as a whole. */
  function looked_at() {
    return detail.members.filter((name) => watch.has(name)).length;
  }

  function draw_group_acts() {
    const number = detail.members.length;
    const looked = looked_at();
    const had = acts.contains(document.activeElement);
    const label = detail.of === "text" ? `Seen: nothing more in these ${number}` : `Accept these ${number}`;
    fill(acts,
      button(label, together, { key: "g", look: "primary", disabled: looked < number }),
      el("span", { class: "wb-soft" }, looked < number
        ? [`${looked} of ${number} shown: scroll on, `, el("kbd", {}, "Space"), "."]
        : `✓ All ${number} were shown.`));
    if (had) list.node.focus({ preventScroll: true });
  }

  /** Decide on a group that was looked at as a whole, and go on. */
  function together() {
    if (detail?.kind !== "group" || detail.name !== open || sent.has(open)) return;
    const { name, members, of } = detail;
    if (looked_at() < members.length) return ui.announce(`${looked_at()} of ${members.length} shown: scroll on`);
    const rest = (one) => one.status === "open" && one.name !== name && !members.includes(one.name);
    const next = list.items.findIndex((one, nth) => nth > list.index && rest(one));
    const other = next >= 0 ? next : list.items.findIndex(rest);
    for (const row of list.items) if (row.name === name || members.includes(row.name)) row.status = "sent";
    for (const one of [name, ...members]) sent.add(one);
    list.paint();
    if (other >= 0) list.go(other);
    ui.decide("together", { name, members });
    ui.announce(`${members.length} ${of === "text" ? "texts seen" : "values accepted"}`);
    list.node.focus({ preventScroll: true });
  }

  function page_on(event) {
    if (event.target.closest("button")) return false;
    hunks.scrollIntoView({ block: "nearest" });
    hunks.scrollBy({ top: hunks.clientHeight * 0.85 });
  }

  function draw_acts() {
    if (detail.kind === "group") return draw_group_acts();
    if (asking === detail.name && acts.querySelector("form")) return;
    asking = null;
    const had = acts.contains(document.activeElement);
    if (detail.kind === "text") fill(acts, button("Seen: nothing more here", () => decide("see"), { key: "s", look: "primary" }));
    else {
      fill(acts,
        button("Accept", () => decide("accept"), { key: "a", look: "primary" }),
        button("Redraw", () => decide("draw", { strategy: "next_draw" }), { key: "n", title: "Accept with another pseudonym" }),
        button("Same length", () => decide("draw", { strategy: "exact_length" }), { key: "e", title: "Accept with a pseudonym of the same length" }),
        button("Not personal", () => decide("reject"), { key: "x" }),
        button("Retain …", ask, { key: "r" }));
    }
    if (had) list.node.focus({ preventScroll: true });
  }

  /** Decide and go on: the next finding is asked for first, so that nobody waits for the store. */
  function decide(kind, fields = {}) {
    if (!detail || detail.kind === "group" || detail.name !== open || sent.has(open)) return;
    if ((kind === "see") !== (detail.kind === "text")) return;
    const { name, type } = detail;
    const row = list.items[list.index];
    const next = list.items.findIndex((one, nth) => nth > list.index && one.status === "open");
    const other = next >= 0 ? next : list.items.findIndex((one) => one !== row && one.status === "open");
    asking = null;
    sent.add(name);
    if (kind !== "draw" && row?.name === name) row.status = "sent";
    if (kind !== "draw" && other >= 0) list.go(other);
    ui.decide(kind, { name, ...fields });
    ui.announce(`${typed(type)}: ${{ see: "seen", accept: "accepted", draw: "drawn again", reject: "not personal", retain: "stays" }[kind]}`);
    list.node.focus({ preventScroll: true });
  }

  function ask() {
    if (!detail || detail.kind !== "value") return;
    const why = el("input", { class: "wb-input", type: "text", autocomplete: "off" });
    const back = () => { asking = null; draw_acts(); list.node.focus({ preventScroll: true }); };
    const form = el("form", { on: { submit: (event) => { event.preventDefault(); if (why.value.trim()) decide("retain", { reason: why.value }); else why.setAttribute("aria-invalid", "true"); } } },
      field("Why must it stay? The case shows it", why, { hide: true }),
      el("button", { type: "submit", class: "wb-button wb-button-primary" }, "Retain"), button("Cancel", back));
    why.placeholder = "Why must it stay? The case shows it";
    keys(form, { Escape: back }, { typing: true });
    form.addEventListener("keydown", (event) => event.stopPropagation());
    asking = detail.name;
    fill(acts, form);
    why.focus();
  }

  function reveal(event) {
    if (event.repeat || held || !detail || detail.kind === "text" || detail.of === "text") return;
    held = true;
    ui.say(detail.kind === "group" ? "reveal_group" : "reveal", { name: open });
  }

  function conceal() {
    if (!held) return;
    held = false;
    raw = null;
    if (detail) redraw();
  }

  keys(ui.root, {
    a: () => decide("accept"), n: () => decide("draw", { strategy: "next_draw" }), e: () => decide("draw", { strategy: "exact_length" }),
    x: () => decide("reject"), r: ask, s: () => decide("see"), g: together, " ": page_on,
    u: () => { if (!undo.disabled) ui.say("undo"); }, U: () => { if (!undo.disabled) ui.say("undo_one"); },
    w: () => { if (!write.disabled) ui.say("write"); }, j: () => list.go(list.index + 1), k: () => list.go(list.index - 1), h: reveal,
  });
  const up = (event) => { if (event.key === "h") conceal(); };
  ui.root.addEventListener("keyup", up);
  window.addEventListener("blur", conceal);
  ui.say("ready");
  return () => { window.removeEventListener("blur", conceal); watch.end(); list.end(); ui.end(); };
}

export default { render };
