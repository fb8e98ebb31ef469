"""Recently opened pets, newest first. Program state, so it may be lost."""

from __future__ import annotations

from pet.settings.json_state import JsonState

_LAST = "pet"
_EARLIER = "pets_before"
_MOST = 32


def used_pets(state: JsonState) -> list[str]:
    """Return unique ids, newest first. A pet in the list may have been deleted by hand."""
    return _read(state.read())


def note_used(state: JsonState, pet_id: str) -> None:
    """Move this pet to the front: the program starts with it next time. Raises OSError."""
    if state.read().get(_LAST) == pet_id:
        return
    with state.held():
        _write(state, [pet_id, *(each for each in used_pets(state) if each != pet_id)])


def forget_used(state: JsonState, pet_id: str) -> None:
    """Remove a deleted pet; the one opened before it takes its place. Raises OSError."""
    with state.held():
        used = used_pets(state)
        if pet_id in used:
            _write(state, [each for each in used if each != pet_id])


def _read(values: dict[str, object]) -> list[str]:
    earlier = values.get(_EARLIER)
    ids = [values.get(_LAST), *(earlier if isinstance(earlier, list) else ())]
    return list(dict.fromkeys(each for each in ids if isinstance(each, str)))


def _write(state: JsonState, used: list[str]) -> None:
    others = {name: value for name, value in state.read_known().items() if name not in (_LAST, _EARLIER)}
    kept: dict[str, object] = {_LAST: used[0]} if used else {}
    if used[1:]:
        kept[_EARLIER] = used[1:_MOST]
    state.write({**others, **kept})
