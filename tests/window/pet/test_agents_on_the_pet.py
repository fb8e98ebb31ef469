"""An agent that waits, on the real desktop: its pose, its line, and the click that goes to its window."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Playwright
from Xlib import Xatom

from pet.extras.agents.installation import hook_command
from pet.paths import find_home
from tests.support.desktop.other_program import give_focus, handle_of, program
from tests.support.desktop.xvfb import Desktop, call_page, wait_for
from tests.support.pet_windows.bubbles import seen, talking, write_settings
from tests.support.pet_windows.windows import BUBBLE, T

pytestmark = pytest.mark.window


def owned_by(desktop: Desktop, title: str, process: int) -> int:
    """Note the process of a window at the server, as most programs do; return the window."""
    window = handle_of(desktop, title)
    assert window is not None
    with desktop.connection() as server:
        name = server.intern_atom("_NET_WM_PID")
        server.create_resource_object("window", window).change_property(name, Xatom.CARDINAL, 32, [process])
        server.sync()
    return window


def hook(home: Path, event: str) -> None:
    """Run an agent's hook as this process, whose window is the terminal's."""
    given = {"session_id": "s", "cwd": "/src/tundra", "hook_event_name": event, "tool_name": "Bash"}
    command = hook_command("codex-mcp-client", find_home(home).state, None)
    subprocess.run(command, shell=True, input=json.dumps(given), text=True, timeout=60, check=True)


def test_click_goes_to_the_window_of_the_agent_that_waits(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    write_settings(home, "")
    with (
        program(desktop, "tundra - Terminal"),
        program(desktop, "taiga - Terminal"),
        program(desktop, "Film"),
        talking(desktop, home, playwright) as (pet, _server, _conversation),
    ):
        terminal = owned_by(desktop, "tundra - Terminal", os.getpid())  # two windows of one program
        owned_by(desktop, "taiga - Terminal", os.getpid())
        film = handle_of(desktop, "Film")
        assert film is not None
        give_focus(desktop, film)
        for event in ("UserPromptSubmit", "PermissionRequest"):
            hook(home, event)
        bubble = seen(pet)
        bubble.shows("tundra: Codex is waiting for you")
        pet.shows("pet.actor.player.act == 'waiting'")
        assert desktop.active_window() == film  # it came, and took nothing
        desktop.screenshot(shots / "agent-waits.png")
        bubble.click(T("bubble.go_there"))
        wait_for("the terminal", lambda: desktop.active_window() == terminal)
        pet.no_window(BUBBLE)
        hook(home, "Stop")
        hook(home, "SessionEnd")
        browser = pet.attach(playwright)
        chat = pet.page(browser, "chat.html")
        wait_for("the end", lambda: call_page(chat, "list_agents")["value"]["sessions"] == [])
        browser.close()
