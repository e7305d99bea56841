// Cases that need a decision, the worst first: why on the left, one decision with a reason on the right.

const ACTIONS = [
  ["keep", "Keep", "It still guards something: choose the next review date.", "Next review"],
  ["fix", "Fix", "It stays, and somebody mends it; the date moves if one is given.", "Next review, if it moves"],
  ["mute", "Mute", "It runs and does not gate until a day.", "Until"],
  ["archive", "Archive", "It is kept and not run.", ""],
];
const LOOKS = {
  unreadable: "bad", overdue: "bad", withdrawn: "bad", tool_gone: "bad", owner_unknown: "warn", older_schema: "warn", tool_drift: "warn",
  mute_ends: "warn", near: "warn", never_proven: "warn",
};
const VERDICTS = { pass: ["✓ pass", "ok"], fail: ["✗ fail", "bad"], inconclusive: ["? inconclusive", "warn"] };

/** Draw verdicts one by one, oldest first: up and filled passed, down failed, a short one in between is neither. */
function spark(last, { width = 4, height = 18, many = 20 } = {}) {
  const shown_ones = last.slice(-many);
  const middle = height / 2;
  const root = svg("svg", { class: "wb-spark", viewBox: `0 0 ${many * width} ${height}`, width: many * width, height, role: "img",
    "aria-label": said(shown_ones) });
  root.append(svg("title", {}, said(shown_ones)), svg("line", { class: "wb-spark-axis", x1: 0, x2: many * width, y1: middle, y2: middle }));
  const from = many - shown_ones.length;
  shown_ones.forEach(([verdict], nth) => {
    const tall = verdict === "pass" || verdict === "fail" ? middle - 1.5 : 3;
    const y = verdict === "pass" ? middle - tall : verdict === "fail" ? middle : middle - tall / 2;
    root.append(svg("rect", { class: `wb-spark-${VERDICTS[verdict] ? verdict : "inconclusive"}`, x: (from + nth) * width + 0.5, y, width: width - 1, height: tall, rx: 0.5 }));
  });
  return root;
}

function said(last) {
  if (!last.length) return "no trial was recorded";
  const number = (verdict) => last.filter(([one]) => one === verdict).length;
  const [newest, version, day] = last[last.length - 1];
  const others = last.length - number("pass") - number("fail");
  return `last ${last.length} trials: ${number("pass")} pass, ${number("fail")} fail${others ? `, ${others} inconclusive` : ""}; newest: ${newest}${version ? ` with ${version}` : ""}${day ? ` on ${day}` : ""}`;
}

export default {
  render(context) {
    let now = null;
    let wanted = null;
    let action = "keep";
    const ui = frame(context, {
      name: "stale",
      title: "Which cases need a decision?",
      about: "Worst first. Each ends in one decision, with a name and a reason, written to the case file.",
      terms: {
        stale: "Past its review date, or no longer able to fail.",
        "never proven": "No accepted path that passes, or a clause that nothing turns red.",
        proposed: "Exported, not yet in force: it runs and does not gate.",
        duplicate: "Fails as another case does, over the same tools.",
        "tool drift": "A tool is described otherwise today than in the case: reworded, additive or breaking.",
        "tool gone": "A tool of the case is not offered any more.",
        "always passes": "It passed with each of the last versions: does it still guard something?",
        history: "Recorded trials, oldest first: a bar up passed, one down failed, a dot is inconclusive.",
      },
      keys: { "↑ ↓": "next and previous case", "Home End": "first and last case", "k f m a": "keep, fix, mute, archive (in the list)",
        "Ctrl Enter": "write the decision", "Esc": "back to the list", "?": "this help" },
      hears: { rows: draw, decided },
    });
    const by = el("input", { class: "wb-input", type: "text", autocomplete: "name", on: { change: () => ui.say("reviewer", { by: by.value }) } });
    const reason = el("textarea", { class: "wb-input", rows: 3, on: { input: ready } });
    const until = el("input", { class: "wb-input", type: "date", on: { input: ready } });
    const untilLabel = el("span", {}, "Next review");
    const dated = el("div", { class: "wb-field" }, el("label", { class: "wb-label" }, untilLabel, until));
    const choices = el("div", { class: "wb-bar", role: "group", "aria-label": "Decision" });
    const meaning = el("p", { class: "wb-note" });
    const deciding = button("Write the decision", decide, { look: "primary", disabled: true });
    const detail = el("div", { class: "wb-half" });
    const record = el("pre", { class: "wb-mono wb-value wb-preview", tabindex: "0", role: "group", "aria-label": "Record of the meeting" });
    const form = el("div", { class: "wb-proof" }, choices, meaning, dated, field("Reason", reason), field("Your name", by),
      el("div", { class: "wb-bar" }, deciding));

    const list = rows({
      label: "Cases", height: 30, visible: 12,
      draw: (row) => [
        el("span", { class: "wb-cell wb-stale-sign" }, sign(row)),
        el("span", { class: "wb-cell wb-value wb-stale-name", title: row.title ?? row.place }, text(row.id ?? row.place)),
        el("span", { class: "wb-cell wb-stale-spark" }, row.trials.last.length ? spark(row.trials.last, { width: 3, many: 20 }) : null),
        el("span", { class: "wb-cell wb-num wb-stale-date" }, row.review_date ?? ""),
      ],
      name: (row) => `${row.id ?? row.place}, ${row.trials.last.length ? `${said(row.trials.last.slice(-20))}, ` : ""}${row.decided ? `decided: ${row.decided.action}` : row.signs.map((one) => one.sentence).join("; ") || "nothing to decide"}`,
      onselect: show,
      acts: Object.fromEntries(ACTIONS.map(([name]) => [name[0], () => { choose(name); (until.value || dated.hidden ? reason : until).focus(); }])),
    });
    const back = () => list.node.focus({ preventScroll: true });
    form.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      event.stopPropagation(); // it would run the cell
      if (!deciding.disabled) decide();
    });
    keys(form, { Escape: back }, { typing: true });
    put(ui.aside, button("Refresh", () => ui.say("refresh"), { look: "quiet", title: "Read the files again" }));

    function sign(row) {
      if (row.decided) return chip(`✓ ${row.decided.action}`, "ok");
      const worst = row.signs[0];
      if (!worst) return chip(row.state === "archived" ? "archived" : "✓ nothing", "quiet");
      return chip(worst.kind.replaceAll("_", " "), LOOKS[worst.kind] ?? "quiet");
    }
    function choose(name) {
      action = name;
      const [, , words, label] = ACTIONS.find(([one]) => one === name);
      fill(choices, ACTIONS.map(([one, said]) => button(said, () => choose(one), { pressed: one === name })));
      meaning.textContent = words;
      untilLabel.textContent = label;
      dated.hidden = !label;
      ready();
    }
    function ready() {
      const needsDate = action === "keep" || action === "mute";
      deciding.disabled = !now || now.id === null || now.state === "archived" || !reason.value.trim() || (needsDate && !until.value);
    }
    function decide() {
      wanted = now.place;
      ui.say("reviewer", { by: by.value });
      ui.say("decide", { place: now.place, seal: now.seal, action, reason: reason.value, until: action === "archive" ? "" : until.value });
    }
    function show(row) {
      now = row;
      fill(detail,
        el("h4", { class: "wb-value" }, row.title ?? row.place),
        row.title ? el("p", { class: "wb-soft wb-value" }, row.place) : null,
        el("div", { class: "wb-bar" }, row.state ? chip(row.state) : null, row.severity ? chip(row.severity) : null,
          row.owner ? chip(row.owner) : null, row.proven === true ? chip("✓ proven", "ok") : null,
          Object.entries(row.trials.counts).map(([verdict, number]) => chip(`${count(number)} × ${VERDICTS[verdict]?.[0] ?? verdict}`, VERDICTS[verdict]?.[1] ?? "quiet"))),
        history(row),
        el("ul", { class: "wb-clauses" }, row.signs.map((one) => el("li", {},
          chip(one.kind.replaceAll("_", " "), LOOKS[one.kind] ?? "quiet"), " ", el("span", { class: "wb-value" }, one.sentence),
          one.fix ? el("div", { class: "wb-soft" }, `Fix: ${one.fix}`) : null))),
        row.decided ? el("p", { class: "wb-value" }, chip(`✓ ${row.decided.action}`, "ok"), ` by ${row.decided.by}: ${row.decided.reason}`) : null,
        row.id !== null && row.state !== "archived" ? form : null);
      choose(action);
    }
    function history(row) {
      const last = row.trials.last;
      if (!last.length) return el("p", { class: "wb-soft" }, "No trial was recorded; `workbench run --record` does.");
      const total = Object.values(row.trials.counts).reduce((sum, number) => sum + number, 0);
      const days = last.map(([, , day]) => day).filter(Boolean);
      return el("div", { class: "wb-history" }, spark(last, { width: 9, height: 34, many: 40 }),
        el("p", { class: "wb-soft" }, `${count(last.length)} of ${count(total)} trials, oldest first`,
          days.length ? `, ${days[0]} to ${days[days.length - 1]}` : "", ". Up passed, down failed."));
    }
    function draw({ rows: all, summary, record: words, reviewer }) {
      ui.status(summary);
      if (!by.value) by.value = reviewer;
      fill(record, words);
      if (!all.length) {
        fill(ui.body, state("empty", "There is no case here.", "Export one, or name another folder."));
        return;
      }
      if (!list.node.isConnected) fill(ui.body, el("div", { class: "wb-halves" },
        el("div", { class: "wb-stale-all" },
          el("div", { class: "wb-columns", "aria-hidden": "true" }, el("span", { class: "wb-stale-sign" }, "Worst sign"), el("span", { class: "wb-stale-name" }, "Case"),
            el("span", { class: "wb-stale-spark" }, "History"), el("span", { class: "wb-stale-date" }, "Next review")),
          list.node,
          el("div", { class: "wb-half wb-stale-record" }, el("h4", {}, "Record of the meeting, Markdown"), record)),
        detail));
      const at = Math.max(0, all.findIndex((row) => row.place === (wanted ?? now?.place)));
      list.set(all, { keep: at });
      show(all[at]);
    }
    function decided({ place: where, action: what }) {
      ui.drop("refused");
      reason.value = "";
      ui.announce(`${what}: written to ${where}`);
      ui.notice("done", `${what[0].toUpperCase()}${what.slice(1)}: written to ${where}.`);
      list.node.focus({ preventScroll: true });
    }

    ui.say("ready");
    return () => { list.end(); ui.end(); };
  },
};
