"""Training a value net, and what it is worth as a teacher."""

from __future__ import annotations

import json
import math
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Callable

import torch
from torch.nn import functional

from . import valuenet
from .deep import judging
from .settings import Settings
from .stream import Labels
from .supply import Kept, Sample
from .training import TrainingError, choose_device
from .valuenet import ValueKind, ValueNet

Say = Callable[[str], None]
# Positions judged at once.
JUDGED = 16384
# Largest score that a judgement is turned into.
LARGEST_SCORE = 8000.0
# What a logit is multiplied by to be looked at as a score.
LOGIT_SCORE = 1000.0


@dataclass(frozen=True)
class Teaching:
    """Settings of a value net's run that a small net's run has not."""

    blocks: int = 10
    channels: int = 128
    seconds: float = 0.0
    """The rate falls by time and the run ends by it; by epochs where it is 0."""
    samples: int = 0
    """The same by positions read."""

    def __post_init__(self) -> None:
        if self.seconds and self.samples:
            raise ValueError(f"--seconds {self.seconds:g} and --samples {self.samples}: a run has one length")


def half_precision(device: torch.device) -> torch.autocast:
    """Sixteen bits where they are fast."""
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


@torch.no_grad()
def judged(net: ValueNet, numbers: torch.Tensor) -> torch.Tensor:
    """The logits for the features of the side to move, part by part."""
    net.eval()
    parts = []
    for part in numbers.split(JUDGED):
        with half_precision(numbers.device):
            parts.append(net(part))
    return torch.cat(parts)


def best_scale(scores: torch.Tensor, labels: Labels) -> tuple[float, float]:
    """The scale at which scores tell results best, and the cross-entropy there."""

    def entropy(scale: float) -> float:
        x = scores / scale
        each = (functional.softplus(x) - labels.result * x) * labels.known
        return float(each.double().sum() / labels.known.double().sum().clamp(min=1))

    low, high = math.log(50.0), math.log(20000.0)
    golden = (math.sqrt(5) - 1) / 2
    for _ in range(40):
        a, b = high - golden * (high - low), low + golden * (high - low)
        if entropy(math.exp(a)) < entropy(math.exp(b)):
            high = b
        else:
            low = a
    scale = math.exp((low + high) / 2)
    return scale, entropy(scale)


class TeacherRun:
    """A run that trains a value net on what small nets are trained on."""

    def __init__(self, settings: Settings, teaching: Teaching, say: Say = print) -> None:
        self.settings, self.teaching, self.say = settings, teaching, say
        self.begun = time.monotonic()
        self.device = choose_device(settings.device)
        if Path(settings.out).exists() and not (settings.force or settings.resume):
            raise TrainingError(f"{settings.out}: exists; --force replaces it")
        torch.manual_seed(settings.seed)
        torch.backends.cudnn.benchmark = True
        self.supply = Kept(settings, self.device)
        self.scale = settings.scale_for(self.supply.about)
        kind = ValueKind(
            self.supply.about.game, teaching.blocks, teaching.channels, self.scale
        )
        self.net = valuenet.read(Path(settings.init)) if settings.init else ValueNet(kind)
        if replace(self.net.kind, scale=kind.scale) != kind:
            raise TrainingError(f"{settings.init} is {self.net.kind}, not {kind}")
        # Another generation's games fit another scale, which the net learns with them.
        self.net.kind = kind
        self.net.check(self.supply.about)
        self.net.to(self.device, memory_format=torch.channels_last)
        self.optimiser = torch.optim.SGD(
            self.net.parameters(),
            lr=settings.lr,
            momentum=0.9,
            nesterov=True,
            weight_decay=settings.weight_decay,
        )

    def samples(self) -> Iterator[tuple[float, Sample]]:
        """Batches with the share of the run that is done, from 0 to 1."""
        settings, seconds, wanted = self.settings, self.teaching.seconds, self.teaching.samples
        seen = 0
        # Reading the positions counts as well, so that a run ends when it was told to.
        read = time.monotonic() - self.begun
        begun, seconds = time.monotonic(), max(seconds - read, 1.0) if seconds else 0.0
        for epoch in range(1_000_000 if seconds or wanted else settings.epochs):
            total = -(-self.supply.positions // settings.batch)
            for number, sample in enumerate(self.supply.epoch(epoch)):
                done = (epoch + number / total) / settings.epochs
                if seconds:
                    done = (time.monotonic() - begun) / seconds
                elif wanted:
                    done = seen / wanted
                if done >= 1:
                    return
                yield done, sample
                seen += sample[0].shape[0] // 2

    def all(self) -> dict[str, Any]:
        """Trains, writes the net and says what it is worth."""
        settings = self.settings
        begun = said = time.monotonic()
        self.net.train()
        seen, sums = 0, torch.zeros(2, dtype=torch.float64, device=self.device)
        for done, (indices, labels) in self.samples():
            rate = settings.lr_end + (settings.lr - settings.lr_end) * (
                0.5 + 0.5 * math.cos(math.pi * done)
            )
            for group in self.optimiser.param_groups:
                group["lr"] = rate
            count = indices.shape[0] // 2
            own = indices[:count]
            own = torch.where(own >= self.net.inputs, torch.full_like(own, -1), own)
            with half_precision(self.device):
                x = self.net(own)
            by_score = torch.sigmoid(labels.score / self.scale)
            blend = 1 - labels.known * (1 - settings.blend)
            target = blend * by_score + (1 - blend) * labels.result
            loss = (functional.softplus(x) - target * x).mean()
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            self.optimiser.step()
            seen += count
            sums += torch.stack([loss.detach().double() * count, loss.new_tensor(count).double()])
            if time.monotonic() - said > 20:
                said = time.monotonic()
                mean = float(sums[0] / sums[1])
                sums.zero_()
                speed = seen / (said - begun)
                self.say(f"{done:4.0%}  loss {mean:.5f}  rate {rate:.1e}  {speed:,.0f} positions/s")
                if not math.isfinite(mean):
                    raise TrainingError(f"the loss is {mean}")
        seconds = time.monotonic() - begun
        valuenet.write(Path(settings.out), self.net)
        self.say(f"{settings.out}: written after {seen / 1e6:.1f} M positions, {seconds:.0f} s")
        found = {"positions": seen, "seconds": round(seconds, 1)}
        if settings.validation:
            found.update(worth(Path(settings.out), settings, self.say))
        return found


def _judged_by(path: Path, supply: Kept) -> torch.Tensor:
    """The logits of a value net or of a policy-value net."""
    if not valuenet.is_value_net(path):
        return judging.judged(path, supply.order, supply.scores())
    net = valuenet.read(path)
    net.check(supply.about)
    net.to(supply.device, memory_format=torch.channels_last)
    return judged(net, supply.own())


def worth(path: Path, settings: Settings, say: Say = print) -> dict[str, Any]:
    """Cross-entropy to the results of games not trained on: of searched scores, and of a teacher.

    Both at the scale that fits them best. The search knows what follows and tells results better;
    what a teacher has to beat is the net it teaches (docs/results/learning.md).
    """
    held = Kept(
        replace(settings, data=settings.validation, cache_file=None, mirror=False),
        choose_device(settings.device),
    )
    labels = held.labels()
    scale, searched = best_scale(labels.score, labels)
    # A logit times anything is a score: the scale that fits it is found anew.
    fitted, taught = best_scale(_judged_by(path, held) * LOGIT_SCORE, labels)
    say(
        f"results of {held.positions:,} positions not trained on: searched scores "
        f"{searched:.5f} (scale {scale:.0f}), this net {taught:.5f} "
        f"({fitted / LOGIT_SCORE:.2f} times as sure as results are)"
    )
    return {
        "validation_positions": held.positions,
        "searched_result_loss": searched,
        "searched_scale": scale,
        "teacher_result_loss": taught,
        "teacher_sureness": fitted / LOGIT_SCORE,
    }


def _judged_once(path: Path, supply: Kept) -> torch.Tensor:
    """The same, kept for the next run where positions are kept."""
    return supply.judged_by(path, lambda: _judged_by(path, supply))


def relabel(supply: Kept, path: Path, weight: float, scale: float) -> None:
    """Mixes a teacher's judgement into the scores of all positions: weight 1 leaves nothing of them.

    Probabilities of winning are mixed, at the scale of training; the result is a score again.
    """
    p = torch.sigmoid(_judged_once(path, supply))
    searched = torch.sigmoid(supply.labels().score / scale)
    mixed = (weight * p + (1 - weight) * searched).clamp(1e-6, 1 - 1e-6)
    supply.replace_scores((torch.logit(mixed) * scale).clamp(-LARGEST_SCORE, LARGEST_SCORE))


def judge_more(supply: Kept, settings: Settings, path: Path, scale: float) -> None:
    """Adds positions that were never searched in earnest: the teacher alone says what they are worth.

    What it says of a file is kept for all runs that read that file in the same way, whatever else they read.
    """
    asked = [(file, settings.stream_options) for file in settings.teacher_data]
    if settings.teacher_beside:
        # Those beside the games are settled anyway.
        others = [option for option in settings.stream_options if option != "--settled"]
        beside = (*others, "--beside", str(settings.teacher_beside))
        asked += [(file, beside) for file in (*settings.data, *settings.teacher_data)]
    for file, options in asked:
        kept = None
        if settings.cache_file is not None:
            told = [file, settings.features, list(options), settings.leaf, settings.seed]
            name = f"{zlib.crc32(json.dumps(told).encode()):08x}.cache"
            kept = str(Path(settings.cache_file).with_name(f"nue-judged-{name}"))
        one = replace(settings, data=(file,), stream_options=options, cache_file=kept)
        more = Kept(one, supply.device)
        relabel(more, path, 1.0, scale)
        more.forget_results()
        supply.add(more)
