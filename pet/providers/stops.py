"""Why a server ended a reply, in the words of each maker. Pure."""

from __future__ import annotations

from pet.model import StopReason

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
"""Of Anthropic, OpenAI, Gemini, Mistral, DeepSeek, GLM and vLLM, in lower case."""


def stop_of(name: str, *, spoke: bool) -> StopReason:
    """Return the reason of this name; one that is unknown ends a reply that said something, and cuts any other."""
    return _STOPS.get(name.lower(), StopReason.END_TURN if spoke else StopReason.CUT)


def is_whole(name: str) -> bool:
    """Whether a reply that ended for this reason has all that was to be said."""
    return stop_of(name, spoke=True) not in (StopReason.MAX_TOKENS, StopReason.CUT)
