"""Starting texts, and the first start of a pet. The texts are files in ``assets/templates``.

Never overwrites, and never makes a MEMORY.md: the pet does that when there is something to remember.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from pet.clock import SystemClock
from pet.i18n import LANGUAGES, Language, Texts
from pet.ids import new_id
from pet.model import MISSING, OPTIONAL_FILES, Author, CoreFile
from pet.paths import assets_folder
from pet.workspace.file_names import HISTORY_FOLDER, temp_name
from pet.workspace.fs.directory import Folder, open_folder
from pet.workspace.versioned.history import FileHistory, HistoryEntry

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
    CoreFile.USER.value: frozenset(
        {
            "9ea399d8c8bc512bae4350d1e11333113179db4a7f50422de331f291872b4137",
            "7123f3c67ad60ce17f77887674e64f6235385cc014b6b878511e2356d09222eb",
            "405ad8673a2c2ea90c0efed4280eebd8cc9fd72d070336602658b71ccab87017",
        }
    ),
    "BOOTSTRAP.md": frozenset({"a8eec1a2d009a3010537f766d3f81be198c2144d7ff860cae43451f335fd7a34"}),
}
"""SHA-256 of templates as earlier versions shipped them, without white space at either end: files of older homes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """``file``: what it is for; ``about``: it in one line; ``name``: what a soul calls itself, "" elsewhere."""

    id: str
    title: str
    file: str
    text: str
    name: str = ""
    about: str = ""

    def named(self, name: str) -> str:
        """The text of a soul that calls itself so; "" leaves it its own name."""
        return self.text.replace(self.name, name) if name and self.name else self.text


def templates(language: Language) -> tuple[Template, ...]:
    """What the first start writes, in the language of the windows."""
    return tuple(_template(language, id_, file) for id_, file in _FILES.items())


def gallery(language: Language) -> tuple[Template, ...]:
    """All shipped texts, file by file; of each file the one of the first start first."""
    return tuple(_template(language, id_, file) for file, ids in _GALLERY.items() for id_ in ids)


def own_templates(folder: Path) -> tuple[Template, ...]:
    """The owner's: every readable Markdown file there. It is for SOUL.md, unless its own name begins with
    that of another of the pet's files ("user-shy.md", "Agents at work.md")."""
    found = []
    for file in sorted(folder.glob("*.md")) if folder.is_dir() else ():
        try:
            text = file.read_text(encoding="utf-8-sig") if file.stat().st_size <= _LONGEST else None
        except (OSError, UnicodeDecodeError):
            text = None
        if text is not None:
            found.append(Template(id=f"own:{file.stem}", title=file.stem, file=_meant_for(file.stem), text=text))
    return tuple(found)


def _meant_for(stem: str) -> str:
    named = (each for each in _GALLERY if stem.casefold().startswith(each.removesuffix(".md").casefold()))
    return next(named, CoreFile.SOUL.value)


def default_soul(language: Language) -> str:
    """The safe personality that a prompt uses while SOUL.md is missing or empty."""
    return _asset(language, "default_soul")


def is_untouched(name: str, text: str) -> bool:
    """Whether the file still equals a template, of this version or an earlier one: nobody has written in it yet."""
    said = text.replace("\r\n", "\n").strip()
    if hashlib.sha256(said.encode()).hexdigest() in _EARLIER.get(name, ()):
        return True
    return any(
        each.file == name and each.text.strip() == said for language in LANGUAGES for each in gallery(language)
    )


def create_workspace(root: Path, language: Language, name: str = "", *, soul: str = FIRST_SOUL) -> None:
    """The folder with SOUL.md and USER.md, those that are not there yet. May be called at every start. ``name``: of
    a new pet, and so what its soul calls itself. ``soul``: the id of a shipped personality."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    with open_folder(root.resolve()) as folder:
        for template in templates(language):
            if template.id == FIRST_SOUL != soul:
                template = _template(language, soul, template.file)  # noqa: PLW2901
            create_file(folder, template.file, template.named(name).encode())


def create_file(folder: Folder, name: str, data: bytes) -> None:
    """Whole or not at all, and never over a file that is there, whatever it is."""
    if folder.signature(name) is not None:
        return
    temp = temp_name(name, new_id())
    folder.create(temp, data, 0o600)
    try:
        folder.add(temp, name)
    except FileExistsError:  # another start was quicker
        folder.remove(temp)
        return
    folder.sync()
    with folder.sub(HISTORY_FOLDER, create=True) as kept:
        log = FileHistory(kept, name)
        log.add(
            HistoryEntry(
                id=new_id(),
                file=name,
                at=SystemClock().now().isoformat(),
                author=Author.SYSTEM,
                source=None,
                before=MISSING,
                after=log.put_object(data),
                size=len(data),
                kind="write",
            )
        )


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
