"""Which tools a conversation has now, and running one call of the model's (PRODUCT §3.2, §4).

Tools are offered in a fixed order and only as far as the gate allows; what the model calls is checked again when
it is run, since a withdrawn tool is only a hint to the model.
"""

from __future__ import annotations

from pet.errors import PetError, ToolRefused
from pet.gate import ON, Access
from pet.model import ToolCallPart, ToolSpec
from pet.texts import Texts
from pet.tools.files import EDIT, READ, WRITE
from pet.tools.spec import Tool, ToolContext, ToolOutcome, decode_arguments

TOOLS: tuple[Tool, ...] = (READ, WRITE, EDIT)


def tool_specs(access: Access, texts: Texts) -> tuple[ToolSpec, ...]:
    """The schemas of what this conversation may touch now, in a fixed order."""
    return tuple(tool.describe(access, texts) for tool in TOOLS)


async def run_call(call: ToolCallPart, context: ToolContext) -> ToolOutcome:
    """Run one call. A PetError becomes an outcome with words for the model; nothing else is caught."""
    key = (call.name, call.arguments)
    try:
        if key in context.failed:
            raise ToolRefused("repeated", tool=call.name[:40])
        tool = next((tool for tool in TOOLS if tool.name == call.name), None)
        if tool is None:
            raise ToolRefused("unknown_tool", tool=call.name[:40], tools=", ".join(t.name for t in TOOLS))
        arguments = decode_arguments(tool.describe(context.gate.access(), context.texts), call.arguments)
        outcome = await tool.run(context, arguments)
        if outcome.receipt is not None:
            context.failed.clear()  # the files are others now: what failed may work
        return outcome
    except PetError as error:
        context.failed.add(key)
        return ToolOutcome(text=context.texts(f"error.{error.error_code}", **error.args_), error=error)


def named_file(call: ToolCallPart) -> str | None:
    """The file a call is about, for the chat's tool line; None where the arguments don't say."""
    try:
        tool = next(tool for tool in TOOLS if tool.name == call.name)
        path = decode_arguments(tool.describe(ON, Texts("en")), call.arguments).get("path")
    except (StopIteration, ToolRefused):
        return None
    return path[:80] if isinstance(path, str) else None
