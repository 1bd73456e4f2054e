"""A net that answers: batches in from one pipe, answers out through the other.

The other side is room `worker` of the engine, what is said between them is in docs/worker.md.
Planes are unpacked on the device, only the logits of legal moves come back. On a GPU batches are
padded to a few sizes, each a CUDA graph: a position costs what its arithmetic costs.
"""

from __future__ import annotations

import json
import queue
import struct
import sys
import threading
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import torch

from .deep import netfile
from .deep.nets import FoldedNet
from .deep.planes import Unpacker

VERSION = 1
REQUEST, ANSWER = b"NueQ", b"NueA"
HEAD = struct.Struct("<4sIQII")
BATCH, PING, COMPARE, ERROR = 1, 2, 3, 4
# What bounds the memory a malformed request can ask for.
LARGEST_BATCH = 1 << 16
MOST_MOVES = 1 << 10
# Batch sizes there are graphs for.
SIZES = (16, 64, 128, 256, 512, 1024)
# Batches read ahead.
AHEAD = 3
# How far half precision may be from full: of a logit, for every unit it is away from zero, and of
# a probability.
LOGIT_SLACK, VALUE_SLACK = 0.05, 0.02


class ServeError(Exception):
    """A request or a net that cannot be answered with."""


@dataclass(frozen=True)
class Request:
    """What was asked."""

    kind: int
    number: int
    packed: torch.Tensor
    """[count, bytes] of uint8."""
    counts: torch.Tensor
    """Labels of each position: int64."""
    labels: torch.Tensor
    """All of them, one after the other: int64."""


def read_request(source: BinaryIO, size: int, label_count: int) -> Request | None:
    """Reads a request; `None` at the end of the input."""
    head = source.read(HEAD.size)
    if not head:
        return None
    if len(head) < HEAD.size:
        raise ServeError("the input breaks off")
    magic, kind, number, count, labels = HEAD.unpack(head)
    if magic != REQUEST or kind not in (BATCH, PING, COMPARE):
        raise ServeError("the input is no request")
    if count > LARGEST_BATCH or labels > count * MOST_MOVES:
        raise ServeError(f"a request of {count} positions and {labels} labels")
    length = count * (size + 2) + 2 * labels
    payload = source.read(length + 4)
    if len(payload) < length + 4:
        raise ServeError("the input breaks off")
    if zlib.crc32(payload[:-4], zlib.crc32(head)) != int.from_bytes(payload[-4:], "little"):
        raise ServeError("the checksum of a request is wrong")
    # A tensor cannot be made of nothing.
    whole = torch.frombuffer(bytearray(payload), dtype=torch.uint8)
    counts = whole[count * size : count * (size + 2)].clone().view(torch.int16).long() & 0xFFFF
    asked = whole[count * (size + 2) : length].clone().view(torch.int16).long() & 0xFFFF
    if int(counts.sum()) != labels or (labels and int(asked.max()) >= label_count):
        raise ServeError("the labels of a request make no sense")
    return Request(kind, number, whole[: count * size].view(count, size), counts, asked)


def answer(kind: int, number: int, counts: tuple[int, int], payload: bytes) -> bytes:
    """An answer as bytes."""
    head = HEAD.pack(ANSWER, kind, number, *counts)
    return head + payload + zlib.crc32(payload, zlib.crc32(head)).to_bytes(4, "little")


def sentence(kind: int, number: int, words: str) -> bytes:
    """An answer in words."""
    text = words.encode()
    return answer(kind, number, (len(text), 0), text)


class Evaluator:
    """A net on a device, in half precision where the device has it."""

    def __init__(self, net: FoldedNet, device: torch.device, precision: str) -> None:
        layout = net.kind.layout
        self.kind, self.device = net.kind, device
        self._full = net.to(device).eval()
        self._unpacker = Unpacker(layout, device)
        self.type = torch.float16 if precision == "fp16" else torch.float32
        self._graphs: dict[int, Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]] = {}
        self._made()

    def _made(self) -> None:
        """The net in the precision it computes with."""
        net = self._full
        if self.type != torch.float32:
            net = FoldedNet.of(self.kind, dict(self._full.state_dict())).to(self.device)
            net = net.to(self.type)
        self._net = net.to(memory_format=torch.channels_last).eval()
        self._graphs.clear()

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

    def _graph(self, size: int) -> Callable[[torch.Tensor], tuple[torch.Tensor, torch.Tensor]]:
        """The net for one batch size, launched as a whole."""
        held = torch.zeros(size, self.kind.layout.bytes, dtype=torch.uint8, device=self.device)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            for _ in range(3):
                self._forward(self._net, held, self.type)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            policy, value = self._forward(self._net, held, self.type)

        def run(packed: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            held[: len(packed)].copy_(packed, non_blocking=True)
            graph.replay()
            return policy[: len(packed)], value[: len(packed)]

        return run

    @torch.no_grad()
    def __call__(self, packed: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits of all labels, and the probability of winning."""
        packed = packed.to(self.device, non_blocking=True)
        size = next((size for size in SIZES if size >= len(packed)), None)
        if self.device.type != "cuda" or size is None:
            return self._forward(self._net, packed, self.type)
        if size not in self._graphs:
            self._graphs[size] = self._graph(size)
        return self._graphs[size](packed)

    def warm(self) -> None:
        """Makes all graphs now, so that no batch has to wait for one."""
        if self.device.type == "cuda":
            for size in SIZES:
                self(torch.zeros(size, self.kind.layout.bytes, dtype=torch.uint8))
            torch.cuda.synchronize()

    @torch.no_grad()
    def compare(self, packed: torch.Tensor) -> str:
        """Compares its precision with 32 bits on some positions; goes back to 32 where it must."""
        if not len(packed):
            return f"{self.precision}, no positions to compare on"
        before = torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32
        torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
        try:
            full = self._forward(self._full, packed.to(self.device), torch.float32)
        finally:
            torch.backends.cudnn.allow_tf32, torch.backends.cuda.matmul.allow_tf32 = before
        if not all(bool(torch.isfinite(part).all()) for part in full):
            raise ServeError("the net gives nonsense: answers that are not finite")
        own = self(packed)
        logits = float(((full[0] - own[0]).abs() / (1 + full[0].abs())).max())
        value = float((full[1] - own[1]).abs().max())
        if logits < LOGIT_SLACK and value < VALUE_SLACK:
            apart = f"logits differ by {logits:.2g} of their size, wins by {value:.2g}"
            return f"{self.precision}: {apart}"
        if self.type == torch.float32:
            raise ServeError("the net answers differently each time")
        self.type = torch.float32
        self._made()
        self.warm()
        return f"fp32, because fp16 is too far off ({logits:.2g} of a logit, {value:.2g} of a win)"


class Server:
    """Reads, computes and writes, each in a thread of its own."""

    def __init__(self, evaluator: Evaluator, source: BinaryIO, sink: BinaryIO) -> None:
        self._evaluator, self._source, self._sink = evaluator, source, sink
        self._pins = evaluator.device.type == "cuda"
        self._asked: queue.Queue[Request | Exception | None] = queue.Queue(AHEAD)
        self._ready: queue.Queue[Callable[[], bytes] | None] = queue.Queue(AHEAD)

    def _read(self) -> None:
        kind = self._evaluator.kind
        try:
            while True:
                request = read_request(self._source, kind.layout.bytes, kind.label_count)
                # Only batches: nothing may be pinned while a comparison makes graphs anew.
                if request is not None and self._pins and request.kind == BATCH:
                    packed, labels = request.packed.clone(), request.labels
                    request = replace(
                        request, packed=packed.pin_memory(), labels=labels.pin_memory()
                    )
                self._asked.put(request)
                if request is None:
                    return
        except (ServeError, OSError, RuntimeError, MemoryError) as error:
            self._asked.put(error)

    def _write(self) -> None:
        while (ready := self._ready.get()) is not None:
            try:
                self._sink.write(ready())
                self._sink.flush()
            except BrokenPipeError:
                return

    def _answer(self, request: Request) -> Callable[[], bytes]:
        number = request.number
        if request.kind == PING:
            return lambda: answer(PING, number, (0, 0), b"")
        if request.kind == COMPARE:
            words = self._evaluator.compare(request.packed)
            return lambda: sentence(COMPARE, number, words)
        policy, value = self._evaluator(request.packed)
        device = self._evaluator.device
        counts, labels = request.counts, request.labels.to(device, non_blocking=True)
        rows = torch.repeat_interleave(torch.arange(len(counts)), counts).to(device)
        # Copies: the graph's own tensors are written to by the next batch.
        logits = policy[rows, labels].to(torch.float16).to("cpu", non_blocking=True)
        values = torch.stack([value, torch.zeros_like(value)], dim=1).to("cpu", non_blocking=True)
        done = torch.cuda.Event() if device.type == "cuda" else None
        if done is not None:
            done.record()

        def ready() -> bytes:
            if done is not None:
                done.synchronize()
            payload = logits.numpy().astype("<f2").tobytes()
            payload += values.numpy().astype("<f4").tobytes()
            return answer(BATCH, number, (len(counts), len(labels)), payload)

        return ready

    def run(self) -> None:
        """Answers until the input ends."""
        reader = threading.Thread(target=self._read, daemon=True)
        writer = threading.Thread(target=self._write, daemon=True)
        reader.start()
        writer.start()
        try:
            while (request := self._asked.get()) is not None:
                if isinstance(request, Exception):
                    raise request
                self._ready.put(self._answer(request))
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            self._ready.put(lambda: sentence(ERROR, 0, words))
            raise
        finally:
            self._ready.put(None)
            writer.join()


def introduction(evaluator: Evaluator, batch: int) -> dict[str, Any]:
    """The first line."""
    kind, device = evaluator.kind, evaluator.device
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "CPU"
    return {
        "game": kind.layout.game,
        "planes": kind.layout.planes,
        "labels": kind.labels,
        "bytes": kind.layout.bytes,
        "label_count": kind.label_count,
        "about": f"{kind.blocks}x{kind.channels} {evaluator.precision}, PyTorch on {name}",
        "batch": batch,
    }


def serve(net: str, device: str, precision: str, batch: int) -> None:
    """Loads a net and answers on standard input and output."""
    # Whatever a library prints must not come between the answers.
    sink, sys.stdout = sys.stdout.buffer, sys.stderr
    about: dict[str, Any] = {"protocol": "nue-worker", "version": VERSION}
    try:
        if device == "auto":
            device = "cuda" if torch.cuda.is_available() else "cpu"
        place = torch.device(device)
        if precision == "auto":
            precision = "fp16" if place.type == "cuda" else "fp32"
        evaluator = Evaluator(netfile.read(Path(net)), place, precision)
        evaluator.warm()
        about |= introduction(evaluator, batch or (256 if place.type == "cuda" else 16))
    except Exception as error:
        about["error"] = f"{type(error).__name__}: {error}"
        sink.write(json.dumps(about).encode() + b"\n")
        sink.flush()
        raise SystemExit(1) from error
    sink.write(json.dumps(about).encode() + b"\n")
    sink.flush()
    Server(evaluator, sys.stdin.buffer, sink).run()
