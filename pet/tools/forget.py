"""``memory_forget``: erase a text after the owner has approved the whole list.

The model gets only the number of erased entries, so that it does not learn the text again.
"""

from __future__ import annotations

import asyncio
import json

from pet.access.policy import Access
from pet.errors import EmptySearch, ToolRefused
from pet.i18n import Texts
from pet.ids import new_id
from pet.memory.forget.plan import ForgetPlan, format_plan
from pet.model import Proposal
from pet.tools.approval import ask_owner
from pet.tools.files import text_property
from pet.tools.spec import Skills, Tool, ToolContext, ToolOutcome
from pet.tools.tool_arguments import Arguments, string


def _offered(access: Access, _skills: Skills) -> bool:
    return access.recalls and access.learns


def _properties(_access: Access, texts: Texts, _skills: Skills) -> dict[str, object]:
    return {"query": text_property(texts, "tool.memory_forget.query")}


async def _forget(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    query = string(arguments, "query").strip()
    if not query:
        raise EmptySearch
    forgetter = context.forget
    if forgetter is None:
        raise ToolRefused("unknown_tool", tool="memory_forget", tools="read, write, edit")
    context.gate.check_recall()
    plan = await asyncio.to_thread(forgetter.find, query)
    context.gate.check_recall()
    if not (plan.goes or plan.begun):
        return _outcome({"status": "nothing_found"})
    shown = Proposal(id=new_id(), file="", reason="forget", before=_list(plan, context.texts), after="", base="")
    await ask_owner(context, shown)
    context.gate.check_recall()
    report = await asyncio.to_thread(forgetter.forget, plan)
    context.seen.clear()  # the files changed, and the model's copies may hold the erased text
    return _outcome({"status": "forgotten", "entries": report.entries})


def _list(plan: ForgetPlan, texts: Texts) -> str:
    """Return everything that would be erased, in full, and what would remain."""
    return "\n\n".join([format_plan(plan, texts), *([texts("forget.stays_why")] if plan.stays else [])])


def _outcome(reply: dict[str, object]) -> ToolOutcome:
    return ToolOutcome(text=json.dumps(reply))


MEMORY_FORGET = Tool("memory_forget", _offered, _properties, ("query",), _forget)
