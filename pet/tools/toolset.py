"""The tools of a conversation, and the execution of a call.

Tools are offered in a fixed order, as access allows. Access is checked again when a call runs: a model may call a
tool that is no longer offered.

>>> tool_names(ON)[:3]
('read', 'write', 'edit')
"""

from __future__ import annotations

from dataclasses import replace

from pet.access import ON, Access
from pet.errors import FileConflict, PetError, ToolRefused
from pet.extra import extras
from pet.i18n import Texts
from pet.model import ToolCallPart, ToolSpec
from pet.tools.files import EDIT, READ, WRITE
from pet.tools.memory import MEMORY_FORGET, MEMORY_GET, MEMORY_SEARCH, MEMORY_WRITE
from pet.tools.skill import SKILL
from pet.tools.tool import Skills, Tool, ToolContext, ToolOutcome
from pet.tools.tool_arguments import Arguments, decode_arguments

Tools = tuple[Tool, ...]
TOOLS: Tools = (
    READ,
    WRITE,
    EDIT,
    MEMORY_WRITE,
    MEMORY_SEARCH,
    MEMORY_GET,
    MEMORY_FORGET,
    SKILL,
    *(tool for extra in extras() for tool in extra.tools()),
)
_ADDRESS = 200  # characters shown


def tool_names(access: Access, skills: Skills = (), more: Tools = ()) -> tuple[str, ...]:
    """Return the names of the available tools, in the order of their schemas. ``more``: those of this turn."""
    return tuple(tool.name for tool in _offered(access, skills, more))


def tool_specs(access: Access, texts: Texts, skills: Skills = (), more: Tools = ()) -> tuple[ToolSpec, ...]:
    """Return the schemas of the available tools, in a fixed order. ``more``: those of this turn."""
    return tuple(tool.describe(access, texts, skills) for tool in _offered(access, skills, more))


async def run_call(call: ToolCallPart, context: ToolContext) -> ToolOutcome:
    """Run one call. A PetError becomes an outcome with a message for the model; other exceptions propagate."""
    key = (call.name, call.arguments)
    try:
        if key in context.failed:
            raise ToolRefused("repeated", tool=call.name[:40])
        access = context.gate.access()
        tool = _find(call.name, access, context)
        arguments = tool.decode(tool.describe(access, context.texts, context.skills), call.arguments)
        outcome = await tool.run(context, arguments)
        context.foreign.take(outcome.foreign)
        if outcome.receipt is not None:
            context.failed.clear()  # the files changed: a failed call may succeed now
            outcome = replace(outcome, receipt=replace(outcome.receipt, foreign=context.foreign.present()))
        return outcome
    except PetError as error:
        context.failed.add(key)
        section = "tool" if isinstance(error, FileConflict) else "error"  # a conflict has its own message
        return ToolOutcome(text=context.texts(f"{section}.{error.error_code}", **error.args_), error=error)


def named_file(call: ToolCallPart) -> str | None:
    """Return the file that a call names, for the chat's tool line; None if it names none."""
    path = arguments_of(call).get("path")
    return path[:80] if isinstance(path, str) else None


def words_of(call: ToolCallPart) -> str | None:
    """Return the query, skill or web address that a call names, for the chat's tool line; of a tool that is not the
    pet's own, the beginning of its arguments.

    Derived from the call each time and stored nowhere else, so that erasing has one place to search.
    """
    if not is_own(call.name):
        return call.arguments[:80]
    arguments = arguments_of(call)
    address = arguments.get("address")
    if isinstance(address, str):
        return address[:_ADDRESS]
    words = arguments.get("query", arguments.get("name"))
    return words[:80] if isinstance(words, str) else None


def arguments_of(call: ToolCallPart) -> Arguments:
    """Return the call's arguments for display; empty if they are invalid."""
    try:
        tool = next(tool for tool in TOOLS if tool.name == call.name)
        return decode_arguments(tool.describe(ON, Texts("en"), ()), call.arguments)
    except (StopIteration, ToolRefused):
        return {}


def is_own(name: str) -> bool:
    """Whether it is a tool of the pet itself."""
    return any(tool.name == name for tool in TOOLS)


def _offered(access: Access, skills: Skills, more: Tools = ()) -> Tools:
    return tuple(tool for tool in (*TOOLS, *more) if tool.offered(access, skills))


def _find(name: str, access: Access, context: ToolContext) -> Tool:
    """Return the tool of that name. Raises ToolRefused if it is not offered now."""
    tool = next((tool for tool in (*TOOLS, *context.more) if tool.name == name), None)
    if tool is not None and tool.offered(access, context.skills):
        return tool
    if tool is not None and context.gate.was_revoked():
        raise ToolRefused("memory_off")
    offered = ", ".join(tool_names(access, context.skills, context.more))
    raise ToolRefused("unknown_tool", tool=name[:40], tools=offered)
