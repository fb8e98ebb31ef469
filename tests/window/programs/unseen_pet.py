"""The whole program, whose chat counts as unseen for long two seconds after it was hidden or made."""

from __future__ import annotations

from pet.__main__ import main
from pet.desktop import chat_window

if __name__ == "__main__":
    chat_window.UNSEEN_MS = 2_000
    main()
