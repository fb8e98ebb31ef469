"""Questions of the pet after what is remembered: how the exam went, and whether a line still holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, ExtraParts

if TYPE_CHECKING:
    from pet.app.pet import Pet


def _make(pet: Pet) -> ExtraParts:
    def start() -> None:
        from pet.extras.questions.asking import Questions

        Questions(pet).join(pet.bubble)

    return ExtraParts(start=start)


EXTRA = Extra(make=_make)
