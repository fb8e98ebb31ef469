"""Tokens of each day, the owner's prices, and the daily limit."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pet.bridge.commands.usage import UsageCommands
from pet.engine.conversation import LiveConversation
from pet.engine.token_budget import request_tokens
from pet.engine.usage import UsageLedger, cost
from pet.errors import ProviderFault
from pet.model import TurnEnd, Usage
from pet.paths import Home
from pet.serde import FORMAT
from pet.settings import program_state
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from pet.untrusted.regular_files import read_regular
from tests.engine.conftest import Core, Make
from tests.engine.reader import reader
from tests.support.clocks import StandingClock
from tests.support.models.scripted import Hold, ScriptedRound, fail, say
from tests.support.program.invoking import ask, refused
from tests.support.program.parts import pet_of

NONE = Settings()
SOME = Usage(input_tokens=100, output_tokens=10, cache_read_tokens=1000, cache_write_tokens=200)


@pytest.fixture
def clock() -> StandingClock:
    return StandingClock(datetime(2026, 2, 24, 23, 50, tzinfo=timezone(timedelta(hours=8))))


def book_of(home: Home, clock: StandingClock, limits: Settings = NONE) -> UsageLedger:
    return UsageLedger(JsonState(home.usage_file), clock, lambda: limits)


def test_totals_are_kept_by_local_day_and_model_and_two_programs_add_up(home: Home, clock: StandingClock) -> None:
    one, other = book_of(home, clock), book_of(home, clock)
    one.spent("a", SOME, keep=True)
    other.spent("a", Usage(output_tokens=5), keep=True)
    one.spent("b", SOME, keep=True)
    clock.at += timedelta(minutes=20)
    other.spent("a", SOME, keep=True)
    assert one.days() == {
        "2026-02-25": {"a": SOME},
        "2026-02-24": {"a": replace(SOME, output_tokens=15), "b": SOME},
    }
    assert one.tokens_today() == 1310


def test_nothing_of_a_temporary_conversation_is_kept_but_it_counts_today(home: Home, clock: StandingClock) -> None:
    book = book_of(home, clock)
    book.spent("a", SOME, keep=False)
    assert book.tokens_today() == 1310
    assert not home.usage_file.exists()
    assert book_of(home, clock).days() == {}
    clock.at += timedelta(days=1)
    assert book.tokens_today() == 0


def test_what_took_no_tokens_is_not_written_down(home: Home, clock: StandingClock) -> None:
    book = book_of(home, clock)
    book.spent("a", Usage(), keep=True)
    assert (book.days(), home.usage_file.exists()) == ({}, False)


@pytest.mark.parametrize(
    "broken", ["", "[]", '{"days": [1]}', '{"days": {"2026-02-24": {"a": {"input_tokens": "x"}}}}']
)
def test_a_broken_record_counts_as_empty(home: Home, clock: StandingClock, broken: str) -> None:
    home.usage_file.parent.mkdir(parents=True)
    home.usage_file.write_text(broken)
    book = book_of(home, clock)
    assert book.days() == {}
    book.spent("a", SOME, keep=True)
    assert book.days() == {"2026-02-24": {"a": SOME}}


def test_a_record_that_cannot_be_written_costs_no_reply(home: Home, clock: StandingClock) -> None:
    home.usage_file.parent.mkdir(parents=True)
    home.usage_file.mkdir()
    book = book_of(home, clock)
    book.spent("a", SOME, keep=True)
    assert book.tokens_today() == 1310


def test_totals_that_cannot_be_read_for_a_moment_are_not_written_anew(
    home: Home, clock: StandingClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = book_of(home, clock)
    book.spent("a", SOME, keep=True)
    acts: tuple[Callable[[], object], ...] = (
        lambda: book.spent("a", Usage(output_tokens=5), keep=True),
        book.allow_today,
    )
    for act in acts:
        for number in range(4):  # whichever of its looks at the file fails
            with monkeypatch.context() as meanwhile, suppress(OSError):
                meanwhile.setattr(program_state, "read_regular", held_by_another_program(after=number))
                act()
    assert book_of(home, clock).tokens_today() >= 1310
    assert book.tokens_today() == 1310 + 4 * 5


def held_by_another_program(after: int) -> Callable[[Path, int], bytes]:
    looks = iter(range(1_000))

    def read(file: Path, most: int = -1) -> bytes:
        if next(looks) == after:
            raise PermissionError(13, "held by another program", str(file))
        return read_regular(file, most)

    return read


def test_with_a_limit_nothing_is_sent_while_the_totals_cannot_be_read(make_core: Make, home: Home) -> None:
    core = make_core(say("one"))
    live = core.app.conversations.create(memory=True)
    core.app.settings.change({"daily_tokens": 15})
    home.usage_file.mkdir()
    turn = tell(live, "first")
    error = live.folded().turn(turn).error
    assert error is not None
    assert (error.code, error.args["file"]) == ("file_unreadable", "usage.json")
    assert core.provider.requests == []
    core.app.settings.change({"daily_tokens": 0})
    live.resend(turn, None)
    live.wait(60)
    assert len(core.provider.requests) == 1, "without a limit they matter to nobody"


def test_a_reply_that_is_stopped_counts_its_request_as_estimated(make_core: Make) -> None:
    hold = Hold()
    core = make_core(say("Hel", hold, "lo"))
    live = core.app.conversations.create(memory=True)
    live.send("first")
    hold.wait_reached()
    live.stop()
    live.wait(60)
    assert tokens_today(core) == request_tokens(core.provider.requests[0]) > 100


def test_where_nothing_is_reported_the_request_counts_once_the_server_replies(make_core: Make) -> None:
    core = make_core(fail("key_rejected"), fail("cut", "half a sen"), ScriptedRound(steps=("one",), usage=Usage()))
    live = core.app.conversations.create(memory=False)
    for text in ("first", "second", "third"):
        tell(live, text)
    assert tokens_today(core) == sum(map(request_tokens, core.provider.requests[1:]))


def tokens_today(core: Core) -> int:
    return int(ask(core.app.commands, "get_usage")["today"]["tokens"])


def test_cost_follows_the_owners_prices_and_is_unknown_without() -> None:
    assert cost(SOME, NONE) is None
    limits = Settings(price_input=10.0, price_output=50.0)
    assert cost(SOME, limits) == pytest.approx(((100 + 100 + 250) * 10 + 10 * 50) / 1e6)


def test_the_limit_refuses_before_the_request_until_the_owner_says_go_on(home: Home, clock: StandingClock) -> None:
    limits = Settings(daily_tokens=1310)
    book = book_of(home, clock, limits)
    commands = UsageCommands(pet_of(usage=book, effective=SimpleNamespace(current=lambda: limits)))
    book.check()
    assert not commands.get_usage().reached
    book.spent("a", SOME, keep=True)
    with pytest.raises(ProviderFault) as refused:
        book.check()
    assert refused.value.error_code == "fault_daily_limit"
    assert not refused.value.retryable
    seen = commands.get_usage()
    assert (seen.reached, seen.allowed, seen.today.tokens) == (True, False, 1310)
    assert commands.allow_today().allowed
    book.check()
    clock.at += timedelta(days=1)
    assert not book.allowed_today
    book.check()  # a new day


def test_with_a_limit_nothing_is_sent_while_a_newer_version_keeps_the_count(make_core: Make, home: Home) -> None:
    core = make_core(say("one"))
    written = f'{{"format": {FORMAT + 1}, "days": []}}'
    home.usage_file.write_text(written)
    live = core.app.conversations.create(memory=True)
    core.app.settings.change({"daily_tokens": 15})
    live.send("first")
    live.wait(60)
    (turn,) = live.folded().turns
    assert turn.error is not None and turn.error.code == "newer_format"
    assert refused(core.app.commands, "allow_today")["code"] == "newer_format"
    assert core.provider.requests == []
    core.app.settings.change({"daily_tokens": 0})
    live.resend(turn.id, None)
    live.wait(60)
    assert len(core.provider.requests) == 1
    assert home.usage_file.read_text() == written


def test_a_turn_over_the_limit_sends_nothing_and_goes_on_when_allowed(make_core: Make) -> None:
    core = make_core(say("one"), say("two"))
    core.app.settings.change({"daily_tokens": 15})
    live = core.app.conversations.create(memory=True)
    live.send("first")
    live.wait(60)
    turn = live.send("second")
    live.wait(60)
    refused = live.folded().turns[-1]
    assert refused.error is not None
    assert (refused.end, refused.error.code) == (TurnEnd.FAILED, "fault_daily_limit")
    assert refused.error.args == {"used": 15, "limit": 15}
    assert len(core.provider.requests) == 1
    ask(core.app.commands, "allow_today")
    live.resend(turn, None)
    live.wait(60)
    assert [each.reply for each in live.folded().turns] == ["one", "two"]


def test_a_temporary_conversation_leaves_no_count_on_disk(make_core: Make) -> None:
    core = make_core(say("one"))
    live = core.app.conversations.create(memory=False, temporary=True)
    live.send("psst")
    live.wait(60)
    assert live.folded().turns[0].usage.output_tokens == 5
    assert not core.home.usage_file.exists()


def spent(core: Core, **args: object) -> Any:
    return ask(core.app.commands, "get_spent", **args)


def test_a_reply_has_a_cost_by_the_owners_prices_cached_tokens_at_their_share(make_core: Make) -> None:
    cached = ScriptedRound(
        steps=("two",),
        usage=Usage(input_tokens=100, output_tokens=10, cache_read_tokens=1000, cache_write_tokens=200),
    )
    core = make_core(say("one"), cached)
    live = core.app.conversations.create(memory=True)
    first, second = (tell(live, text) for text in ("first", "second"))
    assert spent(core, conversation=live.id, turn=second)["cost"] is None, "nobody guesses a price"
    core.app.settings.change({"price_input": 1.0, "price_output": 5.0})
    told = spent(core, conversation=live.id, turn=second)
    assert (told["tokens"], told["uncounted"]) == (1310, 0)
    assert told["cost"] == pytest.approx((100 + 1000 * 0.1 + 200 * 1.25 + 10 * 5) / 1_000_000)
    assert spent(core, conversation=live.id, turn=first)["tokens"] == 15
    assert spent(core, conversation=live.id)["tokens"] == 1325


def test_a_conversation_counts_what_was_replaced_removed_and_summarised_too(
    make_core: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = make_core(*[reader()] * 30)
    monkeypatch.setattr("pet.engine.compaction.KEPT_TURNS", 2)
    core.app.settings.change({"context_window": 1_000_000})
    live = core.app.conversations.create(memory=True)
    turns = [tell(live, f"message {number}") for number in range(6)]
    live.resend(turns[-1], None)
    live.wait(60)
    live.record.remove_turn(turns[0])
    assert spent(core, conversation=live.id)["tokens"] == 7 * 15
    live.compact()
    live.wait(60)
    assert len(core.provider.requests) == 9, "what is worth keeping, and the summary"
    assert spent(core, conversation=live.id)["tokens"] == 9 * 15
    assert spent(core, conversation=live.id, turn=turns[0])["tokens"] == 15


def test_unreported_usage_is_counted_as_uncounted(make_core: Make) -> None:
    silent = ScriptedRound(steps=("one",), usage=Usage())
    core = make_core(silent, fail("cut", "half a sen"), say("three"))
    live = core.app.conversations.create(memory=False)
    turns = [tell(live, "first"), tell(live, "second"), tell(live, "third")]
    assert [spent(core, conversation=live.id, turn=turn)["uncounted"] for turn in turns] == [1, 1, 0]
    whole = spent(core, conversation=live.id)
    assert (whole["uncounted"], whole["tokens"]) == (2, 15)


def tell(live: LiveConversation, text: str) -> str:
    turn = live.send(text)
    live.wait(60)
    return turn
