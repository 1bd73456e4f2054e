"""Averages of a net's parameters: what the last steps, or the last trainings, have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import nn


class Average:
    """Remembers parameters with a memory that fades: 0.999 is about the last thousand steps."""

    def __init__(self, net: nn.Module, memory: float) -> None:
        self._memory = memory
        self._kept = [parameter.detach().clone() for parameter in net.parameters()]
        self._steps = 0

    @property
    def begun(self) -> bool:
        """Whether any step has been added."""
        return self._steps > 0

    @torch.no_grad()
    def add(self, net: nn.Module) -> None:
        """Adds the parameters after a step. The first steps count alike, so none is favoured."""
        self._steps += 1
        weight = max(1 - self._memory, 1 / self._steps)
        for kept, parameter in zip(self._kept, net.parameters()):
            kept.lerp_(parameter, weight)

    @contextmanager
    def instead_of(self, net: nn.Module) -> Iterator[None]:
        """The net has the averaged parameters meanwhile."""
        own = [parameter.detach().clone() for parameter in net.parameters()]
        self._put(net, self._kept)
        try:
            yield
        finally:
            self._put(net, own)

    @staticmethod
    @torch.no_grad()
    def _put(net: nn.Module, values: list[torch.Tensor]) -> None:
        for parameter, value in zip(net.parameters(), values):
            parameter.copy_(value)

    def state(self) -> dict[str, Any]:
        """For checkpoints."""
        return {"kept": self._kept, "steps": self._steps}

    @torch.no_grad()
    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from a checkpoint."""
        self._steps = int(state["steps"])
        for kept, value in zip(self._kept, state["kept"]):
            kept.copy_(value)


class Across(Average):
    """The average over trainings: a share of what was written before, the rest of the net as it is now."""

    def __init__(self, net: nn.Module, share: float, before: list[torch.Tensor]) -> None:
        super().__init__(net, share)
        self._before = [
            there.to(own.device, own.dtype) for there, own in zip(before, net.parameters())
        ]
        self._steps = 1

    def add(self, net: nn.Module) -> None:
        """Steps within a training do not count."""

    @contextmanager
    def instead_of(self, net: nn.Module) -> Iterator[None]:
        """The net has the averaged parameters meanwhile."""
        for kept, before, own in zip(self._kept, self._before, net.parameters()):
            kept.copy_(torch.lerp(own.detach(), before, self._memory))
        with super().instead_of(net):
            yield

    def restore(self, state: dict[str, Any]) -> None:
        """What was written before is all there is to know."""
