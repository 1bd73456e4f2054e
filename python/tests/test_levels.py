"""`script/levels`: the fit, who meets whom, and a ladder with a program that plays nothing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from tests.scripts import FOLDER, load

# A match in which the greater SkillLevel wins every game; one of SkillLevel 18 does not end by itself.
MATCH = """#!/usr/bin/env python3
import json, re, sys, time
words = sys.argv[1:]
if words[0] == "openings":
    open(words[words.index("--out") + 1], "w").write("# made\\nstartpos\\n")
    sys.exit(0)
told = [words[i + 1] for i, word in enumerate(words) if word == "--engine"]
levels = [int(re.search(r"SkillLevel=(\\d+)", engine)[1]) for engine in told]
if max(levels) == 19:
    sys.exit("cannot play")
if max(levels) == 18:
    open(words[words.index("--openings") + 1] + ".began", "w").close()
    time.sleep(600)
first = levels[0] > levels[1]
engines = [{"name": "a", "faults": {"time": 1} if levels[0] == 0 else {}}, {"name": "b", "faults": {}}]
pairing = {"engines": ["a", "b"], "wins": 2 * first, "draws": 0, "losses": 2 * (not first)}
print(json.dumps({"games": 2, "engines": engines, "pairings": [pairing]}))
"""
# A fit in which whoever has more points is stronger.
RATE = """#!/usr/bin/env python3
import sys
points, games = {}, {}
for line in sys.stdin:
    first, second, number, scored = line.rstrip("\\n").split("\\t")
    for name, made in ((first, float(scored)), (second, float(number) - float(scored))):
        points[name] = points.get(name, 0.0) + made
        games[name] = games.get(name, 0) + int(number)
for name in points:
    print(name, 100 * points[name] / games[name], 10.0, games[name], sep="\\t")
"""

LEVELS = load("levels")


class WithFolder(unittest.TestCase):
    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)
        self.out = self.folder / "pairs.jsonl"
        for name, text in (("nue", MATCH), ("rate", RATE)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)

    def words(self, *words: str) -> list[str]:
        return [sys.executable, str(FOLDER / "levels"), str(self.out), "--nue", str(self.folder / "nue"),
                "--rate", str(self.folder / "rate"), *words]

    def levels(self, *words: str, code: int = 0) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(self.words(*words), capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done


class Ladders(WithFolder):
    def ladder(self, count: int) -> LEVELS.Ladder:
        everybody = [LEVELS.Player(str(n), "") for n in range(count)]
        return LEVELS.Ladder(everybody, LEVELS.Games(self.out), lambda pairs: {}, 1)

    def test_whoever_played_least_meets_somebody_near(self) -> None:
        ladder = self.ladder(5)
        ladder.ratings = {str(n): LEVELS.Rating(500.0 * n, 10.0, 8) for n in range(5)}
        ladder.counts = {"0": 8, "1": 8, "2": 8, "3": 8, "4": 0}
        one, two, _ = ladder.next_pair()
        self.assertEqual((one.name, two.name), ("4", "3"))
        self.assertEqual(ladder.counts, {"0": 8, "1": 8, "2": 8, "3": 10, "4": 2})
        ladder.drop(one, two)
        self.assertEqual(ladder.counts, {"0": 8, "1": 8, "2": 8, "3": 8, "4": 0})

    def test_games_of_before_count(self) -> None:
        self.out.write_text('{"players": ["0", "1"], "games": 2, "points": 1.5, "faults": 0}\n')
        ladder = self.ladder(3)
        self.assertEqual(ladder.counts, {"0": 2, "1": 2, "2": 0})
        self.assertEqual(ladder.next_pair()[0].name, "2")

    def test_a_whole_ladder_goes_on(self) -> None:
        skill = ["--skill", "0,5,10,15", "-j", "2"]
        found: dict = {"ratings": []}
        while not found["ratings"]:
            # A machine may be so slow that nothing is played in the time.
            found = json.loads(self.levels(*skill, "--minutes", "0.05").stdout.splitlines()[-1])
        # How many pairs are played depends on the machine; who wins does not.
        order = ["SkillLevel 0", "SkillLevel 5", "SkillLevel 10", "SkillLevel 15"]
        for first, second, won, lost in found["pairs"]:
            weaker = order.index(first) < order.index(second)
            self.assertEqual((won == 0, lost == 0), (weaker, not weaker))
        games = sum(row["games"] for row in found["ratings"])
        self.assertEqual(games, 2 * sum(won + lost for _, _, won, lost in found["pairs"]))
        before = self.out.read_bytes()
        more = json.loads(self.levels(*skill, "--minutes", "0.05").stdout.splitlines()[-1])
        self.assertTrue(self.out.read_bytes().startswith(before))
        self.assertGreaterEqual(sum(row["games"] for row in more["ratings"]), games)
        # Without minutes nothing is played, and the same is told.
        told = self.levels(*skill).stdout
        again = json.loads(told.splitlines()[-1])
        self.assertEqual([again[key] for key in ("ratings", "pairs", "faults")],
                         [more[key] for key in ("ratings", "pairs", "faults")])
        best = again["ratings"][0]
        self.assertIn(f"| {best['name']} | +{best['rating']} | ± {best['error']} | {best['games']} |", told)

    def test_faults_are_counted_and_openings_kept(self) -> None:
        rows: list[str] = []
        while not rows:
            told = self.levels("--skill", "0,5", "-j", "1", "--minutes", "0.05").stderr
            rows = [line for line in self.out.read_text().splitlines() if "players" in line]
        found = json.loads(self.levels().stdout.splitlines()[-1])
        self.assertEqual("SkillLevel 0 (a) and SkillLevel 5 (b): faults of a: {'time': 1}" in told, found["faults"] > 0)
        self.assertEqual(found["faults"], sum(json.loads(row)["players"][0] == "SkillLevel 0" for row in rows))
        self.assertEqual((self.folder / "pairs.jsonl.openings").read_text(), "# made\nstartpos\n")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()),
                         ["nue", "pairs.jsonl", "pairs.jsonl.openings", "rate"])

    def test_a_program_that_cannot_play_is_asked_three_times(self) -> None:
        done = self.levels("--skill", "0,19", "-j", "1", "--minutes", "5")
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["pairs"], [])
        self.assertEqual(done.stderr.count("cannot play"), 3)

    def test_what_does_not_end_is_broken_off_and_does_not_count(self) -> None:
        done = self.levels("--skill", "0,18", "-j", "2", "--minutes", "0.02", "--ending", "0.1")
        self.assertEqual(json.loads(done.stdout.splitlines()[-1])["pairs"], [])
        running = subprocess.Popen(self.words("--skill", "0,18", "-j", "1", "--minutes", "100"), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        self.addCleanup(running.kill)
        for began in self.folder.glob("*.began"):
            began.unlink()
        while not list(self.folder.glob("*.began")):
            self.assertIsNone(running.poll())
            time.sleep(0.05)
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=300)
        self.assertEqual(running.returncode, 0, errors)
        self.assertEqual(json.loads(out.splitlines()[-1])["pairs"], [])

    def test_half_a_line_is_cut_and_a_wrong_one_told(self) -> None:
        whole = '{"player": "a", "how": "x"}\n{"players": ["a", "b"], "games": 2, "points": 1.5, "faults": 0}\n'
        self.out.write_text(whole + '{"players": ["a"')
        found = json.loads(self.levels().stdout.splitlines()[-1])
        self.assertEqual(found["pairs"], [["a", "b", 1.5, 0.5]])
        self.assertEqual(self.out.read_text(), whole)
        for wrong in ("x", "[]", "{}", '{"players": ["a"], "games": 2, "points": 1, "faults": 0}',
                      '{"players": ["a", "b"], "games": "x", "points": 1, "faults": 0}'):
            self.out.write_text(whole + wrong + "\n")
            self.assertIn("line 3", self.levels(code=1).stderr)

    def test_somebody_with_another_time_is_somebody_else(self) -> None:
        self.out.write_text('{"player": "Fairy-Stockfish 5", "how": "shogi, 100 ms"}\n')
        done = self.levels("--peer", "x", "--peer-time", "200", "--fairy", "5", "--skill", "1", "--minutes", "1", code=1)
        self.assertIn("'shogi, 100 ms' and not with 'shogi, 200 ms'", done.stderr)

    def test_wrong_words_are_told(self) -> None:
        self.assertIn("--minutes", self.levels("--minutes", "-1", code=2).stderr)
        self.assertIn("--minutes", self.levels("--minutes", "nan", code=2).stderr)
        self.assertIn("fewer than two", self.levels("--skill", "1", "--minutes", "1", code=1).stderr)
        self.assertIn("--rate", self.levels("--rate", str(self.folder / "none"), code=1).stderr)


PROGRAM = Path(os.environ.get("NUE", "none")).parent / "examples" / "rate"


@unittest.skipUnless(PROGRAM.exists(), "the example rate of room rating is not built beside the executable NUE names")
class Fit(unittest.TestCase):
    """The example `rate` of room rating."""

    def rate(self, pairs: list[tuple[str, str, int, float]]) -> dict[str, LEVELS.Rating]:
        return LEVELS.rated_by(str(PROGRAM))([LEVELS.Pair(*pair, 0) for pair in pairs])

    def test_ratings_are_those_that_made_the_results(self) -> None:
        made = {"a b": -300.0, "c": -50.0, "d": 100.0, "e": 250.0}
        names, games = list(made), 2000
        found = self.rate([(one, two, 1, float(n < games / (1 + 10 ** ((made[two] - made[one]) / 400))))
                           for i, one in enumerate(names) for two in names[i + 1:] for n in range(games)])
        self.assertEqual(list(found), names)
        for name in names:
            self.assertAlmostEqual(found[name].elo, made[name], delta=1.0)
            self.assertTrue(0 < found[name].error < 40, found)
            self.assertEqual(found[name].games, 3 * games)

    def test_two_players_have_the_error_of_a_match(self) -> None:
        found = self.rate([("a", "b", 1, float(n % 4 > 0)) for n in range(400)])
        # 75 % are 191 points. Each is half the difference from the mean: 400 games at 75 % leave 39 points of 95 %.
        self.assertAlmostEqual(found["a"].elo - found["b"].elo, 191, delta=2)
        self.assertAlmostEqual(found["a"].error, 39 / 2, delta=1)

    def test_who_never_lost_is_not_infinitely_strong_and_little_known(self) -> None:
        found = self.rate([("a", "b", 2, 2.0), ("b", "c", 2, 2.0)] * 10)
        self.assertTrue(found["a"].elo > found["b"].elo > found["c"].elo)
        self.assertLess(found["a"].elo - found["c"].elo, 2500)
        self.assertGreater(found["a"].error, 100)

    def test_nothing_and_nonsense(self) -> None:
        self.assertEqual(self.rate([]), {})
        for line in ("x", "a\tb\t2", "a\tb\t2\t1\t0", "a\ta\t2\t1", "\tb\t2\t1", "a\tb\t0\t0", "a\tb\t2\t3", "a\tb\t2\t-1",
                     "a\tb\tx\t1", "a\tb\t2\tnan", ""):
            done = subprocess.run([str(PROGRAM)], input=f"a\tb\t2\t1\n{line}\n", capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stdout), (1, ""), line)
            self.assertIn("line 2", done.stderr)


if __name__ == "__main__":
    unittest.main()
