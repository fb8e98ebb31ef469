"""The promise with everything that memory does: logs, index, recall, recent days, other tabs, flush, summaries.

A model that knows only what it is sent thinks about every canary it sees, searches for it, writes it down and puts it
into summaries, but never says it aloud. The window is small, so that conversations are compacted by themselves, and
the switch is flipped at random calls: replies, flushes and summaries alike. Whatever happened, no request that leaves
while memory is off holds a canary.
"""

from __future__ import annotations

import json
import logging
import re
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pet.access import MemoryMode
from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.errors import AttachmentRefused, NothingToCompact
from pet.model import Request, ToolCallPart
from pet.paths import find_home
from pet.providers.anthropic_messages import encode_request
from pet.providers.base import Streamed
from pet.transcripts.entries import Compacted
from tests.engine.reader import is_flush, is_summary
from tests.property.memory_mode.test_memory_off import leaves
from tests.support.clocks import TODAY, DayClock
from tests.support.examples import examples
from tests.support.files import write_files
from tests.support.models.scripted import THINKER, ScriptedProvider, ScriptedRound, Think, calls, say

pytestmark = pytest.mark.usefixtures("two_turns_kept")

CANARY = re.compile(r"canary-[0-9a-z]+")


def log(day: date, *texts: str) -> str:
    entries = "".join(f"\n## [1{n}:00:00] fact\n\n{text}\n" for n, text in enumerate(texts))
    return f"# Memory Log: {day.isoformat()}\n{entries}"


FILES = {
    "USER.md": "# canary-user\nThe violin teacher is canary-teacher.\n",
    "MEMORY.md": "# Memory\n\n- canary-memory: the violin\n- 我们约定了 canary-promise\n",
    f"memory/{TODAY.isoformat()}.md": log(TODAY, "Owner: canary-today violin", "Pet: canary-todaytoo"),
    f"memory/{(TODAY - timedelta(days=1)).isoformat()}.md": log(TODAY - timedelta(days=1), "canary-yesterday"),
    "memory/2026-02-24.md": log(date(2026, 2, 24), "Owner: my violin teacher has a canary-old"),
    "memory/archive.md": log(date(2025, 2, 24), "Owner: my first violin was canary-archived"),
    "memory/2026-02-26-violin.md": "# Violin lesson\n\nThe violin teacher played canary-lesson with me.\n",
    "memory/people/canary-below/teacher.md": "- My violin teacher is the neighbour of canary-person.\n",
}
FILLER = "What about the violin teacher? " * 200

asked = st.lists(st.sampled_from(["search", "notes", "read", "write", "think"]), max_size=2)
acts = st.lists(
    st.one_of(
        st.tuples(st.just("say"), asked, st.sampled_from([0, 0, 0, 1, 2, 3])),
        st.tuples(st.sampled_from(["compact", "long talk", "rest"]), st.just([]), st.sampled_from([0, 0, 1, 2])),
        st.tuples(st.sampled_from(["regenerate", "edit", "branch", "other tab"]), asked, st.just(0)),
        st.tuples(st.sampled_from(["variant", "attach"]), st.just([]), st.just(0)),
        st.tuples(
            st.sampled_from(["on", "on", "read", "off", "off", "pause", "resume", "drop", "restart"]),
            st.just([]),
            st.just(0),
        ),
    ),
    min_size=3,
    max_size=10,
)
BEGUN: list[tuple[str, list[str], int]] = [("long talk", [], 0), ("off", [], 0)]
VARIED: list[tuple[str, list[str], int]] = [("attach", [], 0), ("say", ["read"], 0), ("regenerate", [], 0), BEGUN[1]]
stories = st.one_of(acts, acts.map(lambda rest: [*BEGUN, *rest[:7]]), acts.map(lambda rest: [*VARIED, *rest[:6]]))


class Model(ScriptedProvider):
    """Answers each request from its own text; ``flip_at`` counts the requests to the one the switch goes OFF in."""

    def __init__(self) -> None:
        super().__init__()
        self.chat: LiveConversation
        self.kept: list[tuple[bool, Request]] = []
        self.asks: list[str] = []
        self.flip_at = 0
        self.made = 0

    def stream(self, request: Request) -> AsyncIterator[Streamed]:
        self.kept.append((self.chat.gate.access().memory, request))
        self.flip_at -= 1
        self.queue(self._flipped if self.flip_at == 0 else self._answer)
        return super().stream(request)

    def _flipped(self, request: Request) -> ScriptedRound:
        self.chat.set_memory(False)
        return self._answer(request)

    def _answer(self, request: Request) -> ScriptedRound:
        known = " ".join(sorted(set(CANARY.findall(leaves(request))))) or "nothing"
        self.made += 1
        own = f" canary-made{self.made}" if self.kept[-1][0] else ""  # what it makes up while it is on is of the ON
        if is_summary(request):
            return say(Think(known), f"## Facts\n- {known}{own}")
        if is_flush(request):
            return calls(Think(known), _call("memory_write", content=f"Noted: {known}{own}"))
        if not self.asks:
            return say(Think(known), "Spoken words.")
        match self.asks.pop():
            case "search":
                return calls(Think(known), _call("memory_search", query=f"violin {known}"))
            case "notes":
                return calls(
                    _call("memory_search", query=f"lesson {known}"),
                    _call("memory_search", query=f"neighbour {known}"),
                )
            case "read":
                below = "canary-below" if "canary-below" in known else "nowhere"
                return calls(
                    "let me look",
                    _call("read", path="MEMORY.md"),
                    _call("memory_get", path="USER.md"),
                    _call("memory_get", path=f"memory/people/{below}/teacher.md"),
                )
            case "write":
                return calls(_call("memory_write", content=f"{known}{own}"))
            case _:
                return calls(Think(known + own), _call("read", path="SOUL.md"))


def _call(name: str, **arguments: object) -> ToolCallPart:
    return ToolCallPart(id=f"call_{name}", name=name, arguments=json.dumps(arguments, ensure_ascii=False))


class Story:
    """One random life of a conversation."""

    def __init__(self, folder: Path, memory: bool) -> None:
        self.folder = folder
        self.model = Model()
        self.app = self._start()
        changes = {"context_window": 9_000, "recall_threshold": 0.2}
        self.app.settings.change(changes)
        write_files(self.app.store.root, FILES)
        self.chat = self.model.chat = self.app.conversations.create(memory=memory)

    def _start(self) -> Pet:
        home = find_home(self.folder)
        return Pet(
            home, environ=THINKER, clock=DayClock(), provider=self.model, channel="terminal", recall_seconds=30
        )

    def act(self, act: str, asks: list[str], flip_at: int) -> None:
        match act:
            case "on" | "read" | "off":
                self.chat.set_memory(MemoryMode(act))
            case "pause" | "resume":
                self.app.pause(act == "pause")
            case "drop":
                self.chat.record.drop_earlier()
            case "restart":
                self._restart()
            case "compact":
                self._do(asks, flip_at, self.chat.compact)
            case "rest":
                self._do(asks, flip_at, lambda: self.chat.take_notes("", lambda: None))
            case "long talk":
                self.chat.set_memory(True)
                for _ in range(4):
                    self._do([], 0, lambda: self.chat.send("My violin teacher says hello."))
                self._do(asks, flip_at, self.chat.compact)
            case "other tab":
                self._other_tab()
            case "branch" if self.chat.folded().turns:
                self._branch(asks)
            case "variant":
                self._choose_variant()
            case "attach":
                self._attach()
            case "edit" if self.chat.folded().turns:
                self._do(asks, flip_at, lambda: self.chat.resend(self.chat.folded().turns[0].id, "The violin?"))
            case "regenerate" if self.chat.folded().turns:
                self._do(asks, flip_at, lambda: self.chat.resend(self.chat.folded().turns[-1].id, None))
            case _:
                self._do(asks, flip_at, lambda: self.chat.send(FILLER))

    def _do(self, asks: list[str], flip_at: int, start: Callable[[], object]) -> None:
        self.model.asks, self.model.flip_at = list(asks), flip_at
        with suppress(NothingToCompact, AttachmentRefused):
            start()
        self.chat.wait(60)

    def _branch(self, asks: list[str]) -> None:
        """The story goes on in a branch, which starts where the switch of its conversation stands."""
        turns = self.chat.folded().turns
        self.chat = self.model.chat = self.app.conversations.branch(self.chat.id, turns[len(turns) // 2].id)
        self._do(asks, 0, lambda: self.chat.send(FILLER))

    def _choose_variant(self) -> None:
        """An earlier reply of the last turn that has several, as with the arrows; then something is said."""
        several = [turn for turn in self.chat.folded().turns if len(turn.variants) > 1]
        if several:
            self.chat.record.choose_variant(next(each for each in several[-1].variants if each != several[-1].id))
        self._do([], 0, lambda: self.chat.send("And the violin?"))

    def _attach(self) -> None:
        """A memory file goes along with a message, which is refused while the switch is off."""
        sent = self.app.attachments.add("notes.txt", FILES["MEMORY.md"].encode())
        self._do([], 0, lambda: self.chat.send("What do you think of this?", (sent,)))

    def _other_tab(self) -> None:
        """Another conversation, memory on, where a canary is said aloud: this one may recall it while it is on."""
        own = self.chat
        other = self.model.chat = self.app.conversations.create(memory=True)
        self.model.asks, self.model.flip_at = [], 0
        other.send("My violin teacher is also called canary-elsewhere.")
        other.wait(60)
        self.model.chat = own
        self.model.kept = [each for each in self.model.kept if not _of(each[1], "canary-elsewhere.")]

    def _restart(self) -> None:
        self.app.close()
        self.app = self._start()
        if self.chat.folded().turns:
            self.chat = self.app.conversations.open(self.chat.id)
        else:
            self.chat = self.app.conversations.create(memory=self.chat.gate.memory_mode)
        self.model.chat = self.chat


def _of(request: Request, text: str) -> bool:
    return text in leaves(request) and "also called" in leaves(request)


@settings(
    max_examples=examples(50), suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)
@given(memory=st.booleans(), acts=stories)
@example(memory=True, acts=[("say", ["think"], 0), ("off", [], 0), ("say", ["think"], 0), ("say", [], 0)])
def test_no_canary_leaves_while_memory_is_off(
    memory: bool, acts: list[tuple[str, list[str], int]], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.clear()
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Path(folder), memory)
        try:
            for act, asks, flip_at in acts:
                story.act(act, asks, flip_at)
            titles = [summary.title for summary in story.app.conversations.saved()]
            made_off = [
                entry
                for entry in story.chat.transcript.entries
                if isinstance(entry, Compacted) and not entry.memory and CANARY.search(entry.text)
            ]
        finally:
            story.app.close()
    for on, request in story.model.kept:
        if not on:
            assert not CANARY.findall(leaves(request))
            assert {tool.name for tool in request.tools} <= {"read", "write", "edit"}
        encode_request(request)
    assert not made_off
    assert not any(CANARY.search(title) for title in titles if "also called" not in title)
    assert not CANARY.search(caplog.text)


def told_by(*acts: tuple[str, list[str], int]) -> list[tuple[bool, Request]]:
    with tempfile.TemporaryDirectory() as folder:
        story = Story(Path(folder), memory=True)
        try:
            for act, asks, flip_at in acts:
                story.act(act, asks, flip_at)
        finally:
            story.app.close()
    return story.model.kept


@pytest.mark.parametrize(
    "canary",
    [
        *("canary-old", "canary-today", "canary-yesterday", "canary-elsewhere", "canary-user", "canary-memory"),
        *("canary-lesson", "canary-person", "canary-below"),
    ],
)
def test_the_same_story_carries_it_while_on(canary: str) -> None:
    """The test above looks at the right place."""
    kept = told_by(("other tab", [], 0), ("say", ["search"], 0), ("say", ["read", "notes"], 0))
    assert any(canary in leaves(request) for _, request in kept)


def test_small_windows_are_compacted_in_both_states() -> None:
    kept = told_by(*[("say", [], 0)] * 9, ("off", [], 0), *[("say", [], 0)] * 6)
    assert any(on and is_flush(request) for on, request in kept)
    assert any(on and is_summary(request) for on, request in kept)
    assert any(not on and is_summary(request) for on, request in kept)
    assert any(on and "canary-made" in leaves(request) for on, request in kept)
