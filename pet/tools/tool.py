"""A tool: name, schema for the current access, async function; the context of its calls, and the owner's approval."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar

from pet.access import Access, TurnGate
from pet.clock import SystemClock
from pet.errors import PetError
from pet.i18n import Texts
from pet.model import Attachment, Decision, ForeignSource, Proposal, Receipt, ToolSpec
from pet.tools.tool_arguments import Arguments, decode_arguments
from pet.transcripts.foreign import ForeignGuard
from pet.workspace.gated_files import GatedFiles, Snapshot
from pet.workspace.templates import is_untouched

if TYPE_CHECKING:
    from pet.memory.search.gated_memory import GatedMemory
    from pet.memory.store.forgetting import ForgetService
    from pet.net.fetch import FetchPolicy
    from pet.workspace.skills import Skill

T = TypeVar("T")
Confirm = Callable[[Proposal], Awaitable[Decision]]
"""Shows the owner the whole change and waits for the decision."""


class Reach(Protocol):
    """Sources beyond the pet's files, within one turn."""

    @property
    def fetches(self) -> Callable[[], FetchPolicy] | None:
        """The fetch policy of tests."""

    @property
    def characters(self) -> int:
        """The most of a text from outside in a request."""

    def owner_texts(self) -> list[str]:
        """Return the owner's messages in this conversation."""

    async def run(self, work: Coroutine[Any, Any, T], /) -> T:
        """Return the result. Raises ToolRefused if the turn ends."""


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
    message: str = ""  # the owner's
    unasked: bool = False  # the owner wants notes only on request, and the message requests none
    foreign: ForeignGuard = field(default_factory=lambda: ForeignGuard(in_request=tuple))
    speaker: str = ""  # another program that makes the calls; its entries begin with it
    now: Callable[[], datetime] = field(default_factory=lambda: SystemClock().now)  # aware local time
    memory: GatedMemory | None = None
    forget: ForgetService | None = None
    skills: tuple[Skill, ...] = ()  # the skills the pet can load
    tombstones: str = ""  # the mark of forgotten texts
    more: tuple[Tool, ...] = ()  # tools that extras have for this turn
    reach: Reach | None = None
    pages_read: int = 0
    agreed: dict[str, str] = field(default_factory=dict)
    """Texts that the owner approved in this turn, by file: the baseline for counting dropped lines."""
    seen: dict[str, str] = field(default_factory=dict)
    """Texts that the model read or wrote in this turn, by file: the base of its next whole-file write."""
    failed: set[tuple[str, str]] = field(default_factory=set)
    """Calls (name, arguments) that failed in this turn; an identical call is refused without running."""

    def renewed(self) -> ToolContext:
        """Return a context for calls that the program asked for itself: without a message or failed calls, and
        without ``unasked``, since the owner may be away. Nothing foreign may be in the request."""
        return replace(
            self, message="", unasked=False, foreign=ForeignGuard(in_request=tuple), agreed={}, seen={}, failed=set()
        )

    def seen_text(self, name: str) -> str:
        """Return the file's text as the model knows it."""
        return self.seen.get(name, self.snapshot.text(name))

    def start_text(self, name: str) -> str:
        """Return the text that must not be lost without confirmation; "" for an untouched template."""
        text = self.agreed.get(name, self.snapshot.text(name))
        return "" if is_untouched(name, text) else text


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnTools:
    """Tools that extras have for one turn; ``missing``: why others of theirs are not there, for the owner."""

    tools: tuple[Tool, ...] = ()
    missing: tuple[PetError, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutcome:
    """Result of a call: ``text`` for the model, ``error``, ``receipt`` and ``pictures`` for the owner. ``foreign``:
    what of others the text is from."""

    text: str
    error: PetError | None = None
    receipt: Receipt | None = None
    pictures: tuple[Attachment, ...] = ()
    foreign: tuple[ForeignSource, ...] = ()


Skills = tuple["Skill", ...]
ToolIcon = Literal["book", "file", "globe", "pencil", "pin", "search", "spark", "trash"]


def text_property(texts: Texts, key: str) -> dict[str, object]:
    """Return the schema of an argument that is a text."""
    return {"type": "string", "description": texts(key)}


@dataclass(frozen=True, slots=True)
class Tool:
    """The record of a tool. Catalogues have its texts: for the model after "tool.", for the owner after "ui.tool.",
    there also with "_some" for a call without a subject.

    ``offered``: whether a conversation has it now. ``properties``: JSON schemas of its arguments by name; of these
    ``required`` must be given. ``varies_by_memory``: its description depends on whether memory is on. ``icon``: of
    its line. ``saves``: whether a reply may say after it that something was saved. ``foreign``: what of others its
    description is.

    >>> async def wave(context: ToolContext, arguments: Arguments) -> ToolOutcome:
    ...     return ToolOutcome(text="waved")
    >>> schema = {"to": {"type": "string"}}
    >>> always = lambda access, skills: True
    >>> tool = Tool("wave", always, lambda access, texts, skills: schema, ("to",), wave, icon="spark", saves=False)
    """

    name: str
    offered: Callable[[Access, Skills], bool]
    properties: Callable[[Access, Texts, Skills], dict[str, object]]
    required: tuple[str, ...]
    run: Callable[[ToolContext, Arguments], Awaitable[ToolOutcome]]
    varies_by_memory: bool = False
    icon: ToolIcon = field(kw_only=True)
    saves: bool = field(kw_only=True)
    foreign: tuple[ForeignSource, ...] = field(kw_only=True, default=())

    def describe(self, access: Access, texts: Texts, skills: Skills) -> ToolSpec:
        key = f"tool.{self.name}"
        if self.varies_by_memory:
            key += ".on" if access.memory else ".off"
        schema = {
            "type": "object",
            "properties": self.properties(access, texts, skills),
            "required": list(self.required),
            "additionalProperties": False,
        }
        return ToolSpec(name=self.name, description=texts(key), schema=schema)

    def decode(self, spec: ToolSpec, text: str) -> Arguments:
        """Return the arguments of a call under ``spec``. Raises ToolRefused. A tool whose schema is another program's
        overrides both."""
        return decode_arguments(spec, text)
