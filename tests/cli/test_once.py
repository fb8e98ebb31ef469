"""``pet chat --once``: the answer on stdout, the files written, the memory switch, the owner's word beforehand."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.cli.conftest import SECONDS, PetCommand
from tests.support.servers.protocol_replies import Call, Reply, error, rate_limited, stream
from tests.support.servers.protocol_server import ProtocolServer, Recorded

PROFILE = "# Me\n\n- name: \n"
SOUL = "# Soul\n\nI am small.\n"
NEW_SOUL = "# Soul\n\nI am brave.\n"


def soul_change() -> Call:
    return Call("write", {"path": "SOUL.md", "content": NEW_SOUL})


def test_stdout_is_the_answer_and_nothing_else(pet: PetCommand, server: ProtocolServer) -> None:
    server.queue(stream("Hello ", "world, ", "你好 🐾"))
    ended = pet("chat", "--once", "Hi")
    assert (ended.code, ended.out, ended.err) == (0, "Hello world, 你好 🐾\n", "")


def test_the_first_start_makes_the_pet_in_the_language_of_the_system(pet: PetCommand) -> None:
    assert pet("chat", "--once", "Hi", LANG="zh_CN.UTF-8").code == 0
    assert "灵魂" in pet.read("SOUL.md") or "我" in pet.read("SOUL.md")
    assert not (pet.workspace / "MEMORY.md").exists()


def test_chinese_goes_and_comes_unharmed_whatever_the_locale(pet: PetCommand, server: ProtocolServer) -> None:
    for locale in ("C", "POSIX", "en_US.ISO-8859-1"):
        server.queue(stream("记住了：“猫”。"))
        ended = pet("chat", "--once", "我叫小明，喜欢猫", LANG=locale, LC_ALL=locale)
        assert (ended.code, ended.out) == (0, "记住了：“猫”。\n"), locale
        assert "我叫小明，喜欢猫" in server.messages[-1].last_text(), locale


def large_soul(pet: PetCommand) -> None:
    with (pet.workspace / "SOUL.md").open("wb") as soul:
        soul.write(b"canary-soul\n" * 4_200_000)  # 50 MB


@pytest.mark.parametrize("once", [True, False])
def test_a_soul_that_is_too_large_is_said_to_be_left_out(pet: PetCommand, server: ProtocolServer, once: bool) -> None:
    pet.write("SOUL.md", SOUL)
    assert "SOUL.md" not in pet("chat", "--once", "Hi").err
    large_soul(pet)
    ended = pet("chat", "--once", "Hi") if once else pet("chat", typed="Hi\n")
    assert ended.code == 0
    assert "Messages go out without SOUL.md. SOUL.md is too large" in ended.err
    assert b"canary-soul" not in server.messages[-1].body


@pytest.mark.parametrize(
    ("once", "typed", "message"),
    [
        ("Explain", "int x;\n你好\n", "Explain\n\nint x;\n你好"),
        ("Explain", "\n", "Explain"),
        ("-", "What is\nthis?\n", "What is\nthis?"),
    ],
)
def test_text_from_a_pipe_goes_with_the_question(
    pet: PetCommand, server: ProtocolServer, once: str, typed: str, message: str
) -> None:
    ended = pet("chat", "--once", once, typed=typed, LC_ALL="C")
    assert (ended.code, ended.out) == (0, "Hello.\n")
    assert server.messages[-1].last_text().endswith(f"{message}")
    (talk,) = (pet.workspace / "conversations").glob("*.jsonl")
    assert json.dumps(message, ensure_ascii=False) in talk.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("once", "content", "code", "reason"),
    [
        ("-", b"", 2, "nothing to say"),
        ("Explain", b"\x89PNG\r\n\x1a\n\0\0", 2, "no text"),
        ("Explain", b"a\0b", 2, "no text"),
        ("Explain", b"a" * (2 << 20), 1, "2 million"),
    ],
)
def test_what_no_message_can_be_made_of_is_refused(
    pet: PetCommand, server: ProtocolServer, once: str, content: bytes, code: int, reason: str
) -> None:
    ended = subprocess.run(
        pet.line("chat", "--once", once), env=pet.environment(), input=content, capture_output=True, check=False
    )
    assert ended.returncode == code and reason in ended.stderr.decode()
    assert server.messages == []


@pytest.mark.parametrize(
    ("once", "said", "message"),
    [("-", b"Waiting for the text", "at last"), ("Explain", b"Nothing came from the pipe", "Explain")],
    ids=["needed", "beside a question"],
)
def test_a_pipe_without_text_is_waited_for_aloud_if_it_is_needed(
    pet: PetCommand, server: ProtocolServer, once: str, said: bytes, message: str
) -> None:
    process = subprocess.Popen(
        pet.line("chat", "--once", once),
        env=pet.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdin and process.stderr
    assert said in process.stderr.readline()
    if once == "-":
        assert process.communicate(b"at last", timeout=SECONDS)[0] == b"Hello.\n"
    else:  # the pipe stays open
        assert process.stdout and process.stdout.read() == b"Hello.\n"
        process.communicate(timeout=SECONDS)
    assert server.messages[-1].last_text().endswith(message)


def test_once_sends_what_was_noted_long_ago(pet: PetCommand, server: ProtocolServer) -> None:
    log = "# Memory Log: 2026-02-24\n\n## [14:30:15] fact\n\nOwner: My violin teacher is called Ingeborg Falk.\n"
    (pet.workspace / "memory").mkdir(parents=True)
    (pet.workspace / "memory" / "2026-02-24.md").write_text(log, "utf-8")
    server.queue(stream("Ingeborg Falk."))
    ended = pet("chat", "--memory", "on", "--once", "What is the name of my violin teacher?")
    assert ended.code == 0
    sent = server.messages[-1].body.decode()
    assert 'name=\\"recall\\"' in sent


def test_once_runs_edit_tool_with_memory_on(pet: PetCommand, server: ProtocolServer) -> None:
    pet.write("USER.md", PROFILE)
    server.queue(
        stream("One moment.", Call("edit", {"path": "USER.md", "old_text": "name:", "new_text": "name: Anna"})),
        stream("Nice to meet you, Anna."),
    )
    ended = pet("chat", "--once", "I am Anna", "--memory", "on")
    assert ended.code == 0
    assert ended.out == "One moment.\nNice to meet you, Anna.\n"
    assert pet.read("USER.md") == PROFILE.replace("name:", "name: Anna")
    assert "USER.md" in ended.err  # the receipt, with the way back
    undo = next(line for line in ended.err.splitlines() if "pet restore" in line).split("pet ")[1].split()
    assert pet(*undo).code == 0
    assert pet.read("USER.md") == PROFILE
    (talk,) = (pet.workspace / "conversations").glob("*.jsonl")
    assert '"state":"undone"' in talk.read_text().splitlines()[-1]
    ended = pet("chat", "--conversation", talk.stem, typed="/undo\n")
    assert "othing left" in ended.out


def test_with_memory_off_no_byte_of_the_gated_files_leaves(pet: PetCommand, server: ProtocolServer) -> None:
    pet.write("USER.md", "# Me\n\ncanary-user-7261\n")
    pet.write("MEMORY.md", "canary-memory-7261\n")
    pet.write("memory/2026-11-20.md", "canary-log-7261\n")
    server.queue(
        stream(
            Call("read", {"path": "USER.md"}, id="one"),
            Call("write", {"path": "MEMORY.md", "content": "x"}, id="two"),
            Call("edit", {"path": "USER.md", "old_text": "canary", "new_text": "x"}, id="three"),
        ),
        stream("I can't see that now."),
    )
    ended = pet("chat", "--once", "Who am I?", "--memory", "off")
    assert (ended.code, ended.out) == (0, "I can't see that now.\n")
    assert len(server.messages) == 2
    for request in server.messages:
        assert b"7261" not in request.body
        tools = json.dumps(request.json["tools"])
        assert not any(name in tools for name in ("USER.md", "MEMORY.md", "memory/"))
    assert pet.read("MEMORY.md") == "canary-memory-7261\n"
    assert pet.read("USER.md") == "# Me\n\ncanary-user-7261\n"


def test_what_is_shown_as_the_prompt_is_what_is_sent(pet: PetCommand, server: ProtocolServer) -> None:
    pet.write("USER.md", "# Me\n\nAnna, likes 茶\n")
    for memory in ("on", "off"):
        shown = pet("prompt", "--memory", memory, "--json").json
        assert pet("chat", "--once", "Hi", "--memory", memory).code == 0
        sent = server.messages[-1].json
        assert shown["system"] == [block["text"] for block in sent["system"]]
        assert shown["tools"] == [tool["name"] for tool in sent["tools"]]
        assert ("Anna" in "".join(shown["system"])) is (memory == "on")
        assert "\n\n".join(section["text"] for section in shown["sections"]) == "".join(shown["system"])


@pytest.mark.parametrize(
    ("switch", "changed", "told"),
    [("--yes", True, "is saved"), ("--no", False, "did not want"), (None, False, "nobody can be asked")],
)
def test_a_change_of_the_soul_needs_the_owners_word(
    pet: PetCommand, server: ProtocolServer, switch: str | None, changed: bool, told: str
) -> None:
    pet.write("SOUL.md", SOUL)
    server.queue(stream(soul_change()), stream("All right."))
    ended = pet("chat", "--once", "Be brave", *([switch] if switch else []))
    assert (ended.code, ended.out) == (0, "All right.\n")
    assert pet.read("SOUL.md") == (NEW_SOUL if changed else SOUL)
    assert told in server.messages[1].last_text()
    if switch is None:
        assert "--yes" in ended.err


def test_a_conversation_goes_on_with_its_switch(pet: PetCommand, server: ProtocolServer) -> None:
    assert pet("chat", "--once", "First", "--memory", "off").code == 0
    conversation = next((pet.workspace / "conversations").glob("*.jsonl")).stem
    assert pet("chat", "--once", "Second", "--conversation", conversation).code == 0
    body = server.messages[-1].body
    assert b"First" in body and b"Hello." in body
    assert "MEMORY.md" not in json.dumps(server.messages[-1].json["tools"])
    assert pet("chat", "--once", "Third", "--conversation", "1", "--memory", "on").code == 0
    assert "MEMORY.md" in json.dumps(server.messages[-1].json["tools"])
    assert len(list((pet.workspace / "conversations").glob("*.jsonl"))) == 1


def test_a_temporary_conversation_leaves_nothing(pet: PetCommand, server: ProtocolServer) -> None:
    assert pet("chat", "--once", "psst-5512", "--temporary").code == 0
    left = [path for path in pet.home.rglob("*") if path.is_file() and b"psst-5512" in path.read_bytes()]
    assert left == []
    assert "MEMORY.md" not in json.dumps(server.messages[-1].json["tools"])


def test_a_failure_has_a_sentence_on_stderr_and_no_stdout(pet: PetCommand, server: ProtocolServer) -> None:
    server.queue(error(401, "authentication_error", "invalid x-api-key"))
    ended = pet("chat", "--once", "Hi", ANTHROPIC_API_KEY="sk-secret-value-4711")
    assert (ended.code, ended.out) == (1, "")
    assert "doesn't accept the key" in ended.err and "pet settings key" in ended.err
    everything = [path.read_bytes() for path in pet.home.rglob("*") if path.is_file()]
    assert b"sk-secret-value-4711" not in ended.err.encode() + b"".join(everything)


def test_a_wait_is_said_and_then_the_answer_comes(pet: PetCommand, server: ProtocolServer) -> None:
    server.queue(rate_limited(0.1), stream("Here I am."))
    ended = pet("chat", "--once", "Hi", LANG="zh_CN.UTF-8")
    assert (ended.code, ended.out) == (0, "Here I am.\n")
    assert "秒后再试" in ended.err


def test_without_a_key_it_says_so(pet: PetCommand) -> None:
    ended = pet("chat", "--once", "Hi", ANTHROPIC_BASE_URL="")
    assert (ended.code, ended.out) == (1, "")
    assert "needs a key" in ended.err and "pet settings key" in ended.err


def test_the_model_can_not_steer_the_terminal(pet: PetCommand, server: ProtocolServer) -> None:
    server.queue(stream("a\x1b]0;title\x07b\x9b2Jc\rd\u202ee"))
    ended = pet("chat", "--once", "Hi")
    assert not any(sign in ended.out for sign in ("\x1b", "\x07", "\x9b", "\r", "\u202e"))
    assert "title" in ended.out


def test_usage_mistakes_are_two(pet: PetCommand) -> None:
    for arguments in (
        ["chat", "--once", " "],
        ["chat", "--temporary", "--memory", "on"],
        ["chat", "--memory"],
        ["settings", "model", "x", "--delete"],
        ["settings", "key", "sk-123"],
        ["pause", "maybe"],
    ):
        ended = pet(*arguments)
        assert ended.code == 2 and ended.out == "" and "pet " in ended.err, arguments
    assert not pet.workspace.exists()


def test_two_at_once_on_one_home_lose_nothing(pet: PetCommand, server: ProtocolServer) -> None:
    pet.write("USER.md", "# Me\n\nA:\n\nB:\n\nC:\n")

    def answer(request: Recorded) -> Reply:
        """Looks at the end only: what the others asked may be recalled before it."""
        asked = request.last_text()
        if not asked[:-1].endswith("write "):
            return stream("Hello.")
        letter = asked[-1]
        return stream(Call("edit", {"path": "USER.md", "old_text": f"{letter}:", "new_text": f"{letter}: done"}))

    server.queue(*[answer] * 6)
    started = [pet.start("chat", "--once", f"write {letter}", "--memory", "on") for letter in "ABC"]
    assert [process.communicate(timeout=120)[0] for process in started] == [b"Hello.\n"] * 3
    assert [process.returncode for process in started] == [0, 0, 0]
    assert pet.read("USER.md") == "# Me\n\nA: done\n\nB: done\n\nC: done\n"
    assert len(list((pet.workspace / "conversations").glob("*.jsonl"))) == 3


def test_a_failed_tool_without_a_file_is_named_alone(pet: PetCommand, server: ProtocolServer) -> None:
    server.queue(stream(Call("memory_write", {"content": "tea"})), stream("I can't."))
    assert "(memory_write: failed)" in pet("chat", "--once", "Tea?", "--memory", "off").err


def test_a_switch_that_can_not_be_read_is_said_in_the_terminal_too(pet: PetCommand, server: ProtocolServer) -> None:
    server.queue(stream("Hello."), stream("Yes?"))
    assert pet("chat", "--once", "hello").code == 0
    (file,) = (pet.workspace / "conversations").glob("*.jsonl")
    file.write_bytes(file.read_bytes().replace(b'"kind":"memory_set"', b'"kind":"memory_sat"'))
    once = pet("chat", "--once", "again", "--conversation", file.stem)
    assert "part of this conversation can't be read" in once.err and once.out == "Yes?\n"
    typed = pet("chat", "--conversation", file.stem, typed="/brain\n/memory on\n/brain\n/quit\n")
    assert typed.out.count("part of this conversation can't be read") == 1
