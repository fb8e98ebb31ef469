"""The ``Provider`` protocol: one ``Request`` becomes one stream.

Providers never retry, run no tools and keep no conversation. The only exception they raise is ``ProviderFault``;
chunks already yielded stay valid.

    async for event in provider.stream(request):
        match event:
            case TextChunk(text=text):
                print(text, end="")
            case RoundDone(parts=parts, stop=stop):
                ...
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from pet.model import ReplyPart, Request, StopReason, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class TextChunk:
    """The next piece of visible text, never empty."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinkingChunk:
    """Thinking of this many characters; the content is not exposed. ``takes_back``: all text of this reply so far was
    thinking, and is counted here."""

    characters: int
    takes_back: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundDone:
    """The last event of a stream. ``StopReason.CUT``: the server ended it without a reason.

    ``parts`` is the whole reply in order, with complete tool calls only; run them only if ``stop`` is ``TOOL_USE``.
    """

    parts: tuple[ReplyPart, ...]
    stop: StopReason
    usage: Usage
    model: str
    local: bool = False  # computed on this computer, without cost
    thinking: int = 0  # characters


Streamed = TextChunk | ThinkingChunk | RoundDone


class Provider(Protocol):
    def stream(self, request: Request) -> AsyncIterator[Streamed]:
        """Call the model once. Cancelling the consuming task ends the call. Raises ProviderFault."""
        ...

    async def list_models(self, *, every: bool = False) -> list[str]:
        """Return the listed ids of the models for talking, or of ``every`` model. Raises ProviderFault."""
        ...

    async def close(self) -> None:
        """Close connections; the provider must not be used afterwards."""
        ...


_COMPLETE = {"end_turn", "stop", "stop_sequence", "eos", "eos_token", "completed", "pause_turn"}
_STOPS = {
    **dict.fromkeys(_COMPLETE, StopReason.END_TURN),
    "stop_sequence": StopReason.STOP_SEQUENCE,
    "pause_turn": StopReason.PAUSE_TURN,
    **dict.fromkeys(("tool_use", "tool_calls", "function_call"), StopReason.TOOL_USE),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens", "model_length"), StopReason.MAX_TOKENS),
    **dict.fromkeys(
        ("refusal", "content_filter", "sensitive", "safety", "recitation", "prohibited_content", "blocklist", "spii"),
        StopReason.REFUSAL,
    ),
    "model_context_window_exceeded": StopReason.WINDOW_EXCEEDED,
    **dict.fromkeys(
        ("error", "network_error", "insufficient_system_resource", "abort", "cancelled", "failed", "cut"),
        StopReason.CUT,
    ),
}
"""Stop reasons of Anthropic, OpenAI, Gemini, Mistral, DeepSeek, GLM and vLLM, in lower case."""


def stop_of(name: str, *, spoke: bool) -> StopReason:
    """Return the reason of this name; one that is unknown ends a reply that said something, and cuts any other."""
    return _STOPS.get(name.lower(), StopReason.END_TURN if spoke else StopReason.CUT)


def is_whole(name: str) -> bool:
    """Whether a reply that ended for this reason has all that was to be said."""
    return stop_of(name, spoke=True) not in (StopReason.MAX_TOKENS, StopReason.CUT)
