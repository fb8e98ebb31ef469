"""Format what the terminal prints: diffs, receipts, prompts, lists, and notices about the pet a command acts on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from pet.access import MemoryMode
from pet.bridge.dispatch import CommandFailed
from pet.cli.arguments import Given
from pet.cli.terminal import Terminal, padded, revealed, safe
from pet.clock import SystemClock
from pet.errors import FileBroken, PetError
from pet.events import ErrorInfo
from pet.i18n import Texts, catalogue
from pet.language.repetition import when_words
from pet.model import MISSING, Broken, CoreFile, Missing, Proposal, Receipt
from pet.paths import Home
from pet.services.offers.wording import source_words
from pet.workspace.pet_registry import list_ids
from pet.workspace.pet_toml import display_name, instructions_answer
from pet.workspace.skills import held_back
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.bridge.commands.conversations import ConversationInfo
    from pet.engine.system_prompt import PromptView
    from pet.services.pet_files import PetFiles
    from pet.transcripts.conversation import Conversation
    from pet.workspace.file_history import KeptVersion
    from pet.workspace.line_diff import DiffLine

_SIGNS = {"same": " ", "added": "+", "removed": "-"}
_COLOURS = {"added": "green", "removed": "red"}


def error_text(texts: Texts, error: PetError | ErrorInfo) -> str:
    """Return the message of an error; a general one for unknown codes."""
    if isinstance(error, CommandFailed):
        error = error.error
    info = ErrorInfo.of(error) if isinstance(error, PetError) else error
    arguments = {
        name: texts.number(value, 1) if isinstance(value, float) else safe(str(value))
        for name, value in info.args.items()
    }
    try:
        return texts(f"error.{info.code}", **arguments)
    except KeyError:
        return texts("error.internal", id=info.code)


def gigabytes(size: int, texts: Texts) -> str:
    """Return bytes as gigabytes of 10^9: "1.8", in Spanish "1,8"."""
    return texts.number(size / 1e9, 1)


def diff_rows(lines: Sequence[DiffLine], terminal: Terminal) -> Iterable[str]:
    """Yield the whole diff, with the line numbers of both sides."""
    width = len(str(len(lines)))
    for line in lines:
        old, new = (f"{number or '':>{width}}" for number in (line.old_line, line.new_line))
        row = f"{old} {new} {_SIGNS[line.kind]} {revealed(line.text)}".rstrip()
        yield terminal.painted(row, _COLOURS[line.kind]) if line.kind in _COLOURS else row


def receipt_text(receipt: Receipt, texts: Texts) -> str:
    key = "cli.receipt.merged" if receipt.merged else "cli.receipt"
    return texts(key, file=receipt.file, added=receipt.added, removed=receipt.removed)


def noted_lines(receipt: Receipt, texts: Texts, today: date) -> str:
    """Return what a change wrote, a line per entry; file and line counts if the entries are unknown."""
    lines: list[str] = []
    for each in receipt.noted:
        text = revealed(each.text)
        if each.due:
            when = when_words(date.fromisoformat(each.due), each.at, revealed(each.repeats), today, texts)
            lines.append(texts("cli.receipt.remind", when=when, text=text))
        else:
            key = "cli.receipt.soul" if receipt.file == "SOUL.md" else "cli.receipt.noted"
            lines.append(texts(key, text=text))
    lines = lines or [receipt_text(receipt, texts)]
    if receipt.foreign:
        lines.append(texts("ui.receipt.foreign", sources=source_words(receipt.foreign, texts)))
    return "\n".join(lines)


def facts_of(proposal: Proposal, texts: Texts, today: date) -> Iterator[str]:
    """Yield what is written of a new entry besides its words: when it reminds, and its kind."""
    if proposal.noted is not None:
        due, at, repeats = proposal.noted.due, proposal.noted.at, proposal.noted.repeats
        yield texts("ui.proposal.due", due=revealed(when_words(date.fromisoformat(due), at, repeats, today, texts)))
    if category := proposal.category:
        key = f"ui.category.{category}"
        name = texts(key) if key in catalogue(texts.language) else category
        yield texts("ui.proposal.category", category=revealed(name))


def undo_hint(receipt: Receipt, texts: Texts, pet: str) -> str:
    """Return how to undo a change from the command line. ``pet``: see ``command_for``."""
    if receipt.history_id == MISSING:
        return texts("cli.receipt.new_file", pet=pet, file=receipt.file)
    return texts("cli.receipt.undo", pet=pet, file=receipt.file, version=receipt.history_id)


def version_rows(versions: Sequence[KeptVersion], texts: Texts) -> Iterable[str]:
    agents = [kept.source.agent if kept.source else "" for kept in versions]
    authors = [
        safe(agent or texts(f"cli.author.{kept.author}")) for kept, agent in zip(versions, agents, strict=True)
    ]
    for kept, author in zip(versions, padded(authors), strict=True):
        marks = [texts("cli.history.current")] if kept.current else []
        marks += [texts("cli.history.backup")] if kept.backup else []
        yield "  ".join([kept.id, shown_time(kept.at), f"{kept.bytes:>8}", author, *marks]).rstrip()


def shown_time(at: str) -> str:
    """Format an ISO time for display, to the second."""
    return at[:19].replace("T", " ")


def prompt_rows(view: PromptView, texts: Texts, terminal: Terminal) -> Iterable[str]:
    """Yield every section with its size, then the totals."""
    for section in view.sections:
        size = texts("cli.prompt.size", characters=section.characters, tokens=section.tokens)
        cut = texts("cli.prompt.cut", cut=section.cut) if section.cut else ""
        yield terminal.painted(f"== {section.name} == {size}{cut}", "bold")
        yield safe(section.text.strip("\n"))
        yield ""
    more = [("changes", text) for text in view.changes] + [("beside", text) for text in view.beside]
    for what, text in more:
        yield terminal.painted(f"== {texts(f'ui.sees.{what}')} ==", "bold")
        yield safe(text)
        yield ""
    tools = texts("ui.list.and").join(view.tools)
    yield texts("cli.prompt.total", characters=view.characters, tokens=view.tokens, tools=tools)
    if view.recall_way != "meaning":
        yield texts(f"ui.sees.recall_{view.recall_way}")


def conversation_rows(saved: Sequence[ConversationInfo], active: str | None, texts: Texts) -> Iterable[str]:
    """Yield conversations numbered as for ``/switch``, newest first."""
    modes = [memory_mode_word(MemoryMode.of(each.memory, read_only=each.read_only), texts) for each in saved]
    for number, (each, memory) in enumerate(zip(saved, padded(modes), strict=True), 1):
        mark = "*" if each.id == active else " "
        title = safe(each.title or texts("cli.tabs.untitled"))
        yield f"{mark}{number:>3}  {each.id}  {memory}  {shown_time(each.updated_at)}  {title}"


def memory_mode_word(memory_mode: MemoryMode, texts: Texts) -> str:
    return texts(f"cli.memory_mode.{memory_mode.value}")


def say_which(app: PetFiles, given: Given) -> None:
    """Print the pet's name on stderr if it isn't obvious: not with ``--pet``, ``--json`` or in a chat that greets."""
    if given.pet is not None or given.json or not has_others(app):
        return
    terminal = Terminal.standard()
    if given.command == "chat" and given.once is None and terminal.can_ask:
        return
    terminal.complain(app.texts()("cli.which_pet", name=pet_name(app), id=app.pet_id))


def has_others(app: PetFiles) -> bool:
    """Whether this home has more than one pet."""
    return len(list_ids(app.home)) > 1


def row_about(name: str, about: Iterable[str], texts: Texts) -> str:
    """Return a name with what is to be said about it behind it, in the language's brackets."""
    return texts("cli.row", name=name, about=texts("cli.row.and").join(about))


def command_for(app: PetFiles) -> str:
    """Return the start of a command for this pet, independent of the default pet."""
    return f"pet --pet {app.pet_id}" if has_others(app) else "pet"


def unreadable_notes(conversation: Conversation, texts: Texts) -> list[str]:
    """Return why memory is off if that is because part of the conversation can't be read."""
    switches = [each.kind for each in conversation.dividers if each.kind.startswith("memory")]
    is_lost = switches[-1:] == ["memory_unreadable"]
    return [texts("ui.divider.unreadable"), texts("ui.divider.unreadable_note")] if is_lost else []


def paused_note(app: PetFiles) -> str:
    """Return the notice that memory is paused, with the command that resumes it."""
    if app.pause_record.is_lost():
        return app.texts()("cli.pause_lost", file=app.state.name, command=command_for(app))
    key = "cli.paused_note_named" if has_others(app) else "cli.paused_note"
    return app.texts()(key, name=pet_name(app), id=app.pet_id)


def store_of(home: Home, workspace: Path) -> WorkspaceStore:
    """Return the files of a pet, to be read without its core."""
    return WorkspaceStore(workspace, locks=home.locks, clock=SystemClock())


def lost_text(lost: Missing, command: str, texts: Texts) -> str:
    """Return that a core file is gone, and how its last version or a new one comes. ``command``: see
    ``command_for``."""
    if not lost.kept:
        return texts("error.file_lost", file=lost.name)
    since = shown_time(lost.lost_at)
    return texts("cli.file.lost", file=lost.name, since=since, version=lost.kept, command=command)


def held_text(held: Sequence[str], texts: Texts) -> str:
    """Return that instructions of the workspace are not used, and how that is answered."""
    return texts("cli.file.held", files=texts("ui.list.and").join(held))


def complain_of_files(store: WorkspaceStore, terminal: Terminal, texts: Texts, command: str) -> None:
    """Say which core files are gone, and that messages go out without SOUL.md if it can't be used."""
    for lost in store.lost_files():
        terminal.complain(lost_text(lost, command, texts))
    if instructions_answer(store.root) == "ask" and (held := held_back(store.root)):
        terminal.complain(held_text(held, texts))
    soul = store.read(CoreFile.SOUL.value)
    if isinstance(soul, Broken):
        reason = error_text(texts, FileBroken(file=soul.name, problem=soul.problem))
        terminal.complain(texts("ui.file.no_soul", reason=reason))


def pet_name(app: PetFiles) -> str:
    """Return the pet's name, safe for a terminal."""
    return safe(display_name(app.store.root, app.pet_id, app.texts()))
