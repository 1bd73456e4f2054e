"""The loop that trains a policy-value net."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import nn

from .. import checkpoint
from ..average import Across, Average
from ..training import TrainingError
from . import netfile
from .beginning import begin
from .export import export, export_onnx
from .nets import DeepKind, DeepNet
from .objective import SUMS, DeepLosses, DeepObjective
from .planes import PlaneAbout, Rows, Unpacker
from .settings import DeepSettings
from .supply import (
    DeepSupply,
    KeptFiles,
    Mirror,
    StreamedPlanes,
    kept_supply,
    read_rows,
    seen_by,
)
from .team import Team

Say = Callable[[str], None]
# Seconds between lines of the log.
REPORT = 15.0
# Steps between two additions to the average.
AVERAGE_EVERY = 10
# Batches that batch norms are measured on: after averaging, and where a file has none.
MEASURED = 64
# Share of `--minutes` kept for what comes after training, and its bounds in seconds.
RESERVE, LEAST_RESERVE, MOST_RESERVE = 0.05, 1.0, 15.0
PRECISIONS = {"fp32": None, "bf16": torch.bfloat16, "fp16": torch.float16}


def kind_of(about: PlaneAbout, settings: DeepSettings) -> DeepKind:
    """The net a run is asked for."""
    return DeepKind(
        about.layout,
        about.labels,
        about.label_count,
        settings.blocks,
        settings.channels,
        settings.activation,
        settings.reduction,
        settings.value_channels,
        settings.value_hidden,
    )


class DeepRun:
    """A run: the net, its optimiser, and how far they are."""

    def __init__(
        self,
        settings: DeepSettings,
        team: Team,
        say: Say = print,
        files: KeptFiles | None = None,
    ) -> None:
        self.begun = time.monotonic()
        self.settings, self.team = settings, team
        self._files = files or KeptFiles()
        self.say: Say = say if team.leads else lambda _: None
        self.device = team.device
        self._check_output()
        torch.manual_seed(settings.seed)
        torch.backends.cudnn.benchmark = self.device.type == "cuda"
        state = self._state()
        self.step, self.epoch, self.positions, self.done_before = 0, 0, 0, 0.0
        self.records: list[dict[str, Any]] = []
        if state is not None:
            self.epoch = int(state[0]["epoch"])
        self.supply = self._supply()
        about = self.supply.about
        self.scale = about.training_scale if settings.scale is None else settings.scale
        self.objective = DeepObjective(
            settings.blend, self.scale, settings.value_weight, settings.reinforce
        )
        self.unpacker = Unpacker(about.layout, self.device)
        # Every process mirrors others.
        seed = settings.seed * 1000 + team.rank
        self.mirror = Mirror(about, self.device, seed) if settings.mirror else None
        self.net = DeepNet(kind_of(about, settings), settings.stem)
        self.net.to(self.device, memory_format=torch.channels_last)
        written: list[torch.Tensor] = []
        if settings.init is not None and (state is None or settings.across):
            written = begin(self.net, Path(settings.init), self._positions_to_measure)
        self.optimiser = self._optimiser()
        self.precision = self._precision()
        self.number = self.precision or torch.float32
        # Later versions have it in another place, and warn of this one.
        made: Any = getattr(torch.amp, "GradScaler", None) or torch.cuda.amp.GradScaler
        self.scaler = made(enabled=self.precision is torch.float16)
        self.average: Average | None = None
        if settings.ema or settings.swa:
            # With a memory that does not fade all steps count alike: stochastic weight averaging.
            self.average = Average(self.net, 1.0 if settings.swa else settings.ema)
        elif settings.across:
            self.average = Across(self.net, settings.across, written)
        if state is not None:
            self._restore(*state)
        self.model: nn.Module = team.wrap(self.net)
        if settings.compile:
            self.model = torch.compile(self.model)  # type: ignore[attr-defined]
        self.validation = self._read_validation()
        read = time.monotonic() - self.begun
        self.say(f"{self.device}: {about.positions:,} positions in {read:.1f} s, {self._told()}")

    def _check_output(self) -> None:
        settings = self.settings
        if settings.resume or settings.force:
            return
        for path in (settings.out, settings.checkpoint()):
            if Path(path).exists():
                raise TrainingError(f"{path}: exists; --resume continues it, --force replaces it")

    def _state(self) -> tuple[dict[str, Any], dict[str, Any]] | None:
        path = Path(self.settings.checkpoint())
        if not self.settings.resume or not path.exists():
            return None
        state = checkpoint.load(path, self.settings.identity())
        processes = int(state[0].get("processes", 1))
        if processes != self.team.world:
            raise checkpoint.CheckpointError(
                f"{path}: of a run in {processes} processes, not {self.team.world}: each has its share "
                "of the positions, so as many must go on"
            )
        return state

    def _supply(self) -> DeepSupply:
        settings = self.settings
        order = settings.order(settings.files(), self.epoch)
        if settings.by_file or not settings.streamed:
            return kept_supply(settings, order, self.team, self._files)
        from dataclasses import replace

        left = max(settings.epochs - self.epoch, 0) if settings.by_epochs() else None
        return StreamedPlanes(replace(order, epochs=left), settings.batch, self.team)

    def _positions_to_measure(self) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """The planes of some positions."""
        for rows in self.supply.some(MEASURED):
            yield self.unpacker(rows.packed)

    def _optimiser(self) -> torch.optim.Optimizer:
        settings = self.settings
        # Biases and batch norms are not pulled to zero.
        wide = [p for p in self.net.parameters() if p.ndim > 1]
        flat = [p for p in self.net.parameters() if p.ndim <= 1]
        groups = [
            {"params": wide, "weight_decay": settings.weight_decay},
            {"params": flat, "weight_decay": 0.0},
        ]
        if settings.optimiser == "adamw":
            fused = self.device.type == "cuda" and int(torch.__version__.split(".")[0]) >= 2
            options: dict[str, Any] = {"fused": True} if fused else {}
            return torch.optim.AdamW(groups, lr=settings.lr, **options)
        return torch.optim.SGD(groups, lr=settings.lr, momentum=0.9, nesterov=True)

    def _precision(self) -> torch.dtype | None:
        name = self.settings.precision
        if name == "auto":
            name = "bf16" if self.device.type == "cuda" else "fp32"
        if name == "fp16" and self.device.type != "cuda":
            raise TrainingError("fp16 needs CUDA: choose bf16 or fp32")
        return PRECISIONS[name]

    def _restore(self, facts: dict[str, Any], tensors: dict[str, Any]) -> None:
        self.net.load_state_dict(tensors["net"])
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": tensors["optimiser"], "param_groups": groups})
        self.scaler.load_state_dict(tensors["scaler"])
        if self.average is not None:
            self.average.restore(tensors["average"])
        self.step, self.positions = int(facts["step"]), int(facts["positions"])
        self.records, self.done_before = list(facts["records"]), float(facts["progress"])
        self.say(f"resumed after {self.done_before:.0%}, epoch {self.epoch}")

    def _read_validation(self) -> Rows | None:
        settings = self.settings
        if not settings.validation or not self.team.leads:
            return None
        order = settings.order(settings.validation)
        about, rows = read_rows(order, self.device, limit=settings.validation_limit)
        if about.layout != self.supply.about.layout:
            raise TrainingError("the files validated on hold another game")
        return rows

    def _told(self) -> str:
        parameters = sum(p.numel() for p in self.net.parameters())
        settings = self.settings
        return f"{settings.blocks}x{settings.channels}, {parameters / 1e6:.2f} M parameters"

    def rate(self, progress: float) -> float:
        """The learning rate: a warm-up, then a cosine."""
        settings = self.settings
        if progress < settings.warm_up:
            return settings.lr * (0.05 + 0.95 * progress / settings.warm_up)
        share = (progress - settings.warm_up) / max(1 - settings.warm_up, 1e-9)
        share = min(max(share, 0.0), 1.0)
        return settings.lr_end + (settings.lr - settings.lr_end) * (
            0.5 + 0.5 * math.cos(math.pi * share)
        )

    def autocast(self) -> torch.autocast:
        """Sixteen bits where they are wanted."""
        kind = self.precision or torch.bfloat16
        return torch.autocast(self.device.type, kind, enabled=self.precision is not None)

    def learn(self, rows: Rows, progress: float) -> torch.Tensor:
        """One step; gives the sums of its losses."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.rate(progress)
        seen, rows = seen_by(self.unpacker, rows, self.mirror, self.number, self.step)
        with self.autocast():
            answer = self.model(*seen)
        loss, sums = self.objective.measure(answer, rows)
        self.optimiser.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimiser)
        if self.settings.clip:
            nn.utils.clip_grad_norm_(self.net.parameters(), self.settings.clip)
        self.scaler.step(self.optimiser)
        self.scaler.update()
        self.step += 1
        averaging = progress >= self.settings.average_from
        if self.average is not None and averaging and self.step % AVERAGE_EVERY == 0:
            self.average.add(self.net)
        return sums

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """The net is its average meanwhile, with batch norms measured anew."""
        if self.average is None or not self.average.begun:
            yield
            return
        kept = {name: buffer.clone() for name, buffer in self.net.named_buffers()}
        with self.average.instead_of(self.net):
            self._measure_norms()
            try:
                yield
            finally:
                for name, buffer in self.net.named_buffers():
                    buffer.copy_(kept[name])

    @torch.no_grad()
    def _measure_norms(self) -> None:
        norms = [m for m in self.net.modules() if isinstance(m, nn.BatchNorm2d)]
        momenta = [norm.momentum for norm in norms]
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None  # the mean of all batches
        self.net.train()
        for rows in self.supply.some(MEASURED):
            with self.autocast():
                self.net(*self.unpacker(rows.packed, self.number))
        for norm, momentum in zip(norms, momenta):
            norm.momentum = momentum

    @torch.no_grad()
    def validate(self) -> DeepLosses | None:
        """The losses on positions not trained on."""
        if self.validation is None:
            return None
        self.net.eval()
        sums = torch.zeros(SUMS, dtype=torch.float64, device=self.device)
        size = min(self.settings.batch, 8192)
        for start in range(0, len(self.validation), size):
            rows = self.validation.pick(slice(start, start + size))
            with self.autocast():
                answer = self.net(*self.unpacker(rows.packed, self.number))
            sums += self.objective.measure(answer, rows)[1]
        return DeepLosses.of(sums)

    def _clock(self) -> Callable[[], float]:
        """How much of the run is done, from 0 to 1 and beyond."""
        settings = self.settings
        if settings.samples:
            # The same in every process: each counts what all have read.
            return lambda: self.positions / settings.samples
        if not settings.minutes:
            every = max(settings.epochs * self.supply.steps, 1)
            return lambda: self.step / every
        whole = 60 * settings.minutes
        reserve = min(max(RESERVE * whole, LEAST_RESERVE), MOST_RESERVE)
        started = time.monotonic()
        # Reading counts as well, so that a run ends when it was told to.
        seconds = max(whole - reserve - (started - self.begun), 1.0)
        before = self.done_before
        return lambda: before + (1 - before) * (time.monotonic() - started) / seconds

    def all(self) -> dict[str, Any]:
        """Trains to the end, writes the net, and gives the last line of the log."""
        settings, clock = self.settings, self._clock()
        sums = torch.zeros(SUMS, dtype=torch.float64, device=self.device)
        started = reported = time.monotonic()
        positions_before, checked = self.positions, math.floor(clock() * settings.checks)
        progress, over = clock(), False
        by_epochs = settings.by_epochs()
        while not over and (not by_epochs or self.epoch < settings.epochs):
            self.net.train()
            for rows in self.supply.epoch(self.epoch):
                progress = self.team.agreed(clock()) if settings.minutes else clock()
                if not by_epochs and progress >= 1:
                    over = True
                    break
                sums += self.learn(rows, progress)
                self.positions += len(rows) * self.team.world
                now = time.monotonic()
                if not by_epochs and self.team.agreed(now - reported) > REPORT:
                    reported = now
                    due = math.floor(progress * settings.checks) > checked
                    checked = math.floor(progress * settings.checks)
                    speed = (self.positions - positions_before) / (now - started)
                    self.report(progress, sums, speed, due)
                    sums.zero_()
            if not over:
                self.epoch += 1
            if by_epochs:
                now = time.monotonic()
                speed = (self.positions - positions_before) / max(now - started, 1e-9)
                self.report(clock(), sums, speed, True)
                sums.zero_()
        return self.finish(time.monotonic() - started, self.positions - positions_before)

    def report(self, progress: float, sums: torch.Tensor, speed: float, due: bool) -> None:
        """A line of the log; with validation and a checkpoint where it is time for them."""
        losses = DeepLosses.of(self.team.total(sums))
        if not math.isfinite(losses.total):
            raise TrainingError(f"the loss is {losses.total} after {self.step} steps")
        record: dict[str, Any] = {
            "progress": round(progress, 4),
            "epoch": self.epoch,
            "step": self.step,
            "positions": self.positions,
            "lr": self.optimiser.param_groups[0]["lr"],
            **losses.as_dict(),
            "positions_per_second": round(speed),
        }
        if due:
            with self.averaged():
                found = self.validate()
            record.update(found.as_dict("validation_") if found else {})
            self.net.train()
        self._write(record)
        if due:
            self.save(progress)

    def _write(self, record: dict[str, Any]) -> None:
        self.records.append(record)
        if not self.team.leads:
            return
        self.say(json.dumps(record))
        Path(self.settings.log()).write_text("".join(json.dumps(r) + "\n" for r in self.records))

    def save(self, progress: float) -> None:
        """Writes the checkpoint."""
        if not self.team.leads:
            return
        facts = {
            "identity": self.settings.identity(),
            "processes": self.team.world,
            "epoch": self.epoch,
            "step": self.step,
            "positions": self.positions,
            "progress": min(progress, 1.0),
            "records": self.records,
        }
        # Settings of the optimiser follow from those of the run: only what it has learned is kept.
        tensors: dict[str, Any] = {
            "net": self.net.state_dict(),
            "optimiser": self.optimiser.state_dict()["state"],
            "scaler": self.scaler.state_dict(),
        }
        if self.average is not None:
            tensors["average"] = self.average.state()
        checkpoint.save(Path(self.settings.checkpoint()), facts, tensors)

    def finish(self, seconds: float, positions: int) -> dict[str, Any]:
        """Validates, writes the net in all forms asked for, and compares them with it."""
        settings = self.settings
        with self.averaged():
            found = self.validate()
            record: dict[str, Any] = {
                "progress": 1.0,
                "final": True,
                "net": self._told(),
                "step": self.step,
                "positions": self.positions,
                "seconds": round(seconds, 1),
                "positions_per_second": round(positions / max(seconds, 1e-9)),
                **(found.as_dict("validation_") if found else {}),
            }
            if self.team.leads:
                record["export"] = self._export(record)
        self._write(record)
        self.save(1.0)
        self.supply.close()
        return record

    def _export(self, record: dict[str, Any]) -> dict[str, Any]:
        settings = self.settings
        passing = ("nue", "out", "force", "resume", "device", "threads")
        told = {k: v for k, v in settings.identity().items() if k not in passing}
        notes = {"trainer": "nue_trainer", "settings": told, "record": dict(record)}
        rows = self.validation if self.validation is not None else self.supply.some(1)[0]
        done: dict[str, Any] = {"file": settings.out}
        done.update(export(self.net, rows, self.unpacker, Path(settings.out), notes))
        if settings.onnx:
            folded = netfile.read(Path(settings.out))
            done["onnx"] = export_onnx(folded, rows.packed, Path(settings.onnx))
        return done
