"""The state of a run on disk: written whole or not at all, after every epoch."""

from __future__ import annotations

import inspect
import json
import os
from pathlib import Path
from typing import Any

import torch

VERSION = 1


class CheckpointError(Exception):
    """A checkpoint that cannot be used."""


def save(path: Path, facts: dict[str, Any], tensors: dict[str, Any]) -> None:
    """Writes a checkpoint: facts as JSON, tensors as torch keeps them."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as file:
            state = {"version": VERSION, "facts": json.dumps(facts), "tensors": tensors}
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def load(path: Path, identity: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reads facts and tensors of a run with the same settings."""
    # Tensors and plain values only, where torch can promise that: a file is no program.
    safe = "weights_only" in inspect.signature(torch.load).parameters
    options: dict[str, Any] = {"weights_only": True} if safe else {}
    try:
        state = torch.load(path, map_location="cpu", **options)
        version, facts = state["version"], json.loads(state["facts"])
        found, tensors = facts["identity"], state["tensors"]
    except Exception as error:  # whatever a damaged archive makes of itself
        raise CheckpointError(f"{path}: not a checkpoint that can be read: {error}") from error
    if version != VERSION:
        raise CheckpointError(f"{path}: version {version} is not known (known is {VERSION})")
    different = [key for key in identity if found.get(key) != identity[key]]
    # More epochs may be asked for only where the learning rate does not depend on their number.
    if different == ["epochs"] and identity.get("schedule") == "constant":
        different = []
    if different:
        told = ", ".join(f"{key} {found.get(key)!r} not {identity[key]!r}" for key in different)
        raise CheckpointError(f"{path}: of a run with other settings: {told}")
    return facts, tensors
