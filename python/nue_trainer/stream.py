"""What `nue data stream` sends: layout, checks, and the process that sends it.

The layout is described in docs/formats/stream.md.
"""

from __future__ import annotations

import json
import queue
import struct
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast

import torch

MAGIC = b"NueStrm\n"
VERSION = 1
FRAME = b"NBat"
EPOCH_ENDS = 1
STREAM_ENDS = 2
# What bounds the memory a malformed stream can ask for.
LONGEST_TEXT = 1 << 20
LARGEST_BATCH = 1 << 20
MOST_SLOTS = 64
# Room of the pipe, where the system lets us choose.
PIPE_BYTES = 1 << 20
SET_PIPE_SIZE = 1031
# Batches read ahead.
AHEAD = 6


class StreamError(Exception):
    """A stream that is not what `nue data stream` sends, or that broke off."""


class Source(Protocol):
    """Something bytes are read from."""

    def readinto(self, buffer: memoryview, /) -> int | None: ...


class Pipe(Source, Protocol):
    """The end of a pipe."""

    def close(self) -> None: ...


@dataclass(frozen=True)
class About:
    """What a stream says about itself."""

    features: str
    game: str
    inputs: int
    slots: int
    pieces: int
    effect_stride: int
    batch: int
    positions: int
    training_scale: float
    """The scale of the sigmoid where nobody says another, in evaluation units."""
    pawn: int
    """A pawn in evaluation units."""
    mirrored_pieces: tuple[int, ...] = ()
    """Every piece number mirrored left to right, where the stream says so."""
    mirrored_bases: tuple[int, ...] = ()
    """Every base, divided by `pieces`, of the own king mirrored left to right."""

    @property
    def groups(self) -> int:
        """Sets of features that differ in all but the piece."""
        return self.inputs // self.pieces

    def bytes_of(self, count: int) -> int:
        """Bytes of a frame's arrays."""
        return count * (16 + 4 * self.slots)


@dataclass(frozen=True)
class Labels:
    """What is known about the positions of a batch."""

    score: torch.Tensor
    """Scores for the side to move, as real numbers."""
    result: torch.Tensor
    """1 won, 0.5 drawn, 0 lost by the side to move."""
    known: torch.Tensor
    """1 where the result is known, 0 where it is not."""


@dataclass(frozen=True)
class Batch:
    """A frame."""

    about: About
    count: int
    epoch: int
    epoch_ends: bool
    payload: torch.Tensor

    def pinned(self) -> Batch:
        """The same in memory a device reads by itself."""
        payload = self.payload.pin_memory()
        return Batch(self.about, self.count, self.epoch, self.epoch_ends, payload)

    def to(self, device: torch.device) -> Batch:
        """The same batch on another device."""
        payload = self.payload.to(device, non_blocking=True)
        return Batch(self.about, self.count, self.epoch, self.epoch_ends, payload)

    def part(self, start: int, each: int) -> torch.Tensor:
        """The bytes of an array that begins after `start` bytes per position."""
        return self.payload[start * self.count : (start + each) * self.count]

    def bases(self) -> torch.Tensor:
        """Where the features of each side begin: [2, count]."""
        return self.part(0, 8).view(torch.int32).view(2, self.count)

    def numbers(self) -> torch.Tensor:
        """Features without their base, -1 where there is none: [2, count, slots]."""
        slots = self.about.slots
        return self.part(8, 4 * slots).view(torch.int16).view(2, self.count, slots)

    def indices(self) -> torch.Tensor:
        """Feature numbers, the number of inputs where there is none: [2 * count, slots]."""
        return indices(self.about, self.bases(), self.numbers()).view(2 * self.count, -1)

    def labels(self) -> Labels:
        """Scores and results."""
        start = 8 + 4 * self.about.slots
        return labels(
            self.part(start, 2).view(torch.int16),
            self.part(start + 4, 1).view(torch.int8),
        )

    def check(self) -> None:
        """Refuses numbers that are no features: they would end a CUDA program without a word."""
        about = self.about
        bases, numbers = self.bases(), self.numbers()
        stride = about.effect_stride
        most = about.pieces * (about.inputs // stride if stride else 1)
        last = (stride or about.inputs) - about.pieces
        if int(bases.min()) < 0 or int(bases.max()) > last:
            raise StreamError(f"a base outside 0..{last} in the stream")
        if int(numbers.min()) < -1 or int(numbers.max()) >= most:
            raise StreamError(f"a feature outside 0..{most - 1} in the stream")
        start = 8 + 4 * about.slots
        result = self.part(start + 4, 1).view(torch.int8)
        if int(result.min()) < -1 or int(result.max()) > 2:
            raise StreamError("a result outside -1..2 in the stream")


def indices(about: About, bases: torch.Tensor, numbers: torch.Tensor) -> torch.Tensor:
    """Feature numbers of any shape of `numbers`, whose last dimension `bases` lacks."""
    wide = numbers.to(torch.int32)
    whole = wide
    if about.effect_stride:
        attacks = torch.div(wide, about.pieces, rounding_mode="floor")
        whole = wide - attacks * about.pieces + attacks * about.effect_stride
    return torch.where(wide < 0, torch.full_like(wide, about.inputs), whole + bases.unsqueeze(-1))


def labels(score: torch.Tensor, result: torch.Tensor) -> Labels:
    """Labels from the numbers of the stream."""
    known = torch.le(result, 1)
    won = torch.div(result.to(torch.float32) + 1, 2)
    draw = torch.full_like(won, 0.5)
    return Labels(
        score.to(torch.float32), torch.where(known, won, draw), known.to(torch.float32)
    )


def _fill(source: Source, buffer: memoryview, what: str) -> None:
    have = 0
    while have < len(buffer):
        got = source.readinto(buffer[have:])
        if not got:
            raise StreamError(f"the stream ends inside {what}")
        have += got


def _read(source: Source, count: int, what: str) -> bytes:
    buffer = bytearray(count)
    _fill(source, memoryview(buffer), what)
    return bytes(buffer)


def read_text(source: Source) -> dict[str, Any]:
    """Reads the beginning of a stream: its text."""
    magic = _read(source, len(MAGIC), "its beginning")
    if magic != MAGIC:
        raise StreamError(f"not a stream of nue: it begins with {magic!r}")
    version, length = struct.unpack("<II", _read(source, 8, "its beginning"))
    if version != VERSION:
        raise StreamError(f"version {version} of the stream is not known (known is {VERSION})")
    if length > LONGEST_TEXT:
        raise StreamError(f"the stream says its text has {length} bytes")
    try:
        told = json.loads(_read(source, length, "its text"))
    except ValueError as error:
        raise StreamError(f"the text of the stream is wrong: {error!r}") from error
    if not isinstance(told, dict):
        raise StreamError(f"the text of the stream is wrong: {told!r}")
    return with_present_names(told)


def with_present_names(told: dict[str, Any]) -> dict[str, Any]:
    """What a stream says about itself, where an earlier version called something otherwise."""
    present = dict(told)
    if "usual_scale" in present:
        present.setdefault("training_scale", present.pop("usual_scale"))
    return present


def read_about(source: Source) -> About:
    """Reads what a stream of features begins with."""
    told = read_text(source)
    try:
        names = About.__dataclass_fields__
        lists = {name: tuple(told.get(name, ())) for name in names if name.startswith("mirrored")}
        about = About(**{name: told[name] for name in names if name not in lists}, **lists)
    except (ValueError, KeyError, TypeError) as error:
        raise StreamError(f"the text of the stream is wrong: {error!r}") from error
    words = ("features", "game", "training_scale", *lists)
    numbers = [getattr(about, name) for name in names if name not in words]
    good = (
        all(isinstance(number, int) and 0 <= number < 1 << 48 for number in numbers)
        and isinstance(about.features, str)
        and isinstance(about.game, str)
        and isinstance(about.training_scale, (int, float))
        and 0 < about.training_scale < float("inf")
        and about.pawn > 0
        and 0 < about.slots <= MOST_SLOTS
        and 0 < about.pieces <= about.inputs < 1 << 31
        and about.inputs % about.pieces == 0
        and (about.effect_stride == 0 or about.inputs % about.effect_stride == 0)
        and 0 < about.batch <= LARGEST_BATCH
        and _is_table(about.mirrored_pieces, about.pieces)
        and _is_table(about.mirrored_bases, (about.effect_stride or about.inputs) // about.pieces)
    )
    if not good:
        raise StreamError(f"the text of the stream makes no sense: {told!r}")
    return about


def _is_table(table: tuple[int, ...], size: int) -> bool:
    """Whether a table is missing, or gives a number below its size for each."""
    inside = all(isinstance(number, int) and 0 <= number < size for number in table)
    return not table or (len(table) == size and inside)


def read_frame(
    source: Source, most: int, size: Callable[[int], int]
) -> tuple[int, int, int, torch.Tensor] | None:
    """Reads the next frame: count, epoch, flags and bytes; `None`: the stream ends properly."""
    magic, count, epoch, flags = struct.unpack("<4sIII", _read(source, 16, "a frame"))
    if magic != FRAME:
        raise StreamError(f"no frame begins with {magic!r}")
    if count > most or flags not in (0, EPOCH_ENDS, STREAM_ENDS):
        raise StreamError(f"a frame of {count} positions with flags {flags}")
    if flags == STREAM_ENDS:
        if count:
            raise StreamError(f"the end of the stream holds {count} positions")
        return None
    # At least one byte: torch makes no tensor of nothing.
    buffer = bytearray(size(count) or 1)
    _fill(source, memoryview(buffer)[: size(count)], "a frame")
    payload = torch.frombuffer(buffer, dtype=torch.uint8)[: size(count)]
    return count, epoch, flags, payload


def read_batch(source: Source, about: About) -> Batch | None:
    """Reads the next frame; `None`: the stream ends properly."""
    frame = read_frame(source, about.batch, about.bytes_of)
    if frame is None:
        return None
    count, epoch, flags, payload = frame
    batch = Batch(about, count, epoch, flags == EPOCH_ENDS, payload)
    if count:
        batch.check()
    return batch


@dataclass(frozen=True)
class Order:
    """What to ask of `nue data stream`."""

    nue: str
    files: tuple[str, ...]
    features: str
    batch: int = 16384
    seed: int = 1
    epochs: int | None = 1
    first_epoch: int = 0
    threads: int | None = None
    mirror: bool = False
    pool: int | None = None
    options: tuple[str, ...] = ()

    def command(self) -> list[str]:
        """The command line."""
        line = [self.nue, "data", "stream", *self.files, "--features", self.features]
        line += ["--batch", str(self.batch), "--seed", str(self.seed)]
        line += ["--forever"] if self.epochs is None else ["--epochs", str(self.epochs)]
        line += ["--first-epoch", str(self.first_epoch)]
        if self.threads is not None:
            line += ["--threads", str(self.threads)]
        if self.pool is not None:
            line += ["--pool", str(self.pool)]
        if self.mirror:
            line.append("--mirror")
        return line + list(self.options)


class Asked(Protocol):
    """A command line of nue."""

    @property
    def nue(self) -> str: ...

    def command(self) -> list[str]: ...


class Frame(Protocol):
    """A batch of any kind of stream."""

    @property
    def count(self) -> int: ...

    def pinned(self: F) -> F: ...


A = TypeVar("A")
L = TypeVar("L", bound="BaseLoader[Any, Any]")
F = TypeVar("F", bound="Frame")


class BaseLoader(Generic[A, F]):
    """Batches of a running `nue data stream`, read ahead by a thread. Use it in `with`."""

    def __init__(self, order: Asked, pin: bool = False) -> None:
        self._pin = pin
        self._queue: queue.Queue[F | Exception | None] = queue.Queue(AHEAD)
        self._stop = threading.Event()
        self._errors = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                order.command(), stdout=subprocess.PIPE, stderr=self._errors, bufsize=0
            )
        except OSError as error:
            self._errors.close()
            raise StreamError(f"cannot run {order.nue!r}: {error}") from error
        pipe = self._process.stdout
        assert pipe is not None
        self._pipe = cast(Pipe, pipe)
        _widen(pipe.fileno())
        try:
            self.about = self._about(self._pipe)
        except StreamError as error:
            reason = self._reason(error)
            self.close()
            raise reason from error
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _about(self, source: Source) -> A:
        raise NotImplementedError

    def _batch(self, source: Source, about: A) -> F | None:
        raise NotImplementedError

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                batch = self._batch(self._pipe, self.about)
                if batch is not None and self._pin:
                    batch = batch.pinned()
                self._put(batch)
                if batch is None:
                    return
        except Exception as error:  # handed to the reader of the queue
            self._put(error)

    def _put(self, item: F | Exception | None) -> None:
        while not self._stop.is_set():
            try:
                self._queue.put(item, timeout=0.2)
                return
            except queue.Full:
                continue

    def _reason(self, error: Exception) -> StreamError:
        """The error with what nue said before it ended."""
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().decode(errors="replace").strip()
        return StreamError(f"{error}; nue said: {said}" if said else str(error))

    def __iter__(self) -> Iterator[F]:
        while True:
            item = self._queue.get()
            if item is None:
                return
            if isinstance(item, Exception):
                raise self._reason(item) from item
            yield item

    def __enter__(self: L) -> L:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the process and the thread."""
        self._stop.set()
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        thread = getattr(self, "_thread", None)
        if thread is not None:
            thread.join()
        self._pipe.close()
        self._errors.close()


class Loader(BaseLoader[About, Batch]):
    """Batches of features."""

    def _about(self, source: Source) -> About:
        return read_about(source)

    def _batch(self, source: Source, about: About) -> Batch | None:
        return read_batch(source, about)


def _widen(descriptor: int) -> None:
    try:
        import fcntl

        fcntl.fcntl(descriptor, SET_PIPE_SIZE, PIPE_BYTES)
    except (ImportError, OSError):
        pass  # a smaller pipe is slower, not wrong


def read_all(order: Order, device: torch.device, limit: int | None = None) -> Sequence[Batch]:
    """Every batch of one epoch on a device, at most `limit` positions."""
    found: list[Batch] = []
    positions = 0
    with Loader(order) as loader:
        for batch in loader:
            if batch.count:
                found.append(batch.to(device))
            positions += batch.count
            if limit is not None and positions >= limit:
                break
    return found
