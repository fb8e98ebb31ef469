"""What answers while the owner has chosen nothing, for example after "Skip everything"."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from threading import Event

import pytest

from pet.app import Pet
from pet.app.background import get_ready
from pet.engine.models import settings_without_choice
from pet.events import ChatShown
from pet.extras.local_models.catalogue import CATALOGUE, CatalogueEntry
from pet.extras.local_models.machine import Machine
from pet.extras.local_models.model_store import TINY
from pet.extras.local_models.runtime import OwnLocalModels, own_models
from pet.extras.local_models.supervisor import Supervisor
from pet.i18n import LANGUAGES, Language
from pet.model import TurnEnd
from pet.paths import find_home
from pet.settings.api_keys import KeyStore
from pet.settings.connections import UNCHOSEN, origin_of
from pet.settings.schema import Settings
from tests.support.waiting import wait_for

ROOMY = Machine(memory=16_000_000_000, free_memory=16_000_000_000, cores=2, runnable="")
UNABLE = Machine(memory=16_000_000_000, free_memory=16_000_000_000, cores=2, runnable="no_cpu")


def small_model() -> CatalogueEntry:
    """Return the bundled one in the place of one that is large."""
    return replace(CATALOGUE[0], id=TINY, file="small.gguf", size=4)


def without_choice(folder: Path, machine: Machine, settings: Settings) -> Settings:
    home = find_home(folder / "home")
    supervisor = Supervisor(home.local_models, home.local_model_state, machine=lambda: machine)
    models = OwnLocalModels(home, language=lambda: "en", supervisor=supervisor, entries=(small_model(),))
    return settings_without_choice(models, KeyStore(home, {}), settings)


def test_hello_is_answered_by_the_demo_where_no_model_runs(tmp_path: Path) -> None:
    home = find_home(tmp_path / "home")
    home.settings_file.parent.mkdir(parents=True)
    home.settings_file.write_text('language = "zh"\n', "utf-8")
    app = Pet(home, environ={})
    try:
        chat = app.conversations.create(memory=True)
        chat.send("你好")
        chat.wait(60)
        (turn,) = chat.folded().turns
        assert turn.end is TurnEnd.DONE and turn.error is None
        assert (app.effective.current().demo, app.effective.current().connection) == (True, UNCHOSEN)
    finally:
        app.close()


def test_connections_name_what_answers_while_none_is_chosen(tmp_path: Path) -> None:
    home = find_home(tmp_path / "home")
    home.settings_file.parent.mkdir(parents=True)
    home.settings_file.write_text('language = "zh"\n', "utf-8")
    app = Pet(home, environ={})
    try:
        assert app.connections.default() == ""
        assert [(each.id, each.default) for each in app.connections.listed()] == [("main", False)]
    finally:
        app.close()


@pytest.mark.parametrize("language", LANGUAGES)
def test_with_nothing_but_the_bundled_model_the_demo_answers(tmp_path: Path, language: Language) -> None:
    unchosen = without_choice(tmp_path, ROOMY, Settings(language=language))
    assert (unchosen.local_model, unchosen.demo, unchosen.connection) == ("", True, UNCHOSEN)


def test_a_downloaded_model_answers_where_it_runs(tmp_path: Path, downloaded: None) -> None:
    assert without_choice(tmp_path, ROOMY, Settings(language="zh")).local_model == TINY
    assert without_choice(tmp_path, UNABLE, Settings(language="zh")).demo


@pytest.fixture
def downloaded(tmp_path: Path) -> None:
    """A model of the catalogue on the disk."""
    entry = small_model()
    folder = find_home(tmp_path / "home").local_models
    folder.mkdir(parents=True)
    (folder / entry.file).write_bytes(b"GGUF")


def test_no_model_is_loaded_before_one_is_chosen_or_somebody_speaks(
    tmp_path: Path, downloaded: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = Event()

    async def tell(app: Pet) -> None:
        await get_ready(app)
        ready.set()

    monkeypatch.setattr("pet.app.background.get_ready", tell)
    app = Pet(
        find_home(tmp_path / "home"),
        environ={},
        local_models=lambda pet: OwnLocalModels.of_pet(pet, entries=(small_model(),)),
    )
    try:
        used = app.effective.in_use()
        assert (used.settings.connection, used.settings.local_model) == (UNCHOSEN, TINY)
        chat = app.conversations.create(memory=True)
        app.unread.set_in_front(chat.id)
        app.emitter.emit(ChatShown(shown=True))
        assert ready.wait(60)
        app.loop.submit(app.warm_local_model(used)).result(60)  # as a terminal's chat does
        phases = [own_models(app).supervisor.state.phase]
        chat.send("Hello!")
        wait_for("the model", lambda: own_models(app).supervisor.state.phase == "ready")
        assert phases == ["absent"]
        chat.stop()  # of a reply that takes 15 s of a core
    finally:
        app.close()


@pytest.mark.parametrize(
    "written",
    [
        'base_url = "https://api.anthropic.com"\n',
        'model = "claude-opus-5"\n',
        "demo = true\n",
        'connection = "work"\n[connections.work]\nbase_url = "http://127.0.0.1:9"\nmodel = "m"\n',
    ],
)
def test_what_the_settings_choose_is_used(tmp_path: Path, written: str) -> None:
    home = find_home(tmp_path / "home")
    home.settings_file.parent.mkdir(parents=True)
    home.settings_file.write_text(written, "utf-8")
    app = Pet(home, environ={})
    try:
        assert app.effective.current().connection != UNCHOSEN
    finally:
        app.close()


@pytest.mark.parametrize("environ", [{"ANTHROPIC_API_KEY": "sk-ant-test-0000"}, {"PET_MODEL": "claude-opus-5"}])
def test_the_environment_is_a_choice(tmp_path: Path, environ: dict[str, str]) -> None:
    app = Pet(find_home(tmp_path / "home"), environ=environ)
    try:
        assert app.effective.current().connection != UNCHOSEN
    finally:
        app.close()


def test_a_key_for_the_shipped_address_chooses_it(tmp_path: Path) -> None:
    app = Pet(find_home(tmp_path / "home"), environ={})
    try:
        assert app.effective.current().connection == UNCHOSEN
        app.keys.set(origin_of(Settings().base_url), "sk-ant-test-0000", "session")
        chosen, kept = app.effective.current(), app.settings.current()
        assert (chosen.base_url, chosen.model, chosen.demo) == (kept.base_url, kept.model, False)
        assert chosen.context_window == 200_000  # by the model's family
    finally:
        app.close()
