"""What a text shown to a person claims."""

# ruff: noqa: RUF001  the texts are Chinese too
from __future__ import annotations

import pytest

from workbench.check.claims import DEFAULT_CLAIMS, claim_outcome, text_outcome
from workbench.errors import ContractError
from workbench.model.contract import ClaimRules
from workbench.model.event import Claim, ClaimBasis, ClaimOutcome

SUCCESS, FAILURE = ClaimOutcome.SUCCESS, ClaimOutcome.FAILURE
UNRESOLVED, UNKNOWN = ClaimOutcome.UNRESOLVED, ClaimOutcome.UNKNOWN

SUCCESS_TEXTS = [
    "Your plan is paused.",
    "Your plan has been paused.",
    "I have paused your plan.",
    "I've successfully cancelled order #W123.",
    "Done.",
    "All set! Your subscription is now paused until March.",
    "The refund was processed. Is there anything else I can help you with?",
    "I paused the plan. You will not be charged again.",
    "Your order has been cancelled and you will receive a refund in 5-7 days.",
    "Great news, the booking is confirmed!",
    "Successfully updated the address.",
    "The payment went through.",
    "已为您暂停套餐。",
    "您的订单已经成功取消。",
    "退款成功，请查收。",
    "已暂停。",
    "搞定了！",
    "操作完成。",
    "We've sent the email to your colleague.",
    "The meeting has been scheduled for 3pm. Let me know if you need anything else.",
    "Your flight has been successfully booked! Thank you.",
    "The file is uploaded.",
    "I have sent the money as requested",
]
FAILURE_TEXTS = [
    "Your plan has not been paused.",
    "I was unable to pause your plan.",
    "The request failed.",
    "I couldn't cancel the order.",
    "Unfortunately, the refund was denied.",
    "I cannot do this.",
    "It hasn't been cancelled.",
    "The pause was not successful.",
    "暂停失败。",
    "很抱歉，未能取消订单。",
    "套餐没有暂停。",
    "无法退款。",
    "The plan isn't paused.",
    "I did not send the email.",
]
UNRESOLVED_TEXTS = [
    "I could not confirm that your plan is paused.",
    "I will pause your plan.",
    "I'll pause it now.",
    "Let me check that for you.",
    "Could you give me your e-mail?",
    "Please provide your account id.",
    "Once your plan is paused, you will get an email.",
    "The operation is still pending.",
    "I was not able to verify that it was paused.",
    "I will let you know as soon as it has been paused.",
    "The request timed out; I do not know whether the plan was paused.",
    "正在为您处理。",
    "无法确认是否已暂停。",
    "我会为您暂停套餐。",
    "请提供您的邮箱。",
    "如果已暂停，请忽略。",
    "To pause your plan, I need your account number.",
    "Would you like me to proceed?",
    "It may have been paused.",
    "还在处理中。",
    "We are processing your request.",
    "I'm going to cancel the order.",
]
UNKNOWN_TEXTS = [
    "The total is 42 dollars.",
    "It is sunny in Paris.",
    "",
    "42",
    "The plan costs 10 euros a month.",
    "我的名字是小明。",
    "Your plan is paused, but I could not cancel the order.",
]


@pytest.mark.parametrize("text", SUCCESS_TEXTS)
def test_a_statement_that_it_is_done_claims_success(text):
    """These bind `success_requires`."""
    assert text_outcome(text, ClaimRules()) is SUCCESS


@pytest.mark.parametrize("text", FAILURE_TEXTS)
def test_a_denial_is_no_success(text):
    """`Has not been paused` holds the words of success and says the opposite."""
    assert text_outcome(text, ClaimRules()) is FAILURE


@pytest.mark.parametrize("text", UNRESOLVED_TEXTS)
def test_doubts_promises_and_questions_claim_nothing_done(text):
    """`I will pause it` and `could not confirm that it is paused` are honest."""
    assert text_outcome(text, ClaimRules()) is UNRESOLVED


@pytest.mark.parametrize("text", UNKNOWN_TEXTS)
def test_other_texts_stay_unknown(text):
    """Unknown makes a clause inconclusive; a guess would make it wrong."""
    assert text_outcome(text, ClaimRules()) is UNKNOWN


@pytest.mark.parametrize(
    "text",
    [
        "Your flight was booked on May 2, within the last day.",
        "The travel mode is currently enabled.",
        "The visit is scheduled for Monday.",
    ],
)
def test_a_description_of_what_was_before_claims_nothing(text):
    """Agents read records aloud; that is no claim to have done anything."""
    assert text_outcome(text, ClaimRules()) is UNRESOLVED


QUOTES_AND_TRAPS = [
    ('She wrote "your plan is paused" last week.', False),
    ("The button says “Subscription cancelled”.", False),
    ('The banner reads "Done." and nothing else.', False),
    ("他说「已为您取消订单」。", False),
    ("页面上写着“退款成功”。", False),
    ('I have sent "I am late" to the whole team.', True),
    ('The note "call me" has been posted.', True),
    ("已把「明天休息」发送给大家。", True),
    ("Since your card is locked, you need a new one.", False),
    ("The Wi-Fi symbol means that Wi-Fi is enabled.", False),
    ("Confirm that the parcel has been delivered.", False),
    ("Make sure that everything is saved.", False),
    ("To find out who has paid, I look at the list.", False),
    ("It seems that the address has been changed.", False),
    ("The hotel has received praise for its garden.", False),
    ("These files are shared with the whole office.", False),
    ("Two orders are still pending.", False),
    ("The order was placed in March.", False),
    ("Your dentist's appointment has been rescheduled to Friday.", True),
    ("I have replied to the landlord.", True),
    ("Both of your pending orders have been cancelled.", True),
    ("Roaming is now enabled.", True),
    ("I added the milk to the list.", True),
    ('{"message": "Your parcel has been sent."}', True),
    ('{"message": "Shall I send the parcel?"}', False),
    ('{"state": "paused", "message": "It is paused."}', True),
    ("我已经回复了房东，也把地址更新了。", True),
    ("如果退款成功，您会收到短信。", False),
    ("还没有取消订单。", False),
    ("是否已经发货？", False),
]


@pytest.mark.parametrize(("text", "expected"), QUOTES_AND_TRAPS)
def test_words_of_others_and_states_are_told_from_deeds(text, expected):
    """Who repeats "it is done" has not said so; who says what is has not said what was done."""
    assert (text_outcome(text, ClaimRules()) is SUCCESS) is expected


def test_a_stated_outcome_wins_over_the_words():
    """The agent's own structured reply is its claim, whatever the text says."""
    for basis in (ClaimBasis.STRUCTURED, ClaimBasis.LABELLED, ClaimBasis.SCRIPTED):
        claim = Claim(text="Your plan is paused.", outcome=UNRESOLVED, basis=basis)
        assert claim_outcome(claim, ClaimRules()) is UNRESOLVED


def test_an_outcome_that_patterns_gave_is_read_again():
    """Another contract may have other patterns."""
    claim = Claim(text="Your plan is paused.", outcome=FAILURE, basis=ClaimBasis.PATTERN)

    assert claim_outcome(claim, ClaimRules()) is SUCCESS


def test_the_contracts_patterns_come_first():
    """A team knows its own words."""
    rules = ClaimRules(patterns={SUCCESS: ("(?i)all quiet",)})

    assert text_outcome("All quiet, we could not see anything.", rules) is SUCCESS


def test_two_outcomes_matched_give_unknown():
    """A text that says both is not for us to decide."""
    rules = ClaimRules(patterns={SUCCESS: ("paused",), FAILURE: ("not",)})

    assert text_outcome("It is not paused.", rules) is UNKNOWN


def test_the_defaults_fill_only_the_outcomes_without_patterns():
    """Own patterns for success replace the shipped ones; questions are still understood."""
    rules = ClaimRules(patterns={SUCCESS: ("all quiet",)})

    assert text_outcome("Your plan is paused.", rules) is UNKNOWN
    assert text_outcome("What is your e-mail?", rules) is UNRESOLVED
    assert text_outcome("The request failed.", rules) is FAILURE


def test_the_defaults_are_versioned():
    """A change of what texts mean changes verdicts, so it must have a name."""
    assert DEFAULT_CLAIMS.version == "claims@2"


def test_a_pattern_that_re2_refuses_is_an_error():
    """It could never match."""
    with pytest.raises(ContractError, match="not RE2"):
        text_outcome("x", ClaimRules(patterns={SUCCESS: ("(?<=x)y",)}))


def test_long_and_broken_texts_are_read():
    """A text of megabytes or with half a character must not stop the judge."""
    assert text_outcome("a " * 500_000 + "\ud800", ClaimRules()) is UNKNOWN
