"""Everything that can go wrong and has words for it.

Each class has a stable ``code``, its name in snake case unless it gives one; the catalogues word it
(``error.<code>``, with the arguments as placeholders).
Bugs are not PetErrors: they reach one handler per thread, are logged with an id, and the page sees ``internal``.
"""

from __future__ import annotations

import errno
import os
import re
import traceback
from typing import ClassVar

ArgValue = str | int | float | bool
_MIND_RETRYABLE = frozenset(
    {"memory_now", "killed", "elsewhere", "starting_elsewhere", "stopped", "not_loaded", "occupied"}
)


class PetError(Exception):
    """Root. ``args_`` fill the placeholders of the message in the catalogue."""

    code: ClassVar[str] = "internal"

    def __init_subclass__(cls) -> None:
        if "code" not in vars(cls):
            cls.code = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", cls.__name__).lower()

    def __init__(self, **args: ArgValue) -> None:
        super().__init__(f"{self.code} {args}" if args else self.code)
        self.args_ = args

    @property
    def error_code(self) -> str:
        """The code under which the catalogue words this error."""
        return self.code


class ProblemError(PetError):
    """A family of errors; ``problem`` tells which of them, and is the catalogue's key after ``family`` and ``_``."""

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


class EraseNotConfirmed(PetError):
    """The word that confirms it was not typed."""


class UnknownTemplate(PetError):
    """No template ships under this name."""


class PetBusy(PetError):
    """The pet is in use, here or in another program: it can't go now."""


class OnlyPet(PetError):
    """The last pet of a home stays."""


class PetNameRefused(PetError):
    """Empty, longer than ``limit`` characters, or more than one line."""


class ImportRefused(ProblemError):
    """What can't be imported. ``problem`` is the catalogue's key after ``import_``: unknown, unreadable, broken_zip,
    broken_json, names, encrypted, too_large, long_text, too_many, half, deep_settings, card, whole_pet, no_undo,
    none, busy, stopped, not_dropped, several (said by the page)."""

    family = "import"


class CardRefused(ProblemError):
    """A character card that can't be used. ``problem`` is the catalogue's key after ``card_``: not_json, no_card,
    no_name, not_a_png, broken_png, broken_zip, too_large, too_long, unreadable."""

    family = "card"


class UnknownConversation(PetError):
    """There is none with this id, or it was deleted meanwhile."""


class UnknownTurn(PetError):
    """The conversation has no such turn any more."""


class UnknownReceipt(PetError):
    """The conversation has no such change any more."""


class UnknownProposal(PetError):
    """It was answered already, or its turn is over."""


class TurnRunning(PetError):
    """A reply is still being given in this conversation."""


class NothingToCompact(PetError):
    """All there is stays whole: too few turns, or a summary stands for the others already."""


class ConversationTemporary(PetError):
    """Nothing of a temporary conversation may be written down, whoever asks for it."""


class MemoryInFlight(PetError):
    """The memory is switched off, but a request of another process that may carry it has not been stopped yet."""


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
    """The name is outside the scope, whatever is under it."""


class AccessDenied(WorkspaceError):
    """The switch does not let this conversation read or write the file now."""


class OwnersFile(AccessDenied):
    """No position of the switch lets the pet's tools do this."""


class LogOnlyGrows(AccessDenied):
    """A daily log that was to be written over, where it may be added to."""


class FileBroken(WorkspaceError):
    """``problem`` is one of: not_utf8, too_large, unreadable, link, not_a_file."""

    def __init__(self, *, file: str, problem: str) -> None:
        super().__init__(file=file, problem=problem)
        self.problem = problem

    @property
    def error_code(self) -> str:
        return f"file_{self.problem}"


class FileMissing(WorkspaceError):
    """The file is to be read or edited, and there is none."""


class FileFull(WorkspaceError):
    """The file would grow beyond its limit."""


class EmptyContent(WorkspaceError):
    """There is nothing to write."""


class TextRefused(WorkspaceError):
    """The text holds NUL or half a character: written down, the file would be broken."""


class EmptyQuery(WorkspaceError):
    """An edit that does not say what to replace."""


class EmptySearch(PetError):
    """There is nothing to look for."""


class VersionUnknown(WorkspaceError):
    """No such version of the file is kept."""


class ForgottenText(WorkspaceError):
    """The text holds what the owner wanted forgotten."""


class ForgetTooShort(WorkspaceError):
    """A text so short that forgetting it would take everything along."""


class SecretGone(WorkspaceError):
    """What was masked can't be put back: its mark is not there any more."""


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
    """Nothing was changed. ``number`` is the system's errno, 0 while something else holds the file (``busy``).

    The usual ones have words of their own, as the system's are in its language and not in the owner's.
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
    repeated, too_many, memory_off, too_long, forget_refused, forget_unasked, unknown_skill."""

    def __init__(self, why: str, **args: ArgValue) -> None:
        super().__init__(**args)
        self.why = why

    @property
    def error_code(self) -> str:
        return f"tool_{self.why}"


class SettingsInvalid(ProblemError):
    """A setting that can't be used. ``problem`` is the catalogue's key after ``settings_``: invalid, unknown,
    out_of_range, not_a_number, not_true_or_false, not_a_text, not_a_choice, not_an_address, not_a_model,
    not_a_connection, connection_in_use, connection_gone, too_many_connections,
    not_a_shortcut, shortcut_bare, shortcut_twice, not_a_time, not_a_name, or, of the whole file, file_broken,
    newer, not_written, busy."""

    family = "settings"


class KeyStoreFailed(ProblemError):
    """``problem`` is the catalogue's key after ``key_store_``: failed, missing, locked, slow, bad_key, file."""

    family = "key_store"


class LoginEntryFailed(PetError):
    """Starting at login could not be switched on or off; ``place`` is where the system looks for it."""


class ScreenshotImpossible(PetError):
    """This desktop shows no program what is on the screen."""


class SkinRefused(ProblemError):
    """A skin that can't be read, taken in or deleted, or a fault of one that was helped. ``problem`` is the
    catalogue's key after ``skin_``."""

    family = "skin"


class AttachmentRefused(ProblemError):
    """A file that can't go with a message. ``problem`` is the catalogue's key after ``attachment_``: too_large,
    too_many_pixels, text_too_large, unknown_kind, broken, empty, gone, too_many, unreadable, memory_off."""

    family = "attachment"


class FetchRefused(ProblemError):
    """Something on the internet that is not fetched, or could not be. ``problem`` is the catalogue's key after
    ``fetch_``: address, address_scheme, address_private, failed, status, slow, redirects, too_large, cancelled, busy,
    or, of a picture, not_said, no_picture, too_many_pixels."""

    family = "fetch"


class ProviderFault(PetError):
    """A failed request to the model, already classified; ``kind`` is the catalogue's key after ``fault_``.

    ``retry_after`` is in seconds where the server named a wait; ``retryable`` says that asking again may help.
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


class MindRefused(ProviderFault):
    """A local model that can't be downloaded, used or started. ``problem`` is the catalogue's key after ``mind_``."""

    def __init__(self, problem: str, **args: ArgValue) -> None:
        super().__init__(f"mind_{problem}", retryable=problem in _MIND_RETRYABLE)
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
    """``where`` is the place in the arguments, ``why`` what is wrong with it; never the value."""


class TextTooLong(BadArguments):
    """One text of more than ``limit`` million characters: nothing takes that."""


class DraftTooLong(PetError):
    """Only its first ``limit`` characters are kept for the next start."""


class LinkRefused(PetError):
    """Not an address that may be opened."""


def places_of(error: BaseException) -> str:
    """The type of a bug and the places it went through, for a log: a KeyError may quote a word of a diary. Messages
    of the system's own errors (files, connections, modules) are included.
    """
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    words = f": {error}" if isinstance(error, (OSError, ImportError)) else ""
    told = "".join(traceback.format_tb(error.__traceback__)) + type(error).__name__ + words
    return told if before is None else f"{places_of(before)}\n\n{told}"
