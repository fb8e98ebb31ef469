"""The mutants that the mutation run makes."""

from __future__ import annotations

import ast

import pytest

from lab.mutation.equivalent import EQUIVALENT
from lab.mutation.mutate import mutants, named_changes
from lab.mutation.score import ROOT, TARGETS, Target

SOURCE = '''
"""A module."""
import logging
_log = logging.getLogger(__name__)

def allowed(count: int, *, shut: bool = False) -> bool:
    """Whether one more fits."""
    _log.info("asked %d", 3)
    if shut:
        raise ValueError("shut", 7)
    return count < 5 and not shut
'''


def test_each_mutant_compiles_and_differs_from_the_source() -> None:
    plain = ast.unparse(ast.parse(SOURCE))
    made = list(mutants(SOURCE))
    assert len({mutant.source for mutant in made}) == len(made)
    assert all(ast.unparse(ast.parse(mutant.source)) != plain for mutant in made)


def test_operators_reach_comparisons_conditions_constants_and_statements() -> None:
    changes = [mutant.change for mutant in mutants(SOURCE)]
    for change in (
        "Lt -> LtE",
        "and -> or",
        "not removed",
        "condition negated",
        "raise removed",
        "5 -> 6",
        "False -> True",
    ):
        assert change in changes


def test_logging_and_arguments_of_exceptions_are_left_alone() -> None:
    changes = [mutant.change for mutant in mutants(SOURCE)]
    assert "3 -> 4" not in changes
    assert "7 -> 8" not in changes


@pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)
def test_each_target_names_a_module_and_tests_that_exist(target: Target) -> None:
    assert [each for each in (target.module, *target.tests) if not (ROOT / each).exists()] == []


@pytest.mark.parametrize("name", EQUIVALENT)
def test_each_equivalent_mutant_is_made_of_its_module(name: str) -> None:
    source = (ROOT / TARGETS[name].module).read_text("utf-8")
    assert EQUIVALENT[name].keys() - named_changes(source) == set()
