"""`script/minishogi`, `script/nets-compared` and what they share: steps that go on, and tables, with a program that plays nothing."""

from __future__ import annotations

import json
import math
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.scripts import FOLDER, load

# Every command writes its files at once and tells in calls.txt that it ran. The first engine named in a match wins three
# games of four. What a file `broken`, `slow` or `nothing` beside it names fails, takes a while, finds nothing better.
NUE = """#!/usr/bin/env python3
import json, os, signal, sys, time
from pathlib import Path
words = sys.argv[1:]
command = words[0] if words[0] not in ("data", "openings", "net") else " ".join(words[:2])
with open("calls.txt", "a") as calls:
    calls.write(command + "\\n")
told = lambda name: (Path(__file__).parent / name).read_text() if (Path(__file__).parent / name).exists() else ""
if told("broken") == command:
    print("it is broken", file=sys.stderr)
    sys.exit(1)
if told("slow") == command:
    signal.signal(signal.SIGINT, lambda *_: sys.exit(130))
    open("slow-began", "w").close()
    time.sleep(600)
if told("nothing") in words:
    sys.exit(3)
if command == "data stats":
    print(json.dumps({"scale": 612.4}))
for flag in ("--out", "--output", "--train", "--validation"):
    if flag in words and command != "match":
        Path(words[words.index(flag) + 1]).touch()
if command == "match":
    games = int(words[words.index("--games") + 1])
    engines = [words[i + 1] for i, word in enumerate(words) if word == "--engine"]
    names = [engine.split("name=")[1].split(",")[0] for engine in engines]
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1:]]
    with open(words[words.index("--out") + 1] + ".journal", "w") as journal:
        print(json.dumps({"plan": 1}), file=journal)
        for a, b in pairs:
            for n in range(games):
                black = n % 2
                players = [b, a] if black else [a, b]
                winner = ("black" if players[0] == a else "white") if n % 4 else "draw"
                print(json.dumps({"players": players, "winner": winner}), file=journal)
    score = lambda wins, losses: {"wins": wins, "draws": 0, "losses": losses, "elo": [10.0, 20.0, 30.0]}
    time = {"nodes": 5000, "ms": 10.0}
    print(json.dumps({"players": names}))
    print(json.dumps({"games": games, "engines": [dict(score(3, 1), name=n, rating=[-5.0, 0.0, 5.0], time=time, faults={})
                                                  for n in names],
                      "pairings": [dict(score(games * 3 // 4, games // 4), engines=list(pair)) for pair in pairs]}))
"""

# A trainer in PyTorch that learns nothing; what a file `slow` beside it names takes a while.
PYTHON = """#!/usr/bin/env python3
import json, sys, time
from pathlib import Path
words = sys.argv[1:]
with open("trainings.jsonl", "a") as calls:
    calls.write(json.dumps(words) + "\\n")
out = words[words.index("--out") + 1]
slow = Path(__file__).parent / "slow"
if slow.exists() and slow.read_text() == out:
    open("slow-began", "w").close()
    time.sleep(600)
Path(out).touch()
epochs = int(words[words.index("--epochs") + 1])
row = {"epoch": epochs, "positions": 1000 * epochs, "validation_loss": 0.61, "validation_result_loss": 0.5}
Path(out + ".jsonl").write_text("{}\\n" + json.dumps(row) + "\\n")
"""

MINISHOGI, COMPARED, EXPERIMENT = load("minishogi"), load("nets-compared"), load("experiment.py")


class WithFolder(unittest.TestCase):
    """A folder, and a program in it."""

    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.base = Path(held.name)
        self.nue = self.base / "nue"
        self.nue.write_text(NUE)
        self.nue.chmod(0o755)
        self.python = self.base / "python"
        self.python.write_text(PYTHON)
        self.python.chmod(0o755)
        self.folder = self.base / "made"

    def script(self, name: str, what: str, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run([sys.executable, str(FOLDER / name), what, str(self.folder), "--nue", str(self.nue), "-j", "2",
                               "--python", str(self.python), *words], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def calls(self) -> list[str]:
        path = self.folder / "calls.txt"
        return path.read_text().splitlines() if path.exists() else []

    def tell(self, name: str, text: str) -> None:
        (self.base / name).write_text(text)


class Steps(WithFolder):
    def test_what_was_made_is_not_made_again(self) -> None:
        self.script("minishogi", "2", "--epochs", "2", "--games", "8")
        first = self.calls()
        self.assertEqual(first, ["openings make", *(["gen", "data split", "train", "match"] * 2)])
        self.script("minishogi", "2", "--epochs", "3", "--games", "8", "-j", "1")
        self.assertEqual(self.calls(), first + ["gen", "data split", "train", "match"])

    def test_other_settings_are_refused(self) -> None:
        self.script("minishogi", "2", "--epochs", "1", "--positions", "500")
        done = self.script("minishogi", "2", "--epochs", "1", "--positions", "600", code=1)
        self.assertIn("--positions 500", done.stderr)
        self.assertIn("--positions 600", done.stderr)
        self.assertIn("another folder", done.stderr)

    def test_a_command_that_fails_is_told_and_tried_again(self) -> None:
        self.tell("broken", "train")
        done = self.script("minishogi", "2", "--epochs", "1", code=1)
        self.assertIn("it is broken", done.stderr)
        self.tell("broken", "")
        self.script("minishogi", "2", "--epochs", "1")
        self.assertEqual(self.calls().count("gen"), 1)
        self.assertEqual(self.calls().count("train"), 2)

    def test_stopped_it_goes_on_with_the_same_command(self) -> None:
        self.tell("slow", "gen")
        running = subprocess.Popen([sys.executable, str(FOLDER / "minishogi"), "2", str(self.folder), "--nue", str(self.nue),
                                    "--epochs", "1"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.kill)
        while not (self.folder / "slow-began").exists():
            self.assertIsNone(running.poll())
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        told = running.communicate(timeout=300)[1]
        self.assertEqual(running.returncode, 130, told)
        self.assertIn("the same command goes on", told)
        rows = [json.loads(line) for line in (self.folder / "steps.jsonl").read_text().splitlines()]
        self.assertEqual([(row["step"], row["ended"]) for row in rows],
                         [("minishogi openings", True), ("epoch 1 games", False)])
        self.tell("slow", "")
        self.script("minishogi", "2", "--epochs", "1")
        self.assertEqual(self.calls().count("openings make"), 1)

    def test_the_time_ends_it(self) -> None:
        self.script("minishogi", "2", "--minutes", "0", code=130)
        self.assertEqual(self.calls(), [])
        # A command that would take longer is interrupted, if there was time to begin it.
        self.tell("slow", "openings make")
        self.script("minishogi", "2", "--minutes", "0.05", code=130)
        self.assertNotIn("gen", self.calls())

    def test_one_run_at_a_time(self) -> None:
        with EXPERIMENT.Experiment(self.folder):
            done = self.script("minishogi", "2", code=1)
            self.assertIn("another run works in this folder", done.stderr)
            self.assertEqual(self.calls(), [])
        self.script("minishogi", "2", "--epochs", "1")
        # A report is no run.
        with EXPERIMENT.Experiment(self.folder):
            self.assertIn("Table 2", self.script("minishogi", "report").stdout)

    def test_half_a_line_is_cut_and_a_wrong_one_told(self) -> None:
        self.script("minishogi", "2", "--epochs", "1")
        journal = self.folder / "steps.jsonl"
        whole = journal.read_text()
        journal.write_text(whole + '{"step": "epoch 2 ga')
        self.script("minishogi", "2", "--epochs", "1")
        self.assertEqual(journal.read_text(), whole)
        for wrong in ("nonsense", "[]", "{}", '{"step": "a", "seconds": "x", "ended": true}', '{"step": "a", "seconds": 1, "ended": true}'):
            journal.write_text(whole + wrong + "\n")
            done = self.script("minishogi", "2", "--epochs", "1", code=1)
            self.assertIn(f"line {len(whole.splitlines()) + 1}", done.stderr)

    def test_wrong_words_and_missing_files_are_told(self) -> None:
        for words in (["--scale", "0"], ["--games", "0"], ["--depths", "3,3"], ["--depths", "x"], ["--epochs", "-1"], ["--share", "1"]):
            self.assertIn(words[0], self.script("minishogi", "3", *words, code=2).stderr)
        self.assertIn("nothing was measured", self.script("minishogi", "report", code=1).stderr)
        self.assertIn("--data", self.script("minishogi", "kppt", code=1).stderr)
        self.assertIn("none.teacher", self.script("minishogi", "kppt", "--data", "none.teacher", code=1).stderr)
        self.assertIn("no-such-program", self.script("minishogi", "6", "--peer", "no-such-program", "--epochs", "1", code=1).stderr)
        self.assertIn("three or more", self.script("nets-compared", "fv-scale", "--values", "8,16", code=1).stderr)
        self.assertIn("two different", self.script("nets-compared", "kinds", "--arch", "kp-32x2-8-8", code=1).stderr)
        self.assertIn("--mix", self.script("nets-compared", "kinds", "--mix", "2", code=2).stderr)
        for what, words in (("subspace", ["kp-8x2-8-8", "kp-9x2-8-8"]), ("shapes", ["kp-8x2-8-8"]), ("shapes", ["kp-8x2-8-8", "kp-8-8-8"])):
            named = [word for name in words for word in ("--arch", name)]
            self.assertIn(f"--arch {words[-1]}" if len(words) == 1 or words[-1] == "kp-8-8-8" else "one",
                          self.script("nets-compared", what, *named, code=1).stderr)
        self.assertIn("--python", self.script("nets-compared", "shapes", "--python", str(self.base / "no-python"), code=1).stderr)
        self.nue.unlink()
        self.assertIn("--nue", self.script("nets-compared", "fv-scale", code=1).stderr)


class Tables(WithFolder):
    def test_all_tables(self) -> None:
        told = self.script("minishogi", "all", "--epochs", "2", "--games", "8", "--peer-games", "8", "--peer", str(self.nue)).stdout
        self.assertIn("| 2 | 6–0–2 | +20 ± 10 | 730–270, +173 |", told)
        # The deeper one first, where the match had it second.
        self.assertIn("| d9, d6 | 2–0–6 | −20 ± 10 | 535 |", told)
        self.assertIn("| 1 | 2–2–0 | 4–0–0 | +20 ± 10 | 47–103, 104–46 |", told)
        self.assertIn("| 7: the net | 2–2–0 | 4–0–0 | +20 ± 10 | 77–73, 147–3 |", told)
        self.assertIn("300,000 positions an epoch at depth 6; matches at 1,000 nodes a move", told)
        self.assertEqual(self.script("minishogi", "report").stdout, told)
        # Every command is there to be repeated, without what results do not depend on.
        commands = [line for line in told.splitlines() if line.startswith("nue ")]
        self.assertEqual(len(commands), len(self.calls()))
        self.assertFalse([line for line in commands if " -j " in line or "--threads" in line])

    def test_an_epoch_that_finds_nothing_better_is_said_and_not_played(self) -> None:
        self.tell("nothing", "epoch-2.bin")
        told = self.script("minishogi", "2", "--epochs", "3", "--games", "8").stdout
        self.assertIn("| 2 | training found nothing better | – |", told)
        self.assertEqual(self.calls().count("match"), 2)
        self.assertIn("--from epoch-1.bin", [line for line in told.splitlines() if line.startswith("nue train epoch-3")][0])

    def test_two_kinds_from_the_same_games(self) -> None:
        games = self.base / "games.teacher"
        games.touch()
        told = self.script("minishogi", "kppt", "--data", str(games), "--score-scale", "0.9", "--games", "8").stdout
        self.assertIn("| kppt against net, equal nodes | 8 | 6–0–2 | +20 ± 10 | 500, 500 |", told)
        self.assertIn("| kppt against net, equal time | 8 |", told)
        self.assertIn("data convert shogi.teacher --output scaled.teacher --score-scale 0.9", told)
        self.folder = self.base / "kinds"
        told = self.script("nets-compared", "kinds", "--game", "minishogi", "--games", "8").stdout
        self.assertIn("| halfkpe9 against halfkp, equal nodes | 8 | 6–0–2 |", told)

    def trainings(self) -> list[list[str]]:
        lines = (self.folder / "trainings.jsonl").read_text().splitlines()
        return [json.loads(line) for line in lines]

    def test_shares_of_rows_from_the_same_games(self) -> None:
        told = self.script("nets-compared", "subspace", "--games", "8").stdout
        trainings = self.trainings()

        def different(one: list[str], other: list[str]) -> dict[str, str]:
            self.assertEqual(len(one), len(other))
            return {one[i - 1]: b for i, (a, b) in enumerate(zip(one, other)) if a != b}

        every, half, twice = trainings
        self.assertEqual(every[every.index("--subspace") + 1], "100")
        self.assertEqual(different(every, half), {"--out": "half.nuef", "--subspace": "50"})
        self.assertEqual(different(half, twice), {"--out": "half-twice.nuef", "--epochs": "12"})
        # The scale is fitted to the games, and the stream's options come last.
        self.assertIn("--scale 612 ", " ".join(every))
        self.assertEqual(every[every.index("--stream-options") + 1 :], COMPARED.FILTERS)
        self.assertEqual((every[3:5], every[every.index("--features") + 1]), (["--nue", str(self.nue)], "kp"))
        # All of them meet at 5,000 nodes.
        for pair in ("all against half", "all against half-twice", "half against half-twice"):
            self.assertIn(f"| {pair}, equal nodes | 8 | 6–0–2 | +20 ± 10 | 500, 500 |", told)
        self.assertNotIn("equal time", told)
        self.assertIn("nodes=5000", told)
        self.assertIn("| half-twice | 12 | 12,000 | ", told)
        # Commands are as they are typed, without what belongs to this machine.
        self.assertIn("\npython3 -m nue_trainer train --data subspace.train.teacher", told)
        self.assertNotIn(str(self.base), told)
        self.assertEqual(self.script("nets-compared", "report").stdout, told)

    def test_architectures_from_the_same_games(self) -> None:
        games = self.base / "games.teacher"
        games.touch()
        told = self.script("nets-compared", "shapes", "--data", str(games), "--games", "8").stdout
        of = [dict(zip(words, words[1:])) for words in self.trainings()]
        self.assertEqual([f"{w['--features']}-{w['--width']}x2-{w['--hidden1']}-{w['--hidden2']}" for w in of],
                         ["kphm-512x2-16-32", "kp-512x2-32-32", "kp-256x2-32-32"])
        self.assertEqual({(w["--seed"], w["--epochs"], w["--batch"], w["--data"]) for w in of}, {("1", "6", "16384", "shapes.train.teacher")})
        # A mirrored board is not mirrored again; what was read is kept by features.
        self.assertEqual(["--mirror" in words for words in self.trainings()], [False, True, True])
        self.assertEqual([w["--cache-file"] for w in of], ["kphm.cache", "kp.cache", "kp.cache"])
        self.assertNotIn("--teacher", of[0])
        for limit in ("nodes", "time"):
            self.assertIn(f"| kp-512x2-32-32 against kp-256x2-32-32, equal {limit} | 8 |", told)
        self.assertEqual(told.count(", equal "), 6)
        self.assertIn("movetime=50", told)

    def test_a_teacher_judges_for_all_nets(self) -> None:
        teacher = self.base / "teacher.nuedf"
        self.assertIn("there is no such file", self.script("nets-compared", "shapes", "--teacher", str(teacher), code=1).stderr)
        teacher.touch()
        self.script("nets-compared", "shapes", "--teacher", str(teacher), "--games", "8")
        of = [dict(zip(words, words[1:])) for words in self.trainings()]
        self.assertEqual([(w["--teacher"], w["--teacher-weight"]) for w in of], [(str(teacher.resolve()), "0.7")] * 3)

    def test_training_that_was_stopped_goes_on(self) -> None:
        self.tell("slow", "half.nuef")
        running = subprocess.Popen([sys.executable, str(FOLDER / "nets-compared"), "subspace", str(self.folder), "--nue", str(self.nue),
                                    "--python", str(self.python), "--games", "8"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.kill)
        while not (self.folder / "slow-began").exists():
            self.assertIsNone(running.poll())
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        told = running.communicate(timeout=300)[1]
        self.assertEqual(running.returncode, 130, told)
        (self.base / "slow").unlink()
        self.script("nets-compared", "subspace", "--games", "8")
        self.assertEqual([words[words.index("--out") + 1] for words in self.trainings()],
                         ["all.nuef", "half.nuef", "half.nuef", "half-twice.nuef"])
        self.assertTrue(all("--resume" in words for words in self.trainings()))

    def test_values_of_a_divisor(self) -> None:
        told = self.script("nets-compared", "fv-scale", "--values", "16,8,32", "--games", "8").stdout
        self.assertIn("| 8 | 3–0–1 | +0 ± 5 |", told)
        # The smaller one won three of four every time: no top.
        self.assertIn("No top is proved", told)
        self.assertEqual(self.script("nets-compared", "report").stdout, told)


class Sums(unittest.TestCase):
    def results(self, top: float, bend: float, games: int) -> list[tuple[float, float, float, int]]:
        """What values score if strength is a parabola."""
        places = [math.log(v) for v in (10, 13, 16, 20, 25)]

        def strength(x: float) -> float:
            return bend * (x - top) ** 2

        return [(a, b, games / (1 + math.exp(strength(b) - strength(a))), games)
                for i, a in enumerate(places) for b in places[i + 1:]]

    def test_the_top_of_a_parabola_is_found(self) -> None:
        for top in (math.log(14), math.log(21)):
            found = COMPARED.fitted(self.results(top, -1.5, 1000))
            assert found is not None
            self.assertAlmostEqual(found.top()[0], top, places=6)
            self.assertAlmostEqual(found.bend, -1.5, places=6)
            # Four times the games, half the error.
            more = COMPARED.fitted(self.results(top, -1.5, 4000))
            assert more is not None
            self.assertAlmostEqual(found.top()[1] / more.top()[1], 2, places=6)

    def test_a_top_that_is_none_is_not_told(self) -> None:
        self.assertIsNone(COMPARED.fitted([]))
        self.assertIsNone(COMPARED.fitted([(1.0, 2.0, 5.0, 10)]))
        for bend in (1.5, 0.0, -0.001):
            found = COMPARED.fitted(self.results(math.log(16), bend, 100))
            assert found is not None
            self.assertIsNone(found.top())
        # Who won everything has no likeliest parabola, and ends all the same.
        every = [(a, b, float(games), games) for a, b, _, games in self.results(0.0, 0.0, 1000)]
        self.assertIn("no", COMPARED.conclusion(COMPARED.fitted(every), [10, 25]).lower())
        far = COMPARED.conclusion(COMPARED.fitted(self.results(math.log(40), -1.5, 10_000)), [10, 25])
        self.assertIn("outside", far)

    def test_the_error_of_the_top_is_how_it_scatters(self) -> None:
        lot = random.Random(1)
        expected = self.results(math.log(16), -2.0, 400)
        tops, errors = [], []
        for _ in range(200):
            drawn = [(a, b, float(sum(lot.random() < points / games for _ in range(games))), games)
                     for a, b, points, games in expected]
            found = COMPARED.fitted(drawn)
            assert found is not None
            top = found.top()
            if top is not None:
                tops.append(top[0])
                errors.append(top[1])
        self.assertGreater(len(tops), 190)
        mean = sum(tops) / len(tops)
        scatter = math.sqrt(sum((x - mean) ** 2 for x in tops) / len(tops))
        self.assertLess(abs(scatter / (sum(errors) / len(errors)) - 1), 0.25)

    def test_words(self) -> None:
        self.assertEqual(EXPERIMENT.elo([95.0, 118.0, 141.0]), "+118 ± 23")
        self.assertEqual(EXPERIMENT.elo([-50.0, -30.0, -10.0]), "−30 ± 20")
        self.assertEqual(EXPERIMENT.elo([100.0, None, None]), "above +100")
        self.assertEqual(EXPERIMENT.elo([None, None, -100.0]), "below −100")
        self.assertEqual(EXPERIMENT.elo([10.0, 20.0, None]), "+20 (open)")
        self.assertEqual(EXPERIMENT.elo(None), "–")
        self.assertEqual(EXPERIMENT.speed({"time": {"nodes": 5000, "ms": 0}}), "–")


@unittest.skipUnless(os.environ.get("NUE"), "NUE does not name the executable")
class Real(WithFolder):
    """The same with the executable, as small as it goes."""

    def setUp(self) -> None:
        super().setUp()
        self.nue = Path(os.environ["NUE"]).resolve()

    def told(self, *words: Any) -> str:
        tiny = ["--games", "2", "--openings", "2", "--opening-nodes", "100", "--nodes", "50", "--passes", "1", "--batch", "64",
                "--share", "0.3"]
        return self.script(*words, *tiny).stdout

    @unittest.skipUnless(find_spec("torch"), "there is no torch")
    def test_nets_of_pytorch(self) -> None:
        words = ["--python", sys.executable, "--device", "cpu", "--positions", "3000", "--teacher-nodes", "50"]
        told = self.told("nets-compared", "subspace", *words, "--arch", "kp-16x2-8-8")
        for pair in ("all against half", "all against half-twice", "half against half-twice"):
            self.assertIn(f"| {pair}, equal nodes | 2 |", told)
        self.assertIn("| half-twice | 2 | ", told)
        self.folder = self.base / "shapes"
        told = self.told("nets-compared", "shapes", *words, "--arch", "kphm-16x2-8-8", "--arch", "kp-16x2-8-8", "--time", "5")
        self.assertIn("| kphm-16x2-8-8 against kp-16x2-8-8, equal time | 2 |", told)

    def test_tables_and_kinds(self) -> None:
        small = ["--positions", "4000", "--depth", "2", "--epochs", "1", "--depths", "1,2", "--depth-positions", "4000",
                 "--net-positions", "4000", "--net-depth", "2", "--net-epochs", "1"]
        # So few positions may teach nothing: then that is said.
        self.assertIn("| 1 | ", self.told("minishogi", "3", *small))
        told = self.told("minishogi", "5", *small)
        self.assertIn("### Table 2", told)
        self.assertIn("### Tables 4 and 5", told)
        self.folder = self.base / "kinds"
        told = self.told("nets-compared", "kinds", "--game", "minishogi", "--arch", "halfkp-32x2-8-8", "--arch",
                         "halfkp-16x2-8-8", "--positions", "4000", "--teacher-nodes", "50", "--time", "5")
        self.assertIn("| first against second, equal time | 2 |", told)
        self.folder = self.base / "divisors"
        told = self.told("nets-compared", "fv-scale", "--game", "minishogi", "--values", "8,16,32")
        self.assertIn("| 32 |", told)


if __name__ == "__main__":
    unittest.main()
