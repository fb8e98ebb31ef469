"""Opt-in: published servers that need no network. ``MCP_SERVERS`` names a folder into which they were installed, with
``mcp-server-time`` and ``mcp-server-git`` in a virtual environment, and in node_modules those of
``@modelcontextprotocol``: server-filesystem, server-memory, server-everything.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.extras.mcp_servers.conftest import Begin, Talk, answer_all, call, yes
from tests.support.models.scripted import Scripted, calls, say

FOLDER = Path(os.environ.get("MCP_SERVERS", "/nowhere"))
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="MCP_SERVERS names no folder")


def answers(begin: Begin, command: tuple[str, ...], *script: Scripted) -> Talk:
    talk = begin(*script, say("done"), command=command)
    answer_all(talk.core, yes())
    talk.send()
    assert talk.problems() == []
    return talk


def of_node(name: str, *arguments: str) -> tuple[str, ...]:
    return "node", str((FOLDER / "node_modules" / ".bin" / f"mcp-server-{name}").resolve()), *arguments


def test_the_time(begin: Begin) -> None:
    command = (str(FOLDER / "bin" / "mcp-server-time"), "--local-timezone", "Europe/Oslo")
    talk = answers(begin, command, calls(call("get_current_time", timezone="Asia/Tokyo")))
    assert "+09:00" in talk.results()[0].text
    talk.core.close()


def test_a_repository(begin: Begin, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "tea.txt").write_text("green\n")
    command = (str(FOLDER / "bin" / "mcp-server-git"), "--repository", str(tmp_path))
    talk = answers(begin, command, calls(call("git_status", repo_path=str(tmp_path))))
    assert "tea.txt" in talk.results()[0].text


def test_files(begin: Begin, tmp_path: Path) -> None:
    (tmp_path / "tea.txt").write_text("green\n")
    talk = answers(
        begin,
        of_node("filesystem", str(tmp_path)),
        calls(call("read_text_file", path=str(tmp_path / "tea.txt"))),
        calls(call("write_file", path=str(tmp_path / "new.txt"), content="black\n")),
    )
    assert "green" in str(talk.core.provider.requests) and (tmp_path / "new.txt").read_text() == "black\n"


def test_a_memory(begin: Begin) -> None:
    entity = {"name": "Lin", "entityType": "person", "observations": ["drinks tea"]}
    talk = answers(
        begin, of_node("memory"), calls(call("create_entities", entities=[entity])), calls(call("read_graph", "two"))
    )
    assert "drinks tea" in talk.results()[-1].text


def test_everything(begin: Begin) -> None:
    talk = answers(
        begin,
        of_node("everything"),
        calls(call("get-sum", a=2, b=40)),
        calls(call("get-tiny-image", "two")),
    )
    assert "42" in talk.results()[0].text
    assert "[A picture that can't be shown" in talk.results()[-1].text  # theirs is broken
