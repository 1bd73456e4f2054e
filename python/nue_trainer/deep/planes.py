"""Packed planes as `nue data stream --planes` sends them, and how they are unpacked.

The packing is described in docs/planes.md, the stream in docs/formats/stream.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from ..stream import (
    EPOCH_ENDS,
    LARGEST_BATCH,
    BaseLoader,
    Source,
    StreamError,
    read_frame,
    read_text,
)

# What bounds the memory a malformed stream can ask for.
MOST_PLANES = 4096
MOST_LABELS = 1 << 15
MOST_VISITED = 593
BOARD_SIDES = {"shogi": 9, "minishogi": 5}


@dataclass(frozen=True)
class Layout:
    """How planes are packed, and in which order a net sees them."""

    planes: str
    game: str
    side: int
    segments: tuple[tuple[str, tuple[float, ...]], ...]
    """`boards`, `flags` or `values` with the worth of one, for each plane."""

    def indices(self, kind: str) -> list[int]:
        """The places of one kind of planes among all."""
        found, at = [], 0
        for name, worth in self.segments:
            if name == kind:
                found += range(at, at + len(worth))
            at += len(worth)
        return found

    @property
    def count(self) -> int:
        """How many planes a net sees."""
        return sum(len(worth) for _, worth in self.segments)

    @property
    def boards(self) -> int:
        """Planes with a bit for every square."""
        return len(self.indices("boards"))

    @property
    def constants(self) -> int:
        """Planes that are the same all over the board."""
        return self.count - self.boards

    @property
    def bit_bytes(self) -> int:
        """Bytes of all bits."""
        return (self.boards * self.side**2 + len(self.indices("flags")) + 7) // 8

    @property
    def bytes(self) -> int:
        """Bytes of a packed position."""
        return self.bit_bytes + 2 * len(self.indices("values"))

    def as_dict(self) -> dict[str, Any]:
        """What a file says about it."""
        told = [{n: list(w) if n == "values" else len(w)} for n, w in self.segments]
        return {"planes": self.planes, "game": self.game, "segments": told}

    @staticmethod
    def of(told: dict[str, Any]) -> Layout:
        """From what a stream or a file says."""
        segments = []
        for part in told["segments"]:
            ((name, value),) = part.items()
            if name == "values":
                worth = tuple(float(unit) for unit in value)
            elif name in ("boards", "flags") and 0 < int(value) <= MOST_PLANES:
                worth = (1.0,) * int(value)
            else:
                raise ValueError(f"planes of a kind {part!r}")
            segments.append((name, worth))
        game = str(told["game"])
        return Layout(str(told["planes"]), game, BOARD_SIDES[game], tuple(segments))


@dataclass(frozen=True)
class PlaneAbout:
    """What a stream of planes says about itself."""

    layout: Layout
    labels: str
    label_count: int
    mirrored_labels: tuple[int, ...]
    visits: int
    batch: int
    positions: int
    training_scale: float
    """The scale of the sigmoid where nobody says another, in evaluation units."""

    def bytes_of(self, count: int) -> int:
        """Bytes of a frame's arrays."""
        return count * (2 + 4 * self.visits + 6 + self.layout.bytes)


def read_plane_about(source: Source) -> PlaneAbout:
    """Reads what a stream begins with."""
    told = read_text(source)
    try:
        about = PlaneAbout(
            Layout.of(told),
            str(told["labels"]),
            int(told["label_count"]),
            tuple(int(label) for label in told["mirrored_labels"]),
            int(told["visits"]),
            int(told["batch"]),
            int(told["positions"]),
            float(told["training_scale"]),
        )
        size, count = int(told["bytes"]), int(told["count"])
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise StreamError(f"the text of the stream is wrong: {error!r}") from error
    labels = about.label_count
    good = (
        (size, count) == (about.layout.bytes, about.layout.count)
        and 0 < count <= MOST_PLANES
        and about.layout.boards > 0
        and 0 < labels < MOST_LABELS
        and len(about.mirrored_labels) == labels
        and all(0 <= label < labels for label in about.mirrored_labels)
        and 0 <= about.visits <= MOST_VISITED
        and 0 < about.batch <= LARGEST_BATCH
        and 0 < about.positions < 1 << 48
        and 0 < about.training_scale < float("inf")
    )
    if not good:
        raise StreamError("the text of the stream makes no sense")
    return about


@dataclass(frozen=True)
class PlaneBatch:
    """A frame: packed planes and what is known about the positions."""

    about: PlaneAbout
    count: int
    epoch: int
    epoch_ends: bool
    payload: torch.Tensor

    def pinned(self) -> PlaneBatch:
        """The same in memory a device reads by itself."""
        payload = self.payload.pin_memory()
        return PlaneBatch(self.about, self.count, self.epoch, self.epoch_ends, payload)

    def to(self, device: torch.device) -> PlaneBatch:
        """The same batch on another device."""
        payload = self.payload.to(device, non_blocking=True)
        return PlaneBatch(self.about, self.count, self.epoch, self.epoch_ends, payload)

    def part(self, start: int, each: int) -> torch.Tensor:
        """The bytes of an array that begins after `start` bytes per position."""
        return self.payload[start * self.count : (start + each) * self.count]

    def rows(self) -> Rows:
        """The arrays."""
        visits, size = self.about.visits, self.about.layout.bytes
        after = 2 + 4 * visits

        def short(start: int, each: int) -> torch.Tensor:
            return self.part(start, 2 * each).view(torch.int16)

        return Rows(
            self.part(after + 6, size).view(self.count, size),
            short(0, 1),
            short(2, visits).view(self.count, visits),
            short(2 + 2 * visits, visits).view(self.count, visits),
            short(after, 1),
            self.part(after + 4, 1).view(torch.int8),
        )

    def check(self) -> None:
        """Refuses labels that are none: they would end a CUDA program without a word."""
        rows, most = self.rows(), self.about.label_count
        for labels in (rows.label, rows.visited):
            if labels.numel() and not (-1 <= int(labels.min()) and int(labels.max()) < most):
                raise StreamError(f"a label outside 0..{most - 1} in the stream")
        if int(rows.result.min()) < -1 or int(rows.result.max()) > 2:
            raise StreamError("a result outside -1..2 in the stream")


@dataclass(frozen=True)
class Rows:
    """Positions as a stream has them, one after another."""

    packed: torch.Tensor
    """[count, bytes] of uint8."""
    label: torch.Tensor
    """The label of the move, -1 where there is none: int16."""
    visited: torch.Tensor
    """[count, visits]: labels of the moves tried, -1 where there is none."""
    times: torch.Tensor
    """[count, visits]: how often, 16 bits without a sign."""
    score: torch.Tensor
    result: torch.Tensor

    def tensors(self) -> tuple[torch.Tensor, ...]:
        """All of them."""
        return (self.packed, self.label, self.visited, self.times, self.score, self.result)

    def __len__(self) -> int:
        return self.label.shape[0]

    def pick(self, chosen: torch.Tensor | slice) -> Rows:
        """Some of them."""
        return Rows(*(tensor[chosen] for tensor in self.tensors()))

    def to(self, device: torch.device) -> Rows:
        """The same on another device."""
        return Rows(*(tensor.to(device) for tensor in self.tensors()))


def read_plane_batch(source: Source, about: PlaneAbout) -> PlaneBatch | None:
    """Reads the next frame; `None`: the stream ends properly."""
    frame = read_frame(source, about.batch, about.bytes_of)
    if frame is None:
        return None
    count, epoch, flags, payload = frame
    batch = PlaneBatch(about, count, epoch, flags == EPOCH_ENDS, payload)
    if count:
        batch.check()
    return batch


@dataclass(frozen=True)
class PlaneOrder:
    """What to ask of `nue data stream`."""

    nue: str
    files: tuple[str, ...]
    planes: str
    labels: str | None = None
    visits: int = 0
    batch: int = 16384
    seed: int = 1
    epochs: int | None = 1
    first_epoch: int = 0
    threads: int | None = None
    pool: int | None = None
    options: tuple[str, ...] = ()

    def command(self) -> list[str]:
        """The command line."""
        line = [self.nue, "data", "stream", *self.files, "--planes", self.planes]
        line += ["--batch", str(self.batch), "--seed", str(self.seed)]
        line += ["--forever"] if self.epochs is None else ["--epochs", str(self.epochs)]
        line += ["--first-epoch", str(self.first_epoch)]
        if self.labels is not None:
            line += ["--labels", self.labels]
        if self.visits:
            line += ["--visits", str(self.visits)]
        if self.threads is not None:
            line += ["--threads", str(self.threads)]
        if self.pool is not None:
            line += ["--pool", str(self.pool)]
        return line + list(self.options)


class PlaneLoader(BaseLoader[PlaneAbout, PlaneBatch]):
    """Batches of planes, read ahead by a thread. Use it in `with`."""

    def _about(self, source: Source) -> PlaneAbout:
        return read_plane_about(source)

    def _batch(self, source: Source, about: PlaneAbout) -> PlaneBatch | None:
        return read_plane_batch(source, about)


# Planes with a bit per square [count, boards, side, side], and the values of the others.
Seen = tuple[torch.Tensor, torch.Tensor]


class Unpacker:
    """Unpacks planes, on the device they are on."""

    def __init__(self, layout: Layout, device: torch.device) -> None:
        self.layout = layout
        self._masks = torch.tensor([1 << bit for bit in range(8)], dtype=torch.uint8).to(device)
        flags, values = layout.indices("flags"), layout.indices("values")
        worth = [unit for name, units in layout.segments for unit in units if name == "values"]
        self._units = torch.tensor(worth, dtype=torch.float32, device=device)
        constants = sorted(flags + values)
        places = [(flags + values).index(plane) for plane in constants]
        # Flags and values come one after the other; a net may see them mixed.
        self._mixed = places != list(range(len(places)))
        self._places = torch.tensor(places, dtype=torch.long, device=device)
        order = layout.indices("boards") + constants
        self._order: torch.Tensor | None = None
        if order != sorted(order):
            where = [order.index(plane) for plane in range(layout.count)]
            self._order = torch.tensor(where, dtype=torch.long, device=device)

    def __call__(self, packed: torch.Tensor, kind: torch.dtype = torch.float32) -> Seen:
        """Planes of the board, and constants, in the order in which a net sees them."""
        layout, count = self.layout, packed.shape[0]
        squares, size = layout.side**2, layout.bit_bytes
        bits = torch.bitwise_and(packed[:, :size].unsqueeze(2), self._masks).ne(0)
        bits = bits.view(count, 8 * size)
        boards, end = layout.boards * squares, layout.boards * squares + layout.constants
        planes = bits[:, :boards].reshape(count, layout.boards, layout.side, layout.side).to(kind)
        flags = bits[:, boards : end - self._units.shape[0]].to(kind)
        if self._units.shape[0] == 0:
            return planes, flags
        values = packed[:, size:].contiguous().view(torch.int16).to(torch.int32) & 0xFFFF
        constants = torch.cat([flags, (values * self._units).to(kind)], dim=1)
        return planes, constants[:, self._places] if self._mixed else constants

    def whole(self, seen: Seen) -> torch.Tensor:
        """All planes as a net in a file sees them: [count, planes, side, side]."""
        boards, constants = seen
        side = self.layout.side
        wide = constants[:, :, None, None].expand(-1, -1, side, side)
        planes = torch.cat([boards, wide], dim=1)
        return planes if self._order is None else planes[:, self._order]
