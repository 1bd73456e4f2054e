"""How script/result-loss judges values by results."""

import math
import unittest

from tests.scripts import load

result_loss = load("result-loss")


def planted(scale):
    """Values with just the share of wins that a sigmoid of this scale gives them, as a pair of results each."""
    positions = []
    for value in range(-2000, 2001, 50):
        wins = round(1000 / (1 + math.exp(-value / scale)))
        positions += [(value, 30, 1.0)] * wins + [(value, 30, 0.0)] * (1000 - wins)
    return positions


def columns(positions):
    return [value for value, _, _ in positions], [result for _, _, result in positions]


class ResultLoss(unittest.TestCase):
    def test_the_scale_that_was_planted_is_found(self):
        for scale in (300, 900):
            least, found = result_loss.best(*columns(planted(scale)))
            self.assertAlmostEqual(found / scale, 1.0, delta=0.02)
            self.assertLess(least, result_loss.loss(*columns(planted(scale)), scale * 1.5))

    def test_values_that_say_nothing_lose_a_bit(self):
        least, _ = result_loss.best([100, 100, -100, -100], [1.0, 0.0, 1.0, 0.0])
        self.assertAlmostEqual(least, math.log(2), delta=1e-3)

    def test_winners_are_named_by_the_sign(self):
        self.assertEqual(result_loss.right([5, -5, 0, 7], [1.0, 1.0, 0.0, 0.5]), 0.5)
        self.assertEqual(result_loss.right([3], [0.5]), 0.0, "nothing is decided")

    def test_positions_are_read_from_their_bytes(self):
        record = bytes(32) + (-700).to_bytes(2, "little", signed=True) + b"\x12\x34" + (41).to_bytes(2, "little")
        data = record + b"\xff\0" + record + b"\0\0"
        self.assertEqual(result_loss.read(data), [(-700, 41, 0.0), (-700, 41, 0.5)])
        with self.assertRaisesRegex(ValueError, "41 bytes"):
            result_loss.read(data[:41])

    def test_parts_are_told_where_there_are_positions(self):
        games = [(10, 20, 1.0), (-400, 90, 0.0), (10, 90, 1.0), (-10, 20, 0.0)]
        lines = result_loss.table({"a": games, "b": [(-v, ply, r) for v, ply, r in games]}, 300)
        self.assertEqual([line.split("  ")[0] for line in lines],
                         ["all", "within 300", "moves 1 to 40", "moves 81 to 120"])
        self.assertIn(" 3 ", lines[1])
        self.assertIn("100.0 %", lines[0])
        self.assertIn("0.0 %", lines[0].split("b ")[1])


if __name__ == "__main__":
    unittest.main()
