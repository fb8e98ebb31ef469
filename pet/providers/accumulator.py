"""State of one streamed reply that every protocol has: its size, and the text and thinking in it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pet.model import ToolSpec, Usage
from pet.providers.base import TextChunk
from pet.providers.inline_markup import Chunk, InlineMarkup
from pet.providers.sanitize import ReplySize, TextJoiner


class ReplyAccumulator:
    """Base of the protocols' accumulators. ``tools``: of the request; ``host``: the server's."""

    def __init__(self, model: str, host: str, tools: Sequence[ToolSpec]) -> None:
        self._model = self._asked = model
        self._host = host
        self._names = {tool.name for tool in tools}
        self._size = ReplySize()
        self._joiner = TextJoiner()
        self._markup = InlineMarkup(model, tools)
        self._thinking = 0
        self.spoke = False  # text was yielded

    @property
    def unread(self) -> bool:
        """Whether the reply ends with a tool call in a form that isn't known of its model."""
        return self._markup.unread

    def _marked_up(self, text: str) -> list[Chunk]:
        """Return the chunks that a piece of text completes. Raises ReplyTooLarge."""
        self._size.add_text(text)
        return self._markup.feed(self._joiner.feed(text))

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


def usage_of(sent: int | None, output: int | None, read: int | None, written: int | None) -> Usage:
    """Return the usage of OpenAI's protocols, whose input includes what the cache read and wrote."""
    return Usage(
        input_tokens=None if sent is None else max(0, sent - (read or 0) - (written or 0)),
        output_tokens=output,
        cache_read_tokens=read,
        cache_write_tokens=written,
    )
