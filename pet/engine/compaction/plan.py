"""Decide which turns to summarise and when. Pure.

Keeps a number of recent turns or a fifth of them, whichever is more, unless those alone exceed the budget. Each plan
takes at least one turn sent before, so that compaction terminates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from pet.access.policy import Access
from pet.settings.schema import Settings
from pet.transcripts.conversation.model import Conversation, Turn
from pet.transcripts.conversation.request_messages import first_sent, usable_summary

_TYPICAL_SUMMARY = 800  # typical size of a summary
_KEPT_SHARE = 0.2
_SMALL_GAIN = 0.05  # of the window: below it, two model calls are not worth it while there is room
_NEARLY_ALL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionPlan:
    """The turns to summarise, and the previous summary, which is included. ``without``: removed turns that the
    summary will not cover. ``wish``: what the owner wants of the summary, in their words.
    """

    turns: tuple[Turn, ...]
    before: str
    without: tuple[str, ...] = ()
    wish: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBudget:
    """``size``: tokens of the request; ``costs``: tokens of each finished turn in it, in order."""

    size: int
    window: int
    costs: tuple[int, ...]


def sent_turns(conversation: Conversation, access: Access, running: str | None) -> tuple[Turn, ...]:
    """Return the turns before the running one that requests carry unsummarised."""
    ended = [turn for turn in conversation.turns if turn.id != running]
    return tuple(ended[first_sent(conversation, access) :])


def plan_when_asked(conversation: Conversation, access: Access, settings: Settings) -> CompactionPlan | None:
    """Plan for a manual compaction: all turns that need not be kept. None: nothing to compact."""
    turns = sent_turns(conversation, access, None)
    return _plan(conversation, access, turns, len(turns) - _kept(len(turns), settings))


def plan_for_room(
    conversation: Conversation,
    access: Access,
    running: str,
    room: ContextBudget,
    settings: Settings,
    *,
    refused: bool = False,
) -> CompactionPlan | None:
    """Plan to fit a request into the token budget; None if it fits or nothing can be removed.

    ``refused``: the server rejected the request as too long, whatever the estimate was.
    """
    enough = settings.compact_share * room.window
    if room.size < enough and not refused:
        return None
    turns = sent_turns(conversation, access, running)
    take = max(len(turns) - _kept(len(turns), settings), 1)
    while take < len(turns) and _left(room, take) >= enough:  # the turns to keep exceed the budget alone
        take += 1
    spare = room.size < _NEARLY_ALL * room.window and not refused
    if spare and sum(room.costs[:take]) < _SMALL_GAIN * room.window:
        return None
    return _plan(conversation, access, turns, take)


def _kept(count: int, settings: Settings) -> int:
    return max(settings.compact_keep_turns, ceil(count * _KEPT_SHARE))


def _left(room: ContextBudget, take: int) -> int:
    return room.size - sum(room.costs[:take]) + _TYPICAL_SUMMARY


def _plan(conversation: Conversation, access: Access, turns: Sequence[Turn], take: int) -> CompactionPlan | None:
    if take < 1 or not turns:
        return None
    before = usable_summary(conversation, access)
    return CompactionPlan(
        turns=tuple(turns[:take]), before=before.text if before else "", without=conversation.removed
    )
