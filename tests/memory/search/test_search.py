"""Searching a real workspace: found again, in both languages, as the files are at this moment."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Literal

import pytest

from pet.memory.search.embedders import Embedder, load_embedders
from pet.memory.search.index_sync import MAX_BYTES
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.search.recall_selection import MAX_SNIPPET, SURE, Hit, HitSource, is_sure
from tests.memory.workspaces import TODAY, log
from tests.support.files import make_pipe


def first(index: MemoryIndex, question: str) -> str:
    hits = index.search(question, 3, now=TODAY)
    return hits[0].snippet if hits else ""


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("What did I paint?", "sunrise"),
        ("爬山的时候谁给了我吃的？", "陌生女孩"),
        ("我买的连衣裙是什么颜色", "红色"),
        ("Where is Anna getting married?", "Lisbon"),
        ("what am I allergic to", "peanuts"),
        ("多久给奶奶打一次电话", "奶奶"),
        ("ficus watering", "ficus"),
        ("三天前我们聊了什么", "连衣裙"),
        ("What did we talk about last Tuesday?", "sunrise"),
        ("what did we talk about in March", "Anna"),
        ("爬山的時候誰給了我吃的？", "陌生女孩"),
        ("我買的連衣裙是什麼顏色", "红色"),
        ("who lives in Lisbbon", "Lisbon"),
        ("whta about the sunrsie", "sunrise"),
        ("What did we talk about last Tuseday?", "sunrise"),
        ("hey, quick question, do you remember what I am allergic to?", "peanuts"),
        ("对了，我想问一下，你还记不记得多久给奶奶打一次电话", "奶奶"),
    ],
)
def test_what_was_noted_is_found_again_by_words_and_dates(index: MemoryIndex, question: str, found: str) -> None:
    assert found in first(index, question)


@pytest.mark.parametrize(
    "asked", ["what did Oksana do?", "what did oksana do", "WHAT DID OKSANA DO", "what did Oksanna do"]
)
def test_who_is_named_speaks_first_however_the_name_is_written(
    index: MemoryIndex, workspace: Path, asked: str
) -> None:
    log(workspace, "2026-11-19", ["Kwame: Did Oksana call?", "Kwame: Oksana would do it.", "Oksana: I did, twice."])
    assert first(index, asked) == "Oksana: I did, twice."


def test_the_owner_s_own_pet_is_not_taken_for_the_speaker(index: MemoryIndex, workspace: Path) -> None:
    log(workspace, "2026-11-19", ["Pet: The vet is a nice person.", "Owner: My pet went to the vet."])
    assert first(index, "when did my pet go to the vet") == "Owner: My pet went to the vet."


def test_another_word_is_found_but_not_taken_for_sure(index: MemoryIndex, workspace: Path) -> None:
    log(workspace, "2026-11-19", ["I bought a desert cactus."])
    (hit, *_) = index.search("what dessert", 1)
    assert "desert" in hit.snippet and hit.score < SURE


def test_an_index_of_other_words_is_made_anew_and_keeps_its_vectors(workspace: Path, tmp_path: Path) -> None:
    index = open_index(workspace, tmp_path / "cache")
    index.refresh()
    index.close()
    (file,) = (tmp_path / "cache" / "index").glob("*.sqlite")
    with closing(sqlite3.connect(file)) as connection:
        before = connection.execute("SELECT count(*) FROM vectors").fetchone()
        connection.execute("UPDATE notes SET value = 'entries' WHERE name = 'cut'")  # as an older version noted it
        connection.execute("UPDATE entries SET tokens = ''")
        connection.commit()
    index = open_index(workspace, tmp_path / "cache", embedder=None)
    assert "sunrise" in first(index, "sunrise")
    index.close()
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("SELECT count(*) FROM vectors").fetchone() == before
        assert connection.execute("SELECT count(*) FROM entries WHERE tokens = ''").fetchone() == (0,)


def test_a_hit_names_the_very_lines(index: MemoryIndex, workspace: Path) -> None:
    for question in ("sunrise lake", "清蒸鲈鱼", "peanuts", "ficus"):
        hit = index.search(question, 1)[0]
        lines = (workspace / hit.path).read_text(encoding="utf-8").split("\n")
        assert hit.snippet == "\n".join(lines[hit.start_line - 1 : hit.end_line])
        assert 0 <= hit.score <= 1
    assert index.search("peanuts", 1)[0].source is HitSource.PROFILE
    assert index.search("ficus", 1)[0].source is HitSource.MEMORY
    assert index.search("sunrise", 1)[0].source is HitSource.LOG


def test_scores_fall_and_small_talk_scores_low(index: MemoryIndex) -> None:
    scores = [hit.score for hit in index.search("What did Anna say about the lemon wedding cake?", 6)]
    assert scores == sorted(scores, reverse=True) and scores[0] > 0.4
    assert all(hit.score < 0.3 for hit in index.search("thank you, good night!", 3))


def test_an_edit_an_addition_and_a_removal_are_seen_by_the_next_search(index: MemoryIndex, workspace: Path) -> None:
    assert first(index, "zebra") == ""
    file = log(workspace, "2026-11-20", ["I saw a zebra."])
    assert "zebra" in first(index, "zebra")
    before = file.stat()
    file.write_text(file.read_text().replace("zebra", "camel"), encoding="utf-8")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))  # the same size and time stamp as before
    assert "camel" in first(index, "camel") and "zebra" not in first(index, "zebra")
    file.unlink()
    assert first(index, "camel") == ""


def test_a_clock_set_back_hides_nothing(index: MemoryIndex, workspace: Path) -> None:
    first(index, "anything")
    file = log(workspace, "2026-11-19", ["The giraffe came."])
    os.utime(file, (1_000_000_000, 1_000_000_000))
    assert "giraffe" in first(index, "giraffe")
    file.write_text(file.read_text().replace("giraffe", "ostrich"), encoding="utf-8")
    os.utime(file, (4_000_000_000, 4_000_000_000))  # and far ahead
    assert "ostrich" in first(index, "ostrich")


def test_dated_todos_are_found_by_the_day_they_are_due(index: MemoryIndex, workspace: Path) -> None:
    (workspace / "memory" / "2026-11-01.md").write_text(
        "# Memory Log: 2026-11-01\n\n## [10:00:00] todo @2026-11-22\n\nPay the rent.\n", encoding="utf-8"
    )
    assert "rent" in first(index, "What is planned for tomorrow?")
    assert "rent" in first(index, "明天有什么安排")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "   \n",
        '"',
        "'; DROP TABLE entries; --",
        'sunrise AND OR NOT NEAR(lake, 2) "',
        "tokens:sunrise* ^lake -paint",
        "((((",
        "\0sunrise\0",
        "\ud83d sunrise",
        "sunrise " * 1_300,
        "日出" * 5_000,
        "x" * 10_240,
        "😀👩‍👩‍👧",
        "%_\\",
        "？！。",
    ],
)
def test_no_query_is_an_error(index: MemoryIndex, query: str) -> None:
    hits = index.search(query, 5)
    assert ("sunrise" in query) <= any("sunrise" in hit.snippet for hit in hits)


def test_no_result_is_wanted_and_none_comes(index: MemoryIndex) -> None:
    assert index.search("sunrise", 0) == [] and index.search("sunrise", -1) == []
    assert index.search("sunrise", 5, min_score=0.999) == []


def test_only_files_of_the_pet_are_searched(workspace: Path, index: MemoryIndex, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("The walrus password.", encoding="utf-8")
    (workspace / "SOUL.md").write_text("I am a walrus.", encoding="utf-8")
    (workspace / "memory" / "notes.txt").write_text("walrus", encoding="utf-8")
    (workspace / "notes.md").write_text("walrus", encoding="utf-8")
    (workspace / "memory" / "2026-01-01.md").symlink_to(secret)
    (workspace / "memory" / "2026-01-02.md").mkdir()
    make_pipe(workspace / "memory" / "2026-01-03.md")
    assert index.search("walrus", 5) == []


def test_what_becomes_a_link_is_found_no_more(workspace: Path, index: MemoryIndex, tmp_path: Path) -> None:
    file = log(workspace, "2026-11-18", ["The walrus came."])
    assert "walrus" in first(index, "walrus")
    file.rename(tmp_path / file.name)
    file.symlink_to(tmp_path / file.name)
    assert first(index, "walrus") == ""
    file.unlink()
    (tmp_path / file.name).rename(file)
    assert "walrus" in first(index, "walrus")
    (workspace / "memory").rename(tmp_path / "elsewhere")
    (workspace / "memory").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    assert first(index, "walrus") == ""


def test_files_that_are_no_text_are_left_out_and_come_back(workspace: Path, index: MemoryIndex) -> None:
    file = log(workspace, "2026-11-19", ["鸭嘴兽来了。"])
    assert "鸭嘴兽" in first(index, "鸭嘴兽")
    text = file.read_bytes()
    file.write_bytes("鸭嘴兽".encode("gbk"))
    assert first(index, "鸭嘴兽") == ""
    file.write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    assert "鸭嘴兽" in first(index, "鸭嘴兽") and "\r" not in first(index, "鸭嘴兽")


def test_a_file_cut_inside_a_character_is_searched_up_to_there(workspace: Path, index: MemoryIndex) -> None:
    file = log(workspace, "2026-11-19", ["The platypus ate 苹果"])
    file.write_bytes(file.read_bytes().rstrip(b"\n")[:-1])
    assert "platypus" in first(index, "platypus")


def test_of_a_huge_log_the_beginning_and_the_end_are_found_with_their_lines(
    workspace: Path, index: MemoryIndex
) -> None:
    line = "## [10:00:00] general\n\n" + "filler words of no use " * 40 + "\n\n"
    middle = (50 * 1024 * 1024 // len(line)) * line
    text = (
        "# Memory Log: 2026-11-02\n\n## [09:00:00] fact\n\nThe alpaca.\n\n"
        + middle
        + "## [23:00:00] fact\n\nThe llama.\n"
    )
    assert len(text) > 20 * MAX_BYTES
    (workspace / "memory" / "2026-11-02.md").write_text(text, encoding="utf-8")
    assert index.search("alpaca", 1)[0].start_line == 5
    assert index.search("llama", 1)[0].start_line == text.count("\n")
    (workspace / "memory" / "2026-11-03.md").write_text("y" * 3 * 1024 * 1024, encoding="utf-8")
    assert "llama" in first(index, "llama")


def test_what_says_the_same_comes_once_and_the_newer_first(workspace: Path, index: MemoryIndex) -> None:
    for day in ("2026-10-01", "2026-10-09", "2026-10-05"):
        log(workspace, day, ["The hedgehog sleeps under the old oak in the garden."])
    hits = index.search("hedgehog oak", 6)
    assert [hit.path for hit in hits if "hedgehog" in hit.snippet] == ["memory/2026-10-09.md"]


def test_age_decides_nothing_unless_the_newest_is_asked_for(workspace: Path, index: MemoryIndex) -> None:
    log(workspace, "2020-01-01", ["Owner: I played chess with Tom in the park by the river."])
    log(workspace, "2026-11-19", ["Owner: I played chess."])
    assert index.search("Who did I play chess with in the park", 1)[0].path == "memory/2020-01-01.md"
    assert index.search("What did I play lately?", 1, now=TODAY)[0].path == "memory/2026-11-19.md"


def test_a_reply_is_found_by_the_words_of_the_question_before_it(workspace: Path, index: MemoryIndex) -> None:
    log(workspace, "2026-09-01", ["Owner: Which telescope should I get?", "Pet: The small Dobsonian, of course."])
    assert any("Dobsonian" in hit.snippet for hit in index.search("telescope", 2))


def test_a_snippet_of_a_long_entry_shows_what_was_asked_for(workspace: Path, index: MemoryIndex) -> None:
    log(workspace, "2026-09-02", ["blah bla " * 80 + "the narwhal sang " + "bla blah " * 40])
    hit = index.search("narwhal", 1)[0]
    assert "narwhal" in hit.snippet and len(hit.snippet) <= MAX_SNIPPET


@pytest.mark.parametrize(
    ("query", "score", "sure"),
    [
        ("black tea", 0.05, True),
        ("black tea", 0.049, False),
        ("  BEES  hive ", 0.0, True),
        ("bees tea", 0.0, False),
        (" ", 0.0, False),
        ("Zanzibar4711", 0.29, False),
        ("KX-4711?", 0.29, False),
        ("Ana Ruiz", 0.29, False),
        ("Ana Hives", 0.29, True),
        ("Bee", 0.29, True),
        ("where is Ana", 0.29, True),
        ("honey", 0.29, True),
        ("zorbing", 0.14, False),
        ('"zorbing"?', 0.14, False),
        ("zorbing", 0.15, True),  # what stands near it is likely what is meant
        ("hivee", 0.06, True),  # a slip of a word that stands there
        ("hives", 0.06, True),
        ("work", 0.06, True),  # everybody's word, and in other words as well
        ("zorbing hall", 0.06, True),
        ("我回来啦", 0.29, False),
        ("good night!", 0.29, False),
    ],
)
def test_a_hit_is_sure_by_its_score_or_if_it_holds_every_word(query: str, score: float, sure: bool) -> None:
    hit = Hit(
        path="MEMORY.md", start_line=1, end_line=1, score=score, snippet="The Bees of a hive", source=HitSource.MEMORY
    )
    assert is_sure(hit, query) is sure


@pytest.mark.parametrize(
    ("query", "snippet", "score", "sure"),
    [
        ("花生", "主人：浇花。", 0.97, False),  # one character of the word
        ("花生", "主人：交房租。", 0.2, False),
        ("花生", "主人：花生过敏。", 0.01, True),
        ("猫咪", "主人的猫叫豆豆。", 0.99, True),  # what is meant
        ("貓咪", "猫咪叫豆豆。", 0.06, True),
        ("什么", "主人：浇花。", 0.06, True),
        ("花生酱", "主人：浇花。", 0.06, True),
    ],
)
def test_a_chinese_word_of_which_a_hit_has_one_character_is_not_sure(
    query: str, snippet: str, score: float, sure: bool
) -> None:
    hit = Hit(
        path="memory/2026-11-20.md", start_line=1, end_line=1, score=score, snippet=snippet, source=HitSource.LOG
    )
    assert is_sure(hit, query) is sure


@pytest.mark.parametrize("embedder", load_embedders(), ids=lambda each: each.name)
def test_meaning_is_found_across_words_and_languages(workspace: Path, tmp_path: Path, embedder: Embedder) -> None:
    index = open_index(workspace, tmp_path / "vectors", embedder=embedder)
    index.refresh()
    assert index.embedder == embedder.name and index.pending()[0] == 0 < index.pending()[1]
    assert any("陌生女孩" in hit.snippet for hit in index.search("Who shared food with me on the mountain?", 3))
    assert any("sunrise" in hit.snippet for hit in index.search("Which artwork did I make?", 3))
    log(workspace, "2026-11-20", ["Owner: My bicycle was stolen."])
    assert "bicycle" in index.search("bicycle", 1)[0].snippet  # by words, before its vector is made
    assert index.pending()[0] == 1
    index.refresh()
    assert any("bicycle" in hit.snippet for hit in index.search("Was my bike taken by thieves?", 3))
    index.close()


@pytest.mark.parametrize("embedder", [None, "best"])
@pytest.mark.parametrize(
    ("query", "literal", "related"),
    [
        ("backup", "The backup script is slow", "the password was changed"),
        ("备份", "备份脚本很慢", "钥匙换了"),
        ("铁律", "铁律：不许迟到", "规矩改了"),
        ("garage", "The garage door sticks", "the car was sold and I bought a new one"),
        ("门锁", "门锁有点松", "现在换成新钥匙了"),
        ("alergia", "Tengo alergia al polen", "la medicina cambió, ahora tomo otra"),
    ],
)
def test_an_entry_with_the_word_comes_before_a_newer_related_one(
    tmp_path: Path, embedder: Literal["best"] | None, query: str, literal: str, related: str
) -> None:
    log(tmp_path / "pet", "2026-11-10", [f"Owner: {literal}"])
    log(tmp_path / "pet", "2026-11-15", [f"Owner: {related}"])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=embedder)) as index:
        index.refresh()
        hits = index.search(query, 6, now=TODAY)
    assert hits[0].snippet == f"Owner: {literal}"
    assert all(hit.score < min(0.96, hits[0].score) for hit in hits[1:])


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("How is the backup script?", "The backup script is slow", "the password was changed"),
        ("备份怎么样？", "备份脚本很慢", "钥匙换了"),
        ("¿Cómo va la copia de seguridad?", "La copia de seguridad es lenta", "la abuela cambió de casa"),
    ],
)
def test_who_said_it_makes_no_two_notes_about_one_thing(
    tmp_path: Path, question: str, answer: str, other: str
) -> None:
    log(tmp_path / "pet", "2026-11-10", [f"Owner: {answer}"])
    log(tmp_path / "pet", "2026-11-15", [f"Owner: {other}"])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        hits = index.search(question, 6, now=TODAY)
    assert hits[0].snippet == f"Owner: {answer}" and all(hit.score < 0.96 for hit in hits[1:])


def test_a_question_still_takes_the_newest_of_what_changed(tmp_path: Path) -> None:
    log(tmp_path / "pet", "2026-11-10", ["I work at Acme"])
    log(tmp_path / "pet", "2026-11-15", ["I no longer work at Acme, I work at Bolt now"])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache")) as index:
        index.refresh()
        assert "Bolt" in index.search("Where do I work?", 6, now=TODAY)[0].snippet
        assert "Bolt" in index.search("work", 6, now=TODAY)[0].snippet


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("emile", "Émile comes for dinner"),
        ("ÉMILE", "Émile comes for dinner"),
        ("Begona", "Begoña is my aunt"),
        ("Begoña", "Begoña is my aunt"),
        ("cafe au lait", "a café au lait each morning"),
        ("Zurich", "We were in Zürich"),
        ("Łodz", "born in Łódź"),
        ("Soren", "Søren plays chess"),
        ("telefono de Inés", "el teléfono de Ines es nuevo"),
        ("Αθηνα", "a week in Αθήνα"),
        ("mamá", "my mama is called Rosa"),
        ("mama", "mamá se llama Rosa"),
        ("Árbol", "an arbol in the yard"),
        ("Bäckerei", "the Backerei at the corner"),
        ("backerei", "the Bäckerei at the corner"),
        ("garçon", "the garcon was kind"),
        ("São", "a week in Sao Paulo"),
        ("ålesund", "we were in Alesund"),
        ("Straße", "the strasse is loud"),
    ],
)
def test_accents_make_no_difference(tmp_path: Path, query: str, found: str) -> None:
    log(tmp_path / "pet", "2026-11-19", ["Lisa likes tea", found, "The cat sleeps"])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=None)) as index:
        hit = index.search(query, 3, now=TODAY)[0]
    assert hit.snippet == found and is_sure(hit, query)


@pytest.mark.parametrize("embedder", [None, "best"])
@pytest.mark.parametrize(("query", "first"), [("emile", "Emile likes tea"), ("Émile", "Émile likes tea")])
@pytest.mark.parametrize("newer", ["Emile", "Émile"])
def test_the_spelling_of_the_query_is_preferred(
    tmp_path: Path, embedder: Literal["best"] | None, query: str, first: str, newer: str
) -> None:
    older = "Émile" if newer == "Emile" else "Emile"
    log(tmp_path / "pet", "2026-11-10", [f"{older} likes tea"])
    log(tmp_path / "pet", "2026-11-12", [f"{newer} likes tea"])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=embedder)) as index:
        index.refresh()
        assert index.search(query, 6, now=TODAY)[0].snippet == first
        assert index.search(f"Does {query} like tea?", 6, now=TODAY)[0].snippet in (first, f"{newer} likes tea")


def test_marks_that_are_letters_of_other_scripts_stay(tmp_path: Path) -> None:
    log(tmp_path / "pet", "2026-11-19", ["がっこうへ行く", "かっこう鳥"])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=None)) as index:
        assert index.search("がっこう", 1, now=TODAY)[0].snippet == "がっこうへ行く"
        assert index.search("かっこう", 1, now=TODAY)[0].snippet == "かっこう鳥"
