"""What script/round-ledger makes of a round's logs."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from tests.scripts import load

LEDGER = load("round-ledger")

PLAYED = """$ nice -n 19 /there/nue gen --out /there/games/000-current.part --force --game shogi --nodes 1000 --seed 7 --minutes 1.000 -j 16 --net /there/nets/shogi.nnz
evaluation: net
/there/games/000-current.part: 51 games, 5658 positions, 12489 bytes; this run 5658 positions in 17.5 s
$ nice -n 19 /there/nue gen --out /there/games/001-current-fast.part --force --game shogi --nodes 100 --start late=/there/carried/s1.teacher --minutes 1.000 --net /there/nets/shogi.nnz
/there/games/001-current-fast.part: 20 games, 900 positions, 2000 bytes; this run
$ nice -n 19 /there/nue gen --out /there/games/003-current.part --force --game shogi --start entering=/there/carried/s1.teacher:2 --minutes 1.000
/there/games/003-current.part: 9 games, 800 positions, 1900 bytes; this run
$ nice -n 19 /there/nue gen --out /there/games/002-current.part --force --game shogi --nodes 1000 --minutes 1.000
killed before it said anything
"""
TAUGHT = "$ /usr/bin/python3 -m nue_trainer deep --nue /there/nue --data /there/carried/old-s9101.teacher /there/carried/s1.teacher --out /there/nets/p1.value --force --device auto --minutes 8.0\n"
READ = """{"progress": 0.5, "positions": 2000}
{"final": true, "positions": 4096, "export": {"file": "/there/nets/p1.value"}}
{"final": true, "positions": 5}
{"final": tr
"""
TAUGHT_ON = "$ /usr/bin/python3 -m nue_trainer deep --nue /there/nue --data /there/carried/s1.teacher --out /there/nets/t2.value --init /there/nets/p1.value.checkpoint\n"
TRAINED = """$ /usr/bin/python3.11 -m nue_trainer train --nue /there/nue --data /there/games/000-current.teacher /there/games/003-current.teacher --out /there/nets/c1.nuef --resume --cache-file /dev/shm/x.cache --init /there/carried/current.nuef --teacher /there/nets/t2.value --teacher-data /there/games/001-current-fast.teacher
{"loss": 0.6}
$ /there/nue net import --force /there/nets/c1.nuef -o /there/nets/c1.bin
"""
CARRIED = """$ nue gen --out ./s1.teacher --nodes 1000 --net nets/shogi.nnz --positions 100
s1.teacher: 3 games, 101 positions, 300 bytes; this run 101 positions
$ nue net convert nets/shogi.nnz --output ./current.nuef --fv-scale 16
$ nue openings make --count 1000 --out ./openings.usi
"""
LINES = """$ /there/nue gen --game shogi --out /there/openings/lines.teacher --force --net /there/nets/shogi.nnz --games 650
/there/openings/lines.teacher: 650 games, 20000 positions, 40000 bytes; this run
$ /there/nue data head /there/openings/lines.teacher -n 5000
"""


class Entries(unittest.TestCase):
    damaged = ""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "logs").mkdir()
        for name, text in (("play", PLAYED), ("teach-p1", TAUGHT + READ), ("teach-t2", TAUGHT_ON), ("train-c1", TRAINED),
                           ("lines", LINES)):
            (self.folder / "logs" / f"{name}.log").write_text(text)
        (self.folder / "carried.txt").write_text(CARRIED)
        gate = {"new": "c1", "limit": "nodes=5000", "batches": 1, "faults": 0}
        self.state: dict[str, Any] = {
            "nets": {"c1": {"plan": {"seed": 4, "epochs": 3}, "seconds": 70, "record": {"loss": 0.6, "validation_loss": 0.61234}}},
            "gates": {"c1-current": {**gate, "old": "current", "won": 6, "drawn": 0, "lost": 4, "elo": 70.0, "error": 200.0},
                      "c1-kp256": {**gate, "old": "kp256", "won": 0, "drawn": 0, "lost": 0, "elo": 0.0, "error": 1000.0}}}

    def told(self, *words: str) -> tuple[int, str, str]:
        (self.folder / "state.json").write_text(self.damaged or json.dumps(self.state))
        out, errors = io.StringIO(), io.StringIO()
        line = ["round-ledger", str(self.folder), *words, "--prefix", "r8", "--parent", "r7-c1"]
        with mock.patch.object(sys, "argv", line), contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            code = LEDGER.main()
        return code, out.getvalue(), errors.getvalue()

    def test_all_that_led_to_a_net_in_order(self) -> None:
        code, told, _ = self.told("c1", "--carried-log", str(self.folder / "carried.txt"))
        self.assertEqual(code, 0)
        fields, _, rest = told.partition("commands = [\n")
        self.assertEqual(fields.splitlines(), [
            "wins = 6", "draws = 0", "losses = 4", "elo = [-130.0, 70.0, 270.0]", "games = 83", "positions = 7459",
            "seed = 4", "loss = 0.6123", "epochs = 3", "seconds = 70"])
        lines = [json.loads(line.strip().rstrip(",")) for line in rest.splitlines()[:-1]]
        self.assertEqual(lines, [
            "nue gen --out r8-000-current.teacher --nodes 1000 --seed 7 --positions 5658 -j 16 --net r7-c1.bin",
            "nue gen --out r8-s1.teacher --nodes 1000 --net r7-c1.bin --positions 100",
            "nue gen --out r8-003-current.teacher --start entering=r8-s1.teacher:2 --positions 800",
            "nue net convert r7-c1.bin --output r8-current.nuef --fv-scale 16",
            "python -m nue_trainer deep --nue nue --data s9101.teacher r8-s1.teacher --out r8-p1.nuedf --samples 4096",
            "python -m nue_trainer deep --nue nue --data r8-s1.teacher --out r8-t2.nuedf --init r8-p1.nuedf.checkpoint",
            "nue gen --out r8-001-current-fast.teacher --nodes 100 --start late=r8-s1.teacher --positions 900 --net r7-c1.bin",
            "python -m nue_trainer train --nue nue --data r8-000-current.teacher r8-003-current.teacher --out r8-c1.nuef --init r8-current.nuef "
            "--teacher r8-t2.nuedf --teacher-data r8-001-current-fast.teacher",
            "nue net import r8-c1.nuef -o r8-c1.bin",
            "nue openings make --count 1000 --out r8.openings",
            "nue gen --out r8-lines.teacher --net r7-c1.bin --games 650",
            # The match of no games is none.
            "nue match --json --engine cmd=self,name=new,option.EvalDir=r8-c1.bin,option.Threads=1,option.USI_Hash=16 "
            "--engine cmd=self,name=old,option.EvalDir=r7-c1.bin,option.Threads=1,option.USI_Hash=16 --each nodes=5000 --games 10 "
            "--openings r8.openings --seed 1 -j 16 --resign score=3000,moves=4 --margin 200",
        ])

    def test_another_game_is_named_and_its_openings_may_have_been_made_on_the_spot(self) -> None:
        made = "$ /there/nue openings make --game minishogi --count 500 --out /there/openings/made.txt --force\n"
        (self.folder / "logs" / "openings.log").write_text(made)
        _, told, _ = self.told("c1", "--game", "minishogi")
        lines = [json.loads(line.strip().rstrip(",")) for line in told.partition("commands = [\n")[2].splitlines()[:-1]]
        self.assertIn("nue openings make --game minishogi --count 500 --out r8.openings", lines)
        self.assertTrue(lines[-1].startswith("nue match --json --game minishogi --engine "))

    def test_a_net_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(SystemExit, "no net c9 .* but c1"):
            self.told("c9")

    def test_a_damaged_state(self) -> None:
        self.damaged = "{"
        code, told, errors = self.told("c1")
        self.assertEqual((code, told), (1, ""))
        self.assertIn("round-ledger: ", errors)


if __name__ == "__main__":
    unittest.main()
