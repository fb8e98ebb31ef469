"""The search for servers on this machine, over real sockets."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from pet.extras.local_models.local_servers import USUAL_PORTS, find_local_servers
from tests.support.servers.protocol_server import ProtocolServer


def port_of(server: ProtocolServer) -> int:
    port = urlsplit(server.url).port
    assert port
    return port


@contextmanager
def silent() -> Iterator[int]:
    """A port on which nobody listens, kept from others meanwhile."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield int(held.getsockname()[1])


def test_a_server_is_found_with_its_models_and_gets_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-secret-000000")
    with silent() as nobody, ProtocolServer(models=("qwen3", "gemma")) as server:
        found = asyncio.run(find_local_servers({nobody: "Nobody", port_of(server): "Ollama"}))
        assert [(each.name, each.base_url, each.models) for each in found] == [
            ("Ollama", f"http://127.0.0.1:{port_of(server)}", ("qwen3", "gemma"))
        ]
        assert all(b"sk-secret" not in repr(asked.headers).encode() for asked in server.requests)
        assert [asked.route for asked in server.requests] == ["/v1/models"]


def test_models_that_do_not_talk_are_not_offered() -> None:
    silent: tuple[str, ...] = (
        "nomic-embed-text:latest",
        "text-embedding-3-small",
        "bge-m3",
        "intfloat/e5-large",
        "all-minilm:33m",
    )
    silent += ("whisper-1", "tts-1-hd", "dall-e-3", "qwen3-reranker", "omni-moderation-latest", "gpt-image-1")
    talking = ("qwen3:8b", "gpt-4.1", "claude-haiku-5-5", "gemma-3n-e4b", "phi4", "clipper-7b")
    with ProtocolServer(models=(*silent, *talking)) as server, ProtocolServer(models=silent) as other:
        servers = asyncio.run(find_local_servers({port_of(server): "Ollama", port_of(other): "vLLM"}))
    assert [(each.name, each.models) for each in servers] == [("Ollama", talking)]


def test_model_for_conversation_is_proposed_first() -> None:
    with ProtocolServer(models=("qwen2.5-coder:7b", "llama-guard3", "gemma3:4b", "qwen3:8b")) as server:
        (found,) = asyncio.run(find_local_servers({port_of(server): "Ollama"}))
    assert found.models == ("gemma3:4b", "qwen3:8b", "qwen2.5-coder:7b", "llama-guard3")


def test_what_names_no_models_is_not_listed() -> None:
    with ProtocolServer(models=()) as empty:
        assert asyncio.run(find_local_servers({port_of(empty): "llama.cpp"})) == ()


def test_another_program_on_such_a_port_is_not_a_model_server() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]

        async def look() -> object:
            finding = asyncio.create_task(find_local_servers({port: "vLLM"}))
            loop = asyncio.get_running_loop()
            for _ in range(2):  # the knock, then the question
                connection, _address = await loop.run_in_executor(None, listener.accept)
                connection.close()
            return await finding

        listener.settimeout(20)
        assert asyncio.run(look()) == ()


def test_the_usual_servers_are_asked() -> None:
    assert sorted(USUAL_PORTS) == [1234, 8000, 8080, 11434, 12434]


def test_docker_model_runner_is_found_under_its_own_path() -> None:
    with ProtocolServer(models=("ai/qwen3",)) as server:
        (found,) = asyncio.run(find_local_servers({port_of(server): "Docker Model Runner"}))
        assert found.base_url == f"http://127.0.0.1:{port_of(server)}/engines/v1"
        assert [asked.route for asked in server.requests] == ["/engines/v1/models"]
