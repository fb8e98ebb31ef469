"""What documents of file-based agents show as examples, word for word: their files, their calls, their questions."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest

from pet.model import ContextPart, Request, ToolResultPart
from tests.engine.conftest import Core, Make
from tests.support.clocks import TODAY
from tests.support.models.scripted import call, say

_API_LOG = """# 2026-01-26

## 10:30 AM - API Discussion
Discussed REST vs GraphQL with user. Decision: use REST for simplicity.
Key endpoints: /users, /auth, /projects.

## 2:15 PM - Deployment
Deployed v2.3.0 to production. No issues.

## 4:00 PM - User Preference
User mentioned they prefer TypeScript over JavaScript.
"""
_PREFERENCES_LOG = """# Memory Log: 2026-02-24

## [14:30:15] preference

User prefers dark mode and vim keybindings.

## [15:20:03] fact

User's project uses Python 3.12 with FastAPI.
"""
_LONG_TERM = """# Long-term Memory

## User Preferences
- Prefers TypeScript over JavaScript
- Likes concise explanations
- Working on project "Acme Dashboard"

## Important Decisions
- 2026-01-15: Chose PostgreSQL for database
- 2026-01-20: Adopted REST over GraphQL
- 2026-01-26: Using Tailwind CSS for styling

## Key Contacts
- Alice (alice@acme.com) - Design lead
- Bob (bob@acme.com) - Backend engineer
"""
_KODA = """# Soul
You are Koda, a thoughtful AI assistant.

## Personality
- Warm but not overly enthusiastic
- Prefer concise, clear explanations
- Use analogies from nature and engineering

## Values
- Honesty over comfort
- Depth over breadth
- Action over speculation

## Language Style
- Chinese for casual chat, English for technical terms
- End complex explanations with a one-line summary
"""


def _results(request: Request) -> list[str]:
    return [part.text for message in request.messages for part in message.parts if isinstance(part, ToolResultPart)]


def _ask(core: Core, message: str) -> None:
    chat = core.app.conversations.create(memory=True)
    chat.send(message)
    chat.wait(60)


def _answer(core: Core, message: str, at: int = 1) -> Any:
    _ask(core, message)
    return json.loads(_results(core.provider.requests[at])[-1])


def test_one_line_files_make_luna_with_a_soul_and_a_memory(make_core: Make) -> None:
    core = make_core(say("Hi!"))
    core.put("SOUL.md", "You are warm, curious, and encouraging.")
    core.put("IDENTITY.md", "You are Luna, a personal AI companion.")
    core.put("MEMORY.md", "User prefers Python over JavaScript.")
    _ask(core, "hello")
    prompt = "\n".join(block.text for block in core.provider.requests[0].system)
    for each in ("You are warm, curious, and encouraging.", "Luna", "User prefers Python over JavaScript."):
        assert each in prompt
    assert [hit.path for hit in core.app.index.get().search("python")][:1] == ["MEMORY.md"]


def test_a_favourite_colour_is_a_preference_that_is_asked_after(make_core: Make) -> None:
    core = make_core(
        call("memory_write", {"content": "最喜欢的颜色是蓝色", "category": "preference"}), say("好的。"), say("蓝色!")
    )
    _ask(core, "我最喜欢的颜色是蓝色.")
    _ask(core, "你知道我的偏好吗?")
    assert "蓝色" in "\n".join(_parts(core.provider.requests[-1]))


def _parts(request: Request) -> list[str]:
    return [part.text for message in request.messages for part in message.parts if isinstance(part, ContextPart)]


def test_a_project_is_written_down_and_recalled(make_core: Make) -> None:
    core = make_core(
        call(
            "memory_write",
            {"content": "User's name is Alex, working on a Rust project called tundra", "category": "fact"},
        ),
        say("Nice to meet you."),
        call("memory_search", {"query": "What project am I working on?", "top_k": 5}),
        say("tundra"),
    )
    _ask(core, "My name is Alex and I'm working on a Rust project called tundra.")
    assert "Rust project called tundra" in core.file(f"memory/{TODAY}.md")
    reply = _answer(core, "What project am I working on?", 3)
    assert "tundra" in reply["results"][0]["snippet"]
    assert "tundra" in "\n".join(_parts(core.provider.requests[2]))


def test_a_log_with_hours_and_titles_is_searched_and_read(make_core: Make) -> None:
    searched = {"query": "What did we decide about the API?", "maxResults": 6, "minScore": 0.35}
    core = make_core(
        call("memory_search", searched),
        call("memory_get", {"path": "memory/2026-01-26.md", "from": 3, "lines": 15}),
        say("REST."),
    )
    core.put("memory/2026-01-26.md", _API_LOG)
    core.put("MEMORY.md", _LONG_TERM)
    reply = _answer(core, "What did we decide about the API?")
    (first, *_) = [each for each in reply["results"] if each["path"] == "memory/2026-01-26.md"]
    assert (first["start_line"], first["end_line"]) == (4, 5)
    assert "Decision: use REST" in first["snippet"]
    read = json.loads(_results(core.provider.requests[2])[-1])
    assert read["path"] == "memory/2026-01-26.md"
    assert read["text"].startswith("## 10:30 AM - API Discussion\nDiscussed REST vs GraphQL")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which database did we choose?", "PostgreSQL"),
        ("Who is the design lead?", "Alice"),
        ("What did we deploy to production?", "v2.3.0"),
        ("Which keybindings does the user like?", "vim keybindings"),
        ("What does the project use?", "FastAPI"),
        ("用户偏好 TypeScript 还是 JavaScript?", "TypeScript"),
    ],
)
def test_the_examples_files_answer_questions_about_them(make_core: Make, question: str, answer: str) -> None:
    core = make_core(call("memory_search", {"query": question, "top_k": 5}), say("Done."))
    core.put("memory/2026-01-26.md", _API_LOG)
    core.put("memory/2026-02-24.md", _PREFERENCES_LOG)
    core.put("MEMORY.md", _LONG_TERM)
    reply = _answer(core, question)
    assert answer in reply["results"][0]["snippet"]


def test_koda_is_who_the_soul_says_and_comes_first_with_memory_off_too(make_core: Make) -> None:
    core = make_core(say("Hi."), say("Hi."))
    core.put("SOUL.md", _KODA)
    core.put("USER.md", "- Prefers TypeScript")
    for memory in (True, False):
        chat = core.app.conversations.create(memory=memory)
        chat.send("hello")
        chat.wait(60)
    on, off = ("\n".join(block.text for block in request.system) for request in core.provider.requests)
    assert _KODA.strip() in on and _KODA.strip() in off
    assert "Prefers TypeScript" in on and "Prefers TypeScript" not in off


def test_a_day_of_a_log_in_either_form_is_asked_for(make_core: Make) -> None:
    core = make_core(call("memory_search", {"query": "What happened on 26 January?"}), say("A deployment."))
    core.put("memory/2026-01-26.md", _API_LOG)
    core.put("memory/2026-02-24.md", _PREFERENCES_LOG)
    reply = _answer(core, "What happened on 26 January?")
    assert {each["path"] for each in reply["results"][:3]} == {f"memory/{date(2026, 1, 26)}.md"}
