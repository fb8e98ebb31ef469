"""Markdown files of other programs: memory lists, and the workspaces of OpenClaw, Hermes and PetGPT."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from pet.errors import ImportRefused
from pet.extras.imports.contents import LeftOut, Skipped, SourceContents, left_behind
from pet.extras.imports.source import VAULT_SETTINGS, ImportSource, storable_text, to_text
from pet.language.calendar_words import month_number
from pet.model import INSTRUCTION_FILES, OPTIONAL_FILES
from pet.text.markup import EMBED, FRONT_MATTER, without_embeds
from pet.untrusted.parsers import read_json
from pet.workspace.file_names import CORE_NAMES, LOG_FOLDER, is_daily_log, is_note, log_name
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
    text = _text_of(source, there, contents)
    if text is not None and text.strip():
        _add(name, _bulleted(text) if _DIVIDER.search(text) else text, contents)


def _text_of(source: ImportSource, there: str, contents: SourceContents) -> str | None:
    """Return the text of a file; None for one that has to be skipped."""
    try:
        text = source.text(there)
    except ImportRefused as refused:
        contents.skipped.append(Skipped(there, "too_large" if refused.problem == "long_text" else "unreadable"))
        return None
    if text is None:
        contents.skipped.append(Skipped(there, "not_text"))
    return text


def _add(name: str, text: str, contents: SourceContents) -> None:
    before = contents.files.get(name)
    contents.files[name] = f"{before.rstrip()}\n\n{text}" if before else text


def _bulleted(text: str) -> str:
    entries = (entry.strip() for entry in _DIVIDER.split(text))
    return "\n".join("- " + entry.replace("\n", "\n  ") for entry in entries if entry) + "\n"


_NOTE = re.compile(r"(?:[^/]+/)*[^/]+\.(?:md|markdown)", re.IGNORECASE)
_NO_NOTE = re.compile(r"(?:^|/)\.|\.excalidraw\.md$|^logseq/|^whiteboards/", re.IGNORECASE)
_WEEKDAY = (
    r"(?:mon|tue|wed|thu|fri|sat|sun|lun|mar|mi[eé]|jue|vie|s[aá]b|dom)[^\W\d_]*\.?"
    r"|(?:\u5468|\u661f\u671f)[\u4e00\u4e8c\u4e09\u56db\u4e94\u516d\u65e5\u5929]"
)
_DAILY = re.compile(
    rf"(?:.*/)?(?P<YYYY>\d{{4}})([-_.]?)(?P<MM>\d{{2}})\2(?P<DD>\d{{2}})(?:[ _-]+(?:{_WEEKDAY}))?", re.IGNORECASE
)
"""A daily note where no settings say otherwise; a weekday may follow."""
_TOKENS = {
    "YYYY": r"(?P<YYYY>\d{4})",
    "YY": r"(?P<YY>\d{2})",
    "MMMM": r"(?P<MMM>[^\W\d_]+|\d{1,2}\u6708)",
    "MMM": r"(?P<MMM>[^\W\d_]+\.?|\d{1,2}\u6708)",
    "MM": r"(?P<MM>\d{2})",
    "Mo": r"(?P<MM>\d{1,2})(?:st|nd|rd|th|º|\u6708)?",
    "M": r"(?P<MM>\d{1,2})",
    "DD": r"(?P<DD>\d{2})",
    "Do": r"(?P<DD>\d{1,2})(?:st|nd|rd|th|º|\u65e5)?",
    "D": r"(?P<DD>\d{1,2})",
    **dict.fromkeys(("dddd", "ddd", "dd"), r"[^\W\d_]{1,20}\.?"),
    **dict.fromkeys(("do", "d", "E", "e"), r"\d(?:st|nd|rd|th)?"),
    **dict.fromkeys(("WW", "Wo", "W", "ww", "wo", "w", "DDDD", "DDD", "Qo", "Q"), r"\d{1,3}(?:st|nd|rd|th)?"),
    **dict.fromkeys(("GGGG", "gggg"), r"\d{4}"),
}
"""Tokens of Moment.js, the longest first."""
_LONGEST_TITLE = 200
_MOST_WEEKDAYS = 2
_MOST_PARTS = 12  # of a format: each may be of several lengths
_FORMAT = re.compile("|".join([r"\[(?P<text>[^\]]*)\]", *sorted(_TOKENS, key=len, reverse=True), "(?s:.)"]))
_SPANISH = {"ene": "jan", "abr": "apr", "ago": "aug", "set": "sep", "dic": "dec"}
"""Months whose first three letters are others than in English."""
_COMMENTS = ((re.compile("%%"), re.compile("%%")), (re.compile("<!--"), re.compile("-->")))
_QUERY = re.compile(
    r"^[ \t]*(?:```+|~~~+)[ \t]*(?:dataview(?:js)?|tasks|query|button|base|tracker)\b.*\n",
    re.MULTILINE | re.IGNORECASE,
)
_CODE_FENCE = re.compile(r"^[ \t]*(?:```+|~~~+)[ \t]*(?:\n|\Z)", re.MULTILINE)


def is_vault(source: ImportSource) -> bool:
    return any(True for _ in _notes(source))


def read_vault(source: ImportSource, folders: Collection[str] | None = None) -> SourceContents:
    """Read the notes of these folders of the root, "" for the root's own; None: of all."""
    contents = SourceContents(kind="vault")
    formats, templates = _settings(source)
    taken: set[str] = set()
    for path in _notes(source):
        if templates and path.startswith(f"{templates}/"):
            continue
        taken.add(path)
        folder = path.partition("/")[0] if "/" in path else ""
        contents.folders[folder] = contents.folders.get(folder, 0) + 1
        if folders is None or folder in folders:
            _take_vault(source, path, formats, contents)
    contents.skipped += left_behind(source.names, taken)
    return contents


def _notes(source: ImportSource) -> Iterator[str]:
    return (name for name in source.names if _NOTE.fullmatch(name) and not _NO_NOTE.search(name))


def _take_vault(source: ImportSource, path: str, formats: list[re.Pattern[str]], contents: SourceContents) -> None:
    stem = path.rpartition(".")[0]
    day = next((day for form in formats if (match := form.fullmatch(stem)) and (day := _day(match))), None)
    name = log_name(day) if day else f"{LOG_FOLDER}/{stem}.md"
    if day is None and not is_note(name):
        contents.skipped.append(Skipped(path, "name"))
        return
    text = _text_of(source, path, contents)
    if text is not None and (note := note_text(text, contents.left_out, title=day is None)):
        _add(name, note, contents)


def note_text(text: str, left: LeftOut, *, title: bool = True) -> str:
    """Return what a note says, and count the rest in ``left``. ``title``: that of its front matter heads it unless a
    heading says the same.

    >>> note_text("---\\ntitle: Tea\\n---\\n![[cup.png]]\\n- [ ] Buy green tea\\n", LeftOut())
    '# Tea\\n\\n- [ ] Buy green tea\\n'
    """
    front = FRONT_MATTER.match(text)
    named = _title(front["fields"]) if front and title else ""
    left["hidden"] += int(front is not None and bool(front["fields"].strip()))
    body, queries = _without(text[front.end() :] if front else text, _QUERY, _CODE_FENCE)
    left["tools"] += queries
    for opening, closing in _COMMENTS:
        body, comments = _without(body, opening, closing)
        left["hidden"] += comments
    left["pictures"] += sum(1 for _ in EMBED.finditer(body))
    lines = (without_embeds(line) for line in body.split("\n"))
    body = "\n".join(line for line in lines if line is not None).strip("\n")
    if not body.strip():
        return ""
    headed = any(line.strip("# \t") == named for line in body.split("\n") if line.startswith("# "))
    return f"{body}\n" if headed or not named else f"# {named}\n\n{body}\n"


def _title(fields: str) -> str:
    lines = (line.partition(":")[2].strip() for line in fields.split("\n") if line.startswith("title:"))
    title = next(lines, "")
    quoted = len(title) > 1 and title[0] == title[-1] and title[0] in "\"'"
    return " ".join((title[1:-1] if quoted else title).split())[:_LONGEST_TITLE]


def _without(text: str, opening: re.Pattern[str], closing: re.Pattern[str]) -> tuple[str, int]:
    """Return the text without what is between an opening and the next closing, and how often that is."""
    kept, at = list[str](), 0
    while (begin := opening.search(text, at)) and (end := closing.search(text, begin.end())):
        kept.append(text[at : begin.start()])
        at = end.end()
    return "".join((*kept, text[at:])), len(kept)


def _settings(source: ImportSource) -> tuple[list[re.Pattern[str]], str]:
    """Return the forms of daily notes' paths, without their ending, and the folder of templates."""
    daily, periodic, templates = (_object(source, name) for name in VAULT_SETTINGS)
    forms = []
    for given in (daily, periodic.get("daily")):
        if isinstance(given, dict) and isinstance(form := given.get("format") or "YYYY-MM-DD", str):
            folder = given.get("folder")
            prefix = f"{folder.strip('/')}/" if isinstance(folder, str) and folder.strip("/") else ""
            with suppress(re.error):  # two tokens for the same part
                if pattern := _pattern(form):
                    forms.append(re.compile(re.escape(prefix) + pattern))
    folder = templates.get("folder")
    return [*forms, _DAILY], folder.strip("/") if isinstance(folder, str) else ""


def _pattern(form: str) -> str:
    """Return the regular expression of a format: each part is matched once, and again word for word; "" for one with
    too many parts."""
    pieces, seen = [], set[str]()
    tokens = list(_FORMAT.finditer(form))
    words = sum(token[0] in ("dddd", "ddd", "dd") for token in tokens)
    if words > _MOST_WEEKDAYS or sum(token[0] in _TOKENS for token in tokens) > _MOST_PARTS:
        return ""
    for token in tokens:
        piece = _TOKENS.get(token[0], re.escape(token[0] if token["text"] is None else token["text"]))
        name = re.match(r"\(\?P<(\w+)>", piece)
        if name and name[1] in seen:
            piece = f"(?P={name[1]})"
        seen |= {name[1]} if name else set()
        pieces.append(piece)
    return "".join(pieces)


def _day(match: re.Match[str]) -> date | None:
    parts = {name: part or "" for name, part in match.groupdict().items()}
    year = parts.get("YYYY") or (f"20{parts['YY']}" if parts.get("YY") else "")
    with suppress(ValueError, LookupError):
        month = int(parts["MM"]) if parts.get("MM") else _month(parts.get("MMM", ""))
        return date(int(year), month, int(parts.get("DD", "")))
    return None


def _month(name: str) -> int:
    """Raises LookupError, ValueError."""
    letters = name.removesuffix("\u6708")[:3].casefold()
    return month_number(_SPANISH.get(letters, letters))


def _object(source: ImportSource, name: str) -> dict[str, Any]:
    with suppress(ValueError, ImportRefused):
        value = read_json(source.read(name) or b"") if name in source.names else None
        return value if isinstance(value, dict) else {}
    return {}
