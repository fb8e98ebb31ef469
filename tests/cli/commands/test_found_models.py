"""Without a key, the terminal names the models that run or lie here, each with its command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.cli.conftest import PetCommand
from tests.support.models.gguf_bytes import chat_model, gguf
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer


@pytest.fixture
def ollama() -> Iterator[ProtocolServer]:
    with ProtocolServer(default=stream("Hello."), models=("nomic-embed-text", "qwen3:8b")) as server:
        yield server


@pytest.fixture
def bare(tmp_path: Path, ollama: ProtocolServer) -> PetCommand:
    """An owner who has chosen nothing, with Ollama and a file of LM Studio."""
    owner = tmp_path / "owner"
    file = owner / ".lmstudio" / "models" / "pub" / "repo" / "mine.gguf"
    file.parent.mkdir(parents=True)
    with file.open("wb") as opened:
        opened.write(gguf(chat_model()))
        opened.truncate(400_000_000)
    return PetCommand(tmp_path / "home", {"HOME": str(owner), "OLLAMA_HOST": urlsplit(ollama.url).netloc})


@pytest.mark.parametrize("command", [("chat", "--once", "Hi"), ("connection",), ("doctor",)])
def test_terminal_names_what_runs_and_lies_here(bare: PetCommand, command: tuple[str, ...]) -> None:
    ended = bare(*command)
    said = ended.out + ended.err
    for way in (
        "Ollama runs here with qwen3:8b: pet connection add ollama",
        "pet model use file:",
        "mine.gguf",
        "pet settings key",
        "pet settings demo on",
    ):
        assert way in said, way
    assert said.index("Ollama runs") < said.index("pet model use") < said.index("pet settings demo")


def test_named_server_is_added_and_used(bare: PetCommand, ollama: ProtocolServer) -> None:
    added = bare("connection", "add", "Ollama")
    assert (added.code, added.out) == (0, "Your pets now use qwen3:8b at Ollama.\n")
    assert bare("chat", "--once", "Hi", "--memory", "off").out == "Hello.\n"
    assert ollama.messages[-1].json["model"] == "qwen3:8b"
    assert "runs here" not in bare("connection").out


def test_server_that_does_not_run_is_not_added(bare: PetCommand) -> None:
    refused = bare("connection", "add", "ollama", OLLAMA_HOST="127.0.0.1:9")
    assert (refused.code, refused.out) == (1, "")
    assert "does not run here" in refused.err
    assert bare("connection", "--json").json["connections"][0]["id"] == "main"


def test_named_demo_answers(bare: PetCommand) -> None:
    assert bare("settings", "demo", "on").code == 0
    assert bare("chat", "--once", "Hi", "--memory", "off").code == 0
