"""What was being written in a conversation goes with it, whoever deletes it."""

from __future__ import annotations

import json
from typing import Any

from pet.bridge.command import Client
from pet.events import ConversationClosed
from tests.engine.conftest import Core, Make
from tests.support.program.invoking import ask


def keep(core: Core) -> tuple[str, str]:
    """Two conversations with a draft each, the first one in front; nothing was said in them yet."""
    one, two = (core.app.conversations.create(memory=False).id for _ in range(2))
    tabs = [
        {"conversation": each, "draft": f"secret of {name}", "scroll": 0.0, "attachments": []}
        for each, name in ((one, "one"), (two, "two"))
    ]
    ask(core.app.commands, "save_tabs", tabs=tabs, active=one)
    return one, two


def kept(core: Core) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(core.home.tabs_file.read_text(encoding="utf-8"))
    return found


def test_its_draft_goes_when_it_is_deleted_and_the_others_stay(make_core: Make) -> None:
    core = make_core()
    one, two = keep(core)
    core.app.conversations.delete(one)
    core.close()  # every listener has heard of it
    state = kept(core)
    assert "secret of one" not in json.dumps(state)
    assert [tab["conversation"] for tab in state[f"tabs.{core.app.pet_id}"]] == [two]
    assert state[f"active.{core.app.pet_id}"] is None


def test_one_that_another_program_deleted_takes_its_draft_along(make_core: Make) -> None:
    core = make_core()
    one, _two = keep(core)
    for file in (core.app.store.root / "conversations").glob(f"{one}*"):
        file.unlink()
    told = {"pet": core.app.pet_id, "files": [], "deleted": [one]}
    ask(core.app.commands, "files_changed", Client.SOCKET, **told)
    core.close()
    text = core.home.tabs_file.read_text(encoding="utf-8")
    assert "secret of one" not in text
    assert "secret of two" in text


def test_conversations_deleted_while_not_running_are_dropped_at_start(make_core: Make) -> None:
    core = make_core()
    one, two = keep(core)
    core.close()
    conversations = core.app.store.root / "conversations"
    for file in conversations.glob(f"{one}*"):
        file.unlink()
    broken = next(conversations.glob(f"{two}*"))
    broken.chmod(0)  # can't be read for now, and is no reason to lose what was written
    again = make_core()
    ask(again.app.commands, "get_app_state")
    text = again.home.tabs_file.read_text(encoding="utf-8")
    assert "secret of one" not in text
    assert "secret of two" in text
    broken.chmod(0o600)


def test_where_no_tab_is_kept_nothing_is_written(make_core: Make) -> None:
    core = make_core()
    live = core.app.conversations.create(memory=False)
    live.keep()
    core.app.conversations.delete(live.id)
    core.close()
    assert not core.home.tabs_file.exists()


def test_what_the_terminal_left_is_noted_as_of_a_closed_tab_up_to_a_hundred(make_core: Make) -> None:
    core = make_core()
    told = {"pet": core.app.pet_id, "files": [], "left": [f"{number:026}" for number in range(10_000)]}
    ask(core.app.commands, "files_changed", Client.SOCKET, **told | {"pet": "another"})
    ask(core.app.commands, "files_changed", Client.SOCKET, **told)
    core.close()
    left = [each.conversation for each in core.events if isinstance(each, ConversationClosed)]
    assert left == told["left"][:100]
