// The case: what people fill in, the file that would be written, and the proof of the one that was.

const FIELDS = [
  ["owner", "Owner", "a team, or a person"],
  ["review_date", "Next review", "a day to come"],
  ["severity", "Severity", "S1 is the worst"],
  ["title", "Title", "else what broke first"],
  ["id", "Id", "else made of what broke"],
  ["fix", "Where it can be prevented", ""],
  ["summary", "What happened", ""], ["impact", "Impact", ""], ["cause", "Cause", ""], ["mend", "What mends it", ""],
];
const CHOICES = {
  severity: [["S1", "S1"], ["S2", "S2"], ["S3", "S3"]],
  fix: [["", "as the contract says"], ["model", "by the model"], ["code", "by code"]],
};

export default {
  render(context) {
    let timer = 0;
    let exported = false;
    let whole = false;
    const ui = frame(context, {
      name: "export",
      title: "Write the case",
      about: "One file for a pull request. Nothing is written before the form is whole.",
      terms: {
        case: "The file that protects against this incident.",
        owner: "Who is asked when the case is due.",
        "accepted path": "A way through the case that is right; it must pass.",
        repair: "The recorded path, cut before its first violation and ended honestly.",
        active: "Recorded red, accepted green, no dead clause, every text seen: from then on it gates.",
      },
      keys: { Tab: "Next field", Enter: "Press the button", "?": "This help" },
      hears: { fields, checked, proof },
    });
    const inputs = Object.fromEntries(FIELDS.map(([name]) => [name, input(name)]));
    const wrong = Object.fromEntries(FIELDS.map(([name]) => [name, el("span", { class: "wb-said", id: uid("problem") })]));
    const general = el("div", { class: "wb-problems", role: "status", "aria-live": "polite" });
    const exporting = button("Export", () => ui.say("export", values()), { look: "primary", disabled: true });
    const preview = el("pre", { class: "wb-mono wb-value wb-preview", tabindex: "0", role: "region", "aria-label": "The case file" });
    const heading = el("h4", {}, "Preview");
    const proving = el("div", { class: "wb-proof" });

    for (const [name] of FIELDS) inputs[name].setAttribute("aria-describedby", wrong[name].id);
    fill(ui.body, el("div", { class: "wb-halves" },
      el("div", { class: "wb-half" },
        el("div", { class: "wb-grid" }, FIELDS.map(([name, label, note]) => {
          const box = labelled(label, inputs[name], note);
          return put(box, wrong[name]);
        })), general, el("div", { class: "wb-bar" }, exporting), proving),
      el("div", { class: "wb-half" }, heading, preview)));

    function labelled(label, node, note) {
      node.id ||= uid("field");
      return el("div", { class: "wb-field" }, el("label", { for: node.id, class: "wb-label" }, label, note ? ` (${note})` : ""), node);
    }
    function input(name) {
      if (CHOICES[name]) return select(CHOICES[name], later);
      return el("input", { class: "wb-input", type: name === "review_date" ? "date" : "text", autocomplete: "off",
        on: { input: later, blur: () => ui.say("fill", values()) } });
    }
    function values() {
      return Object.fromEntries(Object.entries(inputs).map(([name, node]) => [name, node.value]));
    }
    function later() {
      exporting.disabled = true;
      clearTimeout(timer);
      timer = setTimeout(() => ui.say("check", values()), 250);
    }
    function fields(message) {
      for (const [name, node] of Object.entries(inputs)) node.value = message[name];
    }
    function checked({ problems, preview: words, can_be_exported: can }) {
      whole = can;
      for (const [name, node] of Object.entries(inputs)) {
        const found = exported ? [] : problems.filter((one) => one.field === name);
        node.setAttribute("aria-invalid", String(found.length > 0));
        fill(wrong[name], found.map((one) => el("span", { class: "wb-problem" }, one.message, one.fix ? `. ${one.fix}` : "")));
      }
      const others = problems.filter((one) => !(one.field in inputs));
      fill(general, exported ? null : others.map((one) => el("p", { class: "wb-problem" }, one.message, one.fix ? `. Fix: ${one.fix}` : "")));
      if (!exported) {
        fill(preview, words ?? "The file is shown here as soon as the form is whole.");
        exporting.disabled = !whole;
      }
    }
    function proof({ proof: found, summary }) {
      ui.status(summary);
      exported = found !== null;
      exporting.hidden = exported;
      for (const node of Object.values(inputs)) node.disabled = exported;
      if (!exported) return;
      checked({ problems: [], preview: null, can_be_exported: false });
      ui.drop("refused");
      ui.announce(summary);
      heading.textContent = "The file";
      fill(preview, found.text);
      const lines = [
        [found.recorded_red, "the recorded path fails as the incident did"],
        [found.accepted_green === true, found.accepted_green === null ? "no accepted path yet" : "every accepted path passes"],
        [found.dead_clauses.length === 0, "every clause can turn red"],
        [found.unreviewed === 0, found.unreviewed ? `${count(found.unreviewed)} texts were seen by nobody yet` : "every text was seen"],
        [found.state === "active", `the case is ${found.state}`],
      ];
      fill(proving, el("h4", {}, "Self-test"),
        el("ul", { class: "wb-clauses" }, lines.map(([good, words]) => el("li", {}, chip(good ? "✓" : "✗ not yet", good ? "ok" : "warn"), " ", words))),
        found.problems.map((one) => el("p", { class: "wb-soft wb-value" }, `${one.at}: ${one.sentence}`)),
        el("div", { class: "wb-bar" },
          button("Accept the repaired path", () => ui.say("accept"), { disabled: found.accepted_green !== null }),
          button("Activate", () => ui.say("activate"), { look: "primary", disabled: found.accepted_green !== true || found.state === "active" })),
        el("p", { class: "wb-label" }, "Run your agent against it"),
        el("pre", { class: "wb-mono wb-value", tabindex: "0", role: "region", "aria-label": "Command" }, found.command));
    }

    ui.say("ready");
    return () => { clearTimeout(timer); ui.end(); };
  },
};
