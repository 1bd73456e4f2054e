"""What is learned: the probability of winning, as a mixture of scores and results.

With p = sigmoid(value / scale) the loss is the cross-entropy of p to
m = lambda * sigmoid(score / scale) + (1 - lambda) * result. Where nobody knows the result, the
score teaches alone. The same as in the engine's own trainer (crate `trainer`).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn import functional

from .stream import Labels


@dataclass(frozen=True)
class Objective:
    """The mixture."""

    blend: float
    """Weight of the score against the result: the lambda of the literature."""
    scale: float
    """The value at which a win is e times as probable as a loss."""

    def measure(self, value: torch.Tensor, labels: Labels) -> tuple[torch.Tensor, torch.Tensor]:
        """The mean loss, and sums: total, score, result, floor, positions, known results."""
        x = torch.div(value, self.scale)
        by_score = torch.sigmoid(torch.div(labels.score, self.scale))
        blend = torch.sub(1, labels.known * (1 - self.blend))
        target = blend * by_score + (1 - blend) * labels.result
        base = functional.softplus(x)
        total = base - target * x
        with torch.no_grad():
            result = (base - labels.result * x) * labels.known
            floor = -(torch.xlogy(target, target) + torch.xlogy(1 - target, 1 - target))
            count = torch.ones_like(x)
            columns = [total, base - by_score * x, result, floor, count, labels.known]
            sums = torch.stack([column.detach().to(torch.float64).sum() for column in columns])
        return total.mean(), sums


@dataclass(frozen=True)
class Losses:
    """Means over positions."""

    total: float
    score: float
    result: float
    floor: float
    positions: int

    @staticmethod
    def of(sums: torch.Tensor) -> Losses:
        """Means from the sums of `Objective.measure`."""
        total, score, result, floor, count, known = sums.tolist()
        by, by_known = max(count, 1.0), max(known, 1.0)
        return Losses(total / by, score / by, result / by_known, floor / by, int(count))

    def as_dict(self, prefix: str = "") -> dict[str, float]:
        """For logs."""
        return {
            f"{prefix}loss": self.total,
            f"{prefix}score_loss": self.score,
            f"{prefix}result_loss": self.result,
            f"{prefix}floor": self.floor,
        }
