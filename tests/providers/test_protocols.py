"""Which protocol an address speaks, and that one key reaches the provider of that protocol."""

from __future__ import annotations

import pytest

from pet.providers.endpoint import PRESETS, protocols_of
from pet.settings.schema import check

_MESSAGES = ("anthropic", "deepseek", "moonshot", "glm")
_RESPONSES = ("openai", "xai")
_CHAT = ("openai", "responses")
_NEAR = ("openai", "anthropic", "responses")


@pytest.mark.parametrize(
    ("base_url", "protocol"),
    [
        *((preset.base_url, _CHAT) for preset in PRESETS if preset.id not in (*_MESSAGES, *_RESPONSES)),
        *((preset.base_url, ("responses", "openai")) for preset in PRESETS if preset.id in _RESPONSES),
        *((preset.base_url, ("anthropic",)) for preset in PRESETS if preset.id in _MESSAGES),
        ("https://openrouter.ai/api", ("anthropic",)),
        ("https://api.deepseek.com", _CHAT),
        ("https://api.moonshot.cn/v1", _CHAT),
        ("https://open.bigmodel.cn/api/paas/v4", _CHAT),
        ("http://127.0.0.1:11434", _NEAR),
        ("https://llm.example.org", ("anthropic", "openai", "responses")),
        ("https://api.anthropic.com", ("anthropic",)),
        ("https://example.org/v1/chat/completions", _CHAT),
        ("https://example.org/v1/messages", ("anthropic",)),
        ("https://me.openai.azure.com/openai/deployments/gpt?api-version=2024-10-21", _CHAT),
        ("https://me.services.ai.azure.com/anthropic", ("anthropic",)),
        ("https://gateway.example.org/llm?api-version=1", _CHAT),
    ],
)
def test_protocol_follows_the_address(base_url: str, protocol: tuple[str, ...]) -> None:
    assert protocols_of(base_url) == protocol


def test_owners_word_wins() -> None:
    assert protocols_of("https://api.openai.com/v1", "anthropic") == ("anthropic",)
    assert protocols_of("http://127.0.0.1:8080", "openai") == ("openai",)


def test_presets_are_valid_addresses_with_different_ids() -> None:
    assert len({preset.id for preset in PRESETS}) == len(PRESETS)
    for preset in PRESETS:
        assert check("base_url", preset.base_url) == preset.base_url
