"""Saved KV states: which tokens they hold, and that none outlive a forgotten text, a switch to off or a deletion."""

from __future__ import annotations

import asyncio
import json
import struct
import urllib.request
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from pathlib import Path
from typing import cast

import pytest

from pet.app import Pet
from pet.extras.local_models import supervisor as supervisor_module
from pet.extras.local_models.provider import CommonStarts, LocalModelProvider
from pet.extras.local_models.runtime import OwnLocalModels, own_models
from pet.extras.local_models.supervisor import SavedSlots, ServerAddress, State
from pet.model import Request, SystemBlock
from pet.paths import Home
from pet.providers.base import RoundDone, Streamed, TextChunk
from pet.providers.local_models import LocalModel
from tests.support.waiting import wait_for

NOWHERE = ServerAddress(url="http://127.0.0.1:9", key="k")
IN_SOUL, IN_FILES, IN_TALK = "Zanzibar", "Ouagadougou", "Reykjavik"


def local_model(folder: Path) -> LocalModel:
    return LocalModel(
        id="file:m.gguf", name="m", path=folder / "m.gguf", size=1, context=4_096, need=1, notebook=True
    )


@pytest.fixture
def states(tmp_path: Path) -> Path:
    folder = tmp_path / "states"
    folder.mkdir()
    return folder


@pytest.fixture
def written(states: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Let the model's process write a state when it is told to save; ``meanwhile`` runs in that moment."""

    def install(meanwhile: Callable[[], object]) -> None:
        def post(_address: ServerAddress, path: str, body: dict[str, str]) -> int:
            if path.endswith("save"):
                meanwhile()
                (states / body["filename"]).write_bytes(b"soul")
            return 200

        monkeypatch.setattr(supervisor_module, "_post", post)

    return install


@pytest.mark.parametrize("when", ["before", "during"])
def test_forgetting_while_a_state_is_saved_leaves_none(
    states: Path, tmp_path: Path, written: Callable[[Callable[[], object]], None], when: str
) -> None:
    """SOUL.md was read for it before something of it was forgotten, perhaps in another program of the home."""
    saved, other = SavedSlots(states), SavedSlots(states)
    since = saved.last_erasure()
    written(other.delete if when == "during" else lambda: None)
    if when == "before":
        other.delete()
    saved.save(NOWHERE, local_model(tmp_path), 0, "start", since)
    assert list(states.glob("*.kv")) == []
    written(lambda: None)
    for slot in supervisor_module.SLOTS:
        saved.save(NOWHERE, local_model(tmp_path), slot, "start", saved.last_erasure())
    assert len(list(states.glob("*.kv"))) == 2


@pytest.fixture
def opened(home: Home) -> Iterator[Callable[..., Pet]]:
    home.config.mkdir(parents=True)
    home.settings_file.write_text('local_model = "tiny"\nlanguage = "en"\nmax_tokens = 16\n', encoding="utf-8")
    root = home.workspace("pet")
    root.mkdir(parents=True)
    (root / "SOUL.md").write_text(f"# Soul\n\nYou come from {IN_SOUL}.\n", encoding="utf-8")
    for name in ("USER.md", "MEMORY.md"):
        (root / name).write_text(f"# Notes\n\n- They live in {IN_FILES}.\n", encoding="utf-8")
    made: list[Pet] = []

    def start(channel: str) -> Pet:
        made.append(Pet(home, environ={}, channel=channel))  # type: ignore[arg-type]
        return made[-1]

    yield start
    for each in made:
        each.close()


def warm(app: Pet) -> None:
    app.loop.submit(app.warm_local_model(app.effective.in_use())).result(300)


def computed(app: Pet, monkeypatch: pytest.MonkeyPatch) -> int:
    """Warm, and return how many tokens were computed, not restored."""
    tokens = [0]
    events = LocalModelProvider._events

    async def counted(self: LocalModelProvider, address: ServerAddress, request: Request) -> AsyncIterator[Streamed]:
        async for event in events(self, address, request):
            if isinstance(event, RoundDone):
                tokens[0] += event.usage.input_tokens or 0
            yield event

    with monkeypatch.context() as patch:
        patch.setattr(LocalModelProvider, "_events", counted)
        warm(app)
    return tokens[0]


def texts_of(folder: Path, address: ServerAddress) -> str:
    """The prompts of all saved states: the token ids of each file, made text again by the model's process."""
    tokens: list[int] = []
    for file in sorted(folder.glob("*.kv")):
        data = file.read_bytes()
        magic, _version, count = struct.unpack_from("<4sII", data)
        assert magic == b"qsgg"  # GGSQ, little-endian
        listed = struct.unpack_from(f"<{count}i", data, 12)
        tokens += [token for token in listed if token >= 0]  # the first is a mark
    request = urllib.request.Request(
        address.url + "/detokenize",
        data=json.dumps({"tokens": tokens}).encode(),
        headers={"Authorization": f"Bearer {address.key}", "Content-Type": "application/json"},
    )
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
        return str(json.loads(answer.read())["content"])


def saved_text(app: Pet) -> str:
    supervisor = own_models(app).supervisor
    address = supervisor.acquire("tiny")
    supervisor.release()
    return texts_of(app.home.local_model_state, address)


@pytest.mark.real_model
@pytest.mark.parametrize(
    ("first", "second"),
    [("desktop", "terminal"), pytest.param("terminal", "desktop", marks=pytest.mark.nightly)],
)
def test_window_and_terminal_share_saved_states_without_memory(
    opened: Callable[..., Pet], monkeypatch: pytest.MonkeyPatch, first: str, second: str
) -> None:
    app = opened(first)
    assert computed(app, monkeypatch) > 100
    chat = app.conversations.create(memory=True)
    chat.send(f"I flew to {IN_TALK} yesterday.")
    chat.wait(300)
    app.close()
    other = opened(second)
    assert computed(other, monkeypatch) < 20
    text = saved_text(other)
    assert IN_SOUL in text
    assert IN_FILES not in text and IN_TALK not in text


@pytest.mark.real_model
@pytest.mark.parametrize(
    ("channel", "act"),
    [
        ("desktop", "forget"),
        pytest.param("terminal", "forget", marks=pytest.mark.nightly),
        ("terminal", "off"),
        ("desktop", "delete"),
    ],
)
def test_saved_states_are_erased(opened: Callable[..., Pet], channel: str, act: str) -> None:
    app = opened(channel)
    warm(app)
    folder = app.home.local_model_state
    chat = app.conversations.create(memory=True)
    chat.send("Hello!")
    chat.wait(300)
    assert IN_SOUL in saved_text(app)
    match act:
        case "forget":
            (app.store.root / "SOUL.md").write_text("# Soul\n\nYou come from afar.\n", encoding="utf-8")
            app.store.observe("SOUL.md")
            app.forgetting.forget(app.forgetting.find(IN_SOUL))
        case "off":
            chat.set_memory(False)
        case "delete":
            app.conversations.delete(chat.id)
    wait_for("the erasure", lambda: not list(folder.glob("*.kv")))
    app.close()
    assert list(folder.glob("*.kv")) == []
    if act == "forget":
        again = opened(channel)
        warm(again)
        assert IN_SOUL not in saved_text(again)


def test_text_that_is_forgotten_while_soul_is_read_is_not_saved(home: Home) -> None:
    home.local_model_state.mkdir(parents=True)
    app = Pet(home, environ={}, channel="terminal")
    before = own_models(app).supervisor.last_erasure()

    def soul() -> str:
        own_models(app).supervisor.forget()
        return ""

    models = OwnLocalModels(home, language=lambda: "en", supervisor=own_models(app).supervisor, soul=soul)
    starts = models.starts("tiny")
    app.close()
    assert starts.since == before != own_models(app).supervisor.last_erasure()


class Recorded:
    """A supervisor without a child; what is computed and saved, in order."""

    def __init__(self) -> None:
        self.acts: list[object] = []
        self.saved: dict[int, str] = {}
        self.state = State(phase="absent")

    def acquire(self, _chosen: str, *, warming: bool) -> ServerAddress:
        assert warming
        return NOWHERE

    def release(self) -> None: ...

    def unsaved(self, prompts: Mapping[int, str]) -> set[int]:
        return {slot for slot, prompt in prompts.items() if self.saved.get(slot) != prompt}

    def save(self, slot: int, prompt: str, since: str) -> None:
        assert since == "erasure"
        self.saved[slot] = prompt
        self.acts.append(("saved", slot))

    def publish(self) -> None:
        self.acts.append("published")


class Played(LocalModelProvider):
    """Computes nothing; ``hold``: waited for by the start of a question, which sets ``waits``."""

    hold: asyncio.Event | None = None
    waits: asyncio.Event

    async def _events(self, _address: ServerAddress, request: Request) -> AsyncIterator[Streamed]:
        if request is QUESTION_START and self.hold is not None:
            self.waits.set()
            await self.hold.wait()
        recorded(self).append(NAMES[id(request)])
        yield TextChunk(text="x")


def recorded(provider: LocalModelProvider) -> list[object]:
    return cast(Recorded, provider._supervisor).acts


def request_of(system: str, *, bound: bool = False) -> Request:
    blocks, schema = (SystemBlock(text=system),), {"type": "object"} if bound else None
    return Request(model="tiny", max_tokens=1, system=blocks, tools=(), messages=(), schema=schema)


REPLY_START, QUESTION_START = request_of("soul"), request_of("examples", bound=True)
REPLY, QUESTION, OTHER = request_of("soul and notes"), request_of("examples", bound=True), request_of("alma")
NAMES = {
    id(each): name
    for each, name in (
        (REPLY_START, "reply start"),
        (QUESTION_START, "question start"),
        (REPLY, "reply"),
        (QUESTION, "question"),
        (OTHER, "other"),
    )
}


def played(supervisor: Recorded) -> Played:
    starts = CommonStarts(requests=(REPLY_START, QUESTION_START), since="erasure")
    return Played(supervisor, "tiny", "Tiny", lambda: starts)  # type: ignore[arg-type]


async def read(provider: Played, request: Request) -> None:
    async for _ in provider.stream(request):
        pass


def test_first_reply_computes_and_saves_its_start_and_the_question_its_own() -> None:
    supervisor = Recorded()

    async def act() -> None:
        await read(provider := played(supervisor), REPLY)
        await read(provider, QUESTION)
        await read(provider, REPLY)

    asyncio.run(act())
    first = ["reply start", ("saved", 1), "reply"]
    assert supervisor.acts[:3] == first and supervisor.acts.count("question start") == 1
    order = ["question start", ("saved", 0), "published", "question"]
    assert [each for each in supervisor.acts[3:] if each in order][:4] == order

    supervisor.acts.clear()  # after a restart the states are restored
    asyncio.run(read(played(supervisor), REPLY))
    assert [each for each in supervisor.acts if each != "published"] == ["reply"]


def test_nothing_is_saved_of_a_slot_whose_first_request_begins_otherwise() -> None:
    """As in another language: computing the usual start would only delay it."""
    supervisor = Recorded()
    asyncio.run(read(played(supervisor), OTHER))
    assert supervisor.acts[0] == "other" and 1 not in supervisor.saved


def test_message_interrupts_what_is_computed_ahead() -> None:
    supervisor = Recorded()

    async def act() -> None:
        provider = played(supervisor)
        provider.hold, provider.waits = asyncio.Event(), asyncio.Event()
        warm = asyncio.ensure_future(provider.warm())
        await asyncio.wait_for(provider.waits.wait(), 60)
        await asyncio.wait_for(read(provider, REPLY), 60)
        await warm
        provider.hold.set()
        await read(provider, QUESTION)

    asyncio.run(act())
    acts = [each for each in supervisor.acts if each != "published"]
    assert acts == ["reply start", ("saved", 1), "reply", "question start", ("saved", 0), "question"]
