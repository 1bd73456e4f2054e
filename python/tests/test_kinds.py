"""Every kind of net there is, from games to the moves of an engine: planes and labels of the
stream, training, the file, the worker, the search. The executable is the one named by NUE."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import unittest
from pathlib import Path

import torch

from nue_trainer.__main__ import main
from nue_trainer.deep import netfile
from nue_trainer.deep.nets import FoldedNet
from nue_trainer.deep.planes import PlaneLoader, PlaneOrder, Unpacker

from .executable import NUE, WithNue, nue

# Game, planes, labels, what tells the net from a plain one.
KINDS = {
    "dlshogi wide": ("shogi", "dlshogi", "dlshogi", ("--stem", "wide")),
    "PAL": ("shogi", "pal", "pal", ("--activation", "swish", "--reduction", "8")),
    "PAL's planes, dlshogi's labels": ("shogi", "pal", "dlshogi", ("--stem", "plain")),
    "Aoba": ("shogi", "aoba", "dlshogi", ()),
    "minishogi": ("minishogi", "minishogi", "minishogi", ()),
}
PLAYOUTS = 60


class Kinds(WithNue):
    """What is trained is what plays."""

    data: dict[str, str]

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        options = ("--nodes", "30", "--random", "0", "--seed", "3", "--games", "4")
        cls.data = {
            game: cls.games(game, "--game", game, *options) for game in ("shogi", "minishogi")
        }

    def trained(self, name: str) -> Path:
        """A small net of the kind, after one look at a few games."""
        game, planes, labels, special = KINDS[name]
        out = self.folder / f"{planes}-{labels}.nuedf"
        line = ["deep", "--nue", NUE, "--planes", planes, "--labels", labels, *special]
        line += ["--data", self.data[game], "--out", str(out), "--blocks", "1", "--channels", "16"]
        line += ["--batch", "64", "--epochs", "1", "--device", "cpu", "--threads", "1"]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(sys.stdout):
            self.assertEqual(main(line), 0, name)
        return out

    def searched(self, game: str, net: Path, commands: list[str]) -> list[str]:
        """What the engine says, whose net is computed by a worker on the processor."""
        serve = f"{sys.executable} -m nue_trainer serve --device cpu"
        options = {"Engine": "puct", "DNN_Worker": serve, "DNN_Model": str(net)}
        options |= {"USI_Variant": game, "DNN_Report_Usage": "true", "RootMateNodes": "0"}
        options["USI_ShowWDL"] = "true"
        words = ["usi", *(f"setoption name {key} value {value}" for key, value in options.items())]
        place = str(Path(__file__).resolve().parents[1])
        engine = subprocess.Popen(
            [NUE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": place},
        )
        assert engine.stdin is not None and engine.stdout is not None
        lines = []
        with engine, engine.stdin as ask, engine.stdout as told:
            for command in [*words, "isready", *commands, "quit"]:
                ask.write(command + "\n")
                ask.flush()
                word = {"isready": "readyok", "go": "bestmove"}.get(command.split()[0])
                while word is not None:
                    text = told.readline()
                    self.assertTrue(text, f"the engine ended: {lines}")
                    lines.append(text.strip())
                    if text.startswith(word):
                        break
        return lines

    def win_of_the_first_move(self, name: str, net: FoldedNet) -> float:
        """What the first move of the games is worth to the net, by its planes of the stream."""
        game, planes, labels, _ = KINDS[name]
        order = PlaneOrder(NUE, (self.data[game],), planes, labels=labels)
        unpacker, found = Unpacker(net.kind.layout, torch.device("cpu")), {}
        with PlaneLoader(order) as loader, torch.no_grad():
            for batch in loader:
                _, value = net(unpacker.whole(unpacker(batch.rows().packed)))
                plies = batch.part(4, 2).view(torch.int16).tolist()
                found.update(zip(plies, torch.sigmoid(value).tolist()))
        return 1 - found[2]

    def check(self, name: str) -> None:
        game, planes, labels, special = KINDS[name]
        path = self.trained(name)
        net = netfile.read(path)
        kind = net.kind
        self.assertEqual((kind.layout.planes, kind.labels), (planes, labels), name)
        self.assertEqual(kind.reduction, 8 if "--reduction" in special else 0)
        start = nue("perft", "1", "--divide", "--game", game)
        moves = [text.split()[0] for text in start.splitlines() if " " in text]
        first = nue("data", "head", self.data[game], "-n", "1").splitlines()[1].split()[0]
        # A second position with moves before it: Aoba's planes see those, too.
        asked = ["position startpos", f"go nodes 2 searchmoves {first}", f"go nodes {PLAYOUTS}"]
        asked += [f"position startpos moves {first}", f"go nodes {PLAYOUTS}"]
        lines = self.searched(game, path, asked)
        self.assertTrue(any("1x16 fp32, PyTorch on CPU" in text for text in lines), lines)
        # After one visit the move is worth what the net says: the same planes on both ways.
        told = next(text.split() for text in lines if " wdl " in text)
        win = int(told[told.index("wdl") + 1]) / 1000
        self.assertAlmostEqual(win, self.win_of_the_first_move(name, net), delta=0.002)
        usage = [text for text in lines if f" {PLAYOUTS} playouts" in text]
        self.assertEqual(len(usage), 2, lines)
        best = [text.split()[1] for text in lines if text.startswith("bestmove")]
        self.assertEqual(len(best), 3, lines)
        self.assertEqual(best[0], first)
        self.assertIn(best[1], moves)

    def test_dlshogis_wide_net(self) -> None:
        self.check("dlshogi wide")

    def test_pals_net(self) -> None:
        self.check("PAL")

    def test_pals_planes_with_dlshogis_labels(self) -> None:
        self.check("PAL's planes, dlshogi's labels")

    def test_aobas_planes(self) -> None:
        self.check("Aoba")

    def test_minishogis_own(self) -> None:
        self.check("minishogi")


if __name__ == "__main__":
    unittest.main()
