"""Where the live models are: read from the environment, checked before anything runs."""

from __future__ import annotations

import pytest

from workbench.errors import InputError
from workbench.replay.adapters.environment import agent_environment, upstream_from
from workbench.replay.live import Family, Provider, Upstream

OPENAI = Provider(
    family=Family.OPENAI, base_url="https://api.openai.com/v1", key_env="OPENAI_API_KEY"
)
ANTHROPIC = Provider(
    family=Family.ANTHROPIC, base_url="https://api.anthropic.com", key_env="ANTHROPIC_API_KEY"
)


def test_the_keys_of_the_providers_own_clients_are_enough():
    """Who can run the agent can run the live layer."""
    both = upstream_from({"OPENAI_API_KEY": "a", "ANTHROPIC_API_KEY": "b"})

    assert both == Upstream(providers=(OPENAI, ANTHROPIC), model=None, timeout_s=120)
    assert upstream_from({"ANTHROPIC_API_KEY": "b"}).providers == (ANTHROPIC,)
    assert both.provider(Family.ANTHROPIC) == ANTHROPIC
    assert upstream_from({"OPENAI_API_KEY": "a"}).provider(Family.ANTHROPIC) is None


def test_our_own_settings_come_before_those_of_the_clients():
    """Another provider, a key for tests alone."""
    found = upstream_from(
        {
            "OPENAI_API_KEY": "a",
            "OPENAI_BASE_URL": "https://elsewhere.example/v1",
            "WORKBENCH_LIVE_OPENAI_API_KEY": "b",
            "WORKBENCH_LIVE_OPENAI_BASE_URL": "http://127.0.0.1:8000/v1",
            "WORKBENCH_LIVE_MODEL": "local",
            "WORKBENCH_LIVE_TIMEOUT_S": "7.5",
        }
    )

    assert found == Upstream(
        providers=(
            Provider(
                family=Family.OPENAI,
                base_url="http://127.0.0.1:8000/v1",
                key_env="WORKBENCH_LIVE_OPENAI_API_KEY",
            ),
        ),
        model="local",
        timeout_s=7.5,
    )


def test_the_usual_address_variable_counts_too():
    """Where the clients would go."""
    found = upstream_from(
        {"OPENAI_API_KEY": "a", "OPENAI_BASE_URL": "https://elsewhere.example/v1"}
    )

    assert found.providers[0].base_url == "https://elsewhere.example/v1"


SECRET = "p4ssw0rd"  # noqa: S105  made up


@pytest.mark.parametrize(
    ("environ", "expected"),
    [
        ({}, "no model provider\n  Fix: set OPENAI_API_KEY or ANTHROPIC_API_KEY"),
        ({"OPENAI_API_KEY": ""}, "no model provider"),
        ({"WORKBENCH_LIVE_OPENAI_BASE_URL": "http://h"}, "no key\n  Fix: set WORKBENCH_LIVE_OPENAI_API_KEY"),
        ({"OPENAI_API_KEY": "a", "OPENAI_BASE_URL": SECRET}, "OPENAI_BASE_URL is no http or https address"),
        ({"OPENAI_API_KEY": "a", "OPENAI_BASE_URL": f"ftp://{SECRET}"}, "is no http or https address"),
        ({"OPENAI_API_KEY": "a", "OPENAI_BASE_URL": f"http://{SECRET}:x"}, "is no http or https address"),
        ({"OPENAI_API_KEY": "a", "OPENAI_BASE_URL": f"http://a:{SECRET}@h"}, "holds more than an address"),
        ({"OPENAI_API_KEY": "a", "OPENAI_BASE_URL": f"http://h?key={SECRET}"}, "holds more than an address"),
        ({"OPENAI_API_KEY": "a", "WORKBENCH_LIVE_TIMEOUT_S": "soon"}, "no number of seconds above 0"),
        ({"OPENAI_API_KEY": "a", "WORKBENCH_LIVE_TIMEOUT_S": "-1"}, "no number of seconds above 0"),
        ({"OPENAI_API_KEY": "a", "WORKBENCH_LIVE_TIMEOUT_S": "inf"}, "no number of seconds above 0"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_refused_before_anything_runs(environ, expected):
    """With the variable's name and without its value, which may be a secret."""
    with pytest.raises(InputError) as caught:
        upstream_from(environ)

    assert expected in str(caught.value)
    assert SECRET not in str(caught.value)


def test_a_key_is_read_when_it_is_used():
    """So no value of ours ever holds it."""
    assert OPENAI.key({"OPENAI_API_KEY": "a"}) == "a"
    with pytest.raises(InputError, match="set OPENAI_API_KEY where trials run"):
        OPENAI.key({})


def test_agents_see_none_of_it():
    """A key in the agent's process could go anywhere."""
    known = {
        "OPENAI_API_KEY": "a",
        "WORKBENCH_LIVE_OPENAI_API_KEY": "b",
        "WORKBENCH_LIVE_OPENAI_BASE_URL": "http://h",
    }

    found = agent_environment(known, base_url="http://g/r/t", run_id="t", scratch="/s")

    assert not [name for name in found if name.startswith("WORKBENCH_LIVE")]
    assert found["OPENAI_API_KEY"] == "replay"
