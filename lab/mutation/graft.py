"""Puts the code of a mutant into a module that is already imported, and that others have imported from."""

from __future__ import annotations

import sys
from functools import cached_property
from types import FunctionType, ModuleType
from typing import Any


def graft(module: ModuleType, source: str) -> None:
    """Functions and classes stay the objects they are and get the code, the defaults and the constants of ``source``.

    A constant of the module is also replaced where another module imported it by the same name.
    """
    changed: dict[str, Any] = {"__name__": module.__name__, "__package__": module.__package__}
    exec(compile(source, module.__file__ or "", "exec"), changed)
    for name, new in changed.items():
        old = module.__dict__.get(name)
        if name.startswith("__") or old is None or old is new or _graft_object(old, new):
            continue
        for other in list(sys.modules.values()):
            if getattr(other, "__dict__", {}).get(name) is old:
                setattr(other, name, new)


def _graft_object(old: Any, new: Any) -> bool:
    """False for a plain value, which has to be replaced."""
    if hasattr(old, "cache_clear"):
        old.cache_clear()
    match old:
        case FunctionType() if hasattr(old, "__wrapped__"):
            return _graft_object(old.__wrapped__, new.__wrapped__)
        case FunctionType():
            if old.__code__.co_freevars == new.__code__.co_freevars:
                old.__code__, old.__defaults__, old.__kwdefaults__ = (
                    new.__code__,
                    new.__defaults__,
                    new.__kwdefaults__,
                )
        case staticmethod() | classmethod():
            _graft_object(old.__func__, new.__func__)
        case property():
            _graft_object(old.fget, new.fget)
        case cached_property():
            _graft_object(old.func, new.func)
        case type():
            _graft_class(old, new)
        case _ if hasattr(old, "__wrapped__"):  # functools.cache
            _graft_object(old.__wrapped__, new.__wrapped__)
        case _:
            return False
    return True


def _graft_class(old: type, new: type) -> None:
    for name, value in vars(new).items():
        if name in vars(old) and (not name.startswith("__") or isinstance(value, FunctionType)):
            before = vars(old)[name]
            if not _graft_object(before, value) and before != value and isinstance(value, int | float | str | tuple):
                setattr(old, name, value)
