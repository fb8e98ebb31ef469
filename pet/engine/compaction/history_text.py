"""Render older turns as fenced text for the summary prompt: speaker, time, message. Pure.

Includes visible text and the names of the tools that ran, never tool results. Message lines are indented, so that
none can be mistaken for a speaker line.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pet.access.policy import Access
from pet.i18n import Language, Texts, is_chinese
from pet.model import TextPart, ToolCallPart
from pet.prompt.fence import escape, one_line
from pet.prompt.tokens import estimate_tokens
from pet.prompt.truncate import truncate
from pet.text.sections import TALK, wrap
from pet.transcripts.conversation.model import Round, Turn

_NOTE = 300  # characters
_LEAST_MESSAGE = 200  # minimum characters of a message, however small the budget


def render_turns(turns: Sequence[Turn], access: Access, texts: Texts, room: int) -> str:
    """Render the turns; ``room`` is the token budget per turn, so that a single long one is truncated."""
    told = [_turn(turn, access, texts, room) for turn in turns]
    return wrap(TALK, escape("\n".join(told)))


def chunk_turns(turns: Sequence[Turn], access: Access, texts: Texts, room: int) -> list[tuple[Turn, ...]]:
    """Split the turns into chunks of at most ``room`` tokens each; no chunk is empty."""
    found: list[list[Turn]] = []
    used = 0
    for turn in turns:
        size = estimate_tokens(_turn(turn, access, texts, room))
        if not found or used + size > room:
            found.append([])
            used = 0
        found[-1].append(turn)
        used += size
    return [tuple(each) for each in found]


def memory_on_turns(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns held with memory on: nothing else may be written down."""
    return tuple(
        replace(turn, rounds=tuple(each for each in turn.rounds if not each.off)) for turn in turns if turn.memory
    )


def detect_language(turns: Sequence[Turn], otherwise: Language) -> Language:
    """Return the language the owner writes in: Chinese if its characters are many, else ``otherwise`` where that has
    letters, else English."""
    said = "".join(turn.text for turn in turns if turn.kind != "continue")[:20_000]
    letters = sum(char.isalpha() for char in said)
    if not letters:
        return otherwise
    wide = sum(map(is_chinese, said))
    return "zh" if wide * 4 >= letters else "en" if otherwise == "zh" else otherwise


def _turn(turn: Turn, access: Access, texts: Texts, room: int) -> str:
    limit = max(_LEAST_MESSAGE, room)  # characters: even at one token each, two messages stay near the budget
    when = turn.at[:16].replace("T", " ")
    sent = "".join(f"[{one_line(each.name, 80) or each.kind}] " for each in turn.attachments)
    lines = [f"{texts('engine.talk.owner')} ({when}): {sent}{_indented(turn.text, limit)}"]
    lines += [line for each in turn.rounds for line in _round(each, turn, access, texts, limit)]
    return "\n".join(lines)


def _round(each: Round, turn: Turn, access: Access, texts: Texts, limit: int) -> list[str]:
    lines: list[str] = []
    for part in each.parts:
        if isinstance(part, TextPart) and part.text.strip():
            lines.append(f"{texts('engine.talk.pet')}: {_indented(part.text, limit)}")
        elif isinstance(part, ToolCallPart):
            masked = turn.gated and not access.replays_gated
            lines.append(texts("tool.masked") if masked else _call(part))
    return lines


def _call(call: ToolCallPart) -> str:
    """Render a call: the tool's name, and for a note its text, so that it is not noted again."""
    about = f" {one_line(call.arguments, _NOTE)}" if call.name == "memory_write" else ""
    return f"[{one_line(call.name, 40)}{about}]"


def _indented(text: str, limit: int) -> str:
    return truncate(text.strip(), limit, lambda _gap: "…").text.replace("\n", "\n  ")
