"""Answers to choose from below a reply that asks something, by rules alone."""

from __future__ import annotations

from pet.extra import Extra

EXTRA = Extra(quick_replies="pet.extras.quick_replies.rules.quick_words")
