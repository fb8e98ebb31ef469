"""Documents for owners and contributors: the same parts in each language, no dead links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pet.extras.local_models import library
from pet.extras.local_models.catalogue import CATALOGUE
from pet.extras.local_models.model_store import TINY, in_gb
from pet.i18n import LANGUAGES, Language, catalogue

ROOT = Path(__file__).resolve().parent.parent
FIRST_SENTENCE = (
    "Soulpet is a small creature that lives on your desktop, talks with you, "
    "and remembers you, in text files you own."
)
PAIRS = (
    ("README.md", "README.zh.md"),
    ("docs/guide.md", "docs/guide.zh.md"),
    ("docs/settings.md", "docs/settings.zh.md"),
)
DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *(ROOT / "docs" / "decisions").glob("*.md")],
    key=str,
)
PICTURE = re.compile(r"images/gallery/([a-z-]+)\.")
SAYS_SO = re.compile(r'^\| "([^"…]+)', re.MULTILINE)


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def headings(text: str) -> list[tuple[int, str]]:
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [(len(marks), words) for marks, words in re.findall(r"^(#+) (.+)$", prose, re.MULTILINE)]


def anchor(heading: str) -> str:
    """Return the fragment that GitHub gives a heading."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w -]", "", plain.lower()).replace(" ", "-")


def test_readme_opens_with_its_sentence_and_a_moving_picture() -> None:
    lines = [line for line in read("README.md").splitlines() if line]
    assert lines[0] == "# Soulpet"
    assert re.match(r"!\[.+\]\(docs/images/gallery/film-[a-z-]+\.webp\)$", lines[1])
    assert lines[2] == FIRST_SENTENCE


@pytest.mark.parametrize("pair", PAIRS[:2], ids=lambda pair: pair[0])
def test_both_languages_link_to_each_other(pair: tuple[str, str]) -> None:
    one, other = (Path(name).name for name in pair)
    assert f"[中文]({other})" in read(pair[0])
    assert f"[English]({one})" in read(pair[1])


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: pair[0])
def test_both_languages_have_the_same_parts(pair: tuple[str, str]) -> None:
    en, zh = (read(name) for name in pair)
    assert [level for level, _words in headings(en)] == [level for level, _words in headings(zh)]
    assert PICTURE.findall(en) == PICTURE.findall(zh)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_to_headings_resolve(document: Path) -> None:
    broken = []
    for target in re.findall(r"\]\(([^)\s]*#[^)\s]+)\)", document.read_text(encoding="utf-8")):
        file, _, fragment = target.partition("#")
        if "://" in file or (file and not file.endswith(".md")):
            continue
        named = document.parent / file if file else document
        if fragment not in {anchor(words) for _level, words in headings(named.read_text(encoding="utf-8"))}:
            broken.append(target)
    assert broken == []


def test_paths_that_contributors_are_sent_to_exist() -> None:
    named = re.findall(r"`((?:pet|ui|tests|assets|docs|\.github|\.ci)/[^`\s]*)`", read("CONTRIBUTING.md"))
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_paths_of_the_architecture_exist() -> None:
    named = re.findall(r"`((?:[a-z_0-9]+/)*[a-z_0-9]+\.(?:py|tsx?))`", read("docs/architecture.md"))
    assert len(named) > 40
    folders = (ROOT, ROOT / "pet", ROOT / "docs")
    assert [path for path in named if not any((folder / path).is_file() for folder in folders)] == []


def test_architecture_draws_every_package_and_module() -> None:
    drawn = read("docs/architecture.md").split("```")[1]
    told = {*re.findall(r"pet/([a-z_0-9]+)", drawn)}
    told |= {name.strip() for group in re.findall(r"\{([^}]*)\}", drawn) for name in group.split(",")}
    there = {
        path.stem for path in (ROOT / "pet").iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file()
    }
    assert there - told - {"__init__", "__main__"} == told - there == set()


def test_guide_quotes_messages_as_the_program_says_them() -> None:
    said = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "pet").rglob("en/*.json"))
    quoted = SAYS_SO.findall(read("docs/guide.md"))
    assert len(quoted) > 5
    assert [words for words in quoted if words.strip().rstrip(".") not in said] == []


def test_the_table_of_local_models_says_what_the_catalogue_does() -> None:
    row = re.compile(r"^\| `([\w.-]+)` \| ([^|]+) \| ([\d.]+) GB \|", re.MULTILINE)
    rows = row.findall(read("docs/local-models.md"))
    told = {local_model: (fetched, memory) for local_model, fetched, memory in rows}
    entries = {entry.id: (f"{in_gb(entry.size)} GB", str(in_gb(entry.memory))) for entry in CATALOGUE}
    assert told.pop(TINY)[1] == str(in_gb(library.TINY_MEMORY))
    assert told == entries


GOES = {
    "en": (r"\bprofile\b", r"\bgo(es)? to\b|\b(is|are) sent\b"),
    "zh": ("档案", "发给|发到|发送"),
    "es": (r"\bperfil\b", r"\bvan? (al?|también)\b|\bse env[ií]an?\b"),
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_text_of_the_catalogue_says_where_memory_goes(language: Language) -> None:
    words = [re.compile(each, re.IGNORECASE) for each in GOES[language]]
    saying = [key for key, text in catalogue(language).items() if all(each.search(text) for each in words)]
    assert saying == ["ui.host.goes"]


def test_readme_explains_the_memory_switch_once() -> None:
    """What goes to the model stands under Privacy; the table above names the switch."""
    head, privacy = read("README.md").split("## Privacy")
    assert "your profile" not in head
    assert privacy.count("your profile") == 1
