"""The sums of script/screen, without games."""

import argparse
import math
import os
import random
import tempfile
import unittest

from tests.scripts import load

screen = load("screen")


class Sums(unittest.TestCase):
    def test_effects_are_found_again(self):
        for count in (1, 17, 63):
            rng = random.Random(count)
            true = [rng.gauss(0, 15) for _ in range(count)]
            rows, data = screen.design(count), []
            for _ in range(400):
                row = next(rows)
                p = 1 / (1 + math.exp(-sum(a * b for a, b in zip(row, true)) / screen.ELO))
                won = sum(rng.random() < p for _ in range(16))
                data.append((row, (won, 0, 16 - won)))
            found, errors = screen.fit(data, count)
            self.assertTrue(all(3 < e < 6 for e in errors), errors)
            self.assertTrue(all(abs(f - t) < 4 * e for f, t, e in zip(found, true, errors)))

    def test_every_round_is_balanced_and_pairs_are_told_apart(self):
        rows = screen.design(63)
        matrix = [next(rows) for _ in range(screen.ORDER)]
        for i in range(63):
            for j in range(i):
                self.assertEqual(sum(row[i] * row[j] for row in matrix), 0)
            self.assertEqual(abs(sum(row[i] for row in matrix)), 0)

    def test_changes_are_read_and_mistakes_told(self):
        lines = ["# remark", "", "wider window: aspiration=24", "- both: a=1 b=-2 # why"]
        self.assertEqual(
            screen.read_changes(lines),
            [("wider window", [("aspiration", "24")], [], True), ("both", [("a", "1"), ("b", "-2")], [], False)],
        )
        between = screen.read_changes(["between: a=3/-1 b=2"])
        self.assertEqual(between, [("between", [("a", "3"), ("b", "2")], [("a", "-1")], True)])
        for wrong in (["no colon=1"], ["name:"], ["name: a=x"], ["name: a=1 b"], ["name: a=1/"], ["name: a=1/2/3"], [], ["- n: a=1"], ["n: a=1"] * 64):
            self.assertRaises(ValueError, screen.read_changes, wrong)
        self.assertEqual(len(screen.read_changes(["n: a=1"] * 63 + ["- m: b=1"] * 9)), 72)

    def test_a_limit_is_nodes_or_time(self):
        self.assertEqual([screen.told_limit(screen.limit_of_a_move(t)) for t in ("30000", "30ms")], ["nodes=30000", "movetime=30"])
        for wrong in ("", "ms", "0", "30 ms", "30s", "-5"):
            self.assertRaises(argparse.ArgumentTypeError, screen.limit_of_a_move, wrong)

    def test_earlier_matches_may_know_fewer_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            changes, earlier = os.path.join(folder, "changes"), os.path.join(folder, "earlier")
            for path, text in ((changes, "a: a=1\n- b: b=1\nc: c=1\n"), (earlier, "+- 3 1 0\nchosen 1 0 0\n-0+ 1 0 3\n")):
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            asked = argparse.Namespace(changes=changes, out=os.path.join(folder, "out"), earlier=[earlier])
            found = screen.Screen(asked)
            self.addCleanup(found.results.close)
            self.addCleanup(found.matches.close)
            self.assertEqual(found.earlier(), [([1, -1, 0], [3, 1, 0]), ([-1, 0, 1], [1, 0, 3])])
            self.assertEqual(found.options([0, 2]), ",option.Param.a=1,option.Param.c=1")
            found.changes[1] = ("b", [("b", "1")], [("b", "9")], True)
            self.assertEqual(found.options([0], [1, 2]), ",option.Param.a=1,option.Param.b=9")
            with open(earlier, "a", encoding="utf-8") as file:
                file.write("+-+- 1 0 0\n")
            self.assertRaises(ValueError, found.earlier)

    def test_scores(self):
        self.assertEqual(screen.score_text(0, 0, 0), "no game")
        self.assertEqual(screen.score_text(599, 12, 306), "599-12-306 of 917, +115.0 ± 23.6 Elo")


if __name__ == "__main__":
    unittest.main()
