"""Nets in real numbers (`.nuef`): what trainers hand to `nue net import` and to each other.

Magic, length of a JSON text, the text, then 32-bit real numbers: for transformer, first layer,
second layer and output each the biases and then the weights, a row per feature in the
transformer and a row per output elsewhere. The lowest byte comes first.
"""

from __future__ import annotations

import json
import os
import struct
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

MAGIC = b"NueFloat"
LONGEST_TEXT = 1 << 20
# What an output of 1 is worth in the integers of the engine, before the divisor.
OUTPUT_UNIT = 127 * 64
# Largest weight the integers hold after the first layer.
LARGEST_WEIGHT = 127 / 64


class FloatFileError(Exception):
    """A file that is not a net in real numbers."""


@dataclass(frozen=True)
class Kind:
    """What tells one kind of net from another."""

    features: str
    game: str
    inputs: int
    width: int
    hidden1: int
    hidden2: int

    def shapes(self) -> list[tuple[int, ...]]:
        """Shapes of the arrays, in the order of the file."""
        return [
            (self.width,),
            (self.inputs, self.width),
            (self.hidden1,),
            (self.hidden1, 2 * self.width),
            (self.hidden2,),
            (self.hidden2, self.hidden1),
            (1,),
            (1, self.hidden2),
        ]


@dataclass(frozen=True)
class FloatNet:
    """A net in real numbers."""

    kind: Kind
    arrays: list[torch.Tensor]
    fv_scale: int = 16
    notes: dict[str, Any] = field(default_factory=dict)
    win_rate_scale: float | None = None
    """What a score is worth, in hundredths of a pawn, if it is known."""


def write(path: Path, net: FloatNet) -> None:
    """Writes a file, whole or not at all."""
    kind = net.kind
    worth = {} if net.win_rate_scale is None else {"win_rate_scale": net.win_rate_scale}
    text = json.dumps(
        {
            "architecture": f"{kind.features} {kind.width}x2-{kind.hidden1}-{kind.hidden2}",
            "features": kind.features,
            "width": kind.width,
            "hidden1": kind.hidden1,
            "hidden2": kind.hidden2,
            "game": kind.game,
            "fv_scale": net.fv_scale,
            **worth,
            "notes": net.notes,
        }
    ).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as file:
            file.write(MAGIC + struct.pack("<I", len(text)) + text)
            for array, shape in zip(net.arrays, kind.shapes()):
                if tuple(array.shape) != shape:
                    raise FloatFileError(f"an array of shape {tuple(array.shape)}, not {shape}")
                if not bool(torch.isfinite(array).all()):
                    raise FloatFileError("the net has parameters that are not finite")
                _write_floats(file, array)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _write_floats(file: Any, array: torch.Tensor) -> None:
    flat = array.detach().to("cpu", torch.float32).contiguous().view(-1)
    _little_endian()
    # A view of the tensor's memory; torch alone has no other way to its bytes.
    storage = bytearray(4 * flat.numel())
    if flat.numel():
        torch.frombuffer(storage, dtype=torch.float32).copy_(flat)
    file.write(storage)


def read(path: Path, inputs: int | None = None) -> FloatNet:
    """Reads a file. Where `inputs` is known it must agree with the size of the file."""
    _little_endian()
    data = path.read_bytes()
    if data[: len(MAGIC)] != MAGIC or len(data) < 12:
        raise FloatFileError(f"{path}: not a net in real numbers")
    (length,) = struct.unpack_from("<I", data, 8)
    if length > LONGEST_TEXT or 12 + length > len(data):
        raise FloatFileError(f"{path}: the file ends inside its description")
    try:
        told = json.loads(data[12 : 12 + length])
        width, h1, h2 = (int(told[name]) for name in ("width", "hidden1", "hidden2"))
        features, game = str(told["features"]), str(told["game"])
        fv_scale = int(told.get("fv_scale", 16))
        notes = told.get("notes") or {}
        worth = told.get("win_rate_scale")
        worth = None if worth is None else float(worth)
    except (ValueError, KeyError, TypeError) as error:
        raise FloatFileError(f"{path}: the description is wrong: {error!r}") from error
    sensible = worth is None or 1 <= worth <= 100_000
    if min(width, h1, h2, fv_scale) < 1 or not sensible:
        raise FloatFileError(f"{path}: the description makes no sense: {told!r}")
    count, rest = divmod(len(data) - 12 - length, 4)
    layers = h1 * (1 + 2 * width) + h2 * (1 + h1) + 1 + h2
    found, odd = divmod(count - layers - width, width)
    if rest or odd or found < 1 or (inputs is not None and found != inputs):
        wanted = "" if inputs is None else f" with {inputs} inputs"
        raise FloatFileError(f"{path}: {len(data)} bytes are not a net {told!r}{wanted}")
    kind = Kind(features, game, found, width, h1, h2)
    arrays, at = [], 12 + length
    for shape in kind.shapes():
        size = 4 * int(torch.Size(shape).numel())
        piece = bytearray(data[at : at + size])
        arrays.append(torch.frombuffer(piece, dtype=torch.float32).view(shape))
        at += size
    if not all(bool(torch.isfinite(array).all()) for array in arrays):
        raise FloatFileError(f"{path}: parameters that are not finite")
    notes = notes if isinstance(notes, dict) else {"notes": notes}
    return FloatNet(kind, arrays, fv_scale, notes, worth)


def _little_endian() -> None:
    if sys.byteorder != "little":
        raise FloatFileError("only machines that put the lowest byte first are supported")
