"""A residual net that judges positions: a teacher for the small nets of the engine.

It sees the board as planes, made from the K+P features of the side to move, and learns the
probability of winning. It is far too slow for alpha-beta, but it judges millions of positions in
a minute, and what it says of a position is less noisy than one shallow search of it.
"""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional

from .stream import About

MAGIC = b"NueValue"
LONGEST_TEXT = 1 << 16
# Squares of a side, and numbers of pieces in hand, by game (docs/formats/stream.md).
BOARDS = {"shogi": (9, 90), "minishogi": (5, 30)}


class ValueNetError(Exception):
    """A file that is no value net, or a net that does not fit."""


@dataclass(frozen=True)
class ValueKind:
    """What tells one value net from another."""

    game: str
    blocks: int
    channels: int
    scale: float
    """The score at which a win is e times as probable as a loss."""


class Block(nn.Module):
    """Two convolutions and a way past them."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The sum of both ways."""
        y = functional.relu(self.norm1(self.conv1(x)))
        return functional.relu(x + self.norm2(self.conv2(y)))


class ValueNet(nn.Module):
    """From the features of the side to move to the logit of its probability of winning."""

    def __init__(self, kind: ValueKind) -> None:
        super().__init__()
        if kind.game not in BOARDS:
            raise ValueNetError(f"no value net is known for {kind.game!r}")
        self.kind = kind
        self.side, self.in_hand = BOARDS[kind.game]
        squares = self.side**2
        # The numbers behind those of hands: a run of squares for each kind and owner.
        self.planes = 20 if kind.game == "shogi" else 16
        self.inputs = self.in_hand + self.planes * squares
        width = kind.channels
        self.board = nn.Conv2d(self.planes, width, 3, padding=1, bias=False)
        self.hand = nn.Linear(self.in_hand, width, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(kind.blocks)))
        self.shrink = nn.Conv2d(width, 8, 1, bias=False)
        self.shrunk = nn.BatchNorm2d(8)
        self.middle = nn.Linear(8 * squares, 128)
        self.last = nn.Linear(128, 1)

    def check(self, about: About) -> None:
        """Refuses streams whose numbers mean something else."""
        if about.game != self.kind.game or about.inputs != self.inputs or about.groups != 1:
            raise ValueNetError(
                f"a value net of {self.kind.game} needs K+P features (kp, {self.inputs} inputs), "
                f"not {about.features} of {about.game}"
            )

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        """The logits; `numbers` holds the features of the side to move, -1 where there is none."""
        count = numbers.shape[0]
        # One column more for no feature, which is cut off again.
        where = torch.where(numbers < 0, torch.full_like(numbers, self.inputs), numbers).long()
        flat = torch.zeros(count, self.inputs + 1, device=numbers.device)
        flat.scatter_(1, where, 1.0)
        hand = flat[:, : self.in_hand]
        board = flat[:, self.in_hand : self.inputs]
        planes = board.reshape(count, self.planes, self.side, self.side)
        planes = planes.contiguous(memory_format=torch.channels_last)
        x = self.board(planes) + self.hand(hand).view(count, -1, 1, 1)
        x = self.blocks(functional.relu(self.norm(x)))
        x = functional.relu(self.shrunk(self.shrink(x)))
        x = functional.relu(self.middle(x.flatten(1)))
        return self.last(x).squeeze(1).float()


def _arrays(net: ValueNet) -> dict[str, torch.Tensor]:
    """What a file holds: all but the counters that only training needs."""
    return {name: t for name, t in net.state_dict().items() if t.is_floating_point()}


def _shapes(arrays: dict[str, torch.Tensor]) -> list[list[object]]:
    return [[name, list(array.shape)] for name, array in arrays.items()]


def write(path: Path, net: ValueNet) -> None:
    """Writes a value net: magic, length of a JSON text, the text, the numbers in 16 bits each."""
    arrays = {name: array.detach().cpu() for name, array in _arrays(net).items()}
    text = json.dumps({"kind": asdict(net.kind), "arrays": _shapes(arrays)}).encode()
    draft = path.with_name(path.name + ".tmp")
    with draft.open("wb") as file:
        file.write(MAGIC + struct.pack("<I", len(text)) + text)
        for array in arrays.values():
            file.write(array.contiguous().to(torch.float16).numpy().astype("<f2").tobytes())
    draft.replace(path)


def is_value_net(path: Path) -> bool:
    """Whether a file begins as a value net does."""
    with path.open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def read(path: Path) -> ValueNet:
    """Reads a value net."""
    data = path.read_bytes()
    if len(data) < 12 or data[:8] != MAGIC:
        raise ValueNetError(f"{path}: not a value net of nue_trainer")
    (length,) = struct.unpack("<I", data[8:12])
    if length > LONGEST_TEXT or 12 + length > len(data):
        raise ValueNetError(f"{path}: its text is said to have {length} bytes")
    try:
        told = json.loads(data[12 : 12 + length])
        kind = ValueKind(**told["kind"])
        if not (0 < kind.blocks <= 64 and 0 < kind.channels <= 1024 and kind.scale > 0):
            raise ValueError(f"{kind} makes no sense")
        net = ValueNet(kind)
        arrays = _arrays(net)
        if told["arrays"] != _shapes(arrays):
            raise ValueError("its arrays are not those of its kind")
    except (ValueError, KeyError, TypeError) as error:
        raise ValueNetError(f"{path}: {error}") from error
    at = 12 + length
    if len(data) != at + sum(2 * array.numel() for array in arrays.values()):
        raise ValueNetError(f"{path}: has {len(data)} bytes, which is not what its text says")
    with torch.no_grad():
        for array in arrays.values():
            size = 2 * array.numel()
            half = torch.frombuffer(bytearray(data[at : at + size]), dtype=torch.float16)
            array.copy_(half.reshape(array.shape))
            at += size
    return net
