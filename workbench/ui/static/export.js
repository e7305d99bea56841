// The case: what people fill in, the file that would be written, and the proof of the one that was.

const FIELDS = [
  ["owner", "Owner", "a team, or a person"],
  ["review_date", "Next review", "a day to come"],
  ["severity", "Severity", ""],
  ["fix", "Where it can be prevented", ""],
  ["title", "Title", "else what broke first"],
  ["id", "Id", "else made of what broke"],
  ["summary", "What happened", ""], ["impact", "Impact", ""], ["cause", "Cause", ""], ["mend", "What mends it", ""],
];
const CHOICES = {
  severity: [["S1", "S1, the worst: tried at every commit"], ["S2", "S2: tried every night"], ["S3", "S3: tried every week"]],
  fix: [["", "as the contract says"], ["model", "by the model: live trials show it"], ["code", "by code: every run shows it"]],
};
const TRIES = {
  model: "Runs at every commit do not try the recorded mistake, and say so: a script could only repeat it. Only live trials (--layer live) show it mended.",
  code: "Every run plays the recorded mistake too, and the agent’s code has to stop it.",
};
const LONG = new Set(["summary", "impact", "cause", "mend"]);
const ON_PATH = { fail: ["✗ breaks it", "bad"], pass: ["✓ keeps it", "ok"], inconclusive: ["? not known", "warn"] };
const LINES = { "+": ["added", "wb-plus"], "-": ["removed", "wb-minus"], "@": ["", "wb-hunk"] };

export default {
  render(context) {
    let timer = 0;
    let limits = {};
    let by_contract = "model"; // where it can be prevented, while the form does not say
    let told = null; // the fields as the kernel has them
    let sent = {}; // as they were sent last
    const contested = new Set(); // fields of which somebody must choose one of two values
    const dirty = new Set(); // fields that were typed in since the kernel had what they say
    let exported = false;
    let stands = ""; // the summary as it was told last
    let busy = false; // whether a run is being accepted
    let found_problems = [];
    let shown_part = "file";
    const ui = frame(context, {
      name: "export",
      title: "Write the case",
      about: "One file for a pull request. Nothing is written before the form is whole.",
      terms: {
        case: "The file that protects against this incident.",
        owner: "Who is asked when the case is due.",
        "self-test": "Every path is replayed and judged, without any agent.",
        "prevented by code": "The recorded path runs too, and the code has to stop it. By the model: a script would only repeat the mistake, so only live trials show it.",
        "accepted path": "A way through the case that is right; it must pass.",
        "run of the mended agent": "A run id of the store, a trace file, or RESULTS#RUN of a trial that `workbench run --results --traces` kept. It is redacted like the incident.",
        repair: "The recorded path, cut before its first violation and ended honestly.",
        "can turn red": "Some small change of a path breaks the clause; else it protects against nothing.",
        active: "Recorded red, accepted green, no dead clause, every text seen: from then on it gates.",
      },
      keys: { Tab: "next field", Enter: "press the button", Esc: "close this help", "?": "this help" },
      sync: 10000,
      hears: { limits: (message) => { limits = message.limits; by_contract = message.fix; draw_tries(); }, fields, checked, proof },
    });
    const inputs = Object.fromEntries(FIELDS.map(([name]) => [name, input(name)]));
    const tries = el("span", { class: "wb-note", id: uid("note") });
    inputs.fix.setAttribute("aria-describedby", tries.id);
    const general = el("div", { class: "wb-problems", role: "status", "aria-live": "polite" });
    const exporting = button("Export", () => { sent = values(); ui.decide("export", sent); }, { look: "primary", disabled: true });
    const missing = el("span", { class: "wb-note" });
    const preview = el("pre", { class: "wb-mono wb-value wb-preview", tabindex: "0", role: "group", "aria-label": "The case file" });
    const heading = el("div", { class: "wb-bar" }, el("h4", {}, "Preview"));
    const run = el("input", { class: "wb-input wb-mono", type: "text", placeholder: "run id, or results.json#run_id", spellcheck: "false", autocomplete: "off", on: { input: ready } });
    const taking = button("Accept this run", take, { disabled: true });
    keys(run, { Enter: take }, { typing: true });
    const proving = el("div", { class: "wb-proof" });
    const form = el("div", { class: "wb-proof" },
      el("div", { class: "wb-grid" }, FIELDS.map(([name, label, note]) => labelled(label, inputs[name], note, name, name === "fix" ? tries : null))),
      general, el("div", { class: "wb-bar" }, exporting, missing));

    fill(ui.body, el("div", { class: "wb-halves" },
      el("div", { class: "wb-half" }, proving, form), el("div", { class: "wb-half" }, heading, preview)));

    function ready() { taking.disabled = busy || !run.value.trim(); }
    function take() { if (!taking.disabled) ui.say("accept_run", { run: run.value }); }

    function labelled(label, node, note, name, more) {
      node.id ||= uid("field");
      return el("div", { class: `wb-field ${LONG.has(name) ? "wb-wide" : ""}` },
        el("label", { for: node.id, class: "wb-label" }, label, note ? ` (${note})` : ""), node, more);
    }
    /** Say what a run tries, as it is chosen now; it decides what a green run is worth. */
    function draw_tries() {
      const chosen = inputs.fix.value || by_contract;
      fill(inputs.fix.options[0], by_contract === "code" ? "by code, as the contract says" : "by the model: the contract does not say otherwise");
      fill(tries, TRIES[chosen] ?? "");
    }
    function input(name) {
      if (CHOICES[name]) return select(CHOICES[name], () => { dirty.add(name); draw_tries(); later(); keep(); });
      const on = { input: () => { dirty.add(name); later(); }, blur: (event) => { event.target.dataset.touched = "true"; draw_wrong(); keep(); } };
      if (LONG.has(name)) return el("textarea", { class: "wb-input", rows: 2, on });
      return el("input", { class: "wb-input", type: name === "review_date" ? "date" : "text", autocomplete: "off", on });
    }
    function values() {
      return Object.fromEntries(Object.entries(inputs).map(([name, node]) => [name, node.value]));
    }
    function too_long() {
      const found = Object.entries(inputs).filter(([name, node]) => node.value.length > (limits[name] ?? MAX_TEXT));
      for (const [name, node] of found)
        wrong(node, [{ message: `is ${count(node.value.length)} characters; at most ${count(limits[name])} are taken`, fix: "shorten it" }]);
      return found.length > 0;
    }
    function later() {
      exporting.disabled = true;
      clearTimeout(timer);
      timer = setTimeout(() => { if (!too_long()) ui.say("check", values()); }, 250);
    }
    function keep() {
      if (!told || too_long()) return;
      const now = values();
      for (const name of contested) now[name] = told[name]; // leaving a field does not choose
      if (!Object.entries(now).some(([name, value]) => value !== told[name])) return;
      sent = now;
      ui.decide("fill", now);
    }
    function fields({ fields: now }) {
      const was = told;
      told = now;
      const theirs = [];
      let is_other = was === null;
      for (const [name, node] of Object.entries(inputs)) {
        if (!dirty.has(name) || node.value === now[name]) {
          is_other ||= node.value !== now[name];
          node.value = now[name];
          dirty.delete(name);
        } else if (was && now[name] !== was[name] && now[name] !== sent[name]) theirs.push(name);
      }
      draw_tries();
      if (theirs.length) {
        for (const name of theirs) contested.add(name);
        const labels = FIELDS.filter(([name]) => contested.has(name)).map(([, label]) => label).join(", ");
        ui.notice("theirs", `Somebody else filled in ${labels} meanwhile. What you typed is still here.`,
          button("Show theirs", () => { for (const name of contested) { inputs[name].value = told[name]; dirty.delete(name); } settled(); }),
          button("Keep mine", () => { settled(); keep(); }));
      }
      if (!exported && is_other) later(); // else a click on Export, which sends what was typed, would miss it
    }
    function settled() {
      contested.clear();
      ui.drop("theirs");
      ui.drop("refused");
      later();
    }
    function draw_wrong() {
      for (const [name, node] of Object.entries(inputs)) {
        const found = found_problems.filter((one) => one.field === name);
        wrong(node, node.value || node.dataset.touched ? found : []); // an empty form is not full of red
      }
    }
    function checked({ problems, preview: words, missing: names, can_be_exported: can }) {
      if (exported || too_long()) return;
      found_problems = problems;
      draw_wrong();
      const others = problems.filter((one) => !(one.field in inputs));
      fill(general, others.map((one) => el("p", { class: "wb-problem" }, one.message, one.fix ? `. Fix: ${one.fix}` : "")));
      const labels = FIELDS.filter(([name]) => problems.some((one) => one.field === name)).map(([, label]) => label);
      fill(missing, labels.length ? `Still needed: ${labels.join(", ")}` : "");
      fill(heading, el("h4", {}, "Preview"), names.length ? chip("with stand-ins for what is still needed", "warn") : null);
      fill(preview, words ?? "No case can be made of this draft; see what is said beside.");
      exporting.disabled = !can;
    }
    function proof({ proof: found, summary, is_working: working }) {
      if (busy && !working && summary !== stands) run.value = ""; // it was accepted
      stands = summary;
      busy = working;
      ready();
      ui.status(summary);
      exported = found !== null;
      form.hidden = exported;
      fill(proving);
      if (!exported) return;
      ui.drop("refused");
      ui.drop("theirs");
      ui.announce(summary);
      draw_proof(found);
      draw_file(found);
    }
    function draw_proof(found) {
      const has_path = found.accepted_green !== null;
      const lines = [
        [found.recorded_red, "The recorded path fails as the incident did"],
        [found.accepted_green === true, found.accepted_green === null ? "No accepted path yet" : found.accepted_green ? "Every accepted path passes" : "An accepted path does not pass"],
        [found.accepted_green !== null && found.dead_clauses.length === 0, found.dead_clauses.length ? "A clause cannot turn red" : found.accepted_green === null ? "Whether each clause can turn red shows on an accepted path" : "Every clause can turn red"],
        [found.unreviewed === 0, found.unreviewed ? `${count(found.unreviewed)} texts were seen by nobody yet` : "Every text was seen"],
        [found.state === "active", found.state === "active" ? "It is active: it gates from now on" : `It is ${found.state}: it runs and does not gate yet`],
      ];
      fill(proving,
        el("h4", {}, "Self-test"),
        el("ul", { class: "wb-clauses" }, lines.map(([good, words]) => el("li", { class: "wb-verdict" }, chip(good ? "✓" : "– not yet", good ? "ok" : "warn"), el("span", {}, words)))),
        el("h4", {}, has_path ? "Another accepted path" : "An accepted path"),
        el("p", { class: "wb-soft" }, "From a run of the mended agent, or by mending the recorded path: cut before its first violation, ended honestly."),
        field("Run of the mended agent", run),
        el("div", { class: "wb-bar" }, taking,
          button("Accept the repaired path", () => ui.say("accept"), { look: has_path ? "" : "primary", disabled: busy || has_path })),
        busy ? el("p", { class: "wb-note", role: "status" }, "The run is being read, redacted and tried …") : null,
        el("div", { class: "wb-bar" },
          button("Activate", () => ui.say("activate"), { look: has_path ? "primary" : "", disabled: busy || found.accepted_green !== true || found.state === "active" })),
        el("h4", {}, "Clause by clause"), table(found.clauses),
        found.problems.map((one) => el("p", { class: "wb-soft wb-value" }, one.at ? `${one.at}: ${one.sentence}` : one.sentence)),
        el("h4", {}, "Next"),
        found.commands.map(([words, command]) => el("div", { class: "wb-command" }, el("span", { class: "wb-label" }, words),
          el("pre", { class: "wb-mono wb-value", tabindex: "0", role: "group", "aria-label": words }, command))));
    }
    function table(all) {
      const on = (result) => (result === null ? el("span", { class: "wb-soft" }, "no path yet") : chip(...ON_PATH[result]));
      const turns = { true: () => chip("✓ yes", "ok"), false: () => chip("✗ no: dead", "bad"), null: () => el("span", { class: "wb-soft" }, "not known yet") };
      return el("table", { class: "wb-table" },
        el("thead", {}, el("tr", {}, ["Clause", "Recorded", "Accepted", "Can turn red"].map((words) => el("th", { scope: "col" }, words)))),
        el("tbody", {}, all.map((one) => el("tr", {}, el("th", { scope: "row" }, el("code", { class: "wb-value" }, one.clause)),
          el("td", {}, on(one.recorded)), el("td", {}, on(one.accepted)), el("td", {}, turns[String(one.can_turn_red)]())))));
    }
    function draw_file(found) {
      const show = (name) => { shown_part = name; draw_file(found); };
      const plus = found.diff.filter(([sign]) => sign === "+").length;
      const minus = found.diff.filter(([sign]) => sign === "-").length;
      const part = (name, words) => button(words, () => show(name), { pressed: shown_part === name });
      fill(heading, el("h4", { class: "wb-value" }, found.path), el("span", { class: "wb-grow" }),
        el("span", { class: "wb-bar" }, part("file", "File"), part("diff", `Last step +${count(plus)} −${count(minus)}`)));
      if (shown_part === "file") {
        fill(preview, found.text, found.hidden ? `\n… ${count(found.hidden)} more characters are in the file` : "");
        return;
      }
      if (!found.diff.length) fill(preview, "Too long to be compared here: see `git diff`.");
      else fill(preview, found.diff.map(([sign, line]) => {
        const [words, look] = LINES[sign] ?? ["", ""];
        return el("span", { class: `wb-line ${look}` }, words ? el("span", { class: "wb-sr" }, `${words}: `) : null,
          el("span", { "aria-hidden": "true" }, sign === "@" ? "" : sign), line);
      }));
    }

    ui.say("ready");
    return () => { clearTimeout(timer); ui.end(); };
  },
};
