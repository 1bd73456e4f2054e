"""The worker's side of docs/worker.md, without an engine."""

from __future__ import annotations

import io
import json
import os
import struct
import sys
import tempfile
import unittest
import unittest.mock
import zlib
from dataclasses import replace
from pathlib import Path

import torch

from nue_trainer import serve, serve_bench
from nue_trainer.deep import netfile
from nue_trainer.deep.nets import DeepKind, DeepNet
from nue_trainer.deep.planes import Layout, Unpacker
from nue_trainer.evaluator import Asked, Evaluator

LAYOUT = Layout("minishogi", "minishogi", 5, (("boards", (1.0,) * 3), ("flags", (1.0,) * 5)))
KIND = DeepKind(LAYOUT, "minishogi", 75, 1, 8, value_hidden=4)


def request(kind: int, number: int, positions: list[tuple[bytes, list[int]]]) -> bytes:
    """A request as the engine writes it."""
    labels = [label for _, some in positions for label in some]
    data = serve.HEAD.pack(serve.REQUEST, kind, number, len(positions), len(labels))
    data += b"".join(packed for packed, _ in positions)
    data += b"".join(struct.pack("<H", len(some)) for _, some in positions)
    data += struct.pack(f"<{len(labels)}H", *labels)
    return data + struct.pack("<I", zlib.crc32(data))


def load_request(number: int, file: str) -> bytes:
    """The request to go on with another net."""
    name = file.encode()
    data = serve.HEAD.pack(serve.REQUEST, serve.LOAD, number, len(name), 0) + name
    return data + struct.pack("<I", zlib.crc32(data))


def position(seed: int, labels: list[int]) -> tuple[bytes, list[int]]:
    """Planes of random bits."""
    generator = torch.Generator().manual_seed(seed)
    bits = torch.randint(0, 256, (LAYOUT.bytes,), generator=generator, dtype=torch.uint8)
    return bytes(bits.tolist()), labels


class Serving(unittest.TestCase):
    """What is answered, and what is refused."""

    def setUp(self) -> None:
        torch.manual_seed(1)
        net = DeepNet(KIND).eval()
        self.net = net.folded()
        self.evaluator = Evaluator(self.net, torch.device("cpu"), "fp32")

    def served(self, data: bytes) -> list[tuple[int, int, int, int, bytes]]:
        """The answers to some requests."""
        sink = io.BytesIO()
        serve.Server(self.evaluator, io.BytesIO(data), sink).run()
        out, found, at = sink.getvalue(), [], 0
        while at < len(out):
            magic, kind, number, count, labels = serve.HEAD.unpack_from(out, at)
            self.assertEqual(magic, serve.ANSWER)
            length = serve.HEAD.size + (2 * labels + 8 * count if kind == serve.BATCH else count)
            (crc,) = struct.unpack_from("<I", out, at + length)
            self.assertEqual(crc, zlib.crc32(out[at : at + length]))
            payload = out[at + serve.HEAD.size : at + length]
            found.append((kind, number, count, labels, payload))
            at += length + 4
        return found

    def test_batches_are_answered_in_order_with_the_logits_that_were_asked_for(self) -> None:
        positions = [position(1, [5, 74, 0]), position(2, [7])]
        data = request(serve.COMPARE, 9, positions) + request(serve.PING, 8, [])
        data += request(serve.BATCH, 1, positions) + request(serve.BATCH, 2, positions[1:])
        compared, ping, first, second = self.served(data)
        self.assertEqual((compared[0], compared[1]), (serve.COMPARE, 9))
        self.assertIn(b"fp32", compared[4])
        self.assertEqual(ping[:4], (serve.PING, 8, 0, 0))
        self.assertEqual(first[:4], (serve.BATCH, 1, 2, 4))
        packed = torch.tensor([list(p) for p, _ in positions], dtype=torch.uint8)
        with torch.no_grad():
            unpacker = Unpacker(LAYOUT, torch.device("cpu"))
            policy, value = self.net(unpacker.whole(unpacker(packed)))
        logits = struct.unpack_from("<4e", first[4])
        wanted = [policy[0, 5], policy[0, 74], policy[0, 0], policy[1, 7]]
        for found, logit in zip(logits, wanted):
            self.assertAlmostEqual(found, float(logit), delta=1e-2)
        win, draw, other, _ = struct.unpack_from("<4f", first[4], 8)
        self.assertAlmostEqual(win, float(torch.sigmoid(value[0])), places=5)
        self.assertAlmostEqual(other, float(torch.sigmoid(value[1])), places=5)
        self.assertEqual(draw, 0.0)
        self.assertEqual(second[4][:2], first[4][6:8])

    def test_labels_find_their_positions(self) -> None:
        """Whatever the counts, none among them, and with more labels than they say: the rest of a
        graph's memory."""
        generator = torch.Generator().manual_seed(5)
        for counts in ([0, 3, 0, 0, 2, 1], [4], [0, 0], [2, 0]):
            size = len(counts), LAYOUT.bytes
            packed = torch.randint(0, 256, size, dtype=torch.uint8, generator=generator)
            labels = [7 * n % 75 for n in range(sum(counts))]
            unpacker = Unpacker(LAYOUT, torch.device("cpu"))
            with torch.no_grad():
                policy, _ = self.net(unpacker.whole(unpacker(packed)))
            rows = [row for row, count in enumerate(counts) for _ in range(count)]
            wanted = [float(policy[row, label]) for row, label in zip(rows, labels)]
            for more in (0, 5):
                told = torch.tensor(labels + [74] * more, dtype=torch.int16)
                logits, values = self.evaluator.answers(
                    packed, torch.tensor(counts, dtype=torch.int16), told
                )
                self.assertEqual(tuple(values.shape), (len(counts), 2))
                for found, logit in zip(logits.tolist(), wanted):
                    self.assertAlmostEqual(found, logit, delta=1e-2)

    def test_another_net_is_loaded_and_others_are_refused(self) -> None:
        some = [position(1, [5, 74])]
        with tempfile.TemporaryDirectory() as folder:
            netfile.write(Path(folder) / "first", self.net, {})
            first = netfile.read(Path(folder) / "first")
            self.evaluator = Evaluator(first, torch.device("cpu"), "fp32")
            torch.manual_seed(2)
            second = DeepNet(KIND).eval().folded()
            netfile.write(Path(folder) / "second", second, {})
            wider = DeepNet(replace(KIND, channels=16)).eval().folded()
            netfile.write(Path(folder) / "wider", wider, {})
            (Path(folder) / "none").write_bytes(b"no net")
            names = ("second", "wider", "none", "missing")
            data = request(serve.BATCH, 1, some)
            for name in names:
                data += load_request(2, f"{folder}/{name}") + request(serve.COMPARE, 3, some)
            before, *told, after = self.served(data + request(serve.BATCH, 4, some))
        loaded = [json.loads(payload) for kind, *_, payload in told if kind == serve.LOAD]
        self.assertEqual([one.get("bytes") for one in loaded], [LAYOUT.bytes, None, None, None])
        for one, words in zip(loaded[1:], ("another kind", "not a policy-value net", "missing")):
            self.assertIn(words, one["error"])
        self.assertEqual([one["version"] for one in loaded], [serve.VERSION] * 4)
        packed = torch.tensor([list(some[0][0])], dtype=torch.uint8)
        unpacker = Unpacker(LAYOUT, torch.device("cpu"))
        with torch.no_grad():
            policy, _ = second(unpacker.whole(unpacker(packed)))
        logits = struct.unpack_from("<2e", after[4])
        for found, label in zip(logits, (5, 74)):
            self.assertAlmostEqual(found, float(policy[0, label]), delta=1e-2)
        self.assertNotEqual(before[4], after[4])

    def test_memory_is_used_again(self) -> None:
        memory = serve.Memory(pins=False)
        first = memory.take(1000)
        memory.give_back(first)
        self.assertIs(memory.take(500), first)
        memory.give_back(first)
        larger = memory.take(5000)
        self.assertGreaterEqual(len(larger), 5000)
        self.assertIsNot(larger, first)

    def test_what_was_done_is_counted(self) -> None:
        data = b"".join(request(serve.BATCH, n, [position(n, [1])] * n) for n in (1, 2, 3))
        server = serve.Server(self.evaluator, io.BytesIO(data), io.BytesIO())
        server.run()
        told = server.spent.as_dict()
        self.assertEqual((told["batches"], told["positions"]), (3, 6))
        self.assertGreater(told["start_us"], 0)

    @unittest.skipUnless(os.name == "posix", "starts a process")
    def test_the_bench_measures_a_server_of_its_own(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "net.nuedf"
            netfile.write(path, self.net, {})
            line = [sys.executable, "-m", "nue_trainer", "serve", "--device", "cpu", "--report"]
            place = str(Path(__file__).resolve().parents[1])
            with unittest.mock.patch.dict(os.environ, {"PYTHONPATH": place}):
                server = serve_bench.Served([*line, "--net", str(path)])
                for size in (3, 17):
                    found = server.measure(serve_bench.some(self.evaluator, size), 0.2)
                    self.assertGreater(found["served"], 0)
                    # Only what was asked since the last report.
                    self.assertGreater(found["batches"], 1)
                    self.assertEqual(found["positions"], size * found["batches"])
                server.close()
        self.assertGreater(serve_bench.bare(self.evaluator, 3, 0.05), 0)

    def test_wrong_requests_are_refused_with_a_sentence(self) -> None:
        good = request(serve.BATCH, 1, [position(1, [5])])
        damaged = bytearray(good)
        damaged[30] ^= 1
        for data, words in [
            (good[:-1], "breaks off"),
            (bytes(damaged), "checksum"),
            (b"x" * 100, "no request"),
            (request(serve.BATCH, 1, [position(1, [75])]), "labels"),
            (serve.HEAD.pack(serve.REQUEST, 1, 1, 1 << 30, 0), "positions"),
            (serve.HEAD.pack(serve.REQUEST, serve.LOAD, 1, 1 << 30, 0), "name of a net"),
            (load_request(1, "net")[:-1] + b"x", "checksum"),
        ]:
            sink = io.BytesIO()
            with self.assertRaises(serve.ServeError) as caught:
                serve.Server(self.evaluator, io.BytesIO(data), sink).run()
            self.assertIn(words, str(caught.exception))
            self.assertIn(words.encode(), sink.getvalue())

    def test_a_net_that_gives_nonsense_is_refused(self) -> None:
        with torch.no_grad():
            self.net.policy.bias[3] = float("nan")
        with self.assertRaisesRegex(serve.ServeError, "not finite"):
            self.evaluator.compare(torch.zeros(1, LAYOUT.bytes, dtype=torch.uint8))


if __name__ == "__main__":
    unittest.main()
