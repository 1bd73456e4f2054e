"""The training loop."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Callable

import torch

from . import checkpoint, floatfile
from .agreement import Choices
from .average import Average
from .model import Net, unit
from .objective import Losses, Objective
from .schedule import rate
from .settings import Settings
from .stream import Batch, read_all
from .subspace import Subspace
from .supply import Kept, Streamed, Supply, order

Say = Callable[[str], None]
# Where the moving average of the net begins, as a share of the run.
AVERAGED_FROM = 2 / 3
# Facts and tensors of a checkpoint.
State = tuple[dict[str, Any], dict[str, Any]]


class TrainingError(Exception):
    """A run that cannot go on."""


def choose_device(name: str) -> torch.device:
    """The device of that name; `auto` is CUDA where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise TrainingError("no CUDA device can be used here")
    return torch.device(name)


def make_deterministic() -> None:
    """The same run gives the same net, on one machine and one version of torch."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
    torch.use_deterministic_algorithms(True, warn_only=True)
    # Later versions fill fresh memory besides, which costs time and is of no use here.
    memory = getattr(torch.utils, "deterministic", None)
    if memory is not None:
        memory.fill_uninitialized_memory = False


def make_optimiser(settings: Settings, net: Net, device: torch.device) -> torch.optim.Optimizer:
    """Adam or AdamW; one kernel for all parameters where torch has it."""
    fused = device.type == "cuda" and int(torch.__version__.split(".")[0]) >= 2
    options: dict[str, Any] = {"fused": True} if fused else {}
    kind = torch.optim.AdamW if settings.optimiser == "adamw" else torch.optim.Adam
    return kind(net.parameters(), lr=settings.lr, weight_decay=settings.weight_decay, **options)


class Run:
    """A run: the net, its optimiser, and how far they are."""

    def __init__(self, settings: Settings, say: Say = print) -> None:
        self.settings = settings
        self.say = say
        self.device = choose_device(settings.device)
        if settings.deterministic:
            make_deterministic()
        self.average: Average | None = None
        self.epoch = 0
        self.step = 0
        self.positions = 0
        self.batches: int | None = None
        self.best: float | None = None
        self.stale = 0
        self.records: list[dict[str, Any]] = []
        self._check_output()
        state = self._state()
        if state is not None:
            self.epoch = int(state[0]["epoch"])
        self.supply: Supply = (
            Kept(settings, self.device)
            if settings.cache
            else Streamed(settings, self.device, self.epoch)
        )
        self.about = self.supply.about
        self.scale = settings.scale_for(self.about)
        last = settings.blend if settings.blend_end is None else settings.blend_end
        # What is measured on positions not trained on: the same in all epochs.
        self.objective = Objective(last, self.scale)
        if settings.teacher is not None:
            self._learn_from(settings.teacher)
        elif settings.teacher_data or settings.teacher_beside:
            what = "--teacher-data holds" if settings.teacher_data else "--teacher-beside adds"
            raise TrainingError(f"{what} positions to be judged: it needs --teacher")
        self.net = Net(
            self.about,
            settings.width,
            settings.hidden1,
            settings.hidden2,
            settings.factors,
            settings.seed,
        )
        if settings.init is not None and state is None:
            self.net.take(floatfile.read(Path(settings.init)))
        self.net.to(self.device)
        self.optimiser = make_optimiser(settings, self.net, self.device)
        self.subspace = Subspace(self.net, settings.subspace, settings.seed)
        if settings.ema:
            self.average = Average(self.net, settings.ema)
        if state is not None:
            self._restore(state)
        self.validation = self._read_validation()
        self.choices = Choices.read(settings, self.device)

    def _learn_from(self, teacher: str) -> None:
        """Mixes the judgement of a value net into the scores."""
        from .teaching import judge_more, relabel

        settings = self.settings
        if not isinstance(self.supply, Kept):
            raise TrainingError("--teacher judges positions that are kept: it needs --cache")
        relabel(self.supply, Path(teacher), settings.teacher_weight, self.scale)
        if settings.teacher_data or settings.teacher_beside:
            judge_more(self.supply, settings, Path(teacher), self.scale)

    def _check_output(self) -> None:
        settings = self.settings
        if settings.resume or settings.force:
            return
        for path in (settings.out, settings.checkpoint()):
            if Path(path).exists():
                raise TrainingError(f"{path}: exists; --resume continues it, --force replaces it")

    def _state(self) -> State | None:
        path = Path(self.settings.checkpoint())
        if not self.settings.resume or not path.exists():
            return None
        return checkpoint.load(path, self.settings.identity())

    def _restore(self, state: State) -> None:
        facts, tensors = state
        self.net.load_state_dict(tensors["net"])
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": tensors["optimiser"], "param_groups": groups})
        if self.average is not None:
            self.average.restore(tensors["average"])
        self.step, self.positions = int(facts["step"]), int(facts["positions"])
        self.batches, self.best = facts["batches"], facts["best"]
        self.stale, self.records = int(facts["stale"]), list(facts["records"])
        self.say(f"resumed after epoch {self.epoch}")

    def _read_validation(self) -> list[Batch]:
        settings = self.settings
        if not settings.validation:
            return []
        asked = replace(
            order(settings, 0), files=settings.validation, epochs=1, mirror=False, seed=1
        )
        return list(read_all(asked, self.device, settings.validation_limit))

    def progress(self, done: int) -> float:
        """How much of the run is done, from 0 to 1."""
        settings = self.settings
        # The first epoch is as long as its stream says at most; later ones are as long as it.
        expected = self.batches or -(-self.about.positions // settings.batch)
        share = min(done / max(expected, 1), 1.0)
        return (self.epoch + share) / settings.epochs

    def mixture(self, progress: float) -> Objective:
        """The objective after that share of the run: results may count more and more."""
        settings = self.settings
        if settings.blend_end is None:
            return self.objective
        blend = settings.blend + (settings.blend_end - settings.blend) * progress
        return Objective(blend, self.scale)

    def train_epoch(self) -> Losses:
        """One epoch."""
        settings = self.settings
        worth = unit(settings.fv_scale)
        sums = torch.zeros(6, dtype=torch.float64, device=self.device)
        self.net.train()
        done = 0
        for indices, labels in self.supply.epoch(self.epoch):
            progress = self.progress(done)
            lr = rate(settings.schedule, settings.lr, settings.lr_end, progress)
            for group in self.optimiser.param_groups:
                group["lr"] = lr
            self.net.integers = progress >= settings.integers_from
            objective = self.mixture(progress)
            loss, measured = objective.measure(self.net(indices) * worth, labels)
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            self.subspace.draw(self.step + done)
            self.optimiser.step()
            self.net.clip()
            if self.average is not None and progress >= AVERAGED_FROM:
                self.average.add(self.net)
            sums += measured
            done += 1
        self.step += done
        self.batches = done
        losses = Losses.of(sums)
        self.positions += losses.positions
        return losses

    @contextmanager
    def averaged(self) -> Iterator[None]:
        """The net is its average meanwhile, where there is one."""
        if self.average is None or not self.average.begun:
            yield
            return
        with self.average.instead_of(self.net):
            yield

    @torch.no_grad()
    def validate(self) -> Losses | None:
        """The losses on positions not trained on."""
        if not self.validation:
            return None
        self.net.eval()
        worth = unit(self.settings.fv_scale)
        sums = torch.zeros(6, dtype=torch.float64, device=self.device)
        for batch in self.validation:
            sums += self.objective.measure(self.net(batch.indices()) * worth, batch.labels())[1]
        return Losses.of(sums)

    def one(self) -> dict[str, Any]:
        """One epoch with all that belongs to it; gives the line of the log."""
        started = time.monotonic()
        losses = self.train_epoch()
        if not losses.total < float("inf"):
            raise TrainingError(f"the loss is {losses.total} in epoch {self.epoch}")
        seconds = time.monotonic() - started
        with self.averaged():
            checked = self.validate()
            agreement = self.choices.agreement(self.net)
        record: dict[str, Any] = {
            "epoch": self.epoch + 1,
            "step": self.step,
            "positions": self.positions,
            "lr": self.optimiser.param_groups[0]["lr"],
            **losses.as_dict(),
            **(checked.as_dict("validation_") if checked else {}),
            **({} if agreement is None else {"agreement": agreement}),
            "seconds": round(seconds, 3),
            "positions_per_second": round(losses.positions / max(seconds, 1e-9)),
        }
        self.epoch += 1
        self.records.append(record)
        better = checked is None or self.best is None or checked.total < self.best
        if checked is not None and better:
            self.best = checked.total
        self.stale = 0 if better else self.stale + 1
        if self.settings.keep == "last" or better:
            with self.averaged():
                self.save_net(record)
        self.save()
        return record

    def save_net(self, record: dict[str, Any]) -> None:
        """Writes the net."""
        settings = self.settings
        told = {key: value for key, value in asdict(settings).items() if key not in ("nue", "out")}
        notes = {"trainer": "nue_trainer", "settings": told, "record": record}
        net = self.net.export(settings.fv_scale, notes)
        # The curve it was trained with, in hundredths of a pawn.
        worth = round(100 * self.scale / self.about.pawn)
        floatfile.write(Path(settings.out), replace(net, win_rate_scale=worth))

    def save(self) -> None:
        """Writes the checkpoint, the log and the curve."""
        settings = self.settings
        facts = {
            "identity": settings.identity(),
            "epoch": self.epoch,
            "step": self.step,
            "positions": self.positions,
            "batches": self.batches,
            "best": self.best,
            "stale": self.stale,
            "records": self.records,
        }
        # Settings of the optimiser follow from those of the run: only what it has learned is kept.
        learned = self.optimiser.state_dict()["state"]
        tensors = {"net": self.net.state_dict(), "optimiser": learned}
        if self.average is not None:
            tensors["average"] = self.average.state()
        checkpoint.save(Path(settings.checkpoint()), facts, tensors)
        lines = "".join(json.dumps(record) + "\n" for record in self.records)
        Path(settings.log()).write_text(lines)
        kind = self.net.kind
        title = f"{kind.features} {kind.width}x2-{kind.hidden1}-{kind.hidden2}"
        draw = [settings.nue, "data", "curve", settings.log(), "--output", settings.curve()]
        drawn = subprocess.run(
            [*draw, "--title", title, "--force"], capture_output=True, text=True
        )
        if drawn.returncode != 0:
            self.say(f"no curve: {drawn.stderr.strip()}")

    def all(self) -> None:
        """Trains to the end."""
        settings = self.settings
        with self.supply:
            while self.epoch < settings.epochs:
                record = self.one()
                self.say(line(record, settings.epochs))
                if settings.patience and self.stale >= settings.patience:
                    self.say(f"no better for {self.stale} epochs: enough")
                    return


def line(record: dict[str, Any], epochs: int) -> str:
    """A line for people."""
    text = f"epoch {record['epoch']}/{epochs}  lr {record['lr']:.2e}  loss {record['loss']:.5f}"
    if "validation_loss" in record:
        text += (
            f"  validation {record['validation_loss']:.5f} (scores "
            f"{record['validation_score_loss']:.5f}, results "
            f"{record['validation_result_loss']:.5f})"
        )
    if "agreement" in record:
        text += f"  moves {100 * record['agreement']:.1f} %"
    return f"{text}  {record['positions_per_second']:,} positions/s"
