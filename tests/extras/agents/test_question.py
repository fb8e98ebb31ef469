"""The question about another agent: in the bubble, in an open chat, and not at all in quiet hours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pet.bridge.command import Client
from pet.events import BubbleChanged, ChatShown, Mood, MoodChanged
from pet.extras.agents import display as agent_display
from pet.extras.agents.access import AgentMode
from pet.extras.agents.book import AgentLabel
from pet.extras.agents.display import LONGEST_LINE
from pet.extras.agents.events import AgentAsked, AgentsChanged
from pet.extras.agents.gateway import ASK_AGAIN_SECONDS
from pet.extras.agents.views import open_book
from pet.paths import Home, find_home
from pet.workspace.pet_toml import display_name
from tests.services.desk import Desktop, opened
from tests.support.program.invoking import ask, refused

CODE = AgentLabel("claude-code", "~/src/tundra")


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return find_home(tmp_path / "home")


def call(desktop: Desktop, name: str = "claude-code") -> bool:
    """Whether the call was refused."""
    args = {"client": name, "folder": "~/src/tundra", "tool": "owner_profile", "arguments": "{}"}
    return bool(ask(desktop.app.commands, "call_agent_tool", Client.SOCKET, **args)["error"])


def call_text(desktop: Desktop, name: str) -> str:
    args = {"client": name, "folder": "~/src/tundra", "tool": "owner_profile", "arguments": "{}"}
    return str(ask(desktop.app.commands, "call_agent_tool", Client.SOCKET, **args)["text"])


def name_of(desktop: Desktop) -> str:
    return display_name(desktop.app.store.root, desktop.app.pet_id, desktop.app.texts())


@pytest.mark.parametrize(
    ("answer", "mode", "never"),
    [("read", AgentMode.READ_ONLY, False), ("later", AgentMode.OFF, False), ("never", AgentMode.OFF, True)],
)
def test_bubble_asks_in_the_pets_words_and_takes_the_answer(
    home: Home, answer: str, mode: AgentMode, never: bool
) -> None:
    with opened(home) as desktop:
        call(desktop)
        desktop.wait_for(lambda: desktop.shows)
        view = desktop.said
        assert (view.kind, view.seconds) == ("agent", 0)
        assert view.text == f"{name_of(desktop)} here: Claude Code in ~/src/tundra wants to read what I remember."
        desktop.answer(f"agent_{answer}")
        assert desktop.said.kind == "none"
        client = open_book(desktop.app).state().client(CODE)
        assert client is not None
        assert (open_book(desktop.app).mode(CODE), client.never) == (mode, never)
        desktop.wait_for(lambda: AgentsChanged() in desktop.events)


def test_name_that_imitates_a_known_program_is_quoted(home: Home) -> None:
    with opened(home) as desktop:
        call(desktop, "Claude Code\u200b")
        desktop.wait_for(lambda: desktop.shows)
        assert "calls itself “Claude Code�”" in desktop.said.text


def test_open_chat_asks_itself(home: Home) -> None:
    with opened(home) as desktop:
        desktop.screen.chat_shown = True
        call(desktop)
        asked = AgentAsked(number=1, name="claude-code", folder="~/src/tundra", title="Claude Code", known=True)
        desktop.wait_for(lambda: asked in desktop.events)
        assert desktop.said.kind == "none"


def test_chat_asks_about_one_agent_after_the_other(home: Home) -> None:
    def asked() -> list[str]:
        return [each.name for each in desktop.events if isinstance(each, AgentAsked)]

    with opened(home) as desktop:
        desktop.screen.chat_shown = True
        for name in ("claude-code", "codex-mcp-client", "cursor-vscode"):
            assert "asking" in call_text(desktop, name)
        desktop.wait_for(lambda: asked() == ["claude-code"])
        ask(desktop.app.commands, "set_agent", name="claude-code", folder="~/src/tundra", mode="read")
        desktop.wait_for(lambda: asked() == ["claude-code", "codex-mcp-client"])
        ask(desktop.app.commands, "answer_agent", answer="later", number=2)
        desktop.wait_for(lambda: asked() == ["claude-code", "codex-mcp-client", "cursor-vscode"])
        desktop.screen.chat_shown = False
        desktop.app.emitter.emit(ChatShown(shown=False))
        desktop.wait_for(lambda: desktop.said.kind == "agent")  # the bubble goes on
        assert "Cursor" in desktop.said.text


def test_agents_wait_for_one_another_and_hear_that_the_owner_is_asked(home: Home) -> None:
    with opened(home) as desktop:
        first = call_text(desktop, "claude-code")
        assert (json.loads(first)["status"], json.loads(first)["wait_seconds"]) == ("asking", ASK_AGAIN_SECONDS)
        assert call_text(desktop, "codex-mcp-client") == call_text(desktop, "codex-mcp-client") == first
        assert "Claude Code" in desktop.said.text
        desktop.answer("agent_later")
        assert "Codex" in desktop.said.text
        refused_now = desktop.app.texts()("agents.off")
        assert (call_text(desktop, "claude-code"), call_text(desktop, "codex-mcp-client")) == (refused_now, first)


def test_question_ends_after_its_time(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_display, "AGENT_SECONDS", 0.01)
    with opened(home) as desktop:
        call(desktop)
        desktop.wait_for(lambda: desktop.said.kind == "none" and BubbleChanged() in desktop.events)
        assert call_text(desktop, "claude-code") == desktop.app.texts()("agents.off")


def test_reminder_and_field_are_answered_first(home: Home) -> None:
    with opened(home) as desktop:
        desktop.ask("open_field", client=Client.PET)
        assert "asking" in call_text(desktop, "claude-code")
        field = desktop.said
        assert field.kind == "field"
        desktop.answer("close", field.number)
        desktop.wait_for(lambda: desktop.said.kind == "agent")


def test_quiet_hours_hold_the_question_for_later(home: Home) -> None:
    with opened(home, settings='quiet_from = "11:00"\nquiet_until = "13:00"\n') as desktop:
        assert call(desktop)
        assert desktop.said.kind == "none"
        client = open_book(desktop.app).state().client(CODE)
        assert client is not None
        assert client.asked_on == ""


def test_pause_takes_the_question_away(home: Home) -> None:
    with opened(home) as desktop:
        call(desktop)
        desktop.wait_for(lambda: desktop.shows)
        desktop.app.pause(True)
        desktop.wait_for(lambda: desktop.said.kind == "none")


def say(desktop: Desktop, **args: str) -> bool:
    shown = ask(
        desktop.app.commands, "say_line", Client.SOCKET, **{"text": "Backup done", "sender": "backup", **args}
    )
    return bool(shown["shown"])


def test_line_of_a_script_is_shown_bounded_with_its_sender_and_mood(home: Home) -> None:
    with opened(home) as desktop:
        assert say(desktop, text="Backup\n done\u202e" + "x" * 100_000, mood="happy")
        desktop.wait_for(lambda: MoodChanged(mood=Mood.HAPPY) in desktop.events)
        view = desktop.said
        assert (view.kind, view.more) == ("line", False)
        assert view.text.startswith("backup: Backup done\ufffdxxx")
        assert len(view.text) == len("backup: ") + LONGEST_LINE


def test_line_without_words_is_refused(home: Home) -> None:
    with opened(home) as desktop:
        assert (
            refused(desktop.app.commands, "say_line", Client.SOCKET, text=" \n", sender="x")["code"]
            == "bad_arguments"
        )


def test_quiet_hours_hold_a_line(home: Home) -> None:
    with opened(home, settings='quiet_from = "11:00"\nquiet_until = "13:00"\n') as desktop:
        assert not say(desktop, mood="happy")
        assert desktop.said.kind == "none"
        assert MoodChanged(mood=Mood.HAPPY) not in desktop.events


def test_line_takes_no_question_away(home: Home) -> None:
    with opened(home) as desktop:
        call(desktop)
        desktop.wait_for(lambda: desktop.shows)
        assert not say(desktop)
        assert desktop.said.kind == "agent"
