"""A contract is stated by people and judged as they type; the text outlives the kernel."""

from __future__ import annotations

import pytest

from tests.review.runs import an_incident
from tests.ui.stores import a_store
from workbench.errors import InputError, RefusedError
from workbench.review.incident import open_draft
from workbench.ui.controllers.clauses import merged, preset
from workbench.ui.controllers.contract import ContractForm

pytestmark = pytest.mark.desk

RUN = "run-7f3a"
TEXT = "max_calls: {billing.pause: 1}\n"


@pytest.fixture
def store(tmp_path):
    """A store with the incident's run."""
    return a_store(tmp_path / "store", an_incident())


def a_form(store, reviewer="ann", **options):
    """Open the form, as a new kernel does."""
    return ContractForm(open_draft(RUN, store=store, reviewer=reviewer), **options)


def test_suggestions_come_with_their_evidence_and_a_text_to_take(store):
    """A person decides by looking at the events, not by trusting a detector."""
    form = a_form(store)

    first = form.suggestions()[0]

    assert first["confidence"] == "high"
    assert first["evidence"]
    assert form.check(first["text"])["can_be_stated"]


def test_a_suggestion_that_is_taken_joins_what_is_typed(store):
    """Clause by clause, nothing that a person typed is lost."""
    form = a_form(store)
    form.keep("must_call: crm.lookup\n")

    text = form.use(0)

    assert text == form.text
    assert "crm.lookup" in text
    assert form.check(text)["can_be_stated"]
    with pytest.raises(InputError, match="expected one of"):
        form.use(99)


def test_the_preset_makes_three_clauses(store):
    """What most incidents need: forbidden, evidence, final state."""
    form = a_form(store)

    text = form.use_preset(
        forbidden="billing.pause",
        evidence="billing.get.status == completed",
        final="claim == unresolved",
    )
    found = form.check(text)

    kinds = [clause["clause"].partition("/")[0] for clause in found["clauses"]]
    assert kinds == ["forbid_call", "success_requires", "final_state"]
    assert found["can_be_stated"]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({}, "is empty"),
        ({"evidence": "no operator here"}, "expected"),
        ({"final": "x"}, "expected"),
    ],
)
def test_a_preset_that_says_nothing_or_cannot_be_read_is_refused(store, parts, words):
    """With the place, before it is in the text."""
    form = a_form(store)
    filled = {"forbidden": " ", "evidence": "", "final": "", **parts}

    with pytest.raises(InputError, match=words):
        form.use_preset(**filled)

    assert form.text == ""


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("max_calls: {billing.pause: -1}\n", 1, "expected an integer >= 0"),
        ("must_call: [crm.lookup]\nmax_call: {billing.pause: 1}\n", 2, "write max_calls"),
        ("must_call: [crm.lookup]\nmust_call: a\n", 2, "the same key twice"),
        ("max_calls: {billing.pause: [\n", 2, "is not YAML"),
        ("[]\n", 1, "expected a mapping"),
        ("", None, "is empty"),
        ("max_calls: {billing.pause: 9}\n", None, "does not break"),
    ],
)
def test_what_is_wrong_is_said_with_its_place_as_one_types(store, text, line, words):
    """Nothing is written by looking."""
    form = a_form(store)

    found = form.check(text)

    (problem,) = found["problems"]
    assert not found["can_be_stated"]
    assert problem["line"] == line
    assert words in f"{problem['message']} {problem['fix']}"
    assert form.text == ""


def test_a_stated_contract_is_there_for_the_next_kernel(store):
    """With the name of who stated it."""
    form = a_form(store)
    assert form.summary() == "no contract is stated yet"
    assert form.contract is None

    contract = form.state(TEXT)

    again = a_form(store, reviewer="bob")
    assert again.contract == contract
    assert again.text == TEXT
    assert again.summary() == "1 clause, stated by ann"


def test_a_contract_that_the_run_keeps_cannot_be_stated(store):
    """There would be nothing to protect against."""
    form = a_form(store)

    with pytest.raises(InputError, match="does not break"):
        form.state("max_calls: {billing.pause: 9}\n")

    assert form.contract is None


def test_what_is_typed_is_kept_once_and_a_text_that_is_no_mapping_takes_no_clause(store):
    """A store with a row a key press would be no log."""
    form = a_form(store)
    form.keep("- a\n")
    before = len(store.decisions(open_draft(RUN, store=store, reviewer="x").id))
    form.keep("- a\n")

    assert len(store.decisions(open_draft(RUN, store=store, reviewer="x").id)) == before
    with pytest.raises(InputError, match="no mapping"):
        form.use(0)


def test_two_windows_cannot_state_two_contracts_in_silence(store):
    """The later one is told, and sees what was stated; stating again is a decision about that."""
    first, second = a_form(store), a_form(store, reviewer="bob")
    first.state(TEXT)
    other = "max_calls: {billing.pause: 0}\n"

    with pytest.raises(RefusedError, match="ann decided on this meanwhile"):
        second.state(other)

    assert (second.text, second.author) == (TEXT, "ann")
    second.state(other)
    assert (second.text, second.author) == (other, "bob")


def test_a_text_typed_in_another_window_is_not_written_over(store):
    """Each keeps what was typed there; the store has the first one."""
    first, second = a_form(store), a_form(store, reviewer="bob")
    first.keep("max_calls: {a: 1}\n")

    for act in (lambda: second.keep(TEXT), lambda: second.use(0, text=TEXT, seen=0)):
        with pytest.raises(RefusedError, match="ann decided"):
            act()
        first.keep(f"{first.text}# and on\n")

    second.look_again()
    assert second.text == "max_calls: {a: 1}\n# and on\n# and on\n"
    second.keep(second.text)  # the same text contradicts nobody


def test_what_others_do_elsewhere_is_in_nobodys_way(store):
    """A mark on the timeline does not unmake a contract that is about to be stated."""
    form, other = a_form(store), open_draft(RUN, store=store, reviewer="bob")
    seen = form.seen
    other.mark("#2.args")

    form.state(TEXT, seen=seen)

    assert form.stated_text == TEXT


def test_undo_goes_back_to_what_stood_before(store):
    """Only what the reviewer decided; whoever follows the contract is told."""
    form = a_form(store)
    heard: list[str] = []
    form.on_state.append(lambda: heard.append(form.stated_text))
    form.state(TEXT)
    form.keep("draft\n")

    texts = [form.undo(), form.undo()]

    assert texts == [TEXT, ""]
    assert heard == [TEXT, ""]
    assert (form.contract, form.author) == (None, "")
    with pytest.raises(InputError, match="ann has decided nothing"):
        form.undo()


def test_clauses_join_a_text_without_losing_its_comments(store):
    """A person's reasons stand beside the clauses."""
    form = a_form(store)

    text = form.use(0, text="# agreed with billing\nmust_call: crm.lookup  # reads first\n")

    assert "# agreed with billing" in text
    assert "# reads first" in text
    assert "max_calls" in text


def test_each_field_of_the_preset_says_what_is_wrong_with_it(store):
    """As one types, before anything is added."""
    form = a_form(store)
    empty = {"forbidden": "", "evidence": " ", "final": ""}

    wrong = form.check_preset(
        {"forbidden": "billing.pause#", "evidence": "nothing", "final": "claim == sure"}
    )
    right = form.check_preset(
        {
            "forbidden": "billing.pause#unknown",
            "evidence": "billing.get.status == completed",
            "final": "",
        }
    )

    assert [one["field"] for one in wrong["problems"]] == ["forbidden", "evidence", "final"]
    assert not wrong["can_be_added"]
    assert right == {"problems": [], "can_be_added": True}
    assert form.check_preset(empty) == {"problems": [], "can_be_added": False}


def test_evidence_names_events_without_their_values(store):
    """A reader finds them on the timeline; a meeting's screen shows no value."""
    first = a_form(store).suggestions()[0]

    assert all(isinstance(seq, int) for seq, _ in first["evidence"])
    assert "tool call billing.pause" in [words for _, words in first["evidence"]]
    assert "ada.lovelace" not in repr(first["evidence"])


@pytest.mark.parametrize("text", ["\ud800", "a: \x00", "a: &x 1", "a: " + "[" * 10_000])
def test_a_hostile_text_is_a_problem_and_can_be_kept(store, text):
    """Half of what people paste is no YAML."""
    form = a_form(store)

    assert len(form.check(text)["problems"]) == 1
    form.keep(text)

    assert a_form(store).text == text


def test_a_clause_that_this_run_cannot_answer_is_named_until_it_is_listed(store):
    """Unlisted it would be green for ever."""
    text = TEXT + "final_state: [a]\nstates: {a: [state.x == 1]}\n"
    form = a_form(store)

    unfit = form.check(text)
    listed = form.check(text + "unproven: [{clause: final_state/1, reason: not recorded}]\n")

    (problem,) = unfit["problems"]
    assert "final_state/1 cannot be judged on this run" in problem["message"]
    assert [clause["result"] for clause in unfit["clauses"]] == ["fail", "inconclusive"]
    assert listed["can_be_stated"]


def test_documents_are_merged_clause_by_clause():
    """Mappings keep what is there; a value of another shape is not guessed at."""
    assert merged({"max_calls": {"a": 1}}, {"max_calls": {"a": 2, "b": 3}}) == {
        "max_calls": {"a": 1, "b": 3}
    }
    assert merged({"names": "x"}, {"names": {"a": "b"}}) == {"names": "x"}
    assert preset(forbidden="a") == {"forbid_call": ["a"]}


def test_evidence_says_what_a_claim_claims_as_the_timeline_does(store):
    """A claim that nobody labelled is read by its words, or the evidence contradicts the suggestion."""
    form = a_form(store)

    found = form.check('success_requires: {tool: billing.pause, pred: status == "done"}\n')
    words = [said for one in found["clauses"] for _, said in one["evidence"]]

    assert "claims success" in words
