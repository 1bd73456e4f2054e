"""Streams, whole and broken."""

from __future__ import annotations

import io
import random
import struct
import sys
import unittest
from typing import Any

import torch

from nue_trainer.stream import Batch, Loader, Order, StreamError, read_about, read_batch
from tests.written import END, SMALL, Position, frame, preamble

POSITIONS = [
    Position((0, 40), (1, 2, 3), (19, 0), score=-250, result=1, turn=1),
    Position((20, 0), (5,), (6, 7, 8), score=32000, result=-1),
    Position((40, 20), (), (0, 1, 2), score=7, result=2, ply=300),
    Position((40, 20), (9, 9, 9), (0,), result=0),
]
WHOLE = preamble() + frame(POSITIONS, flags=1) + frame([], epoch=1, flags=1) + END


def read(data: bytes) -> list[Batch]:
    """All batches of a stream."""
    source: Any = io.BytesIO(data)
    about = read_about(source)
    found = []
    while (batch := read_batch(source, about)) is not None:
        found.append(batch)
    return found


class Whole(unittest.TestCase):
    def test_features_and_labels(self) -> None:
        batches = read(WHOLE)
        heads = [(b.count, b.epoch, b.epoch_ends) for b in batches]
        self.assertEqual(heads, [(4, 0, True), (0, 1, True)])
        indices = batches[0].indices().tolist()
        # 60 inputs: 60 stands for no feature.
        own = [[1, 2, 3], [25, 60, 60], [60, 60, 60], [49, 49, 49]]
        other = [[59, 40, 60], [6, 7, 8], [20, 21, 22], [20, 60, 60]]
        self.assertEqual(indices, own + other)
        labels = batches[0].labels()
        self.assertEqual(labels.score.tolist(), [-250, 32000, 7, 0])
        self.assertEqual(labels.result.tolist(), [1, 0, 0.5, 0.5])
        self.assertEqual(labels.known.tolist(), [1, 1, 0, 1])

    def test_attacks_are_part_of_a_number(self) -> None:
        about = {**SMALL, "inputs": 180, "effect_stride": 60}
        position = Position((40, 0), (3, 20 + 3, 40 + 19), (59,))
        (batch,) = read(preamble(about) + frame([position]) + END)
        self.assertEqual(batch.indices().tolist(), [[43, 103, 179], [139, 180, 180]])
        with self.assertRaisesRegex(StreamError, "outside 0..59"):
            read(preamble(about) + frame([Position((0, 0), (60,), ())]) + END)


class Broken(unittest.TestCase):
    def check(self, data: bytes, reason: str) -> None:
        with self.assertRaisesRegex(StreamError, reason):
            read(data)

    def test_every_cut_is_noticed(self) -> None:
        for length in range(len(WHOLE)):
            self.check(WHOLE[:length], "ends inside|begins with")

    def test_what_is_no_stream(self) -> None:
        self.check(b"PK\x03\x04" + WHOLE, "not a stream of nue")
        self.check(preamble(version=2), "version 2")
        self.check(b"NueStrm\n" + struct.pack("<II", 1, 1 << 30), "1073741824 bytes")
        self.check(b"NueStrm\n" + struct.pack("<II", 1, 2) + b"no", "text of the stream")
        self.check(b"NueStrm\n" + struct.pack("<II", 1, 2) + b"{}", "text of the stream")
        for key, value in [
            ("slots", 0),
            ("slots", 1000),
            ("pieces", 7),
            ("pieces", 100),
            ("inputs", "60"),
            ("inputs", 1 << 40),
            ("batch", 1 << 30),
            ("effect_stride", 7),
            ("features", 7),
            ("training_scale", 0),
            ("training_scale", "600"),
            ("pawn", 0),
        ]:
            self.check(preamble({**SMALL, key: value}) + END, "makes no sense")
        for key in ("inputs", "slots", "game", "training_scale"):
            lacking = {name: value for name, value in SMALL.items() if name != key}
            self.check(preamble(lacking) + END, key)

    def test_streams_of_earlier_versions_are_read(self) -> None:
        earlier = {("usual_scale" if k == "training_scale" else k): v for k, v in SMALL.items()}
        self.assertNotIn("training_scale", earlier)
        about = read_about(io.BytesIO(preamble({**earlier, "usual_scale": 540})))
        self.assertEqual(about.training_scale, 540)

    def test_what_is_no_frame(self) -> None:
        self.check(preamble() + b"NBad" + bytes(12), "no frame begins with")
        self.check(preamble() + b"NBat" + struct.pack("<III", 101, 0, 0), "101 positions")
        self.check(preamble() + b"NBat" + struct.pack("<III", 1, 0, 2), "holds 1 positions")
        self.check(preamble() + b"NBat" + struct.pack("<III", 0, 0, 9), "flags 9")
        for position, reason in [
            (Position((41, 0), (1,), (1,)), "base outside 0..40"),
            (Position((0, 1 << 31), (1,), (1,)), "base outside"),
            (Position((0, 0), (20,), (1,)), "feature outside 0..19"),
            (Position((0, 0), (1,), (-2,)), "feature outside"),
            (Position((0, 0), (1,), (1,), result=3), "result outside"),
        ]:
            self.check(preamble() + frame([position]) + END, reason)

    def test_damage_is_an_error_or_harmless(self) -> None:
        lot = random.Random(7)
        for _ in range(500):
            data = bytearray(WHOLE)
            data[lot.randrange(len(data))] ^= 1 << lot.randrange(8)
            try:
                batches = read(bytes(data))
            except StreamError:
                continue
            for batch in batches:
                if batch.count:
                    indices = batch.indices()
                    self.assertTrue(0 <= int(indices.min()) and int(indices.max()) <= 60)


class Processes(unittest.TestCase):
    def test_what_the_process_says_is_told(self) -> None:
        with self.assertRaisesRegex(StreamError, "cannot run 'no-such-program'"):
            Loader(Order("no-such-program", ("x",), "kp"))
        # A program that is not nue: it ends at once and says why.
        with self.assertRaisesRegex(StreamError, "ends inside its.*nue said: .*open file"):
            Loader(Order(sys.executable, ("x",), "kp"))

    def test_orders_are_command_lines(self) -> None:
        order = Order("nue", ("a", "b"), "kp", epochs=None, mirror=True, options=("--quiet",))
        line = " ".join(order.command())
        self.assertTrue(line.startswith("nue data stream a b --features kp"))
        self.assertTrue(line.endswith("--forever --first-epoch 0 --mirror --quiet"))


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
