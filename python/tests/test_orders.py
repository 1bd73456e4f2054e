"""Trainings asked for one after another, in one process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from .executable import NUE, WithNue


class Orders(WithNue):
    """What is asked of `nue_trainer orders`, and what it answers."""

    def words(self, out: str, *data: str) -> list[str]:
        """A small training."""
        return [
            "--nue", NUE, "--data", *data, "--out", str(self.folder / out), "--by-file", "--resume",
            "--planes", "minishogi", "--blocks", "1", "--channels", "8", "--epochs", "2", "--batch", "64",
            "--visits", "4", "--device", "cpu", "--threads", "1",
        ]  # fmt: skip

    def test_trainings_in_one_process_are_those_of_many(self) -> None:
        options = ("--game", "minishogi", "--nodes", "50", "--positions", "300")
        first = self.games("first", *options, "--seed", "1")
        second = self.games("second", *options, "--seed", "2")
        orders = [
            json.dumps(self.words("a.nuedf", first)),
            json.dumps(self.words("b.nuedf", second, first)),
        ]
        told, *answers = self.asked(orders)
        self.assertEqual(told, {"protocol": "nue-orders", "version": 1})
        for answer in answers:
            self.assertTrue(answer["done"]["final"])
        alone = self.words("alone.nuedf", second, first)
        told, answer = self.asked([json.dumps(alone)])
        self.assertIn("done", answer)
        # But for its name, a net is what it would be had nothing come before it.
        net, other = ((self.folder / f"{name}.nuedf.checkpoint") for name in ("b", "alone"))
        self.assertTrue(net.is_file() and other.is_file())
        nets = [self.weights(self.folder / f"{name}.nuedf") for name in ("b", "alone")]
        self.assertEqual(*nets)
        self.assertNotEqual(nets[0], self.weights(self.folder / "a.nuedf"))

    def test_what_cannot_be_trained_is_told_and_the_next_order_is_heard(self) -> None:
        bad = ["no json", "[1]", json.dumps(["--blocks", "x"]), json.dumps(self.words("c", "none"))]
        told, *answers = self.asked(bad)
        self.assertEqual(len(answers), 4)
        for answer in answers:
            self.assertTrue(answer["error"])

    def asked(self, lines: list[str]) -> list[dict]:
        """The answers to lines of input, one after another."""
        place = str(Path(__file__).parent.parent)
        process = subprocess.Popen(
            [sys.executable, "-m", "nue_trainer", "orders"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": place, "OMP_NUM_THREADS": "1"},
        )
        assert process.stdin is not None and process.stdout is not None
        with process:
            found = [json.loads(process.stdout.readline())]
            for line in lines:
                process.stdin.write(line + "\n")
                process.stdin.flush()
                found.append(json.loads(process.stdout.readline()))
            process.stdin.close()
            self.assertEqual(process.wait(60), 0)
        return found

    def weights(self, path: Path) -> bytes:
        """The numbers of a net, without what its file says about it."""
        from nue_trainer.deep import netfile

        state = netfile.read(path).state_dict()
        return b"".join(state[name].numpy().tobytes() for name in sorted(state))
