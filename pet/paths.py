"""Every folder and file name of the program. Nobody else joins these paths."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from pet.ids import check_pet_id


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
    def minds(self) -> Path:
        """Downloaded language models."""
        return self.data / "minds"

    @property
    def mind_state(self) -> Path:
        """Lock, address and saved KV states of the model that runs; private to this user."""
        return self.state / "mind"

    @property
    def bin(self) -> Path:
        """Where deleted pets lie if the system has no bin for them."""
        return self.data / "bin"

    @property
    def running(self) -> Path:
        """A locked file for each program that has a pet open; the system lets go of it with the program."""
        return self.state / "running"

    @property
    def state_file(self) -> Path:
        """The pet that was used last, and what is paused."""
        return self.state / "state.json"

    @property
    def locks(self) -> Path:
        """Locks stay outside the workspace: a synced folder must not carry them."""
        return self.state / "locks"

    @property
    def key_notes_file(self) -> Path:
        """Addresses whose keys are in the system's keyring; no key."""
        return self.state / "keys.json"

    @property
    def tabs_file(self) -> Path:
        return self.state / "tabs.json"

    @property
    def imports_file(self) -> Path:
        """What the latest imports of each pet did, for taking them back; names, versions and ids only."""
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
        """Holds this machine's id, which names its transcripts in a synced folder."""
        return self.state / "machine-id"

    @property
    def key_file(self) -> Path:
        """The API key, only where the owner chose a file (0600)."""
        return self.config / "key"

    @property
    def log_file(self) -> Path:
        return self.log / "soulpet.log"

    def workspace(self, pet_id: str) -> Path:
        """The pet's folder. Raises BadPetId for anything that is not a pet id."""
        return self.pets / check_pet_id(pet_id)

    def socket_name(self) -> str:
        """A short hashed name, since a Unix socket's path holds about 100 bytes."""
        return hashlib.sha256(os.fsencode(self.data.resolve())).hexdigest()[:16]


def find_home(explicit: Path | None = None) -> Home:
    """``--home``, else ``PET_HOME``, else the platform's own folders."""
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


def runtime_folder() -> Path:
    """Where sockets live: the user's runtime folder, else a 0700 folder of ours in the temporary one.

    Raises PermissionError if somebody else made the folder of that name, or if it is a link.
    """
    given = os.environ.get("XDG_RUNTIME_DIR")
    if given and Path(given).is_dir():
        return Path(given)
    user = os.getuid() if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")
    folder = Path(tempfile.gettempdir(), f"soulpet-{user}")
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid"):
        found = folder.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
            raise PermissionError(errno.EPERM, "not a folder of this user", str(folder))
        if stat.S_IMODE(found.st_mode) & 0o077:
            folder.chmod(0o700)
    return folder


def assets_folder() -> Path:
    """Templates, icons and the pet's art: inside the installed package, else beside it in a checkout."""
    packaged = Path(__file__).parent / "assets"
    return packaged if packaged.is_dir() else Path(__file__).parent.parent / "assets"


def downloads_folder() -> Path:
    """Where the owner looks for what a program gives them."""
    from platformdirs import user_downloads_path

    return user_downloads_path()


def ui_folder() -> Path:
    """The built pages (git-ignored, shipped in the wheel)."""
    return Path(__file__).parent / "_ui"
