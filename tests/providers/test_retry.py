"""Which failures are tried again by themselves, and after how long."""

from __future__ import annotations

import re

import pytest

from pet.i18n import LANGUAGES, Language, catalogue
from pet.providers.faults import BY_ITSELF, RetryPolicy, fault_of

POLICY = RetryPolicy()


def test_overloaded_server_is_tried_four_times() -> None:
    fault = fault_of("overloaded")
    assert [POLICY.next_wait(fault, attempt) for attempt in (1, 2, 3, 4)] == [1.0, 2.0, 4.0, None]


def test_the_servers_own_wait_counts_up_to_a_minute() -> None:
    assert POLICY.next_wait(fault_of("rate_limit", retry_after=7), 1) == 7
    assert POLICY.next_wait(fault_of("rate_limit", retry_after=4_000_000), 1) == 60


def test_a_stale_connection_is_replaced_at_once_but_only_once() -> None:
    fault = fault_of("dropped")
    assert [POLICY.next_wait(fault, attempt) for attempt in (1, 2)] == [0.0, 2.0]


@pytest.mark.parametrize(
    "kind",
    ["no_key", "bad_key", "billing", "bad_request", "not_an_llm", "tls", "proxy", "refused_connection", "timeout"],
)
def test_permanent_fault_is_reported_without_retry(kind: str) -> None:
    assert POLICY.next_wait(fault_of(kind), 1) is None


def test_whatever_is_tried_again_by_itself_the_owner_may_retry_too() -> None:
    assert all(fault_of(kind).retryable for kind in BY_ITSELF)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_tried_again_by_itself_asks_for_no_retry(language: Language) -> None:
    """Its sentence stands beside "Trying again in 4 s"."""
    texts = catalogue(language)
    asked = {
        kind for kind in BY_ITSELF if re.search("retry|try again|重试|reinten", texts[f"error.fault_{kind}"], re.I)
    }
    assert asked == set()
