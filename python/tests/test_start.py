"""Nets that begin from nets of other features: the same values, or the mean of what is no longer seen."""

from __future__ import annotations

import random
import unittest
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import torch

from nue_trainer import floatfile
from nue_trainer.floatfile import FloatNet
from nue_trainer.model import Net, unit
from nue_trainer.settings import Settings
from nue_trainer.start import StartError
from nue_trainer.stream import About, Order, read_all
from nue_trainer.training import Run

from .executable import NUE, WithNue, nue

# The numbers of 5x5: hands, then a run of squares for every piece, then kings.
SIZE, SQUARES, HANDS, END, PIECES = 5, 25, 30, 380, 10
ALL = END + 2 * SQUARES


class Seen(NamedTuple):
    """What one side sees."""

    own: int
    other: int
    pieces: tuple[int, ...]
    attacks: tuple[int, ...]


def across(square: int) -> int:
    """A square on the mirrored board."""
    return (SIZE - 1 - square // SIZE) * SIZE + square % SIZE


def turned(number: int) -> int:
    """A number on the mirrored board."""
    if number < HANDS:
        return number
    square = (number - HANDS) % SQUARES
    return number - square + across(square)


def near(seen: Seen) -> Seen:
    """The same with the own king on the near files."""
    if seen.own // SIZE <= SIZE // 2:
        return seen
    return Seen(across(seen.own), across(seen.other), tuple(map(turned, seen.pieces)), seen.attacks)


def features(name: str, seen: Seen) -> list[int]:
    """The features by their definition."""
    if name == "KPHm":
        seen = near(seen)
    if name in ("KP", "KPHm"):
        return [*seen.pieces, END + seen.own, END + SQUARES + seen.other]
    base, block = seen.own * END, SQUARES * END
    if name == "HalfKPKrank":
        base += seen.other % SIZE * block
    times = seen.attacks if name == "HalfKPE9" else (0,) * PIECES
    return [base + block * n + number for n, number in zip(times, seen.pieces)]


def about(name: str) -> About:
    """What a stream of those features says."""
    alone = name in ("KP", "KPHm")
    blocks = {"HalfKPE9": 9, "HalfKPKrank": SIZE}.get(name, 1)
    pieces = ALL if alone else END
    kings = [0] if alone else [r * SQUARES + across(k) for r in range(blocks) for k in range(SQUARES)]
    if name == "HalfKPE9":
        kings = kings[:SQUARES]
    same = name == "KPHm"
    return About(
        name, "minishogi", ALL if alone else blocks * SQUARES * END, PIECES + 2 * alone, pieces,
        SQUARES * END if name == "HalfKPE9" else 0, 100, 1000, 600.0, 90,
        tuple(number if same else turned(number) for number in range(pieces)), tuple(kings),
    )


def sides(count: int, seed: int) -> list[Seen]:
    """So many random views."""
    lot = random.Random(seed)

    def many(below: int) -> tuple[int, ...]:
        return tuple(lot.randrange(below) for _ in range(PIECES))

    return [Seen(lot.randrange(SQUARES), lot.randrange(SQUARES), many(END), many(9)) for _ in range(count)]


def learned(name: str, seed: int = 1) -> Net:
    """A net whose every number is its own."""
    net = Net(about(name), 16, 8, 4, factors=False, seed=seed)
    lot = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(torch.randn(parameter.shape, generator=lot), alpha=0.1)
        net.rows[-1].zero_()
    return net


def begun(name: str, net: FloatNet, factors: bool = True) -> Net:
    """A net of those features that begins from another."""
    kind = net.kind
    fresh = Net(about(name), kind.width, kind.hidden1, kind.hidden2, factors, seed=9)
    fresh.take(net)
    return fresh


def values(net: Net, views: Sequence[Seen]) -> torch.Tensor:
    """The outputs; the first half of the views are those of the sides to move."""
    name = net.kind.features
    with torch.no_grad():
        return net(torch.tensor([features(name, seen) for seen in views], dtype=torch.int32))


def blurred(net: FloatNet, by_rank: bool) -> FloatNet:
    """The same net, which knows of the other king's square nothing, or its rank alone."""
    rows = net.arrays[1].clone()
    other = rows[END + SQUARES :].view(SIZE, SIZE, -1)
    other[:] = other.mean(dim=0, keepdim=True) if by_rank else other.mean(dim=(0, 1), keepdim=True)
    return replace(net, arrays=[net.arrays[0], rows, *net.arrays[2:]])


class Starts(unittest.TestCase):
    def same(self, one: torch.Tensor, other: torch.Tensor, told: object = "") -> None:
        self.assertGreater(float(one.std()), 0.01, told)
        self.assertLess(float((one - other).abs().max()), 2e-5, told)

    def test_sets_by_king_begin_from_pieces_and_kings(self) -> None:
        views = sides(200, seed=1)
        for old in ("KP", "KPHm"):
            whole = learned(old).export(16, {})
            for new in ("HalfKP", "HalfKPE9", "HalfKPKrank"):
                known = blurred(whole, by_rank=new == "HalfKPKrank")
                wanted = values(begun(old, known), views)
                for factors in (True, False):
                    self.same(values(begun(new, whole, factors), views), wanted, (old, new, factors))

    def test_what_is_known_of_pieces_and_kings_is_in_their_factors(self) -> None:
        whole = learned("KP").export(16, {})
        rows = whole.arrays[1]
        net = begun("HalfKP", whole)
        self.assertTrue(torch.equal(net.pieces, rows[:END]))
        self.assertTrue(torch.equal(net.groups, rows[END : END + SQUARES]))
        self.assertEqual(float(net.rows.abs().max().detach()), 0.0)

    def test_a_mirrored_net_begins_from_a_plain_one(self) -> None:
        plain = learned("KP")
        net = begun("KPHm", plain.export(16, {}))
        everything = sides(400, seed=2)
        there = [seen for seen in everything if near(seen) == seen][:100]
        self.same(values(net, there), values(plain, there))
        # The others are seen as their mirror image is.
        others = [seen for seen in everything if near(seen) != seen][:100]
        self.same(values(net, others), values(plain, [near(seen) for seen in others]))

    def test_a_plain_net_begins_from_a_mirrored_one(self) -> None:
        old = learned("KPHm").export(16, {})
        rows, image = old.arrays[1], torch.tensor([turned(number) for number in range(ALL)])
        even = rows.clone()
        kings = slice(END, END + SQUARES)
        even[:END] = ((rows + rows[image]) / 2)[:END]
        even[END + SQUARES :] = ((rows + rows[image]) / 2)[END + SQUARES :]
        # Both halves alike, it gives the same values wherever kings stand.
        alike = replace(old, arrays=[old.arrays[0], even, *old.arrays[2:]])
        views = sides(200, seed=3)
        self.same(values(begun("KP", alike), views), values(begun("KPHm", alike), views))
        # Else it begins with the mean of both; the row of the own king is known on either half.
        net = begun("KP", old)
        self.assertTrue(torch.equal(net.rows[:END], even[:END]))
        own = [rows[END + near(Seen(k, 0, (), ())).own] for k in range(SQUARES)]
        self.assertTrue(torch.equal(net.rows[kings], torch.stack(own)))

    def test_more_of_the_same_begins_from_half_kp(self) -> None:
        old = learned("HalfKP")
        views = sides(200, seed=4)
        for new in ("HalfKPE9", "HalfKPKrank"):
            for factors in (True, False):
                net = begun(new, old.export(16, {}), factors)
                self.same(values(net, views), values(old, views), new)

    def test_what_cannot_be_begun_from_is_refused(self) -> None:
        for old, new in (("HalfKP", "KP"), ("HalfKPE9", "HalfKP"), ("HalfKPKrank", "HalfKPE9")):
            with self.assertRaisesRegex(StartError, f"{new} cannot begin from one of {old}.*random numbers"):
                begun(new, learned(old).export(16, {}))
        net = learned("KP").export(16, {})
        with self.assertRaisesRegex(StartError, "width 16, not 32: ask for a net of its sizes"):
            Net(about("HalfKP"), 32, 8, 4, True).take(net)
        with self.assertRaisesRegex(StartError, "game minishogi, not shogi"):
            Net(replace(about("HalfKP"), game="shogi"), 16, 8, 4, True).take(net)
        # Files that are not whole nets of their kind.
        for inputs in (ALL - 1, 2 * SQUARES):
            cut = replace(net.kind, inputs=inputs)
            arrays = [net.arrays[0], net.arrays[1][:inputs], *net.arrays[2:]]
            with self.assertRaisesRegex(StartError, "inputs"):
                begun("HalfKP", replace(net, kind=cut, arrays=arrays))
            with self.assertRaisesRegex(StartError, f"inputs {inputs}, not {ALL}"):
                begun("KP", replace(net, kind=cut, arrays=arrays))


class Trained(WithNue):
    def test_half_kp_learns_on_from_a_small_net(self) -> None:
        """Through the executable: K+P learns, HalfKP begins where it is, learns on and is imported."""
        data = self.games("shogi", "--game", "shogi", "--nodes", "30", "--seed", "5", "--games", "40")
        first = Settings(
            nue=NUE, data=(data,), out=str(self.folder / "kp.nuef"), features="kp", width=16, hidden1=8, hidden2=8,
            epochs=6, batch=128, lr=3e-3, device="cpu", threads=1, stream_options=("--keep-captures",),
        )
        small = Run(first, lambda _: None)
        small.all()
        known = floatfile.read(Path(first.out))
        # An other king that is everywhere alike is all that HalfKP can take over as it is.
        rows = known.arrays[1].clone()
        rows[-81:] = rows[-81:].mean(dim=0)
        floatfile.write(Path(first.out), replace(known, arrays=[known.arrays[0], rows, *known.arrays[2:]]))
        second = replace(first, out=str(self.folder / "halfkp.nuef"), features="halfkp", init=first.out, epochs=2)
        run, plain = Run(second, lambda _: None), Run(replace(first, init=first.out, force=True), lambda _: None)
        for whole, start in zip(self.all_values(plain), self.all_values(run)):
            self.assertLess(float((whole - start).abs().max()), 0.05)
        run.all()
        again = replace(second, out=str(self.folder / "random.nuef"), init=None)
        random_numbers = Run(again, lambda _: None)
        random_numbers.all()
        self.assertLess(run.records[0]["loss"], 0.97 * random_numbers.records[0]["loss"])
        out = str(self.folder / "nn.bin")
        self.assertIn("written", nue("net", "import", second.out, "-o", out))
        self.assertIn("HalfKP", nue("net", "info", out))

    def all_values(self, run: Run) -> list[torch.Tensor]:
        """The values of all positions, batch by batch."""
        order = Order(NUE, run.settings.data, run.settings.features, batch=256, pool=4096, threads=1)
        with torch.no_grad():
            found = [run.net(batch.indices()) * unit(16) for batch in read_all(order, torch.device("cpu"), 10_000)]
        self.assertGreater(sum(len(values) for values in found), 200)
        return found


if __name__ == "__main__":
    unittest.main()
