"""Patterns that are compiled at first use."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from pet.text.lazy_pattern import lazy_pattern

LANGUAGES = (
    "pet.memory.store.about_owner, pet.extras.questions.asking, pet.memory.store.shrink_plan, "
    "pet.language.redaction, pet.language.ranges, pet.language.date_rows"
)


def test_it_is_used_as_any_pattern() -> None:
    word = lazy_pattern(r"(?P<first>[a-z])[a-z]*", re.I)
    found = word.search("7 Walnuts")
    assert found is not None
    assert found["first"] == "W"
    assert word.sub("_", "Two words") == "_ _"
    assert [each.group() for each in word.finditer("a bc")] == ["a", "bc"]
    assert word.groupindex == {"first": 1}


def test_a_fault_in_it_is_raised_at_the_first_use() -> None:
    broken = lazy_pattern("(")
    with pytest.raises(re.error):
        broken.search("")


def test_the_patterns_of_the_languages_wait_for_their_use_and_all_of_them_compile() -> None:
    """In a child process: other tests have used some here."""
    code = (
        f"import gc, {LANGUAGES}\n"
        "pet.language.date_rows.date_rows('moment'), pet.language.date_rows.date_rows('ranges')\n"
        "from pet.text.lazy_pattern import LazyPattern\n"
        "patterns = [each for each in gc.get_objects() if type(each) is LazyPattern]\n"
        "print(len(patterns), sum('_compiled' in vars(each) for each in patterns))\n"
        "print(sum(isinstance(each.pattern, str) for each in patterns))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    there, compiled, compiling = map(int, done.stdout.split())
    assert there > 300
    assert compiled < there / 10
    assert compiling == there
