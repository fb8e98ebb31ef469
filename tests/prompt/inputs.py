"""Prompt inputs for the tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pet.access import ON, Access, VisibleFiles
from pet.model import FileState, Present
from pet.prompt.build import PromptInputs


def present(name: str, text: str) -> Present:
    return Present(name=name, text=text, version="0" * 64)


def core(
    soul: str = "I am Mochi.", user: str = "- Name: Lin", memory: str = "- 2026-02-24: snow"
) -> tuple[FileState, ...]:
    return (present("SOUL.md", soul), present("USER.md", user), present("MEMORY.md", memory))


def inputs(*files: FileState, access: Access = ON, **changes: Any) -> PromptInputs:
    usual = PromptInputs(
        files=VisibleFiles(access, files),
        language="en",
        default_soul="A kind creature.",
        pet_name="mochi",
        model="test-model",
    )
    return replace(usual, **changes)
