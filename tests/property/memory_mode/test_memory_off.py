"""The promise: while memory is off, no byte of the gated files is in any request.

Random conversations over the real store, transcripts, gate and engine: canaries are planted in every gated file,
the scripted model thinks about them, reads them, writes them and never says them aloud. Every request is kept with
what the switch said when it left.
"""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pet.access import ON, MemoryMode
from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.errors import AttachmentRefused, UnknownProposal
from pet.events import Event, ProposalAsked
from pet.i18n import Texts
from pet.model import Allowed, Author, Present, Request, ToolCallPart
from pet.paths import find_home
from pet.providers.base import Streamed
from pet.tools import toolset
from pet.tools.tool import Tool, ToolContext, ToolOutcome
from pet.tools.tool_arguments import Arguments
from pet.tools.toolset import TOOLS
from tests.support.examples import examples
from tests.support.files import write_files
from tests.support.models.scripted import THINKER, Scripted, ScriptedProvider, ScriptedRound, Think, calls, fail, say

CANARY = "canary-7f3a"
FILES = {
    "USER.md": f"# {CANARY}-user\nName: {CANARY}-name\n",
    "MEMORY.md": f"# Memory\n- {CANARY}-memory\n- 我们约定了{CANARY}\n",
    "memory/2026-11-20.md": f"# Memory Log: 2026-11-20\n\n## [10:00:00] fact\n{CANARY}-log\n",
    "memory/archive.md": f"# Memory Log: 2025-03-02\n\n## [10:00:00] fact\n{CANARY}-archived\n",
    "memory/2026-06-27-baking.md": f"# Baking\n\n{CANARY}-sourdough, fed twice a day\n",
    f"memory/people/{CANARY}.md": f"- {CANARY}-person lives next door\n",
}
_BELOW = f"memory/people/{CANARY}.md"


def _call(name: str, /, **arguments: object) -> ToolCallPart:
    return ToolCallPart(id=f"call_{name}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))


def tool_rounds(known: str) -> dict[str, ScriptedRound]:
    """What the model does; ``known`` is what it can know: a canary only while memory is on."""
    return {
        "read user": calls(Think(f"{known} thought"), _call("read", path="USER.md")),
        "read memory": calls("let me see", _call("read", path="MEMORY.md")),
        "read log": calls(_call("read", path="memory/2026-11-20.md")),
        "read archive": calls(_call("read", path="memory/archive.md")),
        "read note": calls(
            _call("read", path="memory/2026-06-27-baking.md"), _call("memory_get", path=f"memory/people/{known}.md")
        ),
        "write note": calls(
            _call("write", path=f"memory/people/{known}.md", content=f"- {known}-new\n"),
            _call("edit", path=f"memory/people/{known}.md", old_text=f"{known}-person", new_text=f"{known}-other"),
        ),
        "write memory": calls(
            _call(
                "write", path="MEMORY.md", content=f"# Memory\n- {known}-memory\n- 我们约定了{known}\n- {known}-new\n"
            )
        ),
        "edit user": calls(
            Think(f"{known} again"),
            _call("edit", path="USER.md", old_text=f"{known}-name", new_text=f"{known}-name"),
        ),
        "read soul": calls(_call("read", path="SOUL.md")),
        "hostile": calls(
            _call("read", path="./MEMORY.md"),
            _call("read", path="memory/../USER.md"),
            _call("read", path="memory/people/../2026-06-27-baking.md"),
            _call("read", path="Memory/2026-06-27-baking.md"),
            _call("memory_get", path="memory//2026-06-27-baking.md"),
        ),
        "unknown": calls(_call("memory_search", query=f"{known}")),
    }


NAMES = sorted(tool_rounds(""))
turns = st.lists(st.sampled_from(NAMES), max_size=3)
acts = st.lists(
    st.one_of(
        st.tuples(st.just("say"), turns),
        st.tuples(st.just("say then flip"), turns),
        st.tuples(st.just("fail"), turns),
        st.tuples(st.just("regenerate"), turns),
        st.tuples(st.just("continue"), turns),
        st.tuples(st.sampled_from(["attach", "attach an older version", "attach a note"]), turns),
        st.tuples(
            st.sampled_from(["on", "read", "off", "pause", "resume", "drop", "restart", "other tab"]), st.just([])
        ),
    ),
    min_size=1,
    max_size=8,
)


class Witness(ScriptedProvider):
    """Keeps every request with what the switch said when it left."""

    def __init__(self) -> None:
        super().__init__()
        self.chat: LiveConversation | None = None
        self.kept: list[tuple[bool, Request]] = []

    def stream(self, request: Request) -> AsyncIterator[Streamed]:
        assert self.chat is not None
        self.kept.append((self.chat.gate.access().memory, request))
        return super().stream(request)


class Story:
    """One random life of a conversation."""

    def __init__(self, folder: Path, memory: bool) -> None:
        self.folder = folder
        self.provider = Witness()
        self.app = self._start()
        write_files(self.app.store.root, FILES)
        self.chat = self.app.conversations.create(memory=memory)
        self.provider.chat = self.chat

    def _start(self) -> Pet:
        app = Pet(find_home(self.folder), environ=THINKER, provider=self.provider, channel="terminal")
        app.emitter.subscribe(self._allow, ProposalAsked, name="owner")
        return app

    def _allow(self, event: Event) -> None:
        """Of notes in a turn that brought a file, the owner is asked."""
        assert isinstance(event, ProposalAsked)
        allowed = Allowed(text=event.proposal.after, edited=False)
        with suppress(UnknownProposal):  # refused meanwhile: memory was switched off
            self.app.conversations.open(event.conversation).answer(event.proposal.id, allowed)

    def act(self, act: str, rounds: list[str]) -> None:
        match act:
            case "on" | "read" | "off":
                self.chat.set_memory(MemoryMode(act))
            case "pause" | "resume":
                self.app.pause(act == "pause")
            case "drop":
                self.chat.record.drop_earlier()
            case "restart":
                self.app.close()
                self.app = self._start()
                if self.chat.folded().turns:
                    self.chat = self.app.conversations.open(self.chat.id)
                else:
                    self.chat = self.app.conversations.create(memory=self.chat.gate.memory_mode)
                self.provider.chat = self.chat
            case "other tab":
                self.app.conversations.create(memory=True)
            case _:
                self._speak(act, rounds)

    def _speak(self, act: str, rounds: list[str]) -> None:
        known = CANARY if self.chat.gate.access().memory else "nothing"
        made = tool_rounds(known)
        script: list[Scripted] = [made[name] for name in rounds]
        script.append(fail("bad_request", Think(known)) if act == "fail" else say("spoken words"))
        if act == "say then flip":
            script[-1:] = [self._flip_then(made["write memory"]), say("spoken words")]
        self.provider.queue(*script)
        turns = self.chat.folded().turns
        if act == "regenerate" and turns:
            self.chat.resend(turns[-1].id, None)
        elif act == "continue" and turns:
            self.chat.continue_turn(turns[-1].id)
        elif act.startswith("attach"):
            self._send_file(_BELOW if "note" in act else "MEMORY.md", changed="older" in act)
        else:
            self.chat.send("hello")
        self.chat.wait(60)
        while self.provider.left:  # what a turn that ended early left of its script
            self.provider._script.popleft()

    def _send_file(self, name: str, *, changed: bool) -> None:
        """The owner drops a memory file into the message, which the pet may have changed before it is sent."""
        store, attachments = self.app.store, self.app.attachments
        file = attachments.add("notes.txt", (store.root / name).read_bytes())
        if changed:
            found = store.read(name)
            assert isinstance(found, Present)
            store.write(name, f"{found.text}- {CANARY}\n", base=found.version, author=Author.OWNER)
        if self.chat.gate.access().memory:
            self.chat.send("look", (file,))
        else:
            with pytest.raises(AttachmentRefused):
                self.chat.send("look", (file,))

    def _flip_then(self, round_: ScriptedRound) -> Callable[[Request], ScriptedRound]:
        def flip(_request: Request) -> ScriptedRound:
            self.chat.set_memory(False)
            return round_

        return flip


def leaves(request: Request) -> str:
    """The request as text, with nothing escaped that could hide a byte."""
    return json.dumps(asdict(request), ensure_ascii=False, default=str)


@settings(
    max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(memory=st.booleans(), acts=acts)
@example(memory=True, acts=[("say", ["read user"]), ("off", []), ("say", ["read soul"]), ("say", [])])
def test_no_canary_leaves_while_memory_is_off(
    memory: bool, acts: list[tuple[str, list[str]]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Path(folder), memory)
        try:
            for act, rounds in acts:
                story.act(act, rounds)
            titles = [summary.title for summary in story.app.conversations.saved()]
        finally:
            story.app.close()
        logs = "".join(path.read_text(errors="replace") for path in Path(folder, "log").rglob("*") if path.is_file())
    for on, request in story.provider.kept:
        if not on:
            assert CANARY not in leaves(request)
            assert "USER.md" not in json.dumps([tool.schema for tool in request.tools], default=str)
            assert "MEMORY.md" not in json.dumps([tool.schema for tool in request.tools], default=str)
            assert "memory/" not in json.dumps([tool.schema for tool in request.tools], default=str)
    assert not any(CANARY in title for title in titles)
    assert CANARY not in logs
    assert CANARY not in caplog.text


@pytest.mark.parametrize(
    ("act", "canary"),
    [("read user", "name"), ("read log", "log"), ("read note", "sourdough"), ("read note", "person")],
)
def test_the_witness_would_see_a_leak(act: str, canary: str) -> None:
    """With memory on, the same story does carry the canaries: the test above looks at the right place."""
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Path(folder), memory=True)
        try:
            story.act("say", [act])
        finally:
            story.app.close()
    assert any(on and f"{CANARY}-{canary}" in leaves(request) for on, request in story.provider.kept)


def test_the_on_parts_return_with_on() -> None:
    """OFF masks, it does not forget: switched on again, the turn's calls and results are there."""
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Path(folder), memory=True)
        try:
            for act, rounds in (("say", ["read log"]), ("off", []), ("say", []), ("on", []), ("say", [])):
                story.act(act, rounds)
        finally:
            story.app.close()
    sent = [leaves(request) for _, request in story.provider.kept]
    assert f"{CANARY}-log" not in sent[-2]
    assert f"{CANARY}-log" in sent[-1]


_VALUES = {"integer": 1, "number": 0.5}


def canary_of(tool: Tool, known: str) -> ScriptedRound:
    """A call of the tool with every required argument, made from its record: a new tool has its canary with it."""
    schema = tool.describe(ON, Texts("en"), ()).schema
    properties, required = schema["properties"], schema["required"]
    assert isinstance(properties, dict)
    assert isinstance(required, list)

    def value(name: str) -> object:
        if name == "path":
            return "MEMORY.md"
        kind = properties[name]
        return (kind.get("enum") or [known])[0] if kind["type"] == "string" else _VALUES[kind["type"]]

    return calls(Think(known), _call(tool.name, **{name: value(name) for name in required}))


def _call_on_and_off(tool: Tool, folder: str) -> list[Request]:
    """Call the tool with memory on and off; return the requests that left while it was off."""
    story = Story(Path(folder), memory=True)
    try:
        for mode, known in ((MemoryMode.ON, CANARY), (MemoryMode.OFF, "nothing")):
            story.chat.set_memory(mode)
            story.provider.queue(canary_of(tool, known), say("spoken words"))
            story.chat.send("hello")
            story.chat.wait(60)
    finally:
        story.app.close()
    return [request for on, request in story.provider.kept if not on]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_no_tool_brings_a_canary_while_memory_is_off(tool: Tool, tmp_path: Path) -> None:
    sent = _call_on_and_off(tool, str(tmp_path))
    assert len(sent) == 2, "the call itself, and its result"
    assert not any(CANARY in leaves(request) for request in sent)


def test_a_tool_that_asks_no_gate_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run(context: ToolContext, _arguments: Arguments) -> ToolOutcome:
        state = context.files._store.read("MEMORY.md")
        assert isinstance(state, Present)
        return ToolOutcome(text=state.text)

    schema: dict[str, object] = {"depth": {"type": "integer"}}
    leak = Tool("skill", lambda _a, _s: True, lambda *_: schema, ("depth",), run, icon="spark", saves=False)
    monkeypatch.setattr(toolset, "TOOLS", (leak,))
    assert any(CANARY in leaves(request) for request in _call_on_and_off(leak, str(tmp_path)))
