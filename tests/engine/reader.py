"""A model that knows only what it is sent: it answers, writes down and summarises from the request's own text."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

from pet.i18n import LANGUAGES, Texts
from pet.model import ContextPart, Request, TextPart, ToolCallPart, ToolResultPart
from tests.support.models.scripted import ScriptedRound, calls, say

KEEPS = re.compile(r"KEEP-\w+")
"""What it takes for worth summarising and, marked so, for worth writing down."""
NOTES = re.compile(r"NOTE-\w+")


def said(request: Request) -> str:
    """All the text of the messages."""
    parts = [part for message in request.messages for part in message.parts]
    return "\n".join(part.text for part in parts if isinstance(part, TextPart | ContextPart | ToolResultPart))


def is_summary(request: Request) -> bool:
    return any(request.system[0].text == Texts(language)("engine.summary.rules") for language in LANGUAGES)


def is_flush(request: Request) -> bool:
    return [tool.name for tool in request.tools] == ["memory_write"]


def unique(found: list[str]) -> list[str]:
    return list(dict.fromkeys(found))


def summarised(request: Request) -> ScriptedRound:
    return say("## Facts\n" + "\n".join(f"- {each}" for each in unique(KEEPS.findall(said(request)))))


def noted(request: Request) -> ScriptedRound:
    notes = unique(NOTES.findall(said(request)))
    if not notes:
        return say("nothing")
    return calls(
        *(
            ToolCallPart(id=f"n{place}", name="memory_write", arguments=json.dumps({"content": f"It said {note}."}))
            for place, note in enumerate(notes)
        )
    )


def reader(answer: Callable[[Request], ScriptedRound] | str = "I see.") -> Callable[[Request], ScriptedRound]:
    """A model for the script; queue it as often as it may be asked."""

    def model(request: Request) -> ScriptedRound:
        if is_summary(request):
            return summarised(request)
        if is_flush(request):
            return noted(request)
        return say(answer) if isinstance(answer, str) else answer(request)

    return model
