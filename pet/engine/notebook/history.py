"""The messages of a small model's reply: what was said, each with its day, what was recalled and what was noted as
plain sentences in brackets. Pure, and the same bytes for a turn each time it is sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from pet.access.policy import Access
from pet.engine.notebook.corrections import bare, unmarked
from pet.engine.request.token_budget import messages_tokens
from pet.i18n import Texts
from pet.model import CoreFile, Message, TextPart
from pet.prompt.notebook import asked_line, day_line, recall_line, time_line, unopened_line, written_line
from pet.transcripts.conversation.model import Conversation, Turn
from pet.transcripts.conversation.request_messages import first_sent
from pet.transcripts.records.entries import NOTE_CALL

_PROMPTED = (CoreFile.USER, CoreFile.MEMORY)
_SAME_TIME = timedelta(minutes=10)
_ABOUT_TIME = re.compile(r"time|clock|late|early|hour|minute|hora|minuto|tarde|几点|几分|时间|时候|多久|早|晚", re.I)


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
    turns = turns[: upto + 1]
    opening = conversation.opening if access.replays_gated else ""
    beside = [context_lines(turn, access, texts) for turn in turns]
    if opening and turns and turns[0] is conversation.turns[0]:
        beside[0].append(asked_line(opening, texts))
    costs = [messages_tokens(_of_turn(turn, lines, turn_id)) for turn, lines in zip(turns, beside, strict=True)]
    start = _first_that_fits(costs, budget)
    context: list[str] = []
    messages: list[Message] = []
    told: datetime | None = None
    for turn, lines in zip(turns[start:], beside[start:], strict=True):
        told, time = _time(turn, told, texts)
        context += [*time, *lines]
        messages += _of_turn(turn, [*time, *lines], turn_id)
    return SmallHistory(
        messages=tuple(messages),
        context=tuple(context),
        noted=frozenset(bare(" ".join(turn.text.split())) for turn in turns[start:] if _noted(turn)),
    )


def without_noted(memory: str, noted: frozenset[str]) -> str:
    """MEMORY.md without the notes whose sentences stand among the messages: so a note leaves the prompt's bytes, and
    what a server has computed of them, as they were."""
    return "\n".join(line for line in memory.split("\n") if not line.startswith("- ") or bare(line) not in noted)


def _noted(turn: Turn) -> bool:
    return any(each.call_id.startswith(NOTE_CALL) and each.receipt is not None for each in turn.besides)


def context_lines(turn: Turn, access: Access, texts: Texts) -> list[str]:
    """What the program puts beside a turn's message, but for the time."""
    lines = [unopened_line(each.name, texts) for each in turn.attachments]
    if not access.replays_gated:
        return lines
    # What is noted asks for nothing: lines of the prompt's files are not said again for it; that takes half a second.
    found = (used for used in turn.used if not (_noted(turn) and used.path in _PROMPTED))
    lines += [recall_line(unmarked(used.snippet), texts) for used in found]
    notes = (each for each in turn.besides if each.call_id.startswith(NOTE_CALL) and each.text)
    return lines + [written_line(each.text) for each in notes]


def _of_turn(turn: Turn, lines: list[str], running: str) -> tuple[Message, ...]:
    said = TextPart(text="\n".join((*lines, turn.text)) if turn.text.strip() else "\n".join(lines))
    asked = Message(role="user", parts=(said,))
    if turn.id == running or not turn.reply.strip():
        return (asked,)
    return (asked, Message(role="assistant", parts=(TextPart(text=turn.reply),)))


def _time(turn: Turn, told: datetime | None, texts: Texts) -> tuple[datetime | None, list[str]]:
    """What is said of the time with a message, and when it was said last: the day once, then only the time, and that
    only after a while or if the message may be about it. A slow computer reads twenty to thirty tokens a second."""
    try:
        at = datetime.fromisoformat(turn.at)
    except ValueError:  # a time that another program made unreadable
        return told, []
    if told is None or told.date() != at.date():
        return at, [day_line(at, texts)]
    long_ago = not timedelta() <= at - told < _SAME_TIME
    return (at, [time_line(at, texts)]) if long_ago or _ABOUT_TIME.search(turn.text) else (told, [])


def _first_that_fits(costs: list[int], budget: int) -> int:
    start = total = 0
    for place, cost in enumerate(costs):
        total += cost
        if total > budget:
            while start < place and total > budget // 2:
                total -= costs[start]
                start += 1
    return start
