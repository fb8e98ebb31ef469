"""Captures of one conversation over each protocol, for docs/protocols.md: ``python -m tests.captures --write``.

The program as it is, in a home of its own, against the tests' server on loopback. Bodies are trimmed; the key is left
out, and checked for. Of the server's answers only what the next request has of them is seen.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pet.app import Pet
from pet.model import TurnEnd
from pet.paths import find_home
from tests.support.servers import chat_replies as chat
from tests.support.servers.protocol_replies import Call, Reply, Thinking, stream
from tests.support.servers.protocol_server import ProtocolServer, Recorded
from tests.support.servers.responses_replies import responses

PAGE = Path(__file__).parents[1] / "docs" / "protocols.md"
KEY = "sk-captured-0123456789"
_LONGEST = 40  # characters shown of a text
_MOST_REQUESTS = 3  # shown of each conversation
_MOST_MESSAGES = 3  # shown of those that a request adds; a small model gets its examples as messages
_SHOWN_HEADERS = ("anthropic-version", "authorization", "content-type", "user-agent", "x-api-key")
_SAID = ("My sister Anna is allergic to peanuts.", "What is Anna allergic to?")
_NOTE = {"content": "Owner's sister Anna is allergic to peanuts.", "category": "person"}

_INTRODUCTION = """# One conversation over each protocol

Real requests of the program to the tests' server, made with `python -m tests.captures --write`. Long texts, schemas,
examples and all tools but the first are cut (`…`), keys are left out, a request shows only what the one before did
not have, and the first three are shown. One policy decides for all of them which memory may be in these bodies
([architecture](architecture.md)).
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One conversation: the settings that choose how it is held, and what the server answers, in order."""

    title: str
    about: str
    settings: Mapping[str, str | int]
    replies: tuple[Reply, ...]


CAPTURES = (
    Capture(
        title="Messages",
        about="With tools: the model writes a note, and the second question is answered from it.",
        settings={"protocol": "anthropic"},
        replies=(
            stream(Call("memory_write", _NOTE), stop="tool_use"),
            stream("Noted: ", "no peanuts for Anna."),
            stream("To peanuts."),
        ),
    ),
    Capture(
        title="Chat completions",
        about="The same over the other protocol.",
        settings={"protocol": "openai"},
        replies=(
            chat.chat(chat.call("memory_write", json.dumps(_NOTE), id_="call_1"), finish="tool_calls"),
            chat.chat("Noted: ", "no peanuts for Anna."),
            chat.chat("To peanuts."),
        ),
    ),
    Capture(
        title="Responses",
        about="The same over OpenAI's newer protocol: nothing is stored there, and what the model thought before a "
        "call goes back encrypted, as it came.",
        settings={"protocol": "responses"},
        replies=(
            responses(Thinking("gAAA…"), Call("memory_write", _NOTE, "call_1")),
            responses("Noted: ", "no peanuts for Anna."),
            responses("To peanuts."),
        ),
    ),
    Capture(
        title="A small model",
        about="Chat completions without tools: the reply, then the bound question whether there is something to "
        "note. Where you wish something noted the question comes first, and the reply is told what was written.",
        settings={"protocol": "openai", "notebook": "on", "context_window": 4096},
        replies=(
            chat.chat("No peanuts for Anna."),
            chat.chat('{"is":', '"fact"}'),
            chat.chat("To peanuts."),
            chat.chat('{"is":"chat"}'),
        ),
    ),
)


def page() -> str:
    """The whole page. Raises AssertionError if a turn fails or the key is in it."""
    made = "\n".join([_INTRODUCTION, *map(_section, CAPTURES)])
    assert KEY not in made
    return made


def _section(capture: Capture) -> str:
    lines = [f"## {capture.title}", "", capture.about, ""]
    before: Mapping[str, Any] = {}
    for number, request in enumerate(_requests(capture)[:_MOST_REQUESTS]):
        head = _head(request)
        lines += ["```", *(head[:1] if number else head), *_new_lines(request.json, before), "```", ""]
        before = request.json
    return "\n".join(lines)


def _new_lines(body: Mapping[str, Any], before: Mapping[str, Any]) -> list[str]:
    """One line for each field and each message that the request before did not have."""
    lines = []
    for name, value in body.items():
        if name in ("messages", "input"):
            new = [each for each in value if each not in before.get(name, ())]
            shown = new if len(new) <= _MOST_MESSAGES else [*new[: _MOST_MESSAGES - 1], None, new[-1]]
            for each in shown:
                left = len(new) - _MOST_MESSAGES
                lines.append(f"… ({left} more messages)" if each is None else f"{name}: {_line(each)}")
        elif before.get(name) != value:
            lines.append(f"{name}: {_line(value, name)}")
    return lines


def _line(value: Any, name: str = "") -> str:
    return json.dumps(_trimmed(value, name), ensure_ascii=False)


def _requests(capture: Capture) -> list[Recorded]:
    with tempfile.TemporaryDirectory() as folder, ProtocolServer(*capture.replies) as server:
        environ = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": KEY, "PET_MODEL": "test-model"}
        app = Pet(find_home(Path(folder)), environ=environ, channel="terminal")
        try:
            app.settings.change({"language": "en", **capture.settings})
            conversation = app.conversations.create(memory=True)
            for text in _SAID:
                conversation.send(text)
                conversation.wait(300)
                assert conversation.folded().turns[-1].end is TurnEnd.DONE
        finally:
            app.close()
        return [request for request in server.requests if request.method == "POST"]


def _head(request: Recorded) -> list[str]:
    shown = {name: value.replace(KEY, "…") for name, value in request.headers.items() if name in _SHOWN_HEADERS}
    return [f"{request.method} {request.path}", *(f"{name}: {shown[name]}" for name in sorted(shown))]


def _trimmed(value: Any, name: str = "") -> Any:
    match value:
        case str():
            return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}… ({len(value)} characters)"
        case list():
            most = 1 if name == "tools" else len(value)
            left = [f"… ({len(value) - most} more)"] if len(value) > most else []
            return [*(_trimmed(each) for each in value[:most]), *left]
        case dict() if name in ("schema", "input_schema", "parameters"):
            return "…"
        case dict():
            return {key: _trimmed(each, key) for key, each in value.items()}
    return value


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page(), encoding="utf-8")
    else:
        print(page())
