"""Batches for training, epoch by epoch: streamed each time, or kept on the device."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

import torch

from .settings import Settings
from .stream import (
    About,
    Labels,
    Loader,
    Order,
    StreamError,
    indices,
    labels,
    read_all,
    with_present_names,
)

Sample = tuple[torch.Tensor, Labels]
# A result that nobody knows, as streams have it.
UNKNOWN = 2


class Supply(Protocol):
    """Where batches come from."""

    about: About

    def epoch(self, number: int) -> Iterator[Sample]:
        """The batches of an epoch. Epochs are asked for in order."""
        ...

    def __enter__(self) -> Supply: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


def order(settings: Settings, first_epoch: int) -> Order:
    """What to ask `nue data stream` for."""
    return Order(
        nue=settings.nue,
        files=settings.data,
        features=settings.features,
        batch=settings.batch,
        seed=settings.seed,
        epochs=max(settings.epochs - first_epoch, 0),
        first_epoch=first_epoch,
        threads=settings.threads,
        mirror=settings.mirror,
        pool=settings.pool,
        options=(*(("--leaf",) if settings.leaf else ()), *settings.stream_options),
    )


class Streamed:
    """Batches as nue sends them."""

    def __init__(self, settings: Settings, device: torch.device, first_epoch: int) -> None:
        self._device = device
        self._loader = Loader(order(settings, first_epoch), pin=device.type == "cuda")
        self._batches = iter(self._loader)
        self.about = self._loader.about

    def epoch(self, number: int) -> Iterator[Sample]:
        """The batches of an epoch."""
        for batch in self._batches:
            if batch.epoch != number:
                raise StreamError(f"epoch {batch.epoch} came where {number} was expected")
            if batch.count:
                there = batch.to(self._device)
                yield there.indices(), there.labels()
            if batch.epoch_ends:
                return
        raise StreamError(f"the stream ends before epoch {number} does")

    def __enter__(self) -> Streamed:
        return self

    def __exit__(self, *_: object) -> None:
        self._loader.close()


class Mirror:
    """Mirrors features left to right on the device."""

    def __init__(self, about: About, device: torch.device) -> None:
        if not about.mirrored_pieces or not about.mirrored_bases:
            raise StreamError("the stream does not say how its features are mirrored")
        # With attacks a number is a piece and how often it is attacked, which stays.
        times = about.inputs // about.effect_stride if about.effect_stride else 1
        pieces = torch.tensor(about.mirrored_pieces, dtype=torch.int16)
        numbers = torch.cat([pieces + about.pieces * time for time in range(times)])
        # One more for no feature, which is -1 and so the last.
        numbers = torch.cat([numbers, torch.tensor([-1], dtype=torch.int16)])
        bases = torch.tensor(about.mirrored_bases, dtype=torch.int32) * about.pieces
        self._numbers, self._bases = numbers.to(device), bases.to(device)
        self._pieces = about.pieces

    def some(
        self, bases: torch.Tensor, numbers: torch.Tensor, chosen: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Bases [2, count] and numbers [2, count, slots] with the chosen [count] mirrored."""
        turned = self._numbers[numbers.long()]
        groups = torch.div(bases, self._pieces, rounding_mode="floor").long()
        bases = torch.where(chosen.unsqueeze(0), self._bases[groups], bases)
        return bases, torch.where(chosen.view(1, -1, 1), turned, numbers)


class Kept:
    """All positions on the device, shuffled there: for data that fit, read once.

    With `--mirror` a random half of each epoch is mirrored on the device, another each time. With
    `--cache-file` what was read is written there, and taken from there by the next run that asks
    for the same.
    """

    def __init__(self, settings: Settings, device: torch.device) -> None:
        once = replace(order(settings, 0), epochs=1, mirror=False)
        self.order = once
        self._seed, self._batch, self.device = settings.seed, settings.batch, device
        self.store = store = Path(settings.cache_file) if settings.cache_file else None
        found = _stored(store, once) if store else None
        if found is None:
            found = _read(once, torch.device("cpu") if store else device)
            if store:
                _store(store, once, found)
        self.about, arrays = found
        self._mirror = Mirror(self.about, device) if settings.mirror else None
        self._bases, self._numbers, self._scores, self._results = (a.to(device) for a in arrays)

    @property
    def positions(self) -> int:
        """How many there are."""
        return self._scores.shape[0]

    def own(self) -> torch.Tensor:
        """The features of the side to move of all positions, -1 where there is none."""
        return self._numbers[0]

    def labels(self) -> Labels:
        """What is known about all positions."""
        return labels(self._scores, self._results)

    def scores(self) -> torch.Tensor:
        """The scores of all positions, as the stream has them."""
        return self._scores

    def replace_scores(self, scores: torch.Tensor) -> None:
        """Other scores for all positions."""
        self._scores = scores.round().to(torch.int16)

    def judged_by(self, teacher: Path, judge: Callable[[], torch.Tensor]) -> torch.Tensor:
        """What a teacher says of all positions; with `--cache-file` it says it once for all runs."""
        if self.store is None:
            return judge()
        path = self.store.with_name(f"{self.store.name}.judged")
        order, known = self.order, teacher.stat()
        # Judgements are in the order in which positions were read.
        asked = [order.seed, order.batch, order.pool, str(teacher.resolve())]
        identity = _identity(order) + json.dumps([*asked, known.st_size, known.st_mtime_ns])
        found = _loaded(path)
        if found is None or found.get("identity") != identity:
            found = {"identity": identity, "logits": judge().cpu()}
            _save(path, found)
        logits: torch.Tensor = found["logits"].to(self.device)
        return logits

    def forget_results(self) -> None:
        """From now on nobody knows how any of these games ended."""
        self._results = torch.full_like(self._results, UNKNOWN)

    def add(self, more: Kept) -> None:
        """Adds the positions of another supply of the same features."""
        if more.about.inputs != self.about.inputs or more.about.features != self.about.features:
            raise StreamError(f"{more.about.features} cannot be added to {self.about.features}")
        self._bases = torch.cat([self._bases, more._bases], dim=1)
        self._numbers = torch.cat([self._numbers, more._numbers], dim=1)
        self._scores = torch.cat([self._scores, more._scores])
        self._results = torch.cat([self._results, more._results])

    def epoch(self, number: int) -> Iterator[Sample]:
        """The batches of an epoch."""
        lot = torch.Generator(self.device).manual_seed((self._seed << 20) + number)
        shuffled = torch.randperm(self.positions, generator=lot, device=self.device)
        for chosen in shuffled.split(self._batch):
            bases, numbers = self._bases[:, chosen], self._numbers[:, chosen]
            if self._mirror is not None:
                size = (chosen.shape[0],)
                half = torch.randint(2, size, generator=lot, device=self.device) == 1
                bases, numbers = self._mirror.some(bases, numbers, half)
            whole = indices(self.about, bases, numbers)
            found = labels(self._scores[chosen], self._results[chosen])
            yield whole.view(2 * chosen.shape[0], -1), found

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *_: object) -> None:
        return None


# What is kept: bases, numbers, scores, results.
Arrays = list[torch.Tensor]
# What may be wrong with a file that holds something else.
UNREADABLE = (RuntimeError, LookupError, ValueError, TypeError, OSError, EOFError, pickle.UnpicklingError)


def _read(once: Order, device: torch.device) -> tuple[About, Arrays]:
    """All positions of a stream."""
    batches = read_all(once, device)
    if not batches:
        raise StreamError("the stream holds no positions")
    about = batches[0].about
    start = 8 + 4 * about.slots
    return about, [
        torch.cat([b.bases() for b in batches], dim=1),
        torch.cat([b.numbers() for b in batches], dim=1),
        torch.cat([b.part(start, 2).view(torch.int16) for b in batches]),
        torch.cat([b.part(start + 4, 1).view(torch.int8) for b in batches]),
    ]


def _identity(once: Order) -> str:
    """What decides which positions a stream holds, but for their order."""
    files = [(str(Path(f).resolve()), Path(f).stat().st_size) for f in once.files]
    return json.dumps([files, once.features, list(once.options)])


def _store(path: Path, once: Order, found: tuple[About, Arrays]) -> None:
    about, arrays = found
    _save(path, {"identity": _identity(once), "about": asdict(about), "arrays": arrays})


def _save(path: Path, what: dict[str, Any]) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    torch.save(what, draft)
    os.replace(draft, path)


def _loaded(path: Path) -> dict[str, Any] | None:
    """What an earlier run has written."""
    if not path.exists():
        return None
    try:
        told: dict[str, Any] = torch.load(path, map_location="cpu")
        return told
    except UNREADABLE as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception) -> StreamError:
    return StreamError(f"{path}: not what a run kept there ({error!r}); remove it")


def _stored(path: Path, once: Order) -> tuple[About, Arrays] | None:
    """What an earlier run has written, if it asked for the same."""
    told = _loaded(path)
    if told is None:
        return None
    try:
        if told["identity"] != _identity(once):
            return None
        kept = with_present_names(told["about"])
        about = {k: tuple(v) if isinstance(v, list) else v for k, v in kept.items()}
        return About(**about), list(told["arrays"])
    except UNREADABLE as error:
        raise _unreadable(path, error) from error
