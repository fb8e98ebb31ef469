"""The search for standing facts: once a day, while memory is on, before a turn reads the files."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pet.access import TurnGate
from pet.engine.memory_maintenance import one_at_a_time
from pet.errors import PetError
from pet.extras.standing_facts.facts import fact_keys, find_standing_facts, with_standing_facts
from pet.language.wishes import asks_to_remember
from pet.memory.store.digest import noted_text
from pet.memory.store.provenance import message_of
from pet.model import MISSING, Author, CoreFile, Present, Receipt, Source
from pet.workspace.gated_files import GatedFiles
from pet.workspace.text_encoding import NotText, decode_text, normalize_newlines

if TYPE_CHECKING:
    from pet.services.pet_files import PetFiles
    from pet.settings.program_state import JsonState

_LOGS = 400  # newest logs that are read
_ASKED = 7  # newest logs whose changes are looked up for what the owner asked for
_FILLED = 0.7  # share of the limit up to which USER.md takes facts
_MOVED = 1_000  # hashes kept
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class FactsDay:
    """The day of a pet's last search, in the program's state, and hashes of the facts moved. Both raise OSError."""

    state: JsonState
    pet: str

    def get(self) -> tuple[str, tuple[str, ...]]:
        value = self.state.read_known().get(f"standing.{self.pet}")  # it is written back: unreadable is not empty
        texts = [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
        day, *moved = texts or [""]
        return day, tuple(moved)

    def set(self, day: str, moved: Sequence[str]) -> None:
        self.state.update({f"standing.{self.pet}": [day, *moved]})


def keep_standing_facts(pet: PetFiles, gate: TurnGate, source: Source, state: FactsDay) -> list[Receipt]:
    """Add standing facts of earlier days' logs to USER.md, at most once a day. Return the receipt, if any.

    A failure is logged and ends the search for the day. Call off the event loop.
    """
    store, settings = pet.store, pet.effective.current()
    if settings.notes_when_asked or not settings.upkeep or not gate.access().learns or gate.stopped:
        return []
    with one_at_a_time:
        today = pet.clock.now().date()
        try:
            last, moved = state.get()
            if last == today.isoformat():
                return []
            state.set(today.isoformat(), moved)
            files = GatedFiles(store, gate, source)
            user, memory = files.current(CoreFile.USER), files.current(CoreFile.MEMORY)
            if not isinstance(user, Present):
                return []
            profile = normalize_newlines(user.text)
            logs = {
                name: log
                for name, log in files.recent_logs(today, _LOGS).items()
                if not name.endswith(f"/{today.isoformat()}.md")
            }
            notes = {each.name: each.text for each in (user, memory) if isinstance(each, Present)} | files.notes()
            known = "\n".join(notes[name] for name in (CoreFile.MEMORY, CoreFile.USER) if name in notes).split("\n")
            room = round(settings.prompt_file_characters * _FILLED) - len(profile)
            gate.check_recall()
            asked = _asked_for(pet, sorted(logs)[-_ASKED:])
            standing = find_standing_facts(logs, known, asked, notes)
            facts = [each for each in standing if not store.forgotten.is_forgotten(each.text)]
            kept = with_standing_facts(profile, facts, moved, pet.texts(), room=room)
            if not kept.added:
                return []
            receipt = files.write(CoreFile.USER, kept.text, base=user.version)
            state.set(today.isoformat(), [*moved, *(fact.key for fact in kept.added)][-_MOVED:])
        except (PetError, OSError) as error:
            _log.warning("standing facts were not kept: %s", type(error).__name__)
            return []
    return [replace(receipt, noted=tuple(noted_text(fact.text) for fact in kept.added))] if receipt else []


def _asked_for(pet: PetFiles, names: Iterable[str]) -> set[str]:
    """Return the keys of facts that came into these logs with messages that asked to remember something.

    Only the conversations that changed these logs are read, each change's own; a change of which either version is
    gone counts as not asked for.
    """
    keys: set[str] = set()
    for name in names:
        changes = list(pet.store.changes(name))
        facts = {change.after: fact_keys(name, _readable(data)) for change, data in changes if data is not None}
        facts[MISSING] = frozenset()
        for change, _ in changes:
            after, before = facts.get(change.after), facts.get(change.before)
            new = after - before if after and before is not None and change.author is Author.PET else None
            if new and not new <= keys and asks_to_remember(message_of(change, pet.store, pet.transcripts)):
                keys |= new
    return keys


def _readable(data: bytes) -> str:
    try:
        return normalize_newlines(decode_text(data).text)
    except NotText:
        return ""
