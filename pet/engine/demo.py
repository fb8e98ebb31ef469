"""Demo provider: for an owner without a model. It notes, reminds and searches by rules, through the pet's own tools;
whatever else is said gets a prepared answer, which says so. Nothing leaves this machine.

Raises ProviderFault ``demo`` for input longer than a chat message, such as a summary request.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from datetime import datetime

from pet.errors import ProviderFault
from pet.i18n import Texts, day_comes_first
from pet.ids import new_id
from pet.language import pattern_rows
from pet.language.asking import concerns_owner, find_subject, statements_of
from pet.language.moment import MomentUnclear, split_moment
from pet.language.wishes import asks_for_reminder, asks_to_remember, stated_fact
from pet.memory.search.recall_selection import HitSource
from pet.model import DEMO, ReplyPart, Request, StopReason, TextPart, ToolCallPart, ToolResultPart, Usage
from pet.providers.base import RoundDone, Streamed, TextChunk

ROWS = "demo.json"
_MAX_MESSAGE = 4_000  # characters
_MOST_FOUND = 3
_LEAST_SCORE = 0.3  # from which a line is quoted
_WORD = re.compile(r"\s*\S+\s*")
_PIECE = 6  # characters; Chinese has no spaces
_PACE = 0.02  # seconds per piece
_MARKS = " \t\n,.;:!?¿¡，。；：！？、"
_SPEAKER = re.compile(r"^(?:-\s*)?(?:[^\s:：]{1,20})[:：]\s*")


class DemoProvider:
    """Implements ``Provider``. ``now``: the local time, for reminders."""

    def __init__(self, texts: Callable[[], Texts], now: Callable[[], datetime], *, pace: float = _PACE) -> None:
        self._texts = texts
        self._now = now
        self._pace = pace

    async def stream(self, request: Request) -> AsyncIterator[Streamed]:
        reply = self._reply(request)
        if isinstance(reply, ToolCallPart):
            yield _done(reply, StopReason.TOOL_USE)
            return
        for piece in _pieces(reply):
            await asyncio.sleep(self._pace)
            yield TextChunk(text=piece)
        yield _done(TextPart(text=reply), StopReason.END_TURN)

    async def list_models(self, *, every: bool = False) -> list[str]:  # noqa: ARG002  there is one
        return [DEMO]

    async def close(self) -> None:
        return

    def _reply(self, request: Request) -> str | ToolCallPart:
        """Return the reply, or the call that comes before it. Raises ProviderFault."""
        last = request.messages[-1]
        for part in last.parts:
            if isinstance(part, ToolResultPart):
                return self._answer(_called(request, part.call_id), part)
        message = "".join(part.text for part in last.parts if isinstance(part, TextPart)).strip()
        if len(message) > _MAX_MESSAGE:
            raise ProviderFault("demo")
        wanted = self._wanted(message)
        if wanted is None:
            owner = (each for each in request.messages if each.role == "user")
            first = sum(any(isinstance(part, TextPart) for part in each.parts) for each in owner) <= 1
            return self._texts()("demo.answer_first" if first else "demo.answer_later")
        if isinstance(wanted, str):
            return wanted
        offered = {tool.name for tool in request.tools}
        return wanted if wanted.name in offered else self._texts()("demo.memory_off")

    def _wanted(self, message: str) -> str | ToolCallPart | None:
        """Return the call that a message asks for, or what is lacking for it; None if it asks for nothing else."""
        if asks_for_reminder(message):
            return self._reminder(message)
        if asks_to_remember(message):
            return _call("memory_write", content=stated_fact(message), category="general")
        if query := searched(message):
            return _call("memory_search", query=query)
        return None

    def _reminder(self, message: str) -> str | ToolCallPart:
        words = message
        for pattern in pattern_rows(ROWS)["remind"]:
            words = pattern.sub(" ", words).strip(_MARKS)
        try:
            split = split_moment(words, self._now(), day_comes_first())
        except MomentUnclear:
            split = None
        if split is None:
            return self._texts()("demo.when")
        what = split[1]
        before, _, after = words.partition(what)
        when = f"{before.strip(_MARKS)} {after.strip(_MARKS)}".strip()
        for pattern in pattern_rows(ROWS)["lead"]:
            what = pattern.sub("", what)
        return _call("memory_write", content=what[:1].upper() + what[1:], category="todo", due=when)

    def _answer(self, call: ToolCallPart, result: ToolResultPart) -> str:
        texts = self._texts()
        try:
            reply, _ = json.JSONDecoder().raw_decode(result.text)
        except ValueError:
            return texts("demo.not_done")
        if result.is_error or not isinstance(reply, dict):
            return texts("demo.not_done")
        if call.name == "memory_search":
            notes = (hit for hit in reply["results"] if hit["source"] != HitSource.CONVERSATION)
            listed = [f"- {_line(hit['snippet'])}" for hit in notes if hit["score"] >= _LEAST_SCORE]
            lines = "\n".join(dict.fromkeys(listed[:_MOST_FOUND]))
            return texts("demo.found", lines=lines) if lines else texts("demo.found_nothing")
        if reply["status"] != "saved":
            return texts("demo.known")
        return texts("demo.reminds", when=reply["reminds"]) if "reminds" in reply else texts("demo.noted")


def searched(message: str) -> str:
    """Return what a message wants looked up in the notes; "" for any other message.

    >>> searched("Search for green tea"), searched("What is my cat called?"), searched("Hello!")
    ('green tea', 'What is my cat called?', '')
    """
    for pattern in pattern_rows(ROWS)["search"]:
        if match := pattern.match(message):
            query: str = match[1].strip(_MARKS)
            return query
    subject = find_subject(message)
    if subject is not None and not subject.named:
        return message
    return message if concerns_owner(message) and not statements_of(message) else ""


def _call(name: str, **arguments: str) -> ToolCallPart:
    return ToolCallPart(id=f"call_{new_id()}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))


def _called(request: Request, call_id: str) -> ToolCallPart:
    """Return the call that a result answers."""
    calls = (part for each in request.messages for part in each.parts if isinstance(part, ToolCallPart))
    return next(call for call in calls if call.id == call_id)


def _line(snippet: str) -> str:
    """Return a found note as one line of a list, without who said it."""
    lines = [line for line in snippet.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return _SPEAKER.sub("", " ".join(" ".join(lines).split()))


def _done(part: ReplyPart, stop: StopReason) -> RoundDone:
    return RoundDone(parts=(part,), stop=stop, usage=Usage(), model=DEMO)


def _pieces(text: str) -> list[str]:
    """Split into pieces of a few characters within words."""
    return [word[at : at + _PIECE] for word in _WORD.findall(text) for at in range(0, len(word), _PIECE)]
