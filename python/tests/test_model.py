"""The net, its objective, its file, and whether it learns what was planted."""

from __future__ import annotations

import math
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import torch

from nue_trainer import floatfile
from nue_trainer.average import Average
from nue_trainer.floatfile import FloatFileError
from nue_trainer.model import Net, plain_name, unit
from nue_trainer.objective import Losses, Objective
from nue_trainer.schedule import rate
from nue_trainer.stream import About, Labels, indices
from nue_trainer.subspace import Subspace
from nue_trainer.supply import Mirror

ABOUT = About("HalfKP(Friend)", "shogi", 60, 3, 20, 0, 100, 1000, 600.0, 90)


def features(count: int, seed: int, about: About = ABOUT) -> torch.Tensor:
    """Random features of both sides."""
    lot = torch.Generator().manual_seed(seed)
    bases = torch.randint(about.groups, (2 * count, 1), generator=lot) * about.pieces
    numbers = torch.randint(about.pieces, (2 * count, about.slots), generator=lot)
    whole = torch.add(bases, numbers).to(torch.int32)
    # Some have fewer features.
    whole[::5, -1] = about.inputs
    return whole


def plain(net: floatfile.FloatNet, indices: torch.Tensor) -> torch.Tensor:
    """The output by the definition, from the arrays of a file, row by row."""
    b0, w0, b1, w1, b2, w2, b3, w3 = (array.double() for array in net.arrays)
    half = indices.shape[0] // 2
    out = []
    for own, other in zip(indices[:half], indices[half:]):
        sides = []
        for side in (own, other):
            rows = [w0[i] for i in side.tolist() if i < net.kind.inputs]
            sides.append((b0 + sum(rows, torch.zeros_like(b0))).clamp(0, 1))
        hidden = (w1 @ torch.cat(sides) + b1).clamp(0, 1)
        hidden = (w2 @ hidden + b2).clamp(0, 1)
        out.append(w3 @ hidden + b3)
    return torch.cat(out)


class Nets(unittest.TestCase):
    def test_folding_changes_nothing(self) -> None:
        for factors in (False, True):
            net = Net(ABOUT, 16, 8, 4, factors, seed=3)
            with torch.no_grad():
                for parameter in net.parameters():
                    parameter.add_(torch.randn(parameter.shape), alpha=0.1)
                net.rows[-1].zero_()
            indices = features(50, seed=1)
            wanted = plain(net.export(16, {}), indices)
            self.assertLess(float((net(indices) - wanted).abs().max().detach()), 1e-5)

    def test_a_net_begins_where_another_ended(self) -> None:
        first = Net(ABOUT, 16, 8, 4, factors=True, seed=3)
        second = Net(ABOUT, 16, 8, 4, factors=True, seed=4)
        indices = features(20, seed=2)
        self.assertGreater(float((first(indices) - second(indices)).abs().max().detach()), 1e-3)
        second.take(first.export(16, {}))
        self.assertLess(float((first(indices) - second(indices)).abs().max().detach()), 1e-6)
        with self.assertRaisesRegex(ValueError, "width 16, not 32"):
            Net(ABOUT, 32, 8, 4, True).take(first.export(16, {}))

    def test_the_row_of_no_feature_never_learns(self) -> None:
        net = Net(ABOUT, 16, 8, 4, factors=True)
        optimiser = torch.optim.Adam(net.parameters(), lr=0.1)
        for seed in range(3):
            net(features(20, seed)).sum().backward()
            optimiser.step()
        self.assertEqual(float(net.rows[-1].abs().max().detach()), 0)

    def test_random_subspaces_let_their_share_of_rows_learn(self) -> None:
        def moved(percent: int, step: int) -> list[torch.Tensor]:
            net = Net(ABOUT, 16, 8, 4, factors=True, seed=3)
            net(features(400, seed=1)).sum().backward()
            Subspace(net, percent, seed=5).draw(step)
            parts = (net.rows, net.pieces, net.groups)
            return [p.grad.abs().sum(dim=1) > 0 for p in parts if p.grad is not None]

        every, some = moved(100, 1), moved(40, 1)
        self.assertEqual(len(every), 3)
        share = float(torch.cat(some).sum() / torch.cat(every).sum())
        self.assertTrue(0.25 < share < 0.55, share)
        self.assertTrue(all(bool((a | ~b).all()) for a, b in zip(every, some)))
        self.assertTrue(torch.equal(torch.cat(some), torch.cat(moved(40, 1))))
        self.assertFalse(torch.equal(torch.cat(some), torch.cat(moved(40, 2))))

    def test_weights_are_kept_within_the_integers(self) -> None:
        net = Net(ABOUT, 16, 8, 4, factors=False)
        with torch.no_grad():
            net.weight1.add_(5)
            net.weight3.sub_(5)
        net.clip()
        self.assertEqual(float(net.weight1.max().detach()), 127 / 64)
        self.assertEqual(float(net.weight3.min().detach()), -127 / 64)

    def test_names(self) -> None:
        names = [("K+P", "KP"), ("HalfKP(Friend)", "HalfKP"), ("K+P_hm", "KPHm")]
        for told, name in [*names, ("halfkpe9", "HalfKPE9")]:
            self.assertEqual(plain_name(told), name)


class Learning(unittest.TestCase):
    def test_planted_values_are_found_again(self) -> None:
        """A net that sees the scores of another net comes to give its scores."""
        for factors in (False, True):
            planted = torch.randn(ABOUT.inputs + 1, generator=torch.Generator().manual_seed(5))
            planted[-1] = 0

            def scores(indices: torch.Tensor) -> torch.Tensor:
                sums = planted[indices.long()].sum(dim=1)
                half = sums.shape[0] // 2
                return 200 * (sums[:half] - sums[half:])

            net = Net(ABOUT, 32, 8, 8, factors, seed=6)
            optimiser = torch.optim.Adam(net.parameters())
            objective = Objective(blend=1.0, scale=600)
            steps = 600
            for step in range(steps):
                indices = features(256, seed=100 + step)
                score = scores(indices)
                labels = Labels(score, torch.full_like(score, 0.5), torch.ones_like(score))
                for group in optimiser.param_groups:
                    group["lr"] = rate("exponential", 1e-2, 1e-3, step / steps)
                loss, _ = objective.measure(net(indices) * unit(16), labels)
                optimiser.zero_grad()
                loss.backward()
                optimiser.step()
                net.clip()
            fresh = features(1000, seed=1)
            with torch.no_grad():
                values, wanted = net(fresh) * unit(16), scores(fresh)
                odds = torch.sigmoid(values.div(600)) - torch.sigmoid(wanted.div(600))
            self.assertLess(float(odds.abs().mean()), 0.02, f"factors {factors}")

    def test_losses_are_those_of_the_definition(self) -> None:
        objective = Objective(blend=0.7, scale=600)
        value = torch.tensor([0.0, -700.0, 2500.0, 90000.0])
        labels = Labels(
            torch.tensor([100.0, 30.0, -3000.0, 5.0]),
            torch.tensor([1.0, 0.5, 0.0, 0.5]),
            torch.tensor([1.0, 0.0, 1.0, 1.0]),
        )
        mean, sums = objective.measure(value, labels)
        total = score = result = floor = 0.0
        columns = (value, labels.score, labels.result, labels.known)
        for v, s, r, known in zip(*(column.tolist() for column in columns)):
            x = v / 600
            base = max(x, 0) + math.log1p(math.exp(-abs(x)))
            by_score = 1 / (1 + math.exp(-s / 600))
            target = 0.7 * by_score + 0.3 * r if known else by_score
            total += base - target * x
            score += base - by_score * x
            result += known * (base - r * x)
            floor -= target * math.log(target) + (1 - target) * math.log(1 - target)
        losses = Losses.of(sums)
        self.assertAlmostEqual(losses.total, total / 4, places=4)
        self.assertAlmostEqual(float(mean), total / 4, places=4)
        self.assertAlmostEqual(losses.score, score / 4, places=4)
        self.assertAlmostEqual(losses.result, result / 3, places=4)
        self.assertAlmostEqual(losses.floor, floor / 4, places=4)
        self.assertEqual(losses.positions, 4)

    def test_schedules_begin_and_end_where_they_are_told(self) -> None:
        for name in ("exponential", "cosine"):
            self.assertAlmostEqual(rate(name, 1e-3, 1e-5, 0), 1e-3)
            self.assertAlmostEqual(rate(name, 1e-3, 1e-5, 1), 1e-5)
            self.assertTrue(1e-5 < rate(name, 1e-3, 1e-5, 0.5) < 1e-3)
        self.assertEqual(rate("constant", 1e-3, 1e-5, 1), 1e-3)


class Averages(unittest.TestCase):
    def test_an_average_is_that_of_the_steps(self) -> None:
        net = Net(ABOUT, 16, 8, 4, factors=False)
        average = Average(net, 0.99)
        seen = []
        for step in range(5):
            with torch.no_grad():
                net.bias0.fill_(float(step))
            average.add(net)
            seen.append(float(step))
        with average.instead_of(net):
            self.assertAlmostEqual(float(net.bias0[0].detach()), sum(seen) / 5, places=5)
        self.assertEqual(float(net.bias0[0].detach()), 4.0)
        # Later the memory fades instead.
        short = Average(net, 0.5)
        for step in (0.0, 8.0, 8.0):
            with torch.no_grad():
                net.bias0.fill_(step)
            short.add(net)
        with short.instead_of(net):
            self.assertAlmostEqual(float(net.bias0[0].detach()), 6.0, places=5)
        again = Average(net, 0.5)
        again.restore(short.state())
        with again.instead_of(net):
            self.assertAlmostEqual(float(net.bias0[0].detach()), 6.0, places=5)


class Mirrors(unittest.TestCase):
    def test_chosen_positions_are_mirrored_and_others_are_not(self) -> None:
        pieces, bases = (0, 2, 1, 3), (2, 1, 0)
        for stride in (0, 12):
            inputs = 12 if stride == 0 else 24
            about = About("x", "shogi", inputs, 3, 4, stride, 10, 10, 600.0, 90, pieces, bases)
            mirror = Mirror(about, torch.device("cpu"))
            attack = 4 if stride else 0
            numbers = torch.tensor([[[1, 3, -1], [1 + attack, 0, 2]]] * 2, dtype=torch.int16)
            first = torch.tensor([[0, 4], [8, 0]], dtype=torch.int32)
            chosen = torch.tensor([False, True])
            found_bases, found = mirror.some(first, numbers, chosen)
            self.assertEqual(found_bases.tolist(), [[0, 4], [8, 8]])
            self.assertEqual(found[0].tolist(), [[1, 3, -1], [2 + attack, 0, 1]])
            self.assertEqual(found.dtype, torch.int16)
            whole = indices(about, found_bases, found)
            self.assertEqual(whole[1, 1].tolist(), [8 + 2 + stride, 8, 8 + 1])
            twice = mirror.some(*mirror.some(first, numbers, ~chosen), ~chosen)
            self.assertTrue(torch.equal(twice[0], first) and torch.equal(twice[1], numbers))


class Files(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_a_net_reads_back(self) -> None:
        net = Net(ABOUT, 16, 8, 4, factors=True).export(24, {"by": "a test"})
        net = replace(net, win_rate_scale=667.0)
        path = self.folder / "deep" / "a.nuef"
        floatfile.write(path, net)
        again = floatfile.read(path, ABOUT.inputs)
        self.assertEqual((again.kind, again.fv_scale), (net.kind, 24))
        self.assertEqual(again.win_rate_scale, 667.0)
        self.assertEqual(again.notes, {"by": "a test"})
        for one, other in zip(net.arrays, again.arrays):
            self.assertTrue(torch.equal(one, other))
        self.assertEqual([p.name for p in path.parent.iterdir()], ["a.nuef"])

    def test_what_is_no_net_is_refused(self) -> None:
        net = Net(ABOUT, 16, 8, 4, factors=False).export(16, {})
        good = self.folder / "good.nuef"
        floatfile.write(good, net)
        data = good.read_bytes()
        cases = [b"", data[:5], data[:11], data[:40], data[:-1], data + b"1234", b"x" + data]
        for number, bad in enumerate(cases):
            path = self.folder / f"{number}.nuef"
            path.write_bytes(bad)
            with self.assertRaises(FloatFileError, msg=str(number)):
                floatfile.read(path, ABOUT.inputs)
        net.arrays[0][3] = float("nan")
        with self.assertRaisesRegex(FloatFileError, "not finite"):
            floatfile.write(self.folder / "bad.nuef", net)
        self.assertFalse((self.folder / "bad.nuef").exists())


if __name__ == "__main__":
    unittest.main()
