"""The tools that other agents are offered, and the answer of a call. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pet.i18n import Texts
from pet.language.categories import CATEGORIES
from pet.model import ToolSpec

MOST_RESULTS = 20
LONGEST_ENTRY = 4_000
LONGEST_DUE = 80
FORMER_NAMES = {"profile": "owner_profile", "reminders": "owner_reminders"}
"""Names that agents may have kept from earlier lists, by those of today."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentAnswer:
    """``error``: the call was refused or failed, and ``text`` says why."""

    text: str
    error: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentTool:
    """``output``: types of its answer's fields, which are there as they apply."""

    spec: ToolSpec
    title: str
    output: Mapping[str, str]

    def listed(self) -> dict[str, object]:
        """Return the tool as ``tools/list`` has it."""
        writes = self.spec.name == "remember"
        fields = {name: {"type": kind} for name, kind in self.output.items()}
        return {
            "name": self.spec.name,
            "title": self.title,
            "description": self.spec.description,
            "inputSchema": {name: each for name, each in self.spec.schema.items() if each != []},
            "outputSchema": {"type": "object", "properties": fields},
            "annotations": {
                "readOnlyHint": not writes,
                **({"destructiveHint": False} if writes else {}),
                "openWorldHint": False,
            },
        }


def agent_tools(texts: Texts) -> tuple[AgentTool, ...]:
    """Return the tools, the same for every agent and position: a list that shrank would never ask the owner."""
    line: dict[str, object] = {"type": "string"}
    number: dict[str, object] = {"type": "integer", "minimum": 1}

    def tool(name: str, required: list[str], output: Mapping[str, str], **fields: dict[str, object]) -> AgentTool:
        words = {field: {"description": texts(f"agents.tool.{name}.{field}")} for field in fields}
        properties = {field: about | words[field] for field, about in fields.items()}
        schema: dict[str, object] = {"type": "object", "properties": properties, "required": required}
        spec = ToolSpec(name=name, description=texts(f"agents.tool.{name}"), schema=schema)
        return AgentTool(spec=spec, title=texts(f"agents.tool.{name}.title"), output=output)

    return (
        tool(
            "memory_search",
            ["query"],
            {"results": "array"},
            query=line,
            max_results={**number, "maximum": MOST_RESULTS},
        ),
        tool("memory_get", ["path"], {"text": "string"}, path=line, from_line=number, lines=number),
        tool("owner_profile", [], {"sections": "array"}, section=line),
        tool("owner_reminders", [], {"due": "array", "coming": "array"}),
        tool(
            "remember",
            ["content"],
            {"status": "string"},
            content={**line, "maxLength": LONGEST_ENTRY},
            category={**line, "enum": list(CATEGORIES)},
            due={**line, "maxLength": LONGEST_DUE},
        ),
    )
