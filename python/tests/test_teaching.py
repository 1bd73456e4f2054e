"""Training with the engine's integers, value nets, and what a teacher does to scores."""

from __future__ import annotations

import tempfile
import unittest
from dataclasses import replace
from pathlib import Path

import torch

from nue_trainer import valuenet
from nue_trainer.deep.judging import Judge
from nue_trainer.deep.run import DeepRun
from nue_trainer.deep.settings import DeepSettings
from nue_trainer.deep.team import Team
from nue_trainer.model import Net
from nue_trainer.settings import Settings
from nue_trainer.stream import About, Labels, StreamError
from nue_trainer.supply import Kept
from nue_trainer.teaching import Teaching, TeacherRun, best_scale, judged, relabel, worth
from nue_trainer.training import Run, TrainingError
from nue_trainer.valuenet import ValueKind, ValueNet, ValueNetError

from .executable import NUE, WithNue
from .test_model import ABOUT, features

KP = About("K+P", "shogi", 1710, 40, 1710, 0, 100, 1000, 600.0, 90)


def by_integers(net: Net, indices: torch.Tensor) -> list[int]:
    """The output as the engine computes it, in integers all the way."""
    arrays = [array.double() for array in net.export(16, {}).arrays]
    units = [127, 127, 127 * 64, 64, 127 * 64, 64, 127 * 64, 64]
    b0, w0, b1, w1, b2, w2, b3, w3 = (
        torch.round(array * unit).long() for array, unit in zip(arrays, units)
    )
    half = indices.shape[0] // 2
    out = []
    for own, other in zip(indices[:half].tolist(), indices[half:].tolist()):
        sides = []
        for side in (own, other):
            rows = [w0[i] for i in side if i < net.about.inputs]
            sides.append((b0 + sum(rows, torch.zeros_like(b0))).clamp(0, 127))
        hidden = (w1 @ torch.cat(sides) + b1 >> 6).clamp(0, 127)
        hidden = (w2 @ hidden + b2 >> 6).clamp(0, 127)
        out.append(int(w3 @ hidden + b3))
    return out


class Integers(unittest.TestCase):
    def test_the_net_computes_what_the_engine_will(self) -> None:
        for factors in (False, True):
            net = Net(ABOUT, 32, 8, 8, factors, seed=3)
            indices = features(60, seed=1)
            real = net(indices)
            net.integers = True
            found = net(indices)
            wanted = by_integers(net, indices)
            self.assertEqual(torch.round(found.double() * 127 * 64).long().tolist(), wanted)
            # Not what the real numbers give: this test would see no rounding otherwise.
            self.assertGreater(float((real - found).abs().max().detach()), 1e-3)

    def test_gradients_flow_through_rounding(self) -> None:
        net = Net(ABOUT, 32, 8, 8, factors=True, seed=3)
        net.integers = True
        net(features(200, seed=1)).sum().backward()
        for name, parameter in net.named_parameters():
            grad = parameter.grad
            self.assertIsNotNone(grad, name)
            self.assertGreater(0.0 if grad is None else float(grad.abs().sum()), 0, name)

    def test_an_exported_net_is_on_the_grid(self) -> None:
        net = Net(ABOUT, 32, 8, 8, factors=True, seed=3)
        net.integers = True
        for array, unit in zip(net.export(16, {}).arrays, [127, 127] + [127 * 64, 64] * 3):
            steps = array.double() * unit
            self.assertLess(float((steps - steps.round()).abs().max()), 1e-3)


class ValueNets(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        torch.manual_seed(1)
        self.net = ValueNet(ValueKind("shogi", 1, 8, 700.0))
        lot = torch.Generator().manual_seed(2)
        self.numbers = torch.randint(-1, 1710, (20, 40), generator=lot).to(torch.int16)

    def test_a_value_net_reads_back(self) -> None:
        path = self.folder / "a.value"
        valuenet.write(path, self.net)
        again = valuenet.read(path)
        self.assertEqual(again.kind, self.net.kind)
        one, other = judged(self.net, self.numbers), judged(again, self.numbers)
        self.assertLess(float((one - other).abs().max()), 0.01)
        # Written again it is the same file: 16 bits lose nothing the second time.
        second = self.folder / "b.value"
        valuenet.write(second, again)
        self.assertEqual(path.read_bytes(), second.read_bytes())

    def test_what_is_no_value_net_is_refused(self) -> None:
        path = self.folder / "a.value"
        valuenet.write(path, self.net)
        data = path.read_bytes()
        cases = [b"", data[:9], data[:40], data[:-1], data + b"1", b"x" + data[1:]]
        cases.append(data.replace(b'"blocks": 1', b'"blocks": 2'))
        cases.append(data.replace(b'"blocks": 1', b'"blocks": x'))
        cases.append(data.replace(b'"shogi"', b'"chess"'))
        for number, bad in enumerate(cases):
            path.write_bytes(bad)
            with self.assertRaises(ValueNetError, msg=str(number)):
                valuenet.read(path)

    def test_other_features_are_refused(self) -> None:
        self.net.check(KP)
        with self.assertRaisesRegex(ValueNetError, "K\\+P"):
            self.net.check(ABOUT)

    def test_every_feature_is_seen(self) -> None:
        """Any piece moved or taken away changes the judgement; no feature twice changes none."""
        self.net.eval()
        few = torch.full((1, 40), -1, dtype=torch.int16)
        few[0, :3] = torch.tensor([3, 95, 1700], dtype=torch.int16)
        before = float(self.net(few))
        for slot, other in ((0, 4), (1, 96), (2, 1701), (1, -1)):
            changed = few.clone()
            changed[0, slot] = other
            self.assertNotEqual(float(self.net(changed)), before, f"slot {slot}")
        turned = few.flip(1)
        self.assertAlmostEqual(float(self.net(turned)), before, places=5)

    def test_the_best_scale_is_the_planted_one(self) -> None:
        lot = torch.Generator().manual_seed(4)
        scores = torch.randn(200_000, generator=lot) * 900
        won = torch.rand(200_000, generator=lot) < torch.sigmoid(scores / 500)
        known = torch.ones_like(scores)
        known[:50_000] = 0
        result = torch.where(known > 0, won.float(), torch.full_like(scores, 0.5))
        scale, entropy = best_scale(scores, Labels(scores, result, known))
        self.assertAlmostEqual(scale, 500, delta=15)
        self.assertLess(entropy, 0.6)


class Teachers(WithNue):
    settings: Settings

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        data = cls.games("train", "--nodes", "30", "--seed", "1", "--games", "8", "--random", "4")
        cls.settings = Settings(
            nue=NUE,
            data=(data,),
            out=str(cls.folder / "net.nuef"),
            width=16,
            hidden1=8,
            hidden2=8,
            epochs=2,
            batch=128,
            device="cpu",
            threads=1,
            cache=True,
            mirror=True,
        )

    def test_a_teacher_learns_and_relabels(self) -> None:
        out = self.folder / "t.value"
        settings = replace(
            self.settings, out=str(out), validation=self.settings.data, epochs=6, lr=0.02,
            lr_end=0.001, weight_decay=1e-4, mirror=False,
        )
        found = TeacherRun(settings, Teaching(1, 8), lambda _: None).all()
        self.assertEqual(found["validation_positions"] * 6, found["positions"])
        # A number of positions ends it with the batch that reaches it.
        wanted = found["positions"] // 4
        counted = replace(settings, out=str(self.folder / "counted.value"), validation=())
        some = TeacherRun(counted, Teaching(1, 8, samples=wanted), lambda _: None).all()
        self.assertTrue(wanted <= some["positions"] < wanted + settings.batch, some)
        with self.assertRaisesRegex(ValueError, "--seconds 9 and --samples 5: a run has one length"):
            Teaching(1, 8, seconds=9.0, samples=5)
        # It has seen these games: it knows their results better than a coin does.
        self.assertLess(found["teacher_result_loss"], 0.69)
        again = worth(out, settings, lambda _: None)
        self.assertEqual(again, {key: found[key] for key in again})
        with self.assertRaisesRegex(TrainingError, "exists"):
            TeacherRun(settings, Teaching(1, 8), lambda _: None)
        supply = Kept(self.settings, torch.device("cpu"))
        before = supply.labels().score.clone()
        relabel(supply, out, 0.0, 600.0)
        inside = before.abs() < 5000
        self.assertLess(float((supply.labels().score - before)[inside].abs().max()), 2)
        relabel(supply, out, 1.0, 600.0)
        wanted = judged(valuenet.read(out), supply.own()) * 600
        self.assertLess(float((supply.labels().score - wanted).abs().max()), 2)
        taught = replace(self.settings, teacher=str(out), out=str(self.folder / "taught.nuef"))
        Run(taught, lambda _: None).all()
        self.assertTrue(Path(taught.out).is_file())
        with self.assertRaisesRegex(TrainingError, "--cache"):
            Run(replace(taught, cache=False, force=True), lambda _: None)

    def test_a_teacher_judges_positions_that_were_not_searched(self) -> None:
        out = self.folder / "more.value"
        torch.manual_seed(5)
        valuenet.write(out, ValueNet(ValueKind("shogi", 1, 8, 600.0)))
        taught = replace(
            self.settings, teacher=str(out), teacher_weight=0.0, teacher_data=self.settings.data,
            out=str(self.folder / "more.nuef"),
        )
        alone = Kept(self.settings, torch.device("cpu"))
        run = Run(taught, lambda _: None)
        assert isinstance(run.supply, Kept)
        count = alone.positions
        self.assertEqual(run.supply.positions, 2 * count)
        labels = run.supply.labels()
        # The first half is what was searched, the second what the value net says.
        self.assertTrue(bool(labels.known[:count].any()))
        inside = alone.labels().score.abs() < 5000
        apart = (labels.score[:count] - alone.labels().score)[inside].abs().max()
        self.assertLess(float(apart), 2)
        self.assertFalse(bool(labels.known[count:].any()))
        wanted = judged(valuenet.read(out), alone.own()) * run.scale
        self.assertLess(float((labels.score[count:] - wanted).abs().max()), 2)
        run.all()
        self.assertEqual(run.positions, 2 * 2 * count)
        with self.assertRaisesRegex(TrainingError, "--teacher-data"):
            Run(replace(taught, teacher=None, force=True), lambda _: None)

    def test_a_teacher_judges_positions_beside_the_games(self) -> None:
        out = self.folder / "beside.value"
        torch.manual_seed(5)
        valuenet.write(out, ValueNet(ValueKind("shogi", 1, 8, 600.0)))
        taught = replace(
            self.settings, teacher=str(out), teacher_weight=0.0, teacher_beside=3,
            out=str(self.folder / "beside.nuef"), cache_file=str(self.folder / "beside.cache"),
        )
        alone = Kept(self.settings, torch.device("cpu"))
        beside = Kept(
            replace(self.settings, stream_options=(*self.settings.stream_options, "--beside", "3")),
            torch.device("cpu"),
        )
        # Those in check and before captures have some beside them, too.
        self.assertGreater(beside.positions, 2 * alone.positions)
        for _ in range(2):  # the second time from what was kept
            supply = Run(taught, lambda _: None).supply
            assert isinstance(supply, Kept)
            self.assertEqual(supply.positions, alone.positions + beside.positions)
            labels = supply.labels()
            self.assertFalse(bool(labels.known[alone.positions :].any()))
            wanted = judged(valuenet.read(out), beside.own()) * 600
            self.assertLess(float((labels.score[alone.positions :] - wanted).abs().max()), 2)
        settled = replace(taught, stream_options=("--settled",), cache_file=None, force=True)
        supply = Run(settled, lambda _: None).supply
        assert isinstance(supply, Kept)
        self.assertLess(supply.positions, alone.positions + beside.positions)
        self.assertGreater(supply.positions, beside.positions)
        with self.assertRaisesRegex(TrainingError, "--teacher-beside"):
            Run(replace(taught, teacher=None), lambda _: None)

    def test_a_teacher_goes_on_with_another_scale(self) -> None:
        first, second = self.folder / "first.value", self.folder / "second.value"
        valuenet.write(first, ValueNet(ValueKind("shogi", 1, 8, 600.0)))
        settings = replace(
            self.settings, out=str(second), init=str(first), scale=700.0, epochs=1, lr=0.01,
            weight_decay=1e-4,
        )
        TeacherRun(settings, Teaching(1, 8), lambda _: None).all()
        self.assertEqual(valuenet.read(second).kind, ValueKind("shogi", 1, 8, 700.0))
        with self.assertRaisesRegex(TrainingError, "channels=16"):
            TeacherRun(replace(settings, force=True), Teaching(1, 16), lambda _: None)

    def test_features_are_not_mixed(self) -> None:
        device = torch.device("cpu")
        one = Kept(self.settings, device)
        other = Kept(replace(self.settings, features="halfkp"), device)
        with self.assertRaisesRegex(StreamError, "HalfKP"):
            one.add(other)

    def test_a_policy_value_net_relabels_the_same_positions(self) -> None:
        out = self.folder / "deep.nuedf"
        deep = DeepSettings(
            nue=NUE, data=self.settings.data, out=str(out), blocks=1, channels=8, batch=64,
            value_hidden=8, device="cpu", threads=1,
        )
        with Team("cpu") as team:
            DeepRun(deep, team, lambda _: None).all()
        held = replace(self.settings, validation=self.settings.data)
        found = worth(out, held, lambda _: None)
        self.assertEqual(found["validation_positions"], Kept(held, torch.device("cpu")).positions)
        # With the best scale a net says no less than nothing.
        self.assertLess(found["teacher_result_loss"], 0.6932)
        for options in ((), ("--keep-checks", "--keep-captures", "--min-ply", "9")):
            settings = replace(self.settings, stream_options=options)
            supply = Kept(settings, torch.device("cpu"))
            before = supply.labels().score.clone()
            relabel(supply, out, 0.0, 600.0)
            inside = before.abs() < 5000
            self.assertLess(float((supply.labels().score - before)[inside].abs().max()), 2)
            relabel(Kept(settings, torch.device("cpu")), out, 1.0, 600.0)
        # A batch that is not full, filled up for kernels of one size, is judged as it is.
        judge = Judge(out, torch.device("cpu"))
        judge.fuse(16)  # which is for CUDA
        packed = torch.arange(3 * judge.kind.layout.bytes).to(torch.uint8).view(3, -1)
        alone = judge.logits(packed, 16)
        sizes: list[int] = []

        def fused(planes: torch.Tensor) -> torch.Tensor:
            sizes.append(planes.shape[0])
            return judge._net.values(planes)

        judge._fused = fused
        self.assertLess(float((judge.logits(packed, 16) - alone).abs().max()), 1e-5)
        self.assertEqual((sizes, alone.shape[0]), ([16], 3))
        # Positions in another order are not judged as if they were these.
        store = self.folder / "ordered.cache"
        kept = replace(self.settings, cache_file=str(store))
        Kept(kept, torch.device("cpu"))
        with self.assertRaisesRegex(StreamError, "another --seed"):
            relabel(Kept(replace(kept, seed=9), torch.device("cpu")), out, 0.5, 600.0)
        taught = replace(self.settings, teacher=str(out), out=str(self.folder / "deep.nuef"))
        Run(taught, lambda _: None).all()
        self.assertTrue(Path(taught.out).is_file())

    def test_what_was_read_is_kept_for_the_next_run(self) -> None:
        store = self.folder / "kept.cache"
        settings = replace(self.settings, cache_file=str(store))
        device = torch.device("cpu")
        first = Kept(settings, device)
        self.assertTrue(store.is_file())
        # No executable is needed any more.
        again = Kept(replace(settings, nue="/no/such/nue"), device)
        for (one, a), (other, b) in zip(first.epoch(0), again.epoch(0)):
            self.assertTrue(torch.equal(one, other) and torch.equal(a.score, b.score))
        # An earlier version called the scale otherwise.
        told = torch.load(store, map_location="cpu")
        told["about"]["usual_scale"] = told["about"].pop("training_scale")
        torch.save(told, store)
        earlier = Kept(replace(settings, nue="/no/such/nue"), device)
        self.assertEqual(earlier.about, first.about)
        with self.assertRaises(StreamError):
            Kept(replace(settings, nue="/no/such/nue", stream_options=("--quiet",)), device)
        store.write_bytes(b"something else")
        with self.assertRaisesRegex(StreamError, "remove it"):
            Kept(settings, device)

    def test_what_a_teacher_said_is_kept_for_the_next_run(self) -> None:
        store, teacher = self.folder / "judged.cache", self.folder / "a-teacher"
        teacher.write_bytes(b"one")
        settings = replace(self.settings, cache_file=str(store))
        device = torch.device("cpu")
        asked: list[int] = []

        def said(supply: Kept, number: int) -> list[float]:
            def judge() -> torch.Tensor:
                asked.append(number)
                return torch.full((supply.positions,), float(number))

            return supply.judged_by(teacher, judge).tolist()

        supply = Kept(settings, device)
        count = supply.positions
        self.assertEqual(said(supply, 1), [1.0] * count)
        self.assertEqual(said(Kept(settings, device), 2), [1.0] * count)
        # Another order of positions, another teacher: it is asked again.
        self.assertEqual(said(Kept(replace(settings, seed=9), device), 3), [3.0] * count)
        teacher.write_bytes(b"another")
        self.assertEqual(said(Kept(settings, device), 4), [4.0] * count)
        self.assertEqual(asked, [1, 3, 4])
        # Where nothing is kept it is always asked.
        plain = Kept(self.settings, device)
        self.assertEqual((said(plain, 5), said(plain, 6)), ([5.0] * count, [6.0] * count))
        store.with_name("judged.cache.judged").write_bytes(b"something else")
        with self.assertRaisesRegex(StreamError, "remove it"):
            said(Kept(settings, device), 7)


if __name__ == "__main__":
    unittest.main()
