"""The chat in the terminal: through a pseudo terminal as a person has it, and from a pipe."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import SECONDS, PetCommand
from tests.support.program.warm_pet import is_warm
from tests.support.servers.protocol_replies import Call, Hold, stream
from tests.support.servers.protocol_server import ProtocolServer
from tests.support.waiting import wait_for

CTRL_C, CTRL_D = "\x03", "\x04"
PRESS_AGAIN_SECONDS = 3.0
SOUL = "# Soul\n\nI am small.\n"


class Console:
    """A process on a terminal of its own; ``expect`` reads until a text has come."""

    def __init__(self, line: list[str], environ: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        self.process = subprocess.Popen(
            line,
            env={**environ, "TERM": "dumb"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            preexec_fn=None if is_warm(line) else lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        self._unread = ""

    def type(self, text: str, *, enter: bool = True) -> None:
        os.write(self._master, (text + ("\n" if enter else "")).encode())

    def interrupt(self, until: str) -> str:
        """Ctrl+C at a question. Between printing it and waiting for the answer Python itself may miss a signal; a
        person would just press again, and so does this."""
        deadline = time.monotonic() + SECONDS
        while True:
            self.type(CTRL_C, enter=False)
            if self._comes(until, PRESS_AGAIN_SECONDS) or time.monotonic() > deadline:
                return self.expect(until)

    def expect(self, text: str) -> str:
        """Everything up to and with the text."""
        assert self._comes(text, SECONDS), f"{text!r} did not come, but {self._unread[-2000:]!r}"
        before, _, self._unread = self._unread.partition(text)
        return before + text

    def _comes(self, text: str, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        while text not in self._unread:
            ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
            more = self._read() if ready else b""
            if not more:
                return False
            self._unread += more.decode("utf-8", "replace").replace("\r\n", "\n")
        return True

    def ends(self) -> int:
        while self._read():
            pass
        return self.process.wait(SECONDS)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._master)

    def _read(self) -> bytes:
        try:
            return os.read(self._master, 65536)
        except OSError:  # the other side is closed
            return b""


@pytest.fixture
def console(pet: PetCommand, request: pytest.FixtureRequest) -> Iterator[Console]:
    """A chat; for a parameter True in a process of its own."""
    pet.write("SOUL.md", SOUL)
    own = getattr(request, "param", False)
    console = Console(pet.process_line("chat") if own else pet.line("chat"), pet.environment())
    console.expect("[memory on] > ")
    yield console
    console.close()


in_its_own_process = pytest.mark.parametrize("console", [True], indirect=True, ids=["process"])


def say(console: Console, text: str, answer: str) -> str:
    console.type(text)
    said = console.expect(answer)
    return said + console.expect("] > ")


def transcripts(pet: PetCommand) -> list[Path]:
    return sorted((pet.workspace / "conversations").glob("*.jsonl"))


@in_its_own_process  # Python's own terminal and signals
def test_a_reply_streams_and_ctrl_c_keeps_what_was_said(
    pet: PetCommand, server: ProtocolServer, console: Console
) -> None:
    server.queue(stream("Once upon 一天 ", Hold("middle"), "never said"))
    console.type("Tell me a story")
    console.expect("Once upon 一天")
    server.reached("middle")
    console.type(CTRL_C, enter=False)
    console.expect("Stopped.")
    console.expect("[memory on] > ")
    assert "Once upon" in transcripts(pet)[0].read_text(encoding="utf-8")
    say(console, "Go on", "Hello.")
    sent = json.dumps(server.messages[-1].json, ensure_ascii=False)
    assert "Once upon 一天" in sent and "never said" not in sent


@in_its_own_process  # the same
def test_ctrl_c_at_the_prompt_clears_the_line_and_ctrl_d_leaves(console: Console, server: ProtocolServer) -> None:
    console.type("not sent", enter=False)
    console.expect("not sent")
    console.interrupt("Ctrl+D")
    console.expect("] > ")
    console.type(CTRL_D, enter=False)
    assert console.ends() == 0
    assert server.messages == []


@in_its_own_process  # in which no embedder is loaded yet
def test_recall_is_got_ready_before_the_first_message(console: Console, pet: PetCommand) -> None:
    wait_for("a loaded index", lambda: (pet.home / "cache" / "index").exists() or None)


def test_nothing_of_recall_is_loaded_with_memory_off(pet: PetCommand) -> None:
    console = Console(pet.process_line("chat", "--memory", "off"), pet.environment())  # it is what it loads
    console.expect("[memory off] > ")
    console.type(CTRL_D, enter=False)
    console.ends()
    assert not (pet.home / "cache" / "index").exists()


def test_the_switch_shows_in_the_prompt_and_holds(pet: PetCommand, server: ProtocolServer, console: Console) -> None:
    pet.write("USER.md", "canary-4417\n")
    say(console, "/memory off", "[memory off")
    say(console, "Who am I?", "Hello.")
    assert b"canary-4417" not in server.messages[-1].body
    say(console, "/brain on", "[memory on")
    say(console, "Who am I?", "Hello.")
    assert b"canary-4417" in server.messages[-1].body
    pet.write("memory/2026-02-24.md", "# Memory Log: 2026-02-24\n\n## [09:00:00] fact\n\nRain.\n")
    shown = say(console, "/memory", "Logs: days 1 (2026-02-24 to 2026-02-24), entries 1")
    assert "canary-4417" in shown and "USER.md: entries 1, characters 12" in shown
    assert "I am small." in say(console, "/soul", "small")


def test_receipt_is_printed_and_undone(pet: PetCommand, server: ProtocolServer, console: Console) -> None:
    for text in ("- one\n", "- one\n- two\n"):
        server.queue(stream(Call("write", {"path": "MEMORY.md", "content": text})), stream("Noted."))
        assert "Wrote down" in say(console, "Remember", "Noted.")
    say(console, "/undo", "Undone: two")
    assert pet.read("MEMORY.md") == "- one\n"
    say(console, "/undo", "Undone: one")
    assert not (pet.workspace / "MEMORY.md").exists()
    say(console, "/undo", "othing left")


def test_a_change_of_the_soul_shows_whole_and_enter_does_not_allow(
    pet: PetCommand, server: ProtocolServer, console: Console
) -> None:
    new = "# Soul\n\n" + "".join(f"I am line {number}.\n" for number in range(120))
    server.queue(stream(Call("write", {"path": "SOUL.md", "content": new})), stream("Thank you."))
    console.type("Grow")
    shown = console.expect("[r]efuse? ")
    assert all(f"+ I am line {number}." in shown for number in range(120)) and "- I am small." in shown
    console.type("")
    console.expect("Enter alone decides nothing")
    console.expect("[r]efuse? ")
    assert pet.read("SOUL.md") == SOUL
    console.type("a")
    console.expect("Thank you.")
    assert pet.read("SOUL.md") == new


def test_a_refused_change_and_one_broken_off_are_not_made(
    pet: PetCommand, server: ProtocolServer, console: Console
) -> None:
    change = Call("write", {"path": "SOUL.md", "content": "# Soul\n\nI am loud.\n"})
    server.queue(stream(change), stream("As you like."), stream(change), stream("never"))
    console.type("Be loud")
    console.expect("[r]efuse? ")
    say(console, "r", "As you like.")
    console.type("Be loud!")
    console.expect("[r]efuse? ")
    console.interrupt("Stopped.")
    console.expect("] > ")
    assert pet.read("SOUL.md") == SOUL
    assert len(server.messages) == 3


def test_the_owners_editor_has_the_last_word(pet: PetCommand, server: ProtocolServer, tmp_path: Path) -> None:
    pet.write("SOUL.md", SOUL)
    editor = tmp_path / "my editor.py"
    editor.write_text(
        "import pathlib, sys\np = pathlib.Path(sys.argv[1])\n"
        "p.write_text(p.read_text(encoding='utf-8').replace('loud', '安静'), encoding='utf-8')\n",
        encoding="utf-8",
    )
    server.queue(stream(Call("write", {"path": "SOUL.md", "content": "# Soul\n\nI am loud.\n"})), stream("I see."))
    console = Console(pet.line("chat"), pet.environment(EDITOR=f"{sys.executable} '{editor}'"))
    try:
        console.expect("] > ")
        console.type("Be loud")
        console.expect("[r]efuse? ")
        console.type("e")
        assert "+ I am 安静." in console.expect("[r]efuse? ")
        say(console, "allow", "I see.")
    finally:
        console.close()
    assert pet.read("SOUL.md") == "# Soul\n\nI am 安静.\n"
    assert "安静" in server.messages[-1].last_text()


def test_conversations_are_listed_and_switched(pet: PetCommand, server: ProtocolServer, console: Console) -> None:
    say(console, "the first topic", "Hello.")
    say(console, "/brain off", "[memory off")
    say(console, "/new", "[memory on")
    say(console, "the second topic", "Hello.")
    listed = say(console, "/tabs", "First topic")
    assert re.search(r"\*\s+1 .* on .*Second topic", listed)
    assert "[memory off" in say(console, "/switch 2", "the first topic")
    say(console, "more", "Hello.")
    assert b"the first topic" in server.messages[-1].body
    assert b"the second topic" not in server.messages[-1].body
    assert "There is no such conversation" in say(console, "/switch 9", "deleted")
    say(console, "/new temporary", "[temporary")
    say(console, "nothing of this", "Hello.")
    say(console, "/remember nothing of this", "nothing in it is written down")
    assert not list((pet.workspace / "memory").glob("*.md"))
    assert len(transcripts(pet)) == 2


def test_the_pause_of_another_process_reaches_an_open_chat(
    pet: PetCommand, server: ProtocolServer, console: Console
) -> None:
    pet.write("USER.md", "canary-5523\n")
    assert pet("pause").code == 0
    say(console, "Hi", "Hello.")
    assert b"canary-5523" not in server.messages[-1].body
    assert "paused" in say(console, "", "[memory off, paused")


def test_the_looks_at_the_prompt(console: Console) -> None:
    assert "== SOUL.md ==" in say(console, "/prompt", "Tools:")
    assert "20,000" not in say(console, "/bootstrap", "BOOTSTRAP.md")
    say(console, "/context", "0 earlier messages")
    say(console, "/help", "/undo")
    say(console, "/fly", "/help lists them")


def test_missing_key_is_prompted_once_and_not_stored(pet: PetCommand) -> None:
    key = "sk-typed-0123456789"
    console = Console(pet.line("chat"), pet.environment(ANTHROPIC_BASE_URL="https://model.invalid"))
    try:
        console.expect("not shown")
        console.type(key)
        assert key not in console.expect("[memory on] > ")
        console.type("/quit")
        assert console.ends() == 0
    finally:
        console.close()
    assert [path for path in pet.home.rglob("*") if path.is_file() and key.encode() in path.read_bytes()] == []


def test_lines_of_a_pipe_are_messages(pet: PetCommand, server: ProtocolServer) -> None:
    server.queue(stream("One."), stream("Two."))
    ended = pet("chat", typed="first\nsecond \\\nwith more\n")
    assert (ended.code, ended.out) == (0, "One.\nTwo.\n")
    assert server.messages[-1].last_text().endswith("second \nwith more")


@pytest.mark.parametrize("command", ["mcp", "agent"])
def test_what_programs_start_does_not_wait_for_a_person(pet: PetCommand, command: str) -> None:
    console = Console(pet.line(command), pet.environment())
    try:
        console.expect(f"To set one up: pet {command} install CLIENT")
        assert console.ends() == 2
    finally:
        console.close()


def test_a_text_that_is_typed_is_asked_for(pet: PetCommand) -> None:
    console = Console(pet.line("chat", "--once", "-"), pet.environment())
    try:
        console.expect("Ctrl+D on an empty line")
        console.type(f"Hi\n{CTRL_D}", enter=False)
        console.expect("Hello.")
        assert console.ends() == 0
    finally:
        console.close()


def test_no_picture_is_written_to_a_terminal(pet: PetCommand) -> None:
    console = Console(pet.line("export", "--card", "-"), pet.environment())
    try:
        console.expect("a picture, which a terminal can't show")
        assert console.ends() == 2
    finally:
        console.close()


def test_what_the_owner_had_remembered_is_undone(pet: PetCommand) -> None:
    said = pet("chat", typed="/remember My boat is called Albatross.\n/undo\n/undo\n").out
    assert "Undone: My boat is called Albatross." in said and "othing left" in said.splitlines()[-1]
    assert not list((pet.workspace / "memory").glob("*.md"))


def test_pet_without_a_display_but_with_a_terminal_starts_the_chat(pet: PetCommand) -> None:
    console = Console(pet.process_line(), pet.environment())  # the first start as a person has it
    try:
        console.expect("no screen here")
        console.expect("[memory on] > ")
        console.type("/quit")
        assert console.ends() == 0
    finally:
        console.close()


def test_the_owner_s_memory_commands(pet: PetCommand, server: ProtocolServer, console: Console) -> None:
    console.type("/remember My boat is called Albatross.")
    console.expect("Wrote down")
    console.type("/search what is my boat called")
    console.expect("Albatross")
    console.type("/compact")
    console.expect("Nothing to summarise yet")
    console.type("/forget Albatross")
    console.expect("Albatross")
    console.type("no")
    console.expect("[memory on] > ")
    (log,) = (pet.workspace / "memory").glob("*.md")
    assert "Albatross" in log.read_text(encoding="utf-8")
    assert server.requests == []


def test_a_long_talk_is_summed_up_on_request(console: Console, server: ProtocolServer) -> None:
    for number in range(12):
        server.queue(stream(f"answer {number}"))
        say(console, f"message {number}", f"answer {number}")
    server.queue(stream("nothing"), stream("## Facts\n- we counted"))
    console.type("/compact")
    console.expect("The model now gets a summary")
    server.queue(stream("Going on."))
    say(console, "and now?", "Going on.")
    assert "we counted" in json.dumps(server.messages[-1].json)


def test_a_claim_without_a_note_is_marked(console: Console, server: ProtocolServer) -> None:
    server.queue(stream("I've saved that for you."))
    said = say(console, "My boat is called Albatross.", "I've saved that for you.")
    assert "Nothing was written down for this" in said


@pytest.mark.parametrize(
    ("words", "closed", "code"),
    [
        (("chat",), 0, 0),
        (("settings", "key"), 0, 1),
        (("import", "-", "--yes"), 0, 0),
        (("chat", "--once", "Hi"), 1, 0),
    ],
)
def test_a_closed_stream_is_an_empty_one(pet: PetCommand, words: tuple[str, ...], closed: int, code: int) -> None:
    ended = subprocess.run(
        pet.process_line(*words),  # Python looks for its streams when it starts
        env=pet.environment() | {"LD_PRELOAD": ""},  # libfaketime would open a file of its own in its place
        stdin=subprocess.DEVNULL,
        capture_output=True,
        preexec_fn=lambda: os.close(closed),  # as some schedulers start a program
        timeout=SECONDS,
        check=False,
    )
    assert (ended.returncode, b"Something went wrong" in ended.stderr) == (code, False)


@pytest.mark.parametrize(("answer", "used"), [("yes", True), ("no", False)])
def test_instructions_of_another_programs_workspace_are_asked_about_once(
    pet: PetCommand, server: ProtocolServer, answer: str, used: bool
) -> None:
    (pet.workspace / "memory").mkdir(parents=True)
    pet.write("SOUL.md", SOUL)
    pet.write("AGENTS.md", "canary-7719\n")
    assert "AGENTS.md came with this folder" in pet("chat", "--once", "Hello").err
    console = Console(pet.line("chat"), pet.environment())
    try:
        console.expect("AGENTS.md came with this folder and instruct the model. Use them? [yes/no] ")
        console.type(answer)
        console.expect("[memory on] > ")
        console.type(CTRL_D, enter=False)
        console.ends()
    finally:
        console.close()
    said = pet("chat", "--once", "Hello again")
    assert "AGENTS.md came" not in said.err
    sent = [b"canary-7719" in each.body for each in server.messages]
    assert (sent[0], sent[-1]) == (False, used)
