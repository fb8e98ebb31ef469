"""The emitter: order, merging, frames, hung windows, and who hears what."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.bridge.command import Client
from pet.bridge.emitter import MAX_CHARACTERS, MAX_EVENTS, Emitter, event_data, receives
from pet.events import (
    ChatShown,
    ConversationChanged,
    Event,
    MemoryPaused,
    Mood,
    MoodChanged,
    ProposalAsked,
    TextDelta,
    ThinkingDelta,
)
from pet.model import Proposal
from tests.bridge.page import Page
from tests.bridge.values import EVENTS, event_from, sample, values

HELLO = MoodChanged(mood=Mood.HAPPY)
END = ConversationChanged(conversation="end")


def delta(text: str, *, conversation: str = "c", turn: str = "t", round_: int = 1) -> TextDelta:
    return TextDelta(conversation=conversation, turn=turn, round=round_, text=text)


@pytest.fixture
def emitter() -> Iterator[Emitter]:
    emitter = Emitter()
    yield emitter
    assert emitter.close()


def merge(events: list[Event]) -> list[Event]:
    """What adjacent deltas of one round come to: the model of the outbox."""
    merged: list[Event] = []
    for event in events:
        last = merged[-1] if merged else None
        if (
            isinstance(event, TextDelta)
            and isinstance(last, TextDelta)
            and replace(last, text="") == replace(event, text="")
        ):
            merged[-1] = replace(event, text=last.text + event.text)
        else:
            merged.append(event)
    return merged


def hung_page(emitter: Emitter) -> Page:
    """A page that hangs in its first call; what is emitted now waits."""
    page = Page(hung=True)
    emitter.add_window(Client.CHAT, page.run_js, name="hung")
    emitter.emit(HELLO)
    page.wait_until_hung()
    return page


DELTAS = st.builds(
    delta, st.text(max_size=5), conversation=st.sampled_from("ab"), turn=st.just("t"), round_=st.sampled_from([1, 2])
)


@given(st.lists(DELTAS | st.one_of([values(kind) for kind in EVENTS]), max_size=60))
def test_every_event_arrives_once_and_in_order(events: list[Event]) -> None:
    emitter, page = Emitter(), Page()
    emitter.add_window(Client.CHAT, page.run_js, name="chat")
    for event in [*events, END]:
        last = emitter.emit(event)
    page.wait_for_seq(last)
    assert emitter.close()
    arrived = page.events()
    numbers = [item["seq"] for item in arrived]
    assert numbers == sorted(set(numbers))
    assert merge([event_from(item["event"]) for item in arrived]) == merge([*events, END])
    assert not any(delivery["resync"] for delivery in page.deliveries)


def test_sequence_starts_at_one_and_includes_undelivered_events(emitter: Emitter) -> None:
    assert [emitter.emit(delta("a")), emitter.emit(HELLO)] == [1, 2]
    page = Page()
    emitter.add_window(Client.PET, page.run_js, name="pet")
    emitter.emit(delta("b"))
    assert emitter.emit(HELLO) == 4
    page.wait_for_seq(4)
    assert [item["seq"] for item in page.events()] == [4]


def test_adjacent_deltas_of_one_round_become_one(emitter: Emitter) -> None:
    page = hung_page(emitter)
    for text in ("你", "好", ", ", "you"):
        emitter.emit(delta(text))
    emitter.emit(delta("!", round_=2))
    emitter.emit(delta("other", conversation="d"))
    emitter.emit(HELLO)
    emitter.emit(delta("after"))
    page.recover()
    page.wait_for_seq(9)
    texts = [(item["seq"], item["event"].get("text")) for item in page.deliveries[1]["events"]]
    assert texts == [(5, "你好, you"), (6, "!"), (7, "other"), (8, None), (9, "after")]


def test_a_fence_keeps_later_deltas_apart_from_what_a_view_has(emitter: Emitter) -> None:
    page = hung_page(emitter)
    emitter.emit(delta("in the "))
    emitter.emit(delta("view"))
    fence = emitter.fence()
    emitter.emit(delta(" and "))
    last = emitter.emit(delta("after"))
    page.recover()
    page.wait_for_seq(last)
    texts = {item["seq"]: item["event"]["text"] for item in page.deliveries[1]["events"]}
    assert texts == {fence: "in the view", last: " and after"}


def test_a_hung_window_holds_up_neither_the_sender_nor_the_others(emitter: Emitter) -> None:
    hung = hung_page(emitter)
    fine = Page()
    emitter.add_window(Client.CHAT, fine.run_js, name="fine")
    for number in range(200):
        last = emitter.emit(ConversationChanged(conversation=str(number)))
    fine.wait_for_seq(last)
    assert hung.deliveries == []
    hung.recover()
    hung.wait_for_seq(last)
    names = [item["event"]["conversation"] for item in hung.events()[1:]]
    assert names == [str(number) for number in range(200)]
    assert fine.threads.isdisjoint(hung.threads | {threading.get_ident()})


def test_overflow_for_hung_window_drops_deltas_and_requests_resync(emitter: Emitter) -> None:
    page = hung_page(emitter)
    emitter.emit(ConversationChanged(conversation="kept"))
    piece = "x" * (MAX_CHARACTERS // 4)
    for _ in range(6):
        emitter.emit(delta(piece))
    emitter.emit(END)
    page.recover()
    page.wait_for_seq(9)
    after = page.deliveries[1]
    assert after["resync"]
    assert [item["event"]["conversation"] for item in after["events"]] == ["kept", "end"]
    last = emitter.emit(delta("fresh"))
    page.wait_for_seq(last)
    assert page.deliveries[-1]["events"][-1]["event"]["text"] == "fresh"
    assert not page.deliveries[-1]["resync"]


def test_too_many_events_for_a_hung_window_leave_the_newest(emitter: Emitter) -> None:
    page = hung_page(emitter)
    for number in range(3 * MAX_EVENTS):
        last = emitter.emit(ConversationChanged(conversation=str(number)))
    page.recover()
    page.wait_for_seq(last)
    after = page.deliveries[1]
    assert after["resync"]
    assert len(after["events"]) <= MAX_EVENTS
    assert after["events"][-1]["event"]["conversation"] == str(3 * MAX_EVENTS - 1)


def test_thinking_is_dropped_like_text_when_too_much_waits(emitter: Emitter) -> None:
    page = hung_page(emitter)
    for _ in range(2 * MAX_EVENTS):
        emitter.emit(ThinkingDelta(conversation="c", turn="t", round=1, characters=5))
    last = emitter.emit(END)
    page.recover()
    page.wait_for_seq(last)
    assert [item["event"]["type"] for item in page.deliveries[1]["events"]] == ["conversation_changed"]


def test_the_largest_proposal_reaches_a_window_that_was_hung(emitter: Emitter) -> None:
    page = hung_page(emitter)
    text = "宠" * 1_000_000
    proposal = Proposal(id="p", file="SOUL.md", reason="soul", before=text, after=text + "!", base="v")
    last = emitter.emit(ProposalAsked(conversation="c", turn="t", proposal=proposal))
    page.recover()
    page.wait_for_seq(last)
    assert page.events()[-1]["event"]["proposal"]["after"] == text + "!"


def test_pet_window_receives_moods_but_no_text() -> None:
    events = {kind.__name__ for kind in EVENTS if receives(Client.PET, sample(kind))}
    assert events == {
        "MemoryGiven",
        "MoodChanged",
        "ChatShown",
        "MemoryPaused",
        "TabMemoryChanged",
        "PetTravels",
        "PetReplaced",
        "LifeChanged",
        "SettingsChanged",
    }
    assert all(receives(Client.CHAT, sample(kind)) for kind in EVENTS)
    assert not any(receives(Client.SOCKET, sample(kind)) for kind in EVENTS)


def test_failed_delivery_requests_resync_with_next_event(emitter: Emitter) -> None:
    page, failed = Page(), threading.Event()

    def run_js(script: str) -> None:
        if not failed.is_set():
            failed.set()
            raise RuntimeError("no such window")
        page.run_js(script)

    emitter.add_window(Client.CHAT, run_js, name="chat")
    emitter.emit(HELLO)
    assert failed.wait(60)
    emitter.emit(END)
    page.wait_for_seq(2)
    assert page.deliveries == [{"resync": True, "events": [{"seq": 2, "event": event_data(END)}]}]


def test_a_page_that_did_not_answer_is_told_to_reload_without_a_further_event(emitter: Emitter) -> None:
    page, tries = Page(), [1, 2]

    def run_js(script: str) -> None:
        if tries:
            tries.pop()
            raise TimeoutError
        page.run_js(script)
        reloads.set()

    reloads = threading.Event()
    emitter.add_window(Client.CHAT, run_js, name="chat")
    emitter.emit(HELLO)
    assert reloads.wait(60)
    assert page.deliveries == [{"resync": True, "events": []}]


def test_a_callback_gets_every_event_unmerged_before_it_closes() -> None:
    emitter = Emitter()
    seen: list[Event] = []
    subscription = emitter.subscribe(seen.append, name="all")
    events: list[Event] = [delta(str(number)) for number in range(500)]
    for event in events:
        emitter.emit(event)
    assert subscription.close(20)
    emitter.emit(END)
    assert seen == events
    assert emitter.close()


def test_subscriber_gets_only_events_of_its_classes_in_order(emitter: Emitter) -> None:
    seen: list[Event] = []
    subscription = emitter.subscribe(seen.append, ConversationChanged, name="ends")
    emitter.emit(HELLO)
    emitter.emit(delta("a"))
    emitter.emit(END)
    assert subscription.close(20)
    assert seen == [END]


def test_an_inline_subscriber_has_heard_its_events_when_emit_returns(
    emitter: Emitter, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[tuple[str, Event]] = []
    changed, shown = ConversationChanged(conversation="c"), ChatShown(shown=True)

    def fold(event: Event) -> None:
        heard.append((threading.current_thread().name, event))
        if event == shown:
            emitter.emit(changed)
            raise RuntimeError

    emitter.subscribe_inline(fold, ChatShown, ConversationChanged, name="fold")
    assert emitter.emit(MemoryPaused(paused=True)) == 1
    assert emitter.emit(shown) == 2
    here = threading.current_thread().name
    assert heard == [(here, shown), (here, changed)]
    assert "RuntimeError" in caplog.text
    emitter.close()
    emitter.emit(shown)
    assert len(heard) == 2


def test_a_bug_in_a_callback_costs_only_its_event(caplog: pytest.LogCaptureFixture) -> None:
    emitter = Emitter()
    seen: list[Event] = []

    def callback(event: Event) -> None:
        if event is END:
            raise ValueError("said: " + "secret"[::-1])
        seen.append(event)

    emitter.subscribe(callback, name="test")
    for event in (HELLO, END, HELLO, HELLO):
        emitter.emit(event)
    assert emitter.close(20)
    assert seen == [HELLO] * 3
    assert "ValueError" in caplog.text
    assert "terces" not in caplog.text


def test_a_callback_may_emit_and_close() -> None:
    emitter = Emitter()
    done = threading.Event()

    def callback(event: Event) -> None:
        if event is HELLO:
            emitter.emit(END)
        else:
            emitter.close()
            done.set()

    emitter.subscribe(callback, name="test")
    emitter.emit(HELLO)
    assert done.wait(60)


def test_closed_subscription_receives_no_events(emitter: Emitter) -> None:
    page, other = Page(), Page()
    subscription = emitter.add_window(Client.CHAT, page.run_js, name="gone")
    emitter.add_window(Client.CHAT, other.run_js, name="stays")
    emitter.emit(HELLO)
    page.wait_for_seq(1)
    assert subscription.close()
    emitter.emit(END)
    other.wait_for_seq(2)
    assert [item["seq"] for item in page.events()] == [1]


def test_closing_leaves_a_hung_window_behind() -> None:
    emitter = Emitter()
    page = hung_page(emitter)
    assert not emitter.close(0.01)
    page.recover()
    assert emitter.close()


def test_every_window_sees_the_same_order_from_many_senders(emitter: Emitter) -> None:
    pages = [Page(), Page()]
    for number, page in enumerate(pages):
        emitter.add_window(Client.CHAT, page.run_js, name=str(number))
    start = threading.Barrier(8)

    def send(sender: int) -> None:
        start.wait()
        for number in range(100):
            emitter.emit(ConversationChanged(conversation=f"{sender}/{number}"))

    threads = [threading.Thread(target=send, args=(sender,)) for sender in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for page in pages:
        page.wait_for_seq(800)
    first, second = ([item["event"]["conversation"] for item in page.events()] for page in pages)
    assert first == second
    assert len(first) == 800
    by_sender = groupby(sorted(first, key=lambda name: name.split("/")[0]), key=lambda name: name.split("/")[0])
    for _sender, names in by_sender:
        numbers = [int(name.split("/")[1]) for name in names]
        assert numbers == sorted(numbers)


def test_a_burst_goes_out_in_few_calls(emitter: Emitter) -> None:
    page = hung_page(emitter)
    for number in range(300):
        last = emitter.emit(ConversationChanged(conversation=str(number)))
    page.recover()
    page.wait_for_seq(last)
    assert len(page.deliveries) == 2


def test_text_of_every_kind_goes_out_as_ascii(emitter: Emitter) -> None:
    page = Page()
    emitter.add_window(Client.CHAT, page.run_js, name="chat")
    text = "宠物 \u2028\u2029</script>' \" \\ \ud83d\x00 🐾"
    last = emitter.emit(delta(text))
    page.wait_for_seq(last)
    got: Any = page.events()[0]["event"]["text"]
    assert got == text
