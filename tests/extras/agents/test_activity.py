"""States of agents' sessions: recorded sessions of three programs, a day of several at once, and hostile events."""

from __future__ import annotations

import json
import subprocess
import sys
from threading import Event

import pytest

from pet.extras.agents.activity import AgentSession, AgentSessions, HookEvent
from pet.extras.agents.display import ProcessWatch
from tests.extras.agents.test_hook import RECORDED, sent_by


class Day:
    """Sessions of several agents, and each state in order, as ``folder state doing``."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.sessions = AgentSessions(moved=self.moved)

    def moved(self, before: AgentSession | None, after: AgentSession | None) -> None:
        session = after or before
        assert session is not None
        words = (session.label.folder_name, after.state if after else "ended", after.doing if after else "")
        self.seen.append(" ".join(filter(None, words)))

    def note(
        self, event: str, folder: str = "tundra", tool: str = "", *, session: str = "a", process: int = 0
    ) -> None:
        self.sessions.note(
            HookEvent(
                event=event,
                client="claude-code",
                folder=f"~/src/{folder}",
                tool=tool,
                session=session,
                process=process,
            )
        )

    @property
    def now(self) -> dict[str, str]:
        return {each.label.folder_name: each.state for each in self.sessions.all()}


@pytest.mark.parametrize("client", RECORDED)
def test_recorded_session_goes_through_its_states_in_order(client: str) -> None:
    day = Day()
    for each in RECORDED[client]:
        sent = sent_by(each["event"], client)[0][0]
        del sent["name"]
        day.sessions.note(HookEvent(**sent))
        sessions = day.sessions.all()
        assert len(sessions) == (each["becomes"] != "ended")
        if sessions:
            assert f"{sessions[0].state} {sessions[0].doing}".strip() == each["becomes"]


def test_turns_are_messages_of_the_owner() -> None:
    """It has two; between them Claude Code reports to itself that a task in the background ended."""
    day = Day()
    turns = []
    for each in RECORDED["claude-code"][:-1]:
        sent = sent_by(each["event"], "claude-code")[0][0]
        del sent["name"]
        day.sessions.note(HookEvent(**sent))
        turns.append(day.sessions.all()[0].turns)
    assert turns[-1] == 2
    assert any("<task-notification>" in str(each["event"].get("prompt")) for each in RECORDED["claude-code"])


def test_a_day_of_three_agents() -> None:
    """Two sessions side by side, a permission answered elsewhere, and an agent that is killed in the middle."""
    day = Day()
    day.note("SessionStart")
    day.note("UserPromptSubmit")
    day.note("UserPromptSubmit", "taiga", session="b", process=11)
    day.note("PreToolUse", tool="Grep")
    day.note("PreToolUse", "taiga", "Bash", session="b", process=11)
    day.note("PermissionRequest", "taiga", "Bash", session="b", process=11)
    day.note("PostToolUse", "taiga", "Read", session="b", process=11)  # another tool of the same moment
    assert day.now == {"tundra": "working", "taiga": "waiting"}
    day.note("PostToolUse", "taiga", "Bash", session="b", process=11)
    day.note("Stop")
    day.note("UserPromptSubmit", "steppe", session="c", process=12)
    day.sessions.process_ended(12)
    day.note("Stop", "taiga", session="b", process=11)
    day.note("SessionEnd", "taiga", session="b", process=11)
    assert day.now == {"tundra": "done"}
    assert day.seen == [
        "tundra idle",
        "tundra working",
        "taiga working",
        "tundra working reading",
        "taiga working running",
        "taiga waiting",
        "taiga working",
        "tundra done",
        "steppe working",
        "steppe ended",
        "taiga done",
        "taiga ended",
    ]


def test_the_end_of_a_helper_ends_no_question_and_wakes_no_session_that_is_done() -> None:
    day = Day()
    day.note("UserPromptSubmit")
    day.note("PreToolUse", tool="Task")
    day.note("SubagentStop")
    day.note("PermissionRequest", tool="Bash")
    day.note("SubagentStop")
    day.note("PostToolUse", tool="Bash")
    day.note("Stop")
    day.note("SubagentStop")
    assert day.seen == [
        "tundra working",
        "tundra working running",
        "tundra working",
        "tundra waiting",
        "tundra working",
        "tundra done",
    ]


def test_session_keeps_the_folder_it_began_in() -> None:
    day = Day()
    day.note("UserPromptSubmit")
    day.note("PreToolUse", "tundra/deep/inside", "Bash")
    assert day.now == {"tundra": "working"}


def test_flood_of_events_and_hostile_names_stay_bounded() -> None:
    day = Day()
    for number in range(3_000):
        day.note("UserPromptSubmit", f"x{number}\u202e\n" * 200, "y" * 10_000, session=str(number) * 50)
    assert len(day.sessions.all()) == 40
    assert all(len(each.label.folder) <= 200 and each.label.folder.isprintable() for each in day.sessions.all())
    seen = len(day.seen)
    for _ in range(3_000):
        day.note("Stop", "tundra", session="z")
        day.note("made_up_event", "tundra", session="z")
    assert len(day.seen) <= seen + 2  # a repeated state is no change
    assert len(json.dumps(day.seen[-1])) < 1_000


@pytest.mark.skipif(sys.platform != "linux", reason="the end of other programs' processes is known on Linux only")
def test_end_of_a_process_is_reported_without_polling() -> None:
    ended: list[int] = []
    reported = Event()

    def note(process: int) -> None:
        ended.append(process)
        reported.set()

    watch = ProcessWatch(note)
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as agent:
        watch.watch(agent.pid)
        watch.watch(agent.pid)
        assert ended == []
        agent.kill()
        assert reported.wait(60)
    assert ended == [agent.pid]
    watch.watch(agent.pid)  # it is gone: at once
    assert ended == [agent.pid] * 2
    watch.watch(0)
    watch.close()
    watch.close()
