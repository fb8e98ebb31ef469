"""The program's log file: small, rotated, for the owner to read and to send.

Log records never contain texts of the owner, the pet or the model: callers log codes, ids and counts, and exceptions
are reduced to type and location. Secrets are redacted in all of it.
"""

from __future__ import annotations

import logging
import logging.handlers
from contextlib import suppress
from types import TracebackType

from pet.errors import places_of
from pet.paths import Home
from pet.untrusted.regular_files import require_regular

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

_MAX_BYTES = 512 * 1024
_KEPT = 3
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# These libraries log URLs with queries, headers and bodies at INFO or DEBUG.
_TALKATIVE = ("anthropic", "httpx2", "httpcore2", "httpx", "httpcore", "asyncio", "watchdog")


def start_log(home: Home) -> None:
    """Log warnings and our own milestones to the file from now on, and nothing to the terminal."""
    root = logging.getLogger()
    root.handlers.clear()
    try:
        home.log.mkdir(parents=True, exist_ok=True)
        require_regular(home.log_file)
        file = _LogFile(home.log_file, maxBytes=_MAX_BYTES, backupCount=_KEPT, encoding="utf-8", delay=False)
    except OSError:
        root.addHandler(logging.NullHandler())  # a full or read-only disk must not prevent the start
        return
    file.setFormatter(_Masking(_FORMAT))
    root.addHandler(file)
    root.setLevel(logging.WARNING)
    logging.getLogger("pet").setLevel(logging.INFO)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


class _LogFile(logging.handlers.RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Drop records a full disk does not take; the default prints a traceback to the owner's terminal."""

    def close(self) -> None:
        with suppress(OSError):  # unwritten records are lost
            super().close()


class _Masking(logging.Formatter):
    """Formatter that redacts the whole record: message, exception and stack."""

    def format(self, record: logging.LogRecord) -> str:
        from pet.text.redaction import redact  # lazy: rarely needed at start

        return redact(super().format(record)).text

    def formatException(self, ei: ExcInfo) -> str:  # noqa: N802 - logging's name
        return f"Traceback (most recent call last):\n{places_of(ei[1])}" if ei[1] is not None else ""


def quiet_webview() -> None:
    """Send pywebview's messages from WARNING on to our file instead of stderr."""
    logger = logging.getLogger("pywebview")
    logger.handlers.clear()
    logger.setLevel(logging.WARNING)
