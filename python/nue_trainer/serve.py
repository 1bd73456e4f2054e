"""A net that answers: batches in from one pipe, answers out through the other.

The other side is room `worker` of the engine, what is said between them is in docs/worker.md.
Reading, starting and writing are three threads; what the device does is in `evaluator`.
"""

from __future__ import annotations

import json
import queue
import struct
import sys
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, BinaryIO

import torch

from .deep import netfile
from .deep.nets import NetError
from .evaluator import Asked, Evaluator, ServeError

VERSION = 2
REQUEST, ANSWER = b"NueQ", b"NueA"
HEAD = struct.Struct("<4sIQII")
BATCH, PING, COMPARE, ERROR, LOAD = 1, 2, 3, 4, 5
# What bounds the memory a malformed request can ask for.
LARGEST_BATCH = 1 << 16
MOST_MOVES = 1 << 10
# Bytes of a file's name.
LONGEST_NAME = 1 << 15
# Batches read ahead.
AHEAD = 3
# Bytes a pipe is asked to hold: a batch of 256 has 210,000. fcntl's number for that on Linux.
PIPE_BYTES = 1 << 20
F_SETPIPE_SZ = 1031
WRONG_CHECKSUM = "the checksum of a request is wrong"


@dataclass
class Request:
    """What was asked."""

    kind: int
    number: int
    asked: Asked
    memory: torch.Tensor
    """What `asked` lies in, to be used again."""
    checksum: Callable[[], bool]
    """Whether it came as it was sent: takes as long as everything else about reading it."""
    file: str = ""
    """The net to go on with."""
    sound: bool = False
    checked: threading.Event = field(default_factory=threading.Event)

    def check(self) -> None:
        """Compares the checksum, for those who wait for that."""
        try:
            self.sound = self.checksum()
        finally:
            self.checked.set()
        if not self.sound:
            raise ServeError(WRONG_CHECKSUM)


class Memory:
    """Pieces of memory for requests, pinned where a device reads them by itself."""

    def __init__(self, pins: bool) -> None:
        self._pins = pins
        self._free: queue.SimpleQueue[torch.Tensor] = queue.SimpleQueue()

    def take(self, size: int) -> torch.Tensor:
        """A piece of at least so many bytes."""
        try:
            piece = self._free.get_nowait()
            if len(piece) >= size:
                return piece
        except queue.Empty:
            pass
        room = 1 << max(size - 1, 1).bit_length()
        return torch.empty(room, dtype=torch.uint8, pin_memory=self._pins)

    def give_back(self, piece: torch.Tensor) -> None:
        """It is not used any more."""
        self._free.put(piece)


def _fill(source: BinaryIO, view: memoryview) -> None:
    at = 0
    while at < len(view):
        count = source.readinto(view[at:])  # type: ignore[attr-defined]
        if not count:
            raise ServeError("the input breaks off")
        at += count


def read_request(source: BinaryIO, size: int, label_count: int, memory: Memory) -> Request | None:
    """Reads a request; `None` at the end of the input. Its checksum is still to be compared."""
    head = source.read(HEAD.size)
    if not head:
        return None
    if len(head) < HEAD.size:
        raise ServeError("the input breaks off")
    magic, kind, number, count, labels = HEAD.unpack(head)
    if magic != REQUEST or kind not in (BATCH, PING, COMPARE, LOAD):
        raise ServeError("the input is no request")
    if kind == LOAD:
        return _read_load(source, head, number, count, size, memory)
    if count > LARGEST_BATCH or labels > count * MOST_MOVES:
        raise ServeError(f"a request of {count} positions and {labels} labels")
    length = count * (size + 2) + 2 * labels
    # Numbers of 16 bits must begin at an even place.
    start = count * size % 2
    piece = memory.take(start + length + 4)
    view = memoryview(piece.numpy())[start : start + length + 4]
    _fill(source, view)

    def checksum() -> bool:
        return zlib.crc32(view[:-4], zlib.crc32(head)) == int.from_bytes(view[-4:], "little")

    whole = piece[start : start + length]
    parts = whole.split([count * size, 2 * count, 2 * labels])
    counts, asked = parts[1].view(torch.int16), parts[2].view(torch.int16)
    known = counts.numpy().view("<u2"), asked.numpy().view("<u2")
    if int(known[0].sum()) != labels or (labels and int(known[1].max()) >= label_count):
        if not checksum():
            raise ServeError(WRONG_CHECKSUM)
        raise ServeError("the labels of a request make no sense")
    positions = Asked(parts[0].view(count, size), counts, asked, whole)
    return Request(kind, number, positions, piece, checksum)


def _read_load(
    source: BinaryIO, head: bytes, number: int, length: int, size: int, memory: Memory
) -> Request:
    if length > LONGEST_NAME:
        raise ServeError(f"the name of a net with {length} bytes")
    rest = bytearray(length + 4)
    _fill(source, memoryview(rest))
    if zlib.crc32(rest[:-4], zlib.crc32(head)) != int.from_bytes(rest[-4:], "little"):
        raise ServeError(WRONG_CHECKSUM)
    nothing = memory.take(1)
    none = nothing[:0].view(torch.int16)
    asked = Asked(nothing[:0].view(0, size), none, none)
    return Request(LOAD, number, asked, nothing, lambda: True, rest[:-4].decode())


def answer(kind: int, number: int, counts: tuple[int, int], *payload: Any) -> bytes:
    """An answer as bytes."""
    head = HEAD.pack(ANSWER, kind, number, *counts)
    crc = 0
    for part in (head, *payload):
        crc = zlib.crc32(part, crc)
    return b"".join((head, *payload, crc.to_bytes(4, "little")))


def sentence(kind: int, number: int, words: str) -> bytes:
    """An answer in words."""
    text = words.encode()
    return answer(kind, number, (len(text), 0), text)


@dataclass
class Spent:
    """Where the time went: seconds of the processor in each thread, and what they did."""

    batches: int = 0
    positions: int = 0
    reading: float = 0.0
    starting: float = 0.0
    writing: float = 0.0

    def since(self, before: Spent) -> Spent:
        """What was added."""
        return Spent(
            **{f.name: getattr(self, f.name) - getattr(before, f.name) for f in fields(self)}
        )

    def as_dict(self) -> dict[str, float]:
        """Microseconds a batch."""
        each = 1e6 / max(self.batches, 1)
        return {
            "batches": self.batches,
            "positions": self.positions,
            "read_us": round(self.reading * each, 1),
            "start_us": round(self.starting * each, 1),
            "write_us": round(self.writing * each, 1),
        }


class Server:
    """Reads, starts and writes, each in a thread of its own.

    With `report`, whoever asks whether anybody is there is told where the time went since the last time.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        source: BinaryIO,
        sink: BinaryIO,
        report: bool = False,
        batch: int = 16,
    ) -> None:
        self._batch = batch
        self._evaluator, self._source, self._sink = evaluator, source, sink
        self._memory = Memory(evaluator.device.type == "cuda")
        self._asked: queue.Queue[Request | Exception | None] = queue.Queue(AHEAD)
        self._ready: queue.Queue[Callable[[], bytes] | None] = queue.Queue(AHEAD)
        self.spent = Spent()
        self._report, self._reported = report, Spent()

    def _read(self) -> None:
        kind = self._evaluator.kind
        layout, labels = kind.layout.bytes, kind.label_count
        try:
            while True:
                request = read_request(self._source, layout, labels, self._memory)
                # A batch is computed meanwhile, and answered when it is known to be what was sent.
                if request is not None and request.kind != BATCH:
                    request.check()
                self._asked.put(request)
                if request is not None and request.kind == BATCH:
                    request.check()
                self.spent.reading = time.thread_time()
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
            self.spent.writing = time.thread_time()

    def _answer(self, request: Request) -> Callable[[], bytes]:
        number, asked = request.number, request.asked
        if request.kind == PING:
            return lambda: self._pong(number)
        if request.kind == COMPARE:
            words = self._evaluator.compare(asked.packed)
            return lambda: sentence(COMPARE, number, words)
        if request.kind == LOAD:
            told = self._load(request.file)
            return lambda: sentence(LOAD, number, json.dumps(told))
        wait = self._evaluator.submit(asked)
        self.spent.batches += 1
        self.spent.positions += len(asked.counts)

        def ready() -> bytes:
            logits, values = (part.numpy() for part in wait())
            request.checked.wait()
            if not request.sound:
                # Whoever checked it says so; to what was not asked there is no answer.
                return b""
            self._memory.give_back(request.memory)
            counts = len(asked.counts), len(asked.labels)
            # The processor's order of bytes is the protocol's wherever torch runs.
            return answer(BATCH, number, counts, logits.data, values.data)

        return ready

    def _load(self, file: str) -> dict[str, Any]:
        """Goes on with another net; what is said of it, or why not."""
        about: dict[str, Any] = {"protocol": "nue-worker", "version": VERSION}
        try:
            self._evaluator.load(netfile.read(Path(file)))
        except (netfile.NetFileError, NetError, ServeError, OSError) as error:
            return about | {"error": f"{type(error).__name__}: {error}"}
        return about | introduction(self._evaluator, self._batch)

    def _pong(self, number: int) -> bytes:
        if self._report:
            spent = replace(self.spent)
            print(json.dumps(spent.since(self._reported).as_dict()), file=sys.stderr, flush=True)
            self._reported = spent
        return answer(PING, number, (0, 0))

    def run(self) -> None:
        """Answers until the input ends."""
        # Threads that have something to start shall not wait 5 ms for one that computes.
        before = sys.getswitchinterval()
        sys.setswitchinterval(2e-4)
        reader = threading.Thread(target=self._read, daemon=True)
        writer = threading.Thread(target=self._write, daemon=True)
        reader.start()
        writer.start()
        begun = time.thread_time()
        try:
            while (request := self._asked.get()) is not None:
                if isinstance(request, Exception):
                    raise request
                self._ready.put(self._answer(request))
                self.spent.starting = time.thread_time() - begun
        except Exception as error:
            words = f"{type(error).__name__}: {error}"
            self._ready.put(lambda: sentence(ERROR, 0, words))
            raise
        finally:
            self._ready.put(None)
            writer.join()
            sys.setswitchinterval(before)


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


def evaluator_of(net: str, device: str, precision: str) -> Evaluator:
    """The net on the device, by the words of the command line."""
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    place = torch.device(device)
    if precision == "auto":
        precision = "fp16" if place.type == "cuda" else "fp32"
    return Evaluator(netfile.read(Path(net)), place, precision)


def _widen(pipe: BinaryIO) -> None:
    """Lets a pipe hold a whole batch, so that the other side need not wait; where that can be."""
    try:
        import fcntl

        fcntl.fcntl(pipe.fileno(), F_SETPIPE_SZ, PIPE_BYTES)
    except (ImportError, OSError, ValueError):
        pass


def serve(net: str, device: str, precision: str, batch: int | None, report: bool = False) -> None:
    """Loads a net and answers on standard input and output."""
    # Whatever a library prints must not come between the answers.
    sink, sys.stdout = sys.stdout.buffer, sys.stderr
    _widen(sys.stdin.buffer)
    _widen(sink)
    about: dict[str, Any] = {"protocol": "nue-worker", "version": VERSION}
    try:
        evaluator = evaluator_of(net, device, precision)
        evaluator.warm()
        suits = batch or (256 if evaluator.device.type == "cuda" else 16)
        about |= introduction(evaluator, suits)
    except Exception as error:
        about["error"] = f"{type(error).__name__}: {error}"
        sink.write(json.dumps(about).encode() + b"\n")
        sink.flush()
        raise SystemExit(1) from error
    sink.write(json.dumps(about).encode() + b"\n")
    sink.flush()
    server = Server(evaluator, sys.stdin.buffer, sink, report, suits)
    server.run()
    if report:
        print(json.dumps(server.spent.as_dict()), file=sys.stderr, flush=True)
