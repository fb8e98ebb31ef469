"""The command line as a person runs it, in a process of the warm program, its model on loopback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.program.warm_pet import warm_line
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer

_NOT_OURS = (
    "DISPLAY",
    "WAYLAND_DISPLAY",
    "QT_QPA_PLATFORM",
    "PET_ALLOW_ROOT",
    "EDITOR",
    "VISUAL",
    "LC_ALL",
    "LANGUAGE",
)
SECONDS = 120


@dataclass(frozen=True)
class PetCommand:
    """``pet --home ...`` with an English system and no display, unless a test says otherwise."""

    home: Path
    environ: dict[str, str] = field(default_factory=dict)

    @property
    def workspace(self) -> Path:
        return self.home / "data" / "pets" / "pet"

    def line(self, *arguments: str) -> list[str]:
        return warm_line("--home", str(self.home), *arguments)

    def process_line(self, *arguments: str) -> list[str]:
        """For a program that has to be a process of its own; the test says why."""
        return [sys.executable, "-m", "pet", "--home", str(self.home), *arguments]

    def environment(self, **more: str) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
        return {**inherited, "LANG": "C.UTF-8", **self.environ, **more}

    def start(self, *arguments: str, **environ: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self.line(*arguments),
            env=self.environment(**environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __call__(self, *arguments: str, typed: str | None = None, **environ: str) -> Ended:
        of_python = any(name.startswith("PYTHON") for name in environ)  # read where a process starts
        done = subprocess.run(
            self.process_line(*arguments) if of_python else self.line(*arguments),
            env=self.environment(**environ),
            input=(typed or "").encode(),
            capture_output=True,
            timeout=SECONDS,
            check=False,
        )
        ended = Ended(code=done.returncode, out=done.stdout.decode(), err=done.stderr.decode())
        assert "Traceback" not in ended.out + ended.err
        return ended

    def write(self, name: str, text: str) -> None:
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")

    def read(self, name: str) -> str:
        return (self.workspace / name).read_bytes().decode()


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def server() -> Iterator[ProtocolServer]:
    with ProtocolServer(default=stream("Hello.")) as server:
        yield server


@pytest.fixture
def pet(tmp_path: Path, server: ProtocolServer) -> PetCommand:
    return PetCommand(tmp_path / "home", {"ANTHROPIC_BASE_URL": server.url})
