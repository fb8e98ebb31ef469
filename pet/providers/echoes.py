"""Keep what was sent and is never shown out of a reply: a server may say it in text, or in a tool's name."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace

from pet.errors import ProviderFault
from pet.model import OpaquePart, ReplyPart, TextPart
from pet.providers.base import RoundDone, Streamed, TextChunk, ThinkingChunk
from pet.settings.api_keys import ApiKey

_SHORTEST = 12
"""Characters of a key that is no word: a local server's is often "none" or its own name."""
_MASK = "•••"


async def mask_stream(stream: AsyncGenerator[Streamed, None], secrets: Sequence[ApiKey]) -> AsyncIterator[Streamed]:
    """Yield the stream with these secrets masked, also one that comes in several pieces. Thinking with one in it is
    left out: it can't be changed."""
    values = _values(secrets)
    async with aclosing(stream):
        if not values:
            async for event in stream:
                yield event
            return
        held = ""  # the last characters, which may begin a secret
        fault: ProviderFault | None = None
        try:
            async for event in stream:
                if isinstance(event, RoundDone):
                    if held:
                        yield TextChunk(text=held)
                        held = ""
                    yield _masked_round(event, values)
                    continue
                if isinstance(event, ThinkingChunk):  # may come between two pieces of a secret
                    held = "" if event.takes_back else held
                    yield event
                    continue
                text = _masked(held + event.text, values)
                shown = len(text) - _begun(text, values)
                held = text[shown:]
                if shown:
                    yield TextChunk(text=text[:shown])
        except ProviderFault as ended:
            fault = ended
        if held:
            yield TextChunk(text=held)
        if fault is not None:
            raise fault


def mask_secrets(text: str, secrets: Sequence[ApiKey]) -> str:
    """Return the text with these secrets masked."""
    return _masked(text, _values(secrets))


def _values(secrets: Sequence[ApiKey]) -> list[str]:
    """Return the secrets that can be told from words, the longer first."""
    return sorted({each.reveal() for each in secrets if len(each.reveal()) >= _SHORTEST}, key=len, reverse=True)


def _masked(text: str, values: Sequence[str]) -> str:
    return re.sub("|".join(map(re.escape, values)), _MASK, text) if values else text


def _begun(text: str, values: Sequence[str]) -> int:
    """Return the length of the longest end of the text with which one of the values begins."""
    longest = max(map(len, values)) - 1
    for length in range(min(longest, len(text)), 0, -1):
        if any(each.startswith(text[-length:]) for each in values):
            return length
    return 0


def _masked_round(done: RoundDone, values: Sequence[str]) -> RoundDone:
    parts = tuple(part for each in done.parts if (part := _masked_part(each, values)) is not None)
    text = "".join(part.text for part in parts if isinstance(part, TextPart))
    if (whole := _masked(text, values)) != text:  # a secret in two parts
        first = next(part for part in parts if isinstance(part, TextPart))
        one = replace(first, text=whole)
        parts = tuple(
            one if part is first else part for part in parts if part is first or not isinstance(part, TextPart)
        )
    return replace(done, parts=parts, model=_masked(done.model, values))


def _masked_part(part: ReplyPart, values: Sequence[str]) -> ReplyPart | None:
    if isinstance(part, OpaquePart):
        return None if any(each in json.dumps(part.raw, ensure_ascii=False) for each in values) else part
    if isinstance(part, TextPart):
        return replace(part, text=_masked(part.text, values))
    names = {name: _masked(getattr(part, name), values) for name in ("id", "name", "arguments")}
    return replace(part, **names)
