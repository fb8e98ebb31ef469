"""What the engine needs of a model, and nothing more.

A provider turns one ``Request`` into one stream. It never retries, never runs a tool and keeps no conversation:
those are the engine's. The only exception it lets out is ``ProviderFault``; events already yielded stay valid.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from pet.model import ReplyPart, Request, StopReason, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChunk:
    """The next piece of spoken text, never empty."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingChunk:
    """The model is thinking; how much, not what."""

    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundDone:
    """The last event of a stream. With ``StopReason.CUT`` the server ended it without saying so.

    ``parts`` are the whole reply in order; tool calls are in it only if they arrived complete, and they may be
    run only if ``stop`` is ``TOOL_USE``.
    """

    parts: tuple[ReplyPart, ...]
    stop: StopReason
    usage: Usage
    model: str
    local: bool = False  # computed on this computer, for nothing


Streamed = TextChunk | ThinkingChunk | RoundDone


class Provider(Protocol):
    def stream(self, request: Request) -> AsyncIterator[Streamed]:
        """One model call. Cancelling the consuming task ends it at once. Raises ProviderFault."""
        ...

    async def list_models(self) -> list[str]:
        """The ids the server names. Raises ProviderFault."""
        ...

    async def close(self) -> None:
        """Give back connections. Further calls are a bug."""
        ...
