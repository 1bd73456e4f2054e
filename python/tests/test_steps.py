"""What script/steps makes of a screening, and where script/put-params puts it."""

import unittest

from tests.scripts import load

steps, put_params = load("steps"), load("put-params")

PARAMS = """params! {
    wide = 32, 5..=60, "half-width";
    less = 2, 0..=4, "plies";
    floor = -6, -20..=0, "least";
    flag = 1, 0..=1, "whether";
}
    pub const MINISHOGI: Self = Self {
        wide: 14,
        ..Self::SHOGI
    };
"""
TODAY = {"wide": [32, 5, 60], "less": [2, 0, 4], "floor": [-6, -20, 0], "flag": [1, 0, 1]}
HEAD = "shogi, movetime=40 a move, 8 games, 2 matches: Elo of each change ± one standard error\n"


class Steps(unittest.TestCase):
    def test_todays_numbers_are_read(self):
        self.assertEqual(steps.numbers(PARAMS, "shogi", put_params.BLOCK), TODAY)
        mini = steps.numbers(PARAMS, "minishogi", put_params.BLOCK)
        self.assertEqual(mini, TODAY | {"wide": [14, 5, 60]})

    def test_the_clearer_an_effect_the_longer_the_step(self):
        lines = [
            HEAD,
            "  +99.0 ± 5.0  of an earlier table (less=4 or less=0)\n",
            HEAD,
            "  +10.0 ± 5.0  window, wide (half) (wide=45 or wide=20)\n",
            "   +9.9 ± 5.0  two of them (less=3 floor=-12 or less=1 floor=-2)\n",
            "   -4.9 ± 5.0  too little (wide=60 or wide=5)\n",
            "  -11.0 ± 5.0  no other value (flag=0)\n",
            "  3 chosen, hoped for +20: Param.wide=45\n",
        ]
        # Half of one ply there is not.
        self.assertEqual(steps.take(lines, TODAY), {"wide": 45, "floor": -9})
        lines[-2] = "  +11.0 ± 5.0  off (flag=0)\n"
        self.assertEqual(steps.take(lines, TODAY)["flag"], 0)
        lines[-3] = "   -7.0 ± 5.0  the other (floor=-9 or floor=-2)\n"
        self.assertEqual(steps.take(lines, TODAY)["floor"], -4)
        self.assertEqual(steps.take(["anything", ""], TODAY), {})
        self.assertRaises(ValueError, steps.take, [" +9.0 ± 1.0  gone (old=1)"], TODAY)

    def test_a_list_moves_with_its_numbers(self):
        lines = ["# remark: as it is\n", "\n", "window: wide=24/12\n", "both: less=1/3 floor=4/-10\n", "off: flag=1\n", "other: flag=0\n"]
        moved = ["# remark: as it is", "", "window: wide=38/26", "both: less=1/3 floor=-13", "other: flag=0"]
        self.assertEqual(list(steps.around(lines, TODAY)), moved)
        self.assertRaises(ValueError, list, steps.around(["gone: old=1"], TODAY))
        self.assertRaises(ValueError, list, steps.around(["gone: wide=x"], TODAY))


class PutParams(unittest.TestCase):
    def test_the_other_game_keeps_its_numbers(self):
        text = put_params.put(PARAMS, "shogi", [("wide", 14), ("less", 3)])
        self.assertIn("    wide = 14, 5..=60,", text)
        # What is the same needs no number of its own, what changes beneath it one.
        self.assertIn("Self {\n        less: 2,\n        ..Self", text)
        own = put_params.put(text, "minishogi", [("less", 3), ("floor", -8)])
        self.assertIn("Self {\n        floor: -8,\n        ..Self", own)
        self.assertEqual(put_params.put(own, "minishogi", [("less", 2), ("floor", -6)]), text)

    def test_mistakes_are_told(self):
        for wrong in ("wide", 61), ("floor", 1), ("old", 1):
            self.assertRaises(ValueError, put_params.put, PARAMS, "shogi", [wrong])
        self.assertRaises(ValueError, put_params.put, "nothing", "shogi", [("wide", 30)])
