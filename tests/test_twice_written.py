"""Rules that the program and its pages both have, in two languages, agree.

Those about texts are compared over one table each, which the tests of both read: characters that can't be seen (all
of Unicode, ``tests/text/test_unseen.py``), the form of searched texts (``tests/language/test_search_form.py``), what
a prompt leaves out (``tests/prompt/test_cuts_in_the_page.py``), when a reminder comes
(``tests/memory/reminders/test_reminders.py``), addresses of this computer (``tests/settings/test_keys.py``), and the
conversation out of its events (``tests/bridge/commands/test_shared_conversations.py``). Here are the numbers.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from pet.memory.search.query import MAX_CHARACTERS
from pet.prompt.budget import _MARKER_ROOM, UNKNOWN_WINDOW
from pet.workspace.attachments import MAX_FILE, MAX_TEXT, MOST_IN_A_MESSAGE

PAGES = Path(__file__).parents[1] / "ui" / "src"
MEGABYTE = 1024 * 1024
NUMBERS = {
    "ipc/upload.ts LARGEST_FILE": MAX_FILE,
    "ipc/upload.ts LARGEST_TEXT": MAX_TEXT,
    "ipc/upload.ts MOST_FILES": MOST_IN_A_MESSAGE,
    "chat/composer.tsx MOST_PREPARED": MAX_CHARACTERS,
    "settings/model/model.tsx ASSUMED_WINDOW": UNKNOWN_WINDOW,
    "settings/editor/truncation.ts MARKER_ROOM": _MARKER_ROOM,
}


@pytest.mark.parametrize("place", NUMBERS)
def test_a_number_of_the_pages_is_that_of_the_program(place: str) -> None:
    file, name = place.split(" ")
    written = re.search(rf"const {name} = ([^;]+);", (PAGES / file).read_text(encoding="utf-8"))
    assert written is not None, place
    factors = [MEGABYTE if each == "MEGABYTE" else ast.literal_eval(each) for each in written[1].split(" * ")]
    value = 1
    for factor in factors:
        value *= factor
    assert value == NUMBERS[place]
