"""How large a request is, and how large it may be."""

from __future__ import annotations

from pet.engine.token_budget import TokenEstimator, request_tokens
from pet.errors import ProviderFault
from pet.model import Message, Request, SystemBlock, TextPart, ToolSpec, Usage


def request(text: str = "word " * 700) -> Request:
    return Request(
        model="m",
        max_tokens=100,
        system=(SystemBlock(text="You are a pet."),),
        tools=(ToolSpec(name="read", description="Read a file.", schema={"type": "object"}),),
        messages=(Message(role="user", parts=(TextPart(text=text),)),),
    )


def test_the_window_is_what_is_known_of_it() -> None:
    assert TokenEstimator().window(0) == 32_000
    assert TokenEstimator().window(200_000) == 200_000


def test_a_servers_count_corrects_the_estimate_and_an_odd_one_does_not() -> None:
    sizes, sent = TokenEstimator(), request()
    own = request_tokens(sent)
    sizes.counted(sent, Usage(input_tokens=own // 2, cache_read_tokens=own))
    assert sizes.ratio == (own // 2 + own) / own
    sizes.counted(sent, Usage(input_tokens=10))
    assert sizes.ratio > 1.4
    sizes.counted(sent, Usage(input_tokens=own * 50))
    assert sizes.ratio == 3.0


def test_a_refusal_teaches_the_window_it_names() -> None:
    sizes, sent = TokenEstimator(), request("word " * 7_000)
    message = "the request exceeds the available context size (4096 tokens)"
    sizes.refused(sent, ProviderFault("window_exceeded", message=message))
    assert sizes.window(200_000) == 4_096


def test_a_refusal_without_a_number_or_with_another_kind_of_number_makes_the_window_smaller_than_what_was_sent() -> (
    None
):
    for message in ("", "too long (request 98123456)", "error 400: at most 10 pictures"):
        sizes, sent = TokenEstimator(), request("word " * 7_000)
        sizes.refused(sent, ProviderFault("window_exceeded", message=message))
        assert 0.8 * sizes.tokens(sent) < sizes.window(0) < sizes.tokens(sent)
