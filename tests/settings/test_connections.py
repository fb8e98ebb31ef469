"""Saved connections: which one thinks, that none is replaced by another, and that older settings open unchanged."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from pet.errors import SettingsInvalid
from pet.model import ModelChoice
from pet.settings.connections import (
    COMPUTER,
    MAIN,
    MOST,
    Connection,
    ModelInUse,
    key_slot,
    model_in_use,
    new_connection_id,
)
from pet.settings.pet_settings import read_pet_settings
from pet.settings.schema import Settings
from pet.settings.store import SettingsStore

OLD = '# mine\nbase_url = "https://one.invalid"  # the first\nmodel = "m-1"\nprice_input = 2.0\n'
WORK = Connection(id="work", name="Work", base_url="https://two.invalid/v1", protocol="openai", model="m-2")


def _store(folder: Path, text: str = OLD, environ: dict[str, str] | None = None) -> SettingsStore:
    (folder / "settings.toml").write_text(text, encoding="utf-8")
    return SettingsStore(folder / "settings.toml", environ or {}, lambda: None)


def _used(store: SettingsStore, chosen: ModelChoice | None = None) -> ModelInUse:
    return model_in_use(store.current(), store.connections()[1:], chosen)


def test_settings_of_one_connection_open_unchanged(tmp_path: Path) -> None:
    store = _store(tmp_path)
    assert store.connections() == (Connection(id=MAIN, base_url="https://one.invalid", protocol="auto", model="m-1"),)
    used = _used(store)
    assert used.problem is None
    assert used.settings == store.current()
    assert store.file.read_text(encoding="utf-8") == OLD


def test_a_connection_more_leaves_everything_else_in_the_file(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.save_connection(WORK)
    text = store.file.read_text(encoding="utf-8")
    assert text.startswith(OLD)
    assert tomllib.loads(text)["connections"] == {
        "work": {"name": "Work", "base_url": "https://two.invalid/v1", "protocol": "openai", "model": "m-2"}
    }
    assert store.connections()[1:] == (WORK,)
    # A version that knows one connection reads the top level, which is as it was.
    top = {name: value for name, value in tomllib.loads(text).items() if name != "connections"}
    assert top == tomllib.loads(OLD)


@pytest.mark.parametrize("connection", [WORK, Connection(id=MAIN, base_url="https://new.invalid", model="m-9")])
def test_a_connection_more_beside_dotted_keys_takes_nothing_from_the_others(
    tmp_path: Path, connection: Connection
) -> None:
    store = _store(
        tmp_path,
        OLD + 'connections.home.base_url = "http://h.invalid"\nconnections.home.model = "h"\ntheme = "dark"\n',
    )
    home = Connection(id="home", base_url="http://h.invalid", model="h")
    assert store.connections()[1:] == (home,)
    store.save_connection(connection)
    assert {home, connection} <= set(store.connections())
    assert store.current().theme == "dark"
    assert not store.problems()
    store.remove_connection("home")
    assert home not in store.connections()


def test_the_default_is_the_one_chosen(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.save_connection(WORK)
    store.change({"connection": "work"})
    used = _used(store).settings
    assert (used.base_url, used.model, used.protocol) == ("https://two.invalid/v1", "m-2", "openai")
    assert store.current().base_url == "https://one.invalid"


def test_a_removed_default_is_not_replaced(tmp_path: Path) -> None:
    store = _store(tmp_path, OLD + 'connection = "work"\n')
    problem = _used(store).problem
    assert problem is not None
    assert problem.error_code == "fault_connection_gone"


@pytest.mark.parametrize(
    ("chosen", "address"),
    [
        (ModelChoice(connection="work", model="m-9", origin="https://two.invalid"), "https://two.invalid/v1"),
        (ModelChoice(connection=MAIN, model="m-9", origin="https://one.invalid"), "https://one.invalid"),
    ],
)
def test_a_conversation_uses_its_connection_and_model(tmp_path: Path, chosen: ModelChoice, address: str) -> None:
    store = _store(tmp_path, OLD + "demo = true\n")
    store.save_connection(WORK)
    used = _used(store, chosen).settings
    assert (used.base_url, used.model, used.demo, used.connection) == (address, "m-9", False, chosen.connection)


def test_a_connection_that_leads_elsewhere_now_is_not_used(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.save_connection(WORK)
    for origin in ("https://other.invalid", "http://two.invalid", "https://two.invalid:8443"):
        used = _used(store, ModelChoice(connection="work", model="m", origin=origin, name="Work"))
        assert used.problem is not None
        assert used.problem.args_ == {"name": "Work"}


def test_a_connection_without_a_model_says_so(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.save_connection(Connection(id="work", name="Work", base_url="https://two.invalid", model=""))
    store.change({"connection": "work"})
    problem = _used(store).problem
    assert problem is not None
    assert (problem.error_code, problem.args_) == ("fault_no_model", {"name": "Work"})


def test_an_address_of_the_settings_without_a_model_says_so(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.change({"base_url": "127.0.0.1:8899", "model": ""})
    problem = _used(store).problem
    assert problem is not None
    assert (problem.error_code, problem.args_) == ("fault_no_model", {"name": "127.0.0.1:8899"})


def test_a_model_on_this_computer_for_one_conversation(tmp_path: Path) -> None:
    used = _used(_store(tmp_path), ModelChoice(connection=COMPUTER, model="qwen3-4b"))
    assert (used.settings.local_model, used.settings.connection) == ("qwen3-4b", COMPUTER)


def test_this_computer_without_a_model_is_no_address(tmp_path: Path) -> None:
    problem = _used(_store(tmp_path), ModelChoice(connection=COMPUTER, model="")).problem
    assert problem is not None
    assert problem.error_code == "fault_connection_gone"


def test_pet_toml_comes_between_conversation_and_default(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.save_connection(WORK)
    pet = tmp_path / "pet"
    pet.mkdir()
    (pet / "pet.toml").write_text('connection = "work"\n', encoding="utf-8")
    own = read_pet_settings(pet)
    settings, decided = own.over(store.current(), store.overridden())
    assert "connection" in decided
    assert model_in_use(settings, store.connections()[1:]).settings.model == "m-2"
    chosen = ModelChoice(connection=MAIN, model="m-1", origin="https://one.invalid")
    assert model_in_use(settings, store.connections()[1:], chosen).settings.base_url == "https://one.invalid"
    (pet / "pet.toml").write_text('connection = "computer"\nmodel = "tiny"\n', encoding="utf-8")
    settings, _ = read_pet_settings(pet).over(store.current(), [])
    assert settings.local_model == "tiny"
    assert settings.model == "m-1"


def test_the_environment_address_is_used_whatever_the_default(tmp_path: Path) -> None:
    store = _store(tmp_path, OLD + 'connection = "work"\n', {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"})
    assert _used(store).settings.base_url == "http://127.0.0.1:9"
    pet = tmp_path / "pet"
    pet.mkdir()
    (pet / "pet.toml").write_text('connection = "work"\n', encoding="utf-8")
    settings, _ = read_pet_settings(pet).over(store.current(), store.overridden())
    assert model_in_use(settings, store.connections()[1:]).settings.base_url == "http://127.0.0.1:9"


def test_a_renamed_and_a_removed_connection(tmp_path: Path) -> None:
    store = _store(tmp_path)
    store.save_connection(WORK)
    store.save_connection(Connection(id=MAIN, name="Home", base_url="https://one.invalid", model="m-1"))
    assert [each.title for each in store.connections()] == ["Home", "Work"]
    store.remove_connection("work")
    assert [each.id for each in store.connections()] == [MAIN]
    store.remove_connection(MAIN)
    assert store.current().base_url == Settings().base_url
    assert not store.main_is_written()
    assert store.current().price_input == 2.0


@pytest.mark.parametrize(
    "bad",
    [
        {"id": "Work"},
        {"id": "../x"},
        {"id": COMPUTER},
        {"base_url": "https://a:b@two.invalid"},
        {"base_url": "two invalid"},
        {"model": "a\nb"},
        {"name": "x" * 61},
    ],
)
def test_a_bad_connection_is_refused_and_nothing_written(tmp_path: Path, bad: dict[str, str]) -> None:
    store = _store(tmp_path)
    with pytest.raises(SettingsInvalid):
        store.save_connection(Connection(**{"id": "work", "base_url": "https://two.invalid", "model": "m", **bad}))  # type: ignore[arg-type]
    assert store.file.read_text(encoding="utf-8") == OLD


def test_a_bad_table_is_named_and_the_others_stay(tmp_path: Path) -> None:
    text = (
        OLD
        + '[connections.a]\nbase_url = 3\nmodel = "m"\n[connections.b]\nbase_url = "https://b.invalid"\nmodel = "m"\n'
    )
    store = _store(tmp_path, text)
    assert [each.id for each in store.connections()] == [MAIN, "b"]
    assert [problem.args_.get("setting") for problem in store.problems()] == ["connections.a: base_url"]


def test_only_so_many_are_kept(tmp_path: Path) -> None:
    store = _store(tmp_path)
    for count in range(MOST):
        store.save_connection(Connection(id=f"c{count}", base_url="https://two.invalid", model="m"))
    with pytest.raises(SettingsInvalid):
        store.save_connection(WORK)


def test_ids_are_made_of_names_and_differ() -> None:
    assert new_connection_id("My Work!", ()) == "my-work"
    assert new_connection_id("My Work!", ("my-work",)) == "my-work-2"
    assert new_connection_id("工作", ()) == "connection"
    assert new_connection_id("main", ()) == "main-2"


def test_keys_of_connections_have_the_origin_in_their_name() -> None:
    assert key_slot(MAIN, "https://two.invalid/v1") == "https://two.invalid"
    assert key_slot("work", "https://two.invalid/v1") == "https://two.invalid#work"
