"""The whole program, whose chat counts as unseen for long two seconds after it was hidden or made.

With the argument ``--goes`` its page is dropped also where it comes back slowly.
"""

from __future__ import annotations

import sys

from pet.__main__ import main
from pet.desktop import chat_window

if __name__ == "__main__":
    chat_window.UNSEEN_MS = 2_000
    if "--goes" in sys.argv:
        sys.argv.remove("--goes")
        chat_window.RETURNS_WITHIN_MS = 8_000
    main()
