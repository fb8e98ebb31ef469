"""The grammar of the command line."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pet.access import MemoryMode
from pet.cli.arguments import (
    EVERYWHERE,
    Given,
    UsageProblem,
    commands,
    help_text,
    named_home,
    read_arguments,
)
from pet.cli.main import run
from pet.i18n import LANGUAGES, Language, Texts
from pet.prompt.build import MODES


def problem(*arguments: str) -> str:
    with pytest.raises(UsageProblem) as raised:
        read_arguments(arguments)
    return raised.value.key.removeprefix("cli.usage.")


def test_a_bare_pet_opens_the_pet() -> None:
    assert vars(read_arguments([])) == {"command": ""}
    assert named_home([]) is None


def test_choices_are_the_memory_modes_and_the_prompt_modes() -> None:
    choices = {option.name: option.choices for option in commands()["prompt"].options}
    assert choices["--memory"] == tuple(MemoryMode)
    assert choices["--mode"] == MODES


def test_the_home_is_found_before_anything_else_is_understood() -> None:
    assert named_home(["--home", "here", "bogus"]) == "here"
    assert named_home(["bogus", "--home=here"]) == "here"
    assert named_home(["chat", "--home"]) is None


def test_options_of_every_command_stand_before_or_after_it() -> None:
    before = read_arguments(["--home", "here", "chat", "--memory", "off"])
    after = read_arguments(["chat", "--memory=off", "--home=here"])
    assert vars(before) == vars(after)
    assert before.memory is MemoryMode.OFF


def test_a_message_may_begin_with_a_hyphen_or_look_like_a_command() -> None:
    assert read_arguments(["chat", "--once", "- milk"]).once == "- milk"
    assert read_arguments(["chat", "--once", "-5"]).once == "-5"
    assert read_arguments(["chat", "--once=--memory"]).once == "--memory"
    assert read_arguments(["chat", "--once", "doctor"]).once == "doctor"
    assert read_arguments(["--home", "chat", "doctor"]).command == "doctor"


def test_options_stand_between_the_words_of_an_action() -> None:
    for words in (["--json", "create", "Momo"], ["create", "--json", "Momo"], ["create", "Momo", "--json"]):
        given = read_arguments(["pets", *words])
        assert (given.command, given.action, given.name, given.json) == ("pets", "create", "Momo", True)
    given = read_arguments(["pets", "rename", "one", "--json", "Momo"])
    assert (given.id, given.name) == ("one", "Momo")


def test_the_former_name_of_a_command_still_works() -> None:
    assert vars(read_arguments(["mind", "use", "tiny"])) == vars(read_arguments(["model", "use", "tiny"]))


def test_words_keep_their_places() -> None:
    given = read_arguments(["restore", "USER.md", "abc"])
    assert (given.file, given.version) == ("USER.md", "abc")
    assert read_arguments(["settings"]).name is None
    given = read_arguments(["settings", "--", "model", "-x"])
    assert (given.name, given.value) == ("model", "-x")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["fly"], "unknown_command"),
        (["histroy", "USER.md"], "near_command"),
        (["chat", "--fly"], "unknown_option"),
        (["--once", "hello"], "option_of"),
        (["chat", "--once"], "needs_value"),
        (["chat", "--once", "--yes"], "needs_value"),
        (["chat", "--memory"], "not_a_choice"),
        (["pets", "dance"], "not_a_choice"),
        (["pets", "list", "--yes"], "option_of"),
        (["chat", "--once", " "], "empty_text"),
        (["search", "x", "-k", "-1"], "count"),
        (["--home"], "needs_value"),
        (["export", "--all", "-"], "together"),
        (["fly", "--home"], "needs_value"),
        (["--once=hello", "chat"], "option_of"),
        (["pets", "--yes", "delete", "x"], "option_of"),
        (["chat", "--yes=1"], "takes_no_value"),
        (["chat", "--memory", "maybe"], "not_a_choice"),
        (["chat", "--yes", "--no"], "together"),
        (["chat", "--temporary", "--conversation", "x"], "together"),
        (["doctor", "--json", "--json"], "twice"),
        (["restore", "USER.md"], "missing_word"),
        (["pets", "list", "a", "b", "c"], "too_many"),
        ([""], "unknown_command"),
    ],
)
def test_invalid_arguments_have_distinct_errors(arguments: list[str], expected: str) -> None:
    assert problem(*arguments) == expected


def test_help_and_version_win_over_what_is_missing() -> None:
    assert read_arguments(["restore", "--help"]).help
    assert read_arguments(["chat", "-h", "--fly"]).command == "chat"
    assert read_arguments(["-V"]).program_version
    assert read_arguments(["--once", "--help"]).help


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_option_is_explained_in_the_help_of_its_command(language: Language) -> None:
    texts = Texts(language)
    overview = help_text(Given(), texts)
    assert all(option.name in overview for option in EVERYWHERE)
    for name, command in commands().items():
        assert name in overview
        for action, level in [("", command), *command.actions.items()]:
            shown = help_text(read_arguments([name, *filter(None, [action]), "--help"]), texts)
            assert f"pet {name} {action}".strip() in shown
            assert all(f"{option.shown} " in shown for option in (*command.options, *level.options))


def test_an_unknown_command_is_named_with_the_way_to_the_help(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert run(["--home", str(tmp_path), "memory"], None) == 2  # type: ignore[arg-type]  # opens no desktop
    assert capsys.readouterr().err.splitlines() == ["There is no command “memory”.", "More: pet --help"]


@pytest.mark.parametrize("error", ["OSError(28, 'No space left on device', '/x')", "KeyError('a word of a diary')"])
def test_failure_before_the_log_is_open_prints_no_traceback(error: str) -> None:
    script = f"""
import pet.cli.main as main
def fail(*words): raise {error}
main.read_arguments = fail
raise SystemExit(main.run(["pets"], None))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert "diary" not in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        ("30, 'Read-only file system'", "/x está protegido contra escritura o es de otro usuario."),
        ("28, 'No space left on device'", "El disco está lleno (/x)."),
        ("5, 'Input/output error'", "No se puede usar /x (Input/output error)."),
    ],
)
def test_a_home_that_cannot_be_written_is_said_in_the_owners_language(error: str, said: str) -> None:
    script = f"""
import pet.cli.main as main
def fail(*words): raise OSError({error}, '/x')
main.read_arguments = fail
raise SystemExit(main.run(["pets"], None))
"""
    environ = os.environ | {"LANGUAGE": "", "LC_ALL": "es_ES.UTF-8", "LANG": "es_ES.UTF-8"}
    command = [sys.executable, "-X", "utf8", "-c", script]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", env=environ, check=False)
    assert done.returncode == 1
    assert said in done.stderr
