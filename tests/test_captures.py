"""The page of captures is reproducible and complete."""

from __future__ import annotations

from tests.captures import CAPTURES, PAGE, page


def test_page_of_captures_is_made_from_real_requests() -> None:
    made = page()
    for capture in CAPTURES:
        assert f"## {capture.title}\n" in made
    assert "POST /v1/messages" in made and "POST /v1/chat/completions" in made
    assert "POST /v1/responses" in made and "\nstore: false\n" in made and "reasoning.encrypted_content" in made
    assert "authorization: Bearer …" in made
    assert "\nresponse_format: " in made  # the bound question
    shape = [line for line in made.splitlines() if line.startswith(("#", "POST"))]
    assert shape == [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith(("#", "POST"))]
