"""State of one streamed reply that every protocol has: its size, its end, and the text and thinking in it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from pet.model import ReplyPart, StopReason, ToolCallPart, ToolSpec, Usage
from pet.providers.base import RoundDone, TextChunk
from pet.providers.inline_markup import Chunk, InlineMarkup
from pet.providers.sanitize import ReplyTooLarge
from pet.untrusted.parsers import join_surrogates

MAX_REPLY = 2_000_000
"""Characters of one reply: text, thinking and tool arguments together."""
MAX_BLOCKS = 1_000
"""Blocks, tool calls or details of one reply."""


class ReplyAccumulator(ABC):
    """Base of the protocols' accumulators: ``feed`` every event, ``close`` it at the server's own end, then call
    ``finish`` and ``done``. ``tools``: of the request; ``host``: the server's."""

    whole: ClassVar[str]
    """Field by which a reply that was not streamed is known."""

    def __init__(self, model: str, host: str, tools: Sequence[ToolSpec]) -> None:
        self._model = self._asked = model
        self._host = host
        self._names = {tool.name for tool in tools}
        self._characters = self._parts_begun = 0
        self._half = ""  # a high surrogate whose pair is pending
        self._markup = InlineMarkup(model, tools)
        self._thinking = 0
        self.started = False  # an event of this protocol arrived
        self.spoke = False  # text was yielded
        self._closed = False

    @property
    @abstractmethod
    def ended(self) -> bool:
        """Whether the server ended the reply."""

    @property
    def over(self) -> bool:
        """Whether nothing follows that is of the reply."""
        return False

    @property
    def unread(self) -> bool:
        """Whether the reply ends with a tool call in a form that isn't known of its model."""
        return self._markup.unread

    @abstractmethod
    def feed(self, event: Mapping[str, Any], /) -> list[Chunk]:
        """Return the chunks of this event. Raises ReplyTooLarge."""

    def close(self) -> None:
        """Mark the stream as ended by the server, with a reason or without."""
        self._closed = True

    @abstractmethod
    def finish(self) -> list[Chunk]:
        """Return the chunks that were held back until the end."""

    @abstractmethod
    def done(self) -> RoundDone:
        """Return the round as received; CUT unless the server ended it."""

    def events_of(self, reply: Mapping[str, Any]) -> Iterable[Mapping[str, Any]]:
        """Return the events of a reply that was not streamed."""
        return (reply,)

    def _add_text(self, *texts: str) -> None:
        self._characters += sum(map(len, texts))
        if self._characters > MAX_REPLY:
            raise ReplyTooLarge

    def _add_block(self, count: int = 1) -> None:
        self._parts_begun += count
        if self._parts_begun > MAX_BLOCKS:
            raise ReplyTooLarge

    def _marked_up(self, text: str) -> list[Chunk]:
        """Return the chunks that a piece of text completes; a surrogate pair may be split between two. Raises
        ReplyTooLarge."""
        self._add_text(text)
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return self._markup.feed(join_surrogates(text))

    def _kept(self, chunks: list[Chunk], text: list[str], others: Iterable[list[str]] = ()) -> list[Chunk]:
        """Return the chunks, and add their text to ``text``. Of a thought that takes all text back, this and
        ``others`` are emptied."""
        for chunk in chunks:
            if isinstance(chunk, TextChunk):
                self.spoke = True
                text.append(chunk.text)
                continue
            self._thinking += chunk.characters
            if chunk.takes_back:
                self.spoke = False
                for each in (text, *others):
                    each.clear()
        return chunks

    def _round(self, parts: Iterable[ReplyPart], stop: StopReason, usage: Usage) -> RoundDone:
        """Return the round, with the calls in its text. Some servers name another reason with calls, or calls without
        any."""
        parts = (*parts, *self._markup.calls)
        calls = any(isinstance(part, ToolCallPart) for part in parts)
        if stop is StopReason.END_TURN and calls:
            stop = StopReason.TOOL_USE
        elif stop is StopReason.TOOL_USE and not calls:
            stop = StopReason.END_TURN
        return RoundDone(parts=parts, stop=stop, usage=usage, model=self._model, thinking=self._thinking)
