"""Automatic recall before a message's first request, and which recalled entries are shown under the reply.

A message waits at most ``recall_seconds``, a setting; the first one after the start until the embedders are loaded.
Late results are logged and recorded with the turn. Access is checked before and after, here as in the files and the
index.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING, TypeVar

from pet.access import ON
from pet.engine.turn_context import TurnContext
from pet.errors import PetError
from pet.language.small_talk import is_small_talk
from pet.language.tokens import tokenize
from pet.memory.search.recall_selection import content_tokens
from pet.model import ContextPart, ForeignSource, RecallWay, UsedMemory
from pet.prompt.context import recall_context, recent_days_context
from pet.transcripts.conversation import Conversation, Turn
from pet.transcripts.request_messages import first_sent

if TYPE_CHECKING:
    from pet.memory.search.gated_memory import GatedMemory
    from pet.memory.search.recall_selection import Hit
    from pet.memory.store.digest import RecentDay
    from pet.tools.tool import ToolContext
    from pet.workspace.gated_files import GatedFiles

_ENOUGH = 2  # tokens of the entry that are in the reply and not in the message
_SHARE = 0.5  # of an entry with fewer of them
_REPEATED = 0.8  # of an entry that the reply repeats, with something that the message did not have


def shown_memories(turn: Turn) -> tuple[UsedMemory, ...]:
    """Return the entries shown under an ended reply: those whose words it repeats, at least one of which the message
    did not have. What only went along is shown on request."""
    if not (turn.used and turn.end):
        return ()
    reply_tokens, message_tokens = _tokens_of(turn.reply_ends), _tokens_of(turn.text)
    return tuple(each for each in turn.used if _uses(reply_tokens, message_tokens, each.snippet))


def other_memories(turn: Turn) -> list[UsedMemory]:
    """Return the entries recalled for an ended reply that are not shown under it."""
    shown = shown_memories(turn)
    return [each for each in turn.used if each not in shown] if turn.end else []


def _tokens_of(text: str) -> frozenset[str]:
    return content_tokens(tokenize(text))


def _uses(reply_tokens: frozenset[str], message_tokens: frozenset[str], snippet: str) -> bool:
    entry_tokens = _tokens_of(snippet)
    repeated = reply_tokens & entry_tokens
    new = len(repeated - message_tokens)
    share = len(entry_tokens)
    return new >= _ENOUGH or (new > 0 and (new >= _SHARE * share or len(repeated) >= _REPEATED * share))


T = TypeVar("T")
_log = logging.getLogger(__name__)

RECALL_CHARACTERS = 800
"""Maximum length of the notes recalled for one message, together."""
_DAYS = 3
_DAY_CHARACTERS = 500
_SPARE_LOGS = 2  # extra logs read, since some may be empty
_LOADING_SECONDS = 30.0
"""Longest wait of the first message for the embedders; loading takes 2 s of CPU, 10 s at a load of 10."""
_LATE: tuple[list[UsedMemory], RecallWay] = ([], "late")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    context: tuple[ContextPart, ...] = ()
    used: tuple[UsedMemory, ...] = ()
    way: RecallWay = "meaning"
    foreign: tuple[ForeignSource, ...] = ()


@dataclass(frozen=True, slots=True)
class Recall:
    """Recall for one turn. ``prompted``: texts in the prompt, white space as single spaces."""

    context: TurnContext
    memory: GatedMemory | None
    prompted: Collection[str]

    async def find(self, conversation: Conversation, turn: Turn, *, again: bool = False) -> RecallResult:
        """Return the context due for the message. ``again``: after a compaction, which may have removed days."""
        if not self.context.gate.access().recalls:
            return RecallResult(way=turn.recall_way)
        today = self.context.services.clock.now().date()
        recalls = self.context.settings.recall and turn.kind != "continue" and not again
        recalls = recalls and self.memory is not None and not is_small_talk(turn.text)
        no_days: list[RecentDay] = []
        wants_days, loading = wants_recent_days(conversation, turn, today), not self.context.services.index.is_warm
        more = _LOADING_SECONDS if loading else 0.0
        days, recalled = await asyncio.gather(
            self._in_time(lambda: days_for_message(self.context.files, today), no_days, wanted=wants_days),
            self._in_time(lambda: self._recalled(turn.text, today, loading), _LATE, wanted=recalls, more=more),
        )
        hits, way = recalled if recalls else ([], turn.recall_way)
        if not (hits or days):
            return RecallResult(way=way)
        if not self.context.gate.access().recalls:
            return RecallResult(way=turn.recall_way)
        recalled_before = already_recalled(conversation, turn)
        used = tuple(replace(each, carried=(each.path, each.snippet) in recalled_before) for each in hits)
        new = tuple(each for each in used if not each.carried and not self._is_prompted(each.snippet))
        days = _without(days, new)
        parts: list[ContextPart] = []
        if days:
            parts.append(recent_days_context(days, self.context.texts))
        if new:
            parts.append(recall_context(new, self.context.texts))
        foreign = await asyncio.to_thread(self._foreign, days, new) if parts else ()
        return RecallResult(context=tuple(parts), used=used, way=way, foreign=foreign)

    def _foreign(self, days: Sequence[RecentDay], new: Sequence[UsedMemory]) -> tuple[ForeignSource, ...]:
        """Return what of others is in these days, cut or not, and entries."""
        from pet.memory.search.foreign_notes import FoundSources, no_talk

        def read(path: str) -> str:
            return self.context.files.read(path).text

        open_talk = self.memory.open_talk if self.memory is not None else no_talk
        whole = (UsedMemory(path=day.file, start_line=1, end_line=10**9, source="log", snippet="") for day in days)
        return FoundSources(read, open_talk).of((*whole, *new))

    def _is_prompted(self, text: str) -> bool:
        """Whether the prompt holds the text, whatever its line breaks."""
        wanted = " ".join(text.split())
        return any(wanted in each for each in self.prompted)

    async def _in_time(self, work: Callable[[], T], otherwise: T, *, wanted: bool, more: float = 0.0) -> T:
        """Run the work on another thread; ``otherwise`` on timeout or failure. ``more``: seconds to be granted."""
        if not wanted:
            return otherwise
        task = asyncio.ensure_future(asyncio.to_thread(work))
        task.add_done_callback(_log_failure)
        await asyncio.wait({task}, timeout=self.context.settings.recall_seconds + more)
        if not task.done():
            _log.warning("recall was late and is left out of this message")
        return task.result() if task.done() and task.exception() is None else otherwise

    def _recalled(self, message: str, today: date, loading: bool) -> tuple[list[UsedMemory], RecallWay]:
        assert self.memory is not None
        if loading:
            self.context.services.index.wait_until_warm(_LOADING_SECONDS)
        settings = self.context.settings
        result = self.memory.recall(
            message,
            today,
            count=settings.recall_count,
            characters=RECALL_CHARACTERS,
            threshold=settings.recall_threshold,
            seconds=settings.recall_seconds * 0.9,
            is_sent=self._is_prompted,
        )
        used = [_used(hit) for hit in result.hits]
        return [*used, *(self._earlier(message, used, today) if used else ())], result.way

    def _earlier(self, message: str, used: Sequence[UsedMemory], today: date) -> list[UsedMemory]:
        """Return what the recalled entries of core files replaced, for a message about the past; else nothing."""
        from pet.memory.search.query import asks_for_past
        from pet.memory.store.provenance import earlier_lines

        if not asks_for_past(message, today):
            return []
        services, gate = self.context.services, self.context.gate
        try:
            gate.check_recall()
            lines = earlier_lines(services.store, used, services.effective.texts())
            gate.check_recall()
            return lines
        except PetError as refused:  # memory was switched off, or the history can't be read
            _log.info("no earlier lines: %s", refused.error_code)
            return []


def days_for_message(files: GatedFiles, today: date) -> list[RecentDay]:
    """Return the entries of recent days that are sent with the first message of a conversation or of a day."""
    from pet.memory.store.digest import recent_days

    logs = files.recent_logs(today, _DAYS + _SPARE_LOGS)
    return recent_days(logs, days=_DAYS, characters=_DAY_CHARACTERS)


async def add_late_recall(context: TurnContext, tools: ToolContext) -> None:
    """Look up again, before the turn's next round, for a message that recall was late for. Raises TurnAborted."""
    if context.history.conversation.turn(context.turn).recall_way == "late":
        await add_recall(context, tools)


async def add_recall(context: TurnContext, tools: ToolContext, *, again: bool = False) -> None:
    """Add recall results to the message's context. ``again``: after a compaction. Raises TurnAborted.

    Which of them the reply uses is known at its end.
    """
    conversation = context.history.conversation
    turn = conversation.turn(context.turn)  # raises UnknownTurn if another machine superseded it meanwhile
    recall = Recall(context, tools.memory, _prompt_texts(context, tools))
    result = await context.scope.run(recall.find(conversation, turn, again=again))
    context.scope.raise_if_cancelled()
    if result.context or result.used or result.way != turn.recall_way:
        context.journal.record_context(result.context, result.used, result.way, result.foreign)
        context.history.renew()


def _prompt_texts(context: TurnContext, tools: ToolContext) -> list[str]:
    """Return the texts of the files that every request of this turn carries whole, white space as single spaces."""
    limit = context.settings.prompt_file_characters
    files = tools.snapshot.visible(context.gate.access())
    texts = [files.text(state.name) for state in files.states]
    return [" ".join(text.split()) for text in texts if text and len(text) <= limit]


def wants_recent_days(conversation: Conversation, turn: Turn, today: date) -> bool:
    """Whether recent days are due: first message, new day, or removed by a compaction; once with a message."""
    if any(part.kind == "recent_days" for part in turn.context):
        return False
    before = _before(conversation, turn)
    sent = first_sent(conversation, ON)
    carried = [place for place, each in enumerate(before) if any(part.kind == "recent_days" for part in each.context)]
    if carried:
        return carried[-1] < sent or _day(before[carried[-1]]) != today
    own = [each for each in before[sent:] if each.gated]
    return not own or _day(own[-1]) != today


def already_recalled(conversation: Conversation, turn: Turn) -> frozenset[tuple[str, str]]:
    """Return the recalled entries of messages that are still sent, as (file, text)."""
    sent = _before(conversation, turn)[first_sent(conversation, ON) :]
    return frozenset((used.path, used.snippet) for each in sent for used in each.used if not used.carried)


def _before(conversation: Conversation, turn: Turn) -> tuple[Turn, ...]:
    place = next((place for place, each in enumerate(conversation.turns) if each.id == turn.id), None)
    return conversation.turns[:place]


def _day(turn: Turn) -> date | None:
    """Return the local day of the message; None for an unreadable time."""
    try:
        return datetime.fromisoformat(turn.at).date()
    except ValueError:
        return None


def _used(hit: Hit) -> UsedMemory:
    from pet.memory.search.recall_selection import SURE

    return UsedMemory(
        path=hit.path,
        start_line=hit.start_line,
        end_line=hit.end_line,
        source=hit.source.value,
        snippet=hit.snippet,
        turn=hit.turn,
        sure=hit.score >= SURE,
        superseded=hit.superseded,
        heading=hit.heading,
    )


def _without(days: Sequence[RecentDay], used: Sequence[UsedMemory]) -> list[RecentDay]:
    """Return the days without the recalled entries, so that a message carries a fact once."""
    left: list[RecentDay] = []
    for each in days:
        text = each.text
        for snippet in (item.snippet.strip() for item in used if item.path == each.file):
            place = text.find(snippet)
            if place >= 0:
                start = text.rfind("\n", 0, place) + 1
                end = text.find("\n", place + len(snippet))
                text = text[:start] + (text[end + 1 :] if end >= 0 else "")
        if text.strip(" \n…"):
            left.append(replace(each, text=text.rstrip("\n")))
    return left


def _log_failure(task: asyncio.Task[T]) -> None:
    if not task.cancelled() and (fault := task.exception()) is not None:
        _log.info("recall failed: %s", type(fault).__name__)
