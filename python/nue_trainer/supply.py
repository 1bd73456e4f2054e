"""Batches for training, epoch by epoch: streamed each time, or kept on the device."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Protocol

import torch

from .settings import Settings
from .stream import About, Labels, Loader, Order, StreamError, indices, labels, read_all

Sample = tuple[torch.Tensor, Labels]


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
        options=settings.stream_options,
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

    With `--mirror` a random half of each epoch is mirrored on the device, another each time.
    """

    def __init__(self, settings: Settings, device: torch.device) -> None:
        from dataclasses import replace

        once = replace(order(settings, 0), epochs=1, mirror=False)
        batches = read_all(once, device)
        if not batches:
            raise StreamError("the stream holds no positions")
        self.about = batches[0].about
        self._seed, self._batch, self._device = settings.seed, settings.batch, device
        self._mirror = Mirror(self.about, device) if settings.mirror else None
        start = 8 + 4 * self.about.slots
        self._bases = torch.cat([b.bases() for b in batches], dim=1)
        self._numbers = torch.cat([b.numbers() for b in batches], dim=1)
        self._scores = torch.cat([b.part(start, 2).view(torch.int16) for b in batches])
        self._results = torch.cat([b.part(start + 4, 1).view(torch.int8) for b in batches])

    def epoch(self, number: int) -> Iterator[Sample]:
        """The batches of an epoch."""
        lot = torch.Generator(self._device).manual_seed((self._seed << 20) + number)
        count = self._scores.shape[0]
        shuffled = torch.randperm(count, generator=lot, device=self._device)
        for chosen in shuffled.split(self._batch):
            bases, numbers = self._bases[:, chosen], self._numbers[:, chosen]
            if self._mirror is not None:
                size = (chosen.shape[0],)
                half = torch.randint(2, size, generator=lot, device=self._device) == 1
                bases, numbers = self._mirror.some(bases, numbers, half)
            whole = indices(self.about, bases, numbers)
            found = labels(self._scores[chosen], self._results[chosen])
            yield whole.view(2 * chosen.shape[0], -1), found

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *_: object) -> None:
        return None
