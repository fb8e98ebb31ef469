"""What a tool is: a name, a schema made for today's access, and an async function.

Owns the shapes and the checking of arguments. Refuses everything the schema does not name.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from pet.errors import PetError, ToolRefused
from pet.gate import Access, TurnGate
from pet.model import Decision, Proposal, Receipt, ToolSpec
from pet.texts import Texts
from pet.workspace.gated import GatedFiles, Snapshot
from pet.workspace.templates import is_untouched

Arguments = Mapping[str, str | int | None]


Confirm = Callable[[Proposal], Awaitable[Decision]]
"""Show the owner the whole change and wait for their word."""


@dataclass(slots=True, kw_only=True)
class ToolContext:
    """All that the tools of one turn may use; nothing in it outlives the turn."""

    files: GatedFiles
    gate: TurnGate
    confirm: Confirm
    snapshot: Snapshot
    texts: Texts
    file_characters: int  # the prompt limit of one file (PRODUCT §4.3, §5.4)
    losing_share: float  # a write that drops more than this share of the lines asks the owner
    agreed: dict[str, str] = field(default_factory=dict)
    """Texts the owner agreed to in this turn: from there on, losing text is measured against them."""
    seen: dict[str, str] = field(default_factory=dict)
    """Texts the model was shown or wrote since the turn began: what a whole new text of its making is based on."""
    failed: set[tuple[str, str]] = field(default_factory=set)
    """Calls that failed in this turn; the same call again is refused unrun."""

    def seen_text(self, name: str) -> str:
        """The file as the model knows it."""
        return self.seen.get(name, self.snapshot.text(name))

    def start_text(self, name: str) -> str:
        """What may not be lost unasked; an untouched template holds nothing that could be."""
        text = self.agreed.get(name, self.snapshot.text(name))
        return "" if is_untouched(name, text) else text


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """``text`` goes to the model; ``error`` and ``receipt`` to the owner."""

    text: str
    error: PetError | None = None
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    describe: Callable[[Access, Texts], ToolSpec]
    run: Callable[[ToolContext, Arguments], Awaitable[ToolOutcome]]


def decode_arguments(spec: ToolSpec, text: str) -> Arguments:
    """The call's arguments, checked against the schema's names and types.

    Raises ToolRefused("bad_arguments") with what was expected, so that the model can mend its call.
    """
    try:
        given = json.loads(text or "{}")
    except (ValueError, RecursionError):
        raise _bad(spec, "JSON") from None
    if not isinstance(given, dict):
        raise _bad(spec, "object")
    properties = spec.schema["properties"]
    required = spec.schema["required"]
    assert isinstance(properties, Mapping)
    assert isinstance(required, list)
    unknown = sorted(given.keys() - properties.keys())
    if unknown:
        raise _bad(spec, f"unknown: {_whole(unknown[0])[:40]}")
    missing = [name for name in required if given.get(name) is None]
    if missing:
        raise _bad(spec, f"missing: {missing[0]}")
    return {name: _checked(spec, name, properties[name]["type"], value) for name, value in given.items()}


def _checked(spec: ToolSpec, name: str, kind: str, value: object) -> str | int | None:
    if value is None:
        return None
    if kind == "integer":
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not isinstance(value, int | float) or not whole or value < 1:
            raise _bad(spec, f"{name}: integer >= 1")
        return int(value)
    if not isinstance(value, str):
        raise _bad(spec, f"{name}: string")
    if "\0" in value:
        raise _bad(spec, f"{name}: NUL")
    return _whole(value)


def _whole(text: str) -> str:
    """A lone surrogate (half an emoji in broken JSON) can't be stored as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _bad(spec: ToolSpec, problem: str) -> ToolRefused:
    return ToolRefused("bad_arguments", tool=spec.name, problem=problem)
