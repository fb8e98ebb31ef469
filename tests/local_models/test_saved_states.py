"""Saved KV states: which tokens they hold, and that none outlive a forgotten text, a switch to off or a deletion."""

from __future__ import annotations

import json
import struct
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pet.app import App, compose
from pet.app.local_models import warm_up
from pet.local_models import server_files
from pet.local_models.model_store import LocalModel
from pet.local_models.server_files import SavedSlots, ServerAddress
from pet.paths import Home
from pet.providers.base import RoundDone
from pet.providers.local_model import LocalModelProvider
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

        monkeypatch.setattr(server_files, "_post", post)

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
    saved.save(NOWHERE, local_model(tmp_path), since)
    assert list(states.glob("*.kv")) == []
    written(lambda: None)
    saved.save(NOWHERE, local_model(tmp_path), saved.last_erasure())
    assert len(list(states.glob("*.kv"))) == 2


@pytest.fixture
def opened(home: Home) -> Iterator[Callable[..., App]]:
    home.config.mkdir(parents=True)
    home.settings_file.write_text('local_model = "tiny"\nlanguage = "en"\n', encoding="utf-8")
    root = home.workspace("pet")
    root.mkdir(parents=True)
    (root / "SOUL.md").write_text(f"# Soul\n\nYou come from {IN_SOUL}.\n", encoding="utf-8")
    for name in ("USER.md", "MEMORY.md"):
        (root / name).write_text(f"# Notes\n\n- They live in {IN_FILES}.\n", encoding="utf-8")
    made: list[App] = []

    def start(channel: str) -> App:
        made.append(compose(home, environ={}, channel=channel))  # type: ignore[arg-type]
        return made[-1]

    yield start
    for each in made:
        each.close()


def warm(app: App) -> None:
    app.loop.submit(app.warm_local_model(app.effective.in_use())).result(300)


def computed(app: App, monkeypatch: pytest.MonkeyPatch) -> int:
    """Warm, and return how many tokens were computed, not restored."""
    tokens = [0]
    stream = LocalModelProvider.stream

    async def counted(self: LocalModelProvider, request: object, **options: bool):  # type: ignore[no-untyped-def]
        async for event in stream(self, request, **options):  # type: ignore[arg-type]
            if isinstance(event, RoundDone):
                tokens[0] += event.usage.input_tokens or 0
            yield event

    with monkeypatch.context() as patch:
        patch.setattr(LocalModelProvider, "stream", counted)
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


def saved_text(app: App) -> str:
    supervisor = app.supervisor
    address = supervisor.acquire("tiny")
    supervisor.release()
    return texts_of(app.home.local_model_state, address)


@pytest.mark.real_model
@pytest.mark.parametrize(("first", "second"), [("desktop", "terminal"), ("terminal", "desktop")])
def test_window_and_terminal_share_saved_states_without_memory(
    opened: Callable[..., App], monkeypatch: pytest.MonkeyPatch, first: str, second: str
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
    ("channel", "act"), [("desktop", "forget"), ("terminal", "forget"), ("terminal", "off"), ("desktop", "delete")]
)
def test_saved_states_are_erased(opened: Callable[..., App], channel: str, act: str) -> None:
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


def test_soul_is_read_after_the_erasure_it_is_compared_with(home: Home) -> None:
    """A text that is forgotten while SOUL.md is read is not saved."""
    order: list[str] = []

    class Supervisor:
        def last_erasure(self) -> str:
            order.append("erasure")
            return ""

    class Provider:
        async def warm(self, _requests: object, _since: str) -> None:
            order.append("computed")

    app = compose(home, environ={}, channel="terminal")

    def soul() -> str:
        order.append("soul")
        return ""

    app.loop.submit(
        warm_up(lambda _chosen: Provider(), Supervisor(), app.effective.current(), soul, app.texts())  # type: ignore[arg-type]
    ).result(60)
    app.close()
    assert order == ["erasure", "soul", "computed"]
