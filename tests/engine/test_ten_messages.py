"""Ten messages with two notes, a correction, a stop and a picture, over each protocol, at strict services."""

from __future__ import annotations

import json
from io import BytesIO

import pytest
from PIL import Image

from pet.access import MemoryMode
from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.model import TurnEnd
from pet.providers import quirks
from pet.settings.setting import SettingValue
from tests.support.program.gated_program import running, sent, speak
from tests.support.servers.model_services import (
    CORRECTION,
    STORY,
    WISH,
    DeepSeek,
    Gemini,
    Glm,
    Kimi,
    MiniMax,
    Mistral,
    Qwen,
    Responses,
    Strict,
    ThinkingService,
)
from tests.support.servers.protocol_server import ProtocolServer

SERVICES = pytest.mark.parametrize(
    ("protocol", "kind"),
    [
        *(("openai", kind) for kind in (Kimi, DeepSeek)),
        *(("anthropic", kind) for kind in (Kimi, DeepSeek)),
        ("responses", Responses),
    ],
)
FAMILIES = {
    "generativelanguage.googleapis.com": Gemini,
    "api.mistral.ai": Mistral,
    "api.z.ai": Glm,
    "dashscope-intl.aliyuncs.com": Qwen,
    "api.minimax.io": MiniMax,
}
"""Whose rules a talk keeps without a refusal, by the host whose fields are sent."""
THOUGHT = "a thought of its own"


def picture() -> bytes:
    file = BytesIO()
    Image.new("RGB", (32, 32), "red").save(file, "PNG")
    return file.getvalue()


def stopped(server: ProtocolServer, chat: LiveConversation) -> None:
    chat.send(STORY)
    server.reached("story")
    chat.stop()
    server.release("story")
    chat.wait(60)
    turn = chat.folded().turns[-1]
    assert turn.end is TurnEnd.STOPPED and turn.text == STORY


def six_messages(app: Pet, server: ProtocolServer, chat: LiveConversation) -> None:
    """With two notes, a stop, a correction and a picture."""
    assert speak(chat, "Hello!") is TurnEnd.DONE
    assert speak(chat, f"{WISH} that the spare key is under the pot.") is TurnEnd.DONE
    stopped(server, chat)
    assert speak(chat, f"{WISH} that I like tea.") is TurnEnd.DONE
    assert speak(chat, f"{CORRECTION} my name.") is TurnEnd.DONE  # after a picture it would be asked about
    chat.send("What is this?", (app.attachments.add("red.png", picture()),))
    chat.wait(60)
    assert chat.folded().turns[-1].end is TurnEnd.DONE


@SERVICES
def test_ten_messages_are_answered_and_what_was_masked_stays_away(protocol: str, kind: type[ThinkingService]) -> None:
    service = kind(THOUGHT)
    with (
        ProtocolServer(default=service) as server,
        running(server, protocol=protocol, language="en", model="thinker") as app,
    ):
        chat = app.conversations.create(memory=True)
        six_messages(app, server, chat)
        assert sum(done.receipt is not None for turn in chat.folded().turns for done in turn.tools) == 3
        whole = sent(server)[-1].body.decode()
        assert whole.count(THOUGHT) >= 3 and "base64" in whole
        chat.set_memory(MemoryMode.OFF)
        for text in ("And now?", "Hm."):
            assert speak(chat, text) is TurnEnd.DONE
            assert THOUGHT not in sent(server)[-1].body.decode()
        chat.set_memory(MemoryMode.ON)
        assert speak(chat, "Thank you.") is TurnEnd.DONE
        assert THOUGHT in sent(server)[-1].body.decode()
        assert speak(chat, "Bye.") is TurnEnd.DONE
        assert service.refused == []
        assert len(chat.folded().turns) == 10
        assert all(json.loads(request.body)["model"] == "thinker" for request in sent(server))


@pytest.mark.parametrize(
    "chosen",
    [{}, {"effort": "medium"}, {"effort": "max"}, {"thinking": "off"}],
    ids=["as it is", "medium", "max", "off"],
)
@pytest.mark.parametrize("host", FAMILIES)
def test_ten_messages_keep_the_rules_of_a_family(
    host: str, chosen: dict[str, SettingValue], monkeypatch: pytest.MonkeyPatch
) -> None:
    family = next(each for name, each in quirks._FAMILIES if name == host)
    monkeypatch.setattr(quirks, "_FAMILIES", (("127.0.0.1", family),))
    service: Strict = FAMILIES[host](THOUGHT)
    with (
        ProtocolServer(default=service) as server,
        running(server, protocol="openai", language="en", model="thinker", **chosen) as app,
    ):
        chat = app.conversations.create(memory=True)
        six_messages(app, server, chat)
        for text in ("And now?", "Hm.", "Thank you.", "Bye."):
            assert speak(chat, text) is TurnEnd.DONE
        turns = chat.folded().turns
        assert sum(done.receipt is not None for turn in turns for done in turn.tools) == 3
        assert len(turns) == 10 and not any(THOUGHT in each.text for turn in turns for each in turn.rounds)
        # What always thinks refuses once to do without.
        assert len(service.refused) <= (chosen.get("thinking") == "off" and host in ("api.z.ai", "api.minimax.io"))
