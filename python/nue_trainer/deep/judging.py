"""A policy-value net as a teacher: what it says of positions that other nets learn from."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import torch
from torch.nn import functional

from ..stream import Order, StreamError
from . import netfile
from .planes import PlaneLoader, PlaneOrder, Unpacker


# With so many positions making kernels for them pays.
FUSED_FROM = 500_000


def same_positions(order: Order, planes: str, labels: str) -> PlaneOrder:
    """The planes of the positions whose features were asked for, in the same order."""
    options = list(order.options)
    # Features are sent of quiet positions unless told otherwise, planes of all.
    for keep, leave_out in (("--keep-checks", "--no-check"), ("--keep-captures", "--quiet")):
        if keep not in options and leave_out not in options:
            options.append(leave_out)
    return PlaneOrder(
        nue=order.nue,
        files=order.files,
        planes=planes,
        labels=labels,
        batch=order.batch,
        seed=order.seed,
        threads=order.threads,
        pool=order.pool,
        options=tuple(options),
    )


class Judge:
    """A net on a device that says which side wins."""

    def __init__(self, path: Path, device: torch.device) -> None:
        net = netfile.read(path)
        self.kind, self._device = net.kind, device
        self._number = torch.bfloat16 if device.type == "cuda" else torch.float32
        self._unpacker = Unpacker(net.kind.layout, device)
        self._net = net.to(device, self._number).to(memory_format=torch.channels_last)
        self._fused: Callable[[torch.Tensor], torch.Tensor] | None = None

    def fuse(self, batch: int) -> None:
        """Lets torch.compile make kernels for batches of this size, where that pays and can be done."""
        if self._fused is not None or self._device.type != "cuda":
            return
        fused: Any = torch.compile(self._net.values, dynamic=False)  # type: ignore[attr-defined]
        empty = torch.zeros(batch, self.kind.layout.bytes, dtype=torch.uint8, device=self._device)
        try:
            fused(self._planes(empty))
        except Exception as error:  # without a compiler for kernels, say
            print(f"judging without torch.compile: {error!r}"[:300], file=sys.stderr)
            fused = self._net.values
        self._fused = fused

    def _planes(self, packed: torch.Tensor) -> torch.Tensor:
        planes = self._unpacker.whole(self._unpacker(packed, self._number))
        return planes.contiguous(memory_format=torch.channels_last)

    def logits(self, packed: torch.Tensor, batch: int) -> torch.Tensor:
        """The logits of winning of packed planes, at most a batch of them."""
        if self._fused is None:
            return self._net.values(self._planes(packed))
        # Kernels are made for one size: a batch that is not full is filled up with nothing.
        full = functional.pad(packed, (0, 0, 0, batch - packed.shape[0]))
        return self._fused(self._planes(full))[: packed.shape[0]]


@lru_cache(maxsize=1)
def _judge(path: Path, _size: int, _time: int, device: torch.device) -> Judge:
    """Files are judged one after another by the same net: it is read, and its kernels are made, once."""
    return Judge(path, device)


@torch.no_grad()
def judged(path: Path, order: Order, scores: torch.Tensor) -> torch.Tensor:
    """The logits of winning a net gives the positions of an order.

    `scores` are those of the positions: that they agree shows that the positions are the same.
    """
    device, known = scores.device, path.stat()
    judge = _judge(path, known.st_size, known.st_mtime_ns, device)
    layout = judge.kind.layout
    if len(scores) >= FUSED_FROM:
        judge.fuse(order.batch)
    found, seen = [], []
    asked = same_positions(order, layout.planes, judge.kind.labels)
    with PlaneLoader(asked, pin=device.type == "cuda") as loader:
        if loader.about.layout != layout:
            raise StreamError(f"{path}: planes {layout.planes} are packed in another way now")
        for batch in loader:
            if batch.count:
                rows = batch.to(device).rows()
                found.append(judge.logits(rows.packed, order.batch))
                seen.append(rows.score)
    if not seen or not torch.equal(torch.cat(seen), scores):
        raise StreamError(
            f"{path} would judge other positions than those read: a --cache-file was made with "
            "another --seed, --batch or --pool; remove it"
        )
    return torch.cat(found)
