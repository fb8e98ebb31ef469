"""The messages of a small model's reply: what was said, each with its day, what was recalled and what was noted as
plain sentences in brackets. Pure, and the same bytes for a turn each time it is sent."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pet.access.policy import Access
from pet.engine.notebook.corrections import bare, unmarked
from pet.engine.request.token_budget import messages_tokens
from pet.i18n import Texts
from pet.model import Message, TextPart
from pet.prompt.notebook import asked_line, day_line, recall_line, unopened_line, written_line
from pet.transcripts.conversation.model import Conversation, Turn
from pet.transcripts.conversation.replay import first_sent
from pet.transcripts.records.entries import NOTE_CALL


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallHistory:
    """``context``: the lines in brackets. ``noted``: sentences among the messages that stand in the notes."""

    messages: tuple[Message, ...]
    context: tuple[str, ...]
    noted: frozenset[str]


def small_messages(
    conversation: Conversation, access: Access, turn_id: str, texts: Texts, budget: int
) -> SmallHistory:
    """The messages up to this turn's within ``budget`` tokens.

    Where they don't fit, the older half of the budget goes at once: dropping one turn each time would make the server
    read everything anew with every message."""
    turns = conversation.turns[first_sent(conversation, access) :]
    upto = next((place for place, turn in enumerate(turns) if turn.id == turn_id), len(turns) - 1)
    made: list[tuple[Message, ...]] = []
    context: list[str] = []
    for turn in turns[: upto + 1]:
        lines = context_lines(turn, access, texts)
        if turn is conversation.turns[0] and conversation.opening and access.replays_gated:
            lines.append(asked_line(conversation.opening, texts))
        context += lines
        made.append(_of_turn(turn, lines, running=turn.id == turn_id))
    start = _first_that_fits([messages_tokens(each) for each in made], budget)
    return SmallHistory(
        messages=tuple(message for each in made[start:] for message in each),
        context=tuple(context),
        noted=frozenset(bare(" ".join(turn.text.split())) for turn in turns[start : upto + 1] if _noted(turn)),
    )


def without_noted(memory: str, noted: frozenset[str]) -> str:
    """MEMORY.md without the notes whose sentences stand among the messages: so a note leaves the prompt's bytes, and
    what a server has computed of them, as they were."""
    return "\n".join(line for line in memory.split("\n") if not line.startswith("- ") or bare(line) not in noted)


def _noted(turn: Turn) -> bool:
    return any(each.call_id.startswith(NOTE_CALL) and each.receipt is not None for each in turn.besides)


def context_lines(turn: Turn, access: Access, texts: Texts) -> list[str]:
    """What the program puts beside a turn's message."""
    lines = _day(turn, texts) + [unopened_line(each.name, texts) for each in turn.attachments]
    if not access.replays_gated:
        return lines
    lines += [recall_line(unmarked(used.snippet), texts) for used in turn.used]
    notes = (each for each in turn.besides if each.call_id.startswith(NOTE_CALL) and each.text)
    return lines + [written_line(each.text) for each in notes]


def _of_turn(turn: Turn, lines: list[str], *, running: bool) -> tuple[Message, ...]:
    said = TextPart(text="\n".join((*lines, turn.text)) if turn.text.strip() else "\n".join(lines))
    asked = Message(role="user", parts=(said,))
    if running or not turn.reply.strip():
        return (asked,)
    return (asked, Message(role="assistant", parts=(TextPart(text=turn.reply),)))


def _day(turn: Turn, texts: Texts) -> list[str]:
    try:
        return [day_line(datetime.fromisoformat(turn.at), texts)]
    except ValueError:  # a time that another program made unreadable
        return []


def _first_that_fits(costs: list[int], budget: int) -> int:
    start = total = 0
    for place, cost in enumerate(costs):
        total += cost
        if total > budget:
            while start < place and total > budget // 2:
                total -= costs[start]
                start += 1
    return start
