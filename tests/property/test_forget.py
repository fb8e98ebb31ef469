"""After forgetting, the text stands in no byte under the home but where the report says; all else is still there."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pet.memory.store.split_entries import whole_entries
from pet.model import Source
from pet.paths import find_home
from pet.workspace.text_encoding import NotText, decode_text, normalize_newlines
from pet.workspace.tombstones import SearchPatterns
from tests.memory.forget_desk import Pet

SECRETS = st.sampled_from(["Zanzibar blue", "蓝色桑给巴尔", 'the "q\\uote"', "Ｗide café", "ÀÉ ß tree"])
PLAIN = st.sampled_from(["tea", "喜欢猫", "a walk\n  by the sea", "e\u0301te\u0301", "blue", "桑给", "#tag", "1. x"])
LOGS = ("memory/2026-02-23.md", "memory/2026-02-24.md")
NOTES = ("memory/2026-06-27-baking.md", "memory/people/femi.md")
NAMES = ("MEMORY.md", "USER.md", *LOGS, *NOTES)
BESIDE = (
    *("MEMORY.md~", "USER (2).md", "memory/2026-02-24 2.md", "notes.md", "memory/people/femi.md~"),
    *("memory/people/femi.sync-conflict-20260101-101010-ABCDEFG.md", "memory/.dreams/night.md"),
)
ENDS = st.sampled_from(["\n", "\r\n"])


@dataclass(frozen=True)
class Words:
    """Texts of which some hold the secret, in one spelling or another."""

    secret: str

    def texts(self) -> st.SearchStrategy[str]:
        spelled = st.sampled_from([self.secret, self.secret.upper(), self.secret.replace(" ", "\u3000"), self.secret])
        held = st.tuples(PLAIN, spelled, PLAIN).map(lambda three: f"{three[0]} {three[1]} {three[2]}")
        return st.one_of(PLAIN, PLAIN, PLAIN, spelled, held)

    def prose(self) -> st.SearchStrategy[str]:
        items = st.lists(st.tuples(st.sampled_from(["- ", "", "## ", "\n", "  "]), self.texts()), max_size=6)
        return items.map(lambda rows: "\n".join(mark + text for mark, text in rows))

    def logs(self) -> st.SearchStrategy[str]:
        heads = st.sampled_from(
            ["## [09:00:00] fact", "## [10:11:12] todo @2026-03-01", f"## [9:00] {self.secret}", ""]
        )
        rows = st.lists(st.tuples(heads, self.texts()), max_size=4)
        return rows.map(lambda each: "# Memory Log\n\n" + "\n\n".join(f"{head}\n\n{text}" for head, text in each))


@st.composite
def pets(draw: st.DrawFn, folder: Path) -> tuple[Pet, str]:
    """A pet whose files, versions, copies and transcripts hold a secret here and there."""
    secret = draw(SECRETS)
    words = Words(secret)
    pet = Pet(find_home(folder / "home"))
    for _ in range(draw(st.integers(0, 5))):
        name = draw(st.sampled_from(NAMES))
        text = draw(words.logs() if name in LOGS or (name in NOTES and draw(st.booleans())) else words.prose())
        if draw(st.booleans()):
            ends = draw(ENDS)
            pet.put(name, ("\ufeff" if draw(st.booleans()) else "") + text.replace("\n", ends))
            if draw(st.booleans()):
                pet.store.observe(name)
        else:
            pet.save_if_other(name, text, Source(conversation="c", turn="t"))
    for beside in draw(st.lists(st.sampled_from(BESIDE))):
        pet.put(beside, draw(words.prose()))
    if draw(st.booleans()):
        pet.put("SOUL.md", draw(words.prose()))
        pet.store.observe("SOUL.md")
    if draw(st.booleans()):
        pet.put(".history/objects/" + "0" * 64, draw(words.prose()))
    for _ in range(draw(st.integers(0, 2))):
        _talk(draw, pet, words)
    return pet, secret


def _talk(draw: st.DrawFn, pet: Pet, words: Words) -> None:
    talk = pet.talk()
    for _ in range(draw(st.integers(1, 3))):
        turn = talk.said(draw(words.texts()), recalled=draw(words.texts()))
        talk.found(turn, draw(words.texts()))
        call = talk.call("write", path="MEMORY.md", content=draw(words.texts()))
        talk.replied(turn, draw(words.texts()), thought=draw(words.texts()), calls=(call,))
        talk.answered(turn, call, draw(words.texts()))
        talk.closed(turn, cut_text=draw(words.texts()))
        if draw(st.booleans()):
            talk.summed_up(turn, draw(words.texts()))
        if draw(st.booleans()):
            talk.titled(draw(words.texts()))
    file = pet.root / "conversations" / f"{talk.id}.jsonl"
    if draw(st.booleans()):  # another machine's part, and a torn end set aside
        file.with_name(f"{talk.id}~elsewhere.jsonl").write_bytes(file.read_bytes())
    if draw(st.booleans()):
        file.with_name(f"{file.name}.torn").write_text('{"kind":"tool_done","text":"' + draw(words.texts()) + "\n")


def _entries(pet: Pet, name: str, sought: SearchPatterns) -> list[str]:
    """What must survive: the entries that don't hold the secret."""
    try:
        lines = normalize_newlines(decode_text(pet.bytes(name)).text).split("\n")
    except (FileNotFoundError, NotText):
        return []
    return [
        entry.text
        for entry in whole_entries(name, lines)
        if not sought.matches(entry.text) and not (name in (*LOGS, *NOTES) and sought.matches(entry.heading))
    ]


@given(data=st.data())
def test_nothing_of_it_is_left_and_everything_else_is(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        pet, secret = data.draw(pets(Path(folder)))
        pet.index.refresh_words()
        sought = SearchPatterns.of((secret,))
        before = {name: _entries(pet, name, sought) for name in NAMES}
        said = pet.said_aloud()

        report = pet.forgetting.forget(pet.forgetting.find(secret))

        assert report.unreached == 0
        left = {f"data/pets/pet/{piece.path}" for piece in report.left}
        found = {path.replace("~elsewhere", "") for path in pet.where(secret) if "/.history/objects/" not in path}
        assert found <= left
        kept_soul = any(piece.path == "SOUL.md" for piece in report.left)
        assert kept_soul or not [path for path in pet.where(secret) if "/.history/objects/" in path]
        for name, entries in before.items():
            now = normalize_newlines(pet.text(name)) if entries else ""
            assert [text for text in entries if text not in now] == []
        assert pet.said_aloud() == said
        assert pet.store.forgotten.is_forgotten(f"x {secret.upper()} y")
        for name in pet.store.names():
            for kept in pet.store.history(name):
                pet.store.version_bytes(name, kept.id)
            if pet.store.history(name) and (pet.root / name).exists():
                assert pet.store.version_bytes(name, pet.store.history(name)[0].id) == pet.bytes(name)
        again = pet.forgetting.find(secret)
        assert again.goes == ()
        assert again.begun
        pet.index.close()
