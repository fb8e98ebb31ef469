"""Plan an import: each file before and after, each conversation with its size. Changes nothing.

A missing file or untouched template takes the whole text; profile, memory and logs get new entries appended; other
files are kept.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from pet.extras.imports.card import soul_text
from pet.extras.imports.contents import Kind, LeftOut, LeftOutKind, Skipped, SourceContents, Talk
from pet.i18n import Language, Texts
from pet.ids import derived_id
from pet.language.labels import identity_name
from pet.model import MISSING, Broken, CoreFile, FileState, Missing, Present, Version
from pet.workspace.file_names import LOG_FOLDER
from pet.workspace.skills import is_skill_name
from pet.workspace.templates import is_untouched
from pet.workspace.text_encoding import normalize_newlines

Action = Literal["create", "append", "same"]
MAX_FILE = 1 << 20
_HEADING = re.compile(r"(#{1,6})[ \t]+\S")
_NAMES: dict[Kind, str] = {
    "chatgpt": "ChatGPT",
    "claude": "Claude",
    "deepseek": "DeepSeek",
    "grok": "Grok",
    "open_webui": "Open WebUI",
    "sillytavern": "SillyTavern",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFile:
    """``base``: the version of ``before``, on which ``after`` is written."""

    file: str
    action: Action
    before: str
    after: str
    base: Version


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedTalk:
    """``there``: imported before, and left unchanged. ``at``: "" if unknown."""

    id: str
    title: str
    at: str
    messages: int
    characters: int
    there: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutCount:
    kind: LeftOutKind
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPlan:
    """``name``: of the character, "" if the source doesn't say. ``left_out``: what the new conversations hold besides
    what is imported. ``folders``: notes by folder of a vault's root, also those left out."""

    kind: Kind
    name: str
    files: tuple[PlannedFile, ...]
    talks: tuple[PlannedTalk, ...]
    skipped: tuple[Skipped, ...]
    left_out: tuple[LeftOutCount, ...]
    folders: Mapping[str, int]

    @property
    def changed(self) -> tuple[PlannedFile, ...]:
        return tuple(each for each in self.files if each.action != "same")

    @property
    def new_talks(self) -> tuple[PlannedTalk, ...]:
        return tuple(each for each in self.talks if not each.there)

    @property
    def is_empty(self) -> bool:
        return not self.changed and not self.new_talks


def source_name(kind: Kind, texts: Texts) -> str:
    """Return the display name of a kind of source."""
    return _NAMES.get(kind) or texts(f"imports.kind.{kind}")


def make_plan(
    contents: SourceContents,
    read: Callable[[str], FileState],
    is_there: Callable[[str], bool],
    *,
    language: Language,
    now: datetime,
    instructions: bool = False,
    new_pet: bool = False,
    is_forgotten: Callable[[str], bool] = lambda _text: False,
    skills: Container[str] = (),
) -> ImportPlan:
    """Compare the contents with the pet. Raises ImportRefused, CardRefused.

    ``read``: a file of the pet; ``is_there``: whether a conversation exists; ``new_pet``: created for this import, so
    that it holds templates only; ``is_forgotten``: whether a text holds what the pet forgot: such entries of memory
    files and logs are left out. ``skills``: names of the skills that the pet has, which are kept.
    """
    texts = dict(contents.files)
    if contents.card is not None:
        texts[CoreFile.SOUL.value] = soul_text(contents.card.card, language, instructions=instructions)
    heading = Texts(language)(
        "imports.heading", source=source_name(contents.kind, Texts(language)), day=now.date().isoformat()
    )
    files: list[PlannedFile] = []
    skipped: list[Skipped] = []
    for name, whole in texts.items():
        text = whole
        if _grows(name) and is_forgotten(whole):
            skipped.append(Skipped(name, "forgotten"))
            text = _without_entries(whole, is_forgotten)
            if not text.strip():
                continue
        state = read(name)
        if is_skill_name(name) and isinstance(state, Missing) and name.split("/")[1] in skills:
            skipped.append(Skipped(name, "kept"))
            continue
        match _planned(name, text, state, heading, new_pet=new_pet):
            case PlannedFile() as planned:
                files.append(planned)
            case Skipped() as left_out:
                skipped.append(left_out)
    talks, left = _measured(contents, is_there)
    return ImportPlan(
        kind=contents.kind,
        name=contents.card.card.name if contents.card else _name_in(contents),
        files=tuple(files),
        talks=talks,
        skipped=(*contents.skipped, *skipped),
        left_out=tuple(LeftOutCount(kind=kind, count=left[kind]) for kind in get_args(LeftOutKind) if left[kind]),
        folders=contents.folders,
    )


def _name_in(contents: SourceContents) -> str:
    """Return the name in IDENTITY.md, else a labelled one in the soul; "" without one."""
    named = (identity_name(contents.files.get(name, "")) for name in ("IDENTITY.md", CoreFile.SOUL.value))
    return next(filter(None, named), "")


def talk_id(talk: Talk) -> str:
    """Return an id that is the same at every import of the conversation."""
    moment = datetime.fromisoformat(talk.at).timestamp() if talk.at else 0
    return derived_id(int(moment * 1000), talk.source_id)


def _measured(contents: SourceContents, is_there: Callable[[str], bool]) -> tuple[tuple[PlannedTalk, ...], LeftOut]:
    """Return the conversations that hold a message, and what is left out of the new ones."""
    talks, left = [], LeftOut()
    for talk in contents.talks():
        messages = characters = 0
        for message in talk.messages:
            messages += 1
            characters += len(message.text)
        id_ = talk_id(talk)
        there = is_there(id_)
        if not there:
            left += talk.left_out
        left["empty"] += int(not messages)
        if messages:
            talks.append(
                PlannedTalk(
                    id=id_, title=talk.title, at=talk.at, messages=messages, characters=characters, there=there
                )
            )
    return tuple(talks), left + contents.left_out


def _planned(name: str, text: str, state: FileState, heading: str, *, new_pet: bool) -> PlannedFile | Skipped:
    if isinstance(state, Broken):
        return Skipped(name, "broken")
    before = normalize_newlines(state.text) if isinstance(state, Present) else ""
    base = state.version if isinstance(state, Present) else MISSING
    if before.strip() == text.strip():
        return PlannedFile(file=name, action="same", before=before, after=before, base=base)
    if isinstance(state, Present) and is_skill_name(name):
        return Skipped(name, "kept")
    if new_pet or not before.strip() or is_untouched(name, before):
        action: Action = "create"
        after = text if text.endswith("\n") else f"{text}\n"
    elif _grows(name):
        rest = _new_entries(before, text)
        action = "append" if rest else "same"
        under = "" if name.startswith(f"{LOG_FOLDER}/") else f"## {heading}\n\n"
        after = f"{before.rstrip()}\n\n{under}{rest}\n" if rest else before
    else:
        return Skipped(name, "kept")
    if len(after.encode()) > MAX_FILE:
        return Skipped(name, "too_large")
    return PlannedFile(file=name, action=action, before=before, after=after, base=base)


def _grows(name: str) -> bool:
    return name in {CoreFile.USER.value, CoreFile.MEMORY.value} or name.startswith(f"{LOG_FOLDER}/")


def _without_entries(text: str, unwanted: Callable[[str], bool]) -> str:
    """Return the text without the entries that are unwanted, "" if the others together still are."""
    entries: list[list[str]] = []
    for line in text.split("\n"):
        if entries and (not line.strip() or line[0] in " \t"):
            entries[-1].append(line)
        else:
            entries.append([line])
    rest = "\n".join("\n".join(each) for each in entries if not unwanted("\n".join(each)))
    return "" if unwanted(rest) else rest


def _new_entries(before: str, text: str) -> str:
    """Return the text without entries that the file has under the same headings; "" if only headings remain.

    An entry is a line with the lines indented below it.
    """
    titled = sum(line.startswith("# ") for line in text.split("\n")) < 2  # a single title heads the whole text
    there: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
    for path, entry in _entries(before):
        there.setdefault(_normalized(entry), []).append(path)
    known = {line.strip() for line in before.split("\n")}
    lines: list[str] = []
    shown: tuple[str, ...] = ()
    for path, entry in _entries(text):
        under = path[1:] if titled and path and path[0].startswith("# ") else path
        if any(each[len(each) - len(under) :] == under for each in there.get(_normalized(entry), ())):
            continue
        for at, heading in enumerate(path):
            if path[: at + 1] != shown[: at + 1] and not (titled and heading.startswith("# ") and heading in known):
                lines += ["", heading, ""]
        shown = path
        lines += entry
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _entries(text: str) -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield each entry: the headings above it, and its lines."""
    path: tuple[str, ...] = ()
    entry: list[str] = []
    for line in text.split("\n"):
        heading = _HEADING.match(line)
        if not heading and entry and (not line.strip() or line[0] in " \t"):
            entry.append(line)
            continue
        if entry:
            yield path, entry
        entry = [line] if line.strip() and not heading else []
        if heading:
            path = (*(each for each in path if len(each.split()[0]) < len(heading[1])), line.strip())
    if entry:
        yield path, entry


def _normalized(entry: list[str]) -> tuple[str, ...]:
    return tuple(line.strip() for line in entry if line.strip())
