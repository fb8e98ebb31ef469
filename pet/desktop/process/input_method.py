"""Input methods on Linux: the input context Qt loads, and the program behind it.

PySide6's wheel has no input context for fcitx. It has the one for IBus, and fcitx5 serves IBus's protocol too, on the
session bus under the name of IBus's portal. Qt tries the contexts of ``QT_IM_MODULES`` in turn, takes the first that
works, and else ``compose``, which knows dead keys but no Chinese; so ``ibus`` is safe to offer on every desktop.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, MutableMapping

from pet.desktop.process.session_bus import owned_names
from pet.services.desktop_port import InputMethod

PLUGINS = frozenset({"compose", "ibus", "qtvirtualkeyboard"})
"""The input contexts of PySide6's wheel (``Qt/plugins/platforminputcontexts``)."""
_AVAILABLE = PLUGINS | {"xim", "none"}  # Qt 6 takes xim for another name of compose
_ORDER = "QT_IM_MODULES"
_PORTAL_SWITCH = "IBUS_USE_PORTAL"

_PORTAL, _IBUS, _FCITX = "org.freedesktop.portal.IBus", "org.freedesktop.IBus", "org.fcitx.Fcitx5"
_NAMES = (_PORTAL, _IBUS, _FCITX)
_NAMING = ("XMODIFIERS", "QT_IM_MODULES", "QT_IM_MODULE", "GTK_IM_MODULE")  # where a desktop names its method
_AT_LOGIN = 2.0
"""Seconds for an fcitx that the session names and that is not up yet: it may start at the same login."""


def choose_input_method(environ: MutableMapping[str, str], *, wait: bool = False) -> None:
    """Set the variables Qt reads when its application is made. A context the owner chose stays first if available.

    ``wait``: give an fcitx that the session names up to two seconds to appear.
    """
    order = contexts(environ)
    environ[_ORDER] = ";".join(order)
    if "ibus" not in map(_key, order) or _PORTAL_SWITCH in environ:
        return
    late = _PORTAL if wait and any("fcitx" in environ.get(name, "") for name in _NAMING) else ""
    owned = owned_names(_NAMES, environ, wait_for=late, seconds=_AT_LOGIN)
    # Without the portal Qt needs ibus-daemon itself; real ibus keeps its direct connection.
    if owned and _PORTAL in owned and (_FCITX in owned or not _has_daemon(environ)):
        environ[_PORTAL_SWITCH] = "1"


def contexts(environ: Mapping[str, str]) -> list[str]:
    """Return Qt's order of input contexts: the variables', and ``ibus`` if none of them is available."""
    value = environ.get("QT_IM_MODULES") or environ.get("QT_IM_MODULE", "")
    order = [name for name in value.split(";") if name]
    keys = [_key(name) for name in order]
    if "ibus" in keys:
        return order
    place = next((place for place, key in enumerate(keys) if key in _AVAILABLE), len(order))
    # Desktops fall back to xim by themselves, and Qt 6 can't speak to an XIM server: the server's name is the choice.
    if place == 0 and order and not (keys[0] == "xim" and _names_server(environ)):
        return order
    return [*order[:place], "ibus", *order[place:]]


def describe(environ: Mapping[str, str]) -> InputMethod:
    """Return the input method in effect, once ``choose_input_method`` has set the variables."""
    named = any(word in environ.get(name, "") for name in _NAMING for word in ("fcitx", "ibus"))
    first = next((key for key in map(_key, contexts(environ)) if key in _AVAILABLE), "ibus")
    if first != "ibus":
        return InputMethod(program="", why="chosen", context=first, named=named)
    owned = owned_names(_NAMES, environ)
    if owned is None:
        return InputMethod(program="", why="no_bus", named=named)
    if not owned & {_IBUS, _FCITX, _PORTAL}:
        return InputMethod(program="", why="not_running", named=named)
    portal = environ.get(_PORTAL_SWITCH) == "1"
    if not (_PORTAL in owned if portal else _IBUS in owned and _has_daemon(environ)):
        return InputMethod(program="", why="not_offered", named=named)
    return InputMethod(program="fcitx5" if _FCITX in owned else "ibus", named=named)


def _key(context: str) -> str:
    return context.partition(":")[0].strip().lower()


def _names_server(environ: Mapping[str, str]) -> bool:
    return environ.get("XMODIFIERS", "").removeprefix("@im=") not in ("", "none")


def _has_daemon(environ: Mapping[str, str]) -> bool:
    return shutil.which("ibus-daemon", path=environ.get("PATH")) is not None
