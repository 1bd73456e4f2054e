"""Random subspaces (after Ho 1998): of each batch only a share of the rows may learn."""

from __future__ import annotations

import torch

from .model import Net


class Subspace:
    """Draws for every batch which rows of the first layer take its gradient.

    Rows that are not drawn learn nothing from the batch: their gradient is zero. What the optimiser
    remembers of earlier batches goes on moving them. The draw follows from the seed and the number of the
    batch alone, so that a resumed run draws the same.
    """

    def __init__(self, net: Net, percent: int, seed: int) -> None:
        self.share = percent / 100
        self.seed = seed
        self.parts = [net.rows, *([net.pieces, net.groups] if net.factors else [])]
        self.lot = torch.Generator(device=net.rows.device)

    def draw(self, step: int) -> None:
        """Takes the gradient from the rows that are not drawn for this batch."""
        if self.share >= 1:
            return
        self.lot.manual_seed(self.seed * 1_000_003 + step)
        for part in self.parts:
            assert part.grad is not None
            drawn = torch.rand(len(part), 1, generator=self.lot, device=part.device)
            part.grad.mul_(drawn < self.share)
