"""Records a home as one version of the program writes it: ``python -m tests.formats.record NAME [--code CHECKOUT]``.

The program of that checkout runs as a process of its own and talks to a server on loopback: two turns with memory, of
which one changes USER.md, one turn without memory, a rename and a pause. Run it once for each released version, and
commit ``homes/NAME``; what a version has written is never recorded again.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.support.servers.protocol_replies import Call, Thinking, stream
from tests.support.servers.protocol_server import ProtocolServer

HOMES = Path(__file__).parent / "homes"
ADDRESS = "http://127.0.0.1:9"
"""Stands in the recorded settings for the server's address of that run."""
SETTINGS = """# my own remark stays
base_url = "{address}"
model = "test-model"
language = "en"
set_by_a_later_version = "kept"
"""
USER = "# About Anna\n\n## Preferences\n\n- green tea, never coffee\n"


def record(name: str, code: Path) -> Path:
    """Returns the home's folder. Raises CalledProcessError if the program fails."""
    home = HOMES / name
    shutil.rmtree(home, ignore_errors=True)
    replies = (
        stream("Hello. I am new here."),
        stream(Thinking("The owner's drink belongs into USER.md."), Call("read", {"path": "USER.md"})),
        stream(Call("write", {"path": "USER.md", "content": USER})),
        stream("Noted: green tea."),
        stream("I can not know that."),
    )
    with ProtocolServer(*replies) as server:
        settings = home / "config" / "settings.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text(SETTINGS.format(address=server.url), "utf-8")
        pet(code, home, "chat", "--memory", "on", "--once", "Good morning!", "--yes")
        pet(code, home, "chat", "--memory", "on", "--once", "I drink green tea, never coffee.", "--yes")
        pet(code, home, "chat", "--memory", "off", "--once", "Which drink do I love?")
        settings.write_text(SETTINGS.format(address=ADDRESS), "utf-8")
    for folder in ("cache", "log", "data/pets/pet/.history/displaced"):
        shutil.rmtree(home / folder, ignore_errors=True)
    for left in (*home.rglob("*.lock"), *home.rglob("*.lck")):
        left.unlink()
    return home


def pet(code: Path, home: Path, *arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(code), "ANTHROPIC_API_KEY": "sk-test", "LANG": "C.UTF-8"}
    command = (sys.executable, "-m", "pet", "--home", str(home), *arguments)
    subprocess.run(command, cwd=code, env=environment, check=True, stdin=subprocess.DEVNULL)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("name")
    parser.add_argument("--code", type=Path, default=Path(__file__).resolve().parents[2])
    given = parser.parse_args()
    print(record(given.name, given.code.resolve()))


if __name__ == "__main__":
    main()
