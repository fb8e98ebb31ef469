"""Which links may leave for the browser."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.bridge.reply_links import check_link
from pet.errors import LinkRefused


@pytest.mark.parametrize(
    "url",
    [
        "https://example.org",
        "http://example.org:8080/a/b?c=d&e=%20f#g",
        "HTTPS://Example.ORG/",
        "https://例子.测试/路径?q=宠物",
        "http://[::1]:11434/",
        "https://example.org/javascript:alert(1)",
        "mailto:owner@example.org",
        "mailto:owner@example.org?subject=Hello&body=line%0D%0Aline",
    ],
)
def test_web_and_mail_addresses_pass_unchanged(url: str) -> None:
    assert check_link(url) == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "/etc/passwd",
        "//example.org/",
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        " javascript:alert(1)",
        "java\tscript:alert(1)",
        "\x01https://example.org",
        "data:text/html,<script>alert(1)</script>",
        "file:///etc/passwd",
        "ftp://example.org",
        "vbscript:x",
        "blob:https://example.org/1",
        "view-source:https://example.org",
        "about:blank",
        "smb://host/share",
        "ms-settings:privacy",
        "soulpet://quit",
        "https:",
        "https://",
        "https:/example.org",
        "https:example.org",
        "https:///path",
        "https://owner:password@example.org",
        "https://example.com@example.org",
        "https://@example.org",
        "https://example.org:port/",
        "https://example.org:99999/",
        "https://[::1",
        "https://example.org/a b",
        "https://example.org/\n",
        "https://example.org/\u202egpj.exe",
        "https://exam\u200bple.org/",
        "https://example.org/\U000e0065\U000e0076",
        "https://exam\u3164ple.org/\u034f",
        "https://example.org\\@example.com",
        "mailto://example.org/x",
        "mailto:a@example.org?attach=/etc/passwd",
        "mailto:a@example.org?subject=x%0D%0ABcc:b@example.org",
        "mailto:a@example.org%0ABcc:b@example.org",
        "https://example.org/" + "a" * 8000,
    ],
)
def test_everything_else_is_refused(url: str) -> None:
    with pytest.raises(LinkRefused):
        check_link(url)


@given(st.text())
def test_any_text_passes_unchanged_or_is_refused(url: str) -> None:
    try:
        assert check_link(url) == url
    except LinkRefused:
        return
    assert url.lower().startswith(("http://", "https://", "mailto:"))
