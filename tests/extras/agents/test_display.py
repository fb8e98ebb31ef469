"""Other agents' work on the pet: poses, lines at two moments, and permissions asked for in the bubble."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from pet.bridge.command import Client
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import SocketServer
from pet.events import Mood, MoodChanged, ProposalAsked, ProposalClosed
from pet.extras.agents.access import AgentMode
from pet.extras.agents.book import AgentLabel
from pet.extras.agents.hook import ANSWER_SECONDS
from pet.extras.agents.installation import hook_command
from pet.extras.agents.views import open_book
from pet.model import MISSING, Proposal
from pet.paths import Home, find_home
from tests.services.desk import LOG, Desktop, opened
from tests.support.program.invoking import ask, refused

CODE = AgentLabel("claude-code", "~/src/tundra")
QUIET = 'quiet_from = "11:00"\nquiet_until = "13:00"\n'


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


def event(desktop: Desktop, name: str, **args: object) -> bool:
    """Whether the pet asks for the command too."""
    given = {"client": "claude-code", "folder": "~/src/tundra", "tool": "", "session": "a", "process": 0, **args}
    return bool(ask(desktop.app.commands, "note_agent_event", Client.SOCKET, event=name, **given)["ask"])


def moods(desktop: Desktop) -> list[Mood]:
    return [each.mood for each in desktop.events if isinstance(each, MoodChanged)]


def states(desktop: Desktop) -> list[str]:
    return [each["state"] for each in ask(desktop.app.commands, "list_agents")["sessions"]]


def wait_for_mood(desktop: Desktop, mood: Mood) -> None:
    desktop.wait_for(lambda: moods(desktop)[-1:] == [mood])


def test_poses_and_a_line_at_the_two_moments(home: Home) -> None:
    with opened(home) as desktop:
        event(desktop, "UserPromptSubmit")
        wait_for_mood(desktop, Mood.THINKING)
        assert desktop.said.kind == "none"
        event(desktop, "PermissionRequest", tool="Bash")
        wait_for_mood(desktop, Mood.WAITING)
        assert (desktop.said.kind, desktop.said.text) == ("state", "tundra: Claude Code is waiting for you")
        assert (desktop.said.choices, desktop.said.seconds > 0) == ((), True)
        event(desktop, "PostToolUse", tool="Bash")  # answered in the terminal
        assert desktop.said.kind == "none"
        wait_for_mood(desktop, Mood.THINKING)
        event(desktop, "Stop")
        wait_for_mood(desktop, Mood.HAPPY)
        assert desktop.said.text == "tundra: done"
        event(desktop, "Stop")
        event(desktop, "UserPromptSubmit")
        event(desktop, "StopFailure")
        assert desktop.said.text == "tundra: Claude Code stopped with an error"


@pytest.mark.parametrize(
    ("settings", "poses"),
    [('agents_shown = "states"\n', True), ('agents_shown = "silence"\n', False), (QUIET, False)],
)
def test_states_alone_silence_and_quiet_hours(home: Home, settings: str, poses: bool) -> None:
    with opened(home, settings=settings) as desktop:
        event(desktop, "UserPromptSubmit")
        event(desktop, "PermissionRequest", tool="Bash")
        if poses:
            wait_for_mood(desktop, Mood.WAITING)
        event(desktop, "Stop")
        assert desktop.said.kind == "none"
        assert poses or Mood.WAITING not in moods(desktop)


def test_full_screen_and_an_open_chat_hold_the_line(home: Home) -> None:
    with opened(home) as desktop:
        for name in ("aside", "chat_shown"):
            setattr(desktop.screen, name, True)
            event(desktop, "UserPromptSubmit")
            event(desktop, "PermissionRequest", tool="Bash")
            event(desktop, "Stop")
            assert desktop.said.kind == "none"
            setattr(desktop.screen, name, False)


def test_owners_own_reply_goes_before_agents(home: Home) -> None:
    from tests.support.models.scripted import say

    with opened(home, say("Hi.")) as desktop:
        event(desktop, "UserPromptSubmit")
        wait_for_mood(desktop, Mood.THINKING)
        desktop.talk()
        desktop.wait_for(lambda: Mood.TALKING in moods(desktop))
        event(desktop, "SessionEnd")
        desktop.wait_for(lambda: moods(desktop)[-1] in (Mood.NEUTRAL, Mood.READY))


def test_flood_of_events_shows_one_line_and_stays_quick_to_answer(home: Home) -> None:
    with opened(home) as desktop:
        for number in range(300):
            event(desktop, "UserPromptSubmit", session=str(number), folder="\u202e" * 1000, tool="x" * 999)
            event(desktop, "PermissionRequest", session="same", folder="~/src/tundra")
        assert desktop.said.kind == "state"
        assert len(ask(desktop.app.commands, "list_agents")["sessions"]) == 40
        assert len(open_book(desktop.app).state().clients) <= 41


def test_every_agent_is_listed_once_with_nothing_on(home: Home) -> None:
    with opened(home) as desktop:
        event(desktop, "SessionStart")
        event(desktop, "UserPromptSubmit")
        (client,) = ask(desktop.app.commands, "list_agents")["clients"]
        assert (client["title"], client["mode"], client["grants"], client["calls"]) == ("Claude Code", "off", [], 0)


def work_in_log(desktop: Desktop) -> list[str]:
    file = desktop.app.store.root / "memory" / "2026-11-21.md"
    lines = file.read_text(encoding="utf-8").split("\n") if file.exists() else []
    return [line for line in lines if "orked on" in line]


def test_days_work_is_noted_when_a_turn_is_over_and_what_came_since_at_the_end(home: Home) -> None:
    with opened(home) as desktop:
        open_book(desktop.app).set_mode(CODE, AgentMode.WRITE)
        open_book(desktop.app).set_grant(CODE, "days", True)
        for _ in range(3):
            event(desktop, "UserPromptSubmit")
            event(desktop, "Stop")
        assert work_in_log(desktop) == ["Owner: Worked on tundra with Claude Code, 1 turn"]
        desktop.watch.set("21T13:00")
        event(desktop, "UserPromptSubmit")
        event(desktop, "Stop")
        assert work_in_log(desktop) == ["Owner: Worked on tundra with Claude Code, 4 turns"]
        event(desktop, "UserPromptSubmit", session="b")
        event(desktop, "SessionEnd", session="b")
        assert work_in_log(desktop) == ["Owner: Worked on tundra with Claude Code, 5 turns"]
        event(desktop, "UserPromptSubmit")
    with opened(home) as again:  # what was not noted yet is when the pet ends
        assert work_in_log(again) == ["Owner: Worked on tundra with Claude Code, 6 turns"]
        (note,) = ask(again.app.commands, "list_agents")["notes"]
        assert note["written"]


def test_days_work_is_not_noted_as_shipped(home: Home) -> None:
    with opened(home) as desktop:
        open_book(desktop.app).set_mode(CODE, AgentMode.WRITE)
        event(desktop, "UserPromptSubmit")
        event(desktop, "SessionEnd")
        assert work_in_log(desktop) == []


# --- permissions ----------------------------------------------------------------------------------


def grant(desktop: Desktop, on: bool = True) -> None:
    given = {"name": CODE.name, "folder": CODE.folder, "grant": "permissions", "on": on}
    ask(desktop.app.commands, "set_agent_grant", **given)


@contextmanager
def asked(desktop: Desktop, command: str = "make test", **args: object) -> Iterator[Future[str]]:
    """A hook that waits for the answer, once the question is shown."""
    session = args.get("session", "a")
    event(desktop, "UserPromptSubmit", session=session)
    assert event(desktop, "PermissionRequest", session=session, tool="Bash")
    given: dict[str, Any] = {"client": CODE.name, "folder": CODE.folder, "tool": "Bash", "session": "a", "process": 0}
    given |= {"command": command, "hook": 0, **args}
    with ThreadPoolExecutor(1) as hooks:
        answer = hooks.submit(lambda: ask(desktop.app.commands, "ask_permission", Client.SOCKET, **given)["answer"])
        desktop.wait_for(lambda: desktop.said.kind == "permission" or answer.done())
        yield answer


def test_command_stays_with_the_agent_unless_the_owner_switched_it_on(home: Home) -> None:
    with opened(home) as desktop:
        event(desktop, "UserPromptSubmit")
        assert not event(desktop, "PermissionRequest", tool="Bash")
        given = {"client": CODE.name, "folder": CODE.folder, "tool": "Bash", "session": "a", "process": 0}
        sent = ask(desktop.app.commands, "ask_permission", Client.SOCKET, **given, command="ls", hook=0)
        assert sent["answer"] == ""
        assert desktop.said.kind == "state"


@pytest.mark.parametrize("holds", ["quiet hours", "full screen", "chat"])
def test_command_stays_with_the_agent_where_nothing_may_be_shown(home: Home, holds: str) -> None:
    with opened(home, settings=QUIET if holds == "quiet hours" else "") as desktop:
        event(desktop, "SessionStart")
        grant(desktop)
        desktop.screen.aside, desktop.screen.chat_shown = holds == "full screen", holds == "chat"
        assert not event(desktop, "PermissionRequest", tool="Bash")


def test_question_with_answers_of_its_own_is_left_to_the_agent(home: Home) -> None:
    with opened(home) as desktop:
        event(desktop, "UserPromptSubmit")
        grant(desktop)
        assert not event(desktop, "PermissionRequest", tool="AskUserQuestion")
        assert states(desktop) == ["waiting"]
        assert event(desktop, "PermissionRequest", tool="Bash")


@pytest.mark.parametrize("answer", ["allow", "deny", ""])
def test_owner_answers_in_the_bubble_and_sees_the_whole_command(home: Home, answer: str) -> None:
    with opened(home) as desktop:
        event(desktop, "SessionStart")
        grant(desktop)
        command = "echo start\u200b\n" + "x" * 15_000 + "\trm -rf ~\u202e"
        with asked(desktop, command) as given:
            view = desktop.said
            assert view.text == "Claude Code in ~/src/tundra asks whether it may use Bash:"
            assert view.command == command.replace("\u200b", "⟨200B⟩").replace("\u202e", "⟨202E⟩")
            assert view.seconds == 0
            desktop.answer("allow", view.number - 1)
            assert desktop.said == view
            desktop.answer(answer or "ask_there", view.number)
            assert given.result(60) == answer
        assert desktop.said.number == 0


def test_answer_elsewhere_takes_the_question_away(home: Home) -> None:
    with opened(home) as desktop:
        event(desktop, "SessionStart")
        grant(desktop)
        with asked(desktop) as given:
            event(desktop, "PostToolUse", tool="Bash")
            assert given.result(ANSWER_SECONDS / 2) == ""
        assert desktop.said.kind == "none"


def test_close_and_an_opened_chat_are_no_answer(home: Home) -> None:
    with opened(home) as desktop:
        event(desktop, "SessionStart")
        grant(desktop)
        with asked(desktop) as given:
            desktop.answer("close", desktop.said.number)
            assert given.result(ANSWER_SECONDS / 2) == ""


@pytest.mark.skipif(sys.platform != "linux", reason="the end of other programs' processes is known on Linux only")
@pytest.mark.parametrize("whose", ["hook", "process"])
def test_killed_hook_or_agent_takes_the_question_away(home: Home, whose: str) -> None:
    with (
        opened(home) as desktop,
        subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as killed,
    ):
        event(desktop, "SessionStart", process=killed.pid if whose == "process" else 0)
        grant(desktop)
        with asked(desktop, hook=killed.pid if whose == "hook" else 0) as given:
            killed.kill()
            assert given.result(ANSWER_SECONDS / 2) == ""
        desktop.wait_for(lambda: desktop.said.kind == "none")
        # Claude Code ends the hook when its owner refuses in the terminal, and reports nothing else.
        left = ["idle"] if whose == "hook" else []
        desktop.wait_for(lambda: states(desktop) == left)


def test_questions_of_agents_are_asked_one_after_the_other(home: Home) -> None:
    with opened(home) as desktop:
        event(desktop, "SessionStart")
        grant(desktop)
        with asked(desktop) as first, asked(desktop, "ls", session="b") as second:
            assert desktop.said.command == "make test"
            desktop.answer("deny")
            assert first.result(60) == "deny"
            desktop.wait_for(lambda: desktop.said.command == "ls")
            desktop.answer("allow")
            assert second.result(60) == "allow"
        assert desktop.said.kind == "none"


def test_permission_goes_before_what_no_program_waits_for(home: Home) -> None:
    with opened(home, settings="reminder_bubbles = true\n", log=LOG) as desktop:
        desktop.touch()
        desktop.wait_for(lambda: desktop.said.kind == "reminders")
        event(desktop, "SessionStart")
        grant(desktop)
        call = {"client": "codex-mcp-client", "folder": "~/src/taiga", "tool": "owner_profile", "arguments": "{}"}
        reply = ask(desktop.app.commands, "call_agent_tool", Client.SOCKET, **call)
        assert json.loads(reply["text"])["status"] == "asking"
        desktop.wait_for(lambda: desktop.said.kind == "reminders")
        with asked(desktop) as given:
            assert desktop.said.command == "make test"
            desktop.answer("allow")
            assert given.result(60) == "allow"
        desktop.wait_for(lambda: desktop.said.kind == "agent")
        with asked(desktop) as given:
            desktop.answer("deny")
            assert given.result(60) == "deny"
        desktop.answer("agent_later")
        desktop.wait_for(lambda: desktop.said.kind == "reminders")


def test_permission_and_a_question_of_the_pets_own_wait_for_one_another(home: Home) -> None:
    with opened(home) as desktop:
        event(desktop, "SessionStart")
        grant(desktop)
        shown = Proposal(id="p", file="SOUL.md", reason="soul", before="", after="x", base=MISSING)
        desktop.app.emitter.emit(ProposalAsked(conversation="c", turn="t", proposal=shown))
        desktop.wait_for(lambda: desktop.said.kind == "question")
        with asked(desktop) as given:
            desktop.answer("allow")
            assert given.result(60) == "allow"
        assert desktop.said.kind == "question"
        desktop.app.emitter.emit(ProposalClosed(conversation="c", turn="t", proposal="p", outcome="refused"))
        desktop.wait_for(lambda: desktop.said.kind == "none")


# --- the hook as agents run it --------------------------------------------------------------------


@contextmanager
def listening(home: Home) -> Iterator[Desktop]:
    instance = SingleInstance(home)
    assert instance.acquire()
    with opened(home) as desktop:
        socket = SocketServer(home, desktop.app.commands, instance)
        socket.start()
        try:
            yield desktop
        finally:
            socket.close()
            instance.release()


def run_hook(home: Home, name: str, folder: Path, **more: object) -> subprocess.CompletedProcess[str]:
    given = {"session_id": "s", "cwd": str(folder), "hook_event_name": name, **more}
    command = hook_command("claude-code", home.state, None)
    return subprocess.run(
        command, shell=True, input=json.dumps(given), capture_output=True, text=True, timeout=120, check=True
    )


@pytest.mark.skipif(sys.platform == "win32", reason="the command of a hook is one for a POSIX shell")
def test_hook_reports_to_the_pet_of_its_home_alone_and_brings_back_the_answer(tmp_path: Path) -> None:
    one, other, folder = find_home(tmp_path / "one"), find_home(tmp_path / "two"), tmp_path / "tundra"
    with listening(one) as desktop, listening(other) as beside:
        done = run_hook(one, "UserPromptSubmit", folder, prompt="canary")
        assert (done.stdout, done.stderr) == ("", "")
        wait_for_mood(desktop, Mood.THINKING)
        given = {"name": "claude-code", "folder": str(folder), "grant": "permissions", "on": True}
        ask(desktop.app.commands, "set_agent_grant", **given)
        with ThreadPoolExecutor(1) as agent:
            args = {"tool_name": "Bash", "tool_input": {"command": "make"}}
            waits = agent.submit(run_hook, one, "PermissionRequest", folder, **args)
            desktop.wait_for(lambda: desktop.said.kind == "permission" or waits.done())
            assert desktop.said.command == "make"
            desktop.answer("allow")
            answer = json.loads(waits.result(60).stdout)
        assert answer["hookSpecificOutput"]["decision"] == {"behavior": "allow"}
        assert ask(beside.app.commands, "list_agents")["sessions"] == []


@pytest.mark.skipif(sys.platform == "win32", reason="the command of a hook is one for a POSIX shell")
def test_hook_without_a_pet_or_with_an_earlier_one_does_nothing(home: Home, tmp_path: Path) -> None:
    assert run_hook(home, "Stop", tmp_path).stdout == ""
    from pet.bridge.dispatch import Commands

    instance = SingleInstance(home)
    assert instance.acquire()
    socket = SocketServer(home, Commands(), instance)  # it knows no such command
    socket.start()
    try:
        done = run_hook(home, "PermissionRequest", tmp_path, tool_name="Bash", tool_input={"command": "ls"})
        assert (done.stdout, done.stderr) == ("", "")
    finally:
        socket.close()
        instance.release()


def test_bad_arguments_are_refused(home: Home) -> None:
    with opened(home) as desktop:
        given = {"event": 5, "client": "x", "folder": "y", "tool": "", "session": "", "process": 0}
        assert refused(desktop.app.commands, "note_agent_event", Client.SOCKET, **given)["code"] == "bad_arguments"
