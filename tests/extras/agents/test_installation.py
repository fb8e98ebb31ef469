"""The server's entry in other programs' settings files: every other byte stays."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pet.extras.agents.installation import (
    AgentFileRefused,
    AgentProgram,
    HookProgram,
    find_program,
    hook_command,
    install,
    install_hooks,
    kept_original,
    programs,
    remove_hooks,
    server_command,
    uninstall,
)
from pet.paths import find_home
from tests.support.files import make_pipe, write_files

COMMAND = ["/opt/pet dir/python", "-m", "pet", "mcp"]
JSONS = [
    "{}",
    "{\n}\n",
    '{"mcpServers": {}}',
    '{\n  "mcpServers": {\n  }\n}\n',
    '{\r\n\t"a": [1, {"mcpServers": 5}],\r\n\t"mcpServers": {\r\n\t\t"other": {"command": "x}\\"{"}\r\n\t}\r\n}',
    '\ufeff{"z": "\u4f60", "mcpServers" : {"b": {}} , "c": null}\n\n',
    '{"projects": {"~/src": {"mcpServers": {"soulpet2": {}}}}}',
]
TOMLS = ["", "# mine\nmodel = 'x'", "[mcp_servers.other]\ncommand = 'y'\n", 'a = 1\r\n[b]\r\nc = "\u4f60"\r\n']


@contextmanager
def left_alone(problem: str) -> Iterator[None]:
    with pytest.raises(AgentFileRefused) as refused:
        yield
    assert refused.value.problem == problem


def program(folder: Path, suffix: str = ".json") -> AgentProgram:
    key = "mcp_servers" if suffix == ".toml" else "mcpServers"
    return AgentProgram("codex" if suffix == ".toml" else "cursor", "x", key, folder / f"settings{suffix}")


@pytest.mark.parametrize(
    ("suffix", "text"), [(".json", text) for text in JSONS] + [(".toml", text) for text in TOMLS]
)
def test_install_and_remove_leave_every_other_byte(tmp_path: Path, suffix: str, text: str) -> None:
    client = program(tmp_path, suffix)
    client.file.write_bytes(text.encode())
    install(client, COMMAND)
    assert client.is_installed()
    after = client.file.read_bytes()
    install(client, COMMAND)
    assert client.file.read_bytes() == after
    assert kept_original(client.file).read_bytes() == text.encode()
    uninstall(client)
    assert client.file.read_bytes() == text.encode()
    assert not client.is_installed()
    assert [each.name for each in tmp_path.iterdir()] == [client.file.name]


@pytest.mark.parametrize("suffix", [".json", ".toml"])
def test_a_file_that_was_not_there_is_gone_after_take_out(tmp_path: Path, suffix: str) -> None:
    client = program(tmp_path, suffix)
    install(client, COMMAND)
    uninstall(client)
    assert list(tmp_path.iterdir()) == []


def test_a_comment_of_the_owners_stays_where_the_pet_made_the_file(tmp_path: Path) -> None:
    for suffix, comment in ((".toml", "# mine\n"), (".json", "// mine\n")):
        client = program(tmp_path, suffix)
        install(client, COMMAND)
        client.file.write_text(comment + client.file.read_text())
        uninstall(client)
        assert comment in client.file.read_text()


def test_a_file_that_its_program_began_meanwhile_stays(tmp_path: Path) -> None:
    client = program(tmp_path)
    install(client, COMMAND)
    data = json.loads(client.file.read_text())
    client.file.write_text(json.dumps({**data, "model": "opus"}))
    uninstall(client)
    assert json.loads(client.file.read_text()) == {"model": "opus"}


@pytest.mark.parametrize(
    ("suffix", "before", "meanwhile"),
    [(".toml", 'a = "x  y"\n', 'a = "x y"\n'), (".json", '{"a": 1, "b": 2}', '{"b": 2, "a": 1}')],
)
def test_what_the_owner_changed_meanwhile_stays(tmp_path: Path, suffix: str, before: str, meanwhile: str) -> None:
    client = program(tmp_path, suffix)
    client.file.write_text(before)
    install(client, COMMAND)
    if suffix == ".toml":
        client.file.write_text(client.file.read_text().replace(before, meanwhile))
    else:
        entry = json.loads(client.file.read_text())["mcpServers"]
        client.file.write_text(json.dumps({**json.loads(meanwhile), "mcpServers": entry}))
    uninstall(client)
    assert client.file.read_text().rstrip() == meanwhile.rstrip()


def test_an_original_that_can_not_be_read_hinders_no_take_out(tmp_path: Path) -> None:
    client = program(tmp_path)
    client.file.write_text("{}")
    install(client, COMMAND)
    kept_original(client.file).write_bytes(b"\xff")
    uninstall(client)
    assert client.file.read_text() == "{}"
    assert not kept_original(client.file).exists()


def test_one_original_is_kept_for_entry_and_hooks_until_both_are_out(tmp_path: Path) -> None:
    client, text = program(tmp_path), '{"theme" : "dark"}'
    client.file.write_text(text)
    hooks = HookProgram("gemini", "x", client.file, ("Stop",))
    install(client, COMMAND)
    install_hooks(hooks, hook_command("x", tmp_path, None))
    assert kept_original(client.file).read_text() == text
    uninstall(client)
    assert kept_original(client.file).read_text() == text
    remove_hooks(hooks)
    assert client.file.read_text() == text
    assert not kept_original(client.file).exists()


COMMENTED = """// Zed settings
{
  // a {brace} and "quotes"
  "theme": "One", /* here: , */
  "url": "http://x/y", // not a comment inside
  "context_servers": {
    // mine
    "other": { "command": "y" },
  },
}
"""


def test_comments_and_trailing_commas_stay(tmp_path: Path) -> None:
    client = AgentProgram("zed", "Zed", "context_servers", tmp_path / "settings.json")
    client.file.write_text(COMMENTED)
    install(client, COMMAND)
    after = client.file.read_text()
    assert all(line in after for line in COMMENTED.splitlines())
    assert client.is_installed()
    client.file.write_text(after + "// more\n")
    uninstall(client)
    assert client.file.read_text() == COMMENTED + "// more\n"


@pytest.mark.parametrize(
    ("id_", "variable", "place"),
    [
        ("claude-code", "CLAUDE_CONFIG_DIR", ".claude.json"),
        ("codex", "CODEX_HOME", "config.toml"),
        ("gemini", "GEMINI_CLI_HOME", ".gemini/settings.json"),
        ("qwen", "QWEN_HOME", "settings.json"),
        ("continue", "CONTINUE_GLOBAL_DIR", "mcpServers/soulpet.json"),
        ("cline", "CLINE_DIR", "data/settings/cline_mcp_settings.json"),
        ("opencode", "XDG_CONFIG_HOME", "opencode/opencode.json"),
    ],
)
def test_a_folder_named_by_a_programs_own_variable_is_used(
    tmp_path: Path, id_: str, variable: str, place: str
) -> None:
    files = {str(each.id): each.file for each in programs({variable: str(tmp_path)})}
    assert files[id_] == tmp_path / place


def test_opencode_and_codex_get_entries_of_their_own_form(tmp_path: Path) -> None:
    opencode = AgentProgram("opencode", "opencode", "mcp", tmp_path / "opencode.json")
    install(opencode, COMMAND)
    assert json.loads(opencode.file.read_text()) == {"mcp": {"soulpet": {"type": "local", "command": COMMAND}}}
    assert install(opencode, COMMAND) == "present"
    assert (opencode.is_older([COMMAND]), opencode.is_older([EARLIER])) == (False, True)
    codex = program(tmp_path, ".toml")
    install(codex, COMMAND)
    entry = tomllib.loads(codex.file.read_text())["mcp_servers"]["soulpet"]
    assert entry == {"command": COMMAND[0], "args": COMMAND[1:], "startup_timeout_sec": 20}


values = st.recursive(
    st.none() | st.integers() | st.text(max_size=8),
    lambda inner: st.dictionaries(st.text(max_size=6), inner, max_size=3) | st.lists(inner, max_size=3),
    max_leaves=8,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=st.dictionaries(st.text(max_size=6), values, max_size=4),
    servers=st.none()
    | st.dictionaries(st.text(max_size=6).filter(lambda name: name != "soulpet"), values, max_size=3),
    indent=st.sampled_from([None, 2, "\t"]),
)
def test_any_json_comes_back_byte_for_byte(
    tmp_path: Path, data: dict[str, object], servers: dict[str, object] | None, indent: int | str | None
) -> None:
    client = program(tmp_path)
    data = {name: value for name, value in data.items() if name != "mcpServers"}
    whole = data if servers is None else {**data, "mcpServers": servers}
    text = json.dumps(whole, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")
    client.file.write_bytes(text)
    install(client, COMMAND)
    now = json.loads(client.file.read_bytes())
    assert now.pop("mcpServers") == {**(servers or {}), "soulpet": {"command": COMMAND[0], "args": COMMAND[1:]}}
    assert now == data
    uninstall(client)
    assert client.file.read_bytes() == text


@pytest.mark.parametrize("text", [b"{", b"[]", b'{"mcpServers": 5}', b"\xff\xfe{}", b"{}{}"])
def test_file_that_is_not_understood_is_left_alone(tmp_path: Path, text: bytes) -> None:
    client = program(tmp_path)
    client.file.write_bytes(text)
    with left_alone("broken"):
        install(client, COMMAND)
    with left_alone("broken"):
        uninstall(client)
    assert client.file.read_bytes() == text
    assert [each.name for each in tmp_path.iterdir()] == [client.file.name]


def test_link_and_pipe_are_left_alone(tmp_path: Path) -> None:
    client, target = program(tmp_path), tmp_path / "dotfiles.json"
    target.write_text("{}")
    client.file.symlink_to(target)
    with left_alone("link"):
        install(client, COMMAND)
    assert target.read_text() == "{}"
    client.file.unlink()
    if make_pipe(client.file):
        with left_alone("broken"):
            install(client, COMMAND)


def test_entry_changed_by_hand_is_left_to_the_owner(tmp_path: Path) -> None:
    client = program(tmp_path)
    client.file.write_text('{"mcpServers": {"soulpet": {"command": "mine"}}}')
    with left_alone("changed"):
        uninstall(client)
    assert "mine" in client.file.read_text()


EARLIER = ["/old checkout/python", "-P", "-m", "pet", "--home", "/x", "mcp"]


def test_an_entry_without_the_longer_wait_gets_it_and_the_owners_own_wait_stays(tmp_path: Path) -> None:
    codex = program(tmp_path, ".toml")
    install(codex, COMMAND)
    text = codex.file.read_text()
    codex.file.write_text(text.replace("startup_timeout_sec = 20\n", ""))
    assert install(codex, COMMAND) == "replaced"
    assert codex.file.read_text() == text
    codex.file.write_text(text.replace("= 20", "= 60"))
    assert install(codex, COMMAND) == "present"


@pytest.mark.parametrize(
    ("suffix", "text"), [(".json", text) for text in JSONS] + [(".toml", text) for text in TOMLS]
)
def test_earlier_entry_is_replaced_and_every_other_byte_stays(tmp_path: Path, suffix: str, text: str) -> None:
    once, twice = program(tmp_path, suffix), program(tmp_path / "twice", suffix)
    twice.file.parent.mkdir()
    for client, commands in ((once, [COMMAND]), (twice, [EARLIER, COMMAND])):
        client.file.write_bytes(text.encode())
        done = [install(client, command) for command in commands]
        assert done == ["installed", "replaced"][: len(commands)]
        assert install(client, COMMAND) == "present"
    assert twice.file.read_bytes() == once.file.read_bytes()
    assert (once.is_older([COMMAND]), once.is_older([EARLIER]), once.is_older([EARLIER, COMMAND])) == (
        False,
        True,
        False,
    )


def test_earlier_entry_is_replaced_after_the_program_wrote_its_file_anew(tmp_path: Path) -> None:
    client = program(tmp_path)
    install(client, EARLIER)
    data = json.loads(client.file.read_text())
    data["mcpServers"]["soulpet"]["type"] = "stdio"
    client.file.write_text(json.dumps({"model": "opus", **data}, indent=2))
    assert install(client, COMMAND) == "replaced"
    now = json.loads(client.file.read_text())
    assert now == {"model": "opus", "mcpServers": {"soulpet": {"command": COMMAND[0], "args": COMMAND[1:]}}}


def test_entry_of_the_owners_own_is_not_replaced(tmp_path: Path) -> None:
    client = program(tmp_path)
    client.file.write_text('{"mcpServers": {"soulpet": {"command": "mine", "env": {}}}}')
    with left_alone("changed"):
        install(client, COMMAND)
    assert "mine" in client.file.read_text()


@pytest.mark.parametrize("others", [{}, {"other": {"type": "stdio", "command": "x"}}])
@pytest.mark.parametrize("added", [{}, {"type": "stdio"}])
@pytest.mark.parametrize("indent", [2, "\t"])
def test_entry_is_removed_after_the_program_wrote_its_file_anew(
    tmp_path: Path, others: dict[str, object], added: dict[str, object], indent: int | str
) -> None:
    """As Claude Code 2.1.332 does with each change of its own."""
    client = program(tmp_path)
    client.file.write_text('{"model": "opus"}')
    install(client, COMMAND)
    data = json.loads(client.file.read_text())
    data["mcpServers"]["soulpet"] |= added
    data["mcpServers"] |= others
    data["started"] = {"mcpServers": 5}
    client.file.write_text(json.dumps(data, indent=indent))
    uninstall(client)
    left = {"mcpServers": others} if others else {}
    assert client.file.read_text() == json.dumps({**left, "model": "opus", "started": data["started"]}, indent=indent)


def test_every_program_has_a_file_below_the_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.delenv("APPDATA", raising=False)
    for each in programs():
        assert each.file.is_relative_to(tmp_path)
        assert (each.is_there, each.is_installed()) == (False, False)
        install(find_program(each.id), server_command(tmp_path, None))
        assert (each.is_there, each.is_installed()) == (True, True)


@pytest.mark.parametrize("words", [["mcp", "install", "codex"], ["agent", "install", "codex"]])
def test_the_entry_to_paste_is_printed_on_request_and_where_a_file_is_refused(
    tmp_path: Path, words: list[str]
) -> None:
    file = tmp_path / ".codex" / ("config.toml" if words[0] == "mcp" else "hooks.json")
    file.parent.mkdir()

    def run(*more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pet", "--home", str(tmp_path / "home"), *words, *more]
        environ = {**os.environ, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "LANG": "C.UTF-8"}
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environ)

    def entry(text: str) -> object:
        return tomllib.loads(text) if words[0] == "mcp" else json.loads(text)

    asked = run("--print")
    assert (asked.returncode, asked.stderr, file.exists()) == (0, "", False)
    assert entry(asked.stdout)
    file.write_text("{")
    refused = run()
    assert refused.returncode == 1
    assert "broken" in refused.stderr
    assert refused.stdout.startswith("To be pasted into")
    assert entry(refused.stdout.partition("\n\n")[2]) == entry(asked.stdout)


def test_entry_keeps_its_pet_and_names_none_that_is_not_there(tmp_path: Path) -> None:
    home, file = tmp_path / "home", tmp_path / ".codex" / "config.toml"
    for name in ("pet", "work"):
        write_files(find_home(home).workspace(name), {"SOUL.md": "# Soul\n"})

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "pet", "--home", str(home), *words]
        environ = {**os.environ, "HOME": str(tmp_path), "USERPROFILE": str(tmp_path), "LANG": "C.UTF-8"}
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environ)

    def arguments() -> list[str]:
        return list(tomllib.loads(file.read_text())["mcp_servers"]["soulpet"]["args"])

    gone = run("--pet", "gone", "mcp", "install", "codex")
    assert (gone.returncode, file.exists()) == (1, False)
    assert "There is no pet called “gone”" in gone.stderr
    assert "Added to" in run("--pet", "Work", "mcp", "install", "codex").stdout
    assert arguments()[-3:] == ["--pet", "work", "mcp"]
    assert "nothing was changed" in run("--pet", "work", "mcp", "install", "codex").stdout
    assert "Replaced" in run("mcp", "install", "codex").stdout
    assert "--pet" not in arguments()
    assert "Taken out" in run("mcp", "remove", "codex").stdout


def test_the_server_starts_in_a_folder_with_another_package_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "pet").mkdir()
    (tmp_path / "pet" / "__init__.py").touch()
    (tmp_path / "pet" / "__main__.py").write_text("print('not the pet')")
    *command, _mcp = server_command(tmp_path / "home", None)
    done = subprocess.run([*command, "--version"], cwd=tmp_path, capture_output=True, timeout=120, check=True)
    assert done.stdout.startswith(b"Soulpet")
