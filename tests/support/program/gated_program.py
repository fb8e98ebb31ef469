"""A program whose gated files hold a canary, with a server that records every request."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.model import TurnEnd
from pet.paths import find_home
from pet.settings.setting import SettingValue
from tests.support.files import write_files
from tests.support.servers.protocol_server import ProtocolServer, Recorded

OPENAI: dict[str, SettingValue] = {"protocol": "openai", "language": "en"}
RESPONSES = OPENAI | {"protocol": "responses"}
NOTEBOOK = OPENAI | {"notebook": "on", "context_window": 4096}  # settings for small models
CANARY = "canary-91bd 的秘密"
GATED = {
    "USER.md": f"# {CANARY}\n名字：小红{CANARY}\n",
    "MEMORY.md": f"- {CANARY} memory\n",
    "memory/2026-11-20.md": f"# Memory Log: 2026-11-20\n\n## [09:00:00] fact\n{CANARY}\n",
    "memory/2026-06-27-baking.md": f"# Baking\n\n{CANARY} loaf\n",
    "memory/people/小红.md": f"- {CANARY} 的邻居\n",
}


@contextmanager
def running(server: ProtocolServer, folder: Path | None = None, /, **chosen: SettingValue) -> Iterator[Pet]:
    """Run the program. ``folder``: the home's, a temporary one if None; ``chosen``: settings."""
    with ExitStack() as held:
        folder = folder or Path(held.enter_context(tempfile.TemporaryDirectory()))
        environ = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "sk-test-000000000000"}
        app = Pet(find_home(folder), environ=environ, channel="terminal")
        held.callback(app.close)
        app.settings.change({"model": "thinker", **chosen})  # Claude's thinking goes back within its turn only
        write_files(app.store.root, GATED)
        yield app


def speak(chat: LiveConversation, text: str) -> TurnEnd | None:
    chat.send(text)
    chat.wait(60)
    return chat.folded().turns[-1].end


def sent(server: ProtocolServer) -> list[Recorded]:
    return [request for request in server.requests if request.method == "POST"]


def carries_canary(body: bytes) -> bool:
    """Whether the text contains the canary: raw, JSON-escaped, or decoded."""
    text = json.dumps(json.loads(body), ensure_ascii=False)
    return any(part in text for part in ("canary-91bd", "的秘密")) or b"canary-91bd" in body
