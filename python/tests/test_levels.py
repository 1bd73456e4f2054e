"""`script/levels`: ratings from results, who meets whom, and a ladder with a program that plays nothing."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tests.scripts import FOLDER, load

# A match in which the greater SkillLevel wins every game.
MATCH = """#!/usr/bin/env python3
import json, re, sys
words = sys.argv[1:]
if words[0] == "openings":
    open(words[words.index("--out") + 1], "w").write("# made\\nstartpos\\n")
    sys.exit(0)
told = [words[i + 1] for i, word in enumerate(words) if word == "--engine"]
levels = [int(re.search(r"SkillLevel=(\\d+)", engine)[1]) for engine in told]
if max(levels) == 19:
    sys.exit("cannot play")
first = levels[0] > levels[1]
engines = [{"faults": {"time": 1} if levels[0] == 0 else {}}, {"faults": {}}]
pairing = {"engines": ["a", "b"], "wins": 2 * first, "draws": 0, "losses": 2 * (not first)}
print(json.dumps({"games": 2, "engines": engines, "pairings": [pairing]}))
"""


LEVELS = load("levels")


class Ladders(unittest.TestCase):
    def test_ratings_are_those_that_made_the_results(self) -> None:
        made = [-300.0, -50.0, 100.0, 250.0]
        games = 2000
        results = {(a, b): (games * LEVELS.chances(made, a, b), games)
                   for a in range(4) for b in range(a + 1, 4)}
        ratings, errors = LEVELS.rated(4, results)
        for found, wanted in zip(ratings, made):
            self.assertAlmostEqual(found, wanted, delta=1.0)
        self.assertTrue(all(0 < error < 40 for error in errors), errors)

    def test_two_players_have_the_error_of_a_match(self) -> None:
        ratings, _ = LEVELS.rated(2, {(0, 1): (300.0, 400)})
        # 75 % are 191 points.
        self.assertAlmostEqual(ratings[0] - ratings[1], 191, delta=2)
        # Each is half the difference from the mean: 400 games at 75 % leave 39 points of 95 %.
        _, errors = LEVELS.rated(2, {(0, 1): (300.0, 400)})
        self.assertAlmostEqual(errors[0], 39 / 2, delta=1)

    def test_who_never_lost_is_not_infinitely_strong(self) -> None:
        ratings, errors = LEVELS.rated(3, {(0, 1): (20.0, 20), (1, 2): (20.0, 20)})
        self.assertTrue(ratings[0] > ratings[1] > ratings[2])
        self.assertTrue(all(math.isfinite(x) for x in ratings + errors))
        self.assertLess(ratings[0] - ratings[2], 2500)

    def test_whoever_played_least_meets_somebody_near(self) -> None:
        ladder = LEVELS.Ladder([LEVELS.Player(str(n), "") for n in range(5)], 1)
        ladder.ratings = [0.0, 500.0, 1000.0, 1500.0, 2000.0]
        ladder.counts = [8, 8, 8, 8, 0]
        self.assertEqual(ladder.next_pair()[:2], (3, 4))
        self.assertEqual(ladder.counts, [8, 8, 8, 10, 2])
        ladder.drop(3, 4)
        self.assertEqual(ladder.counts, [8, 8, 8, 8, 0])

    def test_a_whole_ladder(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            nue = Path(name) / "nue"
            nue.write_text(MATCH)
            nue.chmod(0o755)
            done = subprocess.run(
                [sys.executable, str(FOLDER / "levels"), "--nue", str(nue), "--skill", "0,5,10,15", "-j", "2",
                 "--minutes", "0.05"], capture_output=True, text=True, timeout=60, check=True)
            found = json.loads(done.stdout.splitlines()[-1])
            names = [row["name"] for row in found["ratings"]]
            self.assertEqual(sorted(names), sorted(f"SkillLevel {n}" for n in (15, 10, 5, 0)))
            # How many pairs are played depends on the machine; who wins does not.
            self.assertEqual({won for _, _, won, _ in found["pairs"]}, {0})
            self.assertGreater(found["faults"], 0)
            games = sum(row["games"] for row in found["ratings"])
            self.assertEqual(games, 2 * sum(won + lost for _, _, won, lost in found["pairs"]))
            # A program that cannot play is asked three times, and nothing is counted.
            done = subprocess.run(
                [sys.executable, str(FOLDER / "levels"), "--nue", str(nue), "--skill", "0,19", "-j", "1", "--minutes", "0.2"],
                capture_output=True, text=True, timeout=60, check=True)
            self.assertEqual(json.loads(done.stdout.splitlines()[-1])["pairs"], [])
            self.assertEqual(done.stderr.count("cannot play"), 3)


if __name__ == "__main__":
    unittest.main()
