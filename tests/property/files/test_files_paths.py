"""Hostile paths are refused, all with the same error."""

from __future__ import annotations

import re
import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.access import FileKind
from pet.errors import PathRefused
from pet.workspace.file_names import kind_of, log_name, parse_name

GOOD = ["SOUL.md", "USER.md", "MEMORY.md", "IDENTITY.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"]
_LIST = r"""
. .. / ./MEMORY.md ../MEMORY.md memory/../MEMORY.md memory//2026-02-24.md /MEMORY.md //host/share/MEMORY.md
C:MEMORY.md C:\MEMORY.md \\host\share\MEMORY.md \\?\C:\MEMORY.md .\MEMORY.md memory\2026-02-24.md
MEMORY.md::$DATA MEMORY.md:stream MEMORY.md. MEMORY.md.. memory.md Memory.md MEMORY.MD ＭＥＭＯＲＹ.md MEMORY．md
MEMORY。md ＭEMORY.md MEMORУ.md МEMORY.md USΕR.md ՍSER.md MEMORY.md/ MEMORY.md/. MEMORY.md/.. %4dEMORY.md
%2e%2e/MEMORY.md %2e%2e%2fMEMORY.md MEMORY%2emd file:///MEMORY.md file:MEMORY.md ~/MEMORY.md $HOME/MEMORY.md
CON con.md NUL AUX.md COM1 LPT1.md memory/CON memory/2026-02-24.md/.. memory/2026-2-24.md memory/2026-02-30.md
memory/2026-13-01.md memory/0000-01-01.md memory/２０２６-02-24.md memory/٢٠٢٦-02-24.md memory/2026-02-24.MD
Memory/2026-02-24.md MEMORY/2026-02-24.md memory/2026-02-24 memory/2026-02-24.md.md memory/2026-02-24.md~
memory memory/ memory/x.md .history .history/SOUL.md.jsonl .history/objects/x conversations/x.jsonl pet.toml
skills/x/SKILL.md card.json SOUL.md,USER.md *.md MEMORY.m? [M]EMORY.md ${x} MEMO~1.MD memory∕2026-02-24.md
memory⁄2026-02-24.md memory／2026-02-24.md
"""
HOSTILE = _LIST.split()
HOSTILE += ["", " ", "MEMORY.md ", " MEMORY.md", "MEMORY.md\n", "\nMEMORY.md", "MEMORY.md\0", "MEMORY.md\0.txt"]
HOSTILE += [
    "MEM\u200bORY.md",
    "MEMORY.md\u200b",
    "\ufeffMEMORY.md",
    "\u202eMEMORY.md",
    "MEMORY.md\u00a0",
    "MEMORY.md\r",
]
HOSTILE += ["MEMORY.md\u3000", "MEMO\u0301RY.md", "memory/2026-02-24.md\n", "memory/2026-02-24.md ", "x" * 100_000]


@pytest.mark.parametrize("path", HOSTILE, ids=ascii)
def test_a_hostile_path_is_refused(path: str) -> None:
    with pytest.raises(PathRefused) as refused:
        parse_name(path)
    assert refused.value.args_ == {}, "one message, which echoes nothing"


@pytest.mark.parametrize("name", [*GOOD, "memory/2026-02-24.md", "memory/2024-02-29.md"])
def test_a_name_of_the_workspace_is_itself(name: str) -> None:
    assert parse_name(name) == name


@given(st.one_of(st.text(), st.sampled_from(GOOD).flatmap(lambda name: st.text().map(lambda more: name + more))))
def test_whatever_is_accepted_is_a_plain_name(path: str) -> None:
    try:
        name = parse_name(path)
    except PathRefused:
        return
    assert name in GOOD or re.fullmatch(r"memory/[0-9]{4}-[0-9]{2}-[0-9]{2}\.md", name)


@given(name=st.sampled_from([*GOOD, "memory/2026-02-24.md"]), at=st.integers(0, 30), char=st.characters())
def test_one_changed_or_added_character_is_refused(name: str, at: int, char: str) -> None:
    for path in (name[:at] + char + name[at:], name[:at] + char + name[at + 1 :]):
        if path != name and not (path.startswith("memory/") and path[7:8].isascii() and path[7:].isascii()):
            with pytest.raises(PathRefused):
                parse_name(path)


@given(st.sampled_from([*GOOD, "memory/2026-02-24.md"]))
def test_look_alikes_that_normalise_to_a_name_are_refused(name: str) -> None:
    wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in name)
    assert unicodedata.normalize("NFKC", wide) == name
    for path in (wide, wide[0] + name[1:], name.swapcase(), name.lower() + " "):
        with pytest.raises(PathRefused):
            parse_name(path)


def test_the_gate_gets_the_kind_of_each_name() -> None:
    kinds = {"SOUL.md": FileKind.SOUL, "USER.md": FileKind.USER, "MEMORY.md": FileKind.MEMORY}
    kinds |= dict.fromkeys(GOOD[3:], FileKind.OPTIONAL) | {log_name(date(2026, 2, 24)): FileKind.LOG}
    assert {name: kind_of(parse_name(name)) for name in kinds} == kinds
