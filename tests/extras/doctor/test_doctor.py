"""``pet doctor``, and ``pet`` where there is no display."""

from __future__ import annotations

import subprocess
import sys

import pytest

from pet import __version__
from pet.extras.doctor.cli import DesktopCheck, _of_desktop
from pet.i18n import LANGUAGES, Language, Texts
from tests.cli.conftest import SECONDS, Ended, PetCommand
from tests.support.files import write_files

KEY = "sk-test-0123456789-abcd"


def codes(ended: Ended) -> set[str]:
    return {problem["code"] for problem in ended.json["problems"]}


# Of this checkout and machine rather than of the home: whether the pages are built and the web view is installed.
OF_THE_MACHINE = {"pages_missing", "no_webview"}


def test_it_tells_what_is_where_and_makes_nothing(pet: PetCommand) -> None:
    ended = pet("doctor", "--json")
    told = ended.json
    assert told.keys() >= {"version", "home", "pet", "workspace", "backend", "problems"}
    assert (told["home"], told["pet"], told["workspace"]) == (str(pet.home), "pet", str(pet.workspace))
    assert codes(ended) <= OF_THE_MACHINE
    assert ended.code == int(bool(told["problems"]))
    assert not told["display"] and told["running"] is None
    assert "no_display" in {note["code"] for note in told["notes"]}
    assert not (pet.home / "data").exists()


def test_a_broken_file_is_a_problem(pet: PetCommand) -> None:
    pet("chat", "--once", "Hi")
    (pet.workspace / "USER.md").write_bytes("你好".encode("utf-16"))
    (pet.workspace / "memory").mkdir()
    (pet.workspace / "memory" / "2026-11-20.md").write_bytes(b"\0")
    ended = pet("doctor", "--json")
    assert ended.code == 1
    texts = [problem["text"] for problem in ended.json["problems"] if problem["code"] == "file_not_utf8"]
    assert len(texts) == 2 and "USER.md" in texts[0] and "memory/2026-11-20.md" in texts[1]
    assert "USER.md" in pet("doctor").out


def test_what_lies_among_the_notes_and_is_none_is_noted(pet: PetCommand) -> None:
    pet("chat", "--once", "Hi")
    write_files(
        pet.workspace,
        {
            "memory/projects.md": "- fine\n",
            "memory/.dreams/x.md": "x\n",
            "memory/people/big.md": "x" * (1 << 20) + "x",
            "memory/people/gbk.md": "你好".encode("gbk"),
            **{f"memory/con/{n}.md": "x\n" for n in range(3)},
            **{f"memory/x{n}:x.md": "x\n" for n in range(7)},
            "Memory.md": "- misspelt\n",
            "DREAMS.md": "x\n",
        },
    )
    (pet.workspace / "memory" / "out").symlink_to(pet.home)
    (pet.workspace / "memory" / "out.md").symlink_to(pet.home / "x.md")
    ended = pet("doctor", "--json")
    assert codes(ended) <= OF_THE_MACHINE
    notes = [(note["code"], note["text"]) for note in ended.json["notes"]]
    for code, file in (
        ("file_too_large", "memory/people/big.md"),
        ("file_not_utf8", "memory/people/gbk.md"),
        ("file_link", "memory/out.md"),
        ("left_hidden", "memory/.dreams"),
        ("left_link", "memory/out"),
        ("left_name", "memory/con"),
        ("left_spelling", "Memory.md"),
        ("left_beside", "DREAMS.md"),
    ):
        assert any(each == code and text.startswith(file) for each, text in notes), (code, file, notes)
    assert sum(code == "left_name" for code, _ in notes) == 6  # five and how many more
    assert "MEMORY.md" in next(text for code, text in notes if code == "left_spelling")
    assert not any("projects.md" in text for _, text in notes)


def test_settings_that_can_not_be_used_are_problems(pet: PetCommand) -> None:
    (pet.home / "config").mkdir(parents=True)
    (pet.home / "config" / "settings.toml").write_text('max_tokens = "many"\nlanguage = "zh"\n', encoding="utf-8")
    pet.write("pet.toml", 'memory = "perhaps"\n')
    ended = pet("doctor", "--json")
    assert codes(ended) - OF_THE_MACHINE == {"settings_not_a_number", "settings_not_true_or_false"}
    assert "max_tokens" in ended.out and "pet.toml" in ended.out


@pytest.mark.parametrize("file", ["settings.toml", "pet.toml"])
def test_a_setting_of_too_many_dots_is_a_problem_with_its_line(pet: PetCommand, file: str) -> None:
    pet("settings")
    folder = pet.home / "config" if file == "settings.toml" else pet.workspace
    folder.mkdir(parents=True, exist_ok=True)
    (folder / file).write_text('# mine\nlanguage = "en"\n' + ".".join("a" * 24_000) + " = 1\n", encoding="utf-8")
    for command in ("doctor", "settings"):
        ended = pet(command)
        assert f"Line 3 of {file}" in ended.out + ended.err
        assert "Traceback" not in ended.err
    assert "settings_file_broken" in codes(pet("doctor", "--json"))


def test_key_is_never_printed(pet: PetCommand) -> None:
    assert "no_key" in codes(pet("doctor", "--json", ANTHROPIC_BASE_URL=""))
    elsewhere = pet("doctor", "--json", ANTHROPIC_BASE_URL="https://model.invalid")
    assert "no_key" not in codes(elsewhere) and "no_key" in {note["code"] for note in elsewhere.json["notes"]}
    with_key = pet("doctor", "--json", ANTHROPIC_BASE_URL="https://model.invalid", ANTHROPIC_API_KEY=KEY)
    assert "no_key" not in codes(with_key)
    assert with_key.json["key"]["source"] == "environment" and with_key.json["key"]["last4"] == "abcd"
    assert KEY not in with_key.out + with_key.err


def test_the_demo_needs_no_key_and_names_no_server(pet: PetCommand) -> None:
    assert pet("settings", "demo", "on", ANTHROPIC_BASE_URL="").code == 0
    seen = pet("doctor", ANTHROPIC_BASE_URL="")
    assert "Model: Demo\nHost: this computer\n" in seen.out
    assert "no_key" not in codes(pet("doctor", "--json", ANTHROPIC_BASE_URL=""))
    said = pet("chat", typed="/model\n", ANTHROPIC_BASE_URL="")
    assert "This conversation uses the default: Demo at this computer." in said.out
    assert pet("connection", ANTHROPIC_BASE_URL="").out == "* Demo (this computer)\n"


def test_a_locked_keyring_is_to_be_unlocked_and_not_without_a_key(pet: PetCommand) -> None:
    locked = {"PYTHON_KEYRING_BACKEND": "tests.support.program.locked_keyring.Locked", "ANTHROPIC_BASE_URL": ""}
    ended = pet("doctor", "--json", **locked)
    assert "key_store_locked" in codes(ended) and "no_key" not in codes(ended)
    assert ended.json["key"]["locked"]
    for command in (("doctor",), ("chat", "--once", "Hi")):
        ended = pet(*command, **locked)
        assert ended.code == 1
        assert "keyring is locked" in ended.out + ended.err


def test_plain_http_to_another_machine_is_noted(pet: PetCommand) -> None:
    ended = pet("doctor", "--json", ANTHROPIC_BASE_URL="http://192.0.2.1:8000", ANTHROPIC_API_KEY=KEY)
    assert "plain_http" in {note["code"] for note in ended.json["notes"]}
    assert ended.json["host"] == "192.0.2.1:8000"


def test_a_display_that_does_not_answer_is_a_problem(pet: PetCommand) -> None:
    assert "no_display" in codes(pet("doctor", "--json", DISPLAY=":4711"))
    assert "no_xwayland" in codes(pet("doctor", "--json", WAYLAND_DISPLAY="wayland-9"))


@pytest.mark.parametrize(("language", "word"), [("C.UTF-8", "pet chat"), ("zh_CN.UTF-8", "没有屏幕")])
def test_without_a_display_pet_says_so_and_names_the_terminal_chat(pet: PetCommand, language: str, word: str) -> None:
    ended = pet(LANG=language)
    assert (ended.code, ended.out) == (1, "")
    assert word in ended.err and "pet chat" in ended.err


def test_pet_alone_is_enough(pet: PetCommand) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "pet"],  # the start as a person has it
        env=pet.environment(PET_HOME=str(pet.home)),
        capture_output=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode == 1
    assert "pet chat" in ended.stderr.decode() and "Traceback" not in ended.stderr.decode()


def test_the_language_of_the_settings_wins_over_the_systems(pet: PetCommand) -> None:
    assert pet("settings", "language", "zh").code == 0
    assert "退出码" in pet("--help").out
    assert "没有“fly”这个命令" in pet("fly").err


def test_a_home_that_can_not_be_used_is_said_without_a_traceback(pet: PetCommand) -> None:
    pet.home.write_text("a file, not a folder", encoding="utf-8")
    ended = pet("chat", "--once", "Hi")
    assert (ended.code, ended.out) == (1, "")
    assert str(pet.home) in ended.err and "--home" in ended.err
    assert "not_writable" in codes(pet("doctor", "--json"))


def test_a_reader_that_has_gone_is_no_failure_to_speak_of(pet: PetCommand) -> None:
    process = pet.start("prompt")
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.wait(SECONDS) == 1
    with process.stderr as errors:
        assert errors.read() == b""


def test_version_is_printed_and_nothing_is_made(pet: PetCommand) -> None:
    ended = pet("--version")
    assert (ended.code, ended.out) == (0, f"Soulpet {__version__}\n")
    assert not pet.home.exists()


@pytest.mark.parametrize("language", LANGUAGES)
def test_wayland_and_the_portals_it_lacks_are_named(language: Language) -> None:
    state = DesktopCheck(
        backend="qt",
        display=True,
        has_session=True,
        why_not=None,
        webview_problem="",
        compositor=True,
        pages_missing=(),
        wayland=True,
        missing_portals=("shortcuts", "screenshot"),
    )
    found = list(_of_desktop(state, Texts(language)))
    assert [finding.code for finding in found] == ["wayland", "no_portal_shortcuts", "no_portal_screenshot"]
    assert not any(finding.problem for finding in found)
    assert len({finding.text for finding in found}) == 3
