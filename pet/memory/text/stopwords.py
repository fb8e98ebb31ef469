"""Stop words of questions in English and Chinese.

Common words that somebody may search for are not included; their frequency lowers their weight.
"""

from __future__ import annotations

from pet.memory import read_data

ENGLISH = frozenset(read_data("stop_words_en.txt").split())

CHINESE = frozenset(read_data("stop_words_zh.txt").split())
"""Characters and pairs found in nearly every question."""

OF_DAYS = frozenset(read_data("words_of_days.txt").split())
"""Tokens of questions about a whole day: "what did we talk about", "我们聊了哪些话题", "de qué hablamos"."""
