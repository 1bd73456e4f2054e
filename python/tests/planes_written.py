"""Streams of planes written by the tests, byte by byte as docs/formats/stream.md says."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# 5x5 squares, planes mixed as in Aoba's: 2 + 1 of the board, 2 values, 1 + 1 flags.
SEGMENTS: list[dict[str, Any]] = [
    {"boards": 2},
    {"values": [0.5, 2.0]},
    {"flags": 1},
    {"boards": 1},
    {"flags": 1},
]
# 3 * 25 bits and 2 flags are 10 bytes, 2 values 4 bytes.
SIZE = 14
LABELS = 50
ABOUT: dict[str, Any] = {
    "planes": "mixed",
    "labels": "two",
    "game": "minishogi",
    "count": 7,
    "bytes": SIZE,
    "side": 5,
    "segments": SEGMENTS,
    "label_count": LABELS,
    # Two planes of labels; mirrored, file f becomes 4 - f.
    "mirrored_labels": [
        25 * (n // 25) + 5 * (4 - n % 25 // 5) + n % 5 for n in range(LABELS)
    ],
    "visits": 0,
    "batch": 256,
    "positions": 7,
    "training_scale": 600.0,
    "pawn": 90,
}


@dataclass(frozen=True)
class Position:
    """A position as a stream has it."""

    boards: tuple[frozenset[int], ...]
    values: tuple[int, int] = (0, 0)
    flags: tuple[int, int] = (0, 0)
    label: int = -1
    visits: dict[int, int] = field(default_factory=dict)
    score: int = 0
    result: int = 0

    def packed(self) -> bytes:
        """The bits and values."""
        bits = [int(square in plane) for plane in self.boards for square in range(25)]
        bits += self.flags
        number = sum(bit << at for at, bit in enumerate(bits))
        return number.to_bytes(10, "little") + struct.pack("<2H", *self.values)


def preamble(about: dict[str, Any] = ABOUT) -> bytes:
    """What a stream begins with."""
    text = json.dumps(about).encode()
    return b"NueStrm\n" + struct.pack("<II", 1, len(text)) + text


def frame(positions: Sequence[Position], visits: int = 0, epoch: int = 0, flags: int = 0) -> bytes:
    """A frame."""
    out = b"NBat" + struct.pack("<III", len(positions), epoch, flags)
    out += b"".join(struct.pack("<h", p.label) for p in positions)
    tried = [(list(p.visits.items()) + [(-1, 0)] * visits)[:visits] for p in positions]
    out += b"".join(struct.pack("<h", label) for row in tried for label, _ in row)
    out += b"".join(struct.pack("<H", times) for row in tried for _, times in row)
    out += b"".join(struct.pack("<h", p.score) for p in positions)
    out += b"".join(struct.pack("<H", 1) for _ in positions)
    out += b"".join(struct.pack("<b", p.result) for p in positions)
    out += b"".join(b"\0" for _ in positions)
    return out + b"".join(p.packed() for p in positions)


END = b"NBat" + struct.pack("<III", 0, 0, 2)


def planted(count: int, seed: int) -> list[Position]:
    """Positions whose move is where the one piece stands, and whose value is its side."""
    lot = random.Random(seed)
    found = []
    for _ in range(count):
        square, other, flag = lot.randrange(25), lot.randrange(25), lot.randrange(2)
        boards = (frozenset([square]), frozenset([other]), frozenset())
        won = square >= 13
        found.append(
            Position(
                boards,
                (lot.randrange(3), 1),
                (flag, 0),
                square + 25 * flag,
                score=900 if won else -900,
                result=1 if won else -1,
            )
        )
    return found


def executable(folder: Path, name: str, positions: Sequence[Position]) -> str:
    """A program that sends these positions in one epoch, whatever it is asked for."""
    stream = folder / f"{name}.stream"
    about = {**ABOUT, "positions": len(positions)}
    parts = [positions[at : at + 256] for at in range(0, len(positions), 256)]
    frames = [frame(part, flags=int(part is parts[-1])) for part in parts]
    stream.write_bytes(preamble(about) + b"".join(frames) + END)
    script = folder / name
    script.write_text(f'#!/bin/sh\nexec cat "{stream}"\n')
    script.chmod(0o755)
    return str(script)
