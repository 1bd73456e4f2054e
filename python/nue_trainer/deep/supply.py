"""Positions for training: packed on the device and shuffled there, or streamed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Protocol

import torch

from ..stream import StreamError
from .planes import PlaneAbout, PlaneLoader, PlaneOrder, Rows, Seen, Unpacker
from .settings import DeepSettings
from .team import Team


# Batches of a stream that are remembered.
REMEMBERED = 64


class DeepSupply(Protocol):
    """Where batches come from."""

    about: PlaneAbout
    steps: int
    """Batches of an epoch; 0 where nobody knows yet."""

    def epoch(self, number: int) -> Iterator[Rows]:
        """The batches of an epoch. Epochs are asked for in order."""
        ...

    def some(self, count: int) -> list[Rows]:
        """At most so many batches to look at."""
        ...

    def close(self) -> None: ...


def read_rows(
    order: PlaneOrder, device: torch.device, team: Team | None = None, limit: int | None = None
) -> tuple[PlaneAbout, Rows]:
    """The positions of one epoch on a device, at most `limit`; of a team, this one's share."""
    rank, world = (team.rank, team.world) if team else (0, 1)
    with PlaneLoader(replace(order, epochs=1), pin=device.type == "cuda") as loader:
        about = loader.about
        # What does not pass is counted too, so there is always room.
        room = about.positions // world + 2 * about.batch
        kept = _empty(about, min(room, limit + about.batch) if limit else room, device)
        have = 0
        for number, batch in enumerate(loader):
            if batch.count and number % world == rank:
                for there, new in zip(kept.tensors(), batch.to(device).rows().tensors()):
                    there[have : have + batch.count] = new
                have += batch.count
            if limit is not None and have >= limit:
                have = limit
                break
    if not have:
        raise StreamError("the stream holds no positions")
    return about, kept.pick(slice(0, have))


def _empty(about: PlaneAbout, room: int, device: torch.device) -> Rows:
    def array(kind: torch.dtype, *width: int) -> torch.Tensor:
        return torch.empty((room, *width), dtype=kind, device=device)

    return Rows(
        array(torch.uint8, about.layout.bytes),
        array(torch.int16),
        array(torch.int16, about.visits),
        array(torch.int16, about.visits),
        array(torch.int16),
        array(torch.int8),
    )


class KeptPlanes:
    """All positions on the device, packed: read once, shuffled anew each epoch."""

    def __init__(self, about: PlaneAbout, rows: Rows, seed: int, batch: int, team: Team) -> None:
        self.about, self.rows = about, rows
        self._seed, self._device = seed * 1000 + team.rank, team.device
        positions = team.fewest(len(self.rows))
        # A batch that is not full is left out: its turn comes in another epoch.
        self.batch = min(batch, positions)
        self.steps = positions // self.batch

    def epoch(self, number: int) -> Iterator[Rows]:
        """The batches of an epoch."""
        lot = torch.Generator(self._device).manual_seed((self._seed << 20) + number)
        shuffled = torch.randperm(len(self.rows), generator=lot, device=self._device)
        for step in range(self.steps):
            yield self.rows.pick(shuffled[step * self.batch : (step + 1) * self.batch])

    def some(self, count: int) -> list[Rows]:
        """The first batches there are, always the same."""
        return list(islice(self.epoch(0), count))

    def close(self) -> None:
        """Nothing runs."""


class MixedPlanes:
    """Kept positions, and in every batch a share of others.

    An epoch is one of the first. The others come in an order of their own, and when all have come, in another one.
    """

    def __init__(self, own: KeptPlanes, others: Rows, share: float, seed: int, team: Team) -> None:
        self.about, self.steps = own.about, own.steps
        self._own, self._others = own, others
        self._count = max(round(own.batch * share / (1 - share)), 1)
        # Not the numbers that shuffle the first.
        self._seed, self._device = seed * 1000 + team.rank + 500, team.device
        self._turn, self._order = -1, torch.empty(0, dtype=torch.int64)

    def epoch(self, number: int) -> Iterator[Rows]:
        """The batches of an epoch."""
        for step, rows in enumerate(self._own.epoch(number)):
            more = self._drawn((number * self.steps + step) * self._count)
            yield Rows(*(torch.cat(both) for both in zip(rows.tensors(), more.tensors())))

    def _drawn(self, first: int) -> Rows:
        """The others of a batch, the first of which has that number among all that were drawn."""
        size, found, at = len(self._others), [], first
        while at < first + self._count:
            turn, begin = divmod(at, size)
            end = min(size, begin + first + self._count - at)
            found.append(self._shuffled(turn)[begin:end])
            at += end - begin
        return self._others.pick(torch.cat(found))

    def _shuffled(self, turn: int) -> torch.Tensor:
        if turn != self._turn:
            lot = torch.Generator(self._device).manual_seed((self._seed << 20) + turn)
            size = len(self._others)
            self._turn = turn
            self._order = torch.randperm(size, generator=lot, device=self._device)
        return self._order

    def some(self, count: int) -> list[Rows]:
        """The first batches there are, always the same."""
        return list(islice(self.epoch(0), count))

    def close(self) -> None:
        """Nothing runs."""


class KeptFiles:
    """The positions of files, each read on its own, for as long as they are asked for.

    In which order a file is read follows from the file alone, so that it makes no difference who read it when.
    """

    def __init__(self) -> None:
        self._kept: dict[tuple[str, ...], tuple[PlaneAbout, Rows]] = {}
        self._asked: set[tuple[str, ...]] = set()

    def rows(self, order: PlaneOrder, team: Team) -> tuple[PlaneAbout, Rows]:
        """Those of the files of an order, one after another."""
        found: list[tuple[PlaneAbout, Rows]] = []
        for name in order.files:
            one = replace(order, files=(name,), seed=1, first_epoch=0)
            changed = Path(name).stat()
            key = (*one.command(), str(team.device), str(changed.st_mtime_ns), str(changed.st_size))
            if key not in self._kept:
                self._kept[key] = read_rows(one, team.device, team)
            self._asked.add(key)
            found.append(self._kept[key])
        abouts, each = zip(*found)
        same_game(*abouts)
        tensors = zip(*(rows.tensors() for rows in each))
        rows = Rows(*(torch.cat(parts) for parts in tensors))
        return replace(abouts[0], positions=sum(about.positions for about in abouts)), rows

    def forget_others(self) -> None:
        """Those not asked for since the last time go."""
        self._kept = {key: kept for key, kept in self._kept.items() if key in self._asked}
        self._asked = set()


def same_game(*abouts: PlaneAbout) -> None:
    """Files that are trained on together hold one game."""
    if any(about.layout != abouts[0].layout for about in abouts):
        raise StreamError("the files hold different games")


def kept_supply(
    settings: DeepSettings, order: PlaneOrder, team: Team, files: KeptFiles
) -> KeptPlanes | MixedPlanes:
    """All positions on the device, as a run asks for them."""

    def read(order: PlaneOrder, limit: int | None = None) -> tuple[PlaneAbout, Rows]:
        if not settings.by_file:
            return read_rows(order, team.device, team, limit)
        about, rows = files.rows(order, team)
        return about, rows.pick(slice(0, limit))

    about, rows = read(order, settings.limit)
    batch, share = settings.batch, settings.mixed_share
    if not settings.mixed:
        files.forget_others()
        return KeptPlanes(about, rows, settings.seed, batch, team)
    other, others = read(settings.order(settings.mixed))
    files.forget_others()
    same_game(about, other)
    own = KeptPlanes(about, rows, settings.seed, max(round(batch * (1 - share)), 1), team)
    return MixedPlanes(own, others, share, settings.seed, team)


class StreamedPlanes:
    """Batches as nue sends them: for more than fits on the device."""

    def __init__(self, order: PlaneOrder, batch: int, team: Team) -> None:
        self._team = team
        # Every process reads all and takes its share.
        self._loader = PlaneLoader(replace(order, batch=batch), pin=team.device.type == "cuda")
        self._batches = iter(self._loader)
        self._recent: deque[Rows] = deque(maxlen=REMEMBERED)
        self.about = self._loader.about
        self.steps = max(self.about.positions // batch // team.world, 1)

    def epoch(self, number: int) -> Iterator[Rows]:
        """The batches of an epoch."""
        found: list[Rows] = []
        for batch in self._batches:
            if batch.epoch != number:
                raise StreamError(f"epoch {batch.epoch} came where {number} was expected")
            if batch.count:
                found.append(batch.rows())
            # All processes take a step, or none does.
            if len(found) == self._team.world:
                own = found[self._team.rank].to(self._team.device)
                found.clear()
                self._recent.append(own)
                yield own
            if batch.epoch_ends:
                return
        raise StreamError(f"the stream ends before epoch {number} does")

    def some(self, count: int) -> list[Rows]:
        """The last batches given out."""
        return list(self._recent)[-count:]

    def close(self) -> None:
        """Ends the process."""
        self._loader.close()


class Mirror:
    """Mirrors a random half of the positions left to right, on the device.

    Which half follows from the seed and the number of the step, so that a run that was broken off goes on
    as if it had not been.
    """

    def __init__(self, about: PlaneAbout, device: torch.device, seed: int = 1) -> None:
        self._seed, self._lot = seed, torch.Generator(device)
        table = [*about.mirrored_labels, -1]
        # No label is -1, which is the last.
        self._labels = torch.tensor(table, dtype=torch.int16, device=device)

    def some(self, seen: Seen, rows: Rows, step: int = 0) -> tuple[Seen, Rows]:
        """The planes and the labels."""
        boards, constants = seen
        self._lot.manual_seed((self._seed << 32) + step)
        half = torch.randint(2, (len(rows),), generator=self._lot, device=boards.device) == 1
        turned = torch.where(half.view(-1, 1, 1, 1), boards.flip(2), boards)
        label = torch.where(half, self._labels[rows.label.long()], rows.label)
        visited = rows.visited
        if visited.shape[1]:
            visited = torch.where(half.view(-1, 1), self._labels[visited.long()], visited)
        return (turned, constants), replace(rows, label=label, visited=visited)


def seen_by(
    unpacker: Unpacker, rows: Rows, mirror: Mirror | None, kind: torch.dtype, step: int = 0
) -> tuple[Seen, Rows]:
    """The planes of a step's batch, unpacked and perhaps mirrored, with its labels."""
    seen = unpacker(rows.packed, kind)
    return mirror.some(seen, rows, step) if mirror else (seen, rows)
