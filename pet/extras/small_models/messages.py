"""Messages of a small model's requests, the filter of its replies, and its warm-up requests. Pure.

A turn's messages are the same bytes each time they are sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from operator import itemgetter

from pet.access import Access
from pet.engine.models import FILES_SHARE, LocalModelLimits
from pet.engine.token_budget import messages_tokens
from pet.extras.small_models.decisions import unmarked
from pet.extras.small_models.prompts import (
    day_line,
    question,
    question_line,
    question_schema,
    recall_line,
    reply_start,
    time_line,
    unopened_line,
    written_line,
)
from pet.i18n import Texts
from pet.language.asking import asks_of
from pet.language.labels import LABELS_OF_TURNS
from pet.language.small_talk import is_small_talk
from pet.memory.store.daily_log import fact_key
from pet.memory.store.split_entries import bare, by_older_line, split_earlier, stated_day
from pet.model import CoreFile, Message, Request, SystemBlock, TextPart
from pet.transcripts.conversation import Conversation, Turn
from pet.transcripts.entries import LATE_NOTE_CALL, NOTE_CALL, ToolCompleted
from pet.transcripts.request_messages import first_sent
from pet.workspace.templates import default_soul

_PROMPTED = (CoreFile.USER, CoreFile.MEMORY)
_SAME_TIME = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class SmallHistory:
    """``context``: the bracketed lines. ``newer``: recalled notes by the ``fact_key`` of the older line in them,
    each after its day ("" for none) and a blank."""

    messages: tuple[Message, ...]
    context: tuple[str, ...]
    newer: Mapping[str, str]


def small_messages(
    conversation: Conversation, access: Access, turn_id: str, texts: Texts, budget: int
) -> SmallHistory:
    """Return the messages up to this turn's within ``budget`` tokens.

    If they don't fit, half of the budget is dropped at once: one turn each time would invalidate the server's cached
    prefix with every message."""
    turns = conversation.turns[first_sent(conversation, access) :]
    upto = next((place for place, turn in enumerate(turns) if turn.id == turn_id), len(turns) - 1)
    turns = turns[: upto + 1]
    opening = conversation.opening if access.replays_gated else ""
    beside = [context_lines(turn, access, texts) for turn in turns]
    if opening and turns and turns[0] is conversation.turns[0]:
        beside[0].append(question_line(opening, texts))
    costs = [messages_tokens(_of_turn(turn, lines, turn_id)) for turn, lines in zip(turns, beside, strict=True)]
    start = _first_that_fits(costs, budget)
    context: list[str] = []
    messages: list[Message] = []
    mentioned: datetime | None = None
    for turn, lines in zip(turns[start:], beside[start:], strict=True):
        mentioned, time = _time(turn, mentioned, texts)
        context += [*time, *lines]
        messages += _of_turn(turn, [*time, *lines], turn_id)
    recalled = [used for turn in turns[start:] for used in turn.used if access.replays_gated]
    dated = sorted(
        ((stated_day(used.path, used.snippet), unmarked(used.snippet)) for used in recalled), key=itemgetter(0)
    )
    newer = by_older_line((text, f"{day} {split_earlier(text)[0]}") for day, text in dated)
    return SmallHistory(messages=tuple(messages), context=tuple(context), newer=newer)


def with_newer(text: str, newer: Mapping[str, str]) -> str:
    """Return a file with the recalled notes in the places of the older lines that they name as earlier. A model of
    1.5 billion parameters that sees both answers with the older one. A line's own date may be newer than the note."""
    lines = []
    for line in text.split("\n"):
        day, _, note = newer.get(fact_key(bare(line)), "").partition(" ")
        lines.append(f"- {note}" if note and not "" < day < stated_day("", line) else line)
    return "\n".join(lines)


def _notes(turn: Turn) -> list[ToolCompleted]:
    return [each for each in turn.besides if each.call_id.startswith(NOTE_CALL)]


def context_lines(turn: Turn, access: Access, texts: Texts) -> list[str]:
    """Return the context lines of a turn's message, without the time. Notes written after its reply add none, so that
    a sent message keeps its bytes."""
    lines = [unopened_line(each.name, texts) for each in turn.attachments]
    if not access.replays_gated:
        return lines
    early = [each for each in _notes(turn) if not each.call_id.startswith(LATE_NOTE_CALL)]
    noted = any(each.receipt is not None for each in early)
    # A noted message needs no answer from the files: repeating their lines would cost half a second.
    recalled = (used for used in turn.used if not used.carried and not (noted and used.path in _PROMPTED))
    for used in recalled:
        if used.superseded and used.path in _PROMPTED:
            continue  # replaced by the newer note
        earlier = f"{texts('prompt.context.earlier')} " if used.superseded else ""
        lines.append(recall_line(earlier + split_earlier(unmarked(used.snippet))[0], texts))
    return lines + [written_line(each.text) for each in early if each.text]


def _of_turn(turn: Turn, lines: list[str], running: str) -> tuple[Message, ...]:
    text = TextPart(text="\n".join((*lines, turn.text)) if turn.text.strip() else "\n".join(lines))
    question = Message(role="user", parts=(text,))
    if turn.id == running or not turn.reply.strip():
        return (question,)
    return (question, Message(role="assistant", parts=(TextPart(text=turn.reply),)))


def _time(turn: Turn, mentioned: datetime | None, texts: Texts) -> tuple[datetime | None, list[str]]:
    """Return the last time mentioned, and a message's time line: the day once, then only the time, after a while or
    if the message may be about it. A slow computer reads 20 to 30 tokens a second."""
    try:
        at = datetime.fromisoformat(turn.at)
    except ValueError:  # a time that another program made unreadable
        return mentioned, []
    if mentioned is None or mentioned.date() != at.date():
        return at, [day_line(at, texts)]
    long_ago = not timedelta() <= at - mentioned < _SAME_TIME
    return (at, [time_line(at, texts)]) if long_ago or asks_of("time_of_day", turn.text) else (mentioned, [])


def _first_that_fits(costs: list[int], budget: int) -> int:
    start = total = 0
    for place, cost in enumerate(costs):
        total += cost
        if total > budget:
            while start < place and total > budget // 2:
                total -= costs[start]
                start += 1
    return start


_STARTS = ("[20", "<pet-", "</pet-", "```", '{"name"', '{"is"', "{'name'", "[mood")


class ParrotFilter:
    """Filter of a reply stream that drops lines repeating the context, tags and calls. ``feed`` each piece, then
    ``finish``. ``context``: the context lines of the messages; ``openings``: their possible beginnings."""

    def __init__(self, context: Iterable[str], openings: Iterable[str] = ()) -> None:
        self._starts = (*_STARTS, *(each.casefold() for each in openings))
        self._lines = frozenset(line.strip() for line in context if line.strip())
        self._held = ""  # of an undecided line
        self._passing = False  # the rest of this line is shown
        self._dropping = False  # the rest of this line is dropped
        self._labelled = False  # a label was removed from this line
        self.dropped = False
        self.spoke = False

    def feed(self, text: str) -> str:
        """Return the text that may be shown now."""
        shown = "".join(self._piece(piece) for piece in text.splitlines(keepends=True))
        self.spoke = self.spoke or bool(shown.strip())
        return shown if self.spoke else ""

    def finish(self) -> str:
        """Return the rest that was held back."""
        held, self._held = self._held, ""
        if not held or self._dropping or self._is_parroted(held):
            self.dropped = self.dropped or bool(held)
            return ""
        self.spoke = self.spoke or bool(held.strip())
        return held if self.spoke else ""

    def _piece(self, piece: str) -> str:
        ends = piece.endswith("\n")
        if self._dropping:
            self._dropping = not ends
            return ""
        if self._passing:
            self._passing = not ends
            return piece
        self._held = self._without_label(self._held + piece)
        held = self._held
        if self._is_parroted(held):
            self._held, self.dropped, self._dropping = "", True, not ends
            return ""
        if ends or not self._may_become(held):
            self._held, self._passing, self._labelled = "", not ends, False
            return held
        return ""

    def _without_label(self, held: str) -> str:
        line = held.lstrip()
        label = next((each for each in LABELS_OF_TURNS if line.casefold().startswith(each)), "")
        if label:
            self.dropped = self._labelled = True
            line = line[len(label) :]
        return line.lstrip(" ") if self._labelled else held

    def _is_parroted(self, held: str) -> bool:
        line = held.strip()
        return line.casefold().startswith(self._starts) or line in self._lines

    def _may_become(self, held: str) -> bool:
        line = held.lstrip()
        if not line:
            return True
        low = line.casefold()
        return any(start.startswith(low) for start in (*self._starts, *LABELS_OF_TURNS)) or any(
            each.startswith(line) for each in self._lines
        )


_SHORTEST_COPY = 12  # characters; shorter lines may be the reply's own


_LONG_LINE = 80  # bytes; a shorter line of the character is a sentence that the pet may say


def copied_lines(notes: Iterable[str], prompt: Iterable[str], message: str) -> list[str]:
    """Return the lines that a reply would only copy: of USER and MEMORY (``notes``) as they are written and without
    mark and date, the long or listed ones of the rules and of SOUL (``prompt``) as they are written, and the message
    unless it is a greeting.
    """
    every = [form for line in notes for form in (line, unmarked(line), bare(line))]
    every += [line for line in prompt if line.startswith(("- ", "* ", "#")) or len(line.encode()) >= _LONG_LINE]
    every += [] if is_small_talk(message) else [message.strip()]
    return [line for line in every if len(line) >= _SHORTEST_COPY]


_HELLO = (Message(role="user", parts=(TextPart(text="."),)),)


def warming_requests(limits: LocalModelLimits, model: str, soul: str, texts: Texts) -> tuple[Request, ...]:
    """Return requests that make a local server compute the beginning of every reply, then of every question. They
    hold SOUL.md and no gated file, so the server's stored state is no memory of the owner's."""
    start = reply_start(soul or default_soul(texts.language), texts, round(limits.window * FILES_SHARE))
    reply = _request(model, (SystemBlock(text=start, cache=True),), _HELLO)
    if not limits.notes:
        return (reply,)
    system, messages = question((), ".", texts)
    decision = replace(_request(model, system, messages), schema=question_schema(()), temperature=0.0)
    return reply, decision


def _request(model: str, system: tuple[SystemBlock, ...], messages: tuple[Message, ...]) -> Request:
    return Request(model=model, max_tokens=1, system=system, tools=(), messages=messages, thinking="off")
