"""How fast a net is served, and where the time goes: `python -m nue_trainer serve --bench`.

For each batch size a line of JSON: positions a second of the device alone (graphs launched one after
the other), of a server as the engine sees it (a process of its own, pipes, three batches in flight),
and what each of the server's threads takes of the processor for a batch. On a GPU there are lines for
full precision and for more streams too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable
from typing import IO, Any

import torch

from . import serve
from .evaluator import SIZES, Asked, Evaluator, Lane, ServeError

# Legal moves of a position, roughly.
MOVES = 90
IN_FLIGHT = 3
# The size that streams are compared at, and how many of them.
STREAMS_BATCH = 256
STREAMS = (1, 2, 3, 4, 6, 8)


def some(evaluator: Evaluator, count: int) -> Asked:
    """Positions of random bits with as many labels as games have."""
    generator = torch.Generator().manual_seed(count)
    kind = evaluator.kind
    size = count, kind.layout.bytes
    packed = torch.randint(0, 256, size, dtype=torch.uint8, generator=generator)
    counts = torch.full((count,), MOVES, dtype=torch.int16)
    labels = torch.randint(
        0, kind.label_count, (count * MOVES,), dtype=torch.int16, generator=generator
    )
    return Asked(packed, counts, labels)


def _rate(once: Callable[[], object], count: int, seconds: float) -> float:
    rounds, begun = 0, time.monotonic()
    while time.monotonic() - begun < seconds:
        once()
        rounds += 1
    return rounds * count / (time.monotonic() - begun)


def _replay(device: torch.device, lanes: list[Lane], times: int) -> None:
    for number in range(times):
        lane = lanes[number % len(lanes)]
        with torch.cuda.stream(lane.stream):
            lane.graph.replay()
    torch.cuda.synchronize(device)


def bare(evaluator: Evaluator, count: int, seconds: float) -> float:
    """Positions a second of the device alone."""
    if evaluator.device.type == "cuda" and count in SIZES:
        return streams(evaluator, count, evaluator.lanes(count), seconds)
    asked = some(evaluator, count)
    return _rate(lambda: evaluator.submit(asked)(), count, seconds)


def streams(evaluator: Evaluator, count: int, lanes: list[Lane], seconds: float) -> float:
    """Positions a second of a device that graphs on so many streams share."""
    times = 24
    return _rate(lambda: _replay(evaluator.device, lanes, times), times * count, seconds)


def request(asked: Asked) -> bytes:
    """A batch as the engine sends it."""
    count, labels = len(asked.counts), len(asked.labels)
    data = serve.HEAD.pack(serve.REQUEST, serve.BATCH, 1, count, labels)
    data += asked.packed.numpy().tobytes() + asked.counts.numpy().tobytes()
    data += asked.labels.numpy().tobytes()
    return _sealed(data)


def _sealed(data: bytes) -> bytes:
    return data + zlib.crc32(data).to_bytes(4, "little")


class Served:
    """A server in a process of its own, asked as the engine asks."""

    def __init__(self, line: list[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe)
        assert self._process.stdin and self._process.stdout and self._process.stderr
        self._sink: IO[bytes] = self._process.stdin
        self._source: IO[bytes] = self._process.stdout
        self._errors: IO[bytes] = self._process.stderr
        if not self._source.readline():
            raise ServeError(f"the server ended: {self._errors.read().decode().strip()}")

    def measure(self, asked: Asked, seconds: float) -> dict[str, Any]:
        """Positions a second, and what the server says about itself."""
        speed = self._ask(asked, seconds)
        self._sink.write(_sealed(serve.HEAD.pack(serve.REQUEST, serve.PING, 0, 0, 0)))
        self._sink.flush()
        self._take(serve.HEAD.size + 4)
        return {"served": round(speed), **json.loads(self._errors.readline())}

    def _take(self, length: int) -> None:
        if len(self._source.read(length)) < length:
            raise ServeError("the server ended before it answered")

    def _ask(self, asked: Asked, seconds: float) -> float:
        """Positions a second, with a few batches in flight."""
        data, count, labels = request(asked), len(asked.counts), len(asked.labels)
        length = serve.HEAD.size + 2 * labels + 8 * count + 4
        free = threading.Semaphore(IN_FLIGHT)
        over = threading.Event()
        sent = taken = 0

        def send() -> None:
            nonlocal sent
            while free.acquire() and not over.is_set():
                self._sink.write(data)
                self._sink.flush()
                sent += 1

        def once() -> None:
            nonlocal taken
            self._take(length)
            taken += 1
            free.release()

        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        once()
        speed = _rate(once, count, seconds)
        over.set()
        free.release()
        # What is under way is taken before the next question; the sender may have to get rid of one.
        while sender.is_alive() or taken < sent:
            if taken < sent:
                once()
            else:
                sender.join(0.001)
        return speed

    def close(self) -> None:
        """Ends the server."""
        self._sink.close()
        self._source.read()
        self._errors.read()
        self._process.wait()


def _say(**record: Any) -> None:
    print(json.dumps(record), flush=True)


def run(net: str, device: str, precision: str, batch: int | None, seconds: float) -> None:
    """Measures and prints lines of JSON, `seconds` for each figure."""
    evaluator = serve.evaluator_of(net, device, precision)
    on_gpu = evaluator.device.type == "cuda"
    usual = (64, 128, 256, 512, 1024) if on_gpu else (1, 16, 64)
    sizes = (batch,) if batch else usual
    about = serve.introduction(evaluator, 0)["about"]
    alone = {size: bare(evaluator, size, seconds) for size in sizes}
    asked = {size: some(evaluator, size) for size in sizes}
    kept = evaluator.precision, str(evaluator.device)
    if on_gpu:
        size = batch or STREAMS_BATCH
        lanes = [Lane(evaluator, size) for _ in range(max(STREAMS))]
        for count in STREAMS:
            speed = streams(evaluator, size, lanes[:count], seconds)
            _say(about=about, batch=size, streams=count, bare=round(speed))
        del lanes
        if evaluator.precision != "fp32":
            full = serve.evaluator_of(net, device, "fp32")
            for size in sizes:
                speed = bare(full, size, seconds)
                _say(about=serve.introduction(full, 0)["about"], batch=size, bare=round(speed))
            del full
    del evaluator
    line = [sys.executable, "-m", "nue_trainer", "serve", "--net", net, "--report"]
    server = Served([*line, "--precision", kept[0], "--device", kept[1]])
    for size in sizes:
        found = server.measure(asked[size], seconds)
        _say(about=about, batch=size, bare=round(alone[size]), **found)
    server.close()
    print(f"{os.cpu_count()} threads, torch {torch.__version__}", flush=True)
