"""A conversation as the messages of a request, as much of it as the gate lets a model see.

Owns the masking: while the brain is off, a turn held with it on keeps what was said aloud, and loses its thinking,
its gated context, and each call with its result, for which one fixed marker stands. Owns which summary stands for
older turns: one made while the brain was on only while it is on. Refuses to send what an API would refuse: empty
messages, two in a row of one role, a call without a result or a result without its call.
Errors' arguments and receipts are the owner's and never enter a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pet.access.policy import Access
from pet.errors import UnknownTurn
from pet.model import Attachment, ContextPart, Message, Part, Role, TextPart, ToolCallPart, ToolResultPart
from pet.transcripts.entries import ToolCompleted
from pet.transcripts.fold import Conversation, Round, Summary, Turn

STOPPED = "Stopped before it ran."
"""The result of a call that was never answered, unless the caller has words of its own."""

Framed = Callable[[Summary], ContextPart]


Shown = Callable[[Attachment], Part]


def name_only(attachment: Attachment) -> Part:
    """An attachment by its name alone: for those who have none of its bytes."""
    return TextPart(text=f"[{attachment.name or attachment.kind}]")


def summary_part(summary: Summary) -> ContextPart:
    """The summary as a part of a message, with nothing around it."""
    return ContextPart(kind="summary", text=summary.text, gated=summary.memory)


def usable_summary(conversation: Conversation, access: Access) -> Summary | None:
    """The summary that stands for the first turns in what this access may see; None: they are all sent.

    With the brain on, one made while it was on wins: it tells more. What the owner dropped stays dropped.
    """
    sound = [each for each in conversation.summaries if each.turns > conversation.dropped and each.text.strip()]
    own = [each for each in sound if each.memory] if access.replays_gated else []
    usable = own or [each for each in sound if not each.memory]
    return max(usable, key=lambda each: each.turns, default=None)  # of equals the first: both tell the same


def first_sent(conversation: Conversation, access: Access) -> int:
    """How many turns are not sent themselves: dropped, or told by the summary."""
    summary = usable_summary(conversation, access)
    return summary.turns if summary else conversation.dropped


def to_messages(
    conversation: Conversation,
    access: Access,
    marker: str,
    upto: str | None = None,
    *,
    stopped: str = STOPPED,
    framed: Framed = summary_part,
    shown: Shown = name_only,
) -> tuple[Message, ...]:
    """The messages of all turns before ``upto`` and that turn's own user message; None: of all turns.

    The rounds of ``upto`` itself are the running loop's to add; turns that a summary tells are left out, it stands
    ``framed`` at the start of the first message that is sent. Raises UnknownTurn if it does not stand any more.
    """
    messages: list[tuple[Role, list[Part]]] = []
    for role, parts in _pieces(conversation, access, marker, upto, stopped, framed, shown):
        if messages and messages[-1][0] == role:
            messages[-1][1].extend(parts)
        elif parts:
            messages.append((role, list(parts)))
    return tuple(Message(role=role, parts=tuple(parts)) for role, parts in messages)


def replay_parts(
    turn: Turn, access: Access, marker: str, stopped: str = STOPPED, *, shown: Shown = name_only
) -> list[Part]:
    """All that requests carry of one turn, both sides."""
    return [part for _, parts in _pieces_of(turn, access, marker, stopped, shown) for part in parts]


def _pieces(
    conversation: Conversation,
    access: Access,
    marker: str,
    upto: str | None,
    stopped: str,
    framed: Framed,
    shown: Shown,
) -> Iterator[tuple[Role, list[Part]]]:
    summary, first = usable_summary(conversation, access), first_sent(conversation, access)
    for place, turn in enumerate(conversation.turns):
        if place == first and summary is not None:
            yield "user", [framed(summary)]
        if turn.id == upto:
            yield "user", _said(turn, access, shown)
            return
        if place >= first:
            yield from _pieces_of(turn, access, marker, stopped, shown)
    if upto is not None:
        raise UnknownTurn()


def _pieces_of(
    turn: Turn, access: Access, marker: str, stopped: str, shown: Shown
) -> Iterator[tuple[Role, list[Part]]]:
    yield "user", _said(turn, access, shown)
    masked = turn.memory and not access.replays_gated
    for round_ in turn.rounds:
        if masked:
            yield "assistant", _masked(round_, marker)
        else:
            yield from _replayed(round_, stopped)


def _said(turn: Turn, access: Access, shown: Shown) -> list[Part]:
    """Context, then what the owner sent and said: that was said aloud, with the brain on or off, and stays."""
    context: list[Part] = [part for part in turn.context if part.text.strip() and _may_replay(part, access)]
    return [*context, *map(shown, turn.attachments), *_spoken(turn.text)]


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


def _result(call: str, done: ToolCompleted | None, stopped: str) -> ToolResultPart:
    if done is None:
        return ToolResultPart(call_id=call, text=stopped, is_error=True)
    return ToolResultPart(call_id=call, text=done.text, is_error=done.is_error)
