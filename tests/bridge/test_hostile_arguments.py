"""Every command of the table, with any arguments of its types, answers or refuses in words: never ``internal``.

A command that is added is tried too. With ``--nightly`` forty rounds, by day two.
"""

from __future__ import annotations

import os
import random
import types
import typing
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin

import pytest

from pet.app import Pet
from pet.ids import new_id
from pet.paths import find_home
from tests.engine.test_compaction import tell
from tests.support.clocks import DayClock
from tests.support.examples import at_night
from tests.support.files import write_files
from tests.support.models.scripted import ScriptedProvider, say
from tests.support.program.invoking import invoke
from ui.bindings import COMMANDS

ELSEWHERE = {
    *("quit", "erase_everything", "ask_permission"),  # end the program, or wait for the owner
    *("open_link", "open_folder", "take_screenshot", "set_login"),  # act on the desktop of whoever runs the tests
    *("find_servers", "test_connection", "list_models", "load_picture"),  # ask the network
    *("scan_local_models", "fetch_local_model", "use_local_model"),
}
TEXTS = (
    *(
        "",
        "x",
        "\u202e",
        "\n",
        "\t",
        "\ufeff",
        "🙂" * 300,
        "字" * 700,
        "a" * 5_000,
        "\x1b[31m",
        "{name}",
        "%s",
        "[",
        "(?P<x",
    ),
    *(
        "USER.md",
        "MEMORY.md",
        "SOUL.md",
        "memory/2026-11-20.md",
        "memory/../USER.md",
        "../../etc/passwd",
        "/etc/passwd",
    ),
    *(
        ".",
        "..",
        "~",
        "\\",
        "C:\\x",
        "NUL",
        "*",
        "#1",
        "-1",
        "null",
        "{}",
        '{"a":1}',
        "pet",
        "main",
        "claude-code",
        "x.png",
    ),
    *("2026-13-45", "tomorrow at nine", "https://x.invalid/?a=1", "http://127.0.0.1:9", "iVBORw0KGgo=", "AAAA"),
)
WHOLE = (0, 1, -1, 2, 3, 5, 50, 10**6, 2**31, 2**53 - 1, 1 - 2**53)
NUMBERS = (0.0, 1.0, -1.0, 0.5, 3.0, 1e308, -1e308, 1e-300)


class Arguments:
    """Random arguments by type. ``known``: ids that exist, named often."""

    def __init__(self, seed: int, known: list[str]) -> None:
        self.random = random.Random(seed)
        self.known = known

    def of(self, kind: Any) -> dict[str, object]:
        hints = typing.get_type_hints(kind)
        return {
            each.name: self.value(hints[each.name])
            for each in fields(kind)
            if each.default is each.default_factory is MISSING or self.random.random() > 0.4
        }

    def value(self, hint: Any) -> object:
        pick, origin, inner = self.random.choice, get_origin(hint), get_args(hint)
        match hint:
            case _ if hint is str:
                return pick((*TEXTS, *self.known))
            case _ if hint is bool:
                return pick((True, False))
            case _ if hint is int:
                return pick(WHOLE)
            case _ if hint is float:
                return pick(NUMBERS)
            case types.NoneType:
                return None
            case _ if origin is Literal:
                return pick(inner)
            case _ if origin in (Union, types.UnionType):
                return self.value(pick(inner))
            case _ if origin in (list, tuple):
                return [self.value(inner[0]) for _ in range(pick((0, 1, 1, 2, 3, 40)))]
            case _ if origin is dict:
                return {str(self.value(str)): self.value(inner[1]) for _ in range(pick((0, 1, 2, 20)))}
            case _ if isinstance(hint, type) and issubclass(hint, Enum):
                return pick([each.value for each in hint])
            case _ if is_dataclass(hint):
                return self.of(hint)
        raise AssertionError(f"no arguments of {hint}")


@pytest.mark.parametrize("seed", [1, 2])
def test_no_command_answers_internal_whatever_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    for name in list(os.environ):  # commands edit settings of other programs, wherever these look for them
        if name.endswith(("HOME", "PATH", "PROFILE", "APPDATA", "_DIR")):
            monkeypatch.setenv(name, str(tmp_path / "elsewhere"))
    monkeypatch.setenv("HOME", str(tmp_path / "elsewhere"))
    assert Path.home() == tmp_path / "elsewhere" or os.name == "nt"
    monkeypatch.setattr("pet.paths.downloads_folder", lambda: tmp_path / "saved")
    monkeypatch.setattr("platformdirs.user_pictures_path", lambda: tmp_path / "saved")
    provider = ScriptedProvider(*[say("Hello.")] * 2_000)
    app = Pet(find_home(tmp_path), environ={}, clock=DayClock(), provider=provider, channel="terminal")
    try:
        chat = app.conversations.create(memory=True)
        tell(chat, "hello")
        todo = "# Memory Log: 2026-11-20\n\n## [10:00:00] todo @2026-12-01\n\nwater the fern\n"
        write_files(app.store.root, {"MEMORY.md": "- tea\n- house\n", "memory/2026-11-20.md": todo})
        turn = chat.folded().turns[0].id
        arguments = Arguments(seed, [chat.id] * 9 + [turn] * 9 + [app.pet_id] * 4 + [new_id()])
        rows = [row for row in COMMANDS if row.name not in ELSEWHERE]
        for _ in range(20 if at_night() else 1):
            arguments.random.shuffle(rows)
            for row in rows:
                given = arguments.of(row.args)
                reply = invoke(app.commands, row.name, min(row.clients), **given)
                assert reply["ok"] or reply["error"]["code"] != "internal", (row.name, given, reply)
    finally:
        app.close()
