"""What a training begins from, what is mixed into it, and averages over trainings."""

from __future__ import annotations

import io
import os
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from nue_trainer.deep import netfile
from nue_trainer.deep.beginning import begin, unfold
from nue_trainer.deep.export import exact
from nue_trainer.deep.nets import DeepNet
from nue_trainer.deep.planes import Unpacker, read_plane_about
from nue_trainer.deep.run import DeepRun
from nue_trainer.deep.settings import DeepSettings
from nue_trainer.deep.supply import KeptPlanes, MixedPlanes
from nue_trainer.deep.team import Team
from nue_trainer.training import TrainingError
from tests.planes_written import Position, executable, planted, preamble
from tests.test_deep import CPU, KINDS, break_off, rows_of, stirred


class Files(unittest.TestCase):
    def test_a_net_file_says_the_same_while_it_learns(self) -> None:
        for stem, what in KINDS:
            source = stirred(DeepNet(what, stem))
            unpacker = Unpacker(what.layout, CPU)
            torch.manual_seed(5)
            size = (400, what.layout.bytes)
            seen = unpacker(torch.randint(256, size, dtype=torch.uint8))
            net = DeepNet(what, stem)
            unfold(net, source.folded(), [seen])
            wanted = exact(source, *seen)
            learning = net.train()(*seen)
            net.eval()
            for found in (exact(net, *seen), learning):
                for one, other in zip(wanted, found):
                    off = (one - other).abs() / (1 + one.abs().max())
                    self.assertLess(float(off.max()), 1e-3, (stem, what))
            # Whatever the file had, a learning rate finds weights of the usual length.
            for block in net.blocks:
                lengths = block.conv1.conv.weight.flatten(1).norm(dim=1)
                self.assertTrue(torch.allclose(lengths, torch.full_like(lengths, 3**-0.5)))

    def test_what_does_not_fit_is_told(self) -> None:
        (_, what), *_ = KINDS
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "net.nuedf"
            netfile.write(path, stirred(DeepNet(what, "plain")).folded(), {})
            with self.assertRaisesRegex(TrainingError, "--stem plain"):
                begin(DeepNet(what, "wide"), path, lambda: [])
            with self.assertRaisesRegex(TrainingError, "not this kind of net: it is .*blocks=2"):
                begin(DeepNet(replace(what, blocks=1), "plain"), path, lambda: [])
            with self.assertRaisesRegex(TrainingError, "no positions"):
                begin(DeepNet(what, "plain"), path, lambda: [])
            path.write_bytes(b"{}\n")
            with self.assertRaisesRegex(netfile.NetFileError, "first line"):
                begin(DeepNet(what, "plain"), path, lambda: [])


class Mixed(unittest.TestCase):
    def test_others_come_in_their_share_and_all_before_any_again(self) -> None:
        square = [frozenset[int]()] * 3

        def some(count: int, result: int) -> Any:
            told = [Position(tuple(square), label=n, result=result) for n in range(count)]
            return rows_of(told)

        with Team("cpu") as team:
            source: Any = io.BytesIO(preamble())
            about = read_plane_about(source)
            own = KeptPlanes(about, some(40, 1), 1, 6, team)
            supply = MixedPlanes(own, some(7, -1), 0.4, 1, team)
            drawn: list[int] = []
            for epoch in range(2):
                batches = list(supply.epoch(epoch))
                self.assertEqual(len(batches), 6)
                for rows in batches:
                    self.assertEqual(rows.result.tolist(), [1] * 6 + [-1] * 4)
                    drawn += rows.label[6:].tolist()
            self.assertEqual(len(drawn), 48)
            turns = [drawn[at : at + 7] for at in range(0, 42, 7)]
            self.assertTrue(all(sorted(turn) == list(range(7)) for turn in turns), turns)
            self.assertGreater(len({tuple(turn) for turn in turns}), 3)
            # An epoch by itself is the same.
            again = MixedPlanes(own, some(7, -1), 0.4, 1, team)
            second = [label for rows in again.epoch(1) for label in rows.label[6:].tolist()]
            self.assertEqual(second, drawn[24:])
            self.assertEqual(len(again.some(3)), 3)


@unittest.skipUnless(os.name == "posix", "runs a script")
class Runs(unittest.TestCase):
    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        torch.set_num_threads(1)
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = Path(held.name)
        cls.train = executable(cls.folder, "train", planted(600, 1))
        for name in ("games.teacher", "labelled.teacher"):
            (cls.folder / name).write_bytes(b"")

    def settings(self, name: str, **other: Any) -> DeepSettings:
        told: dict[str, Any] = {
            "blocks": 1, "channels": 16, "value_hidden": 16, "batch": 50, "epochs": 2, "lr": 0.1,
            "device": "cpu", "by_file": True, **other,
        }  # fmt: skip
        data = (str(self.folder / "games.teacher"),)
        return DeepSettings(nue=self.train, data=data, out=str(self.folder / name), **told)

    def run_all(self, settings: DeepSettings) -> dict[str, Any]:
        with Team("cpu") as team:
            return DeepRun(settings, team, lambda _: None).all()

    def kept(self, settings: DeepSettings) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
        """Parameters of the net of a checkpoint, and those that were written."""
        tensors = torch.load(settings.checkpoint())["tensors"]
        with Team("cpu") as team:
            look = replace(settings, out=str(self.folder / "look"), across=0.0, init=None)
            run = DeepRun(look, team, lambda _: None)
        run.net.load_state_dict(tensors["net"])
        own = [parameter.detach() for parameter in run.net.parameters()]
        return own, tensors.get("average", {"kept": own})["kept"]

    def test_an_average_over_trainings_is_written_and_each_goes_on_from_its_own(self) -> None:
        first = self.settings("first")
        self.run_all(first)
        init = first.checkpoint()
        second = self.settings("second", init=init, across=0.25)
        self.run_all(second)
        plain = self.settings("plain", init=init)
        self.run_all(plain)
        third = self.settings("third", init=second.checkpoint(), across=0.25)
        self.run_all(third)
        own = [self.kept(settings)[0] for settings in (first, second, plain, third)]
        written = [self.kept(settings)[1] for settings in (second, third)]
        for one, other in zip(own[1], own[2]):
            self.assertTrue(torch.equal(one, other), "what is written changes nothing for the trainer")
        before = own[0]
        for net, average in zip((own[1], own[3]), written):
            for a, b, there in zip(before, net, average):
                self.assertTrue(torch.allclose(0.25 * a + 0.75 * b, there, atol=1e-6))
            before = average
        nets = [netfile.read(Path(s.out)).state_dict() for s in (second, plain)]
        self.assertFalse(torch.equal(nets[0]["stem.weight"], nets[1]["stem.weight"]))

    def test_a_training_from_a_file_with_others_mixed_in_goes_on_where_it_was(self) -> None:
        first = self.settings("start.nuedf")
        self.run_all(first)
        other = str(self.folder / "labelled.teacher")
        more = {"mixed": (other,), "mixed_share": 0.5, "across": 0.5, "init": first.out}
        whole, parts = self.settings("whole", **more), self.settings("parts", resume=True, **more)
        self.assertEqual(self.run_all(whole)["positions"], 2 * 2 * 600)

        break_off(parts)
        self.run_all(parts)
        one, two = (netfile.read(Path(s.out)).state_dict() for s in (whole, parts))
        for name, tensor in one.items():
            self.assertTrue(torch.allclose(tensor, two[name], atol=1e-6), name)

    def test_what_makes_no_sense_is_told(self) -> None:
        for told, why in [
            ({"mixed": ("x",)}, "above 0 and below 1, not 1 files and 0.0"),
            ({"mixed_share": 0.5}, "not 0 files and 0.5"),
            ({"mixed": ("x",), "mixed_share": 1.0}, "1 files and 1.0"),
            ({"mixed": ("x",), "mixed_share": 0.5, "streamed": True}, "--streamed"),
            ({"across": 0.5}, "--init"),
        ]:
            with self.assertRaisesRegex(ValueError, why):
                self.settings("none", **told)


if __name__ == "__main__":
    unittest.main()
