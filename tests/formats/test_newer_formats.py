"""A file of a newer version is refused with a sentence, and no byte of it changes."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from pet.__main__ import ThisDesktop
from pet.app import Pet
from pet.bridge.command import Client
from pet.bridge.commands.pets import PetCommands
from pet.cli.main import run
from pet.errors import NewerFormat, SettingsInvalid, TranscriptBroken
from pet.extras.imports.importer import Importer, Target
from pet.extras.imports.packed_pet import import_pet
from pet.extras.imports.source import Pasted
from pet.i18n import LANGUAGES, Texts
from pet.model import Author, Present
from pet.paths import Home
from pet.serde import FORMAT, is_newer
from pet.settings.program_state import JsonState
from pet.settings.store import SettingsStore
from pet.transcripts.store import TranscriptStore
from pet.workspace.pet_zip import export_pet_to
from pet.workspace.pets import Pets
from tests.support.clocks import DayClock

NEWER = FORMAT + 1


def put(file: Path, text: str) -> bytes:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    return file.read_bytes()


def pets(home: Home) -> Pets:
    return Pets(
        home, clock=DayClock(), drop_traces=lambda *_: None, to_bin=lambda _: None, note_origin=lambda *_: None
    )


def version(app: Pet) -> str:
    found = app.store.read("USER.md")
    assert isinstance(found, Present)
    return found.version


async def provider(app: Pet) -> object:
    return await app.models.provider(app.effective.in_use())


@pytest.mark.parametrize("value", [FORMAT, 0, -1, True, "2", 1.5, None])
def test_only_a_higher_whole_number_is_newer(value: object) -> None:
    assert not is_newer({"format": value})
    assert not is_newer({})
    assert is_newer({"format": NEWER})


def test_a_pet_of_a_newer_version_is_not_opened(home: Home, capsys: pytest.CaptureFixture[str]) -> None:
    Pet(home, channel="terminal", environ={}).close()
    own = home.workspace("pet") / "pet.toml"
    content = put(own, f'format = {NEWER}\nname = "Ada"\n')
    before = sorted((home.workspace("pet")).rglob("*"))
    with pytest.raises(NewerFormat):
        Pet(home, channel="terminal", environ={})
    put(home.settings_file, 'language = "en"\n')
    assert run(["--home", str(home.data.parent), "chat", "--once", "hello"], ThisDesktop()) == 1
    assert "A newer version of Soulpet wrote pet.toml" in capsys.readouterr().err
    assert own.read_bytes() == content
    assert sorted((home.workspace("pet")).rglob("*")) == before


def test_a_pet_of_a_newer_version_is_not_renamed_or_copied(home: Home) -> None:
    Pet(home, channel="terminal", environ={}).close()
    own = home.workspace("pet") / "pet.toml"
    content = put(own, f"format = {NEWER}\n")
    with pytest.raises(NewerFormat):
        pets(home).rename("pet", "Bo")
    with pytest.raises(NewerFormat):
        pets(home).duplicate("pet", "Bo")
    assert own.read_bytes() == content
    assert [entry.id for entry in pets(home).list()] == ["pet"]


def test_a_pet_of_a_newer_version_does_not_become_the_one_to_start_with(home: Home) -> None:
    app = Pet(home, channel="terminal", environ={})
    try:
        made = pets(home).create("Ada", "en")
        content = put(home.workspace(made) / "pet.toml", f"format = {NEWER}\n")
        before = home.state_file.read_bytes() if home.state_file.exists() else b""
        with pytest.raises(NewerFormat):
            app.commands.call(Client.CHAT, PetCommands.switch_pet, pet=made)
        assert run(["--home", str(home.data.parent), "pets", "switch", made], ThisDesktop()) == 1
        assert (home.state_file.read_bytes() if home.state_file.exists() else b"") == before
        assert (home.workspace(made) / "pet.toml").read_bytes() == content
    finally:
        app.close()


def test_an_exported_pet_of_a_newer_version_is_not_taken_in(home: Home, tmp_path: Path) -> None:
    Pet(home, channel="terminal", environ={}).close()
    packed = tmp_path / "pet.zip"
    made = pets(home).create("Ada", "en")
    put(home.workspace(made) / "pet.toml", f'format = {NEWER}\nname = "Ada"\n')
    export_pet_to(home.workspace(made), packed, locks=home.locks)
    pets(home).delete(made)
    with pytest.raises(NewerFormat):
        import_pet(pets(home), packed, "ada")
    assert [entry.id for entry in pets(home).list()] == ["pet"]


def test_an_import_into_a_pet_of_a_newer_version_is_not_taken_back(home: Home) -> None:
    app = Pet(home, channel="terminal", environ={})
    target = Target(pet=app.pet_id, store=app.store, transcripts=app.transcripts)
    importer = Importer(home, pets(home), app.clock, lambda: "en")
    survey = importer.survey(Pasted(b"- Ana plays the cello\n"), target)
    past = importer.carry_out(survey, target, memory=True)
    app.close()
    assert past.record.receipts
    put(app.store.root / "pet.toml", f"format = {NEWER}\n")
    before = {file: file.read_bytes() for file in app.store.root.rglob("*") if file.is_file()}
    with pytest.raises(NewerFormat):
        importer.undo(past)
    assert {file: file.read_bytes() for file in app.store.root.rglob("*") if file.is_file()} == before


@pytest.mark.parametrize(
    "change",
    [
        lambda app: app.store.write("USER.md", "other\n", base=version(app), author=Author.OWNER),
        lambda app: app.store.edit("SOUL.md", "a", "b", author=Author.PET),
        lambda app: app.store.restore("USER.md", app.store.history("USER.md")[-1].id, author=Author.OWNER),
        lambda app: app.store.backup(),
        lambda app: app.store.prune(),
        lambda app: app.set_pet_model("", "other"),
        lambda app: app.forgetting.forget(app.forgetting.find("violin")),
        lambda app: pets(app.home).rename(app.pet_id, "Bo"),
    ],
    ids=["write", "edit", "restore", "backup", "prune", "model", "forget", "rename"],
)
def test_nothing_changes_in_a_pet_that_a_newer_version_took_over_meanwhile(
    home: Home, change: Callable[[Pet], object]
) -> None:
    app = Pet(home, channel="terminal", environ={})
    try:
        app.store.write("USER.md", "- Ana plays the violin\n", base=version(app), author=Author.OWNER)
        put(app.store.root / "pet.toml", f"format = {NEWER}\n")
        before = {file: file.read_bytes() for file in app.store.root.rglob("*") if file.is_file()}
        with pytest.raises(NewerFormat):
            change(app)
        assert {file: file.read_bytes() for file in app.store.root.rglob("*") if file.is_file()} == before
    finally:
        app.close()


def test_nothing_is_sent_for_a_pet_that_a_newer_version_took_over_meanwhile(home: Home) -> None:
    app = Pet(home, channel="terminal", environ={})
    try:
        put(app.store.root / "pet.toml", f"format = {NEWER}\n")
        problem = app.effective.in_use().problem
        assert problem is not None
        assert problem.error_code == "settings_newer"
        with pytest.raises(SettingsInvalid):
            asyncio.run(provider(app))
    finally:
        app.close()


def test_settings_of_a_newer_version_are_not_used_and_nothing_is_sent(home: Home) -> None:
    content = put(home.settings_file, f'format = {NEWER}\nmodel = "other"\n')
    store = SettingsStore(home.settings_file, {}, lambda: None)
    assert store.current().model != "other"
    (problem,) = store.problems()
    assert problem.error_code == "settings_newer"
    assert store.address_problem() is problem
    with pytest.raises(SettingsInvalid) as refused:
        store.change({"model": "mine"})
    assert refused.value.problem == "newer"
    assert home.settings_file.read_bytes() == content


def test_state_of_a_newer_version_ends_the_start(home: Home) -> None:
    content = put(home.state_file, json.dumps({"format": NEWER, "paused.pet": True}))
    with pytest.raises(NewerFormat):
        Pet(home, channel="terminal", environ={})
    assert home.state_file.read_bytes() == content
    assert not home.pets.exists()


def test_a_state_that_a_newer_version_wrote_meanwhile_counts_as_paused(home: Home) -> None:
    app = Pet(home, channel="terminal", environ={})
    try:
        gate = app.conversations.create(memory=True).gate
        assert gate.access().memory
        put(home.state_file, json.dumps({"format": NEWER, "paused.pet": True}))
        assert not gate.access().memory
    finally:
        app.close()


def test_small_state_of_a_newer_version_counts_as_empty_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "windows.json"
    content = put(file, json.dumps({"format": NEWER, "chat": [1, 2]}))
    state = JsonState(file)
    assert state.read() == {}
    with pytest.raises(OSError, match="newer version"):
        state.write({"a": 1})
    with pytest.raises(OSError, match="newer version"):
        state.update({"a": 1})
    state.drop(lambda _: True)
    assert file.read_bytes() == content


def test_a_conversation_of_a_newer_version_is_not_opened(home: Home) -> None:
    app = Pet(home, channel="terminal", environ={})
    try:
        transcripts = app.transcripts
        made = app.conversations.create(memory=False)
        made.record.rename("walnuts")
        file = next(transcripts.folder.glob("*.jsonl"))
    finally:
        app.close()
    first, _, rest = file.read_text("utf-8").partition("\n")
    content = put(file, json.dumps({**json.loads(first), "version": VERSION_AHEAD}) + "\n" + rest)
    with pytest.raises(TranscriptBroken) as refused:
        TranscriptStore(file.parent, "00000000", DayClock()).open(made.id)
    assert refused.value.error_code == "transcript_newer"
    assert file.read_bytes() == content


VERSION_AHEAD = 99


def test_what_is_written_carries_the_format(home: Home) -> None:
    app = Pet(home, channel="terminal", environ={})
    try:
        app.settings.change({"model": "mine"})
        app.state.update({"a": 1})
    finally:
        app.close()
    made = pets(home).create("Ada", "en")
    assert f"format = {FORMAT}" in home.settings_file.read_text("utf-8")
    assert f"format = {FORMAT}" in (home.workspace(made) / "pet.toml").read_text("utf-8")
    assert json.loads(home.state_file.read_bytes())["format"] == FORMAT


@pytest.mark.parametrize("language", LANGUAGES)
def test_refusals_have_words(language: str) -> None:
    texts = Texts(language)  # type: ignore[arg-type]  # the languages are a literal type
    for code in ("newer_format", "transcript_newer", "settings_newer"):
        assert "Soulpet" in texts(f"error.{code}", file="pet.toml")
