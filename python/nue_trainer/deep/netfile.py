"""Files of policy-value nets in real numbers (`.nuedf`): what the trainer hands to the engine.

A line of JSON that ends in a line feed, then all tensors as real numbers of 32 or 16 bits, the
lowest byte first, in the order of the line's `tensors`; its `crc32` is over them.
docs/formats/deep.md.
"""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import Any

import torch

from .nets import DeepKind, FoldedNet, NetError
from .planes import Layout

FORMAT = "nue-deep"
VERSION = 1
LONGEST_LINE = 1 << 20
# What the line's `numbers` may say, and how such numbers lie in the file and in memory.
NUMBERS = {"float32": ("<f4", torch.float32), "float16": ("<f2", torch.float16)}


class NetFileError(Exception):
    """A file that is not a policy-value net."""


def header(kind: DeepKind, notes: dict[str, Any]) -> dict[str, Any]:
    """What the first line says, without the checksum."""
    layout = kind.layout.as_dict()
    special = {"reduction": kind.reduction} if kind.reduction else {}
    if not kind.head_channels:
        special["policy_channels"] = kind.policy_channels
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": kind.layout.game,
        "planes": kind.layout.planes,
        "labels": kind.labels,
        "kind": "se-resnet" if kind.reduction else "resnet",
        "blocks": kind.blocks,
        "channels": kind.channels,
        "activation": kind.activation,
        "head_channels": kind.head_channels,
        "value_channels": kind.valued,
        "value_hidden": kind.value_hidden,
        **special,
        "label_count": kind.label_count,
        "segments": layout["segments"],
        "tensors": [[name, list(shape)] for name, shape in kind.shapes().items()],
        "notes": notes,
    }


def _bytes(tensor: torch.Tensor, numbers: str) -> bytes:
    stored, kept = NUMBERS[numbers]
    flat = tensor.detach().to("cpu", kept).contiguous().view(-1)
    if not bool(torch.isfinite(flat).all()):
        raise NetFileError(f"the net has parameters that are not finite as {numbers}")
    return bytes(flat.numpy().astype(stored).tobytes())


def write(path: Path, net: FoldedNet, notes: dict[str, Any], numbers: str = "float32") -> None:
    """Writes a file, whole or not at all."""
    tensors = net.state_dict()
    parts = [_bytes(tensors[name], numbers) for name in net.kind.shapes()]
    crc = 0
    for part in parts:
        crc = zlib.crc32(part, crc)
    # Files of 32 bits do not say so: they are older than the others.
    special = {} if numbers == "float32" else {"numbers": numbers}
    line = json.dumps({**header(net.kind, notes), **special, "crc32": crc}).encode() + b"\n"
    if len(line) > LONGEST_LINE:
        raise NetFileError(f"a first line of {len(line)} bytes")
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as file:
            file.write(line)
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def read(path: Path) -> FoldedNet:
    """Reads a file."""
    data = path.read_bytes()
    end = data.find(b"\n", 0, LONGEST_LINE)
    if end < 0 or not data.startswith(b"{"):
        raise NetFileError(f"{path}: not a policy-value net in real numbers")
    try:
        told = json.loads(data[:end])
        if told["format"] != FORMAT or told["version"] != VERSION:
            raise ValueError(f"{told['format']} of version {told['version']}")
        layout = Layout.of(told)
        kind = DeepKind(
            layout,
            str(told["labels"]),
            int(told["label_count"]),
            int(told["blocks"]),
            int(told["channels"]),
            str(told["activation"]),
            int(told.get("reduction", 0)),
            int(told["value_channels"]),
            int(told["value_hidden"]),
            int(told.get("policy_channels", 32)),
        )
        shapes = kind.shapes()
        if [[name, list(shape)] for name, shape in shapes.items()] != told["tensors"]:
            raise ValueError("its tensors are not those of its kind")
        crc = int(told["crc32"])
        numbers = str(told.get("numbers", "float32"))
        if numbers not in NUMBERS:
            raise ValueError(f"numbers of kind {numbers}")
    except (ValueError, KeyError, TypeError, AttributeError, NetError) as error:
        raise NetFileError(f"{path}: the first line is wrong: {error}") from error
    body = memoryview(data)[end + 1 :]
    kept = NUMBERS[numbers][1]
    wide = torch.finfo(kept).bits // 8
    sizes = {name: wide * int(torch.Size(shape).numel()) for name, shape in shapes.items()}
    if len(body) != sum(sizes.values()):
        raise NetFileError(f"{path}: {len(body)} bytes of numbers, not {sum(sizes.values())}")
    if zlib.crc32(body) != crc:
        raise NetFileError(f"{path}: damaged: the checksum of its numbers is wrong")
    tensors, at = {}, 0
    for name, shape in shapes.items():
        part = bytearray(body[at : at + sizes[name]])
        tensors[name] = torch.frombuffer(part, dtype=kept).float().reshape(shape)
        at += sizes[name]
    return FoldedNet.of(kind, tensors)
