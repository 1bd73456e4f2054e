"""How fast a net is served, and where the time goes: `python -m nue_trainer serve --bench`.

For each batch size a line of JSON: positions a second of the device alone (graphs launched one after
the other), of a server as the engine sees it (a process of its own, pipes, three batches in flight),
and what each of the server's threads takes of the processor for a batch.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
import zlib
from typing import IO, Any

import torch

from . import serve
from .evaluator import SIZES, Asked, Evaluator, ServeError

# Legal moves of a position, roughly.
MOVES = 90
IN_FLIGHT = 3
SECONDS = 2.0


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


def bare(evaluator: Evaluator, count: int, seconds: float) -> float:
    """Positions a second of the device alone."""
    asked = some(evaluator, count)
    if evaluator.device.type == "cuda" and count in SIZES:
        lanes = evaluator.lanes(count)
        rounds, begun = 0, time.monotonic()
        while time.monotonic() - begun < seconds:
            for number in range(20):
                lane = lanes[number % len(lanes)]
                with torch.cuda.stream(lane.stream):
                    lane.graph.replay()
            torch.cuda.synchronize(evaluator.device)
            rounds += 20
        return rounds * count / (time.monotonic() - begun)
    rounds, begun = 0, time.monotonic()
    while time.monotonic() - begun < seconds:
        evaluator.submit(asked)()
        rounds += 1
    return rounds * count / (time.monotonic() - begun)


def request(asked: Asked) -> bytes:
    """A batch as the engine sends it."""
    count, labels = len(asked.counts), len(asked.labels)
    data = serve.HEAD.pack(serve.REQUEST, serve.BATCH, 1, count, labels)
    data += asked.packed.numpy().tobytes() + asked.counts.numpy().tobytes()
    data += asked.labels.numpy().tobytes()
    return data + zlib.crc32(data).to_bytes(4, "little")


def served(line: list[str], asked: Asked, seconds: float) -> dict[str, Any]:
    """Positions a second of a server, and what it says about itself."""
    pipe = subprocess.PIPE
    with subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin and process.stdout and process.stderr
        process.stdout.readline()
        speed = _ask(process.stdin, process.stdout, asked, seconds)
        process.stdout.read()
        said = process.stderr.read().decode().strip().splitlines()
    return {"served": round(speed), **json.loads(said[-1])}


def _ask(sink: IO[bytes], source: IO[bytes], asked: Asked, seconds: float) -> float:
    """Positions a second, with a few batches in flight; closes the server's input at the end."""
    data, count, labels = request(asked), len(asked.counts), len(asked.labels)
    length = serve.HEAD.size + 2 * labels + 8 * count + 4
    free = threading.Semaphore(IN_FLIGHT)
    over = threading.Event()

    def send() -> None:
        with sink:
            while free.acquire() and not over.is_set():
                sink.write(data)
                sink.flush()

    def take() -> None:
        if len(source.read(length)) < length:
            raise ServeError("the server ended before it answered")
        free.release()

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    take()
    rounds, begun = 0, time.monotonic()
    while time.monotonic() - begun < seconds:
        take()
        rounds += 1
    speed = rounds * count / (time.monotonic() - begun)
    over.set()
    free.release()
    return speed


def run(net: str, device: str, precision: str, batch: int | None) -> None:
    """Measures and prints a line of JSON for each batch size."""
    evaluator = serve.evaluator_of(net, device, precision)
    evaluator.warm()
    usual = (64, 128, 256, 512, 1024) if evaluator.device.type == "cuda" else (1, 16, 64)
    sizes = (batch,) if batch else usual
    about = serve.introduction(evaluator, 0)["about"]
    alone = {size: bare(evaluator, size, SECONDS) for size in sizes}
    asked = {size: some(evaluator, size) for size in sizes}
    kept = evaluator.precision, str(evaluator.device)
    del evaluator
    for size in sizes:
        line = [sys.executable, "-m", "nue_trainer", "serve", "--net", net, "--report"]
        line += ["--precision", kept[0], "--device", kept[1], "--batch", str(size)]
        found = served(line, asked[size], SECONDS)
        record = {"about": about, "batch": size, "bare": round(alone[size]), **found}
        print(json.dumps(record), flush=True)
    print(f"{os.cpu_count()} threads, torch {torch.__version__}", flush=True)
