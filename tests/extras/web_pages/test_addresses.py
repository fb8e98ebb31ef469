"""Which addresses count as named by the owner, exactly as they are fetched."""

from __future__ import annotations

import pytest

from pet.extras.web_pages.tool import PageRefused, named_addresses, page_address


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("what does https://example.org/a?b=c#d say", "https://example.org/a?b=c"),
        ("see (https://example.org/a).", "https://example.org/a"),
        ("http://example.org", "http://example.org/"),
        ("HTTPS://Example.ORG/A", "https://example.org/A"),
        ("look at www.example.org/a, please", "https://www.example.org/a"),
        ("example.org!", "https://example.org/"),
        ("看看https://example.org/a，谢谢", "https://example.org/a"),
        ("读一下https://example.org/a这个网页", "https://example.org/a"),
        ("读一下example.org", "https://example.org/"),
        ("https://zh.wikipedia.org/wiki/茶", "https://zh.wikipedia.org/wiki/%E8%8C%B6"),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
        ("[text](https://example.org/a_b)", "https://example.org/a_b"),
        ("https://example.org:8443/a", "https://example.org:8443/a"),
        ("mira «https://example.org/niño»", "https://example.org/ni%C3%B1o"),
    ],
)
def test_an_address_in_the_message_is_named(text: str, address: str) -> None:
    assert address in named_addresses([text])


@pytest.mark.parametrize(
    ("text", "made_up"),
    [
        ("https://example.org/a", "https://example.org/a?q=tea"),
        ("https://example.org/a", "https://example.org/"),
        ("https://example.org/a", "https://example.org/a/b"),
        ("https://example.org/a", "http://example.org/a"),
        ("https://example.org/a", "https://tea.example.org/a"),
        ("https://example.org/a?x=1", "https://example.org/a"),
        ("mail ann@example.org", "https://example.org/"),
        ("hello", "https://example.org/"),
    ],
)
def test_any_other_address_is_not(text: str, made_up: str) -> None:
    assert page_address(made_up).url not in named_addresses([text])


@pytest.mark.parametrize(
    "text",
    ["", "file:///etc/passwd", "ftp://example.org/", "https://user:pass@example.org/", "https://a b.org", "//x"],
)
def test_what_is_no_web_address_is_refused(text: str) -> None:
    with pytest.raises(PageRefused):
        page_address(text)


@pytest.mark.parametrize("text", ["a." * 500_000, "a" * 1_000_000, "https://" + "x" * 1_000_000, "a.b@" * 250_000])
def test_a_long_message_is_read_in_time(text: str) -> None:
    assert len(named_addresses([text])) < 10  # the limit of a test ends what would be quadratic
