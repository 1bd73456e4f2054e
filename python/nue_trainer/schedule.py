"""Learning rates over a run."""

from __future__ import annotations

import math

NAMES = ("exponential", "cosine", "constant")


def rate(name: str, start: float, end: float, progress: float) -> float:
    """The learning rate after that share of the run, from 0 to 1."""
    share = min(max(progress, 0.0), 1.0)
    if name == "constant":
        return start
    if name == "cosine":
        return end + (start - end) * (1 + math.cos(math.pi * share)) / 2
    return float(start * (end / start) ** share)
