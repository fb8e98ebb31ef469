"""Ctrl+C under replies without an end: heard while they stream, long before a limit ends them."""

from __future__ import annotations

import pytest

from tests.cli.conftest import PetCommand
from tests.cli.test_chat import CTRL_C, SOUL, Console, transcripts
from tests.providers.test_limits import STREAM, Endless, delta

STREAMS: dict[str, tuple[bytes, str]] = {
    "words": (STREAM, "word "),
    "long pieces": (STREAM, "word " * 200),
    "lines": (STREAM, "- word\n"),
}


@pytest.mark.parametrize("what", STREAMS)
def test_ctrl_c_ends_a_reply_without_an_end(pet: PetCommand, what: str) -> None:
    head, text = STREAMS[what]
    pet.write("SOUL.md", SOUL)
    with Endless(head, delta(text, "messages")) as server:
        console = Console(pet.line("chat"), pet.environment(ANTHROPIC_BASE_URL=server.url))
        try:
            console.expect("[memory on] > ")
            console.type("Go on for ever")
            console.expect("word")
            console.type(CTRL_C, enter=False)
            console.expect("Stopped.")
            console.expect("[memory on] > ")
            assert server.hung_up.wait(30)
        finally:
            console.close()
    assert '"end":"stopped"' in transcripts(pet)[0].read_text(encoding="utf-8").replace(" ", "")
