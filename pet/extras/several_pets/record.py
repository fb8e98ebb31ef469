"""Record of the pets on the desktop beside the one used last, in the program's state. A deleted one is removed by
``forget_used``."""

from __future__ import annotations

from pet.extras.several_pets.companions import MOST_PETS
from pet.settings.program_state import COMPANY, JsonState


def read_company(state: JsonState) -> list[str]:
    """Return the pets that are on the desktop beside the one used last, also after the next start."""
    ids = state.read().get(COMPANY)
    return [each for each in ids if isinstance(each, str)][: MOST_PETS - 1] if isinstance(ids, list) else []


def note_company(state: JsonState, pet_id: str, instead_of: str = "") -> None:
    """Record that this pet comes along, at another's place or as well. Raises OSError."""
    with state.held():
        ids = [pet_id if each == instead_of else each for each in read_company(state)]
        state.update({COMPANY: list(dict.fromkeys([*ids, pet_id]))})


def leave_company(state: JsonState, pet_id: str) -> None:
    """Record that this pet no longer comes along. Raises OSError."""
    with state.held():
        if pet_id in (ids := read_company(state)):
            state.update({COMPANY: [each for each in ids if each != pet_id]})
