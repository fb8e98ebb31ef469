"""Tool definition: name, schema for the current access, async function; argument validation.

Rejects everything the schema does not name.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from pet.access.policy import Access, TurnGate
from pet.clock import SystemClock
from pet.errors import PetError, ToolRefused
from pet.i18n import Texts
from pet.model import Decision, Proposal, Receipt, ToolSpec
from pet.untrusted.parsers import read_json
from pet.workspace.gated_files import GatedFiles, Snapshot
from pet.workspace.templates import is_untouched

if TYPE_CHECKING:  # lazy at runtime: the index and others are slow to import
    from pet.memory.forget.plan import ForgetOutcome, ForgetPlan
    from pet.memory.gated_memory import GatedMemory
    from pet.workspace.skills import Skill

Value = str | int | float | None
Arguments = Mapping[str, Value]

Confirm = Callable[[Proposal], Awaitable[Decision]]
"""Show the owner the whole change and wait for the decision."""


class Forgetter(Protocol):
    """Erases a text on the owner's request, after listing what would be erased."""

    def find(self, what: str, /) -> ForgetPlan: ...
    def forget(self, plan: ForgetPlan, /) -> ForgetOutcome: ...


@dataclass(slots=True, kw_only=True)
class ToolContext:
    """Dependencies and state of one turn's tools; nothing in it outlives the turn."""

    files: GatedFiles
    gate: TurnGate
    confirm: Confirm
    snapshot: Snapshot
    texts: Texts
    file_characters: int  # prompt limit of one file
    losing_share: float  # a write that removes a larger share of the lines needs confirmation
    said: str = ""  # the owner's message of this turn
    now: Callable[[], datetime] = field(default_factory=lambda: SystemClock().now)  # aware local time
    memory: GatedMemory | None = None
    forget: Forgetter | None = None
    skills: tuple[Skill, ...] = ()  # the skills the pet can load
    search_count: int = 6
    search_min_score: float = 0.0
    agreed: dict[str, str] = field(default_factory=dict)
    """Texts the owner approved in this turn: the new baseline for measuring lost text."""
    seen: dict[str, str] = field(default_factory=dict)
    """Texts shown to or written by the model in this turn: the base of its next whole-file write."""
    failed: set[tuple[str, str]] = field(default_factory=set)
    """Calls that failed in this turn; an identical call is refused without running."""

    def renewed(self) -> ToolContext:
        """For an act of the program's own within the turn: the owner named nothing, and nothing was tried yet."""
        return replace(self, said="", agreed={}, seen={}, failed=set())

    def seen_text(self, name: str) -> str:
        """Return the file as the model knows it."""
        return self.seen.get(name, self.snapshot.text(name))

    def start_text(self, name: str) -> str:
        """Return the text that must not be lost without confirmation; "" for an untouched template."""
        text = self.agreed.get(name, self.snapshot.text(name))
        return "" if is_untouched(name, text) else text


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """``text`` goes to the model; ``error`` and ``receipt`` to the owner."""

    text: str
    error: PetError | None = None
    receipt: Receipt | None = None


Skills = tuple["Skill", ...]


@dataclass(frozen=True, slots=True)
class Tool:
    """``offered``: whether a conversation has it now. ``properties``: its arguments by name, as JSON schemas; of them
    ``required`` must be given. ``tells_memory``: its description says whether memory is on.
    """

    name: str
    offered: Callable[[Access, Skills], bool]
    properties: Callable[[Access, Texts, Skills], dict[str, object]]
    required: tuple[str, ...]
    run: Callable[[ToolContext, Arguments], Awaitable[ToolOutcome]]
    tells_memory: bool = False

    def describe(self, access: Access, texts: Texts, skills: Skills) -> ToolSpec:
        key = f"tool.{self.name}"
        if self.tells_memory:
            key += ".on" if access.memory else ".off"
        schema = {
            "type": "object",
            "properties": self.properties(access, texts, skills),
            "required": list(self.required),
            "additionalProperties": False,
        }
        return ToolSpec(name=self.name, description=texts(key), schema=schema)


def decode_arguments(spec: ToolSpec, text: str) -> Arguments:
    """Return the call's arguments, validated against the schema's names and types.

    Raises ToolRefused("bad_arguments") with the expected arguments, so that the model can correct its call.
    """
    try:
        given = read_json(text or "{}")
    except ValueError:
        raise bad_arguments(spec.name, "JSON") from None
    if not isinstance(given, dict):
        raise bad_arguments(spec.name, "object")
    properties = spec.schema["properties"]
    required = spec.schema["required"]
    assert isinstance(properties, Mapping)
    assert isinstance(required, list)
    unknown = sorted(given.keys() - properties.keys())
    if unknown:
        raise bad_arguments(spec.name, f"unknown: {_whole(unknown[0])[:40]}")
    missing = [name for name in required if given.get(name) is None]
    if missing:
        raise bad_arguments(spec.name, f"missing: {missing[0]}")
    return {name: _checked(spec, name, properties[name]["type"], value) for name, value in given.items()}


def string(arguments: Arguments, name: str) -> str:
    value = arguments.get(name)
    return value if isinstance(value, str) else ""


def whole_number(arguments: Arguments, name: str) -> int | None:
    value = arguments.get(name)
    return value if isinstance(value, int) else None


def _checked(spec: ToolSpec, name: str, kind: str, value: object) -> Value:
    if value is None:
        return None
    if kind == "number":
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
            raise bad_arguments(spec.name, f"{name}: number from 0 to 1")
        return float(value)
    if kind == "integer":
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not isinstance(value, int | float) or not whole or value < 1:
            raise bad_arguments(spec.name, f"{name}: integer >= 1")
        return int(value)
    if not isinstance(value, str):
        raise bad_arguments(spec.name, f"{name}: string")
    if "\0" in value:
        raise bad_arguments(spec.name, f"{name}: NUL")
    return _whole(value)


def _whole(text: str) -> str:
    """Replace unpaired surrogates (half an emoji in broken JSON), which can't be encoded as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def bad_arguments(tool: str, problem: str) -> ToolRefused:
    """Return the error that tells the model which arguments are expected."""
    return ToolRefused("bad_arguments", tool=tool, problem=problem)
