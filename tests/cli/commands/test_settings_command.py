"""``pet settings``, the key, ``pet pause``."""

from __future__ import annotations

import json

from tests.cli.conftest import PetCommand
from tests.support.files import has_mode
from tests.support.servers.protocol_replies import whole
from tests.support.servers.protocol_server import ProtocolServer

KEY = "sk-test-0123456789-abcd"


def test_a_setting_is_changed_and_the_owners_comments_stay(pet: PetCommand) -> None:
    file = pet.home / "config" / "settings.toml"
    file.parent.mkdir(parents=True)
    file.write_text("# mine\nmax_tokens = 100  # few\n", encoding="utf-8")
    assert pet("settings", "max_tokens").out == "100\n"
    assert pet("settings", "max_tokens", "200").out == "200\n"
    assert pet("settings", "memory_default", "off").out == "off\n"
    assert file.read_text(encoding="utf-8").startswith("# mine\nmax_tokens = 200  # few\n")
    assert pet("settings", "price_input", "2.5").out == "2.5\n"
    assert pet("settings", "recall_threshold", "2").code == 1
    told = pet("settings", "--json").json
    assert (told["settings"]["max_tokens"], told["settings"]["memory_default"]) == (200, False)
    assert told["overridden"] == ["base_url"]


def test_a_value_that_does_not_fit_changes_nothing(pet: PetCommand) -> None:
    for name, value in (("max_tokens", "many"), ("memory_default", "maybe"), ("theme", "pink"), ("nothing", "1")):
        ended = pet("settings", name, value)
        assert (ended.code, ended.out) == (1, "") and name in ended.err
    assert not (pet.home / "config" / "settings.toml").exists()


def test_what_the_environment_decides_is_said(pet: PetCommand) -> None:
    ended = pet("settings", "model", "mine", PET_MODEL="theirs")
    assert (ended.code, ended.out) == (0, "theirs\n") and "no effect for now" in ended.err
    assert pet("settings", "model").out == "mine\n"


def test_one_of_two_quiet_hours_says_that_it_needs_the_other(pet: PetCommand) -> None:
    half = pet("settings", "quiet_from", "22:00")
    assert (half.code, half.out, half.err) == (0, "22:00\n", "Quiet hours need both times.\n")
    assert pet("settings", "theme", "dark").err == ""
    assert pet("settings", "quiet_until", "07:00").err == ""
    assert pet("settings", "quiet_from", "").err == "Quiet hours need both times.\n"
    assert pet("settings", "quiet_until", "").err == ""


def test_the_window_says_where_it_is_known_from_and_what_helps(pet: PetCommand, server: ProtocolServer) -> None:
    model = {"PET_MODEL": "qwen3:8b"}
    assert "context_window            0  (not known yet; 32,000 assumed)\n" in pet("settings", **model).out
    loaded = {"models": [{"name": "qwen3:8b", "context_length": 4_096}]}
    shown = {"model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40_960}}
    server.facts |= {"/api/ps": whole(json.dumps(loaded)), "/api/show": whole(json.dumps(shown))}
    for _ in range(5):  # on a slow machine its answer may come too late
        assert pet("chat", "--once", "Hi", **model).code == 0
        told = pet("settings", **model).out
        if "not known yet" not in told:
            break
    assert "context_window            0  (in use: 4,096, by the server)\n" in told
    assert "could take 40,960 tokens. In Ollama, set OLLAMA_CONTEXT_LENGTH=32768" in told
    hosted = pet("settings", ANTHROPIC_BASE_URL="https://api.anthropic.com", PET_MODEL="claude-haiku-5-5").out
    assert "context_window            0  (in use: 200,000, by the model's family)\n" in hosted


def test_a_key_is_kept_in_a_file_only_where_that_was_chosen(pet: PetCommand, server: ProtocolServer) -> None:
    refused = pet("settings", "key", typed=f"{KEY}\n")
    assert refused.code == 1 and "--keep file" in refused.err
    assert not (pet.home / "config" / "key").exists()
    kept = pet("settings", "key", "--keep", "file", typed=f"{KEY}\n")
    assert kept.code == 0 and "abcd" in kept.out and KEY not in kept.out + kept.err
    assert has_mode(pet.home / "config" / "key", 0o600)
    assert pet("chat", "--once", "Hi").code == 0
    assert KEY in server.messages[-1].headers["x-api-key"]
    told = pet("settings", "key", "--json").json
    assert (told["set"], told["source"], told["last4"]) == (True, "file", "abcd")
    assert pet("settings", "key", "--delete").code == 0
    assert not (pet.home / "config" / "key").exists()


def test_the_pause_holds_at_the_next_start(pet: PetCommand, server: ProtocolServer) -> None:
    pet.write("USER.md", "canary-8812\n")
    assert pet("pause", "--json").json == {"pet": "pet", "paused": True}
    paused = pet("chat", "--once", "Hi", "--memory", "on")
    assert paused.code == 0 and "paused" in paused.err
    assert b"canary-8812" not in server.messages[-1].body
    assert pet("pause", "off").code == 0
    assert pet("chat", "--once", "Hi", "--memory", "on").code == 0
    assert b"canary-8812" in server.messages[-1].body
