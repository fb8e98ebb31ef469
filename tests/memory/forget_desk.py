"""A pet with files, versions, copies, transcripts and a real index in a temporary home, and a look at every byte."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from pet.events import ErrorInfo, Forgotten
from pet.i18n import Texts
from pet.ids import new_id
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.store.forgetting import ForgetService
from pet.model import (
    Author,
    ContextPart,
    OpaquePart,
    Present,
    Receipt,
    Source,
    StopReason,
    TextPart,
    ToolCallPart,
    TurnEnd,
    Usage,
    UsedMemory,
)
from pet.paths import Home
from pet.transcripts.entries import (
    Compacted,
    ContextFound,
    RoundCompleted,
    TitleSet,
    ToolCompleted,
    TurnFinished,
    UserMessage,
)
from pet.transcripts.entry_codec import decode_entry
from pet.transcripts.store import Transcript, TranscriptStore
from pet.workspace.store import WorkspaceStore
from tests.support.clocks import SteppingClock


@dataclass
class Pet:
    home: Home
    clock: SteppingClock = field(default_factory=SteppingClock)
    told: list[Forgotten] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True)
        self.store = WorkspaceStore(self.root, locks=self.home.locks, clock=self.clock)
        self.transcripts = TranscriptStore(self.root / "conversations", "here", self.clock)
        self.index: MemoryIndex = open_index(self.root, self.home.cache, embedder=None)
        self.forgetting = ForgetService(
            self.store,
            self.transcripts,
            self.index.purge,
            texts=lambda: Texts("en"),
            extra_files=(self.home.tabs_file,),
            emit=self.told.append,
        )

    @property
    def root(self) -> Path:
        return self.home.pets / "pet"

    def put(self, name: str, data: str | bytes) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())

    def bytes(self, name: str) -> bytes:
        return (self.root / name).read_bytes()

    def text(self, name: str) -> str:
        return self.bytes(name).decode()

    def save(self, name: str, text: str, source: Source | None = None) -> Receipt:
        state = self.store.read(name)
        base = state.version if isinstance(state, Present) else "missing"
        author = Author.PET if source else Author.OWNER
        receipt = self.store.write(name, text, base=base, author=author, source=source)
        assert receipt is not None
        return receipt

    def save_if_other(self, name: str, text: str, source: Source) -> None:
        state = self.store.read(name)
        base = state.version if isinstance(state, Present) else "missing"
        self.store.write(name, text, base=base, author=Author.PET, source=source)

    def said_aloud(self) -> list[str]:
        """Every word of owner and pet, in all conversations, in order."""
        said: list[str] = []
        for file in sorted((self.root / "conversations").glob("*.jsonl")):
            for line in file.read_text(encoding="utf-8").splitlines():
                entry = decode_entry(line)
                match entry:
                    case UserMessage(text=text):
                        said.append(text)
                    case RoundCompleted(parts=parts):
                        said += [part.text for part in parts if isinstance(part, TextPart)]
                    case TurnFinished(cut_text=text):
                        said.append(text)
                    case _:
                        pass
        return said

    def talk(self) -> Talk:
        return Talk(self.transcripts.create(memory=True), self.clock)

    def where(self, text: str) -> list[str]:
        """Every file under the home whose bytes hold the text, in any form it might be written in."""
        forms = _forms(text)
        files = [path for path in self.home.data.parent.rglob("*") if path.is_file()]
        return sorted(
            path.relative_to(self.home.data.parent).as_posix()
            for path in files
            if any(form in path.read_bytes() for form in forms)
        )


def _forms(text: str) -> set[bytes]:
    spellings = {text, text.lower(), text.upper(), text.title()}
    encoded = {form.encode(code) for form in spellings for code in ("utf-8", "utf-16-le", "utf-16-be")}
    return encoded | {json.dumps(form)[1:-1].encode() for form in spellings}


@dataclass
class Talk:
    """A conversation that is written entry by entry."""

    transcript: Transcript
    clock: SteppingClock

    @property
    def id(self) -> str:
        return self.transcript.id

    def _now(self) -> str:
        return self.clock.now().isoformat()

    def said(self, text: str, *, recalled: str = "") -> str:
        turn = new_id()
        context = (ContextPart(kind="recent_days", text=recalled, gated=True),) if recalled else ()
        self.transcript.append(
            UserMessage(id=new_id(), at=self._now(), turn=turn, text=text, context=context, memory=True), durable=True
        )
        return turn

    def found(self, turn: str, text: str, *, sent: str = "") -> None:
        """``sent``: the section of the request, where it is more than the text."""
        used = UsedMemory(path="MEMORY.md", start_line=1, end_line=1, source="memory", snippet=text)
        part = ContextPart(kind="recall", text=sent or text, gated=True)
        self.transcript.append(ContextFound(id=new_id(), at=self._now(), turn=turn, context=(part,), used=(used,)))

    def replied(self, turn: str, text: str, *, thought: str = "", calls: tuple[ToolCallPart, ...] = ()) -> None:
        parts: list[OpaquePart | TextPart | ToolCallPart] = []
        if thought:
            parts.append(OpaquePart(raw={"type": "thinking", "thinking": thought, "signature": "c2ln"}))
        parts += [TextPart(text=text), *calls]
        self.transcript.append(
            RoundCompleted(
                id=new_id(),
                at=self._now(),
                turn=turn,
                round=1,
                parts=tuple(parts),
                stop=StopReason.END_TURN,
                usage=Usage(),
                model="m",
            )
        )

    def call(self, name: str, **arguments: object) -> ToolCallPart:
        return ToolCallPart(id=new_id(), name=name, arguments=json.dumps(arguments))

    def answered(
        self,
        turn: str,
        call: ToolCallPart,
        text: str,
        *,
        error: ErrorInfo | None = None,
        receipt: Receipt | None = None,
    ) -> None:
        self.transcript.append(
            ToolCompleted(
                id=new_id(),
                at=self._now(),
                turn=turn,
                round=1,
                call_id=call.id,
                tool=call.name,
                file=None,
                text=text,
                is_error=error is not None,
                error=error,
                receipt=receipt,
            )
        )

    def closed(self, turn: str, cut_text: str = "") -> None:
        self.transcript.append(
            TurnFinished(
                id=new_id(), at=self._now(), turn=turn, end=TurnEnd.DONE, error=None, round=1, cut_text=cut_text
            )
        )

    def titled(self, title: str) -> None:
        self.transcript.append(TitleSet(id=new_id(), at=self._now(), title=title))

    def summed_up(self, turn: str, text: str) -> None:
        self.transcript.append(
            Compacted(id=new_id(), at=self._now(), upto=turn, memory=True, text=text, usage=Usage())
        )
