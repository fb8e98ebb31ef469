"""The moment that a Spanish text names, and what names none."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from pet.language.moment import MomentUnclear, parse_moment
from pet.language.repetition import plan_text

NOW = datetime(2026, 2, 24, 14, 30, 15, tzinfo=timezone(timedelta(hours=8)))  # a Tuesday


@pytest.mark.parametrize(
    ("said", "day", "at"),
    [
        ("recuérdame mañana a las tres", "2026-02-25", "15:00"),
        ("MAÑANA A LAS 3 P. M.", "2026-02-25", "15:00"),
        ("manana por la manana", "2026-02-25", "09:00"),
        ("mañana temprano", "2026-02-25", "07:00"),
        ("mañana a las 2 de la madrugada", "2026-02-25", "02:00"),
        ("a las 2:30 de la madrugada", "2026-02-25", "02:30"),
        ("a las dos y media de la madrugada", "2026-02-25", "02:30"),
        ("esta madrugada a las 2:30", "2026-02-25", "02:30"),
        ("mañana a las nueve y media de la noche", "2026-02-25", "21:30"),
        ("pasado mañana al mediodía", "2026-02-26", "12:00"),
        ("en 1 minuto", "2026-02-24", "14:31"),
        ("esta tarde a las 5", "2026-02-24", "17:00"),
        ("esta noche", "2026-02-24", "21:00"),
        ("a la una", "2026-02-25", "13:00"),
        ("a las cuatro menos cuarto", "2026-02-24", "15:45"),
        ("a las siete menos diez de la tarde", "2026-02-24", "18:50"),
        ("a las 15h30", "2026-02-24", "15:30"),
        ("a las doce de la noche", "2026-02-25", "00:00"),
        ("en 20 minutos", "2026-02-24", "14:50"),
        ("en media hora", "2026-02-24", "15:00"),
        ("dentro de hora y media", "2026-02-24", "16:00"),
        ("en dos horas y 10 minutos", "2026-02-24", "16:40"),
        ("en tres cuartos de hora", "2026-02-24", "15:15"),
        ("dentro de tres días a las 9", "2026-02-27", "09:00"),
        ("en un mes", "2026-03-24", ""),
        ("el viernes", "2026-02-27", ""),
        ("el lunes que viene a las 18:00", "2026-03-02", "18:00"),
        ("el viernes de la semana que viene", "2026-03-06", ""),
        ("lunes, 2 de marzo, a las 10", "2026-03-02", "10:00"),
        ("el 21 de setiembre a las 8 y diez", "2026-09-21", "08:10"),
        ("1º de enero", "2027-01-01", ""),
        ("el 3 de mayo de 2027", "2027-05-03", ""),
        ("el 3 a las 5 de la tarde", "2026-03-03", "17:00"),
        ("el 5 del mes que viene", "2026-03-05", ""),
    ],
)
def test_one_moment(said: str, day: str, at: str) -> None:
    due = parse_moment(said, NOW)
    assert (due.day.isoformat(), f"{due.at:%H:%M}" if due.at else "", due.repeat) == (day, at, None)


@pytest.mark.parametrize(
    ("said", "day", "plan"),
    [
        ("cada lunes a las 9", "2026-03-02", "every Monday at 09:00"),
        ("los lunes, miércoles y viernes", "2026-02-25", "every Monday and Wednesday and Friday"),
        ("todos los días a las 8 de la mañana", "2026-02-25", "every day at 08:00"),
        ("todas las noches a las 10", "2026-02-24", "every day at 22:00"),
        ("un día sí y otro no", "2026-02-24", "every 2 days"),
        ("de lunes a viernes a las 7:30", "2026-02-25", "every weekday at 07:30"),
        ("los fines de semana", "2026-02-28", "every Saturday and Sunday"),
        ("cada dos semanas", "2026-02-24", "every 2 weeks on Tuesday"),
        ("cada mes el día 15 a las 3 de la tarde", "2026-03-15", "every month on the 15th at 15:00"),
        ("el último día de cada mes", "2026-02-28", "every month on the last day"),
        ("cada año el 3 de mayo", "2026-05-03", "every year on 3 May"),
        ("cada día a partir de mañana a las 10", "2026-02-25", "every day at 10:00"),
    ],
)
def test_a_series(said: str, day: str, plan: str) -> None:
    due = parse_moment(said, NOW)
    assert (due.day.isoformat(), plan_text(due.at, due.repeat)) == (day, plan)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        *((each, "unclear") for each in ("pronto", "ayer", "hace dos días", "la semana que viene", "las doce")),
        *((each, "unclear") for each in ("mañana o el viernes", "mañana a medianoche", "el 31 de febrero")),
        *((each, "unclear") for each in ("a las 25:00", "cada 0 días", "at 3 in LA")),
        *((each, "often") for each in ("cada hora", "cada 5 minutos")),
        ("1 de enero de 1900", "past"),
        ("hoy a las dos", "past"),
        ("en 500 años", "far"),
    ],
)
def test_what_names_no_moment_is_refused(said: str, why: str) -> None:
    with pytest.raises(MomentUnclear) as refused:
        parse_moment(said, NOW)
    assert refused.value.why == why


def test_an_hour_that_daylight_saving_skips_stands_as_said_and_minutes_are_counted_across_it() -> None:
    madrid = ZoneInfo("Europe/Madrid")  # on 29 March 2026 two o'clock becomes three
    due = parse_moment("mañana a las 2:30 de la madrugada", datetime(2026, 3, 28, 20, tzinfo=madrid))
    assert (due.day.isoformat(), f"{due.at:%H:%M}") == ("2026-03-29", "02:30")
    due = parse_moment("en 60 minutos", datetime(2026, 3, 29, 1, 30, tzinfo=madrid))
    assert (due.day.isoformat(), f"{due.at:%H:%M}") == ("2026-03-29", "03:30")
