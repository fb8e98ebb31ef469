"""The mutants that the mutation run makes."""

from __future__ import annotations

import ast

from lab.mutation.mutate import mutants

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
