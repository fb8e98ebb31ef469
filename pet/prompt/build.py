"""The system prompt of a turn: its inputs, sections, their order, and cache blocks. Pure.

Earlier sections weigh more. Files that the access policy keeps out are left out even if a caller passes them. Text
that changes from message to message is in ``pet.prompt.context``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Literal, get_args

from pet.access import PROMPT_KINDS, Access, VisibleFiles
from pet.i18n import Language, Texts
from pet.language.labels import identity_name
from pet.model import CoreFile, FileState, Missing, Present, SystemBlock
from pet.prompt.budget import Fitted, Gap, PromptLimits, fit_to_budget
from pet.prompt.fence import escape, one_line
from pet.text.lazy_pattern import lazy_pattern
from pet.text.markup import fenced, holds_two_versions, replace_comments
from pet.text.token_estimate import estimate_tokens

Mode = Literal["full", "minimal", "none"]
MODES: tuple[Mode, ...] = get_args(Mode)
Channel = Literal["desktop", "terminal"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillLine:
    name: str
    description: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptInputs:
    """All that decides the prompt. ``files``: what access allows, in any order."""

    files: VisibleFiles
    language: Language
    default_soul: str  # the shipped personality, used if SOUL.md is empty
    pet_name: str
    model: str
    mode: Mode = "full"
    channel: Channel = "desktop"
    tools: tuple[str, ...] = ("read", "write", "edit")  # names of the offered tools
    skills: tuple[SkillLine, ...] = ()
    notes_when_asked: bool = False  # the owner wants notes only on request
    limits: PromptLimits = field(default_factory=PromptLimits)

    @property
    def access(self) -> Access:
        return self.files.access


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the prompt exactly as it is sent. ``cut``: characters of the file that were left out."""

    name: str  # rules, IDENTITY.md, SOUL.md, ..., skills, channel, names
    text: str
    characters: int
    tokens: int  # estimated
    cut: int = 0


_THIN, _RICH = 80, 1_200  # weight of the filled-in text; a wide character weighs 2
_NEARLY_FULL = 0.8  # of the file's limit

_MARKS = lazy_pattern(r"^[\s>#*+\-\d.)_]+|[\s*_]+$")
_PLACEHOLDER = lazy_pattern(r"^[(（\[【<＜].*[)）\]】>＞]$|^[_.…?？—-]*$")


def text_of(state: FileState) -> str:
    """Return the file's text with ``\n`` line ends; "" if it can't be read."""
    if not isinstance(state, Present):
        return ""
    return state.text.replace("\r\n", "\n").replace("\r", "\n")


def user_state(state: FileState, limit: int) -> Literal["none", "thin", "some", "rich", "full"]:
    if isinstance(state, Missing):
        return "none"
    text = text_of(state)
    if len(text) >= limit * _NEARLY_FULL:
        return "full"
    weight = filled_in(text)
    if weight < _THIN:
        return "thin"
    return "rich" if weight >= _RICH else "some"


def memory_state(state: FileState, limit: int) -> Literal["none", "some", "full"]:
    text = text_of(state)
    if not text.strip():
        return "none"
    return "full" if len(text) >= limit * _NEARLY_FULL else "some"


def filled_in(text: str) -> int:
    """Return the weight of a profile's text beyond headings, labels and placeholders; stops counting at _RICH."""
    weight = 0
    for line in replace_comments(text).split("\n"):
        if line.lstrip().startswith("#"):
            continue
        text_part = _MARKS.sub("", line)
        label, colon, value = text_part.partition("：") if "：" in text_part else text_part.partition(":")
        if colon and len(label) <= 40:
            text_part = value.strip(" *_")
        if not _PLACEHOLDER.match(text_part):
            weight += len(text_part) + sum(1 for char in text_part if char > "\u2e7f")
        if weight >= _RICH:
            break
    return weight


_BETWEEN = "\n\n"
_OWNER = re.compile(r"\{\{\s*user\s*\}\}", re.I)
_SKILLS_CHARACTERS = 8_000
_SOUL_BLOCK = ("rules", "IDENTITY.md", "SOUL.md", "TOOLS.md", "AGENTS.md", "skills")
_MEMORY_BLOCK = ("USER.md", "MEMORY.md")
_FULL = (*_SOUL_BLOCK, *_MEMORY_BLOCK, "HEARTBEAT.md", "BOOTSTRAP.md", "channel", "names")
_ORDER: dict[Mode, tuple[str, ...]] = {
    "full": _FULL,
    "minimal": ("rules", "SOUL.md", "TOOLS.md"),
    "none": ("SOUL.md",),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPrompt:
    """``blocks`` are sent; joined, the texts of ``sections`` are the same characters."""

    blocks: tuple[SystemBlock, ...]
    sections: tuple[Section, ...]

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.blocks)


@lru_cache(maxsize=4)
def build_prompt(inputs: PromptInputs) -> SystemPrompt:
    """Return the prompt for these inputs. Cached; equal inputs give equal bytes."""
    texts = Texts(inputs.language)
    files = {state.name: state for state in inputs.files.states}
    drafts = [draft for name in _ORDER[inputs.mode] if (draft := _draft(name, inputs, files, texts))]
    fixed = sum(len(draft.before) + len(draft.after) + len(_BETWEEN) for draft in drafts)
    own = {draft.name: draft.file for draft in drafts if draft.file}
    fitted = fit_to_budget(own, inputs.limits, fixed, partial(_marker, inputs))
    sections = [_section(draft, fitted) for draft in drafts]
    return SystemPrompt(blocks=_blocks(sections), sections=tuple(sections))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """A section before its file is fitted: ``file`` is its whole text."""

    name: str
    before: str = ""
    file: str = ""
    after: str = ""


def _draft(name: str, inputs: PromptInputs, files: dict[str, FileState], texts: Texts) -> _Draft | None:
    limit = inputs.limits.file_characters
    match name:
        case "rules":
            return _Draft(name=name, before=_rules(inputs, texts))
        case CoreFile.SOUL:
            return _soul(inputs, files.get(name, Missing(name=name)), texts)
        case CoreFile.USER | CoreFile.MEMORY if PROMPT_KINDS[name] in inputs.access.in_prompt:
            state = files.get(name, Missing(name=name))
            find = user_state if name == CoreFile.USER else memory_state
            guide = "user" if name == CoreFile.USER else "memory"
            return _file(state, texts(f"prompt.guide.{guide}.{find(state, limit)}"), texts)
        case "skills":
            return _Draft(name=name, before=_skills(inputs, texts)) if inputs.skills else None
        case "channel":
            return _Draft(name=name, before=texts(f"prompt.channel.{inputs.channel}"))
        case "names":
            identity = files.get("IDENTITY.md", Missing(name="IDENTITY.md"))
            own = identity_name(text_of(identity)) or inputs.pet_name
            pet, model = one_line(own, 100), one_line(inputs.model, 200)
            return _Draft(name=name, before=texts("prompt.names", pet=pet, model=model))
        case _ if name in files and not isinstance(files[name], Missing):
            return _file(files[name], texts(f"prompt.guide.{name}"), texts)
        case _:
            return None


def _rules(inputs: PromptInputs, texts: Texts) -> str:
    search = "search" if "memory_search" in inputs.tools else "look"
    if inputs.access.memory and not inputs.access.learns:
        own: tuple[str, ...] = (texts("prompt.rules.read_only"), texts(f"prompt.rules.{search}"))
    elif inputs.access.memory:
        log = "log" if "memory_write" in inputs.tools else "no_log"
        own = (
            texts(
                "prompt.rules.where_asked" if inputs.notes_when_asked else "prompt.rules.where",
                log=texts(f"prompt.rules.{log}"),
            ),
            texts("prompt.rules.how"),
            texts(f"prompt.rules.{search}"),
        )
    else:
        own = (texts("prompt.rules.off"),)
    general = (texts(f"prompt.rules.{name}") for name in ("files", "time", "context", "language", "honest", "soul"))
    lines = (texts("prompt.rules.first"), *general, *own)
    return texts("prompt.rules.who") + "\n\n" + "\n".join(lines)


def _soul(inputs: PromptInputs, state: FileState, texts: Texts) -> _Draft:
    """Return the section of SOUL, which every mode has; the default personality if the file is empty or unusable."""
    own = text_of(state).rstrip()
    if own:
        guide = "present"
    else:
        guide = "none" if isinstance(state, Present | Missing) else "broken"
    # A character card's soul names its owner as {{user}}; the real name is gated.
    shown = _OWNER.sub(lambda _: texts("prompt.soul.owner"), own or inputs.default_soul.strip())
    line = file_warning(state, texts) or texts(f"prompt.guide.soul.{guide}")
    return _around(CoreFile.SOUL.value, shown, line, "" if own else "default")


def file_warning(state: FileState, texts: Texts) -> str:
    """Return the constant line on a file that is lost or holds two versions; "" for any other."""
    if isinstance(state, Missing) and state.lost_at:
        return texts("prompt.guide.lost", file=state.name)
    return texts("prompt.guide.two_versions", file=state.name) if holds_two_versions(text_of(state)) else ""


def file_warnings(files: VisibleFiles, texts: Texts) -> list[tuple[str, str]]:
    """Return the files that have a warning, with it."""
    return [(state.name, line) for state in files.states if (line := file_warning(state, texts))]


def _file(state: FileState, guide: str, texts: Texts) -> _Draft:
    """Return a file's section: its fenced text, a marker if it is empty, only the guide if it is missing."""
    guide = file_warning(state, texts) or guide
    match state:
        case Present():
            own = text_of(state).rstrip("\n")
            if own.strip():
                return _around(state.name, own, guide)
            return _Draft(name=state.name, before=fenced(state.name, texts("prompt.empty"), "empty") + "\n" + guide)
        case Missing():
            return _Draft(name=state.name, before=guide)
        case _:
            return _Draft(name=state.name, before=texts("prompt.guide.broken", file=state.name))


def _around(name: str, text: str, guide: str, state: str = "") -> _Draft:
    before, after = fenced(name, "\0", state).split("\0")
    return _Draft(name=name, before=before, file=text, after=f"{after}\n{guide}")


def _skills(inputs: PromptInputs, texts: Texts) -> str:
    lines: list[str] = []
    room = _SKILLS_CHARACTERS
    for skill in inputs.skills:
        line = f"- {one_line(skill.name, 64)}: {one_line(skill.description, 300)}"
        room -= len(line) + 1
        if room < 0:
            lines.append(texts("prompt.skills.more", count=len(inputs.skills) - len(lines)))
            break
        lines.append(line)
    return texts("prompt.skills") + "\n" + fenced("skills", escape("\n".join(lines)))


def _marker(inputs: PromptInputs, name: str, gap: Gap) -> str:
    """Return the line for the cut middle of a file, with how to read it if a tool can."""
    readable = "read" in inputs.tools and PROMPT_KINDS[name] in inputs.access.readable
    return Texts(inputs.language)(
        "prompt.cut.readable" if readable else "prompt.cut",
        cut=gap.characters,
        total=gap.total,
        first=gap.first_line,
        last=gap.last_line,
    )


def _section(draft: _Draft, fitted: dict[str, Fitted]) -> Section:
    shown = fitted.get(draft.name)
    text = draft.before + (shown.text if shown else "") + draft.after
    return Section(
        name=draft.name,
        text=text,
        characters=len(text),
        tokens=estimate_tokens(text),
        cut=shown.cut if shown else 0,
    )


def _blocks(sections: list[Section]) -> tuple[SystemBlock, ...]:
    """Return blocks for soul, memory and the rest, with a cache breakpoint after the first two."""
    blocks: list[SystemBlock] = []
    soul = [section.text for section in sections if section.name in _SOUL_BLOCK]
    memory = [section.text for section in sections if section.name in _MEMORY_BLOCK]
    rest = [section.text for section in sections if section.name not in (*_SOUL_BLOCK, *_MEMORY_BLOCK)]
    for texts, cache in ((soul, True), (memory, True), (rest, False)):
        if texts:
            between = _BETWEEN if blocks else ""  # servers join blocks without a separator
            blocks.append(SystemBlock(text=between + _BETWEEN.join(texts), cache=cache))
    return tuple(blocks)
