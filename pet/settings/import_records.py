"""The records of imports: names, versions and ids only, no content. The core reads them to say where an
entry comes from, whether or not imports are there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pet.errors import WriteFailed
from pet.ids import new_id
from pet.model import Author, Receipt
from pet.settings.program_state import JsonState

_MOST_RECORDS = 20


@dataclass(slots=True, kw_only=True)
class ImportRecord:
    """The effects of one import. ``kind``: of the source, ``pet`` for a whole one; ``talks``: size in bytes by
    conversation id, as written; ``new_pet``: the import created the pet."""

    at: str
    kind: str
    id: str = field(default_factory=new_id)
    receipts: list[Receipt] = field(default_factory=list)
    talks: dict[str, int] = field(default_factory=dict)
    new_pet: bool = False


class ImportRecords:
    """The latest imports of a pet, newest last, in a state file."""

    def __init__(self, file: Path, pet_id: str) -> None:
        self._state = JsonState(file)
        self._key = f"imports.{pet_id}"

    def add(self, record: ImportRecord) -> None:
        """Raises NewerFormat, WriteFailed."""
        self._change(lambda kept: [*kept, record][-_MOST_RECORDS:])

    def all(self) -> list[ImportRecord]:
        return self._in(self._state.read())

    def drop(self, record_id: str) -> None:
        """Raises NewerFormat, WriteFailed."""
        self._change(lambda kept: [record for record in kept if record.id != record_id])

    def _in(self, state: Mapping[str, object]) -> list[ImportRecord]:
        kept = state.get(self._key)
        records = map(_from_json, kept) if isinstance(kept, list) else ()
        return [record for record in records if record is not None]

    def _change(self, change: Callable[[list[ImportRecord]], list[ImportRecord]]) -> None:
        try:
            with self._state.held():
                self._state.require_known_format()
                records = change(self._in(self._state.read_known()))
                self._state.update({self._key: [_to_json(record) for record in records]})
        except OSError as problem:
            raise WriteFailed.from_os_error(self._state.name, problem) from problem


def _to_json(record: ImportRecord) -> dict[str, Any]:
    receipts = [
        {
            "file": each.file,
            "history_id": each.history_id,
            "before": each.before,
            "after": each.after,
            "added": each.added,
            "removed": each.removed,
        }
        for each in record.receipts
    ]
    about = {"id": record.id, "at": record.at, "kind": record.kind, "new_pet": record.new_pet}
    return {**about, "receipts": receipts, "talks": record.talks}


def _from_json(data: Mapping[str, Any]) -> ImportRecord | None:
    try:
        return ImportRecord(
            id=str(data["id"]),
            at=str(data["at"]),
            kind=str(data["kind"]),
            receipts=[Receipt(**each, author=Author.OWNER) for each in data["receipts"]],
            talks={str(id_): int(size) for id_, size in data["talks"].items()},
            new_pet=data["new_pet"] is True,
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None
