"""Stop words of questions in English and Chinese.

Common words that somebody may search for are not included; their frequency lowers their weight.
"""

from __future__ import annotations

from pet.memory.text.word_list import word_list

ENGLISH = frozenset(word_list("stop_words_en").split())

CHINESE = frozenset(word_list("stop_words_zh").split())
"""Characters and pairs found in nearly every question."""

OF_DAYS = frozenset(word_list("words_of_days").split())
"""Tokens of questions about a whole day: "what did we talk about", "我们聊了哪些话题", "de qué hablamos"."""
