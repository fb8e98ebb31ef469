"""Initial texts for the core files, from ``assets/templates``, and creation of a workspace.

Never overwrites a file, never replaces one that is lost, and never creates MEMORY.md: the pet does, when there is
something to remember.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from pet.clock import SystemClock
from pet.fs.directory import Absent, Contents, Folder, open_folder, temp_name, write_atomically
from pet.i18n import LANGUAGES, Language, Texts
from pet.ids import new_id
from pet.model import MISSING, OPTIONAL_FILES, Author, CoreFile
from pet.paths import assets_folder, make_private
from pet.workspace.file_history import FileHistory, HistoryEntry, lost_file
from pet.workspace.file_names import HISTORY_FOLDER
from pet.workspace.pet_registry import LIMIT, PET_FILE
from pet.workspace.skills import asking, brought_along

FIRST_SOUL = "soul"
"""The personality of a pet whose owner chose none."""
_FILES = {FIRST_SOUL: CoreFile.SOUL.value, "profile": CoreFile.USER.value}
_LONGEST = 1024 * 1024
_GALLERY = {
    CoreFile.SOUL.value: ("soul", "sunny", "scholar", "night", "slow"),
    CoreFile.USER.value: ("profile", "profile_whole", "profile_work"),
    CoreFile.MEMORY.value: ("memory",),
    **{name: (name.removesuffix(".md").lower(),) for name in OPTIONAL_FILES},
}
_EARLIER = {
    CoreFile.SOUL.value: (
        "077efd7bd27b2f5d8e91db952b4843d549ea7a62cd9d88ecde01446365e96f01",
        "d46358d434a22f7219559c7656b952b9f7f103b05c79c564246ab6ce23350474",
        "644b475e08455bc50f5c6a071b23c9d0526b17466bfe9fb4c162949558ac383a",
        "9f2064e33120ba0f4d003e2da214899e48cee8bcbdd51519596ff78dffb6eb8f",
        "cefc9ff91326798271eda6e72ff9fcc63c341e4af6a4560ce785032db7255b6f",
        "a6fc5ac124dbcca83f0954a366ee2ff76da3516bb9d50674022511c75c71ebc2",
        "a808dd73508f93405c51b2340af9be9eafc3ed2286d873b90fd7b9d99f3e09fd",
        "9959b82d9e606356122c00eea1302f27b3b650d61e0ccd242b591f937e3f7b20",
        "48543d60984eba22c0508a689c4cb5c203163ec1fe12f8ed7a7838d41778d3d4",
        "4d6c9320ed668112f5b95ee485ae0a8dfae14edff184a4ec162b0fffbd7c634c",
        "d30f7bb13020b3eadf2f8b1ab17a9b7126c13ffa24bf4f29119f23d7fe9db6f6",
        "ec9105872bd71462e55991a1be073791253f8494a914e6c55a63b9d208173533",
        "79ce355539f06448497ac6c63617d7e41e14230db25d5dad0aadd8a6c572159d",
        "b4bda768bb0b2b9208ac20ae94e90b991277321958c3ed58f75bf4be2902b703",
        "16f75dd4656ea7981f4d64242da89d94b8a4bfea50b821677ce74fdcee65065d",
        "933ff1aaf7b44e32435f8fcb121d217b50781392a3baf93fee73d27dcf8aa04e",
        "4f5da3a2b7ee3ba0949063579bd60bcfdd10e26cc59f22e3c86553b46e64e78a",
        "83ceb8b7a52c5c18908c54e143f2ad1063361b7c869e95f5fe95bcfabd3cab33",
        "a7f9406b59acde5e53e48f6190bc81f24df015d1af63a1f71e21a675dd0f32ab",
        "a714a03ae25efa6b6334a666c54bd02455b33f730035026c76b22025097cd607",
        "cb598c14d1c67c25b94c13cb4322bfc27fffb2d55402dd49ef44e2c4aeadb066",
        "e2329fc3b7d19e2946518576863df9ce32a1eec46b030416922bd7b548468216",
        "0940248e20d21e5a6ffd98924c7c3960033d0da57b309f36f1b34c5382b636ab",
        "b908a2f773dfc9a87a45c29da479fb0a535c2a6c1a6813d3f9d6ab98408c4d4a",
        "24b9e1f71dbf245c5ad3ededd8db79f64f76ef4a1c95cbaa775da3e96006c803",
    ),
    CoreFile.USER.value: (
        "9ea399d8c8bc512bae4350d1e11333113179db4a7f50422de331f291872b4137",
        "7123f3c67ad60ce17f77887674e64f6235385cc014b6b878511e2356d09222eb",
        "405ad8673a2c2ea90c0efed4280eebd8cc9fd72d070336602658b71ccab87017",
        "f38b00f622602bb69be3b1c942e7a6d0acac2feb9eba98cd89975bc74dfbaa4c",
        "a0e1b53213171ba51eec4e4840fe3208a70fd3ad074d9341b209a64ecec709f8",
        "3c20f909c921c98121042f1e51cf0ff32a6c7d2527a9e748766da0d50cdfe362",
    ),
    "BOOTSTRAP.md": (
        "a8eec1a2d009a3010537f766d3f81be198c2144d7ff860cae43451f335fd7a34",
        "97ce4b76b09c0083da3dd49e62d84ed62844a80d35ae224e70ce76256f7f1400",
    ),
    "AGENTS.md": ("16cc61a0e4c7d39634e08936ba9e93da6c637de608759dc9ecc727bc7b84984d",),
    "HEARTBEAT.md": (
        "390f2caf80b4cdffb522b9416281fefeec0ae9ca28f8e08ad5b8b404b6db15a4",
        "1a3c8d49f1ad2fa1ab7610796cfe3afd3d3172fa93ba6fcd58861385e08a4cf2",
        "ddca439feae02e168475eee53fb12b46508f2bc9447a6b821b70114392b6252c",
    ),
}
"""SHA-256 of templates of earlier versions, stripped of surrounding white space: found in older homes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A text for a new file. ``file``: its name; ``about``: one-line description; ``name``: the soul's, else ""."""

    id: str
    title: str
    file: str
    text: str
    name: str = ""
    about: str = ""

    def named(self, name: str) -> str:
        """Return a soul's text with this name; "" keeps its own."""
        return self.text.replace(self.name, name) if name and self.name else self.text


def templates(language: Language) -> tuple[Template, ...]:
    """Return the texts for a new workspace, in the language of the windows."""
    return tuple(_template(language, id_, file) for id_, file in _FILES.items())


def gallery(language: Language) -> tuple[Template, ...]:
    """Return all shipped texts by file; the default of each file first."""
    return tuple(_template(language, id_, file) for file, ids in _GALLERY.items() for id_ in ids)


def own_templates(folder: Path) -> tuple[Template, ...]:
    """Return the owner's templates: every readable Markdown file in the folder. Each is for SOUL.md, unless its name
    starts with that of another core file ("user-shy.md", "Agents at work.md").
    """
    own = []
    for file in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        try:
            text = file.read_text(encoding="utf-8-sig") if file.stat().st_size <= _LONGEST else None
        except (OSError, UnicodeDecodeError):
            text = None
        if text is not None:
            own.append(Template(id=f"own:{file.stem}", title=file.stem, file=_meant_for(file.stem), text=text))
    return tuple(own)


def _meant_for(stem: str) -> str:
    named = (each for each in _GALLERY if stem.casefold().startswith(each.removesuffix(".md").casefold()))
    return next(named, CoreFile.SOUL.value)


def default_soul(language: Language) -> str:
    """Return the fallback personality for prompts while SOUL.md is missing or empty."""
    return _asset(language, "default_soul")


def is_untouched(name: str, text: str) -> bool:
    """Whether the file equals a template of this or an earlier version."""
    stripped = text.replace("\r\n", "\n").strip()
    if hashlib.sha256(stripped.encode()).hexdigest() in _EARLIER.get(name, ()):
        return True
    return any(
        each.file == name and each.text.strip() == stripped for language in LANGUAGES for each in gallery(language)
    )


def create_workspace(
    root: Path, language: Language, name: str = "", *, soul: str = FIRST_SOUL, ours: bool = True
) -> bool:
    """Create the folder with SOUL.md and USER.md if missing; idempotent.

    ``name``: the new pet's name, used in its soul. ``soul``: the id of a shipped personality. ``ours``: whether a
    history in the folder is this program's. Return False where its pet.toml can't be used, so
    that the owner can't be asked about instructions that came with the folder.
    """
    make_private(root)
    settled = True
    with open_folder(root.resolve()) as folder:
        if _is_from_elsewhere(folder, root, ours=ours):
            data = asking(folder.read(PET_FILE, LIMIT))
            if settled := data is not None:
                create_file(folder, PET_FILE, data, replace=True)
        for template in templates(language):
            if template.id == FIRST_SOUL != soul:
                template = _template(language, soul, template.file)  # noqa: PLW2901
            create_file(folder, template.file, template.named(name).encode())
    return settled


def _is_from_elsewhere(folder: Folder, root: Path, *, ours: bool) -> bool:
    """Whether the folder holds a soul and texts that instruct a model, and no history of this program."""
    if (ours and folder.signature(HISTORY_FOLDER)) or not folder.signature(CoreFile.SOUL):
        return False
    return bool(brought_along(root.resolve()))


def create_file(folder: Folder, name: str, data: bytes, *, replace: bool = False) -> None:
    """Create the file with its history, atomically; does nothing if it exists, unless ``replace``, or existed and was
    lost."""
    before = folder.read(name, LIMIT) if replace else Absent()
    if not replace and (folder.signature(name) is not None or _is_lost(folder, name)):
        return
    try:
        write_atomically(folder, name, data, temp=temp_name(name, new_id()), overwrite=replace)
    except FileExistsError:  # another process created it first
        return
    with folder.sub(HISTORY_FOLDER, create=True) as kept:
        log = FileHistory(kept, name)
        log.add(
            HistoryEntry(
                id=new_id(),
                file=name,
                at=SystemClock().now().isoformat(),
                author=Author.SYSTEM,
                source=None,
                before=log.put_object(before.data) if isinstance(before, Contents) else MISSING,
                after=log.put_object(data),
                size=len(data),
                kind="write",
            )
        )


def _is_lost(folder: Folder, name: str) -> bool:
    try:
        with folder.sub(HISTORY_FOLDER, create=False) as kept:
            return lost_file(FileHistory(kept, name), name).lost_at != ""
    except FileNotFoundError:
        return False
    except OSError:  # nothing says whether it ever was there
        return True


def _template(language: Language, id_: str, file: str) -> Template:
    texts = Texts(language)
    return Template(
        id=id_,
        title=texts(f"template.{id_}"),
        file=file,
        text=_asset(language, id_),
        name=texts(f"template.{id_}.name") if file == CoreFile.SOUL else "",
        about=texts(f"template.{id_}.about"),
    )


def _asset(language: Language, name: str) -> str:
    return (assets_folder() / "templates" / language / f"{name}.md").read_text(encoding="utf-8")
