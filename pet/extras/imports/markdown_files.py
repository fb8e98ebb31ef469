"""Markdown files of other programs: memory lists, and the workspaces of OpenClaw, Hermes and PetGPT."""

from __future__ import annotations

import re
from pathlib import Path

from pet.errors import ImportRefused
from pet.extras.imports.contents import Skipped, SourceContents
from pet.extras.imports.source import ImportSource, storable_text, to_text
from pet.model import INSTRUCTION_FILES, OPTIONAL_FILES
from pet.untrusted.parsers import read_json
from pet.workspace.file_names import CORE_NAMES, LOG_FOLDER, is_daily_log, is_note
from pet.workspace.skills import FILE, FOLDER, MAX_BYTES, parse_skill

_FENCE = re.compile(r"\s*(?:```|~~~).*")
_MARK = re.compile(r"\A\s*(?:[-*+\u2022\u00b7]|\d{1,4}[.)])\s+")
_DATED = re.compile(r"\[(\d{4}-\d{2}-\d{2})[^\]\n]{0,20}\]\s*(?:[-\u2013\u2014:]\s*)?")
_UNDATED = re.compile(
    r"\[(?:unknown|no date|date unknown|n/a|date saved[^\]]{0,20})\]\s*(?:[-\u2013\u2014:]\s*)?", re.IGNORECASE
)


def read_memory_list(text: str) -> str:
    """Return Markdown bullets, de-duplicated per heading, with nested lines, the date at the end."""
    blocks: list[str] = []
    bullets: list[str] = []
    indent = 0
    for line in text.split("\n"):
        if not line.strip() or _FENCE.fullmatch(line):
            continue
        if line.startswith("#"):
            blocks += [*dict.fromkeys(bullets), f"\n{line.strip()}\n"]
            bullets = []
            continue
        memory = _MARK.sub("", line, count=1).strip()
        dated = _DATED.match(memory)
        memory = _UNDATED.sub("", memory[dated.end() :] if dated else memory, count=1).strip()
        if not memory:
            continue
        bullet = f"- {memory}" + (f" ({dated[1]})" if dated else "")
        depth = len(line[: len(line) - len(line.lstrip())].expandtabs(4))
        if bullets and depth > indent + 1:
            bullets[-1] += f"\n  {bullet}"
        else:
            bullets.append(bullet)
            indent = depth
    return "\n".join([*blocks, *dict.fromkeys(bullets)]).strip()


_WORKSPACE_SOUL = re.compile(r"((?:[^/.][^/]*/){1,2})SOUL\.md", re.IGNORECASE)
_PLACES = ("", "memories/", "workspace/")
_LOG = re.compile(rf"(?:workspace/)?{LOG_FOLDER}/(?:[^/]+/)*(\d{{4}}-\d{{2}}-\d{{2}})(?:[-_ ][^/]*)?\.md")
_UNDATED_NOTE = re.compile(rf"(?:workspace/)?(?:{LOG_FOLDER}/(?P<note>.*\.md)|(?P<dreams>dreams\.md))", re.IGNORECASE)
_DAY_LINES = re.compile(rf"(?:workspace/)?{LOG_FOLDER}/daily/(\d{{4}}-\d{{2}}-\d{{2}})\.jsonl")
"""Entries of a day as claw0 writes them, an object on each line."""
_LINKED = re.compile(rf"(?:workspace/)?(?:memor(?:y|ies)/[^/]*\.md|{LOG_FOLDER}|memories|[A-Za-z]+\.md)")
_SKILL_FILE = re.compile(rf"((?:workspace/)?{FOLDER}/(?:[^/]+/)?[^/]+/){FILE}")
"""Also with a category above the skill's folder, as Hermes has them."""
_SKILL = re.compile(rf"(?:[^/]+/)*{FOLDER}/[^/]+/")
_NOTES = (_LOG, _DAY_LINES, _UNDATED_NOTE)
_CLOCK = re.compile(r"T(\d{2}:\d{2}:\d{2})")
_HEADING_LIKE = re.compile(r"^(?=#{1,2}[ \t])", re.MULTILINE)
_DIVIDER = re.compile(r"^\s*\u00a7\s*$", re.MULTILINE)


def is_workspace(source: ImportSource) -> bool:
    return any(_files(source, name) for name in CORE_NAMES)


def workspace_folders(source: ImportSource) -> tuple[str, ...]:
    """Return the folders, ending with a slash, that are a workspace each, as PetGPT keeps those of its pets; none
    where the source is one itself, or a vault."""
    if is_workspace(source) or any(name.startswith(".obsidian/") for name in source.names):
        return ()
    folders = (match[1] for name in source.names if (match := _WORKSPACE_SOUL.fullmatch(name)))
    return tuple(sorted(set(folders)))


def read_workspace(source: ImportSource, *, instructions: bool) -> SourceContents:
    """``instructions``: include files with instructions for an agent."""
    contents = SourceContents(kind="workspace")
    for name in (*CORE_NAMES, *OPTIONAL_FILES):
        there = _files(source, name)
        if there and name in INSTRUCTION_FILES and not instructions:
            contents.skipped += [Skipped(each, "instructions") for each in there]
        elif there:
            _take(source, there[0], name, contents)
            contents.skipped += [Skipped(each, "same_name") for each in there[1:]]
    for each in source.names:
        dated = _LOG.fullmatch(each)
        if dated:
            _take_log(source, each, f"{LOG_FOLDER}/{dated[1]}.md", contents)
        elif lines := _DAY_LINES.fullmatch(each):
            _take_lines(source, each, f"{LOG_FOLDER}/{lines[1]}.md", contents)
        elif note := _UNDATED_NOTE.fullmatch(each):
            _take_log(source, each, f"{LOG_FOLDER}/{note['note'] or note['dreams']}", contents)
    contents.skipped += [Skipped(link, "link") for link in source.links if _LINKED.fullmatch(link)]
    skills = [_take_skill(source, match, contents) for each in source.names if (match := _SKILL_FILE.fullmatch(each))]
    contents.skipped += _left_behind(source, skills)
    return contents


def _take_skill(source: ImportSource, match: re.Match[str], contents: SourceContents) -> str:
    """Add a skill, under its own name, or the reason why not. Return its folder."""
    data = source.read(match[0], MAX_BYTES)
    text = to_text(data) if data is not None else None
    skill = parse_skill(text, "pet", Path(match[0])) if text is not None else None
    if skill is None or skill.problem:
        contents.skipped.append(Skipped(match[1], "too_large" if data is None else "skill"))
        return match[1]
    name = f"{FOLDER}/{skill.name}/{FILE}"
    if name in contents.files:
        contents.skipped.append(Skipped(match[1], "same_name"))
    else:
        contents.files[name] = text or ""
        if any(each.startswith(match[1]) and each != match[0] for each in source.names):
            contents.skipped.append(Skipped(match[1], "skill_files"))
    return match[1]


def _left_behind(source: ImportSource, skills: list[str]) -> list[Skipped]:
    """Return everything a workspace's import never takes; files of one folder as the folder. ``skills``: the folders
    of skills, named already."""
    taken = {path for name in (*CORE_NAMES, *OPTIONAL_FILES) for path in _files(source, name)}
    others: dict[str, Skipped] = {}
    for path in source.names:
        if path in taken or path.startswith(tuple(skills)) or any(form.fullmatch(path) for form in _NOTES):
            continue
        skill = _SKILL.match(path)
        name = skill[0] if skill else path[: path.index("/") + 1] if "/" in path else path
        others.setdefault(name, Skipped(name, "skill" if skill else "other"))
    return list(others.values())


def _files(source: ImportSource, name: str) -> list[str]:
    """Return the file's paths, best first: by place, then by exact case."""
    places = {f"{place}{name}".casefold(): at for at, place in enumerate(_PLACES)}
    paths = (each for each in source.names if each.casefold() in places)
    return sorted(paths, key=lambda each: (places[each.casefold()], not each.endswith(name)))


def _take_log(source: ImportSource, there: str, name: str, contents: SourceContents) -> None:
    if is_daily_log(name) or is_note(name):
        _take(source, there, name, contents)
    else:
        contents.skipped.append(Skipped(there, "name"))


def _take_lines(source: ImportSource, there: str, name: str, contents: SourceContents) -> None:
    """Add the entries of a day: objects with a time, a category and a content."""
    data, entries, unread = source.read(there), list[str](), 0
    for line in (data or b"").splitlines():
        try:
            item = read_json(line) if line.strip() else {}
        except ValueError:
            item = None
        text = item.get("content") if isinstance(item, dict) else None
        if not isinstance(text, str) or not isinstance(item, dict):
            unread += bool(line.strip())
            continue
        clock = _CLOCK.search(str(item.get("ts")))
        category = "".join(str(item.get("category") or "general").split()) or "general"
        body = _HEADING_LIKE.sub(r"\\", storable_text(text).strip())
        entries.append(f"## [{clock[1] if clock else '00:00:00'}] {storable_text(category)[:40]}\n\n{body}\n")
    if data is None or not is_daily_log(name):
        contents.skipped.append(Skipped(there, "too_large" if data is None else "name"))
    elif entries:
        day = contents.files.get(name) or f"# Memory Log: {name[-13:-3]}\n"
        contents.files[name] = "\n".join((f"{day.rstrip()}\n", *entries))
    contents.left_out["other"] += unread


def _take(source: ImportSource, there: str, name: str, contents: SourceContents) -> None:
    try:
        text = source.text(there)
    except ImportRefused as refused:
        contents.skipped.append(Skipped(there, "too_large" if refused.problem == "long_text" else "unreadable"))
        return
    if text is None:
        contents.skipped.append(Skipped(there, "not_text"))
    elif text.strip():
        text = _bulleted(text) if _DIVIDER.search(text) else text
        contents.files[name] = f"{contents.files[name].rstrip()}\n\n{text}" if name in contents.files else text


def _bulleted(text: str) -> str:
    entries = (entry.strip() for entry in _DIVIDER.split(text))
    return "\n".join("- " + entry.replace("\n", "\n  ") for entry in entries if entry) + "\n"
