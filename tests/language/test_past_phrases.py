"""How people name a past time in three languages; today is Saturday, 28 November 2026.

A row is a phrase and the first and last day that it names; None where it names none.
"""

from __future__ import annotations

from datetime import date

import pytest

from pet.language.ranges import find_ranges

PHRASES: list[tuple[str, str | None]] = [
    # English: parts of months
    ("what did I do at the end of November last year", "2025-11-20 2025-11-30"),
    ("late November last year", "2025-11-20 2025-11-30"),
    ("the trip in mid-August", "2026-08-10 2026-08-21"),
    ("mid August 2024", "2024-08-10 2024-08-21"),
    ("the middle of June", "2026-06-10 2026-06-21"),
    ("in the middle of last month", "2026-10-10 2026-10-21"),
    ("at the beginning of March 2025", "2025-03-01 2025-03-10"),
    ("the start of October", "2026-10-01 2026-10-10"),
    ("early September 2023", "2023-09-01 2023-09-10"),
    ("the end of last month", "2026-10-20 2026-10-31"),
    ("towards the end of May", "2026-05-20 2026-05-31"),
    ("beginning of last year", "2025-01-01 2025-02-28"),
    ("the end of 2024", "2024-11-01 2024-12-31"),
    ("first half of 2025", "2025-01-01 2025-06-30"),
    ("the second half of last year", "2025-07-01 2025-12-31"),
    ("the first half of July", "2026-07-01 2026-07-15"),
    ("the second half of August 2025", "2025-08-16 2025-08-31"),
    # English: months with years
    ("December two years ago", "2024-12-01 2024-12-31"),
    ("in May three years ago", "2023-05-01 2023-05-31"),
    ("last November", "2025-11-01 2025-11-30"),
    ("last March", "2026-03-01 2026-03-31"),
    ("in February last year", "2025-02-01 2025-02-28"),
    ("last year in April", "2025-04-01 2025-04-30"),
    ("June of last year", "2025-06-01 2025-06-30"),
    ("July this year", "2026-07-01 2026-07-31"),
    ("in March", "2026-03-01 2026-03-31"),
    ("December", "2025-12-01 2025-12-31"),
    ("Sept 2025", "2025-09-01 2025-09-30"),
    ("late last year", "2025-10-01 2025-12-31"),
    ("early this year", "2026-01-01 2026-03-31"),
    # English: halves and spans back
    ("half a year ago", "2026-05-01 2026-05-31"),
    ("six months ago", "2026-05-01 2026-05-31"),
    ("two and a half years ago", "2024-05-01 2024-05-31"),
    # English: beside another day
    ("the week before Christmas last year", "2025-12-18 2025-12-24"),
    ("the day after Christmas", "2025-12-26 2025-12-26"),
    ("the day before New Year's Eve", "2025-12-30 2025-12-30"),
    ("the day after 3 June", "2026-06-04 2026-06-04"),
    ("two days before 10 May 2025", "2025-05-08 2025-05-08"),
    ("the week after 1 March", "2026-03-02 2026-03-08"),
    # English: between
    ("between March and May", "2026-03-01 2026-05-31"),
    ("between 3 and 9 August", "2026-08-03 2026-08-09"),
    ("between June 5 and June 12", "2026-06-05 2026-06-12"),
    ("between November 2025 and January 2026", "2025-11-01 2026-01-31"),
    ("between 2023 and 2024", "2023-01-01 2024-12-31"),
    ("from April to June last year", "2025-04-01 2025-06-30"),
    ("between November and February", "2025-11-01 2026-02-28"),
    ("the twentieth of March, 2025", "2025-03-20 2025-03-20"),
    ("from Monday to Wednesday last week", "2026-11-16 2026-11-18"),
    ("a week or two ago", "2026-11-11 2026-11-24"),
    ("this day last month", "2026-10-28 2026-10-28"),
    ("the other day", "2026-11-21 2026-11-27"),
    ("last week's Monday", "2026-11-16 2026-11-16"),
    ("since 2024", "2024-01-01 2026-11-28"),
    ("the day before last Monday", "2026-11-22 2026-11-22"),
    # English: no time
    ("may I march half a mile", None),
    ("between you and me", None),
    ("April", None),
    ("May?", None),
    ("June", None),
    ("the end of the story", None),
    # Chinese
    ("去年十一月底", "2025-11-20 2025-11-30"),
    ("11月末", "2026-11-20 2026-11-30"),
    ("八月中旬", "2026-08-10 2026-08-21"),
    ("8月中", "2026-08-10 2026-08-21"),
    ("2025年3月初", "2025-03-01 2025-03-10"),
    ("今年三月上旬", "2026-03-01 2026-03-10"),
    ("上个月底", "2026-10-20 2026-10-31"),
    ("上月初", "2026-10-01 2026-10-10"),
    ("上个月中旬", "2026-10-10 2026-10-21"),
    ("去年年底", "2025-11-01 2025-12-31"),
    ("去年年初", "2025-01-01 2025-02-28"),
    ("今年年初", "2026-01-01 2026-02-28"),
    ("前年十二月", "2024-12-01 2024-12-31"),
    ("两年前的十二月", "2024-12-01 2024-12-31"),
    ("半年前", "2026-05-01 2026-05-31"),
    ("两年半前", "2024-05-01 2024-05-31"),
    ("去年上半年", "2025-01-01 2025-06-30"),
    ("2024年下半年", "2024-07-01 2024-12-31"),
    ("七月上半月", "2026-07-01 2026-07-15"),
    ("去年圣诞节前一周", "2025-12-18 2025-12-24"),
    ("圣诞节后一天", "2025-12-26 2025-12-26"),
    ("6月3日的第二天", "2026-06-04 2026-06-04"),
    ("三月到五月之间", "2026-03-01 2026-05-31"),
    ("去年四月至六月", "2025-04-01 2025-06-30"),
    ("8月3日到9日", "2026-08-03 2026-08-09"),
    ("2023年到2024年", "2023-01-01 2024-12-31"),
    ("圣诞节前两周", "2025-12-11 2025-12-11"),
    ("去年第三季度", "2025-07-01 2025-09-30"),
    ("三小时前", "2026-11-28 2026-11-28"),
    ("两个周末前", "2026-11-14 2026-11-15"),
    ("上周三的前一天", "2026-11-17 2026-11-17"),
    ("半年的计划", None),
    ("两者之间", None),
    # Spanish
    ("a finales de noviembre del año pasado", "2025-11-20 2025-11-30"),
    ("a mediados de agosto", "2026-08-10 2026-08-21"),
    ("a principios de marzo de 2025", "2025-03-01 2025-03-10"),
    ("a fines de octubre", "2026-10-20 2026-10-31"),
    ("a comienzos de junio", "2026-06-01 2026-06-10"),
    ("a finales del mes pasado", "2026-10-20 2026-10-31"),
    ("a principios de año", "2026-01-01 2026-03-31"),
    ("a finales de 2024", "2024-11-01 2024-12-31"),
    ("diciembre de hace dos años", "2024-12-01 2024-12-31"),
    ("en mayo de hace tres años", "2023-05-01 2023-05-31"),
    ("hace medio año", "2026-05-01 2026-05-31"),
    ("hace seis meses", "2026-05-01 2026-05-31"),
    ("hace dos años y medio", "2024-05-01 2024-05-31"),
    ("el pasado noviembre", "2025-11-01 2025-11-30"),
    ("en marzo pasado", "2026-03-01 2026-03-31"),
    ("la primera mitad de 2025", "2025-01-01 2025-06-30"),
    ("la segunda quincena de agosto", "2026-08-16 2026-08-31"),
    ("la semana antes de Navidad del año pasado", "2025-12-18 2025-12-24"),
    ("el día después de Navidad", "2025-12-26 2025-12-26"),
    ("la víspera de Navidad", "2025-12-24 2025-12-24"),
    ("entre marzo y mayo", "2026-03-01 2026-05-31"),
    ("entre el 3 y el 9 de agosto", "2026-08-03 2026-08-09"),
    ("de abril a junio del año pasado", "2025-04-01 2025-06-30"),
    ("de lunes a miércoles de la semana pasada", "2026-11-16 2026-11-18"),
    ("dos semanas antes de Navidad", "2025-12-11 2025-12-11"),
    ("mid to late May", "2026-05-10 2026-05-31"),
    ("the back half of June", "2026-06-16 2026-06-30"),
    ("the latter half of 2024", "2024-07-01 2024-12-31"),
    ("the last days of March", "2026-03-27 2026-03-31"),
    ("the first few days of October", "2026-10-01 2026-10-05"),
    ("the first quarter of this year", "2026-01-01 2026-03-31"),
    ("a year and a half ago", "2025-05-01 2025-05-31"),
    ("a month and a half ago", "2026-10-06 2026-10-20"),
    ("the summer before last", "2025-06-01 2025-08-31"),
    ("two summers ago", "2025-06-01 2025-08-31"),
    ("the year before last", "2024-01-01 2024-12-31"),
    ("around Christmas last year", "2025-12-19 2025-12-31"),
    ("what did Ana say about Halloween", "2026-10-31 2026-10-31"),
    ("大前年夏天", "2023-06-01 2023-08-31"),
    ("两个半月前", "2026-09-06 2026-09-20"),
    ("七月前半个月", "2026-07-01 2026-07-15"),
    ("hace dos meses y medio", "2026-09-06 2026-09-20"),
    ("el verano de 2024", "2024-06-01 2024-08-31"),
    ("hace dos veranos", "2025-06-01 2025-08-31"),
    ("desde principios de junio hasta mediados de julio", "2026-06-01 2026-07-21"),
    ("entre tú y yo", None),
    ("a mediados del partido", None),
]


TODAY = date(2026, 11, 28)


@pytest.mark.parametrize(("phrase", "days"), PHRASES)
def test_a_phrase_names_its_days_as_one_range(phrase: str, days: str | None) -> None:
    assert [f"{each.first} {each.last}" for each in find_ranges(phrase, TODAY)] == ([days] if days else [])


@pytest.mark.parametrize(
    ("phrase", "day_first", "day"),
    [
        ("what happened on 5/6?", True, "2026-06-05"),
        ("what happened on 5/6?", False, "2026-05-06"),
        ("el 5/6/2025", True, "2025-06-05"),
        ("5/6/2025", None, "2025-05-06"),
        ("12/13/2025", True, "2025-12-13"),
        ("05/11", True, "2026-11-05"),
    ],
)
def test_a_past_date_in_digits_is_read_in_the_owner_s_order(phrase: str, day_first: bool | None, day: str) -> None:
    assert [str(each.first) for each in find_ranges(phrase, TODAY, day_first)] == [day]
