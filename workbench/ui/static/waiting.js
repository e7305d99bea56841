// A step that cannot begin yet: what is missing, and a button that looks again.

export default {
  render(context) {
    const ui = frame(context, {
      name: "waiting",
      title: "Not yet",
      keys: { Enter: "Press the button", "?": "This help" },
      hears: { missing },
    });
    function missing({ title, detail }) {
      fill(ui.body, state("empty", title, detail, button("Look again", () => ui.say("again"), { title: "Read the store again" })));
      ui.status(title);
    }

    ui.say("ready");
    return () => ui.end();
  },
};
