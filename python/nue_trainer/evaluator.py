"""A policy-value net on a device: packed planes and labels in, their logits and values out.

On a GPU batches are padded to a few sizes. For each there are CUDA graphs that do everything from
unpacking to the gathered logits, so that a batch costs the processor a few copies and one launch;
two of them, on streams of their own, so that one batch is copied while another is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch

from .deep.nets import FoldedNet
from .deep.planes import Unpacker

# Batch sizes there are graphs for, and from which on there are two.
SIZES = (16, 64, 128, 256, 512, 1024)
TWO_FROM = 128
# Answers of a graph that may be on their way to who asked: more than a server has at a time.
COPIES = 8
# Labels a graph has room for, for each position; batches with more are computed without one.
LABELS_EACH = 192
# How far half precision may be from full: of a logit, for every unit it is away from zero, and of
# a probability.
LOGIT_SLACK, VALUE_SLACK = 0.05, 0.02


class ServeError(Exception):
    """A request or a net that cannot be answered with."""


@dataclass(frozen=True)
class Asked:
    """Positions, in memory of the processor."""

    packed: torch.Tensor
    """[count, bytes] of uint8."""
    counts: torch.Tensor
    """Labels of each position: int16."""
    labels: torch.Tensor
    """All of them, one after the other: int16."""
    whole: torch.Tensor | None = None
    """The bytes of all three, where they lie one behind the other."""


# Logits of the labels in 16 bits, [count, 2] of winning and drawing in 32 bits.
Answers = tuple[torch.Tensor, torch.Tensor]


class Lane:
    """A graph for one batch size, with its stream and the memory it reads and writes."""

    def __init__(self, evaluator: Evaluator, size: int) -> None:
        device, room = evaluator.device, size * LABELS_EACH
        planes = size * evaluator.kind.layout.bytes
        # One behind the other, as a full batch is sent: that is one copy. Every size is even.
        self.whole = torch.zeros(planes + 2 * size + 2 * room, dtype=torch.uint8, device=device)
        packed, counts, labels = self.whole.split([planes, 2 * size, 2 * room])
        self.packed = packed.view(size, -1)
        self.counts, self.labels = counts.view(torch.int16), labels.view(torch.int16)
        # What is found lies in one piece, too: wins and draws, then logits.
        self.size = size
        self.found = torch.zeros(8 * size + 2 * room, dtype=torch.uint8, device=device)
        self.copies = [
            torch.empty(len(self.found), dtype=torch.uint8, pin_memory=True) for _ in range(COPIES)
        ]
        self.events = [torch.cuda.Event() for _ in range(COPIES)]
        self.turn = 0
        self.stream = torch.cuda.Stream(device)
        self.stream.wait_stream(torch.cuda.current_stream(device))
        with torch.cuda.stream(self.stream):
            for _ in range(3):
                self._compute(evaluator)
        self.stream.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph, stream=self.stream):
            self._compute(evaluator)

    def _compute(self, evaluator: Evaluator) -> None:
        logits, values = self._parts(self.found, self.size, len(self.labels))
        evaluator.answers(self.packed, self.counts, self.labels, (logits, values))

    def _parts(self, piece: torch.Tensor, count: int, labels: int) -> Answers:
        """What so many positions with so many labels have of a piece like `found`."""
        values, logits = piece.split([8 * self.size, len(piece) - 8 * self.size])
        wins = values.view(torch.float32).view(self.size, 2)
        return logits.view(torch.float16)[:labels], wins[:count]

    def submit(self, asked: Asked) -> Callable[[], Answers]:
        """Starts a batch from pinned memory; nothing here waits for the device.

        The answers stay where they are until as many more batches were started as there are copies.
        """
        count, labels = len(asked.counts), len(asked.labels)
        self.turn = (self.turn + 1) % COPIES
        copy, done = self.copies[self.turn], self.events[self.turn]
        used = 8 * self.size + 2 * labels
        with torch.cuda.stream(self.stream):
            # What stands behind them is of an earlier batch, and is computed for nothing.
            if count == self.size and asked.whole is not None:
                self.whole[: len(asked.whole)].copy_(asked.whole, non_blocking=True)
            else:
                self.packed[:count].copy_(asked.packed, non_blocking=True)
                self.counts[:count].copy_(asked.counts, non_blocking=True)
                self.labels[:labels].copy_(asked.labels, non_blocking=True)
            self.graph.replay()
            copy[:used].copy_(self.found[:used], non_blocking=True)
            done.record(self.stream)

        def wait() -> Answers:
            done.synchronize()
            return self._parts(copy, count, labels)

        return wait


class Evaluator:
    """A net on a device, in half precision where the device has it."""

    def __init__(self, net: FoldedNet, device: torch.device, precision: str) -> None:
        self.kind, self.device = net.kind, device
        self._full = net.to(device).eval()
        self._unpacker = Unpacker(net.kind.layout, device)
        self.type = torch.float16 if precision == "fp16" else torch.float32
        self._lanes: dict[int, list[Lane]] = {}
        self._turn = 0
        self._made()

    def _made(self) -> None:
        """The net in the precision it computes with."""
        net = self._full
        if self.type != torch.float32:
            net = FoldedNet.of(self.kind, dict(self._full.state_dict())).to(self.device)
            net = net.to(self.type)
        self._net = net.to(memory_format=torch.channels_last).eval()
        self._lanes.clear()

    @property
    def precision(self) -> str:
        """Its name."""
        return "fp16" if self.type == torch.float16 else "fp32"

    def _forward(
        self, net: FoldedNet, packed: torch.Tensor, kind: torch.dtype
    ) -> tuple[torch.Tensor, torch.Tensor]:
        planes = self._unpacker.whole(self._unpacker(packed, kind))
        policy, value = net(planes.contiguous(memory_format=torch.channels_last))
        return policy.float(), torch.sigmoid(value.float())

    @torch.no_grad()
    def answers(
        self,
        packed: torch.Tensor,
        counts: torch.Tensor,
        labels: torch.Tensor,
        into: Answers | None = None,
    ) -> Answers:
        """The answers for positions on the device, in zeros of the caller if it has some.

        There may be more labels than the counts say: what they get means nothing.
        """
        policy, value = self._forward(self._net, packed, self.type)
        ends = counts.long().cumsum(0)
        places = torch.arange(len(labels), device=self.device)
        rows = torch.searchsorted(ends, places, right=True).clamp_(max=max(len(packed) - 1, 0))
        chosen = rows * self.kind.label_count + labels.long()
        if into is None:
            into = (
                torch.empty(len(labels), dtype=torch.float16, device=self.device),
                torch.zeros(len(packed), 2, device=self.device),
            )
        into[0].copy_(policy.flatten().index_select(0, chosen))
        into[1][:, 0].copy_(value)
        return into

    @torch.no_grad()
    def submit(self, asked: Asked) -> Callable[[], Answers]:
        """Starts a batch; what it gives waits for the answers."""
        count, labels = len(asked.counts), len(asked.labels)
        size = next((size for size in SIZES if size >= count), 0)
        if self.device.type == "cuda" and size and labels <= size * LABELS_EACH:
            lanes = self.lanes(size)
            self._turn += 1
            return lanes[self._turn % len(lanes)].submit(asked)
        parts = (asked.packed, asked.counts, asked.labels)
        found = self.answers(*(part.to(self.device) for part in parts))
        logits, values = (part.cpu() for part in found)
        return lambda: (logits, values)

    def lanes(self, size: int) -> list[Lane]:
        """The graphs for a batch size."""
        if size not in self._lanes:
            count = 2 if size >= TWO_FROM else 1
            self._lanes[size] = [Lane(self, size) for _ in range(count)]
        return self._lanes[size]

    def warm(self) -> None:
        """Makes all graphs now, so that no batch has to wait for one."""
        if self.device.type == "cuda":
            for size in SIZES:
                self.lanes(size)
            torch.cuda.synchronize(self.device)

    @torch.no_grad()
    def compare(self, packed: torch.Tensor) -> str:
        """Compares its precision with 32 bits on some positions; goes back to 32 where it must."""
        if not len(packed):
            return f"{self.precision}, no positions to compare on"
        before = torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
        packed = packed.to(self.device)
        try:
            full = self._forward(self._full, packed, torch.float32)
        finally:
            torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = before
        if not all(bool(torch.isfinite(part).all()) for part in full):
            raise ServeError("the net gives nonsense: answers that are not finite")
        own = self._forward(self._net, packed, self.type)
        logits, value = apart(full, own)
        if logits < LOGIT_SLACK and value < VALUE_SLACK:
            self._compare_graphs(packed, own)
            differ = f"logits differ by {logits:.2g} of their size, wins by {value:.2g}"
            return f"{self.precision}: {differ}"
        if self.type == torch.float32:
            raise ServeError("the net answers differently each time")
        self.type = torch.float32
        self._made()
        self.warm()
        return f"fp32, because fp16 is too far off ({logits:.2g} of a logit, {value:.2g} of a win)"

    def _compare_graphs(self, packed: torch.Tensor, own: tuple[torch.Tensor, torch.Tensor]) -> None:
        """Whether all graphs answer as the net they were made of."""
        for size, lanes in self._lanes.items():
            count = min(size, len(packed))
            each = torch.arange(count).remainder(7).add(1)
            places = torch.arange(int(each.sum())).mul(31).remainder(self.kind.label_count)
            parts = packed[:count].cpu(), each.to(torch.int16), places.to(torch.int16)
            whole = torch.cat([part.flatten().view(torch.uint8) for part in parts])
            asked = Asked(*parts, whole)
            rows = torch.repeat_interleave(torch.arange(count), each).to(self.device)
            wanted = own[0][rows, places.to(self.device)], own[1][:count]
            for lane in lanes:
                found, values = (part.to(self.device) for part in lane.submit(asked)())
                logits, value = apart(wanted, (found.float(), values[:, 0]))
                if not (logits < LOGIT_SLACK and value < VALUE_SLACK):
                    raise ServeError(
                        f"the graph for {size} positions does not do what the net does: logits "
                        f"differ by {logits:.2g} of their size, wins by {value:.2g}"
                    )


def apart(
    one: tuple[torch.Tensor, torch.Tensor], other: tuple[torch.Tensor, torch.Tensor]
) -> tuple[float, float]:
    """The largest differences: of a logit for every unit it is away from zero, of a probability."""
    logits = ((one[0] - other[0]).abs() / (1 + one[0].abs())).max()
    return float(logits), float((one[1] - other[1]).abs().max())
