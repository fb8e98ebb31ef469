"""Hostile paths are refused, all with the same error."""

from __future__ import annotations

import unicodedata
from datetime import date
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.access import GATED, FileKind
from pet.errors import PathRefused
from pet.workspace.file_names import flat_name, is_name, kind_of, log_name, parse_name, unflat_name

GOOD = ["SOUL.md", "USER.md", "MEMORY.md", "IDENTITY.md", "AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md"]
_LIST = r"""
. .. / ./MEMORY.md ../MEMORY.md memory/../MEMORY.md memory//2026-02-24.md /MEMORY.md //host/share/MEMORY.md
C:MEMORY.md C:\MEMORY.md \\host\share\MEMORY.md \\?\C:\MEMORY.md .\MEMORY.md memory\2026-02-24.md
MEMORY.md::$DATA MEMORY.md:stream MEMORY.md. MEMORY.md.. memory.md Memory.md MEMORY.MD ＭＥＭＯＲＹ.md MEMORY．md
MEMORY。md ＭEMORY.md MEMORУ.md МEMORY.md USΕR.md ՍSER.md MEMORY.md/ MEMORY.md/. MEMORY.md/.. %4dEMORY.md
%2e%2e/MEMORY.md %2e%2e%2fMEMORY.md MEMORY%2emd file:///MEMORY.md file:MEMORY.md ~/MEMORY.md $HOME/MEMORY.md
CON con.md NUL AUX.md COM1 LPT1.md memory/CON memory/2026-02-24.md/.. memory/２０２６-02-24.md
memory/٢٠٢٦-02-24.md memory/2026-02-24.MD memory/2026-02-24．md memory/Archive.md memory/ＡＲＣＨＩＶＥ.md
Memory/2026-02-24.md MEMORY/2026-02-24.md memory/2026-02-24 memory/2026-02-24.md~
memory memory/ .history .history/SOUL.md.jsonl .history/objects/x conversations/x.jsonl pet.toml
skills/x/SKILL.md card.json SOUL.md,USER.md *.md MEMORY.m? [M]EMORY.md ${x} MEMO~1.MD memory∕2026-02-24.md
memory⁄2026-02-24.md memory／2026-02-24.md
"""
_NOTES = r"""
memory/people/../femi.md memory/people/./femi.md memory/people//femi.md memory/people/.. memory/people/.
memory/../people/femi.md memory/people/femi.md/ memory/people/femi.md/.. /memory/people/femi.md
./memory/people/femi.md ../pet/memory/people/femi.md memory\people\femi.md memory/people\femi.md memory/people
memory/people/ people/femi.md Memory/people/femi.md MEMORY/projects.md ｍemory/projects.md mеmory/projects.md
memory/projects.MD memory/projects.Md memory/projects.txt memory/projects memory/projects.md. memory/people./femi.md
memory/.dreams/night.md memory/.md memory/people/.femi.md memory/.hidden.md memory/people/.git/x.md memory/..md
memory/projects.md:stream memory/projects.md::$DATA memory/pro:jects.md C:memory/projects.md file:memory/projects.md
memory/con.md memory/NUL.md memory/aux.tar.md memory/com1/femi.md memory/people/LPT9.md memory/people／femi.md
memory/people∕femi.md memory/people⁄femi.md memory/people＼femi.md memory/．．/USER.md memory/.．/femi.md
memory/people/femi．md memory/projects.sync-conflict-20260101-101010-ABCDEFG.md memory/2026-02-24-LAPTOP.md
memory/people/femi_conflict-20260101-101010.md memory/projects.md/femi memory/%2e%2e/%55SER.txt
"""
HOSTILE = [*_LIST.split(), *_NOTES.split()]
HOSTILE += [
    "memory/people /femi.md",
    "memory/projects.md ",
    "memory/ /femi.md",
    "memory/projects\n.md",
    "memory/a\tb.md",
]
HOSTILE += [
    "memory/projects\0.md",
    "memory/pro\u200bjects.md",
    "memory/\u202eprojects.md",
    "memory/\ufeffprojects.md",
]
HOSTILE += [
    "memory/pro\U000e0041jects.md",
    "memory/\udcffprojects.md",
    "memory/2026-02-24\u200d.md",
    "memory/a\x85b.md",
]
HOSTILE += [
    "memory/2026-02-24 2.md",
    "memory/2026-02-24 (1).md",
    "memory/people/femi (conflicted copy 2026-01-01).md",
]
HOSTILE += [f"memory/{'x' * 200}.md", f"memory/{'日' * 60}.md", f"memory/{'a/' * 80}b.md"]
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


NOTES = [
    "memory/projects.md",
    "memory/x.md",
    "memory/2026-06-27-baking.md",
    "memory/2026-2-24.md",
    "memory/2026-02-30.md",
    "memory/2026-02-24.md.md",
    "memory/people/femi.md",
    "memory/2026/06/27.md",
    "memory/a_b/c__d.md",
    "memory/50% off?.md",
    "memory/what we said….md",
    "memory/日记/二〇二六年：夏天.md",
    "memory/люди/фёдор.md",
    "memory/می\u200cخواهم.md",
    "memory/👩\u200d🍳.md",
    "memory/cafe\u0301.md",
    "memory/~ideas.md",
    "memory/MEMORY.md",
]


@pytest.mark.parametrize("name", [*GOOD, "memory/2026-02-24.md", "memory/2024-02-29.md", *NOTES], ids=ascii)
def test_a_name_of_the_workspace_is_itself(name: str) -> None:
    assert parse_name(name) == name


@given(st.one_of(st.text(), st.sampled_from(GOOD).flatmap(lambda name: st.text().map(lambda more: name + more))))
def test_whatever_is_accepted_is_a_plain_name(path: str) -> None:
    try:
        name = parse_name(path)
    except PathRefused:
        return
    assert name in GOOD or _is_plainly_below(name)


def _is_plainly_below(name: str) -> bool:
    """Whether it names a file of the folder of notes alone, on every system, and is gated."""
    parts = name.split("/")
    return (
        parts[0] == "memory"
        and len(parts) > 1
        and name.endswith(".md")
        and PurePosixPath(name).parts == PureWindowsPath(name).parts == tuple(parts)
        and not any(part.startswith(".") or part.endswith((".", " ")) for part in parts[1:])
        and not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") or char in '\\:"' for char in name)
        and kind_of(name) in GATED
    )


@given(name=st.sampled_from([*GOOD, "memory/2026-02-24.md", *NOTES]), at=st.integers(0, 30), char=st.characters())
def test_one_changed_or_added_character_names_nothing_else(name: str, at: int, char: str) -> None:
    for path in (name[:at] + char + name[at:], name[:at] + char + name[at + 1 :]):
        if path != name and is_name(path):
            assert _is_plainly_below(path)


@given(st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=4))
def test_what_is_accepted_below_the_folder_of_notes_is_gated_and_stays_there(parts: list[str]) -> None:
    path = f"memory/{'/'.join(parts)}.md"
    if is_name(path):
        assert _is_plainly_below(path)
        assert unflat_name(flat_name(path)) == path
        assert "/" not in flat_name(path) and "~" not in flat_name(path)
        assert len(flat_name(path).encode()) <= 128


@given(st.sampled_from([*GOOD, "memory/2026-02-24.md", *NOTES]))
def test_names_are_one_component_in_the_history_and_come_back(name: str) -> None:
    assert unflat_name(flat_name(name)) == name
    assert flat_name(name) not in {flat_name(each) for each in (*GOOD, *NOTES) if each != name}


@given(st.sampled_from([*GOOD, "memory/2026-02-24.md"]))
def test_look_alikes_that_normalise_to_a_name_are_refused(name: str) -> None:
    """No file of another spelling stands for one of these."""
    wide = "".join(chr(ord(char) + 0xFEE0) if "!" <= char <= "~" else char for char in name)
    assert unicodedata.normalize("NFKC", wide) == name
    for path in (wide, wide[0] + name[1:], name.swapcase(), name.lower() + " "):
        with pytest.raises(PathRefused):
            parse_name(path)


def test_the_gate_gets_the_kind_of_each_name() -> None:
    kinds = {"SOUL.md": FileKind.SOUL, "USER.md": FileKind.USER, "MEMORY.md": FileKind.MEMORY}
    kinds |= dict.fromkeys(GOOD[3:], FileKind.OPTIONAL) | {log_name(date(2026, 2, 24)): FileKind.LOG}
    kinds |= {"memory/archive.md": FileKind.LOG} | dict.fromkeys(NOTES, FileKind.NOTE)
    assert {name: kind_of(parse_name(name)) for name in kinds} == kinds
