// The contract: suggestions with their evidence, three clauses to start from, and a text judged as typed.

const RESULTS = { fail: ["✗ broken", "bad"], pass: ["✓ holds", "ok"], inconclusive: ["? not known", "warn"] };

export default {
  render(context) {
    let timer = 0;
    const ui = frame(context, {
      name: "contract",
      title: "What must never happen again?",
      about: "Take suggestions, or write clauses. The run must break the contract, or there is nothing to keep.",
      terms: {
        contract: "All clauses of one case.",
        clause: "One rule that a run keeps or breaks, the same way every time.",
        evidence: "The events that make it so.",
        unproven: "A list of clauses that this run cannot answer, each with a reason.",
      },
      keys: { Tab: "Next control", Enter: "Take the suggestion, or press the button", "?": "This help" },
      hears: { suggestions, text: typed, checked, stated },
    });
    const area = el("textarea", {
      class: "wb-input wb-mono wb-code", rows: 12, spellcheck: "false",
      on: { input: later, blur: () => ui.say("keep", { text: area.value }) },
    });
    const problems = el("div", { class: "wb-problems", id: uid("problems"), role: "status", "aria-live": "polite" });
    const clauses = el("ul", { class: "wb-clauses", "aria-label": "Clauses on this run" });
    const stating = button("State this contract", () => ui.say("state", { text: area.value }), { look: "primary", disabled: true });
    const list = el("ul", { class: "wb-cards", "aria-label": "Suggestions" });
    const parts = { forbidden: line("billing.pause#unknown"), evidence: line("tool.field == value"), final: line("claim == unresolved") };
    const editor = field("Contract, YAML", area);
    area.setAttribute("aria-describedby", problems.id);

    fill(ui.body, el("div", { class: "wb-halves" },
      el("div", { class: "wb-half" },
        el("h4", {}, "Suggestions"), list,
        el("h4", {}, "Start from three clauses"),
        el("div", { class: "wb-grid" },
          field("Must never be called", parts.forbidden), field("Success needs this evidence", parts.evidence),
          field("At the end this holds", parts.final)),
        el("div", { class: "wb-bar" }, button("Add these clauses", () =>
          ui.say("preset", Object.fromEntries(Object.entries(parts).map(([name, node]) => [name, node.value])))))),
      el("div", { class: "wb-half" }, editor, problems, clauses, el("div", { class: "wb-bar" }, stating))));

    function line(placeholder) {
      return el("input", { class: "wb-input wb-mono", type: "text", placeholder, spellcheck: "false", autocomplete: "off" });
    }
    function later() {
      stating.disabled = true;
      clearTimeout(timer);
      timer = setTimeout(() => ui.say("check", { text: area.value }), 250);
    }
    function suggestions({ suggestions: found }) {
      fill(list, found.map((one, number) => el("li", { class: "wb-card" },
        el("div", { class: "wb-bar" }, chip(one.confidence, one.confidence === "high" ? "warn" : "quiet"),
          el("strong", {}, one.detector.replaceAll("_", " ")), el("span", { class: "wb-grow" }),
          button("Take", () => ui.say("use", { number }), { title: `Add the clause of ${one.detector}` })),
        el("p", { class: "wb-value" }, one.sentence),
        el("p", { class: "wb-soft" }, "Events ", one.evidence.map((seq) => `#${seq}`).join(" ")),
        el("pre", { class: "wb-mono wb-value", tabindex: "0", role: "region", "aria-label": "Clause" }, one.text))));
      if (!found.length) fill(list, el("li", {}, state("empty", "Nothing is suggested.", "State what went wrong in your own clauses.")));
    }
    function typed({ text: words, summary }) {
      area.value = words;
      ui.status(summary);
    }
    function checked({ text: words, problems: wrong, clauses: found, can_be_stated: whole }) {
      if (words !== area.value) return;
      const blank = !words.trim();
      area.setAttribute("aria-invalid", String(wrong.length > 0 && !blank));
      fill(problems, blank ? null : wrong.map((one) => el("p", { class: "wb-problem" },
        one.line ? `line ${one.line}: ` : "", one.key ? `${one.key} ` : "", one.message, one.fix ? `. Fix: ${one.fix}` : "")));
      fill(clauses, found.map((one) => {
        const [said, look] = RESULTS[one.result];
        return el("li", {}, chip(said, look), " ", el("code", {}, one.clause), " ", el("span", { class: "wb-value" }, one.sentence));
      }));
      stating.disabled = !whole;
    }
    function stated({ summary }) {
      ui.drop("refused");
      ui.status(summary);
      ui.announce(`Stated: ${summary}`);
      ui.notice("done", `The contract is stated: ${summary}.`);
    }

    ui.say("ready");
    return () => { clearTimeout(timer); ui.end(); };
  },
};
