"""A conversation as the messages of a request, as much of it as the gate lets a model see (PRODUCT §3.3).

Owns the masking: while the brain is off, a turn held with it on keeps what was said aloud, and loses its thinking,
its gated context, and each call with its result, for which one fixed marker stands. Refuses to send what an API
would refuse: empty messages, two in a row of one role, a call without a result or a result without its call.
Errors' arguments and receipts are the owner's and never enter a message.
"""

from __future__ import annotations

from collections.abc import Iterator

from pet.errors import UnknownTurn
from pet.gate import Access
from pet.model import ContextPart, Message, Part, Role, TextPart, ToolCallPart, ToolResultPart
from pet.transcripts.entries import ToolDone
from pet.transcripts.fold import Conversation, Round, Turn

STOPPED = "Stopped before it ran."
"""The result of a call that was never answered, unless the caller has words of its own."""


def to_messages(
    conversation: Conversation,
    access: Access,
    marker: str,
    upto: str | None = None,
    *,
    stopped: str = STOPPED,
) -> tuple[Message, ...]:
    """The messages of all turns before ``upto`` and that turn's own user message; None: of all turns.

    The rounds of ``upto`` itself are the running loop's to add. Raises UnknownTurn if it does not stand any more.
    """
    messages: list[tuple[Role, list[Part]]] = []
    for role, parts in _pieces(conversation, access, marker, upto, stopped):
        if messages and messages[-1][0] == role:
            messages[-1][1].extend(parts)
        elif parts:
            messages.append((role, list(parts)))
    return tuple(Message(role=role, parts=tuple(parts)) for role, parts in messages)


def _pieces(
    conversation: Conversation, access: Access, marker: str, upto: str | None, stopped: str
) -> Iterator[tuple[Role, list[Part]]]:
    for place, turn in enumerate(conversation.turns):
        if turn.id == upto:
            yield "user", _said(turn, access)
            return
        if place >= conversation.dropped:
            yield "user", _said(turn, access)
            masked = turn.memory and not access.replays_gated
            for round_ in turn.rounds:
                if masked:
                    yield "assistant", _masked(round_, marker)
                else:
                    yield from _replayed(round_, stopped)
    if upto is not None:
        raise UnknownTurn()


def _said(turn: Turn, access: Access) -> list[Part]:
    context: list[Part] = [part for part in turn.context if part.text.strip() and _may_replay(part, access)]
    return [*context, *_spoken(turn.text)]


def _may_replay(part: ContextPart, access: Access) -> bool:
    # Recall and recent days come out of gated files by what they are, whatever the record says of them.
    return access.replays_gated or not (part.gated or part.kind != "time")


def _spoken(text: str) -> list[Part]:
    return [TextPart(text=text)] if text.strip() else []


def _masked(round_: Round, marker: str) -> list[Part]:
    parts: list[Part] = []
    for part in round_.parts:
        if isinstance(part, TextPart):
            parts += _spoken(part.text)
        elif isinstance(part, ToolCallPart):
            parts += _spoken(marker)
    return parts


def _replayed(round_: Round, stopped: str) -> Iterator[tuple[Role, list[Part]]]:
    """The round's texts and calls, then its results in the calls' order. Thinking ends with its own turn."""
    said: list[Part] = []
    calls: dict[str, ToolCallPart] = {}
    for part in round_.parts:
        if isinstance(part, TextPart):
            said += _spoken(part.text)
        elif isinstance(part, ToolCallPart) and part.id not in calls:  # one answer can't serve two calls
            calls[part.id] = part
            said.append(part)
    yield "assistant", said
    if calls:
        done = {result.call_id: result for result in reversed(round_.results)}
        yield "user", [_result(call, done.get(call), stopped) for call in calls]


def _result(call: str, done: ToolDone | None, stopped: str) -> ToolResultPart:
    if done is None:
        return ToolResultPart(call_id=call, text=stopped, is_error=True)
    return ToolResultPart(call_id=call, text=done.text, is_error=done.is_error)
