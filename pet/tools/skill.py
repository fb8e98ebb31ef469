"""The tool that loads a skill: the owner's instructions for a task, offered by name."""

from __future__ import annotations

import asyncio

from pet.access import Access
from pet.errors import ToolRefused
from pet.i18n import Texts
from pet.tools.tool import Skills, Tool, ToolContext, ToolOutcome
from pet.tools.tool_arguments import Arguments, string
from pet.workspace.skills import load_skill


def _offered(_access: Access, skills: Skills) -> bool:
    return bool(skills)


def _properties(_access: Access, _texts: Texts, skills: Skills) -> dict[str, object]:
    return {"name": {"type": "string", "enum": [skill.name for skill in skills]}}


async def _load(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    name = string(arguments, "name")
    skill = next((skill for skill in context.skills if skill.name == name), None)
    if skill is None:
        known = ", ".join(skill.name for skill in context.skills)
        raise ToolRefused("unknown_skill", skill=name[:64], skills=known)
    text = await asyncio.to_thread(load_skill, skill)
    # Unfenced up to the end of the result: no text in it can close it.
    return ToolOutcome(text=context.texts("tool.skill.begins", skill=name) + "\n\n" + text)


SKILL = Tool("skill", _offered, _properties, ("name",), _load, icon="spark", saves=False)
