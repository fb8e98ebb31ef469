"""All folder and file names of the program, and the environment of its child processes."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pet.ids import check_pet_id


def environment_of_children(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the environment for our own child processes, none of which needs an API key. They take their modules
    from where ours are, not from a package of our name in the folder that the program was started in."""
    kept = {name: value for name, value in environ.items() if not name.endswith("_API_KEY")}
    modules = [str(Path(__file__).resolve().parents[1]), *filter(None, [environ.get("PYTHONPATH")])]
    return kept | {"PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(modules)}


@dataclass(frozen=True, slots=True)
class Home:
    """Data, config, state, cache and log folders: from platformdirs, or all under one directory."""

    data: Path
    config: Path
    state: Path
    cache: Path
    log: Path

    @property
    def settings_file(self) -> Path:
        return self.config / "settings.toml"

    @property
    def pets(self) -> Path:
        return self.data / "pets"

    @property
    def local_models(self) -> Path:
        """Downloaded language models."""
        return self.data / "minds"

    @property
    def local_model_state(self) -> Path:
        """Lock, address and saved KV states of the model that runs; private to this user."""
        return self.state / "mind"

    @property
    def bin(self) -> Path:
        """Deleted pets, on systems without a bin."""
        return self.data / "bin"

    @property
    def running(self) -> Path:
        """One locked file for each running program with an open pet; the system releases it with the process."""
        return self.state / "running"

    @property
    def state_file(self) -> Path:
        """The pet that was used last, and what is paused."""
        return self.state / "state.json"

    @property
    def locks(self) -> Path:
        """Lock files; outside the workspace, so that a synced folder does not carry them."""
        return self.state / "locks"

    @property
    def key_notes_file(self) -> Path:
        """Addresses whose keys are in the system's keyring; no key."""
        return self.state / "keys.json"

    @property
    def tabs_file(self) -> Path:
        return self.state / "tabs.json"

    @property
    def model_facts_file(self) -> Path:
        """Context windows and tools of models, as their servers reported them."""
        return self.state / "models.json"

    @property
    def imports_file(self) -> Path:
        """The latest imports of each pet, for taking them back; names, versions and ids only."""
        return self.state / "imports.json"

    @property
    def windows_file(self) -> Path:
        return self.state / "windows.json"

    @property
    def usage_file(self) -> Path:
        """Tokens of each day."""
        return self.state / "usage.json"

    @property
    def machine_file(self) -> Path:
        """This machine's id, which names its transcripts in a synced folder."""
        return self.state / "machine-id"

    @property
    def key_file(self) -> Path:
        """The API key, only if the owner chose a file (0600)."""
        return self.config / "key"

    @property
    def log_file(self) -> Path:
        return self.log / "soulpet.log"

    def workspace(self, pet_id: str) -> Path:
        """Return the pet's folder. Raises BadPetId."""
        return self.pets / check_pet_id(pet_id)

    def pause_file(self, pet_id: str) -> Path:
        """Return the file that is there while the pet's memory is paused. Raises BadPetId."""
        return self.data / "paused" / check_pet_id(pet_id)

    def socket_name(self, pet: str = "") -> str:
        """Return a short hash, since a Unix socket's path has at most about 100 bytes. ``pet``: its own."""
        path = os.fsencode(self.data.resolve())
        return hashlib.sha256(path + b"\0" + pet.encode() if pet else path).hexdigest()[:16]


def find_home(explicit: Path | None = None) -> Home:
    """Return the folders: under ``explicit``, else ``PET_HOME``, else the platform's own."""
    root = explicit or (Path(os.environ["PET_HOME"]) if os.environ.get("PET_HOME") else None)
    if root is not None:
        root = root.expanduser().absolute()
        return Home(*(root / name for name in ("data", "config", "state", "cache", "log")))
    from platformdirs import PlatformDirs

    dirs = PlatformDirs("soulpet", appauthor=False)
    # On macOS data, config and state are one folder; sub-folders keep them from mixing.
    same = dirs.user_data_dir == dirs.user_config_dir
    return Home(
        data=Path(dirs.user_data_dir),
        config=Path(dirs.user_config_dir, "config") if same else Path(dirs.user_config_dir),
        state=Path(dirs.user_state_dir, "state") if same else Path(dirs.user_state_dir),
        cache=Path(dirs.user_cache_dir),
        log=Path(dirs.user_log_dir),
    )


def make_private(folder: Path) -> None:
    """Create the folder, and those above it that are missing, for this user alone. Raises OSError."""
    if not folder.is_dir():
        make_private(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def runtime_folder() -> Path:
    """Return the folder of sockets: the user's runtime folder, else a 0700 folder in the temporary one.

    Raises PermissionError if another user made the folder of that name, or if it is a link.
    """
    given = os.environ.get("XDG_RUNTIME_DIR")
    if given and Path(given).is_dir():
        return Path(given)
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    from tempfile import gettempdir  # late: few programs need it

    folder = Path(gettempdir(), f"soulpet-{user}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid"):
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
            raise PermissionError(errno.EPERM, "not a folder of this user", str(folder))
        if stat.S_IMODE(status.st_mode) & 0o077:
            folder.chmod(0o700)
    return folder


def assets_folder() -> Path:
    """Return the folder of templates, icons and art: in the installed package, or in the checkout."""
    packaged = Path(__file__).parent / "assets"
    return packaged if packaged.is_dir() else Path(__file__).parent.parent / "assets"


def downloads_folder() -> Path:
    """Return the owner's downloads folder."""
    from platformdirs import user_downloads_path

    return user_downloads_path()


def ui_folder() -> Path:
    """Return the folder of the built pages (git-ignored, shipped in the wheel)."""
    return Path(__file__).parent / "_ui"
