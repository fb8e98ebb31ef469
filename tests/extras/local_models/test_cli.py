"""``pet model``: list, download from a hub on the loopback, use and remove."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pet.cli.arguments import read_arguments
from pet.errors import LocalModelRefused
from pet.extras.local_models.cli import model
from pet.extras.local_models.library import Library
from pet.extras.local_models.supervisor import Supervisor
from pet.i18n import Language, Texts
from pet.paths import find_home
from pet.settings.store import SettingsStore
from tests.cli.conftest import PetCommand
from tests.support.servers.model_hub import ModelHub, entry_of

DATA = b"GGUF" + bytes(range(256)) * 64


@pytest.fixture
def hub() -> Iterator[ModelHub]:
    hub = ModelHub(DATA)
    yield hub
    hub.close()


def library(home: Path, hub: ModelHub) -> Library:
    at = find_home(home)
    entry = entry_of(DATA)
    hub.server.answers[f"/{entry.repository}/resolve/{entry.revision}/{entry.file}"] = hub.server.answers["/none"]
    return Library(
        Supervisor(at.local_models, at.local_model_state),
        language=lambda: "en",
        environ={"HF_ENDPOINT": hub.server.at("")},
        reach=lambda: hub.reach,
        entries=(entry,),
    )


def run(home: Path, hub: ModelHub, *arguments: str, language: Language = "en") -> int:
    return model(read_arguments(["model", *arguments]), find_home(home), Texts(language), library(home, hub))


def test_get_shows_who_sends_it_and_checks_it(
    tmp_path: Path, hub: ModelHub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, hub, "get", "small") == 0
    said = capsys.readouterr().out
    assert "127.0.0.1" in said and "downloaded and checked" in said
    assert (tmp_path / "data" / "minds" / "small.gguf").read_bytes() == DATA
    assert run(tmp_path, hub, "list", "--json") == 0
    (listed, *_rest) = json.loads(capsys.readouterr().out)["local_models"]
    assert (listed["id"], listed["here"], listed["chosen"]) == ("small", True, False)


def test_sizes_have_the_decimal_mark_of_the_language(
    tmp_path: Path, hub: ModelHub, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, hub, "get", "small", language="es") == 0
    said = capsys.readouterr().out
    assert "0,0 GB" in said and ".0 GB" not in said


def test_remove_deletes_it_and_takes_the_choice_back(tmp_path: Path, hub: ModelHub) -> None:
    run(tmp_path, hub, "get", "small")
    store = SettingsStore(find_home(tmp_path).settings_file, {}, lambda: None)
    store.change({"local_model": "small"})
    run(tmp_path, hub, "remove", "small")
    assert list((tmp_path / "data" / "minds").iterdir()) == []
    assert SettingsStore(find_home(tmp_path).settings_file, {}, lambda: None).current().local_model == ""


@pytest.mark.parametrize("arguments", [("get", "nothing"), ("remove", "nothing"), ("use", "nothing")])
def test_unknown_id_is_refused(tmp_path: Path, hub: ModelHub, arguments: tuple[str, ...]) -> None:
    with pytest.raises(LocalModelRefused) as refused:
        run(tmp_path, hub, *arguments)
    assert refused.value.problem in ("unknown", "no_cpu")


@pytest.mark.parametrize("name", ["letter.gguf", "Letter.GGUF"])
def test_file_that_is_no_model_is_not_chosen(pet: PetCommand, tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.write_text("Dear Anna")
    ended = pet("model", "use", str(file))
    assert ended.code == 1
    assert name in ended.err
    assert "pet model list" not in ended.err  # it is a file's path, and no name
    assert pet("settings", "local_model", "--json").json["settings"]["local_model"] == ""


def test_usage_errors_are_reported(pet: PetCommand) -> None:
    assert pet("model", "dance").code == 2
    assert pet("model", "get").code == 2
    assert pet("model", "list", "more").code == 2


@pytest.mark.real_model
def test_tiny_model_is_used_and_answers(pet: PetCommand) -> None:
    assert pet("model", "use", "tiny").code == 0
    assert pet("settings", "max_tokens", "16").code == 0
    ended = pet("chat", "--once", "Hello!", "--memory", "off")
    assert ended.out.strip()
    doctor = pet("doctor", "--json").json
    assert (doctor["local_model"], doctor["local_model_running"]) == ("tiny", False)
    assert not list(pet.home.rglob("mind.json"))
    assert pet("model", "use", "none").code == 0
    assert pet("doctor", "--json").json["local_model"] == ""


def _prompt_tokens(pet: PetCommand) -> list[tuple[int, int]]:
    """Tokens computed and restored, of each conversation's reply, oldest first."""
    talks = sorted((pet.workspace / "conversations").glob("*.jsonl"), key=lambda file: file.stat().st_mtime_ns)
    usages = [
        json.loads(line)["usage"] for talk in talks for line in talk.read_text().splitlines() if '"usage"' in line
    ]
    return [(usage["input_tokens"], usage["cache_read_tokens"]) for usage in usages]


@pytest.mark.real_model
def test_terminal_saves_the_beginning_of_its_prompts_and_uses_it_in_the_next_call(pet: PetCommand) -> None:
    for name, value in (("local_model", "tiny"), ("max_tokens", "16")):
        assert pet("settings", name, value).code == 0
    for _ in range(2):
        assert pet("chat", "--once", "Hello!", "--memory", "off").code == 0
    first, second = _prompt_tokens(pet)
    assert second[1] > 4 * second[0] and sum(first) == sum(second)
    states = list(pet.home.rglob("*.kv"))
    assert states and all(file.stat().st_mode & 0o777 == 0o600 for file in states)
    written = [file.stat().st_mtime_ns for file in states]
    assert pet("chat", "--once", "And you?", "--memory", "off").code == 0
    assert [file.stat().st_mtime_ns for file in states] == written  # restored: nothing had to be computed


@pytest.mark.real_model
def test_beginning_of_the_prompts_is_computed_when_a_model_is_chosen(pet: PetCommand) -> None:
    assert pet("pets", "create", "Momo").code == 0
    assert pet("model", "use", "tiny").code == 0
    assert list(pet.home.rglob("*.kv"))
