"""Every tool of the table has its texts, for the model and for the owner."""

from __future__ import annotations

import pytest

from pet.access import OFF, ON
from pet.i18n import LANGUAGES, Language, Texts
from pet.tools.tool import Tool
from pet.tools.toolset import TOOLS


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_has_words_for_the_model_and_for_the_chat(tool: Tool, language: Language) -> None:
    texts = Texts(language)
    for access in (ON, OFF):
        assert tool.describe(access, texts, ()).description
    assert texts(f"ui.tool.{tool.name}", what="x")
