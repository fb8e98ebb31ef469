"""Translate Spanish words of a moment to English: "cada lunes a las nueve y media" is "every monday at half past 9";
pure.

Both languages combine the same parts in the same ways, so that one grammar parses both. Unknown words stay as they
are and are refused by the parser. Texts are lower case, NFKC.
"""

from __future__ import annotations

import unicodedata

from pet.language.repetition import MONTHS, WEEKDAYS
from pet.text.lazy_pattern import lazy_pattern

SPANISH_DAYS = ("lunes", "martes", "miercoles", "jueves", "viernes", "sabado", "domingo")
SPANISH_MONTHS = (
    *("enero", "febrero", "marzo", "abril", "mayo", "junio"),
    *("julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"),
)
_ONES = "un[oa]? dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete"
_NUMBERS = (
    *enumerate(f"{_ONES} dieciocho diecinueve veinte veinti[un]\\w* veintidos veintitres veinticuatro".split(), 1),
    *((25, "veinticinco"), (30, "treinta"), (35, "treinta y 5"), (40, "cuarenta"), (45, "cuarenta y 5")),
    *((50, "cincuenta"), (55, "cincuenta y 5")),
)
_UNITS = {"segundos?": "seconds", "minutos?": "minutes", "horas?": "hours", "dias?": "days", "semanas?": "weeks"}
_UNITS |= {"mes(?:es)?": "months", "anos?": "years"}
_WEEKDAY = rf"(?:{'|'.join(SPANISH_DAYS)})s?"
_PART = {"manana": "morning", "tarde": "afternoon", "noche": "night", "madrugada": "small hours"}
_NTH = {"primer": "first", "segundo": "second", "tercer": "third", "cuarto": "fourth", "ultimo": "last"}
_NTH_DAY = rf"(?:dia|working day|{_WEEKDAY})"
_ORDINAL = rf"(?:{'|'.join(_NTH.values())})"
_DISTANCE = "((?:[0-9]+|media) (?:horas?|minutos?)(?: y media)?)"
_END = r"fin(?:al(?:es)?|es)?"
_NEXT = r"(?:que viene|proxim[oa]|siguiente)"

_SPANISH = lazy_pattern(
    rf"\b(?:{_WEEKDAY}|{'|'.join(SPANISH_MONTHS)}|{'|'.join(_UNITS)}|{'|'.join(_PART)}|(?:a|hacia|sobre) las?|hoy"
    r"|cada|vispera|mediodia|medianoche|diario|(?:diaria|semanal|mensual|anual)mente)\b|\bel (?:dia )?[0-9]"
)
_WORDS = tuple(
    (lazy_pattern(rf"\b(?:{words})\b"), english)
    for words, english in (
        (r"primero|1\.?o", "1"),
        *((words, str(value)) for value, words in _NUMBERS),
        (r"([0-9]+) o ([0-9]+)", r"\1 or \2"),
        (r"1 vez (?:al|por|a la) (dia|semana|mes|ano)", r"every \1"),
        (r"entre las? ([0-9:]+) y las? ([0-9:]+)", r"between \1 and \2"),
        *((rf"(?:el )?{nth} (?=dia|fin de semana|{_WEEKDAY})", f"{english} ") for nth, english in _NTH.items()),
        (rf"({_ORDINAL}) dia (?:laborable|habil)", r"\1 working day"),
        # how often
        (r"(?:de lunes a viernes|(?:(?:cada|todos los|los) )?dias? laborables?|entre semana)", "every weekday"),
        (r"(?:cada fin|(?:todos )?los fines) de semana", "every weekend"),
        (r"(?:1 dia si y otro no|(?:en )?dias alternos)", "every 2 days"),
        (r"(?:a diario|diariamente)", "every day"),
        ("semanalmente", "weekly"),
        ("mensualmente", "monthly"),
        ("anualmente", "yearly"),
        (rf"(?:todos )?los (?={_WEEKDAY}\b|dias\b|meses\b|anos\b)", "every "),
        (r"todas las ", "every "),
        ("cada", "every"),
        (rf"(every [0-9]+ semanas),? every (?={_WEEKDAY})", r"\1 on "),
        *((f"every {part}s?", f"every {english}") for part, english in _PART.items()),
        (rf"(?:menos|excepto|salvo) (?:every |el |los |en )*(?={_WEEKDAY}|weekend|fin(?:es)? de semana)", "except "),
        (r"except fin(?:es)? de semana", "except weekends"),
        (rf"({_ORDINAL} {_NTH_DAY}) del? every mes", r"\1 of every month"),
        (rf"({_ORDINAL} {_NTH_DAY}) del? (?:mes {_NEXT}|{_NEXT} mes)", r"\1 of next month"),
        (rf"({_ORDINAL} {_NTH_DAY}) del? (?:este )?mes", r"\1 of the month"),
        (rf"({_ORDINAL}) dia", r"\1 day"),
        (rf"({_ORDINAL}) fin de semana del? (?=(?:{'|'.join(SPANISH_MONTHS)}))", r"\1 weekend of "),
        (rf"(every (?:[0-9]+ )?mes(?:es)?) ({_ORDINAL} {_NTH_DAY})", r"\1 on the \2"),
        (r"every mes el (?:dia )?([0-9]{1,2})", r"every month on the \1th"),
        (r"(?:el )?(?:dia )?([0-9]{1,2}) de every mes", r"the \1th of every month"),
        (rf"(?:a |para )?{_END} de every mes|every {_END} de mes", "the last day of every month"),
        (rf"(?:a |para )?{_END} del? (?:mes {_NEXT}|{_NEXT} mes)", "the last day of next month"),
        (rf"(?:a |para )?{_END} (?:de este|del?) mes", "the last day of the month"),
        (rf"(?:el )?(?:fin de semana {_NEXT}|{_NEXT} fin de semana)", "next weekend"),
        (r"(?:este|el|al) fin de semana", "this weekend"),
        # the time of day
        (r"(?:de|por|en) la manana temprano|manana temprano", "manana early in the morning"),
        (r"(?:a )?primera hora(?: de la manana)?", "early in the morning"),
        *((f"(?:de|por|en) la {part}", f"in the {english}") for part, english in _PART.items() if part != "noche"),
        ("(?:de|por|en) la noche|de noche", "at night"),
        ("de madrugada", "in the small hours"),
        *((f"esta {part}", f"today in the {english}") for part, english in _PART.items() if part != "noche"),
        ("esta noche", "today at night"),
        (r"(?:a|al) (?:las 12(?::00)? del )?mediodia|del mediodia", "at noon"),
        (r"(?:a )?(?:la )?medianoche", "midnight"),
        (rf"{_DISTANCE} antes (?:del? |las? )+", r"\1 before "),
        (rf"{_DISTANCE} despues (?:del? |las? )+", r"\1 after "),
        (r"(?:a|hacia|sobre|a eso de|antes de|para) las? ", "at "),
        (r"at ([0-9]{1,2}) ?h ?([0-5][0-9])", r"at \1:\2"),
        (r"at ([0-9]{1,2}) ?h(?:oras)?", r"at \1:00"),
        (r"at ([0-9]{1,2}) y media", r"at half past \1"),
        (r"at ([0-9]{1,2}) y cuarto", r"at quarter past \1"),
        (r"at ([0-9]{1,2}) menos cuarto", r"at quarter to \1"),
        (r"at ([0-9]{1,2}) menos ([0-9]{1,2})", r"at \2 minutes to \1"),
        (r"at ([0-9]{1,2}) y ([0-9]{1,2})", r"at \2 minutes past \1"),
        # from now
        (r"media hora(?= (?:before|after))", "half an hour"),
        (r"(?:3 cuartos de|45 minutos) hora", "45 minutes"),
        (r"(?:1 )?cuarto de hora", "15 minutes"),
        (r"(?:en|dentro de|de aqui a) media hora", "in half an hour"),
        (r"(?:en|dentro de|de aqui a) hora y media", "in 1 hour and a half"),
        (r"(?:en|dentro de|de aqui a)(?= (?:[0-9]|(?:1 )?par de))", "in"),
        (r"(?:1 )?par de", "2"),
        ("y media", "and a half"),
        # a day
        (r"(?:el )?dia (?:antes|anterior|previo) (?:de|a)l?|(?:la )?vispera del?", "the day before"),
        (r"(?:el )?dia (?:despues|siguiente) (?:de|a)l?", "the day after"),
        (r"([0-9]+ (?:dias?|semanas?|mes(?:es)?)) antes del?", r"\1 before"),
        (r"([0-9]+ (?:dias?|semanas?|mes(?:es)?)) despues del?", r"\1 after"),
        ("pasado manana", "day after tomorrow"),
        ("manana", "tomorrow"),
        ("hoy", "today"),
        (rf"(?:el )?({_WEEKDAY}) de (?:la semana {_NEXT}|la {_NEXT} semana)", r"\1 next week"),
        (rf"(?:el )?({_WEEKDAY}) de esta semana", r"\1 this week"),
        (rf"(?:el )?(?:({_WEEKDAY}) {_NEXT}|{_NEXT} ({_WEEKDAY}))", r"next \1\2"),
        (rf"este ({_WEEKDAY})", r"this \1"),
        (rf"(?:el )?(?:dia )?([0-9]{{1,2}}) del? (?:mes {_NEXT}|{_NEXT} mes)", r"the \1th of next month"),
        (rf"el (?:dia )?([0-9]{{1,2}})(?! de (?:{'|'.join(SPANISH_MONTHS)}))", r"the \1th"),
        *((f"{day}s?", english.lower()) for day, english in zip(SPANISH_DAYS, WEEKDAYS, strict=True)),
        *(
            (f"(?:de )?{month}(?: del?)?", english.lower())
            for month, english in zip(SPANISH_MONTHS, MONTHS, strict=True)
        ),
        *_UNITS.items(),
        (r"(?:a partir del?|desde|empezando(?: el)?)", "starting"),
        ("y", "and"),
        (r"(?:recuerda|recordar|avisa)(?:me|nos)(?:lo)?|por favor|en punto|el|la|los|de|que|en", ""),
    )
)


def to_english(text: str) -> str:
    """Return the text with its Spanish words in English; unchanged if it has none."""
    flat = "".join(each for each in unicodedata.normalize("NFD", text) if not unicodedata.combining(each))
    flat = flat.replace("setiembre", "septiembre")
    if not _SPANISH.search(flat):
        return text
    for words, english in _WORDS:
        flat = words.sub(english, flat)
    return " ".join(flat.split())
