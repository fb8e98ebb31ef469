"""The promise towards other agents: while off or paused no byte of the gated files leaves, whatever they say of
themselves; while on, nothing of SOUL.md, and of conversations only what their own switch allows.

Random lives of one client, through the MCP server, the socket's command and the gate of a real core.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pet.app import Pet
from pet.bridge.command import Client
from pet.extras.agents.access import AgentMode
from pet.extras.agents.book import label_of
from pet.extras.agents.commands import AgentCommands, EventNoted, PermissionGiven
from pet.extras.agents.views import open_book
from pet.paths import find_home
from tests.extras.agents.asking import exchange, handshake, request
from tests.support.examples import examples
from tests.support.files import write_files
from tests.support.models.scripted import ScriptedProvider, say

CANARY, SOUL, SPOKEN = "canary-7f3a", "canary-soul", "canary-spoken"
FILES = {
    "SOUL.md": f"# Soul\n{SOUL}\n",
    "USER.md": f"# About\n- {CANARY} Lin\n",
    "MEMORY.md": f"# Plans\n- Lisbon {CANARY}\n",
    "memory/2026-02-24.md": f"# Memory Log: 2026-02-24\n\n## [14:30:15] todo @2999-03-01\nferns {CANARY}\n",
    "memory/archive.md": f"# Memory Log: 2025-02-24\n\n## [14:30:15] fact\nferns {CANARY}\n",
    "memory/2026-06-27-baking.md": f"# Baking\n\nLisbon loaf {CANARY}\n",
    "memory/people/femi.md": f"- met in Lisbon {CANARY}\n",
}
NAMES = ("claude-code", "claude-code\u200b", "Claude Code", "codex-mcp-client", "soulpet", "owner", "", "x" * 10_000)
FOLDERS = ("~/src/tundra", "~/src/taiga", "~/src/tundra/", "/", "")
PATHS = (
    *FILES,
    "../pet/USER.md",
    "/etc/passwd",
    "user.md",
    "USER.md\0",
    "USER.md.",
    "memory/../USER.md",
    "memory/people/../2026-06-27-baking.md",
    "Memory/2026-06-27-baking.md",
    "ＵＳＥＲ.md",
    ".history/USER.md.jsonl",
    "conversations/x.jsonl",
    "agents.json",
)
EVENTS = ("UserPromptSubmit", "PreToolUse", "PermissionRequest", "Stop", "SessionEnd", "memory_get", CANARY)
WORDS = ["Lisbon", CANARY, SPOKEN]
FACTS = ["Lin likes rye", "x" * 50_000]
calls = st.one_of(
    st.tuples(st.just("memory_search"), st.fixed_dictionaries({"query": st.sampled_from(WORDS)})),
    st.tuples(st.just("memory_get"), st.fixed_dictionaries({"path": st.sampled_from(PATHS)})),
    st.tuples(st.just("owner_profile"), st.sampled_from([{}, {"section": "Plans"}])),
    st.tuples(st.just("owner_reminders"), st.just({})),
    st.tuples(st.just("remember"), st.fixed_dictionaries({"content": st.sampled_from(FACTS)})),
    st.tuples(st.sampled_from(["write", "read", "memory_write", "memory_forget"]), st.just({"path": "USER.md"})),
)
acts = st.lists(
    st.one_of(
        st.tuples(st.just("move"), st.sampled_from(list(AgentMode)), st.booleans()),
        st.tuples(st.just("pause"), st.booleans(), st.none()),
        st.tuples(st.just("talks"), st.booleans(), st.none()),
        st.tuples(st.just("event"), st.sampled_from(NAMES), st.sampled_from(EVENTS)),
        st.tuples(st.just("call"), st.tuples(st.sampled_from(NAMES), st.sampled_from(FOLDERS)), calls),
    ),
    min_size=3,
    max_size=12,
)


@settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])
@given(acts=acts)
def test_no_canary_leaves_unless_this_label_may_read(acts: list[tuple[str, object, object]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        provider = ScriptedProvider()
        app = Pet(find_home(Path(folder)), environ={}, provider=provider, channel="terminal")
        try:
            write_files(app.store.root, FILES)
            provider.queue(say(SPOKEN))
            chat = app.conversations.create(memory=True)
            chat.send(SPOKEN)
            chat.wait(60)
            live(app, acts)
        finally:
            app.close()


@pytest.mark.parametrize("talks", [True, False])
def test_conversations_are_found_with_their_own_switch_alone(tmp_path: Path, talks: bool) -> None:
    provider = ScriptedProvider()
    app = Pet(find_home(tmp_path), environ={}, provider=provider, channel="terminal")
    try:
        provider.queue(say("Fine."), say("Fine."))
        for memory, text in ((True, f"The ferry to {SPOKEN} leaves"), (False, "The ferry canary-off leaves")):
            chat = app.conversations.create(memory=memory)
            chat.send(text)
            chat.wait(60)
        book, label = open_book(app), label_of("claude-code", "~/src/tundra")
        book.set_mode(label, AgentMode.READ_ONLY)
        book.set_grant(label, "conversations", talks)
        sent = ask(app, label.name, label.folder, "memory_search", {"query": "ferry leaves"})
        assert (SPOKEN in sent) is talks
        assert "canary-off" not in sent
        reads = book.state().reads
        assert bool(reads) is talks
        for read in reads:
            sent = ask(app, label.name, label.folder, "memory_get", {"path": read.file})
            assert SPOKEN in sent
            assert "canary-off" not in sent
            book.set_grant(label, "conversations", False)
            assert SPOKEN not in ask(app, label.name, label.folder, "memory_get", {"path": read.file})
    finally:
        app.close()


def live(app: Pet, acts: list[tuple[str, object, object]]) -> None:
    book, allowed = open_book(app), label_of("claude-code", "~/src/tundra")
    mode, paused, talks = AgentMode.OFF, False, False
    for act, one, other in acts:
        if act == "move":
            assert isinstance(one, AgentMode)
            mode = AgentMode.OFF if other else one
            book.set_mode(allowed, one, never=bool(other))
        elif act == "pause":
            paused = bool(one)
            app.pause(paused)
        elif act == "event":
            given = (str(other), str(one), "~/src/tundra", "USER.md", CANARY, 0)
            reply = app.commands.call(Client.SOCKET, AgentCommands.note_agent_event, *given)
            assert reply == EventNoted(ask=False)
            asked = app.commands.call(Client.SOCKET, AgentCommands.ask_permission, *given[1:], "cat USER.md", 0)
            assert asked == PermissionGiven(answer="")
        elif act == "talks":
            talks = bool(one)
            book.set_grant(allowed, "conversations", talks)
        else:
            assert isinstance(one, tuple)
            assert isinstance(other, tuple)
            sent = ask(app, *one, *other)
            may_read = label_of(*one) == allowed and mode is not AgentMode.OFF and not paused
            assert SOUL not in sent
            if not (may_read and talks):
                assert SPOKEN not in sent.replace(json.dumps(other), "")
            if not may_read:
                assert CANARY not in sent


def ask(app: Pet, name: str, folder: str, tool: str, arguments: dict[str, str]) -> str:
    """Return all that the client gets."""

    def answer(client: str, tool: str, arguments: str) -> tuple[str, bool]:
        reply = app.commands.call(Client.SOCKET, AgentCommands.call_agent_tool, client, folder, tool, arguments)
        return reply.text, reply.error

    replies = exchange(
        answer, handshake(name), request(1, "tools/list"), request(2, "tools/call", name=tool, arguments=arguments)
    )
    assert len(replies) == 3
    return json.dumps(replies, ensure_ascii=False)
