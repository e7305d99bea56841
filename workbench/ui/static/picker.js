// The list of runs: filters, sorted columns, pages from the kernel, one of them picked.

const COLUMNS = [
  ["status", "Status", "Whether the run failed, as its recorder or the importer's label rule says"],
  ["run_id", "Run", "Id of the run"],
  ["start", "Started (UTC)", "When the run's first event happened"],
  ["n_events", "Events", "Observable steps in the run's trace"],
  ["agent", "Agent", "Who ran"],
  ["model", "Model", "Which model answered"],
  ["grade", "Grade", "What can be made of the trace, given what its recorder lost"],
];
const STATUS = { failed: ["✗ failed", "bad"], ok: ["✓ ok", "ok"], unknown: ["? unknown", "quiet"] };

export default {
  render(context) {
    let page = null;
    let wanted = 0;
    const asked = { text: "", status: "", grade: "", inside: "", sort: "start", descending: true };
    const ui = frame(context, {
      name: "picker",
      title: "Which run went wrong?",
      about: "Pick the incident's run. Everything that follows is about it.",
      terms: {
        run: "One execution of an agent.",
        status: "What the recorder, or a label, says of the run: failed, ok or unknown. It decides nothing here.",
        grade: "replayable: nothing needed was lost. needs_fixtures: a person fills named gaps. skeleton: order only. unusable.",
        "inside records": "Looks for a text, byte by byte, in the raw records of every run. Slower than the filter.",
      },
      keys: {
        "↑ ↓": "Next and previous run; at the edge the next page",
        "PageUp PageDown": "A screenful", "[ ]": "Previous and next page", Enter: "Pick the run",
        "/": "To the filter", "?": "This help",
      },
      hears: { choices, page: draw, picked, lost },
    });
    const losing = el("div", { class: "wb-lost", role: "note", hidden: true });
    ui.body.after(losing);
    const ask = (change) => { Object.assign(asked, change); ui.say("find", asked); };

    const filter = search("Filter runs", (text) => ask({ text }), { placeholder: "Filter: id, agent, model, tag …", pause: 60 });
    const inside = search("Search inside records", (text) => ask({ inside: text }), { placeholder: "Inside records …", pause: 500 });
    const status = select([["", "Any status"]], (value) => ask({ status: value }));
    const grade = select([["", "Any grade"]], (value) => ask({ grade: value }));
    status.setAttribute("aria-label", "Status");
    grade.setAttribute("aria-label", "Grade");
    const back = button("Previous", () => turn(-1), { key: "[" });
    const next = button("Next", () => turn(1), { key: "]" });
    const pick = button("Pick this run", () => choose(list.items[list.index]), { look: "primary", key: "Enter", disabled: true });
    put(ui.tools, filter, status, grade, inside,
      button("Refresh", () => ui.say("reload"), { look: "quiet", title: "Read the store again" }),
      el("span", { class: "wb-grow" }), back, next, pick);
    const heads = el("div", { class: "wb-columns", role: "group", "aria-label": "Sort by" });

    const list = rows({
      label: "Runs", height: 30, visible: 12,
      draw: (run) => COLUMNS.map(([name]) => cell(run, name)).concat(tags(run)),
      look: (run) => (run.run_id === page.picked ? "wb-picked" : ""),
      name: (run) => `${run.run_id}, ${run.status}, ${run.n_events} events${run.run_id === page.picked ? ", picked" : ""}`,
      onselect: () => { pick.disabled = false; },
      onopen: (run) => choose(run),
      acts: {
        ArrowDown: () => (list.index === list.items.length - 1 && turn(1) ? null : list.go(list.index + 1)),
        ArrowUp: () => (list.index === 0 && turn(-1) ? null : list.go(Math.max(0, list.index - 1))),
      },
    });
    keys(ui.root, { "[": () => turn(-1), "]": () => turn(1), "/": () => filter.focus() });

    function choose(run) {
      if (run) ui.say("pick", { run_id: run.run_id });
    }
    function turn(by) {
      const offset = page.offset + by * page.size;
      if (offset < 0 || offset >= page.found) return false;
      wanted = by > 0 ? 0 : page.size - 1;
      ui.say("turn", { offset });
      return true;
    }
    function choices({ status: states, grade: grades }) {
      for (const [node, counted] of [[status, states], [grade, grades]]) {
        const kept = node.value;
        for (const old of [...node.options].slice(1)) old.remove();
        for (const [value, number] of Object.entries(counted))
          if (value) node.append(el("option", { value }, `${value} (${count(number)})`));
        node.value = kept;
      }
    }
    function cell(run, name) {
      if (name === "status") {
        const [words, look] = STATUS[run.status] ?? [run.status, "quiet"];
        return el("span", { class: "wb-cell wb-col-status" }, chip(words, look));
      }
      if (name === "start")
        return el("span", { class: "wb-cell wb-col-start wb-num", title: run.ms ? `took ${duration(run.ms)}` : "" },
          run.start ? run.start.slice(0, 19).replace("T", " ") : "not recorded");
      if (name === "n_events") return el("span", { class: "wb-cell wb-col-n_events wb-num" }, count(run.n_events ?? 0));
      if (name === "run_id") return id_cell(run.run_id);
      const hit = name === "agent" || name === "model" ? asked.text.toLowerCase() : "";
      return el("span", { class: `wb-cell wb-value wb-col-${name}`, title: run[name] ?? "" },
        text(run[name] ?? "—", { hit }));
    }
    /** Ids of one recorder begin alike, so it is the end of a long one that stays in sight. */
    function id_cell(id) {
      const hit = asked.text.toLowerCase();
      const whole = [...id];
      const tail = whole.length > 24 ? 14 : 0;
      const end = tail ? whole.slice(-tail).join("") : "";
      return el("span", { class: "wb-cell wb-value wb-col-run_id", title: id },
        el("span", { class: "wb-id-start" }, text(whole.slice(0, whole.length - tail).join(""), { hit })),
        end ? el("span", { class: "wb-id-end" }, text(end, { hit })) : null);
    }
    function tags(run) {
      const is_picked = run.run_id === page.picked;
      const room = is_picked ? 0 : 1; // one whole tag says more than three cut ones
      const more = run.tags.length - room;
      return el("span", { class: "wb-cell wb-col-tags", title: run.tags.join(", ") },
        is_picked ? chip("● picked", "ok") : null,
        run.tags.slice(0, room).map((tag) => chip(el("span", { class: "wb-value" }, tag))),
        more > 0 ? el("span", { class: "wb-soft" }, `+${more}`) : null);
    }
    function draw(message) {
      const first = page === null;
      page = message;
      if (first) fill(ui.body, el("div", { class: "wb-table" }, el("div", {}, heads, list.node)));
      fill(heads, COLUMNS.map(([name, words, meaning]) => {
        const on = page.sort === name;
        return el("span", { class: `wb-cell wb-col-${name}` },
          el("button", {
            type: "button", class: "wb-sort", title: `${meaning}. Click to sort.`, "aria-pressed": String(on),
            "aria-label": `Sort by ${words}${on ? (page.descending ? ", now descending" : ", now ascending") : ""}`,
            on: { click: () => ask({ sort: name, descending: on ? !page.descending : name === "start" || name === "n_events" }) },
          }, words, el("span", { "aria-hidden": "true" }, on ? (page.descending ? " ↓" : " ↑") : "")));
      }), el("span", { class: "wb-cell wb-col-tags" }, "Tags"));
      const picked = page.rows.findIndex((run) => run.run_id === page.picked);
      const keep = first ? picked : list.node.contains(document.activeElement) ? Math.min(wanted, page.rows.length - 1) : -1;
      place(list.node, { height: 30 * Math.min(12, Math.max(4, page.total)) + 2 }); // few runs leave no void
      list.set(page.rows, { keep });
      wanted = 0;
      pick.disabled = list.index < 0;
      back.disabled = page.offset === 0;
      next.disabled = page.offset + page.size >= page.found;
      ui.body.querySelector(".wb-state")?.remove();
      list.node.hidden = page.found === 0;
      if (!page.total) put(ui.body, state("empty", "The store holds no runs yet.", "Take traces in with: workbench ingest FILE"));
      else if (!page.found)
        put(ui.body, state("empty", "No run matches.", "Try fewer letters, or another status.",
          button("Clear the filters", clear)));
      ui.status(page.found
        ? `Runs ${count(page.offset + 1)}–${count(page.offset + page.rows.length)} of ${count(page.found)}` +
          (page.found < page.total ? ` that match, of ${count(page.total)}` : "")
        : `0 of ${count(page.total)} runs`);
    }
    function clear() {
      filter.value = inside.value = status.value = grade.value = "";
      ask({ text: "", status: "", grade: "", inside: "" });
      filter.focus();
    }
    function picked({ run_id: id, summary }) {
      page.picked = id;
      list.paint();
      ui.drop("refused");
      ui.announce(summary);
      ui.status(summary);
    }

    /** Say what can never come of the picked run, or only by hand, and why. */
    function lost({ lost: said }) {
      losing.hidden = !said;
      if (!said) return fill(losing);
      fill(losing,
        el("p", {}, chip(said.can_be_exported ? `! ${said.grade}` : `✗ ${said.grade}`, said.can_be_exported ? "warn" : "bad"),
          el("strong", {}, said.can_be_exported ? "A case of this run has gaps that a person fills." : "No case of this run can ever be exported."),
          el("span", { class: "wb-soft" }, `${said.grade}: ${said.means}.`)),
        el("ul", {}, said.losses.map(([what, ...fixes]) => el("li", {}, el("span", { class: "wb-value" }, text(`Lost: ${what}`)),
          fixes.map((one) => el("span", { class: "wb-fix wb-value" }, text(one)))))),
        el("p", { class: "wb-soft" }, "More: ", el("code", { class: "wb-value" }, text(`workbench doctor ${said.run_id}`))));
    }

    ui.say("ready");
    return () => { list.end(); ui.end(); };
  },
};
