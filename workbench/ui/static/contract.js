// The contract: suggestions with their evidence, three clauses to start from, and a text judged as typed.

const RESULTS = { fail: ["✗ broken", "bad"], pass: ["✓ holds", "ok"], inconclusive: ["? not known", "warn"] };
const CERTAIN = { high: ["sure", "bad"], medium: ["likely", "warn"], low: ["perhaps", "quiet"] };
const PARTS = [
  ["forbidden", "Must never be called", "billing.pause#unknown"],
  ["evidence", "Success needs this evidence", "tool.field == value"],
  ["final", "At the end this holds", "claim == unresolved"],
];

export default {
  render(context) {
    let timer = 0;
    let told = null; // the text as the kernel has it
    let sent = null; // as it was sent last
    let is_contested = false; // whether somebody must choose between two texts: leaving the field does not
    let is_dirty = false; // whether somebody typed since the kernel had what stands here
    const ui = frame(context, {
      name: "contract",
      title: "What must never happen again?",
      about: "Take suggestions, or write clauses. The run must break the contract, or there is nothing to keep.",
      terms: {
        contract: "All clauses of one case.",
        clause: "One rule that a run keeps or breaks, the same way every time.",
        evidence: "The events that make it so; # is their number on the timeline.",
        "✗ broken": "This run breaks the clause: that is what the case will protect against.",
        "? not known": "The run does not say. List the clause under unproven with a reason, or change it.",
        unproven: "A list of clauses that this run cannot answer, each with a reason.",
      },
      keys: {
        Tab: "next control", "Ctrl Enter": "state the contract (in its text)", u: "take back what you decided last (outside of the text)",
        "Esc": "leave the text, or this help", "?": "this help",
      },
      sync: 10000,
      hears: { suggestions, text: typed, added, parts: partly, checked, stated },
    });
    const area = el("textarea", {
      class: "wb-input wb-mono wb-code", rows: 14, spellcheck: "false",
      placeholder: "Take a suggestion, or write clauses here:\nmax_calls: {billing.pause: 1}", on: { input: later, blur: keep },
    });
    const problems = el("div", { class: "wb-problems", id: uid("problems"), role: "status", "aria-live": "polite" });
    const clauses = el("ul", { class: "wb-clauses", "aria-label": "Clauses on this run" });
    const stating = button("State this contract", state_it, { look: "primary", disabled: true });
    const undo = button("Undo", () => { sent = area.value; ui.say("undo"); }, { key: "u", title: "Take back what you typed or stated last" });
    const list = el("ul", { class: "wb-cards", "aria-label": "Suggestions" });
    const parts = Object.fromEntries(PARTS.map(([name, , example]) => [name, el("input", {
      class: "wb-input wb-mono", type: "text", placeholder: example, spellcheck: "false", autocomplete: "off", on: { input: later_parts },
    })]));
    const adding = button("Add these clauses", () => decide("preset", filled()), { disabled: true });
    const editor = field("Contract, YAML", area);
    area.setAttribute("aria-describedby", problems.id);

    fill(ui.body, el("div", { class: "wb-halves" },
      el("div", { class: "wb-half" },
        el("h4", {}, "Suggestions"), list,
        el("h4", {}, "Start from three clauses"),
        el("div", { class: "wb-grid" }, PARTS.map(([name, label]) => field(label, parts[name]))),
        el("div", { class: "wb-bar" }, adding)),
      el("div", { class: "wb-half" }, editor, problems, clauses, el("div", { class: "wb-bar" }, stating, undo))));
    fill(list, el("li", {}, state("loading", "Looking for what went wrong …")));

    function later() {
      is_dirty = true;
      judge_soon();
    }
    function judge_soon() {
      stating.disabled = true;
      clearTimeout(timer);
      if (area.value.length > MAX_TEXT) {
        show_problems([{ message: `The text has ${count(area.value.length)} characters; at most ${count(MAX_TEXT)} are taken.`, fix: "shorten it" }]);
        return;
      }
      timer = setTimeout(() => ui.say("check", { text: area.value }), 250);
    }
    function filled() { return Object.fromEntries(PARTS.map(([name]) => [name, parts[name].value])); }
    function later_parts() {
      adding.disabled = true;
      clearTimeout(later_parts.timer);
      later_parts.timer = setTimeout(() => ui.say("parts", filled()), 250);
    }
    function partly({ problems: found, can_be_added: good }) {
      for (const [name] of PARTS) wrong(parts[name], found.filter((one) => one.field === name));
      adding.disabled = !good;
    }
    function decide(kind, fields = {}) {
      is_contested = false;
      sent = area.value;
      ui.decide(kind, { ...fields, text: sent });
    }
    function keep() { if (told !== null && area.value !== told && !is_contested) decide("keep"); }
    function state_it() { if (!stating.disabled) decide("state"); }

    function suggestions({ suggestions: found }) {
      fill(list, found.map((one, number) => {
        const [words, look] = CERTAIN[one.confidence] ?? [one.confidence, "quiet"];
        const name = one.detector.replaceAll("_", " ");
        return el("li", { class: "wb-card" },
          el("div", { class: "wb-bar" }, el("strong", {}, `${name[0].toUpperCase()}${name.slice(1)}`), chip(words, look, { title: `Confidence: ${one.confidence}` }),
            el("span", { class: "wb-grow" }),
            button("Take", () => decide("use", { number }), { title: `Add the clause of ${name}` })),
          el("p", { class: "wb-value" }, one.sentence),
          proofs(one.evidence),
          el("pre", { class: "wb-mono wb-value", tabindex: "0", role: "group", "aria-label": `Clause of ${name}` }, one.text.trimEnd()));
      }));
      if (!found.length) fill(list, el("li", {}, state("empty", "Nothing is suggested.", "State what went wrong in clauses of your own.")));
    }
    function proofs(evidence) {
      if (!evidence.length) return null;
      const first = evidence.slice(0, 6);
      return el("p", { class: "wb-soft wb-proofs" }, first.map(([seq, words]) => el("span", { title: words }, el("b", {}, `#${seq}`), ` ${words}`)),
        evidence.length > first.length ? `and ${count(evidence.length - first.length)} more of ${count(evidence.length)}` : null);
    }
    function typed({ text: words, by, summary }) {
      ui.status(summary);
      const mine = area.value;
      const was = told;
      told = words;
      if (mine === words) {
        is_dirty = is_contested = false;
        ui.drop("theirs");
        if (was === null) put_text(words);
      } else if (!is_dirty) put_text(words);
      else if (words !== was && words !== sent) contest(by);
    }
    function contest(by) {
      is_contested = true;
      const settle = (act) => () => {
        is_contested = false;
        ui.drop("theirs");
        ui.drop("refused");
        act();
      };
      ui.notice("theirs", `${by || "Somebody"} wrote another text meanwhile. What you typed is still here; to state it is to decide for it.`,
        button("Show theirs", settle(() => put_text(told))), button("Keep mine", settle(() => { keep(); area.focus(); })));
    }
    function put_text(words) {
      area.value = words;
      is_dirty = false;
      judge_soon();
    }
    function added({ text: words }) {
      ui.drop("refused");
      if (area.value !== sent && area.value !== words) return; // typed in since: `typed` has said so
      ui.drop("theirs");
      put_text(words);
      ui.announce("The text has changed");
    }
    function show_problems(wrongs_found) {
      area.setAttribute("aria-invalid", String(wrongs_found.length > 0));
      fill(problems, wrongs_found.map((one) => el("p", { class: "wb-problem" },
        one.line ? `line ${one.line}: ` : "", one.key ? `${one.key} ` : "", one.message, one.fix ? `. Fix: ${one.fix}` : "")));
    }
    function checked({ text: words, problems: found, clauses: all, can_be_stated: whole }) {
      if (words !== area.value) return;
      show_problems(words.trim() ? found : []);
      fill(clauses, all.map((one) => {
        const [said, look] = RESULTS[one.result];
        return el("li", { class: "wb-verdict" }, chip(said, look),
          el("div", {}, el("code", {}, one.clause), " ", el("span", { class: "wb-value" }, one.sentence), proofs(one.evidence)));
      }));
      stating.disabled = !whole;
    }
    function stated({ summary }) {
      ui.drop("refused");
      ui.drop("theirs");
      ui.announce(`Stated: ${summary}`);
      ui.notice("done", `The contract is stated: ${summary}.`);
    }

    area.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation(); // it would run the cell
      state_it();
    });
    keys(area, { Escape: () => { area.blur(); undo.focus(); } }, { typing: true });
    keys(ui.root, { u: () => { if (document.activeElement !== area) undo.click(); } });
    ui.say("ready");
    return () => { clearTimeout(timer); clearTimeout(later_parts.timer); ui.end(); };
  },
};
