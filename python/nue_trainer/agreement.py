"""How often a net would play what was played, without any search: as `nue train` measures it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from .model import Net
from .settings import Settings
from .stream import Batch, read_all
from .supply import order

# Positions of a batch, at least: all moves of a position must fit.
SMALLEST_BATCH = 1024


@dataclass(frozen=True)
class Choices:
    """Positions after every move of some positions."""

    batches: tuple[Batch, ...]

    @staticmethod
    def read(settings: Settings, device: torch.device) -> Choices:
        """About as many of the validation files as the settings say."""
        if not settings.validation or not settings.agreement:
            return Choices(())
        asked = replace(
            order(settings, 0),
            files=settings.validation,
            epochs=1,
            batch=max(settings.batch, SMALLEST_BATCH),
            mirror=False,
            options=("--choices", str(settings.agreement)),
        )
        return Choices(tuple(read_all(asked, device)))

    @torch.no_grad()
    def agreement(self, net: Net) -> float | None:
        """The share of positions in which the net chooses the move played."""
        agreed = positions = 0
        for batch in self.batches:
            labels = batch.labels()
            number = labels.score.to(torch.int64)
            played = labels.result == 1
            values = net(batch.indices()).view(-1)
            # A row for each position, whose first move has number 0; no move, no value.
            row = torch.cumsum(number == 0, 0) - 1
            count, most = int(row[-1]) + 1, int(number.max()) + 1
            table = torch.full((count, most), float("inf"), device=values.device)
            table[row, number] = values
            # Values are for the opponent, who moves next; of equal ones the first counts.
            least = table.min(1, keepdim=True).values
            order_of = torch.arange(most, device=values.device).expand(count, most)
            chosen = torch.where(table == least, order_of, most).min(1).values
            agreed += int((chosen == number[played]).sum())
            positions += count
        return agreed / positions if positions else None
