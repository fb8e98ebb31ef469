"""List the parts of a release: bill of materials and licences.

``shipped.py sbom FILE`` writes a CycloneDX 1.6 bill of materials from the hashed requirement lists and the npm lock:
every package with its version, hashes, licence and dependencies. The packages come from the lists alone; the Python
and the licences of its packages are those installed here: run it where the program is built.

``shipped.py licences FILE`` collects the licence texts of the Python packages installed here, of Python itself and of
the packages in the pages. Packages without a text are listed at the end by their licence's name.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import sysconfig
import tomllib
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
RULE = "\n\n" + "=" * 80 + "\n\n"
PROJECT = "soulpet"
PACKED = ("pyinstaller",)
"""Not required at run time, but its start program is in the package."""
PYTHON_LICENCE = "PSF-2.0"
UNNAMED = "licence not named"
COMMON = Path("/usr/share/common-licenses")
COMMON_TEXTS = {"LGPL-3.0-only": ("LGPL-3", "GPL-3")}
"""Texts of a Debian system, for packages that only name them."""
LICENCE_FILE = re.compile(r"\.dist-info/(licenses/.+|[^/]*(licen[cs]e|copying|notice|authors)[^/]*)$", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One package; ``needed_by`` holds the names of packages that require it."""

    name: str
    version: str
    purl: str
    hashes: tuple[tuple[str, str], ...]
    marker: str = ""
    needed_by: tuple[str, ...] = ()
    licence: str = ""
    """An SPDX expression."""
    licence_name: str = ""
    """Name of the licence, for a package without an SPDX expression."""
    kind: str = "library"


def normal(name: str) -> str:
    """Return the name as pip compares it."""
    return re.sub(r"[-_.]+", "-", re.split(r"[^A-Za-z0-9._-]", name)[0]).lower()


def python_parts() -> tuple[Part, ...]:
    """Return the packages of requirements.txt without those that only ``make run`` installs. A package that is not
    installed here in this version has no licence.
    """
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["dependency-groups"]
    left_out = {normal(entry) for entry in groups["run"]}
    entries = re.split(r"\n(?=[A-Za-z0-9])", (ROOT / ".ci" / "requirements.txt").read_text("utf-8").strip())
    parts = (python_part(entry) for entry in entries)
    return tuple(licensed(part, installed_as(part.name)) for part in parts if part.name not in left_out)


def installed_as(name: str) -> Distribution | None:
    try:
        return distribution(name)
    except PackageNotFoundError:  # for another platform
        return None


def licensed(part: Part, installed: Distribution | None) -> Part:
    """Return the part with the licence in its installed metadata."""
    if installed is None or installed.version != part.version:
        return part
    if "License-Expression" in installed.metadata:
        return replace(part, licence=installed.metadata["License-Expression"])
    named = licence_of(installed)
    return part if named == UNNAMED else replace(part, licence_name=named)


def python_runtime() -> Part:
    """Return this Python, which is the one that PyInstaller packs."""
    number = python_number()
    return Part(
        name="python",
        version=number,
        purl=f"pkg:generic/python@{number}",
        hashes=(),
        needed_by=(PROJECT,),
        licence=PYTHON_LICENCE,
        kind="platform",
    )


def python_part(entry: str) -> Part:
    head = re.match(r"([A-Za-z0-9._-]+)==([^\s;\\]+)(?:\s*;\s*([^\\]+?))?\s*\\", entry)
    assert head, entry.split("\n")[0]
    name = normal(head[1])
    via = entry.partition("# via")[2]
    return Part(
        name=name,
        version=head[2],
        purl=f"pkg:pypi/{name}@{head[2]}",
        hashes=tuple(("SHA-256", digest) for digest in re.findall(r"--hash=sha256:([0-9a-f]{64})", entry)),
        marker=head[3] or "",
        needed_by=tuple(normal(word) for word in re.findall(r"^[ #]*([A-Za-z0-9._-]+)", via, re.MULTILINE)),
    )


def page_parts() -> tuple[Part, ...]:
    """Return the packages inside the pages, without build tools."""
    lock = json.loads((ROOT / "ui" / "package-lock.json").read_text("utf-8"))["packages"]
    shipped = {
        path: entry for path, entry in lock.items() if path and not entry.get("dev") and not entry.get("optional")
    }
    names = {path: path.rpartition("node_modules/")[2] for path in shipped}
    dependents = {
        name: {names[path] for path in shipped if name in shipped[path].get("dependencies", {})}
        for name in names.values()
    }
    wanted = lock[""].get("dependencies", {})
    return tuple(
        Part(
            name=names[path],
            version=entry["version"],
            purl=f"pkg:npm/{quote(names[path], safe='/')}@{entry['version']}",
            hashes=tuple(npm_hashes(entry["integrity"])),
            needed_by=tuple(sorted(dependents[names[path]])) + ((PROJECT,) if names[path] in wanted else ()),
            licence=entry.get("license", ""),
        )
        for path, entry in shipped.items()
    )


def npm_hashes(integrity: str) -> Iterator[tuple[str, str]]:
    for each in integrity.split():
        kind, _, digest = each.partition("-")
        yield f"SHA-{kind.removeprefix('sha')}", base64.b64decode(digest).hex()


def version() -> str:
    match = re.search(r'__version__ = "([^"]+)"', (ROOT / "pet" / "__init__.py").read_text("utf-8"))
    assert match, "pet/__init__.py has no version"
    return match[1]


def bill() -> dict[str, object]:
    """Return the CycloneDX document. Its serial number is derived from its content: the same lists give the same file
    on the same machine.
    """
    groups = ((python_runtime(), *python_parts()), page_parts())
    project = f"pkg:pypi/{PROJECT}@{version()}"
    needs: dict[str, set[str]] = {project: set()}
    for parts in groups:
        known = {part.name: part.purl for part in parts} | {PROJECT: project}
        for part in parts:
            needs.setdefault(part.purl, set())
            for name in part.needed_by:
                needs.setdefault(known[name], set()).add(part.purl)
    content: dict[str, object] = {
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": project,
                "name": PROJECT,
                "version": version(),
                "purl": project,
                "licenses": [{"license": {"id": "MIT"}}],
            }
        },
        "components": [component(part) for parts in groups for part in parts],
        "dependencies": [{"ref": ref, "dependsOn": sorted(on)} for ref, on in sorted(needs.items())],
    }
    serial = uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(content, sort_keys=True))
    head = {"bomFormat": "CycloneDX", "specVersion": "1.6", "serialNumber": f"urn:uuid:{serial}", "version": 1}
    return {**head, **content}


def component(part: Part) -> dict[str, object]:
    entry: dict[str, object] = {
        "type": part.kind,
        "bom-ref": part.purl,
        "name": part.name,
        "version": part.version,
        "purl": part.purl,
    }
    if part.hashes:
        entry["hashes"] = [{"alg": kind, "content": digest} for kind, digest in part.hashes]
    if part.licence:
        entry["licenses"] = [{"expression": part.licence}]
    elif part.licence_name:
        entry["licenses"] = [{"license": {"name": part.licence_name}}]
    if part.marker:
        entry["properties"] = [{"name": "soulpet:python-marker", "value": part.marker}]
    return entry


# --- licences -------------------------------------------------------------------------------------


def licences() -> str:
    """Return all licence texts. Raises FileNotFoundError if the pages were not built."""
    own = f"{PROJECT} {version()} (MIT)\n\n{(ROOT / 'LICENSE').read_text('utf-8').strip()}"
    pages = (ROOT / "pet" / "_ui" / "licences.txt").read_text("utf-8").strip()
    texts, without = [own, python_itself()], []
    for installed in installed_parts():
        named = f"{installed.metadata['Name']} {installed.version} ({licence_of(installed)})"
        text = "\n\n".join(licence_texts(installed))
        if text:
            texts.append(f"{named}\n\n{text}")
        else:
            without.append(named)
    if without:
        texts.append("Packages that name their licence without its text:\n\n" + "\n".join(without))
    return RULE.join([*texts, pages]) + "\n"


def installed_parts() -> Iterator[Distribution]:
    """Yield the installed packages of requirements.txt, each once, and the packer."""
    for name in dict.fromkeys((*(part.name for part in python_parts()), *PACKED)):
        if (installed := installed_as(name)) is not None:
            yield installed


def licence_of(installed: Distribution) -> str:
    meta = installed.metadata
    if "License-Expression" in meta:
        return meta["License-Expression"]
    named = meta["License"].strip() if "License" in meta else ""
    if named and named != "UNKNOWN" and "\n" not in named and len(named) < 80:
        return named
    classified = [
        each.rpartition(" :: ")[2] for each in meta.get_all("Classifier") or () if each.startswith("License ::")
    ]
    return ", ".join(classified) or UNNAMED


def licence_texts(installed: Distribution) -> Iterable[str]:
    files = [file for file in installed.files or () if LICENCE_FILE.search(file.as_posix())]
    texts = [Path(str(file.locate())).read_text("utf-8", "replace").strip() for file in files]
    if texts:
        return texts
    named = licence_of(installed)
    common = [COMMON / name for kind, names in COMMON_TEXTS.items() if kind in named for name in names]
    return [file.read_text("utf-8").strip() for file in common if file.is_file()]


def python_itself() -> str:
    places = (
        Path(sysconfig.get_path("stdlib"), "LICENSE.txt"),
        Path(sys.base_prefix, "LICENSE.txt"),
        Path(sys.base_prefix, "share", "doc", f"python{sys.version_info[0]}.{sys.version_info[1]}", "copyright"),
    )
    file = next((place for place in places if place.is_file()), None)
    assert file, f"no licence text of Python in {', '.join(str(place) for place in places)}"
    return f"Python {python_number()} ({PYTHON_LICENCE})\n\n{file.read_text('utf-8', 'replace').strip()}"


def python_number() -> str:
    return ".".join(str(part) for part in sys.version_info[:3])


def main(arguments: list[str]) -> int:
    match arguments:
        case ["sbom", file]:
            text = json.dumps(bill(), indent=1, ensure_ascii=False) + "\n"
        case ["licences", file]:
            text = licences()
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
