"""Demo provider: prepared answers for an owner without a model.

Each answer says that it is prepared; nothing leaves this machine. Raises ProviderFault ``demo`` for input longer than
a chat message, such as a summary request.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable

from pet.errors import ProviderFault
from pet.i18n import Texts
from pet.model import DEMO, Request, StopReason, TextPart, Usage
from pet.providers.base import RoundDone, Streamed, TextChunk

_ANSWERS = 5  # the last one, how to get a real model, is repeated
_MAX_MESSAGE = 4_000  # characters
_WORD = re.compile(r"\s*\S+\s*")
_PIECE = 6  # characters; Chinese has no spaces
_PACE = 0.02  # seconds per piece


class DemoProvider:
    """Implements ``Provider``."""

    def __init__(self, texts: Callable[[], Texts], *, pace: float = _PACE) -> None:
        self._texts = texts
        self._pace = pace

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        turns = sum(message.role == "user" for message in request.messages)
        text = "".join(part.text for part in request.messages[-1].parts if isinstance(part, TextPart))
        if len(text) > _MAX_MESSAGE:
            raise ProviderFault("demo")
        answer = self._texts()(f"welcome.demo.answer_{min(turns, _ANSWERS)}")
        for piece in _pieces(answer):
            await asyncio.sleep(self._pace)
            yield TextChunk(text=piece)
        yield RoundDone(parts=(TextPart(text=answer),), stop=StopReason.END_TURN, usage=Usage(), model=DEMO)

    async def list_models(self, *, every: bool = False) -> list[str]:  # noqa: ARG002  there is one
        return [DEMO]

    async def close(self) -> None:
        return


def _pieces(text: str) -> list[str]:
    """Split into pieces of a few characters within words."""
    return [word[at : at + _PIECE] for word in _WORD.findall(text) for at in range(0, len(word), _PIECE)]
