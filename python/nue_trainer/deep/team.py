"""Several processes that train one net, as torchrun starts them; or one alone."""

from __future__ import annotations

import os
from types import TracebackType

import torch
from torch import distributed, nn

from ..training import choose_device


class Team:
    """The processes. Use it in `with`."""

    def __init__(self, device: str) -> None:
        self.world = int(os.environ.get("WORLD_SIZE", "1"))
        self.rank = int(os.environ.get("RANK", "0"))
        if self.world > 1 and device in ("auto", "cuda") and torch.cuda.is_available():
            device = f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
        self.device = choose_device(device)
        if self.world > 1:
            if self.device.type == "cuda":
                torch.cuda.set_device(self.device)
            distributed.init_process_group("nccl" if self.device.type == "cuda" else "gloo")

    @property
    def leads(self) -> bool:
        """Whether this process speaks and writes."""
        return self.rank == 0

    def wrap(self, net: nn.Module) -> nn.Module:
        """The net with gradients averaged over all processes."""
        if self.world == 1:
            return net
        places = [self.device.index] if self.device.type == "cuda" else None
        return nn.parallel.DistributedDataParallel(net, device_ids=places)

    def fewest(self, number: int) -> int:
        """The smallest number any process has."""
        if self.world == 1:
            return number
        there = torch.tensor([number], dtype=torch.int64, device=self.device)
        distributed.all_reduce(there, op=distributed.ReduceOp.MIN)
        return int(there)

    def agreed(self, number: float) -> float:
        """The first process's number, for all."""
        if self.world == 1:
            return number
        there = torch.tensor([number], dtype=torch.float64, device=self.device)
        distributed.broadcast(there, 0)
        return float(there)

    def total(self, sums: torch.Tensor) -> torch.Tensor:
        """The sum over all processes."""
        if self.world == 1:
            return sums
        there = sums.clone()
        distributed.all_reduce(there)
        return there

    def __enter__(self) -> Team:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.world > 1 and distributed.is_initialized():
            distributed.destroy_process_group()
