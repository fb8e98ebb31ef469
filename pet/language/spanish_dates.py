"""Spanish dates in a question: ayer, hace una semana, el 20 de octubre, el lunes pasado, en marzo; pure.

Texts are lower case and ``without_accents``.
"""

from __future__ import annotations

import re
from datetime import date, timedelta
from functools import partial

from pet.language import date_ranges as to
from pet.language.date_ranges import Resolve, Stretch
from pet.language.due_spanish import SPANISH_DAYS, SPANISH_MONTHS
from pet.text.lazy_pattern import lazy_pattern

_NUMBERS = (
    *("cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce"),
    *("trece", "catorce", "quince", "dieciseis", "diecisiete", "dieciocho", "diecinueve", "veinte", "veintiuno"),
    *("veintidos", "veintitres", "veinticuatro", "veinticinco", "veintiseis", "veintisiete", "veintiocho"),
    *("veintinueve", "treinta"),
)
_OTHER_NUMBERS = {"un": 1, "una": 1, "primero": 1, "1º": 1, "par de": 2, "un par de": 2, "treinta y uno": 31}
_PLAIN = str.maketrans("áéíóúüñ", "aeiouun")

_NUMBER = rf"(?P<number>[0-9]{{1,5}}|{'|'.join(sorted((*_NUMBERS, *_OTHER_NUMBERS), key=len, reverse=True))})"
_DAY = _NUMBER.replace("<number>", "<day>").replace("{1,5}", "{1,2}")
_MONTH = rf"(?P<month>{'|'.join(SPANISH_MONTHS)}|setiembre)\b"
_WEEKDAY = rf"(?P<weekday>{'|'.join(SPANISH_DAYS)})\b"
_YEAR = r"(?:,?\s+(?:del?\s+)?(?:ano\s+)?(?:(?P<year>(?:19|20)[0-9]{2})\b|(?P<last>pasado)\b))?"
_COMING = r"(?P<coming>que viene|proxim[oa]|siguiente)"
_PAST = r"(?P<past>(?:ante)?pasad[oa])"
_SPANISH = lazy_pattern(
    rf"\b(?:hoy|ayer|anteayer|antier|anoche|anteanoche|manana|hace|atras|el|ultim[oa]s|semana|mes|en|de"
    rf"|est[ae]|{'|'.join((*SPANISH_DAYS, *SPANISH_MONTHS))})\b"
)
LATELY = r"\b(?:ultimamente|recientemente|estos dias|lo mas reciente|lo ultimo)\b"
PART_OF_DAY = r"\s+(?:por|en|de|a)\s+la\s+(?:manana|tarde|noche|madrugada)\b|\s+al\s+mediodia\b"
TO = r"\b(?:al?|hasta)\b(?:\s+el\b)?"


def without_accents(text: str) -> str:
    """Return the text without Spanish accents, of the same length."""
    return text.translate(_PLAIN)


def patterns_for(text: str) -> tuple[tuple[re.Pattern[str], Resolve], ...]:
    """Return the patterns with their resolvers; none for a text without Spanish date words."""
    return _PATTERNS if _SPANISH.search(text) else ()


def _number(text: str) -> int:
    if text.isdecimal():
        return int(text)
    return _OTHER_NUMBERS[text] if text in _OTHER_NUMBERS else _NUMBERS.index(text)


def _month(match: re.Match[str]) -> int:
    return SPANISH_MONTHS.index(match["month"].replace("setiembre", "septiembre")) + 1


def _year(match: re.Match[str], today: date) -> int | None:
    return int(match["year"]) if match["year"] else today.year - 1 if match["last"] else None


def _day_of_month(match: re.Match[str], today: date) -> Stretch:
    year = _year(match, today)
    if year is None:
        return to.last(_month(match), _number(match["day"]), today)
    day = date(year, _month(match), _number(match["day"]))
    return day, day


def _days_of_month(match: re.Match[str], today: date) -> Stretch:
    """Resolve "del 3 al 9 de marzo"."""
    until = _day_of_month(match, today)
    return (until[1].replace(day=_number(match["from"])), until[1]) if until else None


def day_by_itself(match: re.Match[str], today: date) -> Stretch:
    """Resolve a day without month to the last one, or today."""
    return to.last_of_month(_number(match["day"]), today)


def _whole_month(match: re.Match[str], today: date) -> Stretch:
    year = _year(match, today)
    month = _month(match)
    return to.whole_month(year or today.year - (month > today.month), month)


def _ago(match: re.Match[str], today: date) -> Stretch:
    unit = match["unit"]
    if unit.startswith(("minuto", "hora", "rato")):
        return today, today
    english = {"dia": "day", "noc": "day", "sem": "week", "mes": "month"}.get(unit[:3], "year")
    return to.back(today, _number(match["number"]), english)


def _weekdays_ago(match: re.Match[str], today: date) -> Stretch:
    """Resolve "hace tres lunes"."""
    behind = (today.weekday() - SPANISH_DAYS.index(match["weekday"]) - 1) % 7 + 1
    day = today - timedelta(behind + 7 * (_number(match["number"]) - 1))
    return day, day


def _past(match: re.Match[str], today: date) -> Stretch:
    size = {"d": 1, "s": 7, "m": 30, "a": 365}[match["unit"][0]]
    return today - timedelta(_number(match["number"] or "uno") * size), today


def _weekday(match: re.Match[str], today: date) -> Stretch:
    groups = match.groupdict()
    wanted, now = SPANISH_DAYS.index(match["weekday"]), today.weekday()
    if groups.get("week"):
        day = today + timedelta(wanted - now + 7 * _step(groups))
    elif groups.get("coming"):
        day = today + timedelta((wanted - now - 1) % 7 + 1)
    elif groups.get("this"):
        day = today + timedelta(wanted - now)
    else:
        day = today - timedelta((now - wanted - 1) % 7 + 1)
    return day, day


def _step(groups: dict[str, str | None]) -> int:
    """Return how many units later "pasado", "antepasado" or "que viene" means."""
    past = groups.get("past")
    return (-2 if past.startswith("ante") else -1) if past else 1 if groups.get("coming") else 0


def _unit(match: re.Match[str], today: date) -> Stretch:
    """Resolve "la semana pasada", "este mes", "el fin de semana"."""
    groups, unit = match.groupdict(), match["unit"]
    step = _step(groups)
    if unit == "mes":
        first = to.shifted(today.replace(day=1), step)
        return to.whole_month(first.year, first.month) if first else None
    if unit == "ano":
        return date(today.year + step, 1, 1), date(today.year + step, 12, 31)
    monday = today + timedelta(7 * step - today.weekday())
    return monday + timedelta(5 if "fin" in unit else 0), monday + timedelta(6)


def _patterns() -> tuple[tuple[re.Pattern[str], Resolve], ...]:
    units = "(?P<unit>minutos?|horas?|rato|dias?|noches?|semanas?|mes(?:es)?|anos?)"
    unit = "(?P<unit>fin de semana|semana|mes|ano)"
    from_ = _DAY.replace("<day>", "<from>")
    table: tuple[tuple[str, Resolve], ...] = (
        (rf"\b(?:del?|desde|entre)\s+(?:el\s+)?{from_}\s+(?:al|hasta\s+el|y\s+el)\s+{_DAY}\s+de\s+{_MONTH}{_YEAR}",
         _days_of_month),
        (rf"\b(?:el\s+)?(?:dia\s+)?{_DAY}\s+de\s+{_MONTH}{_YEAR}", _day_of_month),
        (rf"\b(?:en\s+)?{_MONTH},?\s+(?:el\s+)?(?:dia\s+)?{_DAY}\b{_YEAR}", _day_of_month),
        (rf"(?:\b(?:en|durante|del mes de)\s+|(?<=desde )|(?<![0-9] )\bde\s+){_MONTH}{_YEAR}", _whole_month),
        (rf"\bhace\s+{_NUMBER}\s+fin(?:es)?\s+de\s+semana\b", partial(to.weekends_ago, read=_number)),
        *((rf"\b(?:los\s+)?{last}\s+fines\s+de\s+semana\b", partial(to.last_weekends, read=_number))
          for last in (rf"(?:ultim|pasad)os\s+{_NUMBER}", rf"{_NUMBER}\s+(?:ultim|pasad)os")),
        (rf"\bhace\s+(?:como\s+|unos?\s+|unas\s+|casi\s+)?{_NUMBER}\s+{units}\b", _ago),
        (rf"\b{_NUMBER}\s+{units}\s+(?:atras|antes)\b", _ago),
        (r"\bantes de ayer\b|\banteayer\b|\bantier\b|\banteanoche\b", to.offset(-2)),
        (r"\bayer\b|\banoche\b", to.offset(-1)),
        (r"\bpasado manana\b", to.offset(2)),
        (r"\bhoy\b|\besta (?:manana|tarde|noche|madrugada)\b", to.offset(0)),
        (r"(?<!la )(?<!cada )\bmanana\b", to.offset(1)),
        (rf"\bel\s+{_WEEKDAY}\s+de\s+(?P<week>(?:esta|la)\s+semana)(?:\s+(?:{_PAST}|{_COMING})\b)?",
         _weekday),
        (rf"\bhace\s+{_NUMBER}\s+{_WEEKDAY[:-2]}s?\b", _weekdays_ago),
        (rf"\b(?:el\s+)?{_WEEKDAY}\s+(?:{_PAST}|{_COMING})\b", _weekday),
        (rf"\b(?:el\s+)?{_PAST}\s+{_WEEKDAY}", _weekday),
        (rf"\b(?:el\s+)?{_COMING}\s+{_WEEKDAY}", _weekday),
        (rf"\b(?P<this>este)\s+{_WEEKDAY}", _weekday),
        (rf"\bel\s+{_WEEKDAY}", _weekday),
        (rf"\b(?:el|la)\s+{unit}\s+{_PAST}\b", _unit),
        (rf"\b(?:el|la)\s+{unit}\s+{_COMING}\b", _unit),
        (rf"\b(?:el|la)\s+{_PAST}\s+{unit}\b", _unit),
        (rf"\b(?:el|la)\s+{_COMING}\s+{unit}\b", _unit),
        (rf"\best[ea]\s+{unit}\b", _unit),
        (r"\bel\s+fin\s+de\s+semana\b", to.weekend),
        (rf"\b(?:los|las)\s+ultim[oa]s\s+{_NUMBER}\s+(?P<unit>dias|semanas|meses|anos)\b", _past),
        (r"\b(?:en|del|durante)\s+(?:el\s+(?:ano\s+)?)?(?P<year>(?:19|20)[0-9]{2})\b", to.year),
        (rf"\bel\s+dia\s+{_DAY}\b", day_by_itself),
        (r"\bel\s+(?P<day>[0-3]?[0-9])\b(?!\s+\w)", day_by_itself),
    )  # fmt: skip
    return tuple((lazy_pattern(pattern), resolve) for pattern, resolve in table)


_PATTERNS = _patterns()
