"""Mutants of a module: one small change each, made on the syntax tree. Pure.

Operators: a comparison becomes its neighbour (``<`` becomes ``<=``, ``==`` ``!=``), ``and`` becomes
``or``, ``not x`` ``x``, ``True`` ``False``, an integer its successor, ``+`` ``-``; a condition is negated; a line
that only has an effect (a call, an assignment to an attribute, a raise) is removed. Annotations, ``TYPE_CHECKING``
blocks, logging and the arguments of exceptions are left alone.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

_COMPARE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_LOGGERS = frozenset({"_log", "logging", "log"})


@dataclass(frozen=True, slots=True)
class Mutant:
    """``line`` is 1-based, ``code`` what is changed there, ``source`` the whole mutated module.

    ``lines`` are the first and the last line of the innermost statement around it; None outside of functions.
    """

    line: int
    code: str
    change: str
    source: str
    lines: tuple[int, int] | None


def mutants(source: str) -> Iterator[Mutant]:
    """Every mutant of ``source``, in the order of its lines."""
    tree = ast.parse(source)
    index = {id(node): at for at, node in enumerate(ast.walk(tree))}
    ranges = dict(_ranges(tree, None, in_function=False))
    for node, change in _places(tree):
        changed = copy.deepcopy(tree)
        _apply(changed, list(ast.walk(changed))[index[id(node)]])
        text = ast.unparse(ast.fix_missing_locations(changed))
        yield Mutant(line=node.lineno, code=_code(node), change=change, source=text, lines=ranges[id(node)])


def named_changes(source: str) -> set[tuple[str, str]]:
    """The line and the code with its change of every mutant, as ``equivalent`` names them."""
    lines = source.splitlines()
    return {
        (lines[node.lineno - 1].strip(), f"{_code(node)}: {change}") for node, change in _places(ast.parse(source))
    }


def _places(tree: ast.AST) -> list[tuple[ast.expr | ast.stmt, str]]:
    """What can be changed, and how, in the order of lines."""
    left_alone = _left_alone(tree)
    places = [
        (node, change)
        for node in ast.walk(tree)
        if isinstance(node, ast.expr | ast.stmt) and id(node) not in left_alone and (change := _change(node))
    ]
    return sorted(places, key=lambda place: place[0].lineno)


def _code(node: ast.AST) -> str:
    return ast.unparse(node).partition("\n")[0]


def _ranges(
    node: ast.AST, around: tuple[int, int] | None, *, in_function: bool
) -> Iterator[tuple[int, tuple[int, int] | None]]:
    for child in ast.iter_child_nodes(node):
        lines = around
        if in_function and isinstance(child, ast.stmt):
            lines = child.lineno, child.end_lineno or child.lineno
        yield id(child), lines
        inside = in_function or isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        yield from _ranges(child, lines, in_function=inside)


def _change(node: ast.AST) -> str:
    """The change that this node allows, or nothing."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in _COMPARE:
            return f"{type(operator).__name__} -> {_COMPARE[type(operator)].__name__}"
        case ast.BoolOp(op=ast.And()):
            return "and -> or"
        case ast.BoolOp():
            return "or -> and"
        case ast.UnaryOp(op=ast.Not()):
            return "not removed"
        case ast.Constant(value=bool() as value):
            return f"{value} -> {not value}"
        case ast.Constant(value=int() as value):
            return f"{value} -> {value + 1}"
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return "+ <-> -"
        case ast.If() | ast.While():
            return "condition negated"
        case ast.Expr(value=ast.Call() | ast.Await() | ast.Yield()) | ast.Assign(targets=[ast.Attribute()]):
            return "statement removed"
        case ast.AugAssign():
            return "statement removed"
        case ast.Raise():
            return "raise removed"
        case _:
            return ""


def _apply(tree: ast.AST, node: ast.AST) -> None:
    match node:
        case ast.Compare():
            node.ops = [_COMPARE[type(node.ops[0])]()]
        case ast.BoolOp():
            node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        case ast.UnaryOp():
            _replace(tree, node, node.operand)
        case ast.Constant(value=bool()):
            node.value = not node.value
        case ast.Constant(value=int() as value):
            node.value = value + 1
        case ast.BinOp():
            node.op = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
        case ast.If() | ast.While():
            node.test = ast.UnaryOp(op=ast.Not(), operand=node.test)
        case _:
            _replace(tree, node, ast.Pass())


def _replace(tree: ast.AST, node: ast.AST, other: ast.AST) -> None:
    for parent in ast.walk(tree):
        for name, value in ast.iter_fields(parent):
            if value is node:
                setattr(parent, name, other)
                return
            if isinstance(value, list) and any(each is node for each in value):
                value[next(at for at, each in enumerate(value) if each is node)] = other
                return


def _left_alone(tree: ast.AST) -> set[int]:
    """Ids of the nodes that are no behaviour: annotations, docstrings, logging, arguments of exceptions."""
    skipped: list[ast.AST] = []
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                arguments = node.args
                every = [*arguments.args, *arguments.kwonlyargs, *arguments.posonlyargs]
                skipped += [each.annotation for each in every if each.annotation is not None]
                skipped += [node.returns] if node.returns is not None else []
                skipped += node.decorator_list
            case ast.AnnAssign():
                skipped.append(node.annotation)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))) if name in _LOGGERS:
                skipped.append(node)
            case ast.Raise(exc=ast.Call() as call):
                skipped += [*call.args, *(each.value for each in call.keywords)]
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                skipped.append(node)
            case ast.ClassDef():
                skipped += [*node.decorator_list]
            case _:
                continue
    return {id(inner) for node in skipped for inner in ast.walk(node)}
