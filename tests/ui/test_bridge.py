"""What a view syncs, says, hears and refuses; seen from the side of the kernel."""

from __future__ import annotations

import importlib
import pkgutil
import re
from threading import RLock
from typing import ClassVar

import pytest

import workbench.ui.views
from tests.architecture.tree import PACKAGE
from workbench.errors import RefusedError
from workbench.ui.bridge import SYNCED, View, module, stylesheet

STATIC = PACKAGE / "ui" / "static"
CANARY = "ada@example.org"


class Probe:
    """A controller that knows a secret."""

    def __init__(self):
        self.lock = RLock()
        self.took: list[int] = []

    def summary(self):
        """Say nothing of the secret."""
        return f"{len(self.took)} taken"


class ProbeView(View):
    """A view of it."""

    _esm: ClassVar[str] = "export default { render() {} }"
    _css: ClassVar[str] = ""

    def __init__(self, controller):
        self.controller: Probe
        super().__init__(controller)
        self.sent = []
        self.hear("take", self.take, number=int)
        self.hear("refuse", self.refuse)
        self.hear("break", self.breaks)

    def send(self, content, buffers=None):
        """Keep what would go to the browser."""
        self.sent.append(content)

    def ready(self):
        """Tell the secret, by message."""
        self.tell("secret", text=CANARY)

    def take(self, *, number):
        """Take a number."""
        self.controller.took.append(number)

    def refuse(self):
        """Refuse."""
        message = "a fact of the trigger is lost"
        raise RefusedError(message, fix="choose another strategy")

    def breaks(self):
        """Fail with a text of the trace in the message, as libraries do."""
        raise ValueError(CANARY)


@pytest.fixture
def view():
    """A view without a browser."""
    return ProbeView(Probe())


def receive(view, content):
    """Have a message arrive as ipywidgets delivers it."""
    view._handle_custom_msg(content, [])


def view_classes():
    """Return every view of the package."""
    for info in pkgutil.iter_modules(workbench.ui.views.__path__, "workbench.ui.views."):
        importlib.import_module(info.name)
    found = {one for one in View.__subclasses__() if one.__module__.startswith("workbench.")}
    return sorted(found, key=lambda one: one.__name__)


def test_there_are_views():
    """The walks below would be green over nothing."""
    assert {"PickerView", "TimelineView"} <= {one.__name__ for one in view_classes()}


@pytest.mark.parametrize("kind", view_classes(), ids=lambda kind: kind.__name__)
def test_a_view_syncs_only_what_holds_no_text_of_a_trace(kind):
    """Papermill, nbconvert and nbmake save every synced trait."""
    own = {name for name, _ in kind.class_traits(sync=True).items()}

    assert own <= SYNCED
    assert isinstance(kind._esm, str)
    assert isinstance(kind._css, str)


@pytest.mark.parametrize("file", sorted(STATIC.glob("*.js")), ids=lambda file: file.stem)
def test_no_name_is_twice_in_a_scope_of_a_module(file):
    """Two constants of one name are a syntax error, and a view that is blank without a word."""
    own = file.read_text("utf-8")
    names = re.findall(r"^(?:const|let|function|class) (\w+)", own, re.MULTILINE)
    assert len(names) == len(set(names))
    if file.stem == "dom":
        assert "\nexport" not in own
        return

    helper, _, rest = module(file.stem).partition("\nexport default (() => {\n")

    assert helper == (STATIC / "dom.js").read_text("utf-8")
    assert rest.endswith("\n})();\n")
    assert "\nexport" not in rest
    after = rest.partition("\nreturn ")[2].splitlines()[1:]
    assert [line for line in after if line[:1].isalpha()] == []


def test_repr_and_bundle_say_the_class_and_no_more(view):
    """`text/plain` of a widget is saved with the notebook, even without widget state."""
    bundle = view._repr_mimebundle_()[0]

    assert repr(view) == "ProbeView"
    assert bundle["text/plain"] == "ProbeView"
    assert CANARY not in str(view.get_state())
    assert set(view.get_state()) <= SYNCED
    assert view.summary() == "0 taken"


@pytest.mark.parametrize(
    "content",
    [
        None,
        "take",
        {},
        {"kind": 3},
        {"kind": "unknown"},
        {"kind": "take"},
        {"kind": "take", "number": "1"},
        {"kind": "take", "number": 1, "more": 2},
        {"kind": ["take"]},
    ],
)
def test_what_is_not_understood_is_counted_and_nothing_else(view, content):
    """A script in the page can send anything."""
    receive(view, content)

    assert view.ignored == 1
    assert view.controller.took == []
    assert view.sent == []


def test_an_understood_message_reaches_its_callback(view):
    """And it holds the lock while it works."""
    receive(view, {"kind": "take", "number": 7})
    receive(view, {"kind": "ready"})

    assert view.controller.took == [7]
    assert view.sent == [{"kind": "secret", "text": CANARY}]
    assert view.ignored == 0


def test_a_refusal_is_shown_with_its_fix(view):
    """Our own errors hold no text of a trace, so they may be read."""
    receive(view, {"kind": "refuse"})

    assert view.sent[0]["kind"] == "refused"
    assert "Fix: choose another strategy" in view.sent[0]["message"]


def test_any_other_failure_says_where_and_never_what(view, capsys):
    """The message of a library's error may quote a value; it must reach no output."""
    receive(view, {"kind": "break"})

    assert view.sent[0]["error"] == "ValueError"
    assert view.sent[0]["place"].startswith("test_bridge.py:")
    assert CANARY not in str(view.sent)
    assert CANARY not in "".join(capsys.readouterr())


def test_a_module_begins_with_the_helper_and_exports_one_render():
    """The browser is given one file, without a build step."""
    for name in ("picker", "timeline"):
        text = module(name)
        assert text.startswith((STATIC / "dom.js").read_text("utf-8")[:40])
        assert text.count("export default") == 1
    assert stylesheet().count("--wb-surface:") == 1
    assert stylesheet("timeline").startswith(stylesheet())


FORBIDDEN = re.compile(
    r"\b(fetch|XMLHttpRequest|WebSocket|EventSource|importScripts|localStorage|sessionStorage|DOMParser"
    r"|indexedDB)\b|https?://(?!www\.w3\.org/2000/svg)|\bimport\s*[({\"']|@import|url\(|\.cookie\b"
    r"|\.(href|src|action)\s*=|setAttribute\(\s*[\"'](on|href|src|style)|\.cssText"
)


@pytest.mark.parametrize("path", sorted(STATIC.iterdir()), ids=lambda path: path.name)
def test_what_the_browser_is_given_fetches_nothing_and_has_no_sink(path):
    """No CDN, no beacon, no storage, and no address or style from data."""
    found = [line for line in path.read_text("utf-8").splitlines() if FORBIDDEN.search(line)]

    assert found == []


def test_the_search_above_finds_what_it_searches():
    """A pattern that matches nothing would be green for ever."""
    for line in ("fetch(a)", "a.href = b", "import('x')", "@import 'x'", "https://cdn.example"):
        assert FORBIDDEN.search(line)


def test_only_the_helper_sets_attributes_and_makes_elements():
    """One place to review."""
    found = [
        f"{path.name}: {line.strip()}"
        for path in STATIC.glob("*.js")
        if path.name != "dom.js"
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"createElement|createTextNode|setAttributeNS", line)
    ]

    assert found == []
