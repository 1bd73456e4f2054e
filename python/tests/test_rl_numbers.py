"""`script/rl-numbers`: every part in little, broken off and gone on with."""

from __future__ import annotations

import os
import subprocess
import sys
import unittest
from pathlib import Path

from tests.executable import NUE, WithNue
from tests.scripts import FOLDER


@unittest.skipUnless(os.name == "posix", "runs a script")
class Numbers(WithNue):
    def numbers(self, *words: str) -> subprocess.CompletedProcess[str]:
        """What the script says."""
        return subprocess.run(
            [str(FOLDER / "rl-numbers"), *words], capture_output=True, text=True, timeout=1200, check=False,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip

    def part(self, name: str, *more: str, minutes: str = "20", folder: str = "") -> str:
        """The results of a part in little, which must succeed."""
        out = str(self.folder / (folder or name))
        words = ("--nue", NUE, "--out", out, "--minutes", minutes, "--tiny", "--python", sys.executable)
        done = self.numbers(name, *words, *more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_a_supervised_start_is_learned_from_and_met_again(self) -> None:
        # However far that comes.
        self.part("labelled", minutes="0.02")
        said = self.part("labelled")
        names = [line[3:] for line in said.splitlines() if line.startswith("== ")]
        kinds = ("drawn-8", "drawn-16", "set-1", "flat-1", "set-2", "flat-2")
        wanted = [f"labelled-{n}-{kind}" for n in (4, 8) for kind in kinds]
        self.assertEqual(names, [*wanted, "labelled-clock", "labelled-material"])
        self.assertIn("2 openings: ", said)
        lab = self.folder / "labelled" / "labelled"
        self.assertEqual(len(list(lab.glob("generation-*/entry.toml"))), 2)
        settings = (lab / "reinforce.json").read_text()
        self.assertIn('"labelled_share": 0.3', settings)
        # All of it is there: nothing is done again.
        before = {path: path.stat().st_mtime_ns for path in self.folder.rglob("*") if path.is_file()}
        self.assertEqual(self.part("labelled"), said)
        self.assertEqual(before, {path: path.stat().st_mtime_ns for path in before})
        # Another run begins with that net, and words of ours count.
        net = str(lab / "current.nuedf")
        self.folder.joinpath("labelled").rename(self.folder / "first")
        net = net.replace("/labelled/labelled/", "/first/labelled/")
        self.part("labelled", "--net", net, "--learn", "--games 4 --average 0.25", "--generations", "1")
        settings = (lab / "reinforce.json").read_text()
        self.assertIn('"average": 0.25', settings)
        self.assertIn('"games": 4,', settings)
        self.assertIn("current.nuedf", settings)

    def test_seven_starts_of_both_games(self) -> None:
        self.assertIn("== zero-material", self.part("zero"))
        said = self.part("shogi")
        self.assertIn("== shogi-playouts", said)
        for name in ("zero", "shogi"):
            report = (self.folder / name / name / "report" / "report.md").read_text()
            self.assertIn("| even |", report)

    def test_shogi_begins_from_labelled_positions(self) -> None:
        labels = self.folder / "labels.teacher"
        words = [NUE, "gen", "--out", str(labels), "--positions", "400", "--nodes", "50", "--policy", "lines=5,scale=100"]
        subprocess.run(words, check=True, capture_output=True)
        self.part("shogi", "--teacher", str(labels), folder="taught")
        lab = self.folder / "taught" / "shogi"
        self.assertTrue((lab / "start" / "net.nuedf").is_file())
        self.assertIn('"labelled_share": 0.5', (lab / "reinforce.json").read_text())

    def test_what_is_wrong_is_told(self) -> None:
        for words, why in [
            ((), "labelled, zero or shogi?"),
            (("half",), "labelled, zero or shogi?"),
            (("zero",), "give --nue"),
            (("zero", "--nue", "/nowhere/nue"), "/nowhere/nue: not an executable"),
            (("zero", "--nue", NUE), "give --out"),
            (("zero", "--nue"), "--nue needs a value"),
            (("zero", "--nue", NUE, "--out", "/nowhere", "--minutes", "soon"), "--minutes soon"),
            (("zero", "--nue", NUE, "--out", "x", "--net", "/nowhere/net"), "/nowhere/net: not there"),
            (("zero", "--games", "3"), 'unknown argument "--games"'),
        ]:
            done = self.numbers(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(why, done.stderr)
        self.assertFalse(Path("x").exists())
        self.assertIn("--tiny", self.numbers("--help").stdout)


if __name__ == "__main__":
    unittest.main()
