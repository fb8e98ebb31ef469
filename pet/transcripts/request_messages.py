"""Convert a conversation to request messages, redacted as the access policy demands. Pure.

While memory is off, a turn with memory on keeps its visible text, and loses its thinking, its gated context, and each
call with its result, replaced by a fixed marker. Otherwise a turn with calls keeps the model's own thinking. A
summary made with memory on is used only while it is on. The output is always valid for the APIs: no empty messages,
alternating roles, every call with its result and vice versa.
Errors' arguments and receipts are for the owner and never enter a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pet.access import Access
from pet.errors import UnknownTurn
from pet.model import Attachment, ContextPart, Message, OpaquePart, Part, Role, TextPart, ToolCallPart, ToolResultPart
from pet.transcripts.conversation import Conversation, Round, Summary, Turn
from pet.transcripts.entries import ToolCompleted

_STOPPED = "Stopped before it ran."
"""Result of a call that was never answered."""

Framed = Callable[[Summary], ContextPart]
Shown = Callable[[Attachment], Part]
GoesBack = Callable[[OpaquePart], bool]


def name_only(attachment: Attachment) -> Part:
    """Represent an attachment by its name, for callers without its bytes."""
    return TextPart(text=f"[{attachment.name or attachment.kind}]")


def no_thinking(_part: OpaquePart) -> bool:
    """Leave out all thinking of earlier turns."""
    return False


def summary_part(summary: Summary) -> ContextPart:
    """Return the summary as a message part, without a frame."""
    return ContextPart(kind="summary", text=summary.text, gated=summary.memory)


def usable_summary(conversation: Conversation, access: Access) -> Summary | None:
    """Return the summary usable under this access; None: all turns are sent.

    With memory on, a summary made with memory on wins: it covers more. Dropped turns stay dropped.
    """
    sound = [each for each in conversation.summaries if each.turns > conversation.dropped and each.text.strip()]
    own = [each for each in sound if each.memory] if access.replays_gated else []
    usable = own or [each for each in sound if not each.memory]
    return max(usable, key=lambda each: each.turns, default=None)  # on a tie the first: both cover the same turns


def first_sent(conversation: Conversation, access: Access) -> int:
    """Return the number of leading turns not sent themselves: dropped, or covered by the summary."""
    summary = usable_summary(conversation, access)
    return summary.turns if summary else conversation.dropped


def to_messages(
    conversation: Conversation,
    access: Access,
    marker: str,
    upto: str | None = None,
    *,
    framed: Framed = summary_part,
    shown: Shown = name_only,
    goes_back: GoesBack = no_thinking,
    demo: bool = False,
) -> tuple[Message, ...]:
    """Return the messages of all turns before ``upto`` and that turn's user message; None: of all turns. ``demo``:
    they are the demo's own, which alone gets the turns it answered. ``goes_back``: which thinking is the model's own.

    The caller adds the rounds of ``upto`` itself. Turns covered by a summary are left out; the summary, ``framed``,
    starts the first message. Raises UnknownTurn if ``upto`` is not an active turn.
    """
    summary = usable_summary(conversation, access)
    first = summary.turns if summary else conversation.dropped
    pieces: list[tuple[Role, list[Part]]] = []
    for place, turn in enumerate(conversation.turns):
        if place == first and summary is not None:
            pieces.append(("user", [framed(summary)]))
        if turn.id == upto:
            pieces.append(("user", _user_parts(turn, access, shown)))
            break
        if place >= first and (demo or not turn.by_demo):
            pieces += _pieces_of(turn, access, marker, shown, goes_back)
    else:
        if upto is not None:
            raise UnknownTurn()
    messages: list[tuple[Role, list[Part]]] = []
    for role, parts in pieces:
        if messages and messages[-1][0] == role:
            messages[-1][1].extend(parts)
        elif parts:
            messages.append((role, list(parts)))
    return tuple(Message(role=role, parts=tuple(parts)) for role, parts in messages)


def replay_parts(
    turn: Turn, access: Access, marker: str, *, shown: Shown = name_only, goes_back: GoesBack = no_thinking
) -> list[Part]:
    """Return all parts that requests carry of one turn, both roles."""
    return [part for _, parts in _pieces_of(turn, access, marker, shown, goes_back) for part in parts]


def _pieces_of(
    turn: Turn, access: Access, marker: str, shown: Shown, goes_back: GoesBack
) -> Iterator[tuple[Role, list[Part]]]:
    yield "user", _user_parts(turn, access, shown)
    masked = turn.gated and not access.replays_gated
    if not any(isinstance(part, ToolCallPart) for round_ in turn.rounds for part in round_.parts):
        goes_back = no_thinking
    for round_ in turn.rounds:
        if masked:
            yield "assistant", _masked(round_, marker)
        else:
            yield from _replayed(round_, goes_back)


def _user_parts(turn: Turn, access: Access, shown: Shown) -> list[Part]:
    """Return context, then the owner's attachments and text, which are kept with memory on or off."""
    context: list[Part] = [
        part
        for part in turn.context
        # Recall and recent days are gated by their kind, whatever the record says.
        if part.text.strip() and (access.replays_gated or not (part.gated or part.kind != "time"))
    ]
    return [*context, *map(shown, turn.attachments), *_text_parts(turn.text)]


def _text_parts(text: str) -> list[Part]:
    return [TextPart(text=text)] if text.strip() else []


def _masked(round_: Round, marker: str) -> list[Part]:
    parts: list[Part] = []
    for part in round_.parts:
        if isinstance(part, TextPart):
            parts += _text_parts(part.text)
        elif isinstance(part, ToolCallPart):
            parts += _text_parts(marker)
    return parts


def _replayed(round_: Round, goes_back: GoesBack) -> Iterator[tuple[Role, list[Part]]]:
    """Yield the round's texts and calls with the thinking that goes back, then its results in call order."""
    parts: list[Part] = []
    calls: dict[str, ToolCallPart] = {}
    for part in round_.parts:
        if isinstance(part, TextPart):
            parts += _text_parts(part.text)
        elif isinstance(part, ToolCallPart) and part.id not in calls:  # one result can't answer two calls
            calls[part.id] = part
            parts.append(part)
        elif isinstance(part, OpaquePart) and goes_back(part):
            parts.append(part)
    if all(isinstance(part, OpaquePart) for part in parts):
        parts = []  # a message of nothing else is refused
    yield "assistant", parts
    if calls:
        done = {result.call_id: result for result in reversed(round_.results)}
        yield "user", [_result(call, done.get(call)) for call in calls]


def _result(call: str, done: ToolCompleted | None) -> ToolResultPart:
    if done is None:
        return ToolResultPart(call_id=call, text=_STOPPED, is_error=True)
    return ToolResultPart(call_id=call, text=done.text, is_error=done.is_error)
