"""What owners read keeps to one vocabulary, to the plurals and to the spaces of its language.

Over the catalogues, the extras' texts, and the templates of souls and other files.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pet.i18n import HAN, LANGUAGES, Language, Texts, catalogue

ROOT = Path(__file__).parents[2]
FOR_THE_MODEL = re.compile(r"(prompt|engine|notebook|heartbeat|tool|agents|error\.(tool|path_refused|file_lost))\b")
"""Keys of texts that are tuned to be read by a model."""
COUNTS = "count|turns|files|conversations|entries|messages|days|total"

WORDS = {
    "en": {
        r"\b(go|goes|went|gone) along\b": "is sent",
        r"\bwhat fits\b": "matching notes",
        r"\bspeaks? (Messages|chat)\b": "compatible with",
        r"\bGB of memory\b": "RAM",
        r"\bmemories\b": "notes",
        r"\bbrain\b": "memory",
        r"\bits pet\.toml\b": "only for this pet",
        r"\b[Ff]orget (the|a|this) key\b": "delete",
    },
    "zh": {
        r"百万(像素|字)": "万",
        r"(?<![=\w ])[\"'](?![\w\"])": "“ ”",
        rf"[{HAN}][,;!?]": "full-width punctuation",
    },
    "es": {
        r"\b(os|vosotros|vosotras|vuestr[oa]s?)\b": "tú",
        r"\busted(es)?\b": "tú",
        r"\w+(áis|éis)\b": "tú",
        r"\bbocadillos?\b": "globo",
        r"\bganchos?\b": "hooks",
        r"\b[Óó]rdenes:|\b(esa|la) orden «": "comando",
        r"\bcoge\w*\b": "tomar, ver",
        r"GB de memoria": "RAM",
        r"\bviene al caso\b": "relacionado",
        r"\d%": "a space before %",
        r"[“”]": "« »",
    },
}
"""What no text says, and what it says instead."""


def texts(language: Language) -> dict[str, str]:
    """Return what owners read: texts that are not the model's, and the templates."""
    files = (ROOT / "assets" / "templates" / language).iterdir()
    templates = {file.name: file.read_text(encoding="utf-8") for file in files}
    return {key: text for key, text in catalogue(language).items() if not FOR_THE_MODEL.match(key)} | templates


@pytest.mark.parametrize(("language", "wrong"), [(each, wrong) for each in LANGUAGES for wrong in WORDS[each]])
def test_every_text_keeps_to_the_vocabulary(language: Language, wrong: str) -> None:
    found = {key: text for key, text in texts(language).items() if re.search(wrong, text)}
    assert found == {}, f"say: {WORDS[language][wrong]}"


@pytest.mark.parametrize("language", ["en", "es"])
def test_a_counted_noun_has_its_singular(language: Language) -> None:
    """``{count} lines`` would say "1 lines"."""
    plural = re.compile(rf"\{{({COUNTS})\}} (?!{{|más\b|además|besides)[a-zñáéíóú]+s\b")
    found = {key: text for key, text in texts(language).items() if plural.search(text)}
    assert found.keys() - HAVE_A_SINGULAR.keys() == set()


HAVE_A_SINGULAR = {
    "bubble.occasion_together_years": "a key of its own for one",
    "bubble.occasion_year_ago": "a key of its own for one",
    "bubble.occasion_together_days": "a hundred days at least",
    "life.why_together_days": "a hundred days at least",
    "ui.turn.thought": "a growing number",
    "ui.attach.fits_one": "more than fit",
    "bubble.fits_one": "more than fit",
    "cli.chat.attached_pages": "more than fit",
    "error.edit_ambiguous": "twice at least",
    "settings.row.heartbeat_daily_tokens_some": "thousands",
}


def test_a_name_in_a_chinese_text_brings_its_own_space() -> None:
    """Filling adds a space before a Latin name and none before a Chinese one: the catalogue has none."""
    names = r"\{(?:host|name|pet|source|sources|title|server|model|target|language)\}"
    spaced = re.compile(rf"[{HAN}] {names}|{names} [{HAN}]")
    assert {key: text for key, text in catalogue("zh").items() if spaced.search(text)} == {}


@pytest.mark.parametrize(
    ("host", "begins"),
    [("127.0.0.1:11434", "发给 127.0.0.1:11434 的"), ("DeepSeek", "发给 DeepSeek 的"), ("智谱", "发给智谱的")],
)
def test_a_host_in_a_chinese_text_stands_apart_unless_it_is_chinese(host: str, begins: str) -> None:
    assert Texts("zh")("error.fault_rate_limit", host=host).startswith(begins)


def test_chinese_and_latin_letters_stand_apart() -> None:
    close = re.compile(rf"[{HAN}][A-Za-z]|[A-Za-z][{HAN}]|\d(?![年月日])[{HAN}]|(?![年月日])[{HAN}]\d")
    assert {key: text for key, text in texts("zh").items() if close.search(text)} == {}


@pytest.mark.parametrize("language", LANGUAGES)
def test_placeholders_and_plurals_are_well_formed(language: Language) -> None:
    mark = re.compile(r"\{[a-z_0-9]+(\|[^|{}]*\|[^|{}]*)?\}")
    found = {key: text for key, text in texts(language).items() if "{" in mark.sub("", text)}
    assert found == {}


def test_every_text_is_used() -> None:
    """A key stands in the sources, whole or in parts: ``t(`ui.look.${value}`)`` with "dark"."""
    files = [
        *(ROOT / "pet").rglob("*.py"),
        *(ROOT / "pet").rglob("data/*.json"),
        *(ROOT / "docs").glob("*.py"),
        *(ROOT / "ui" / "src").rglob("*.ts*"),
    ]
    code = "\n".join(file.read_text(encoding="utf-8") for file in files if "tests" not in file.parts)
    whole = set(re.findall(r"[\"'`]([\w.-]+)[\"'`]", code))
    made = re.findall(r"[\"'`](\w+\.[\w.-]*)\$?\{", code)
    beginnings = {*made, "cli.option.", "cli.help.", "settings.about."}
    beginnings |= {each for each in whole if "." in each and each.endswith((".", "_"))}
    pieces = {piece for word in re.findall(r"[\w.-]+", code) for piece in re.split("[._-]", word)}

    def is_used(key: str) -> bool:
        rests = [key.removeprefix(each) for each in beginnings if key.startswith(each)]
        return key in whole or any(
            all(piece in pieces or piece.isdigit() for piece in re.split("[._-]", rest)) for rest in rests
        )

    assert sorted(key for key in catalogue("en") if not is_used(key)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_error_says_what_to_do(language: Language) -> None:
    """After what happened stands what to do: a second sentence at least."""
    codes = {key: text for key, text in catalogue(language).items() if key.startswith("error.")}
    alone = {key for key, text in codes.items() if not re.search(r"[.。;；:：，,?？!！].*\w", text)}
    assert alone - NOTHING_TO_DO == set()


NOTHING_TO_DO = {
    "error.unknown_turn",
    "error.unknown_receipt",
    "error.unknown_proposal",
    "error.import_no_undo",
    "error.mcp_tool_said",
    "error.settings_not_a_connection",
    "error.tool_switched_off",  # read by the model, as those that follow
    "error.tool_call_unasked",
    "error.page_address",
    "error.page_status",
    "error.page_redirects",
    "error.page_too_large",
    "error.page_cancelled",
    "error.page_no_text",
}
