"""A policy-value net as a teacher: what it says of positions that other nets learn from."""

from __future__ import annotations

from pathlib import Path

import torch

from ..stream import Order, StreamError
from . import netfile
from .planes import PlaneLoader, PlaneOrder, Unpacker


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


@torch.no_grad()
def judged(path: Path, order: Order, scores: torch.Tensor) -> torch.Tensor:
    """The logits of winning a net gives the positions of an order.

    `scores` are those of the positions: that they agree shows that the positions are the same.
    """
    device = scores.device
    net = netfile.read(path)
    layout = net.kind.layout
    unpacker = Unpacker(layout, device)
    half = device.type == "cuda"
    kind = torch.bfloat16 if half else torch.float32
    net.to(device, kind).to(memory_format=torch.channels_last)
    found, seen = [], []
    asked = same_positions(order, layout.planes, net.kind.labels)
    with PlaneLoader(asked, pin=half) as loader:
        if loader.about.layout != layout:
            raise StreamError(f"{path}: planes {layout.planes} are packed in another way now")
        for batch in loader:
            if batch.count:
                rows = batch.to(device).rows()
                planes = unpacker.whole(unpacker(rows.packed, kind))
                found.append(net.values(planes.contiguous(memory_format=torch.channels_last)))
                seen.append(rows.score)
    if not seen or not torch.equal(torch.cat(seen), scores):
        raise StreamError(
            f"{path} would judge other positions than those read: a --cache-file was made with "
            "another --seed, --batch or --pool; remove it"
        )
    return torch.cat(found)
