"""The chat in the real window where it gets hard: a pasted megabyte, replies nobody saw, right-to-left and emoji."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Playwright, expect

from pet.i18n import Texts
from tests.providers.test_limits import STREAM, Endless, delta
from tests.support.desktop.xvfb import PATIENCE, Desktop, wait_for
from tests.support.pet_windows.windows import Chat, talking, workspace
from tests.support.servers.protocol_replies import Hold, error, stream
from tests.support.servers.protocol_server import ProtocolServer

pytestmark = pytest.mark.window

T = Texts("en")
PASTE = """(text) => {
    const data = new DataTransfer();
    data.setData('text/plain', text);
    document.activeElement.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
}"""


def tab(chat: Chat, place: int) -> Locator:
    return chat.page.get_by_role("tab").nth(place)


CODE = """```html
<!-- a <b>comment</b> -->
<script>let a = 1;</script>
```

```svg
<svg viewBox="0 0 8 8"><path d="M0 0"/></svg>
```

```js
const view = <Tag>text</Tag>; // <!-- here -->
```
"""
NESTED = (
    f"{'>' * 1000} heart\n\n{'- ' * 700}heart\n\n{'*' * 3000}heart{'*' * 3000}\n\n${'a^{' * 700}heart{'}' * 700}$"
)


def until_kept(home: Path) -> None:
    """The conversation's tab is there again after a restart."""
    (talk,) = (workspace(home) / "conversations").glob("*.jsonl")
    tabs = home / "state" / "tabs.json"
    wait_for("its tab is kept", lambda: tabs.exists() and talk.stem in tabs.read_text(encoding="utf-8"))


@pytest.mark.nightly
def test_code_of_markup_and_nested_markdown_leave_the_chat_working(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    with ProtocolServer() as server:
        server.queue(stream(CODE), stream(NESTED), stream("Still **here**."))
        with talking(desktop, home, server, playwright) as chat:
            chat.send("Show me some code")
            code = chat.page.locator("figure.code code")
            expect(code).to_have_count(3)
            chat.until_it_listens()
            whole = "<!-- a <b>comment</b> -->\n<script>let a = 1;</script>"
            wait_for("the first of them", lambda: code.first.text_content() == whole)
            expect(chat.page.locator(".hl-comment").first).to_have_text("<!-- a <b>comment</b> -->")
            last = "const view = <Tag>text</Tag>; // <!-- here -->"
            wait_for("the last of them", lambda: code.last.text_content() == last)
            chat.send("And now go deep")
            expect(chat.said.last).to_contain_text("heart")
            chat.until_it_listens()
            chat.shot(shots / "nested.png")
            until_kept(home)
            assert chat.running.stop() == 0
        with talking(desktop, home, server, playwright) as chat:
            expect(chat.said.last).to_contain_text("heart")
            chat.send("Are you there?")
            expect(chat.said.last).to_have_text("Still here.")


@pytest.mark.nightly
def test_a_pasted_megabyte_and_what_is_typed_after_it_are_kept_and_searched(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    text = "".join(f"row {number}\n" for number in range(110_000))
    assert len(text) > 1_000_000
    with ProtocolServer() as server:
        server.queue(stream("A long list."))
        with talking(desktop, home, server, playwright) as chat:
            chat.composer.focus()
            chat.page.evaluate(PASTE, text)
            expect(chat.page.locator(".tray")).to_contain_text(T("ui.attach.pasted"))
            expect(chat.page.locator(".tray .coming")).to_have_count(0)
            expect(chat.page.locator(".tray .pages")).to_be_visible()  # it says how much of it fits
            desktop.type("what is in row 777?")
            expect(chat.composer).to_have_value("what is in row 777?")
            chat.shot(shots / "pasted-megabyte.png")
            # Also after a restart nothing of it is lost.
            tabs = home / "state" / "tabs.json"
            wait_for("the draft to be kept", lambda: tabs.exists() and "in row 777?" in tabs.read_text())
            assert chat.running.stop() == 0
        with talking(desktop, home, server, playwright) as chat:
            expect(chat.composer).to_have_value("what is in row 777?")
            expect(chat.page.locator(".tray")).to_contain_text(T("ui.attach.pasted"))
            chat.composer.press("Enter")
            expect(chat.said.last).to_contain_text("A long list.")
            parts = server.messages[-1].json["messages"][-1]["content"]
            sent = "".join(part.get("text", "") for part in parts)
            assert "row 777\n" in sent
            assert sent.endswith("what is in row 777?")
            expect(chat.page.locator(".tray")).to_have_count(0)
            chat.composer.focus()
            chat.page.evaluate(PASTE, "x" * (2 * 1024 * 1024 + 1))
            expect(chat.page.locator(".notice")).to_contain_text(T("error.attachment_paste_too_large", limit=2))


def test_what_nobody_saw_is_marked_until_it_is_also_over_a_restart(
    desktop: Desktop, home: Path, playwright: Playwright, shots: Path
) -> None:
    state = home / "state" / "state.json"
    with ProtocolServer() as server:
        server.queue(stream("First ", Hold("one"), "reply."), error(400, "bad", "invalid_request_error"))
        with talking(desktop, home, server, playwright) as chat:
            chat.send("Tell me something")
            server.reached("one")
            chat.page.keyboard.press("Control+t")
            expect(tab(chat, 1)).to_have_attribute("aria-selected", "true")
            server.release("one")
            expect(tab(chat, 0)).to_contain_text(T("ui.tabs.unread"))
            expect(tab(chat, 1)).not_to_contain_text(T("ui.tabs.unread"))
            chat.shot(shots / "unread.png")
            tab(chat, 0).click()
            expect(tab(chat, 0)).not_to_contain_text(T("ui.tabs.unread"))
            expect(chat.said.last).to_contain_text("First reply.")
            chat.until_it_listens()
            chat.page.get_by_role("button", name=T("ui.view.settings")).first.click()
            expect(chat.page.locator("main.settings")).to_be_visible()
            page = chat.page  # the settings cover the chat: a failure that comes now was not seen
            page.evaluate(
                """async () => {
                    const state = JSON.parse(await window.pywebview.api.invoke('get_app_state', '{}')).value;
                    const args = { conversation: state.tabs[0].conversation, text: 'and now?' };
                    await window.pywebview.api.invoke('send_message', JSON.stringify(args));
                }"""
            )
            expect(tab(chat, 0)).to_contain_text(T("ui.tabs.unread"))
            wait_for("it to be known", lambda: len(unread_in(state)) == 1)
            assert chat.running.stop() == 0
        assert len(unread_in(state)) == 1
        with talking(desktop, home, server, playwright) as chat:
            # The chat comes with it in front: seen.
            expect(tab(chat, 0)).not_to_contain_text(T("ui.tabs.unread"))
            wait_for("it to be seen", lambda: unread_in(state) == [])


def unread_in(state: Path) -> list[str]:
    """What the program would know after a restart."""
    found = json.loads(state.read_text())
    return [each for name, value in found.items() if name.startswith("unread.") for each in value]


@pytest.mark.nightly
def test_right_to_left_and_emoji_read_well(desktop: Desktop, home: Path, playwright: Playwright, shots: Path) -> None:
    arabic = "مرحبا! كيف حالك اليوم؟"
    reply = (
        "أهلاً! أنا بخير.\n\n- تفاح 🍎\n- 3 كتب (PDF)\n\nשלום, זה **מודגש** ו-`code()` כאן.\n\n"
        "English again, with עברית inside."
    )
    with ProtocolServer() as server:
        server.queue(stream(reply), stream("🎉🎉"))
        with talking(desktop, home, server, playwright) as chat:
            chat.send(arabic)
            expect(chat.said.last).to_contain_text("English again")
            bubble = chat.page.locator(".owner .bubble").last
            edges = """(element) => {
                const range = document.createRange();
                range.selectNodeContents(element);
                const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
                return [text.left - box.left, box.right - text.right];
            }"""
            chat.until_it_listens()
            expect(chat.said.last.locator("p")).to_have_count(3)
            first, *_, last = chat.said.last.locator("p").all()
            left, right = first.evaluate(edges)
            assert right < 1 < left  # it begins at the right edge
            left, right = last.evaluate(edges)
            assert left < 1
            expect(bubble).to_have_text(arabic)
            expect(chat.page.locator(".tab .title").first).to_have_css("direction", "rtl")
            expect(chat.said.last.locator("ul")).to_have_css("direction", "rtl")
            chat.shot(shots / "right-to-left.png")
            chat.page.keyboard.press("Control+t")
            expect(chat.said).to_have_count(0)
            chat.send("🐶🌈")
            expect(chat.said.last).to_contain_text("🎉🎉")
            expect(chat.page.locator(".tab .title").last).to_have_text("🐶🌈")
            chat.composer.fill("ערב טוב")
            expect(chat.composer).to_have_css("direction", "rtl")
            chat.shot(shots / "emoji.png")


@pytest.mark.parametrize(
    "text",
    [
        "word ",
        pytest.param("- word\n", marks=pytest.mark.nightly),
        pytest.param("word " * 200, marks=pytest.mark.nightly),
    ],
    ids=["words", "list", "long pieces"],
)
def test_stop_ends_a_reply_without_an_end(desktop: Desktop, home: Path, playwright: Playwright, text: str) -> None:
    """At 500 events a second a limit would end it after a quarter of an hour."""
    with (
        Endless(STREAM, delta(text, "messages"), each=0.002) as endless,
        ProtocolServer() as server,
        talking(desktop, home, server, playwright, environ={"ANTHROPIC_BASE_URL": endless.url}) as chat,
    ):
        chat.composer.fill("Go on for ever")
        chat.composer.press("Enter")
        expect(chat.said.last).to_contain_text("word")
        chat.page.get_by_role("button", name=T("ui.stop")).click()
        expect(chat.page.locator(".turn.last .pet-reply[aria-busy=false]")).to_have_count(1)
        assert endless.hung_up.wait(PATIENCE)
        (said,) = (home / "data" / "pets").glob("*/conversations/*.jsonl")
        wait_for("the end", lambda: '"end":"stopped"' in said.read_text(encoding="utf-8").replace(" ", ""))
