"""A real model writes down a name, knows it after a restart, and not while memory is off.

By hand, with the model that ``lab.tool_model.model fetch`` keeps in ``TOOL_MODEL_FOLDER``:

    python -m lab.tool_model.conversation

Prints the conversation and the files. Exits 1 if the name did not get into USER.md, or was not known again.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from lab.tool_model.model import tool_model
from lab.tool_model.spoken import spoken
from pet.app import Pet
from pet.paths import Home, find_home
from pet.transcripts.conversation import Turn
from tests.support.models.local_model import LocalModel

TOLD = "My name is Anna and I love green tea. Please note both in USER.md."
ASKED = "What is your owner's name, and which drink do they love?"


def main() -> int:
    with tool_model() as model, tempfile.TemporaryDirectory() as folder:
        home = find_home(Path(folder))
        told = talk(home, model, TOLD, memory=True)
        asked = talk(home, model, ASKED, memory=True)
        talk(home, model, ASKED, memory=False)
        profile = (home.workspace("pet") / "USER.md").read_text(encoding="utf-8")
    print("\n--- USER.md\n" + profile)
    knows = "Anna" in profile and "Anna" in asked.rounds[-1].text
    print("\nwritten and known again:", knows)
    return 0 if knows and told.tools else 1


def talk(home: Home, model: LocalModel, text: str, *, memory: bool) -> Turn:
    """Run one turn in a new conversation of a new core: only the files are carried over."""
    environ = {"ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": model.key, "PET_MODEL": "local"}
    app = Pet(home, environ=environ, channel="terminal")
    try:
        turn = spoken(app, text, memory=memory)
        print(f"  ({turn.end}, {turn.usage.input_tokens} tokens in, {turn.usage.cache_read_tokens} of them cached)")
        return turn
    finally:
        app.close()


if __name__ == "__main__":
    sys.exit(main())
