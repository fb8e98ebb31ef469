"""What may go with a message, where it is kept, and when it goes."""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import textwrap
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from PIL import Image

from pet.clock import SystemClock
from pet.errors import AttachmentRefused
from pet.i18n import LANGUAGES, Texts
from pet.untrusted.images import open_image
from pet.workspace.attachments import MAX_FILE, MAX_TEXT, Attachments
from pet.workspace.images import LONGEST_SIDE, MAX_BYTES, thumbnail
from tests.support.clocks import StandingClock
from tests.support.photographs import drawn_over, of_several


class LaterClock:
    """The system's clock, some days on."""

    def __init__(self, days: float) -> None:
        self._ahead = timedelta(days=days)

    def now(self) -> datetime:
        return SystemClock().now() + self._ahead

    def monotonic(self) -> float:
        return SystemClock().monotonic()


def picture(kind: str = "PNG", size: tuple[int, int] = (40, 20), **how: object) -> bytes:
    out = io.BytesIO()
    Image.linear_gradient("L").resize(size).convert("RGB").save(out, kind, **how)
    return out.getvalue()


def noise(size: tuple[int, int], kind: str) -> bytes:
    out = io.BytesIO()
    Image.frombytes("RGB", size, os.urandom(size[0] * size[1] * 3)).save(out, kind)
    return out.getvalue()


def opened(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "momo"
    (folder / "conversations").mkdir(parents=True)
    return folder


@pytest.fixture
def attachments(root: Path) -> Attachments:
    return Attachments(root, SystemClock())


def problem(attachments: Attachments, content: bytes, name: str = "a") -> AttachmentRefused:
    with pytest.raises(AttachmentRefused) as refused:
        attachments.add(name, content)
    for language in LANGUAGES:
        said = Texts(language)(f"error.{refused.value.error_code}", **refused.value.args_)
        assert "{" not in said
    return refused.value


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP"])
def test_each_kind_of_picture_is_stored_once_under_the_hash_of_its_bytes(
    attachments: Attachments, root: Path, kind: str
) -> None:
    made = attachments.add("x.txt", picture(kind))
    assert (made.width, made.height, made.name) == (40, 20, "x.txt")
    assert made.kind == ("image/jpeg" if kind == "JPEG" else "image/png")
    assert attachments.add("again", picture(kind)).id == made.id
    assert os.listdir(root / "attachments") == [made.id]
    assert attachments.read(made.id) == (root / "attachments" / made.id).read_bytes()
    assert attachments.describe(made.id).name == "again"
    assert Attachments(root, SystemClock()).describe(made.id).width == 40


def test_a_picture_comes_out_upright_small_and_without_what_a_camera_notes(attachments: Attachments) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned
    exif[0x010F] = "CAMERA-OF-ANNA"
    made = attachments.add("photo.jpg", picture("JPEG", (4000, 2000), exif=exif, comment=b"AT-HOME"))
    data = attachments.read(made.id) or b""
    assert (made.width, made.height) == (LONGEST_SIDE // 2, LONGEST_SIDE)
    assert opened(data).size == (made.width, made.height)
    assert b"CAMERA-OF-ANNA" not in data
    assert b"AT-HOME" not in data
    assert made.bytes == len(data) <= MAX_BYTES


def test_what_shines_through_stays_so_and_what_would_be_heavy_becomes_a_photograph(attachments: Attachments) -> None:
    clear = io.BytesIO()
    Image.new("RGBA", (30, 30), (255, 0, 0, 0)).save(clear, "PNG")
    assert opened(attachments.read(attachments.add("clear", clear.getvalue()).id) or b"").mode == "RGBA"
    heavy = attachments.add("heavy", noise((1400, 1400), "PNG"))
    assert heavy.kind == "image/jpeg"
    assert heavy.bytes < 1_600_000


def test_of_a_moving_picture_the_first_is_taken(attachments: Attachments) -> None:
    out = io.BytesIO()
    frames = [Image.new("RGB", (8, 8), colour) for colour in ("red", "blue")]
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:])
    data = attachments.read(attachments.add("a.gif", out.getvalue()).id) or b""
    assert opened(data).convert("RGB").getpixel((4, 4)) == (255, 0, 0)


def bomb(width: int = 20_000, height: int = 20_000) -> bytes:
    """A picture of 400 million pixels in a few bytes: its header says so, and there is nothing behind."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def drawn_over_and_over(times: int, before_each: bytes = b"") -> bytes:
    return drawn_over(picture("JPEG", progressive=True), times, before_each)


def noted_wrongly() -> bytes:
    """A photograph to be turned, whose camera gave its resolution in letters."""
    turned = struct.pack("<HHIHxx", 0x0112, 3, 1, 6)
    resolution = struct.pack("<HHI4s", 0x011A, 2, 2, b"x")
    return picture("JPEG", exif=b"Exif\0\0II*\0\x08\0\0\0\x02\0" + turned + resolution + bytes(4))


def test_a_photograph_that_comes_in_by_passes_is_taken(attachments: Attachments) -> None:
    assert attachments.add("a.jpg", drawn_over_and_over(20)).kind == "image/jpeg"


def test_a_photograph_of_a_camera_with_two_lenses_is_taken(attachments: Attachments) -> None:
    content = of_several(picture("JPEG"))
    with Image.open(io.BytesIO(content)) as opened:
        assert opened.format == "MPO"
    assert attachments.add("a.jpg", content).kind == "image/jpeg"


def test_pictures_are_unpacked_one_after_the_other() -> None:
    """Decoded, one may take hundreds of megabytes, and a page may ask for thirty at once."""
    two = threading.Barrier(2)

    def unpack(_number: int) -> bool:
        with open_image(io.BytesIO(picture("PNG")), ("PNG",), 1_000_000):
            try:
                two.wait(0.1)
            except threading.BrokenBarrierError:  # nobody else came
                return False
            return True

    with ThreadPoolExecutor(3) as threads:
        assert list(threads.map(unpack, range(3))) == [False] * 3


def test_what_follows_a_photograph_in_its_file_is_none_of_its_passes(attachments: Attachments) -> None:
    assert attachments.add("a.jpg", picture("JPEG") + 1_000 * b"\xff\xda").kind == "image/jpeg"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (bomb(), "too_many_pixels"),
        (bomb(1, 49_000_000), "too_many_pixels"),
        (noted_wrongly(), "broken"),
        (drawn_over_and_over(500), "broken"),
        (of_several(drawn_over_and_over(500)), "broken"),
        (drawn_over_and_over(500, b"\xff\x01"), "broken"),  # a sign that stands alone and has no length
        (drawn_over_and_over(500, b"\xff\xd0\xff\x00\xff"), "broken"),
        (picture("PNG")[:60], "broken"),
        (picture("JPEG")[:100], "broken"),
        (b"\x89PNG\r\n\x1a\n", "broken"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "broken"),
        (bytes.fromhex("524946461a000000574542505650384c0e0000002f9e9be706071011fd0f4444ff03"), "too_many_pixels"),
        (b"\xff\xfe\x00", "unknown_kind"),
        ("ä".encode("latin-1"), "unknown_kind"),
        (b"a\0b", "unknown_kind"),
        (b" \n", "empty"),
        (b"", "empty"),
        (b"a" * (MAX_TEXT + 1), "text_too_large"),
        (b"a" * (MAX_FILE + 1), "too_large"),
    ],
)
def test_what_cannot_go_along_is_refused_with_a_sentence_and_leaves_nothing(
    attachments: Attachments, root: Path, content: bytes, why: str
) -> None:
    assert problem(attachments, content).problem == why
    assert not (root / "attachments").exists()


def test_a_text_file_is_kept_as_it_is(attachments: Attachments) -> None:
    made = attachments.add("notes.md", "\ufeff你好\r\nline".encode())
    assert (made.kind, made.width) == ("text/plain", 0)
    assert (attachments.read(made.id) or b"").decode() == "你好\r\nline"


@pytest.mark.parametrize("name", ["../SOUL.md", "", "a" * 63, "A" * 64, "0" * 64])
def test_only_ids_name_anything(attachments: Attachments, root: Path, name: str) -> None:
    (root / "SOUL.md").write_text("soul")
    assert attachments.read(name) is None
    with pytest.raises(AttachmentRefused):
        attachments.describe(name)


def test_bytes_that_are_not_what_was_sent_and_links_are_not_read(attachments: Attachments, root: Path) -> None:
    made = attachments.add("a", b"hello")
    file = root / "attachments" / made.id
    file.write_bytes(b"other")
    assert attachments.read(made.id) is None
    file.unlink()
    (root / "secret").write_bytes(b"hello")
    file.symlink_to(root / "secret")
    assert attachments.read(made.id) is None


def test_what_no_transcript_names_goes_after_a_day(root: Path) -> None:
    attachments = Attachments(root, SystemClock())
    named, alone = attachments.add("a", b"named").id, attachments.add("b", b"alone").id
    (root / "conversations" / "x.jsonl").write_text(f'{{"id":"{named}"}}\n')
    (root / "attachments" / "README").write_text("the owner's")
    # The file system's clock may be another than the system's.
    added = datetime.fromtimestamp((root / "attachments" / alone).stat().st_ctime, UTC)
    Attachments(root, StandingClock(added + timedelta(hours=23))).collect()
    assert attachments.read(alone)
    late = Attachments(root, StandingClock(added + timedelta(hours=25)))
    late.collect()
    assert late.read(named)
    assert not late.read(alone)
    assert (root / "attachments" / "README").exists()


def test_nothing_goes_while_a_transcript_cannot_be_read(root: Path) -> None:
    late = Attachments(root, LaterClock(3))
    made = late.add("a", b"alone").id
    (root / "conversations" / "x.jsonl").symlink_to(root / "nowhere")
    late.collect()
    assert late.read(made)


def test_a_deleted_conversations_attachments_go_but_for_those_that_others_name(root: Path) -> None:
    attachments = Attachments(root, SystemClock())
    own, shared = attachments.add("a", b"own").id, attachments.add("b", b"shared").id
    (root / "conversations" / "other.jsonl").write_text(f'{{"id":"{shared}"}}\n')
    attachments.release("gone", [own, shared, "../../SOUL.md"])
    assert attachments.read(own) is None
    assert attachments.read(shared)


def test_a_temporary_conversations_attachments_never_touch_the_disk(root: Path) -> None:
    attachments = Attachments(root, SystemClock())
    made = attachments.add("a.png", picture(), temporary="t")
    assert attachments.describe(made.id) == made
    assert not (root / "attachments").exists()
    attachments.release("t")
    assert attachments.read(made.id) is None


def test_what_a_temporary_conversation_has_can_be_sent_in_another_one_too(root: Path) -> None:
    attachments = Attachments(root, SystemClock())
    attachments.add("a.png", picture(), temporary="t")
    made = attachments.add("a.png", picture())
    attachments.release("t")
    assert attachments.describe(made.id) == made
    assert attachments.stored(made.id)


def test_a_thumbnail_is_small() -> None:
    small = thumbnail(picture("PNG", (1500, 500)), "a")
    assert (small.width, len(small.data) < 40_000) == (320, True)


@pytest.mark.parametrize(
    "name", ["MEMORY.sync-conflict-20260101-101010-ABCDEFG.md", "USER.md~", "#USER.md#", "memory/2026-01-01.md.bak"]
)
def test_a_copy_of_a_memory_file_beside_it_is_one_too(root: Path, name: str) -> None:
    kept = Attachments(root, SystemClock())
    (root / "memory").mkdir()
    (root / name).write_text("- likes tea\n", encoding="utf-8")
    (root / "notes.md").write_text("- mine\n", encoding="utf-8")
    copy, mine = kept.add("a.md", b"- likes tea\n"), kept.add("b.md", b"- mine\n")
    assert kept.gated([copy, mine]) == [copy]


MEMORY = (
    "# Memory\n\n- likes tea with milk in the morning 🫖\n- lives in Lisbon, near the river\n- 喜欢蓝色的桑给巴尔\n"
)


@pytest.mark.parametrize(
    "sent",
    [
        MEMORY.replace("\n", "\r\n"),
        MEMORY.rstrip("\n"),
        MEMORY.replace("\n", "  \n") + "\n\n",
        MEMORY.replace("\n\n", "\n").replace("- ", "  -\t"),
        MEMORY.replace(" in the", "\n  in the"),
        f"{MEMORY}- x\n",
        MEMORY.replace("# Memory\n\n", ""),
        "\n".join(reversed(MEMORY.splitlines())),
        "a long text of my own\n" * 40 + MEMORY,
        "Notes\n" + MEMORY.replace(" ", "\n").replace("\n\n", "\n"),
        MEMORY.replace(" ", "\n")[: len(MEMORY) * 2 // 3],
        MEMORY.replace(" ", "\u3000").replace("\n", "\u2028"),
        MEMORY.replace("e", "e\u200b").replace("\n", "\x0b"),
        "My own words.\n" * 30 + " ".join(MEMORY.split()) + "\nand more of mine\n",
        " ".join(MEMORY.replace(" ", "")),
        "".join(f"> {line}\n" for line in MEMORY.splitlines()),
        "<br>".join(MEMORY.split()),
        MEMORY.replace("- ", "\u2022 "),
        MEMORY.replace("- ", ""),
        "\n".join(f"{number}. {line[2:]}" for number, line in enumerate(MEMORY.splitlines())),
        "\n".join(f"| {number} | {line[2:]} | 12:30 |" for number, line in enumerate(MEMORY.splitlines())),
        json.dumps({"text": MEMORY}),
        "\n".join(json.dumps({"text": line}, ensure_ascii=False) for line in MEMORY.splitlines()),
        "<ul>" + "".join(f"<li>{line[2:]}</li>\n" for line in MEMORY.splitlines()) + "</ul>",
    ],
)
@pytest.mark.parametrize("kept", ["now", "before", "copy"])
def test_a_memory_file_in_other_lines_and_spaces_is_one_too(root: Path, sent: str, kept: str) -> None:
    attachments = Attachments(root, SystemClock())
    data = MEMORY.encode()
    if kept == "before":
        version = hashlib.sha256(data).hexdigest()
        (root / ".history" / "objects").mkdir(parents=True)
        (root / ".history" / "objects" / version).write_bytes(data)
        (root / ".history" / "MEMORY.md.jsonl").write_text(f'{{"after":"{version}"}}\n')
    else:
        (root / ("MEMORY.md" if kept == "now" else "MEMORY (2).md")).write_bytes(data)
    made = attachments.add("a.md", sent.encode())
    assert attachments.gated([made]) == [made]
    assert attachments.gated([made]) == [made]


NOTES = """# Memory

- Works as a violin maker in Cremona (2026-01-12)
- Sister Amara teaches geography in Nairobi (2026-02-03)
- Allergic to walnuts and shellfish (2026-02-11)
- Plans to walk the Camino in September (2026-03-30)
- Prefers short replies without headings (2026-04-02)
- Prepares for an examination in thermodynamics (2026-04-19)
"""
LINES = [line.removeprefix("- ") for line in NOTES.splitlines()[2:]]
CHINESE = (
    "# 记忆\n\n- 在苏州的一家丝绸博物馆当讲解员\n- 每个星期三晚上学拉二胡\n- 对花生和芒果过敏\n"
    "- 打算秋天去敦煌看壁画\n"
)


def shuffled(text: str, seed: int = 3) -> str:
    words = text.split()
    Random(seed).shuffle(words)
    return " ".join(words)


@pytest.mark.parametrize(
    ("memory", "sent"),
    [
        (NOTES, shuffled(NOTES)),
        (NOTES, textwrap.fill(shuffled(NOTES), 30)),
        (NOTES, "\n".join(sorted(NOTES.split()))),
        (NOTES, "\n".join(f"- {' '.join(reversed(line.split()))}" for line in LINES)),
        (NOTES, textwrap.fill("; ".join(line[: line.index(" (")] for line in reversed(LINES)), 40)),
        (NOTES, "\n".join(f"2026: {line[: line.index(' (')].upper()}!" for line in reversed(LINES[1:]))),
        (NOTES, f"{'A letter of my own about other matters. ' * 20}{shuffled(NOTES)}{' And so it ends.' * 20}"),
        (NOTES, "\n\n".join(f"{shuffled(line)}\nA remark of my own." for line in LINES)),
        (
            CHINESE,
            "过敏：花生和芒果。打算去敦煌看壁画（秋天）。学拉二胡，每个星期三晚上。讲解员，在苏州的一家丝绸博物馆。",
        ),
    ],
)
def test_the_words_of_a_memory_file_in_another_order_are_one_too(root: Path, memory: str, sent: str) -> None:
    attachments = Attachments(root, SystemClock())
    (root / "MEMORY.md").write_text(memory, encoding="utf-8")
    made = attachments.add("a.md", sent.encode())
    assert attachments.gated([made]) == [made]


@pytest.mark.parametrize(
    "sent",
    [
        shuffled(" ".join(LINES[:3])),
        "The violin makers of Cremona work without headings; in September they walk to Nairobi with my sister.\n" * 9,
        " ".join(f"{word} {'and something else entirely ' * 8}" for word in NOTES.split()),
        f"{'A long text of its own. ' * 900}{shuffled(NOTES)}",  # too long to be looked through for words
    ],
)
def test_a_file_with_some_words_of_a_memory_file_is_none(root: Path, sent: str) -> None:
    attachments = Attachments(root, SystemClock())
    (root / "MEMORY.md").write_text(NOTES, encoding="utf-8")
    assert attachments.gated([attachments.add("a.md", sent.encode())]) == []


def test_a_memory_file_read_in_another_encoding_is_one_too(root: Path) -> None:
    """Its Chinese lines were taken for Korean, and all others went out."""
    attachments = Attachments(root, SystemClock())
    text = "# About\n\n- Training for a marathon (2026-03-02)\n- Likes tea\n- Lives in Oslo (2026-03-02)\n"
    text += "- 喜欢金丝雀茶\n"
    (root / "USER.md").write_text(text, encoding="utf-8")
    made = attachments.add_file("m.txt", text.encode("gb18030"))
    assert attachments.gated(made) == made


@pytest.mark.parametrize(
    "sent",
    [
        "# Memory\n\n- of mine\n",
        "- likes tea\n",
        "- lives in Lisbon, near the river, too\n",
        f"{'A long text of its own. ' * 900}She lives in Lisbon, near the river, and likes tea.\n",
    ],
)
def test_a_file_with_little_of_a_memory_file_is_none(root: Path, sent: str) -> None:
    attachments = Attachments(root, SystemClock())
    (root / "MEMORY.md").write_text(MEMORY, encoding="utf-8")
    (root / "USER.md").write_text("- likes\n", encoding="utf-8")
    made = attachments.add("a.md", sent.encode())
    assert attachments.gated([made]) == []
    assert attachments.gated([made]) == []
