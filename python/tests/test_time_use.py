"""What script/time-use reads and draws, without a match."""

import unittest

from tests.scripts import load

time_use = load("time-use")

GAMES = """V3.0
N+one
N-two
PI
+
+7776FU
-3334FU
T0.010
+2726FU,T0.030
%TORYO
T0.500
/
V3.0
N+two
N-one
+7776FU
T1
"""


class TimeUse(unittest.TestCase):
    def test_times_belong_to_the_move_before_them(self):
        players = time_use.read(GAMES.splitlines())
        # An opening's move has no time, and giving up is no move.
        self.assertEqual(dict(players), {"two": [(2, 10.0), (1, 1000.0)], "one": [(3, 30.0)]})

    def test_a_time_that_is_none_is_named_with_its_line(self):
        for text in ("T", "Tx", "T1.2.3"):
            with self.assertRaisesRegex(ValueError, "line 2: 'T.*' is no time"):
                time_use.read(["+7776FU", text])
        self.assertEqual(dict(time_use.read([])), {})

    def test_shares_of_a_list(self):
        values = [float(n) for n in range(1, 101)]
        self.assertEqual((time_use.at(values, 0.5), time_use.at(values, 0.95)), (51.0, 96.0))
        self.assertEqual(time_use.at([7.0], 0.95), 7.0)

    def test_marks_are_round_numbers(self):
        for highest, expected in [(514.0, [0, 200, 400]), (210.0, [0, 50, 100, 150, 200]), (1.0, [0, 0.2, 0.4, 0.6, 0.8, 1.0]), (99.0, [0, 20, 40, 60, 80])]:
            marks = time_use.round_marks(highest)
            self.assertEqual([round(mark, 9) for mark in marks], expected)

    def test_the_picture_has_a_line_for_each_player_and_share(self):
        svg = time_use.picture({"a<b": [(1, 5.0), (12, 7.0)], "c": [(1, 0.0)]}, 10)
        self.assertEqual(svg.count("<polyline"), 4)
        self.assertIn("a&lt;b", svg)
        self.assertTrue(svg.startswith("<svg") and svg.endswith("</svg>\n"))


if __name__ == "__main__":
    unittest.main()
