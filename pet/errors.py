"""Errors with a text for the owner.

Each class has a stable ``code``, its name in snake case unless it sets one; the catalogues word it (``error.<code>``,
with the arguments as placeholders). Bugs are not PetErrors: one handler per thread logs them with an id, and the page
gets ``internal``.
"""

from __future__ import annotations

import errno
import os
import re
import traceback
from typing import ClassVar

ArgValue = str | int | float | bool
_LOCAL_MODEL_RETRYABLE = frozenset(
    {"memory_now", "killed", "elsewhere", "starting_elsewhere", "stopped", "not_loaded", "occupied"}
)


class PetError(Exception):
    """Base class. ``args_`` fill the placeholders of the message in the catalogue."""

    code: ClassVar[str] = "internal"

    def __init_subclass__(cls) -> None:
        if "code" not in vars(cls):
            cls.code = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, **args: ArgValue) -> None:
        super().__init__(f"{self.code} {args}" if args else self.code)
        self.args_ = args

    @property
    def error_code(self) -> str:
        """Code of the message in the catalogue."""
        return self.code


class ProblemError(PetError):
    """A family of errors; the catalogue's key is ``family``, ``_`` and ``problem``."""

    family: ClassVar[str]

    def __init__(self, problem: str, **args: ArgValue) -> None:
        super().__init__(**args)
        self.problem = problem

    @property
    def error_code(self) -> str:
        return f"{self.family}_{self.problem}"


class BadPetId(PetError):
    """Not 1 to 32 lower-case letters, digits and hyphens."""


class UnknownPet(PetError):
    """No pet of this home has this id."""


class AmbiguousPet(PetError):
    """Several pets of this home have this name. ``ids``: theirs."""


class EraseNotConfirmed(PetError):
    """The confirmation word was not typed."""


class UnknownTemplate(PetError):
    """No template ships under this name."""


class PetBusy(PetError):
    """The pet is in use, here or in another program, and can't be deleted now."""


class OnlyPet(PetError):
    """The last pet of a home can't be deleted."""


class PetNameRefused(PetError):
    """Empty, longer than ``limit`` characters, or more than one line."""


class ImportRefused(ProblemError):
    """An import that is refused. ``problem`` is the catalogue's key after ``import_``: unknown, unreadable,
    broken_zip, broken_json, names, encrypted, too_large, long_text, too_many, half, deep_settings, card, whole_pet,
    no_undo, none, busy, stopped, not_dropped, several (raised by the page).
    """

    family = "import"


class UnknownConversation(PetError):
    """No conversation has this id, or it was deleted meanwhile."""


class UnknownTurn(PetError):
    """The conversation has no active turn with this id."""


class UnknownReceipt(PetError):
    """The conversation has no such change."""


class UnknownProposal(PetError):
    """The proposal was answered already, or its turn is over."""


class TurnRunning(PetError):
    """A reply is running in this conversation."""


class NothingToCompact(PetError):
    """Too few turns to compact, or a summary covers them already."""


class ConversationTemporary(PetError):
    """A temporary conversation can't be saved."""


class MemoryInFlight(PetError):
    """Memory is off, but a request of another process that may carry it has not been stopped yet."""


class TranscriptBroken(PetError):
    """``problem`` is ``unreadable``, or ``newer`` if a newer program wrote the file."""

    def __init__(self, *, problem: str) -> None:
        super().__init__(problem=problem)
        self.problem = problem

    @property
    def error_code(self) -> str:
        return "transcript_newer" if self.problem == "newer" else self.code


class WorkspaceError(PetError):
    code = "workspace"


class NewerFormat(WorkspaceError):
    """``file`` was written by a newer version of this program; it is left as it is."""


class PathRefused(WorkspaceError):
    """The name is outside the scope."""


class AccessDenied(WorkspaceError):
    """The memory switch does not allow this read or write now."""


class OwnersFile(AccessDenied):
    """The pet's tools may never do this, at any position of the switch."""


class LogOnlyGrows(AccessDenied):
    """A daily log may be appended to, but not overwritten."""


class NoteOnlyRead(AccessDenied):
    """A note below ``memory`` is the owner's or another program's: the pet reads it, and notes elsewhere."""


class FileBroken(WorkspaceError):
    """``problem`` is one of: not_utf8, too_large, unreadable, link, not_a_file."""

    def __init__(self, *, file: str, problem: str) -> None:
        super().__init__(file=file, problem=problem)
        self.problem = problem

    @property
    def error_code(self) -> str:
        return f"file_{self.problem}"


class FileMissing(WorkspaceError):
    """The file to read or edit does not exist."""


class FileLost(WorkspaceError):
    """The file is gone although it has earlier versions: it is restored or given up before it is written."""


class FileFull(WorkspaceError):
    """The file would grow beyond its limit."""


class EmptyContent(WorkspaceError):
    """The content to write is empty."""


class TextRefused(WorkspaceError):
    """The text contains NUL or a lone surrogate and can't be stored."""


class EmptyQuery(WorkspaceError):
    """An edit without a passage to replace."""


class EmptySearch(PetError):
    """The query is empty."""


class VersionUnknown(WorkspaceError):
    """This version of the file is not kept."""


class ForgottenText(WorkspaceError):
    """The text contains a text that the owner had erased."""


class ForgetTooShort(WorkspaceError):
    """A text too short to erase: it would match too much."""


class SecretGone(WorkspaceError):
    """A redacted secret can't be restored: its marker is gone."""


class FileConflict(WorkspaceError):
    """The file is not the version that the change was based on."""


class EditNotFound(WorkspaceError):
    """The passage to replace is not in the file."""


class EditAmbiguous(WorkspaceError):
    """The passage to replace is in the file ``count`` times."""


class EditNoChange(WorkspaceError):
    """The new text is the same as the old."""


_WORDED = {"disk_full": (errno.ENOSPC, errno.EDQUOT), "write_denied": (errno.EROFS, errno.EACCES, errno.EPERM)}


class WriteFailed(WorkspaceError):
    """A failed write; the file is unchanged. ``number`` is the errno, 0 while something else holds the file
    (``busy``).

    Common ones have their own texts: the system's are in its language and not in the owner's.
    """

    def __init__(self, file: str, number: int = 0, *, reason: str = "") -> None:
        super().__init__(file=file, reason=reason or (os.strerror(number) if number else "busy"))
        self._number = number

    @classmethod
    def from_os_error(cls, file: str, error: OSError) -> WriteFailed:
        return cls(file, error.errno or 0, reason=error.strerror or str(error) or "?")

    @property
    def error_code(self) -> str:
        return next((code for code, numbers in _WORDED.items() if self._number in numbers), self.code)


class ToolRefused(PetError):
    """The call can't run. ``why`` is one of: unknown_tool, bad_arguments, owner_refused, nobody_to_ask, stopped,
    repeated, too_many, memory_off, memory_read_only, too_long, forget_refused, forget_unasked, unknown_skill,
    switched_off, call_refused, call_unasked, page_refused, page_unasked, too_many_pages."""

    def __init__(self, why: str, **args: ArgValue) -> None:
        super().__init__(**args)
        self.why = why

    @property
    def error_code(self) -> str:
        return f"tool_{self.why}"


class SettingsInvalid(ProblemError):
    """A setting that can't be used. ``problem`` is the catalogue's key after ``settings_``: invalid, unknown,
    out_of_range, not_a_number, not_true_or_false, not_a_text, not_a_choice, not_an_address, key_in_address,
    not_a_model, not_a_connection, connection_in_use, connection_gone, too_many_connections, not_a_shortcut,
    shortcut_bare, shortcut_twice, not_a_time, not_a_name, no_longer_set, or, of the whole file, file_broken, newer,
    not_written, busy.
    """

    family = "settings"


class KeyStoreFailed(ProblemError):
    """``problem`` is the catalogue's key after ``key_store_``: failed, missing, locked, slow, bad_key,
    bad_header, file."""

    family = "key_store"


class LoginEntryFailed(PetError):
    """Starting at login could not be switched; ``place`` is where the system keeps the setting."""


class NoFileManager(PetError):
    """No program here shows folders. ``path``: the folder."""


class ScreenshotImpossible(PetError):
    """This desktop does not allow screenshots."""


class SkinRefused(ProblemError):
    """A skin that can't be read, imported or deleted, or a repaired fault of one. ``problem`` is the catalogue's key
    after ``skin_``.
    """

    family = "skin"


class AttachmentRefused(ProblemError):
    """A file that can't be attached. ``problem`` is the catalogue's key after ``attachment_``: too_large,
    too_many_pixels, text_too_large, unknown_kind, broken, empty, gone, too_many, unreadable, memory_off, or, of a
    document, encrypted, old_office, document_broken, no_text, no_such_pages.
    """

    family = "attachment"


class FetchRefused(ProblemError):
    """A download that is refused or failed. ``problem`` is the catalogue's key after ``fetch_``: address,
    address_scheme, address_private, failed, status, slow, redirects, too_large, cancelled, busy, or, of a picture,
    not_said, no_picture, too_many_pixels.
    """

    family = "fetch"


class ProviderFault(PetError):
    """A failed request to the model, classified; ``kind`` is the catalogue's key after ``fault_``.

    ``retry_after``: seconds, if the server named a wait; ``retryable``: a retry may succeed.
    """

    code = "fault"

    def __init__(
        self, kind: str, *, retryable: bool = False, retry_after: float | None = None, **args: ArgValue
    ) -> None:
        super().__init__(**args)
        self.kind = kind
        self.retryable = retryable
        self.retry_after = retry_after

    @property
    def error_code(self) -> str:
        return f"fault_{self.kind}"

    def __str__(self) -> str:
        return f"{self.error_code} {self.args_}"


class LocalModelRefused(ProviderFault):
    """A local model that can't be downloaded, used or started. ``problem`` is the catalogue's key after ``mind_``."""

    def __init__(self, problem: str, **args: ArgValue) -> None:
        super().__init__(f"local_model_{problem}", retryable=problem in _LOCAL_MODEL_RETRYABLE)
        self.args_ = args
        self.problem = problem

    @property
    def error_code(self) -> str:
        return self.kind


class UnknownCommand(PetError):
    """No command has this name."""


class NotAllowed(PetError):
    """The client may not call this command."""


class BadArguments(PetError):
    """``where`` is the place in the arguments, ``why`` the problem; never the value."""


class TextTooLong(BadArguments):
    """A text of more than ``limit`` million characters."""


class DraftTooLong(PetError):
    """Only the first ``limit`` characters of the draft are kept."""


class TooManyDrafts(PetError):
    """Only the first ``limit`` tabs with a draft are kept."""


class LinkRefused(PetError):
    """An address that may not be opened."""


def places_of(error: BaseException) -> str:
    """Return the type and traceback of a bug for a log, without its message: a KeyError may quote a diary. Messages
    of the system's own errors (files, connections, modules) are included.
    """
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    words = f": {error}" if isinstance(error, (OSError, ImportError)) else ""
    trace = "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__ + words
    return trace if before is None else f"{places_of(before)}\n\n{trace}"
