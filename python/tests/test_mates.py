"""The positions of script/mates, and what it does with an engine that has nothing left to read."""

import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tests.scripts import load

mates = load("mates")


class Positions(unittest.TestCase):
    def test_a_missing_king_goes_far_away(self):
        for sfen, expected in [
            ("4k4/9/4P4/9/9/9/9/9/9 b G 1", "4k4/9/4P4/9/9/9/9/9/K8 b G 1"),
            ("8k/9/9/9/9/9/9/9/PP+P6 b - 1", "8k/9/9/9/9/9/9/K8/PP+P6 b - 1"),
            ("9/9/9/9/9/9/9/9/4K4 w g 1", "k8/9/9/9/9/9/9/9/4K4 w g 1"),
        ]:
            self.assertEqual(mates.with_both_kings(expected), expected)
            self.assertEqual(mates.with_both_kings(sfen), expected)

    def test_games_are_cut_and_positions_are_not(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "endings.usi")
            path.write_text("startpos moves a b c d\nposition startpos moves a b\n\nsfen x b - 1\n")
            found = [(q.name, q.position) for q in mates.read_endings(path, 2, 10)]
            self.assertEqual(found, [("line 1", "startpos moves a b"), ("line 4", "sfen x b - 1")])
            self.assertEqual(len(mates.read_endings(path, 2, 1)), 1)
            self.assertEqual([q.position for q in mates.read_endings(path, 0, 9)][1], "startpos moves a b")


IDLER = """#!/bin/sh
while read -r word rest; do
    case $word in
        isready) echo readyok ;;
        go) echo info depth 1 score mate -4 pv a ;;
        stop) echo bestmove resign ;;
        quit) exit ;;
    esac
done
"""


class Idle(unittest.TestCase):
    def test_an_engine_that_waits_to_be_stopped_is_stopped(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(mates, "IDLE", 0.2):
            path = Path(folder, "idler")
            path.write_text(IDLER)
            path.chmod(0o755)
            question = mates.Question("endings", "line 1", "startpos")
            self.assertIsNone(mates.ask(str(path), question, "analysis", True, 1, 5.0))


if __name__ == "__main__":
    unittest.main()
