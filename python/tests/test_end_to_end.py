"""From teacher data to a net the engine plays with, through the executable named by NUE."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import subprocess
import sys
import unittest
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import torch

from nue_trainer import floatfile
from nue_trainer.__main__ import main
from nue_trainer.agreement import Choices
from nue_trainer.deep import netfile
from nue_trainer.deep.planes import PlaneLoader, PlaneOrder, Unpacker
from nue_trainer.model import Net, unit
from nue_trainer.settings import Settings
from nue_trainer.stream import Labels, Loader, Order, StreamError
from nue_trainer.training import Run, line

from .executable import NUE, WithNue, nue


class EndToEnd(WithNue):
    data: str

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        options = ("--game", "minishogi", "--nodes", "60")
        cls.data = cls.games("train", *options, "--seed", "1", "--games", "80")
        cls.games("check", *options, "--seed", "2", "--games", "20")

    def settings(self, out: str) -> Settings:
        return Settings(
            nue=NUE,
            data=(self.data,),
            out=str(self.folder / out),
            features="halfkp",
            width=32,
            hidden1=8,
            hidden2=8,
            validation=(str(self.folder / "check.teacher"),),
            epochs=3,
            batch=128,
            lr_end=1e-4,
            device="cpu",
            threads=1,
        )

    def run_all(self, settings: Settings) -> Run:
        run = Run(settings, lambda _: None)
        run.all()
        return run

    def test_a_net_is_trained_imported_and_gives_the_same_values(self) -> None:
        settings = replace(self.settings("net.nuef"), epochs=6)
        run = self.run_all(settings)
        first, last = run.records[0], run.records[-1]
        self.assertLess(last["loss"], first["loss"])
        self.assertLess(last["validation_loss"], first["validation_loss"])
        out = str(self.folder / "nn.bin")
        self.assertIn("written", nue("net", "import", settings.out, "-o", out))
        self.assertIn("agree", nue("net", "verify", out, "--real", settings.out))
        self.check_values(run, out)
        log = Path(settings.log()).read_text().splitlines()
        self.assertEqual([json.loads(text)["epoch"] for text in log], [1, 2, 3, 4, 5, 6])
        self.assertIn("polyline", Path(settings.curve()).read_text())

    def test_a_generation_of_nue_learn_is_trained_here(self) -> None:
        lab = self.folder / "lab"
        words = ["--game", "minishogi", "--positions", "3000", "--nodes", "20", "-j", "1"]
        words += ["--arch", "halfkp-32x2-8-8", "--gate-games", "2", "--gate-limit", "nodes=10"]
        words += ["--python", sys.executable, "--train", "--epochs 2 --batch 256 --device cpu"]
        place = str(Path(__file__).resolve().parents[1])
        environment = {**os.environ, "PYTHONPATH": place}
        for generation in ("0001", "0002"):
            done = subprocess.run(
                [NUE, "learn", str(lab), *words], capture_output=True, text=True, env=environment
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            made = lab / f"generation-{generation}"
            for name in ("net.nuef", "net.bin", "gate.json", "entry.toml"):
                self.assertTrue((made / name).is_file(), name)
            self.assertIn("loss = 0.", (made / "entry.toml").read_text())
            # Whatever two games said, the next generation begins with this net.
            shutil.copy(made / "net.bin", lab / "current.bin")
        self.assertIn("--init", done.stderr)

    def test_moves_are_compared_with_those_played(self) -> None:
        settings = replace(self.settings("agreement.nuef"), epochs=2, agreement=60, leaf=True)
        choices = Choices.read(settings, torch.device("cpu"))
        labels = [batch.labels() for batch in choices.batches]
        played = sum(int((told.result == 1).sum()) for told in labels)
        # About as many as asked for: moves chosen at random do not count.
        self.assertTrue(30 <= played <= 60, played)

        def agreement(value: Callable[[Labels], torch.Tensor]) -> float | None:
            values = iter([value(told) for told in labels])
            return choices.agreement(cast(Net, lambda _: next(values)))

        # Values are for the opponent: the least is the choice.
        self.assertEqual(agreement(lambda told: -told.result), 1.0)
        self.assertLess(agreement(lambda told: told.result) or 0.0, 0.1)
        # Of equal values the first counts.
        first = sum(int(((told.result == 1) & (told.score == 0)).sum()) for told in labels)
        self.assertEqual(agreement(lambda told: torch.zeros_like(told.score)), first / played)
        run = self.run_all(settings)
        for record in run.records:
            self.assertTrue(0 <= record["agreement"] <= 1)
        self.assertIn("moves ", line(run.records[0], 2))
        plain = self.run_all(replace(self.settings("plain.nuef"), epochs=2))
        self.assertNotIn("agreement", plain.records[0])
        # Quiet positions instead of the positions themselves: another training.
        self.assertNotEqual(plain.records[0]["loss"], run.records[0]["loss"])

    def test_going_on_and_beginning_anew_exclude_each_other(self) -> None:
        words = ["train", "--data", self.data, "--out", "x.nuef", "--resume", "--force"]
        with self.assertRaises(SystemExit) as ended, contextlib.redirect_stderr(io.StringIO()):
            main(words)
        self.assertEqual(ended.exception.code, 2)

    def check_values(self, run: Run, net: str) -> None:
        """The engine gives positions the values that this package gives their features."""
        records = str(self.folder / "check.psv")
        nue("data", "convert", str(self.folder / "check.teacher"), "-o", records)
        told = nue("data", "head", records, "-n", "100000", "--game", "minishogi").splitlines()
        sfens: dict[tuple[int, int, int], list[str]] = {}
        for text in told:
            sfen, rest = text.split("  ")[:2]
            # Mates are sent as the largest score there is.
            score = max(-31000, min(31000, int(rest.split()[1])))
            key = (int(sfen.split()[3]), score, "bw".index(sfen.split()[1]))
            sfens.setdefault(key, []).append(sfen)
        everything = ("--keep-checks", "--keep-captures", "--keep-random", "--clamp", "31000")
        order = Order(NUE, (records,), "halfkp", options=("--game", "minishogi", *everything))
        seen: dict[tuple[int, int, int], list[float]] = {}
        with Loader(order) as loader, torch.no_grad():
            for batch in loader:
                start = 8 + 4 * batch.about.slots
                columns = [
                    batch.part(start + 2, 2).view(torch.int16),
                    batch.part(start, 2).view(torch.int16),
                    batch.part(start + 5, 1),
                    run.net(batch.indices()) * unit(16),
                ]
                for ply, score, turn, value in zip(*(column.tolist() for column in columns)):
                    seen.setdefault((ply, score, turn), []).append(value)
        once = [key for key, found in sfens.items() if len(found) == 1]
        self.assertGreater(len(once), 100)
        lines = "\n".join(sfens[key][0] for key in once) + "\n"
        values = nue("eval", "--net", net, "--game", "minishogi", text=lines).splitlines()
        self.assertEqual(len(values), len(once))
        distances = [
            abs(float(text.split("\t")[1]) - seen[key][0]) for key, text in zip(once, values)
        ]
        self.assertLess(sum(distances) / len(distances), 15)

    def test_a_run_that_was_broken_off_ends_as_if_it_had_not_been(self) -> None:
        for cache in (False, True):
            whole = replace(
                self.settings(f"whole{cache}.nuef"),
                cache=cache,
                mirror=True,
                ema=0.9 if cache else 0.0,
                blend_end=0.5 if cache else None,
                subspace=50 if cache else 100,
            )
            self.run_all(whole)
            parts = replace(whole, out=str(self.folder / f"parts{cache}.nuef"), resume=True)
            for _ in range(3):
                run = Run(parts, lambda _: None)
                with run.supply:
                    run.one()
            one = floatfile.read(Path(whole.out))
            other = floatfile.read(Path(parts.out))
            for a, b in zip(one.arrays, other.arrays):
                self.assertTrue(torch.equal(a, b), f"cache {cache}")
            # The same again, and another seed.
            again = replace(whole, out=str(self.folder / f"again{cache}.nuef"))
            self.run_all(again)
            seeded = replace(whole, out=str(self.folder / f"seed{cache}.nuef"), seed=2)
            self.run_all(seeded)
            for path, same in ((again.out, True), (seeded.out, False)):
                found = floatfile.read(Path(path)).arrays[3]
                self.assertEqual(torch.equal(one.arrays[3], found), same)

    def test_training_goes_on_from_a_net_of_the_engine(self) -> None:
        settings = self.settings("first.nuef")
        first = self.run_all(settings)
        binary, back = str(self.folder / "first.bin"), str(self.folder / "back.nuef")
        nue("net", "convert", settings.out, "-o", binary)
        nue("net", "convert", binary, "-o", back)
        out = str(self.folder / "more.nuef")
        more = replace(settings, out=out, init=back, lr=1e-9, lr_end=1e-9)
        second = self.run_all(more)
        before = first.records[-1]["validation_loss"]
        after = second.records[0]["validation_loss"]
        self.assertLess(abs(before - after), 0.01)

    def test_both_trainers_agree(self) -> None:
        """The engine's own trainer sees the same positions, the same losses, the same progress."""
        settings = replace(
            self.settings("torch.nuef"),
            epochs=4,
            stream_options=("--keep-checks", "--keep-captures", "--clamp", "31000"),
            factors=False,
        )
        run = self.run_all(settings)

        def train(out: str, *options: str) -> list[dict[str, dict[str, float]]]:
            path = str(self.folder / out)
            line = ["train", self.data, "--validation", *settings.validation, "--out", path]
            line += ["--keep-checks", "--keep-captures", "--limit", "31000", "--mirror", "false"]
            line += ["--batch", "128", "--threads", "1", "--no-factors", *options]
            # It fails where nothing was better than the beginning; its log is there all the same.
            subprocess.run([NUE, *line], capture_output=True)
            lines = Path(f"{path}.jsonl").read_text().splitlines()[1:]
            return [json.loads(text) for text in lines]

        # Its first line is about the net it begins with: the one trained here.
        theirs = train("after.bin", "--from", settings.out, "--epochs", "1", "--lr", "1e-9")
        ours = run.records[-1]
        for name, key in (("total", ""), ("score", "score_"), ("result", "result_")):
            wanted = ours[f"validation_{key}loss"]
            self.assertAlmostEqual(theirs[0]["validation"][name], wanted, places=4)
        self.assertAlmostEqual(theirs[0]["validation"]["floor"], ours["validation_floor"], places=4)
        # From random numbers of its own it comes to about the same.
        alone = train("alone.bin", "--arch", "halfkp-32x2-8-8", "--epochs", "4")
        best = min(line["validation"]["total"] for line in alone)
        self.assertLess(abs(best - ours["validation_loss"]), 0.05)

    def test_errors_are_told(self) -> None:
        common = ["--nue", NUE, "--features", "halfkp", "--device", "cpu", "--width", "32"]
        out = str(self.folder / "none.nuef")

        def fails(*arguments: str) -> str:
            said = io.StringIO()
            with contextlib.redirect_stderr(said):
                self.assertEqual(main(["train", *common, *arguments]), 1)
            return said.getvalue()

        self.assertIn("no-such", fails("--data", "no-such.teacher", "--out", out))
        wrong = fails("--data", self.data, "--out", out, "--features", "x")
        self.assertIn("unknown features", wrong)
        damaged = self.folder / "cut.teacher"
        damaged.write_bytes(Path(self.data).read_bytes()[:-5])
        self.assertIn("damaged at byte", fails("--data", str(damaged), "--out", out))
        self.assertFalse(Path(out).exists())
        there = self.folder / "there.nuef"
        there.write_bytes(b"something")
        self.assertIn("exists", fails("--data", self.data, "--out", str(there)))
        self.assertEqual(there.read_bytes(), b"something")
        Path(f"{out}.checkpoint").write_bytes(b"no checkpoint")
        self.assertIn("checkpoint", fails("--data", self.data, "--out", out, "--resume"))
        begun = fails("--data", self.data, "--out", f"{out}2", "--init", str(there))
        self.assertIn("net in real", begun)

    def test_a_policy_value_net_is_trained_and_written(self) -> None:
        out = self.folder / "deep.nuedf"
        line = ["deep", "--nue", NUE, "--planes", "minishogi", "--data", self.data]
        line += ["--validation", str(self.folder / "check.teacher"), "--out", str(out)]
        line += ["--blocks", "2", "--channels", "16", "--batch", "128", "--epochs", "3"]
        line += ["--device", "cpu", "--threads", "1", "--mirror"]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(main(line), 0)
        first, *_, last = (json.loads(text) for text in said.getvalue().splitlines()[1:])
        self.assertLess(last["validation_policy_loss"], first["policy_loss"])
        self.assertLess(last["export"]["policy"], 1e-3)
        kind = netfile.read(out).kind
        self.assertEqual((kind.layout.count, kind.label_count), (68, 525))
        # Planes that the files cannot have, and a net that is there already.
        wrong = [*line, "--planes", "dlshogi", "--force"]
        for again, reason in ((line, "exists"), (wrong, "unknown planes")):
            with contextlib.redirect_stderr(io.StringIO()) as errors:
                self.assertEqual(main(again), 1)
            self.assertIn(reason, errors.getvalue())

    def test_planes_hold_what_the_position_is(self) -> None:
        """The pieces of unpacked planes, against the text of the same positions."""
        records = str(self.folder / "check.psv")
        nue("data", "convert", str(self.folder / "check.teacher"), "-o", records, "--force")
        told = nue("data", "head", records, "-n", "100000", "--game", "minishogi").splitlines()
        boards: dict[tuple[int, int], list[str]] = {}
        for text in told:
            sfen, rest = text.split("  ")[:2]
            key = (int(sfen.split()[3]), int(rest.split()[1]))
            boards.setdefault(key, []).append(sfen)
        order = PlaneOrder(
            NUE, (records,), "minishogi", options=("--game", "minishogi", "--clamp", "32767")
        )
        compared = 0
        with PlaneLoader(order) as loader:
            unpacker = Unpacker(loader.about.layout, torch.device("cpu"))
            for batch in loader:
                planes = unpacker.whole(unpacker(batch.rows().packed)).flatten(2)
                plies = batch.part(4, 2).view(torch.int16).tolist()
                scores = batch.rows().score.tolist()
                for number, key in enumerate(zip(plies, scores)):
                    if len(boards.get(key, ())) == 1:
                        compared += 1
                        self.check_pieces(planes[number], boards[key][0])
        self.assertGreater(compared, 100)

    def check_pieces(self, planes: torch.Tensor, sfen: str) -> None:
        """Every piece of the board has its one in the plane of its kind, and nothing else has."""
        board, turn = sfen.split()[:2]
        wanted = torch.zeros(46, 25)
        for rank, row in enumerate(board.split("/")):
            file, promoted = 4, ""
            for letter in row:
                if letter == "+":
                    promoted = "+"
                elif letter.isdigit():
                    file -= int(letter)
                else:
                    own = letter.isupper() == (turn == "b")
                    kind = "P S B R G K +P +S +B +R".split().index(promoted + letter.upper())
                    square = 5 * file + rank
                    square = square if turn == "b" else 24 - square
                    wanted[kind + (0 if own else 23), square] = 1
                    file, promoted = file - 1, ""
        for first in (0, 23):
            self.assertTrue(torch.equal(planes[first : first + 10], wanted[first : first + 10]), sfen)
        self.assertEqual(planes[67].tolist(), [float(turn == "w")] * 25)

    def test_a_stream_that_is_left_ends(self) -> None:
        with Loader(Order(NUE, (self.data,), "halfkp", epochs=None, batch=64)) as loader:
            for number, batch in enumerate(loader):
                if number == 100:
                    break
        self.assertGreater(batch.epoch, 0)
        with self.assertRaises(StreamError):
            Loader(Order(NUE, (self.data,), "kp"))

    def test_the_bench_measures(self) -> None:
        with contextlib.redirect_stdout(io.StringIO()) as said:
            arguments = ["bench", "--nue", NUE, "--data", self.data, "--features", "halfkp"]
            arguments += ["--width", "32", "--seconds", "0.2", "--batch", "256"]
            self.assertEqual(main([*arguments, "--device", "cpu", "--threads", "1"]), 0)
        found = json.loads(said.getvalue().splitlines()[-1])
        self.assertEqual(list(found), ["loader", "net", "together"])
        self.assertTrue(all(speed > 0 for speed in found.values()))

    def test_the_net_of_every_feature_set_is_known_to_the_engine(self) -> None:
        # No games of 9×9 are needed: the sizes alone are compared.
        with Loader(Order(NUE, (self.data,), "halfkp")) as loader:
            about = loader.about
        path = self.folder / "mini.nuef"
        floatfile.write(path, Net(about, 16, 8, 8, True).export(16, {}))
        out = str(self.folder / "mini.bin")
        nue("net", "convert", str(path), "-o", out)
        self.assertIn("minishogi", nue("net", "info", out))


if __name__ == "__main__":
    unittest.main()
