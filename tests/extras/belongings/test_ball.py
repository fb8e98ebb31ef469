"""The ball flies, bounces, rolls and comes to rest, between the walls and above the floor."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.extras.belongings.ball import Ball

WALLS = 0.0, 1280.0
FLOOR = 760.0


def rolled(ball: Ball, most: int = 2_000) -> list[tuple[float, float]]:
    way: list[tuple[float, float]] = []
    while len(way) < most:
        moves = ball.step(*WALLS, FLOOR)
        way.append((ball.x, ball.y))
        if not moves:
            break
    return way


def lying() -> Ball:
    ball = Ball(48)
    ball.x, ball.y = 600, FLOOR - 48
    return ball


def test_kicked_it_flies_bounces_lower_and_lower_and_rolls_out() -> None:
    ball = lying()
    ball.kick(0.75, -0.55)
    way = rolled(ball)
    heights = [FLOOR - 48 - y for _x, y in way]
    assert max(heights) > 30
    assert heights[-1] == 0
    assert way[-1][0] > 800
    assert len(way) * 32 < 8_000
    assert ball.turn > 90


@given(st.floats(-50, 50), st.floats(-50, 50), st.floats(0, 1232), st.floats(-100, 712))
def test_however_it_is_thrown_it_stays_between_the_walls_and_comes_to_rest(
    vx: float, vy: float, x: float, y: float
) -> None:
    ball = lying()
    ball.x, ball.y = x, y
    ball.kick(vx, vy)
    way = rolled(ball)
    assert len(way) < 2_000
    assert all(0 <= each <= 1280 - 48 and height <= FLOOR - 48 for each, height in way)
    assert way[-1][1] == pytest.approx(FLOOR - 48)
