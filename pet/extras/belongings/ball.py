"""A ball that is kicked or thrown: it flies, bounces, rolls and comes to rest. Pure; pixels and milliseconds."""

from __future__ import annotations

import math

STEP_MS = 32
_GRAVITY = 0.0026
_BOUNCES, _ROLLS, _STILL = 0.56, 0.972, 0.03
_FASTEST = 1.8


class Ball:
    """``x``, ``y``: of its upper left corner; ``turn``: degrees."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.x = self.y = self.turn = 0.0
        self._vx = self._vy = 0.0

    def kick(self, vx: float, vy: float) -> None:
        """Give it a speed, in pixels per millisecond."""
        share = min(1.0, _FASTEST / (math.hypot(vx, vy) or 1))
        self._vx, self._vy = vx * share, vy * share

    def step(self, left: float, right: float, floor: float) -> bool:
        """Move for one step between two walls and above the floor; return whether it still moves."""
        self._vy += _GRAVITY * STEP_MS
        self.x += self._vx * STEP_MS
        self.y += self._vy * STEP_MS
        self.turn += math.degrees(self._vx * STEP_MS / (self.size / 2))
        most = right - self.size
        if not left <= self.x <= most:
            self.x = min(max(self.x, left), most)
            self._vx *= -_BOUNCES
        ground = floor - self.size
        if self.y >= ground:
            self.y = ground
            self._vy *= -_BOUNCES
            self._vx *= _ROLLS
            if abs(self._vy) < _GRAVITY * STEP_MS * 2:
                self._vy = 0.0
                return abs(self._vx) > _STILL
        return True
