"""The scripted demo: prepared answers, for an owner who has no model yet.

Each answer says that it is prepared. Nothing leaves this machine. Refuses to play a model where that would matter:
what is longer than a chat message (a summary to be made, a page to be read) is a fault with a sentence of its own.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable

from pet.errors import ProviderFault
from pet.i18n import Texts
from pet.model import Request, StopReason, TextPart, Usage
from pet.providers.base import RoundDone, Streamed, TextChunk

MODEL = "demo"
_ANSWERS = 5  # the last one is repeated: it says how to get a real model
_LONGEST = 4_000  # characters of a message
_WORD = re.compile(r"\s*\S+\s*")
_MOST = 6  # characters a piece: Chinese has no spaces
_PACE = 0.02  # seconds a piece: read it as it comes, as from a model


class DemoProvider:
    """Implements ``Provider``."""

    def __init__(self, texts: Callable[[], Texts], *, pace: float = _PACE) -> None:
        self._texts = texts
        self._pace = pace

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        asked = sum(message.role == "user" for message in request.messages)
        said = "".join(part.text for part in request.messages[-1].parts if isinstance(part, TextPart))
        if len(said) > _LONGEST:
            raise ProviderFault("demo")
        answer = self._texts()(f"welcome.demo.answer_{min(asked, _ANSWERS)}")
        for piece in _pieces(answer):
            await asyncio.sleep(self._pace)
            yield TextChunk(text=piece)
        yield RoundDone(parts=(TextPart(text=answer),), stop=StopReason.END_TURN, usage=Usage(), model=MODEL)

    async def list_models(self) -> list[str]:
        return [MODEL]

    async def close(self) -> None:
        return


def _pieces(text: str) -> list[str]:
    """A few characters at a time, none across two words; joined they are the text."""
    return [word[at : at + _MOST] for word in _WORD.findall(text) for at in range(0, len(word), _MOST)]
