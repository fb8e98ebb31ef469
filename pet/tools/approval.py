"""When a change needs the owner's approval, and asking for it."""

from __future__ import annotations

from typing import Literal

from pet.access import FileKind
from pet.errors import ToolRefused
from pet.model import Allowed, Decision, ForeignSource, Proposal, Refused
from pet.tools.tool import ToolContext
from pet.workspace.line_diff import dropped_line_count, dropped_line_ratio

_FEWEST_DROPPED = 3
"""Lines. Fewer are a correction, even in a short file."""

_REFUSED = {"owner": "owner_refused", "memory_off": "memory_off", "no_terminal": "nobody_to_ask"}
_FORGETTING_REFUSED = {**_REFUSED, "owner": "forget_refused", "no_terminal": "forget_unasked"}
_PAGE_REFUSED = {**_REFUSED, "owner": "page_refused", "no_terminal": "page_unasked"}
_CALL_REFUSED = {**_REFUSED, "owner": "call_refused", "no_terminal": "call_unasked"}


def always_asks(context: ToolContext, kind: FileKind) -> bool:
    """Whether the owner approves every change of files of this kind."""
    return kind in context.gate.access().asks_owner


ApprovalReason = Literal["soul", "losing_text", "foreign", "unasked"]


def approval_reason(
    context: ToolContext, name: str, kind: FileKind, before: str, after: str
) -> tuple[ApprovalReason | None, tuple[ForeignSource, ...]]:
    """Return why the owner must approve of ``after`` as the file's text, None if no approval is needed; and the
    foreign sources to name."""
    foreign = context.foreign.present()
    if always_asks(context, kind):
        return "soul", foreign
    start = context.start_text(name)
    drops_much = dropped_line_ratio(start, after) > context.losing_share
    if drops_much and dropped_line_count(start, after) >= _FEWEST_DROPPED:
        return "losing_text", foreign
    old, new = (set(filter(str.strip, text.splitlines())) for text in (before, after))
    if asking := context.foreign.asking("\n".join(new - old), [*(old - new)]):
        return "foreign", asking
    return ("unasked" if context.unasked else None), foreign


async def ask_owner(context: ToolContext, proposal: Proposal) -> Allowed:
    """Show the proposal and wait for the answer. Raises ToolRefused unless the owner allows it."""
    decision = await context.confirm(proposal)
    if isinstance(decision, Allowed):
        context.foreign.allow(allowed_sources(proposal, decision))
        return decision
    raise _refused(decision, proposal)


def allowed_sources(proposal: Proposal, decision: Decision) -> tuple[ForeignSource, ...]:
    """Return the foreign sources beside which the owner wants notes from now on: those that a question named."""
    lasts = isinstance(decision, Allowed) and decision.lasting != "once"
    return proposal.foreign if lasts and proposal.reason == "foreign" else ()


def _refused(decision: Refused, proposal: Proposal) -> ToolRefused:
    if proposal.reason == "forget":
        return ToolRefused(_FORGETTING_REFUSED.get(decision.why, "stopped"))
    if proposal.reason == "page":
        return ToolRefused(_PAGE_REFUSED.get(decision.why, "stopped"))
    if proposal.reason == "call":
        return ToolRefused(_CALL_REFUSED.get(decision.why, "stopped"))
    return ToolRefused(_REFUSED.get(decision.why, "stopped"), file=proposal.file)
