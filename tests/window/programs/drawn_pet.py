"""The program whose pet takes another's place once it is drawn, however long that takes: ``python -m
tests.window.programs.drawn_pet``."""

from __future__ import annotations

from unittest.mock import patch

from pet.__main__ import main

if __name__ == "__main__":
    with patch("pet.extras.several_pets.pets_on_desktop._ARRIVED_AT_MOST_MS", 3_600_000):
        main()
