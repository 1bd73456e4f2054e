"""What a run of a policy-value net is asked to do."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .planes import PlaneOrder

# Files of a folder that are trained on.
SUFFIXES = (".teacher", ".hcpe", ".hcpe3", ".psv")


@dataclass(frozen=True)
class DeepSettings:
    """Settings of a run."""

    nue: str
    data: tuple[str, ...]
    out: str
    planes: str = "dlshogi"
    labels: str | None = None
    blocks: int = 10
    channels: int = 192
    stem: str = "wide"
    activation: str = "relu"
    reduction: int = 0
    value_channels: int = 0
    value_hidden: int = 256
    init: str | None = None
    mixed: tuple[str, ...] = ()
    mixed_share: float = 0.0
    validation: tuple[str, ...] = ()
    validation_limit: int = 200_000
    limit: int | None = None
    epochs: int = 1
    minutes: float = 0.0
    samples: int = 0
    batch: int = 4096
    blend: float = 0.5
    scale: float | None = None
    value_weight: float = 1.0
    reinforce: float = 0.0
    visits: int = 0
    optimiser: str = "sgd"
    lr: float = 0.08
    lr_end: float = 2e-4
    warm_up: float = 0.02
    weight_decay: float = 1e-4
    clip: float = 10.0
    precision: str = "auto"
    ema: float = 0.0
    swa: bool = False
    across: float = 0.0
    average_from: float = 0.5
    mirror: bool = False
    streamed: bool = False
    by_file: bool = False
    compile: bool = False
    onnx: str | None = None
    checks: int = 4
    seed: int = 1
    threads: int | None = None
    pool: int | None = None
    device: str = "auto"
    resume: bool = False
    force: bool = False
    stream_options: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if bool(self.mixed) != (0 < self.mixed_share < 1):
            told = f"{len(self.mixed)} files and {self.mixed_share}"
            raise ValueError(f"--mixed needs files and --mixed-share above 0 and below 1, not {told}")
        if self.mixed and self.streamed:
            raise ValueError("--mixed is for positions that are kept: not with --streamed")
        if self.minutes and self.samples:
            raise ValueError(f"--minutes {self.minutes:g} and --samples {self.samples}: a run has one length")
        if self.across and self.init is None:
            raise ValueError("--across averages with what --init has written: name it")

    def by_epochs(self) -> bool:
        """Whether the run ends after whole passes, not after a time or a number of positions."""
        return not (self.minutes or self.samples)

    def checkpoint(self) -> str:
        """Where the state of the run is kept."""
        return f"{self.out}.checkpoint"

    def log(self) -> str:
        """Where the figures go, in lines of JSON."""
        return f"{self.out}.jsonl"

    def files(self) -> tuple[str, ...]:
        """The files to train on: those of folders too, but none that is validated on."""
        held = {Path(name).resolve() for name in self.validation}
        found: list[str] = []
        for name in self.data:
            path = Path(name)
            there = [path]
            if path.is_dir():
                there = sorted(p for p in path.iterdir() if p.suffix in SUFFIXES)
            found += [str(p) for p in there if p.resolve() not in held]
        if not found:
            raise ValueError(f"no files to train on in {' '.join(self.data)}")
        return tuple(found)

    def order(self, files: tuple[str, ...], first_epoch: int = 0) -> PlaneOrder:
        """What to ask `nue data stream` for."""
        return PlaneOrder(
            nue=self.nue,
            files=files,
            planes=self.planes,
            labels=self.labels,
            visits=self.visits,
            seed=self.seed,
            first_epoch=first_epoch,
            threads=self.threads,
            pool=self.pool,
            options=self.stream_options,
        )

    def identity(self) -> dict[str, Any]:
        """What decides the result: a run is only resumed with the same."""
        passing = ("nue", "threads", "device", "resume", "force", "out", "onnx", "minutes")
        told = {key: value for key, value in asdict(self).items() if key not in passing}
        if not self.samples:
            # Runs begun before there was such a length go on.
            del told["samples"]
        return {key: list(v) if isinstance(v, tuple) else v for key, v in told.items()}
