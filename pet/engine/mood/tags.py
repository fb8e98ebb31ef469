"""Moods in band: the model ends or begins a reply with ``[mood:happy]``, and nobody reads the tag.

Owns finding such tags in a stream, also split over its pieces, and taking them out. Refuses to touch anything else:
brackets that are no tag, tags quoted in code, and text are passed on unchanged, and at once unless they may still
become a tag.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import replace

from pet.events import Mood
from pet.model import ReplyPart, TextPart
from pet.providers.base import RoundDone, Streamed, TextChunk

_LONGEST = 40  # characters; what is longer is no tag
_STEP = 256  # characters looked at in one go: the work stays linear in the length of a piece
_TAG = re.compile(r"[\[【][ \t]*(?:mood|心情)[ \t]*[:：][ \t]*([^\W\d_]{1,16})[ \t]*[\]】]", re.IGNORECASE)
_BEGUN = re.compile(
    r"[\[【][ \t]*(?:m(?:o(?:o(?:d(?P<en>[ \t]*(?:[:：][ \t]*[^\W\d_]{0,16}[ \t]*)?)?)?)?)?"
    r"|心(?:情(?:[ \t]*(?:[:：][ \t]*[^\W\d_]{0,16}[ \t]*)?)?)?)?",
    re.IGNORECASE,
)

SAYABLE: tuple[Mood, ...] = (Mood.HAPPY, Mood.SAD, Mood.SURPRISED, Mood.THINKING, Mood.ASLEEP, Mood.NEUTRAL)
"""What the prompt offers. The others show what the pet does, which the model need not say."""

_NAMES: dict[Mood, str] = {
    Mood.HAPPY: "happy joy joyful glad excited love loving proud playful grateful 开心 高兴 快乐 喜欢 爱 兴奋",
    Mood.SAD: "sad sorry worried lonely hurt disappointed 难过 伤心 担心 抱歉 委屈 失望",
    Mood.SURPRISED: "surprised shocked amazed astonished 惊讶 吃惊 惊喜",
    Mood.THINKING: "thinking thoughtful curious puzzled confused 思考 好奇 疑惑",
    Mood.ASLEEP: "asleep sleepy tired 困 困倦 睡着",
}
_MOODS = {name: mood for mood, names in _NAMES.items() for name in names.split()}


def mood_named(name: str) -> Mood:
    """The mood a tag names; one we have no face for is neutral."""
    return _MOODS.get(name.casefold(), Mood.NEUTRAL)


class MoodTagParser:
    """One reply, piece by piece. What is fed comes out again, tags excepted; the rest at the latest with ``end``."""

    def __init__(self) -> None:
        self._held = ""  # may still become a tag
        self._line = ""  # what was let out of the current line
        self._begun = False  # whether anything but white space was let out
        self._fenced = False
        self._closing_gap = ""  # after a tag: the white space that goes with it

    def feed(self, text: str) -> tuple[str, Mood | None]:
        """What can be shown now, and the last mood named in it."""
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
            found = _TAG.match(self._held)
            if found is not None and not self._quoted():
                mood = mood_named(found[1])
                self._held = self._held[found.end() :]
                self._closing_gap = " \t\r\n" if not self._begun else " \t" if self._line[-1:] in " \t" else ""
                continue
            if self._may_become_tag():
                break
            out.append(self._let_out(1))
        return "".join(out), mood

    def end(self) -> str:
        """What was held back and did not become a tag."""
        return self._let_out(len(self._held))

    def _opening(self) -> int:
        places = [place for place in (self._held.find("["), self._held.find("【")) if place >= 0]
        return min(places, default=len(self._held))

    def _may_become_tag(self) -> bool:
        if self._quoted():
            return False
        return len(self._held) < _LONGEST and _BEGUN.fullmatch(self._held) is not None

    def _quoted(self) -> bool:
        """In code the tag is what the reply is about."""
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
    """What counts of a long line: how it begins behind its indent, and how it ends."""
    if len(line) <= _STEP:
        return line
    bare = line.lstrip()
    return bare if len(bare) <= _LONGEST else bare[:_LONGEST] + bare[-1]


def without_tags(parts: tuple[ReplyPart, ...]) -> tuple[ReplyPart, ...]:
    """The finished reply as it is kept and sent again. Text that was nothing but a tag is left out."""
    tags = MoodTagParser()
    kept: list[ReplyPart] = []
    for part in parts:
        if not isinstance(part, TextPart):
            kept.append(part)
        elif text := tags.feed(part.text)[0] + tags.end():
            kept.append(replace(part, text=text))
    return tuple(kept)


async def strip_mood_tags(stream: AsyncIterator[Streamed], said: Callable[[Mood], None]) -> AsyncIterator[Streamed]:
    """The stream without tags; each mood goes to ``said`` at its place."""
    tags = MoodTagParser()
    async for event in stream:
        match event:
            case TextChunk(text=text):
                visible, mood = tags.feed(text)
                if visible:
                    yield TextChunk(text=visible)
                if mood is not None:
                    said(mood)
            case RoundDone():
                if rest := tags.end():
                    yield TextChunk(text=rest)
                yield replace(event, parts=without_tags(event.parts))
            case _:
                yield event
