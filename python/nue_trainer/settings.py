"""What a training run is asked to do, and what of it a resumed run must have in common."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from .stream import About


@dataclass(frozen=True)
class Settings:
    """Settings of a run."""

    nue: str
    data: tuple[str, ...]
    out: str
    features: str = "kp"
    width: int = 256
    hidden1: int = 32
    hidden2: int = 32
    fv_scale: int = 16
    factors: bool = True
    init: str | None = None
    validation: tuple[str, ...] = ()
    validation_limit: int = 1_000_000
    agreement: int = 0
    leaf: bool = False
    epochs: int = 10
    batch: int = 16384
    blend: float = 0.7
    blend_end: float | None = None
    scale: float | None = None
    optimiser: str = "adamw"
    weight_decay: float = 0.01
    subspace: int = 100
    ema: float = 0.0
    integers_from: float = 1.0
    cache_file: str | None = None
    teacher: str | None = None
    teacher_weight: float = 0.7
    teacher_data: tuple[str, ...] = ()
    teacher_beside: int = 0
    lr: float = 1e-3
    lr_end: float = 1e-5
    schedule: str = "exponential"
    patience: int = 0
    keep: str = "last"
    seed: int = 1
    mirror: bool = False
    cache: bool = False
    pool: int | None = None
    threads: int | None = None
    device: str = "auto"
    deterministic: bool = True
    resume: bool = False
    force: bool = False
    stream_options: tuple[str, ...] = ()

    def scale_for(self, about: About) -> float:
        """The scale of the sigmoid: as asked for, else the one the stream names."""
        return about.training_scale if self.scale is None else self.scale

    def checkpoint(self) -> str:
        """Where the state of the run is kept."""
        return f"{self.out}.checkpoint"

    def log(self) -> str:
        """Where the figures go, a line of JSON each epoch."""
        return f"{self.out}.jsonl"

    def curve(self) -> str:
        """Where the curve of losses goes."""
        return f"{self.out}.svg"

    def identity(self) -> dict[str, Any]:
        """What decides the result: a run is only resumed with the same."""
        passing = ["nue", "threads", "device", "resume", "force", "out", "cache_file", "agreement"]
        if not self.leaf:
            # Runs begun before there was a choice are the same.
            passing.append("leaf")
        if self.subspace == 100:
            passing.append("subspace")
        if not self.teacher_beside:
            passing.append("teacher_beside")
        told = {key: value for key, value in asdict(self).items() if key not in passing}
        return {key: list(v) if isinstance(v, tuple) else v for key, v in told.items()}
