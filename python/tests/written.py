"""Streams written by the tests, byte by byte as docs/formats/stream.md says."""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

SMALL = {
    "features": "HalfKP(Friend)",
    "game": "shogi",
    "inputs": 60,
    "slots": 3,
    "pieces": 20,
    "effect_stride": 0,
    "batch": 100,
    "positions": 7,
    "training_scale": 600.0,
    "pawn": 90,
    "pool": 1000,
    "seed": 1,
}


@dataclass(frozen=True)
class Position:
    """A position as a stream has it."""

    bases: tuple[int, int]
    own: tuple[int, ...]
    other: tuple[int, ...]
    score: int = 0
    result: int = 0
    turn: int = 0
    ply: int = 1


def preamble(about: dict[str, Any] = SMALL, version: int = 1) -> bytes:
    """What a stream begins with."""
    text = json.dumps(about).encode()
    return b"NueStrm\n" + struct.pack("<II", version, len(text)) + text


def frame(positions: Sequence[Position], slots: int = 3, epoch: int = 0, flags: int = 0) -> bytes:
    """A frame."""
    out = b"NBat" + struct.pack("<III", len(positions), epoch, flags)

    def array(kind: str, values: Sequence[int]) -> bytes:
        return struct.pack(f"<{len(values)}{kind}", *values)

    def padded(side: tuple[int, ...]) -> list[int]:
        return list(side) + [-1] * (slots - len(side))

    out += array("I", [p.bases[0] for p in positions])
    out += array("I", [p.bases[1] for p in positions])
    out += array("h", [n for p in positions for n in padded(p.own)])
    out += array("h", [n for p in positions for n in padded(p.other)])
    out += array("h", [p.score for p in positions])
    out += array("H", [p.ply for p in positions])
    out += array("b", [p.result for p in positions])
    out += array("B", [p.turn for p in positions])
    out += array("B", [len(p.own) for p in positions])
    return out + array("B", [len(p.other) for p in positions])


END = b"NBat" + struct.pack("<III", 0, 0, 2)
