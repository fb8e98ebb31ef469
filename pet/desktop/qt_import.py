"""Import PySide without the parts that only an error message or a stub file needs: 0.1 s and 5 MB of a start.

PySide carries its support code as source inside its library and compiles all of it at each import; four of these
modules make signatures, which this program asks for only when a call of Qt was wrong. They are loaded then. A PySide
that is built otherwise is imported whole, as without this module.
"""

from __future__ import annotations

import builtins
import sys
import threading
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

_SUPPORT = "shibokensupport.signature"
_LATE = frozenset(f"{_SUPPORT}.{name}" for name in ("layout", "parser", "lib.enum_sig", "lib.pyi_generator"))


def import_qt() -> None:
    """Import PySide's core, before any other module imports it. Raises ImportError without PySide."""
    plain = builtins.__import__

    def without_late(
        name: str,
        globals: Mapping[str, object] | None = None,  # noqa: A002
        locals: Mapping[str, object] | None = None,  # noqa: A002
        fromlist: Sequence[str] | None = (),
        level: int = 0,
    ) -> ModuleType:
        if fromlist and name.startswith(_SUPPORT) and f"{name}.{fromlist[0]}" in _LATE:
            _defer(name, fromlist[0])
        return plain(name, globals, locals, fromlist or (), level)

    builtins.__import__ = without_late
    try:
        import shiboken6  # noqa: F401  # imports its support code
    finally:
        if builtins.__import__ is without_late:
            builtins.__import__ = plain
    import PySide6.QtCore  # noqa: F401

    import_plainly()


def import_plainly() -> None:
    """Remove PySide's import hook, which reads the source of every module imported afterwards.

    It looks for modules that use its alternative naming style (none here) by accessing ``__wrapped__`` on each. In
    pydantic that access triggers another import, which occasionally failed with ImportError during start.
    """
    names = vars(builtins)
    plain = names.get("__orig_import__")
    if plain is not None:
        names["__import__"] = plain


_loading = threading.RLock()


class _Late(ModuleType):
    """A support module that is executed when something of it is first used. ``finder``: PySide's importer."""

    def __init__(self, name: str, finder: Any) -> None:
        super().__init__(name)
        self.__spec__ = finder.find_spec(name, None)  # PySide renames it

        def load() -> None:
            self.__spec__ = finder.find_spec(name, None)
            finder.exec_module(self)

        self.__dict__["_load"] = load

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        with _loading:  # another thread may be loading it, or have done so
            load = self.__dict__.pop("_load", None)
            if load is not None:
                load()
        return ModuleType.__getattribute__(self, name)


def _defer(package: str, name: str) -> None:
    """Put a late module where the import of this one looks first, if PySide's own importer would load it."""
    full = f"{package}.{name}"
    finder: Any = next((each for each in sys.meta_path if type(each).__name__ == "EmbeddableZipImporter"), None)
    parent = sys.modules.get(package)
    if parent is not None and full not in sys.modules and finder is not None and finder.find_spec(full, None):
        sys.modules[full] = _Late(full, finder)
        setattr(parent, name, sys.modules[full])
