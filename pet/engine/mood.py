"""The pet's mood, folded from events, and the mood tags in a reply's stream.

The model starts or ends a reply with ``[mood:happy]``, which is stripped, also if split across chunks; text is
delayed only while it may become a tag. The tracker has at most one timer: back to neutral after a transient mood,
asleep after long inactivity, which it alone decides: the page only draws the nap.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import cache
from threading import Lock, Timer
from typing import ClassVar

from pet.events import (
    Event,
    Mood,
    MoodChanged,
    MoodSaid,
    ProposalAsked,
    ProposalClosed,
    RoundStarted,
    TextDelta,
    ToolEnded,
    TurnEnded,
    TurnStarted,
    UnreadChanged,
)
from pet.language import read_table
from pet.language.replies import may_become_mood_tag, mood_tag
from pet.model import ReplyPart, TextPart, TurnEnd
from pet.providers.base import RoundDone, Streamed, TextChunk, ThinkingChunk

_LONGEST = 40  # characters; anything longer is not a tag
_STEP = 256  # characters scanned at once: keeps the cost linear in the chunk's length
_PIECE = 16_384  # characters passed on at once


@cache
def _moods() -> dict[str, Mood]:
    """Return the moods by their names; each line begins with the mood's own."""
    lines = (line.split() for line in read_table("words_of_moods.txt").splitlines())
    return {name: Mood(names[0]) for names in lines for name in names}


def mood_named(name: str) -> Mood:
    """Return the tag's mood; neutral for an unknown one."""
    return _moods().get(name.casefold(), Mood.NEUTRAL)


class MoodTagParser:
    """Streaming parser for one reply. Input is returned without tags; the remainder at the latest by ``end``."""

    def __init__(self) -> None:
        self._held = ""  # may still become a tag
        self._line = ""  # emitted part of the current line
        self._begun = False  # whether anything but white space was emitted
        self._fenced = False
        self._closing_gap = ""  # white space after a tag, removed with it

    def feed(self, text: str) -> tuple[str, Mood | None]:
        """Return the text that is complete so far, and the last mood in it."""
        out: list[str] = []
        mood: Mood | None = None
        for at in range(0, len(text), _STEP):
            shown, named = self._feed(text[at : at + _STEP])
            out.append(shown)
            mood = named or mood
        return "".join(out), mood

    def _feed(self, text: str) -> tuple[str, Mood | None]:
        self._held += text
        out: list[str] = []
        mood: Mood | None = None
        while self._held:
            start = self._opening()
            out.append(self._let_out(start))
            if not self._held:
                break
            tag = mood_tag(self._held)
            if tag is not None and not self._quoted():
                mood = mood_named(tag[1])
                self._held = self._held[tag.end() :]
                self._closing_gap = " \t\r\n" if not self._begun else " \t" if self._line[-1:] in " \t" else ""
                continue
            if self._may_become_tag():
                break
            out.append(self._let_out(1))
        return "".join(out), mood

    def end(self) -> str:
        """Return the buffered text that did not become a tag."""
        return self._let_out(len(self._held))

    def _opening(self) -> int:
        places = [place for place in (self._held.find("["), self._held.find("【")) if place >= 0]
        return min(places, default=len(self._held))

    def _may_become_tag(self) -> bool:
        if self._quoted():
            return False
        return len(self._held) < _LONGEST and may_become_mood_tag(self._held)

    def _quoted(self) -> bool:
        """Whether the text is in code, where a tag is content."""
        return self._fenced or self._line.endswith("`")

    def _let_out(self, count: int) -> str:
        text, self._held = self._held[:count], self._held[count:]
        if self._closing_gap and text:
            shorter = text.lstrip(self._closing_gap)
            if shorter:
                self._closing_gap = ""
            text = shorter
        for line in text.splitlines(keepends=True):
            self._line = _ends_of(self._line + line)
            if line.endswith(("\n", "\r")):
                self._fenced ^= self._line.lstrip().startswith(("```", "~~~"))
                self._line = ""
        self._begun = self._begun or bool(text.strip())
        return text


def _ends_of(line: str) -> str:
    """Keep only the relevant parts of a long line: start after the indent, and end."""
    if len(line) <= _STEP:
        return line
    bare = line.lstrip()
    return bare if len(bare) <= _LONGEST else bare[:_LONGEST] + bare[-1]


def without_tags(parts: tuple[ReplyPart, ...]) -> tuple[ReplyPart, ...]:
    """Strip tags from a finished reply for storage and replay. Text that was only a tag is dropped."""
    tags = MoodTagParser()
    kept: list[ReplyPart] = []
    for part in parts:
        if not isinstance(part, TextPart):
            kept.append(part)
        elif text := tags.feed(part.text)[0] + tags.end():
            kept.append(replace(part, text=text))
    return tuple(kept)


async def strip_mood_tags(
    stream: AsyncIterator[Streamed], on_mood: Callable[[Mood], None]
) -> AsyncIterator[Streamed]:
    """Yield the stream without tags; each mood is passed to ``on_mood`` in order.

    Lets the event loop run after every event and every ``_PIECE`` characters, also if the server never makes it wait:
    the reply can be cancelled there.
    """
    tags = MoodTagParser()
    async for event in stream:
        await asyncio.sleep(0)
        match event:
            case TextChunk(text=text):
                for at in range(0, len(text), _PIECE):
                    if at:
                        await asyncio.sleep(0)
                    visible, mood = tags.feed(text[at : at + _PIECE])
                    if visible:
                        yield TextChunk(text=visible)
                    if mood is not None:
                        on_mood(mood)
            case ThinkingChunk(takes_back=True):
                tags = MoodTagParser()
                yield event
            case RoundDone():
                if rest := tags.end():
                    yield TextChunk(text=rest)
                yield replace(event, parts=without_tags(event.parts))
            case _:
                yield event


BACK_TO_NEUTRAL = 30.0  # seconds
STOPS_LISTENING = 4.0  # after the last key
FALLS_ASLEEP = (480.0, 600.0)
"""Shortest and longest inactivity before a nap; late in the evening and at night 60 % of it."""

_LASTING = {
    Mood.HAPPY: BACK_TO_NEUTRAL,
    Mood.SAD: BACK_TO_NEUTRAL,
    Mood.SURPRISED: BACK_TO_NEUTRAL,
    Mood.ERROR: BACK_TO_NEUTRAL,
    Mood.LISTENING: STOPS_LISTENING,
}
_RESTING = {Mood.NEUTRAL, Mood.ASLEEP, Mood.READY}
_AT_REST = {*_RESTING, *_LASTING}
_MOST_TURNS = 50


class MoodTracker:
    """Emitter of the mood. ``unread``: whether something is unread, which then is the resting mood. ``hour``: the
    hour of the day, 0 to 23.
    """

    def __init__(
        self,
        emit: Callable[[Event], object],
        *,
        unread: Callable[[], bool] = lambda: False,
        hour: Callable[[], int] = lambda: 12,
    ) -> None:
        self._emit = emit
        self._unread = unread
        self._hour = hour
        self._lock = Lock()
        self._outside: Mood | None = None  # what other programs' states call for
        self._sounds = False  # words are being said aloud
        self._for_others = False  # whether the mood is shown for other programs, or a reading
        self._mood = self._rest()
        self._reply_moods: dict[str, Mood] = {}  # of running turns
        self._timer: Timer | None = None

    @property
    def mood(self) -> Mood:
        return self._mood

    EVENTS: ClassVar[tuple[type[Event], ...]] = (
        MoodSaid,
        TurnEnded,
        ToolEnded,
        UnreadChanged,
        TurnStarted,
        RoundStarted,
        ProposalClosed,
        TextDelta,
        ProposalAsked,
    )

    def on_event(self, event: Event) -> None:
        match event:
            case MoodSaid(turn=turn, mood=mood):
                with self._lock:
                    self._reply_moods[turn] = mood
                    while len(self._reply_moods) > _MOST_TURNS:
                        del self._reply_moods[next(iter(self._reply_moods))]
            case TurnEnded(turn=turn):
                mood = self._after(event, self._reply_moods.pop(turn, None))
                with self._lock:
                    self._change(mood)
            case ToolEnded(receipt=receipt) if receipt is not None:
                self._flash(Mood.REMEMBERED)
            case UnreadChanged():
                with self._lock:
                    if self._for_others or self._mood in _RESTING:
                        self._change(Mood.NEUTRAL)
            case _:
                mood_now = mood_after(event)
                if mood_now is not None:
                    with self._lock:
                        self._change(mood_now)

    def typing(self) -> None:
        """Show that the owner is typing; only while idle."""
        with self._lock:
            if self._for_others or self._mood in _AT_REST:
                self._change(Mood.LISTENING)

    def wear(self, mood: Mood) -> None:
        """Show a mood that came with a line of another program; only while idle."""
        with self._lock:
            if self._for_others or self._mood in _AT_REST:
                self._change(mood)

    def rest_as(self, mood: Mood | None) -> None:
        """Set the resting mood to what other programs do; None: they do nothing. The owner's own turns go first."""
        with self._lock:
            before, self._outside = self._outside, mood
            if mood is not before and (self._for_others or self._mood in _RESTING):
                self._change(Mood.NEUTRAL)

    def sound(self, on: bool) -> None:
        """Move the mouth while words are said aloud: the resting mood is then talking."""
        with self._lock:
            if on != self._sounds:
                self._sounds = on
                if self._for_others or (on and self._mood in _AT_REST):
                    self._change(Mood.NEUTRAL)

    def reading(self) -> None:
        """Wake the pet, and restart the time after which it falls asleep: the owner reads the chat, or touches it."""
        with self._lock:
            if self._mood in (Mood.NEUTRAL, Mood.ASLEEP):
                self._change(Mood.NEUTRAL)
                self._emit(MoodChanged(mood=self._mood))  # repeated, because the page gets drowsy by itself

    def nap(self) -> None:
        """Fall asleep before its time; only while idle."""
        with self._lock:
            if self._mood is Mood.NEUTRAL:
                self._change(Mood.ASLEEP)

    def close(self) -> None:
        with self._lock:
            self._cancel()

    def _after(self, event: TurnEnded, reply_mood: Mood | None) -> Mood:
        mood = mood_after(event) or Mood.NEUTRAL
        if mood is not Mood.NEUTRAL or event.end is TurnEnd.STOPPED:
            return mood
        return reply_mood if reply_mood is not None and not (self._unread() or self._sounds) else Mood.NEUTRAL

    def _rest(self) -> Mood:
        if self._outside is Mood.WAITING:
            return Mood.WAITING
        if self._sounds:
            return Mood.TALKING
        return Mood.READY if self._unread() else self._outside or Mood.NEUTRAL

    def _flash(self, mood: Mood) -> None:
        """Emit a one-shot mood; the page then returns to the previous one."""
        with self._lock:
            self._emit(MoodChanged(mood=mood))
            self._emit(MoodChanged(mood=self._mood))

    def _change(self, mood: Mood) -> None:
        resting = mood is Mood.NEUTRAL
        if resting:
            mood = self._rest()
        self._for_others = resting and mood in (self._outside, Mood.TALKING)
        if mood is not self._mood:
            self._mood = mood
            self._emit(MoodChanged(mood=mood))  # under the lock: the last mood emitted is the current one
        self._cancel()
        if mood in _LASTING:
            seconds, following = _LASTING[mood], Mood.NEUTRAL
        elif mood is Mood.NEUTRAL:
            late = not 6 <= self._hour() < 21
            seconds, following = random.uniform(*FALLS_ASLEEP) * (0.6 if late else 1), Mood.ASLEEP  # noqa: S311
        else:
            return
        timer = self._timer = Timer(seconds, lambda: self._passed(timer, following))
        timer.daemon = True
        timer.start()

    def _passed(self, timer: Timer, mood: Mood) -> None:
        with self._lock:
            if timer is self._timer:  # otherwise a newer mood was set while waiting for the lock
                self._timer = None
                self._change(mood)

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def mood_after(event: Event) -> Mood | None:
    """Return the mood an event sets; None for no change."""
    match event:
        case TurnStarted() | RoundStarted() | ProposalClosed():
            return Mood.THINKING
        case TextDelta():
            return Mood.TALKING
        case ProposalAsked():
            return Mood.WAITING
        case TurnEnded(end=TurnEnd.FAILED | TurnEnd.CUT):
            return Mood.ERROR
        case TurnEnded():
            return Mood.NEUTRAL
        case _:
            return None
