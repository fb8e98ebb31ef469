"""What was pasted, or is in another program's file, as servers; keys, and what has to be allowed again."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from pet.cli.format import error_text
from pet.extras.mcp_servers.entries import (
    GivenServer,
    McpFailed,
    McpRefused,
    ServerEntries,
    make_given,
    read_servers,
    servers_of_programs,
)
from pet.i18n import LANGUAGES, Texts
from pet.paths import Home, find_home
from pet.settings.api_keys import KeyStore
from pet.settings.program_state import JsonState

KEY = "ghp_0123456789abcdef0123456789abcdef0123"
GIT = {"command": "uvx", "args": ["mcp-server-git"], "env": {"GIT_TOKEN": KEY}}
CLAUDE = json.dumps({"mcpServers": {"git": GIT}})
VS_CODE = """{
  // my servers
  "servers": {"git": {"type": "stdio", "command": "uvx", "args": ["mcp-server-git",],},},
}"""
CODEX = f"""[mcp_servers.git]
command = "uvx"
args = ["mcp-server-git"]
[mcp_servers.git.env]
GIT_TOKEN = "{KEY}"
"""
FRAGMENT = '"git": {"command": "uvx", "args": ["mcp-server-git"]},'
BARE = '{"command": "uvx", "args": ["mcp-server-git"]}'


@pytest.fixture
def entries(home: Home, tmp_path: Path) -> ServerEntries:
    return ServerEntries(JsonState(tmp_path / "servers.json"), KeyStore(home, {}))


def entries_of_file(folder: Path) -> ServerEntries:
    """Another program's, or another window's."""
    home = find_home(folder / "elsewhere")
    return ServerEntries(JsonState(folder / "servers.json"), KeyStore(home, {}))


@pytest.mark.parametrize("pasted", [CLAUDE, VS_CODE, CODEX, FRAGMENT, BARE])
def test_every_form_of_a_servers_page_is_read(pasted: str) -> None:
    (given,) = read_servers(pasted, "git")
    assert (given.entry.name, given.entry.command) == ("git", ("uvx", "mcp-server-git"))
    if "GIT_TOKEN" in pasted:
        assert given.keys == {"GIT_TOKEN": KEY} and given.entry.secrets == ("GIT_TOKEN",) and not given.entry.env


def test_an_address_keeps_its_headers_as_keys() -> None:
    pasted = {
        "mcpServers": {"web": {"url": "https://mcp.example.org/mcp", "headers": {"Authorization": "Bearer abc"}}}
    }
    (given,) = read_servers(json.dumps(pasted))
    assert given.entry.url == "https://mcp.example.org/mcp" and given.keys == {"Authorization": "Bearer abc"}


@pytest.mark.parametrize(
    ("pasted", "code"),
    [
        ("not json", "unreadable"),
        ("{}", "none"),
        ('{"mcpServers": {"x": {"type": "sse", "url": "https://example.org/sse"}}}', "sse"),
        ('{"mcpServers": {"x": {"url": "http://example.org/mcp"}}}', "plain"),
        ('{"mcpServers": {"x": {"url": "ftp://example.org"}}}', "address"),
        ('{"mcpServers": {"x": {"command": ""}}}', "no_command"),
        ('{"mcpServers": {"x": {"command": "rm\\u200b"}}}', "unseen"),
        ('{"mcpServers": {"x": {"command": "a", "env": {"API_KEY": "<your key>"}}}}', "key"),
        (json.dumps({"mcpServers": {"x": {"command": "a" * 5_000}}}), "too_long"),
    ],
)
def test_what_can_not_be_a_server_is_refused_in_words(pasted: str, code: str) -> None:
    with pytest.raises(McpRefused) as refused:
        read_servers(pasted)
    assert refused.value.problem == code


@pytest.mark.parametrize("part", ["/* ", '\\"', '"/*'])
def test_what_is_never_closed_is_read_once(part: str) -> None:
    with pytest.raises(McpRefused):
        read_servers('"' + part * 300_000)  # each opening read to the end again takes hours


def test_every_refusal_has_words(entries: ServerEntries) -> None:
    (given,) = read_servers(CLAUDE)
    gone = replace(entries.add(given, "session"), secrets=("OTHER_TOKEN",))
    with pytest.raises(McpFailed) as failed:
        entries.values(gone)
    with pytest.raises(McpRefused) as refused:
        make_given("git", ("a",), "", {"API_KEY": "<your key>"})
    for language in LANGUAGES:
        assert "OTHER_TOKEN" in error_text(Texts(language), failed.value)
        assert "API_KEY" in error_text(Texts(language), refused.value)


def test_keys_are_in_the_store_of_keys_and_not_in_the_file(entries: ServerEntries, tmp_path: Path) -> None:
    (given,) = read_servers(CLAUDE)
    entry = entries.add(given, "session")
    assert KEY not in (tmp_path / "servers.json").read_text()
    assert entries.values(entry) == {"GIT_TOKEN": KEY} and KEY not in repr(entries.list())
    entries.remove("git")
    assert entries.list() == []


def test_what_is_run_is_allowed_again_when_it_changes(entries: ServerEntries) -> None:
    entry = entries.add(make_given("git", ("uvx", "mcp-server-git"), "", {"LEVEL": "1"}), "session")
    assert not entry.is_allowed
    entries.change(entry.name, lambda now: replace(now, allowed=now.digest))
    assert entries.find("git").is_allowed
    for changed in (
        replace(entries.find("git"), command=("uvx", "mcp-server-git", "--all")),
        replace(entries.find("git"), env={"LEVEL": "2"}),
        replace(entries.find("git"), folder="/"),
        replace(entries.find("git"), command=(), url="https://example.org"),
    ):
        assert not changed.is_allowed


def test_a_file_that_was_broken_by_hand_is_left_alone(entries: ServerEntries, tmp_path: Path) -> None:
    given = make_given("git", ("a",), "", {"API_KEY": "x"})
    (tmp_path / "servers.json").write_text(broken := '{"time": {"command": ["uvx"]},,}')
    with pytest.raises(McpRefused) as refused:
        entries.add(given, "session")
    assert refused.value.problem == "damaged" and (tmp_path / "servers.json").read_text() == broken
    assert all("servers.json" in error_text(Texts(language), refused.value) for language in LANGUAGES)


@pytest.mark.parametrize("name", ["format", "damaged"])
def test_names_that_the_file_uses_itself_are_no_servers(name: str) -> None:
    with pytest.raises(McpRefused) as refused:
        make_given(name, ("a",), "", {})
    assert refused.value.problem == "reserved"


def test_two_servers_have_two_names(entries: ServerEntries) -> None:
    given = GivenServer(entry=make_given("git", ("a",), "", {}).entry)
    entries.add(given, "session")
    with pytest.raises(McpRefused):
        entries.add(replace(given, entry=replace(given.entry, name="GIT")), "session")


def test_the_files_of_other_programs_are_read(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / ".config"))
    monkeypatch.delenv("CODEX_HOME", raising=False)
    for folder in (".config/Claude", ".config/Code/User", ".codex", ".cursor"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / ".config" / "Claude" / "claude_desktop_config.json").write_text(CLAUDE)
    (tmp_path / ".config" / "Code" / "User" / "mcp.json").write_text(VS_CODE)
    (tmp_path / ".codex" / "config.toml").write_text(CODEX)
    (tmp_path / ".cursor" / "mcp.json").write_text("{broken")
    assert [(program, each.entry.name) for program, each in servers_of_programs()] == [
        ("Claude", "git"),
        ("Codex", "git"),
        ("VS Code", "git"),
    ]


def test_changes_made_in_two_places_are_both_kept(entries: ServerEntries, tmp_path: Path) -> None:
    """Each list was read before the other's click."""
    entries.add(make_given("git", ("a",), "", {}), "session")
    elsewhere = entries_of_file(tmp_path)
    one, other = entries.find("git"), elsewhere.find("git")
    entries.change(one.name, lambda now: replace(now, left_out=(*now.left_out, "push")))
    elsewhere.change(other.name, lambda now: replace(now, allowed=now.digest))
    assert (entries.find("git").left_out, entries.find("git").is_allowed) == (("push",), True)
    both = [
        threading.Thread(
            target=each.change, args=("git", lambda now, tool=tool: replace(now, always=(*now.always, tool)))
        )
        for tool in map(str, range(20))
        for each in (entries, elsewhere)
    ]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert len(entries.find("git").always) == len(both)


def test_a_server_that_was_removed_meanwhile_does_not_come_back(entries: ServerEntries, tmp_path: Path) -> None:
    entries.add(make_given("git", ("a",), "", {}), "session")
    entries_of_file(tmp_path).remove("git")
    with pytest.raises(McpFailed):
        entries.change("git", lambda now: replace(now, allowed=now.digest))
    assert entries.list() == []


@pytest.mark.parametrize(
    ("name", "is_key"),
    [("GIT_ASKPASS", False), ("SSH_AUTH_SOCK", False), ("KEY_FILE", False), ("API_KEY", True), ("PASSWORD", True)],
)
def test_a_variable_that_names_a_program_or_a_place_is_shown_with_its_value(name: str, is_key: bool) -> None:
    entry = make_given("git", ("a",), "", {name: "/tmp/x.sh"}).entry
    assert (entry.secrets, dict(entry.env)) == (((name,), {}) if is_key else ((), {name: "/tmp/x.sh"}))
