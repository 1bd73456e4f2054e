"""What is learned: the move, and the probability of winning.

Policy: cross-entropy to the move played, or to the visits of a tree search where they are known.
Value: cross-entropy to m = lambda * sigmoid(score / scale) + (1 - lambda) * result, as in
`nue_trainer.objective`. With `reinforce` r the cross-entropy to the move counts 1 + r * (result -
sigmoid(score / scale)) times: REINFORCE with the search's judgement as baseline.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch.nn import functional

from ..stream import labels as known_labels
from .nets import Answer
from .planes import Rows

# Sums that `measure` gives: policy loss, moves, moves found; value loss, loss to scores, loss to
# results, known results, results told right, decided results; positions.
SUMS = 10


@dataclass(frozen=True)
class DeepObjective:
    """The mixture."""

    blend: float
    """Weight of the score against the result: the lambda of the literature."""
    scale: float
    """The score at which a win is e times as probable as a loss."""
    value_weight: float = 1.0
    reinforce: float = 0.0

    def measure(self, answer: Answer, rows: Rows) -> tuple[torch.Tensor, torch.Tensor]:
        """The mean loss, and sums."""
        policy, value = answer
        taught = known_labels(rows.score, rows.result)
        by_score = torch.sigmoid(taught.score / self.scale)

        label = rows.label.long()
        has_move = label >= 0
        logs = functional.log_softmax(policy, dim=1)
        chosen = label.clamp(min=0)
        entropy = -logs.gather(1, chosen.unsqueeze(1)).squeeze(1)
        learned = entropy
        if rows.visited.shape[1]:
            learned = self._to_visits(logs, rows, entropy)
            has_move = has_move | (rows.visited[:, 0] >= 0)
        there = has_move.to(torch.float32)
        weight = there
        if self.reinforce:
            gain = taught.known * (taught.result - by_score)
            weight = there * (1 + self.reinforce * gain)
        moves = there.sum().clamp(min=1)
        policy_loss = (learned * weight).sum() / moves

        blend = 1 - taught.known * (1 - self.blend)
        target = blend * by_score + (1 - blend) * taught.result
        base = functional.softplus(value)
        each = base - target * value
        loss = policy_loss + self.value_weight * each.mean()
        with torch.no_grad():
            found = ((policy.argmax(dim=1) == label) & (label >= 0)).to(torch.float32)
            decided = taught.known * (taught.result != 0.5)
            right = ((value > 0) == (taught.result > 0.5)).to(torch.float32) * decided
            by_result = (base - taught.result * value) * taught.known
            columns = [
                learned * there,
                there,
                found,
                each,
                base - by_score * value,
                by_result,
                taught.known,
                right,
                decided,
                torch.ones_like(value),
            ]
            sums = torch.stack(columns).to(torch.float64).sum(dim=1)
        return loss, sums

    @staticmethod
    def _to_visits(logs: torch.Tensor, rows: Rows, entropy: torch.Tensor) -> torch.Tensor:
        """Cross-entropy to the visits, or to the move where there are none."""
        times = (rows.times.to(torch.int32) & 0xFFFF).to(torch.float32)
        total = times.sum(dim=1)
        share = times / total.clamp(min=1).unsqueeze(1)
        spread = logs.gather(1, rows.visited.long().clamp(min=0))
        return torch.where(total > 0, -(share * spread).sum(dim=1), entropy)


@dataclass(frozen=True)
class DeepLosses:
    """Means over positions."""

    policy: float
    policy_accuracy: float
    value: float
    score: float
    result: float
    value_accuracy: float
    positions: int

    @staticmethod
    def of(sums: torch.Tensor) -> DeepLosses:
        """Means from the sums of `DeepObjective.measure`."""
        policy, moves, found, value, score, result, known, right, decided, count = sums.tolist()
        moves, known, decided = max(moves, 1.0), max(known, 1.0), max(decided, 1.0)
        by = max(count, 1.0)
        return DeepLosses(
            policy / moves,
            found / moves,
            value / by,
            score / by,
            result / known,
            right / decided,
            int(count),
        )

    @property
    def total(self) -> float:
        """Policy and value together."""
        return self.policy + self.value

    def as_dict(self, prefix: str = "") -> dict[str, float]:
        """For logs."""
        return {
            f"{prefix}policy_loss": round(self.policy, 6),
            f"{prefix}policy_accuracy": round(self.policy_accuracy, 6),
            f"{prefix}value_loss": round(self.value, 6),
            f"{prefix}score_loss": round(self.score, 6),
            f"{prefix}result_loss": round(self.result, 6),
            f"{prefix}value_accuracy": round(self.value_accuracy, 6),
        }
