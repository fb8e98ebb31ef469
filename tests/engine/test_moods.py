"""Moods: their tags are taken out of the text however it is split, and the face follows."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Timer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.engine.mood import FALLS_ASLEEP, MoodTagParser, MoodTracker, mood_named, strip_mood_tags, without_tags
from pet.events import (
    Event,
    Mood,
    MoodChanged,
    MoodSaid,
    RoundStarted,
    TextDelta,
    ToolEnded,
    TurnEnded,
    UnreadChanged,
)
from pet.model import Author, Receipt, StopReason, TextPart, ToolCallPart, TurnEnd, Usage
from pet.providers.base import RoundDone, Streamed, TextChunk, ThinkingChunk
from pet.transcripts.transcript import without_collection
from tests.support.examples import examples


def run(*pieces: str) -> tuple[str, list[Mood]]:
    tags = MoodTagParser()
    out, moods = "", []
    for piece in pieces:
        visible, mood = tags.feed(piece)
        out += visible
        if mood is not None:
            moods.append(mood)
    return out + tags.end(), moods


@pytest.mark.parametrize(
    ("text", "visible", "moods"),
    [
        ("Hello! [mood:happy]", "Hello! ", [Mood.HAPPY]),
        ("[mood:sad]\n\nI am sorry.", "I am sorry.", [Mood.SAD]),
        ("\n [ Mood : Surprised ] Oh!", "\n Oh!", [Mood.SURPRISED]),
        ("你好！【mood：开心】", "你好！", [Mood.HAPPY]),
        ("[心情:难过]唉。", "唉。", [Mood.SAD]),
        ("A [mood:happy] b [mood:sad] c", "A b c", [Mood.SAD]),
        ("Well [mood:grumpy]", "Well ", [Mood.NEUTRAL]),
        ("a [link](x), [1], [ ], [[mood]], [mood], [mood:], [moo", None, []),
        ("[mood:two words] [mood:happy", None, []),
        ("[mood:" + "a" * 30 + "]", None, []),
        ("Write `[mood:happy]` at the end.", None, []),
        ("```\n[mood:happy]\n```\nso. [mood:happy]", "```\n[mood:happy]\n```\nso. ", [Mood.HAPPY]),
        ("x[mood:happy]y", "xy", [Mood.HAPPY]),
    ],
)
def test_tags_are_taken_out_and_nothing_else(text: str, visible: str | None, moods: list[Mood]) -> None:
    wanted = text if visible is None else visible
    assert run(text) == (wanted, moods)
    out, found = run(*text)  # letter by letter
    assert out == wanted
    assert found[-1:] == moods[-1:]


@given(
    st.lists(
        st.sampled_from(["[", "]", "mood", ":", "happy", "[mood:happy]", "【", "`", "\n", " ", "m", "心情", "x"])
    )
)
def test_however_the_text_is_cut_the_same_is_seen(parts: list[str]) -> None:
    text = "".join(parts)
    whole = run(text)[0]
    assert run(*parts)[0] == whole
    assert run(*text)[0] == whole


@given(st.text())
def test_text_without_a_tag_comes_out_unchanged(text: str) -> None:
    visible, moods = run(*text)
    if not moods:
        assert visible == text


def test_text_is_held_back_only_where_a_tag_may_begin() -> None:
    tags = MoodTagParser()
    assert tags.feed("Hi ")[0] == "Hi "
    assert tags.feed("[")[0] == ""
    assert tags.feed("x")[0] == "[x"
    assert tags.feed(" [mood:hap")[0] == " "
    assert tags.feed("py")[0] == ""
    assert tags.feed(" birthday")[0] == "[mood:happy birthday"


def test_what_can_be_said_is_understood() -> None:
    sayable = [Mood.HAPPY, Mood.SAD, Mood.SURPRISED, Mood.THINKING, Mood.ASLEEP, Mood.NEUTRAL]
    assert [mood_named(mood.value) for mood in sayable] == sayable
    assert mood_named("HAPPY") is Mood.HAPPY
    assert mood_named("error") is Mood.NEUTRAL


def test_a_streams_text_and_its_parts_lose_the_tag() -> None:
    call = ToolCallPart(id="c", name="read", arguments="{}")
    parts = (TextPart(text="Nice! [mood:happy]"), call, TextPart(text="[mood:sad]"))

    async def stream() -> AsyncIterator[Streamed]:
        yield ThinkingChunk(characters=5)
        for text in ("Nice! ", "[mo", "od:happy", "]", "[no"):
            yield TextChunk(text=text)
        yield RoundDone(parts=parts, stop=StopReason.END_TURN, usage=Usage(), model="m")

    async def collect() -> list[Streamed]:
        return [event async for event in strip_mood_tags(stream(), said.append)]

    said: list[Mood] = []
    events = asyncio.run(collect())
    assert "".join(event.text for event in events if isinstance(event, TextChunk)) == "Nice! [no"
    assert said == [Mood.HAPPY]
    done = events[-1]
    assert isinstance(done, RoundDone)
    assert done.parts == (TextPart(text="Nice! "), call)
    assert without_tags((call,)) == (call,)


# --- the face -----------------------------------------------------------------------------------


def face(*, unread: set[str] | None = None) -> tuple[MoodTracker, list[Mood]]:
    told: list[Mood] = []

    def tell(event: Event) -> None:
        assert isinstance(event, MoodChanged)
        told.append(event.mood)

    return MoodTracker(tell, unread=lambda: bool(unread)), told


def ended(end: TurnEnd = TurnEnd.DONE) -> TurnEnded:
    return TurnEnded(conversation="c", turn="t", end=end, error=None, usage=Usage())


SAID = MoodSaid(conversation="c", turn="t", mood=Mood.HAPPY)
DELTA = TextDelta(conversation="c", turn="t", round=1, text="x")


def test_the_reply_is_spoken_first_and_felt_afterwards() -> None:
    teller, told = face()
    for event in (RoundStarted(conversation="c", turn="t", round=1), SAID, DELTA, ended()):
        teller.on_event(event)
    assert told == [Mood.THINKING, Mood.TALKING, Mood.HAPPY]
    teller.on_event(DELTA)
    teller.on_event(ended())  # the next turn says nothing
    assert told[-1] is Mood.NEUTRAL
    teller.close()


def test_a_failed_reply_shows_that_and_not_its_mood() -> None:
    teller, told = face()
    teller.on_event(SAID)
    teller.on_event(ended(TurnEnd.FAILED))
    assert told == [Mood.ERROR]
    teller.close()


def test_unseen_reply_stays_unread() -> None:
    unread: set[str] = set()
    teller, told = face(unread=unread)
    teller.on_event(SAID)
    teller.on_event(DELTA)
    unread.add("c")
    teller.on_event(ended())
    assert told == [Mood.TALKING, Mood.READY]
    unread.clear()
    teller.on_event(UnreadChanged(conversations=[]))
    assert told == [Mood.TALKING, Mood.READY, Mood.NEUTRAL]
    teller.on_event(UnreadChanged(conversations=[]))
    assert told == [Mood.TALKING, Mood.READY, Mood.NEUTRAL]
    teller.close()


def test_something_written_down_is_shown_once_and_the_mood_stays() -> None:
    receipt = Receipt(file="MEMORY.md", history_id="h", before="a", after="b", added=1, removed=0, author=Author.PET)
    teller, told = face()
    teller.on_event(RoundStarted(conversation="c", turn="t", round=1))
    teller.on_event(ToolEnded(conversation="c", turn="t", call="k", error=None, receipt=receipt))
    assert told == [Mood.THINKING, Mood.REMEMBERED, Mood.THINKING]
    teller.close()


def test_it_listens_only_when_it_has_nothing_else_to_do() -> None:
    teller, told = face()
    teller.typing()
    teller.typing()
    assert told == [Mood.LISTENING]
    teller.on_event(DELTA)
    teller.typing()
    assert told == [Mood.LISTENING, Mood.TALKING]
    teller.close()


def test_a_reading_owner_keeps_it_awake_and_interrupts_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    quiets: list[Timer] = []

    def begin(timer: Timer) -> None:  # the test says when the quiet is over
        assert FALLS_ASLEEP[0] <= timer.interval <= FALLS_ASLEEP[1]
        quiets.append(timer)

    monkeypatch.setattr(Timer, "start", begin)
    teller, told = face()
    teller.reading()
    teller.reading()
    quiets[0].function()
    assert told == [Mood.NEUTRAL, Mood.NEUTRAL]
    quiets[1].function()
    assert told[-1:] == [Mood.ASLEEP]
    teller.reading()
    assert told[-1:] == [Mood.NEUTRAL]
    teller.on_event(DELTA)
    teller.reading()
    assert told[-1:] == [Mood.TALKING]
    teller.close()
    assert quiets[-1].finished.is_set()


def test_it_naps_beside_another_only_with_nothing_to_do_and_wakes_for_the_owner() -> None:
    teller, told = face()
    teller.on_event(DELTA)
    teller.nap()
    assert told == [Mood.TALKING]
    teller.on_event(ended())
    teller.nap()
    assert told[1:] == [Mood.NEUTRAL, Mood.ASLEEP]
    teller.reading()
    assert told[3:] == [Mood.NEUTRAL, Mood.NEUTRAL]
    teller.close()


def test_it_falls_asleep_sooner_at_night(monkeypatch: pytest.MonkeyPatch) -> None:
    quiets: list[float] = []
    monkeypatch.setattr(Timer, "start", lambda timer: quiets.append(timer.interval))
    for hour in (20, 21, 5, 6):
        MoodTracker(lambda _event: None, hour=lambda hour=hour: hour).reading()  # type: ignore[misc]
    assert [quiet < FALLS_ASLEEP[0] for quiet in quiets] == [False, True, True, False]


def test_brackets_and_lines_without_end_take_linear_time() -> None:
    def seconds(piece: str, length: int) -> float:
        tags, text, step = MoodTagParser(), piece * (length // len(piece)), length // 10
        with without_collection():
            before = time.thread_time()
            shown = [tags.feed(text[at : at + step])[0] for at in range(0, len(text), step)]
            assert "".join(shown) + tags.end() == text
            return time.thread_time() - before

    length = examples(10_000)
    for piece in ("[", "x", "[mood:", "`", " "):
        short = min(seconds(piece, length) for _ in range(3))
        assert seconds(piece, 10 * length) < 40 * max(short, 0.005), piece  # a square would be a hundred times
    tags = MoodTagParser()
    long_line = " " * 1_000 + "``` " + "x" * 1_000 + "\n[mood:happy]\n```\n"
    assert tags.feed(long_line)[0] + tags.end() == long_line


def test_last_emitted_mood_is_shown() -> None:
    """Two conversations end and speak at once; the face must not keep what is over."""
    told: list[Mood] = []

    def slowly(event: Event) -> None:
        time.sleep(0)  # lets the other threads in
        assert isinstance(event, MoodChanged)
        told.append(event.mood)

    teller = MoodTracker(slowly)
    acts: list[Event] = [
        TextDelta(conversation="a", turn="t", round=1, text="x"),
        TurnEnded(conversation="b", turn="u", end=TurnEnd.DONE, error=None, usage=Usage()),
    ] * 300
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(teller.on_event, acts))
    assert all(one is not other for one, other in pairwise(told))
    count = len(told)
    teller.on_event(TextDelta(conversation="a", turn="t", round=1, text="x"))
    assert told[-1] is Mood.TALKING
    assert len(told) - count == (0 if told[count - 1] is Mood.TALKING else 1)
    teller.close()


def test_agents_set_the_resting_mood_and_the_owners_turn_goes_first() -> None:
    moods, told = face()

    def last(mood: Mood) -> bool:
        return told[-1] is mood

    moods.rest_as(Mood.THINKING)
    assert last(Mood.THINKING)
    moods.rest_as(Mood.WAITING)
    assert last(Mood.WAITING)
    moods.typing()
    assert last(Mood.LISTENING)
    moods.on_event(RoundStarted(conversation="c", turn="t", round=1))
    moods.rest_as(None)
    assert last(Mood.THINKING)  # of the owner's own turn
    moods.rest_as(Mood.THINKING)
    moods.on_event(DELTA)
    assert last(Mood.TALKING)
    moods.on_event(ended())
    assert last(Mood.THINKING)
    moods.rest_as(None)
    assert last(Mood.NEUTRAL)
    moods.close()


def test_the_mouth_moves_while_a_reply_is_read_aloud() -> None:
    events: list[Event] = []
    moods = MoodTracker(events.append)
    usage = Usage()

    def face() -> Mood:
        return moods.mood

    moods.on_event(TextDelta(conversation="c", turn="t", round=1, text="Hi"))
    moods.sound(True)
    moods.on_event(MoodSaid(conversation="c", turn="t", mood=Mood.HAPPY))
    moods.on_event(TurnEnded(conversation="c", turn="t", end=TurnEnd.DONE, error=None, usage=usage))
    assert face() is Mood.TALKING  # the face follows the voice
    moods.on_event(RoundStarted(conversation="d", turn="u", round=1))
    assert face() is Mood.THINKING
    moods.on_event(TurnEnded(conversation="d", turn="u", end=TurnEnd.DONE, error=None, usage=usage))
    assert face() is Mood.TALKING
    moods.sound(False)
    assert face() is Mood.NEUTRAL
    moods.on_event(TextDelta(conversation="c", turn="v", round=1, text="Hi"))
    moods.sound(True)
    moods.sound(False)
    assert face() is Mood.TALKING  # the reply still comes
    moods.close()
