"""The MCP servers in the files of other programs on this computer, which are only read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from pet.extras.mcp_servers.entries import GivenServer, readable_servers
from pet.untrusted.regular_files import read_regular

_MOST = 8 * 1024 * 1024  # bytes; Claude Code's file has more than servers


def servers_of_programs() -> list[tuple[str, GivenServer]]:
    """Return the servers with the name of the program that has them, each program's own order; what can't be read is
    left out."""
    return [(program, each) for program, file in _files() for each in _servers_in(file)]


def _servers_in(file: Path) -> Iterator[GivenServer]:
    with suppress(OSError, UnicodeDecodeError):
        yield from readable_servers(read_regular(file, _MOST).decode("utf-8-sig"))


def _files() -> Iterator[tuple[str, Path]]:
    home = Path.home()
    if sys.platform == "win32":
        programs = Path(os.environ.get("APPDATA", home / "AppData" / "Roaming"))
    elif sys.platform == "darwin":
        programs = home / "Library" / "Application Support"
    else:
        programs = Path(os.environ.get("XDG_CONFIG_HOME", home / ".config"))
    yield "Claude", programs / "Claude" / "claude_desktop_config.json"
    yield "Claude Code", home / ".claude.json"
    yield "Codex", Path(os.environ.get("CODEX_HOME", home / ".codex")) / "config.toml"
    yield "Cursor", home / ".cursor" / "mcp.json"
    yield "VS Code", programs / "Code" / "User" / "mcp.json"
