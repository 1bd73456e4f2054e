"""Policy-value nets: planes, folding, files, losses, runs."""

from __future__ import annotations

import io
import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from nue_trainer.checkpoint import CheckpointError
from nue_trainer.deep import netfile
from nue_trainer.deep.export import (
    convert_to_half,
    COMPARED,
    ExportError,
    compare,
    convert_to_onnx,
    exact,
    export_onnx,
    onnx_inputs,
)
from nue_trainer.deep.nets import DeepKind, DeepNet, NetError
from nue_trainer.deep.objective import DeepLosses, DeepObjective
from nue_trainer.deep.planes import (
    Layout,
    PlaneBatch,
    PlaneOrder,
    Rows,
    Unpacker,
    read_plane_about,
    read_plane_batch,
)
from nue_trainer.deep.run import DeepRun
from nue_trainer.deep.settings import DeepSettings
from nue_trainer.deep.supply import Mirror
from nue_trainer.deep.team import Team
from nue_trainer.stream import StreamError
from nue_trainer.training import TrainingError
from tests.planes_written import ABOUT, END, Position, executable, frame, planted, preamble

CPU = torch.device("cpu")
LAYOUT = Layout.of(ABOUT)
DLSHOGI = Layout.of(
    {"planes": "dlshogi", "game": "shogi", "segments": [{"boards": 62}, {"flags": 57}]}
)


def read(data: bytes) -> list[PlaneBatch]:
    """All batches of a stream."""
    source: Any = io.BytesIO(data)
    about = read_plane_about(source)
    found = []
    while (batch := read_plane_batch(source, about)) is not None:
        found.append(batch)
    return found


def kind(layout: Layout = LAYOUT, labels: int = 50, **other: Any) -> DeepKind:
    """A small net."""
    return DeepKind(layout, "two", labels, 2, 8, value_hidden=16, **other)


class Planes(unittest.TestCase):
    def test_unpacked_bit_by_bit(self) -> None:
        position = Position(
            (frozenset([0, 24]), frozenset(range(25)), frozenset([7])), (3, 65535), (1, 0)
        )
        (batch,) = read(preamble() + frame([position, position], flags=1) + END)
        unpacker = Unpacker(LAYOUT, CPU)
        seen = unpacker(batch.rows().packed)
        self.assertEqual(seen[0].shape, (2, 3, 5, 5))
        # Values and flags in the order of the planes.
        self.assertEqual(seen[1][1].tolist(), [1.5, 131070.0, 1.0, 0.0])
        whole = unpacker.whole(seen)[1].flatten(1)
        self.assertEqual(whole.shape, (7, 25))
        self.assertEqual(whole[0].nonzero().flatten().tolist(), [0, 24])
        self.assertEqual(whole[1].tolist(), [1.0] * 25)
        self.assertEqual(whole[2].tolist(), [1.5] * 25)
        self.assertEqual(whole[4].tolist(), [1.0] * 25)
        self.assertEqual(whole[5].nonzero().flatten().tolist(), [7])
        self.assertEqual(whole[6].tolist(), [0.0] * 25)

    def test_sizes_of_dlshogi(self) -> None:
        self.assertEqual((DLSHOGI.count, DLSHOGI.bytes, DLSHOGI.constants), (119, 635, 57))
        packed = torch.randint(256, (3, 635), dtype=torch.uint8)
        whole = Unpacker(DLSHOGI, CPU)
        planes = whole.whole(whole(packed)).flatten(2)
        for position, plane, square in [(0, 0, 0), (1, 61, 80), (2, 30, 40), (1, 62, 3), (0, 118, 80)]:
            bit = 81 * plane + square if plane < 62 else 81 * 62 + plane - 62
            wanted = int(packed[position, bit // 8]) >> bit % 8 & 1
            self.assertEqual(planes[position, plane, square], wanted)

    def test_labels_visits_and_results(self) -> None:
        positions = [
            Position((frozenset(),) * 3, label=49, visits={3: 70, 4: 40000}, score=-7, result=1),
            Position((frozenset(),) * 3, result=2),
        ]
        about = {**ABOUT, "visits": 3}
        (batch,) = read(preamble(about) + frame(positions, 3, flags=1) + END)
        rows = batch.rows()
        self.assertEqual(rows.label.tolist(), [49, -1])
        self.assertEqual(rows.visited.tolist(), [[3, 4, -1], [-1, -1, -1]])
        self.assertEqual((rows.times.int() & 0xFFFF).tolist(), [[70, 40000, 0], [0, 0, 0]])
        self.assertEqual((rows.score.tolist(), rows.result.tolist()), ([-7, 0], [1, 2]))

    def test_mirrored_planes_and_labels_belong_together(self) -> None:
        (batch,) = read(preamble() + frame(planted(200, 1), flags=1) + END)
        rows, unpacker = batch.rows(), Unpacker(LAYOUT, CPU)
        (boards, _), turned = Mirror(batch.about, CPU).some(unpacker(rows.packed), rows)
        changed = 0
        for board, label, before in zip(boards, turned.label.tolist(), rows.label.tolist()):
            self.assertEqual(int(board[0].flatten().argmax()), label % 25)
            self.assertEqual(label // 25, before // 25)
            changed += label != before
        self.assertTrue(40 < changed < 160, changed)

    def test_broken_streams(self) -> None:
        whole = preamble() + frame(planted(3, 1), flags=1) + END
        for length in range(len(whole)):
            with self.assertRaises(StreamError):
                read(whole[:length])
        for label in (50, -2):
            with self.assertRaisesRegex(StreamError, "label outside 0..49"):
                read(preamble() + frame([Position((frozenset(),) * 3, label=label)]) + END)
        with self.assertRaisesRegex(StreamError, "result outside"):
            read(preamble() + frame([Position((frozenset(),) * 3, result=3)]) + END)
        for key, value in [
            ("bytes", 15),
            ("count", 8),
            ("label_count", 51),
            ("mirrored_labels", [50] * 50),
            ("visits", 1000),
            ("batch", 0),
            ("segments", [{"boards": 0}]),
            ("segments", [{"squares": 7}]),
            ("segments", 7),
            ("game", "chess"),
            ("training_scale", 0),
        ]:
            with self.assertRaises(StreamError):
                read(preamble({**ABOUT, key: value}) + END)

    def test_orders_are_command_lines(self) -> None:
        line = " ".join(PlaneOrder("nue", ("a",), "pal", labels="dlshogi", visits=9).command())
        self.assertIn("data stream a --planes pal", line)
        self.assertIn("--labels dlshogi --visits 9", line)


class BrokenOff(Exception):
    pass


def break_off(settings: DeepSettings) -> None:
    """A run that ends behind its first checkpoint."""
    with Team("cpu") as team:
        run = DeepRun(settings, team, lambda _: None)
        save = run.save

        def stop(progress: float) -> None:
            save(progress)
            raise BrokenOff

        run.save = stop  # type: ignore[method-assign]
        try:
            run.all()
        except BrokenOff:
            return
    raise AssertionError("the run was to be broken off")


def stirred(net: DeepNet) -> DeepNet:
    """The net with batch norms as after training."""
    torch.manual_seed(3)
    for module in net.modules():
        if isinstance(module, nn.BatchNorm2d):
            assert module.running_mean is not None and module.running_var is not None
            nn.init.uniform_(module.weight, 0.5, 1.5)
            nn.init.uniform_(module.bias, -0.5, 0.5)
            module.running_mean.uniform_(-0.5, 0.5)
            module.running_var.uniform_(0.5, 1.5)
    return net.eval()


KINDS = [
    ("plain", kind()),
    ("wide", kind()),
    ("wide", kind(activation="swish", reduction=4)),
    ("plain", kind(labels=37, activation="swish", reduction=2)),
    ("wide", kind(DLSHOGI, 2187, value_channels=3)),
]


class Files(unittest.TestCase):
    folder: Path

    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = Path(held.name)

    def test_folding_and_files_change_nothing(self) -> None:
        for stem, what in KINDS:
            net = stirred(DeepNet(what, stem))
            unpacker = Unpacker(what.layout, CPU)
            seen = unpacker(torch.randint(256, (300, what.layout.bytes), dtype=torch.uint8))
            source = exact(net, *seen)
            path = self.folder / "net.nuedf"
            netfile.write(path, net.folded(), {"about": "a test"})
            back = netfile.read(path)
            # The file says how many channels the value has, whoever chose them.
            self.assertEqual(replace(back.kind, value_channels=what.value_channels), what)
            compare(stem, source, exact(back, unpacker.whole(seen)))
            self.assertGreater(float(source[0].std()), 0.01)

    def test_half_the_bits_are_half_the_file_and_nearly_the_same_net(self) -> None:
        path, half = self.folder / "whole.nuedf", self.folder / "half.nuedf"
        net = stirred(DeepNet(kind())).folded()
        netfile.write(path, net, {"about": "a test"})
        self.assertIn("written", convert_to_half(path, half))
        with self.assertRaisesRegex(ExportError, "exists"):
            convert_to_half(path, half)
        self.assertNotIn(b"a test", half.read_bytes())
        numbers = [data[data.index(b"\n") + 1 :] for data in (path.read_bytes(), half.read_bytes())]
        self.assertEqual(len(numbers[0]), 2 * len(numbers[1]))
        there, back = net.state_dict(), netfile.read(half).state_dict()
        for name, tensor in there.items():
            self.assertTrue(torch.equal(tensor.half().float(), back[name]), name)
        with torch.no_grad():
            net.stem.bias[0] = 1e6
        with self.assertRaisesRegex(netfile.NetFileError, "not finite as float16"):
            netfile.write(half, net, {}, "float16")
        half.write_bytes(half.read_bytes().replace(b"float16", b"float99"))
        with self.assertRaisesRegex(netfile.NetFileError, "numbers of kind float99"):
            netfile.read(half)

    def test_the_first_line_says_what_the_engine_asks_for(self) -> None:
        what = DeepKind(DLSHOGI, "dlshogi", 2187, 5, 64)
        path = self.folder / "net.nuedf"
        netfile.write(path, DeepNet(what).folded(), {})
        line, _, body = path.read_bytes().partition(b"\n")
        told = json.loads(line)
        for key, value in {
            "format": "nue-deep",
            "version": 1,
            "game": "shogi",
            "planes": "dlshogi",
            "labels": "dlshogi",
            "blocks": 5,
            "channels": 64,
            "activation": "relu",
            "head_channels": 27,
            "value_channels": 27,
            "value_hidden": 256,
        }.items():
            self.assertEqual(told[key], value, key)
        names = ["stem.weight", "stem.bias"]
        for block in range(5):
            names += [f"blocks.{block}.{conv}.{w}" for conv in ("conv1", "conv2") for w in ("weight", "bias")]
        names += ["policy.conv.weight", "policy.bias", "value.conv.weight", "value.conv.bias"]
        names += ["value.fc1.weight", "value.fc1.bias", "value.fc2.weight", "value.fc2.bias"]
        self.assertEqual([name for name, _ in told["tensors"]], names)
        self.assertEqual(told["tensors"][0][1], [64, 119, 3, 3])
        self.assertEqual(len(body), 4 * sum(math.prod(shape) for _, shape in told["tensors"]))
        bias = netfile.read(path).value.fc2.bias
        self.assertEqual(struct.unpack("<f", body[-4:])[0], float(bias))

    def test_damage_is_told(self) -> None:
        path = self.folder / "net.nuedf"
        netfile.write(path, stirred(DeepNet(kind())).folded(), {})
        whole = path.read_bytes()
        line = whole.index(b"\n")
        for data, reason in [
            (whole[:-4], "bytes of numbers"),
            (whole + b"\0", "bytes of numbers"),
            (whole[:-1] + bytes([whole[-1] ^ 1]), "damaged"),
            (b"PK" + whole, "not a policy-value net"),
            (whole[:line], "not a policy-value net"),
            (whole.replace(b'"blocks": 2', b'"blocks": 3'), "first line is wrong"),
            (whole.replace(b"nue-deep", b"new-deep"), "first line is wrong"),
            (whole.replace(b"relu", b"tanh"), "first line is wrong"),
        ]:
            path.write_bytes(data)
            with self.assertRaisesRegex(netfile.NetFileError, reason):
                netfile.read(path)
        with self.assertRaises(NetError):
            kind(activation="tanh")
        net = stirred(DeepNet(kind()))
        with torch.no_grad():
            net.policy.bias[3] = float("nan")
        with self.assertRaisesRegex(netfile.NetFileError, "not finite"):
            netfile.write(path, net.folded(), {})

    def test_onnx_has_dlshogi_s_face_and_does_what_the_net_does(self) -> None:
        for what, names in [
            (kind(DLSHOGI, 2187, value_channels=3), ["input1", "input2"]),
            (kind(activation="swish", reduction=4), ["input"]),
        ]:
            net = stirred(DeepNet(what)).folded()
            unpacker = Unpacker(what.layout, CPU)
            packed = torch.randint(256, (COMPARED, what.layout.bytes), dtype=torch.uint8)
            planes = unpacker.whole(unpacker(packed))
            self.assertEqual(list(onnx_inputs(net, planes)), names)
            path = self.folder / "net.onnx"
            said = export_onnx(net, packed, path)
            # Packages that are missing are the only thing that may be missing.
            if any(words in said for words in ("not compared", "No module", "not installed")):
                self.skipTest(said)
            self.assertIn(f"the same on {COMPARED} positions", said)
            import onnxruntime  # type: ignore[import-not-found]

            session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
            self.assertEqual([port.name for port in session.get_inputs()], names)
            outputs = [port.name for port in session.get_outputs()]
            self.assertEqual(outputs, ["output_policy", "output_value"])
            self.assertFalse(list(self.folder.glob(".*")), "no draft is left")
            netfile.write(self.folder / "net.nuedf", net, {})
            with self.assertRaisesRegex(ExportError, "exists"):
                convert_to_onnx(self.folder / "net.nuedf", path)
            path.unlink()
            self.assertIn("the same", convert_to_onnx(self.folder / "net.nuedf", path))

    def test_a_wrong_export_is_noticed(self) -> None:
        answer = torch.randn(10, 50), torch.randn(10)
        with self.assertRaisesRegex(ExportError, "net.x does not do"):
            compare("net.x", answer, (answer[0] + 0.1, answer[1]))
        with self.assertRaises(ExportError):
            compare("net.x", answer, (answer[0], answer[1] * float("nan")))


def rows_of(positions: list[Position], visits: int = 0) -> Rows:
    """The rows of a stream of positions."""
    about = {**ABOUT, "visits": visits}
    (batch,) = read(preamble(about) + frame(positions, visits, flags=1) + END)
    return batch.rows()


class Losses(unittest.TestCase):
    nothing = (frozenset[int](),) * 3

    def test_by_the_definition(self) -> None:
        positions = [
            Position(self.nothing, label=3, score=600, result=1),
            Position(self.nothing, label=4, score=0, result=2),
            Position(self.nothing, score=-600, result=-1),
        ]
        torch.manual_seed(1)
        policy, value = torch.randn(3, 50), torch.tensor([1.0, -2.0, 0.5])
        policy[0, 3] = 9.0
        loss, sums = DeepObjective(0.7, 600.0, 2.0).measure((policy, value), rows_of(positions))
        entropies = [float(-policy[i].log_softmax(0)[3 + i]) for i in (0, 1)]
        sigmoid = [1 / (1 + math.exp(-x)) for x in (1, 0, -1)]
        targets = [0.7 * sigmoid[0] + 0.3, 0.5, 0.7 * sigmoid[2]]
        values = [
            -t * math.log(p) - (1 - t) * math.log(1 - p)
            for t, p in zip(targets, torch.sigmoid(value.double()).tolist())
        ]
        wanted = sum(entropies) / 2 + 2 * sum(values) / 3
        self.assertAlmostEqual(float(loss), wanted, places=5)
        found = DeepLosses.of(sums)
        self.assertAlmostEqual(found.policy, sum(entropies) / 2, places=5)
        self.assertAlmostEqual(found.value, sum(values) / 3, places=5)
        self.assertEqual((found.policy_accuracy, found.value_accuracy), (0.5, 0.5))
        self.assertEqual(found.positions, 3)

    def test_visits_teach_where_they_are(self) -> None:
        positions = [
            Position(self.nothing, label=3, visits={3: 30, 7: 10}),
            Position(self.nothing, label=5),
        ]
        policy = torch.randn(2, 50)
        sums = DeepObjective(1.0, 600.0).measure((policy, torch.zeros(2)), rows_of(positions, 2))[1]
        logs = policy.log_softmax(1)
        wanted = -(0.75 * logs[0, 3] + 0.25 * logs[0, 7]) - logs[1, 5]
        self.assertAlmostEqual(float(sums[0]), float(wanted), places=4)

    def test_reinforce_weighs_moves_by_what_they_gained(self) -> None:
        # The search gave even chances and the game was won, lost, and not decided.
        policy = torch.randn(3, 50)
        positions = [Position(self.nothing, label=3, result=r) for r in (1, -1, 2)]
        rows = rows_of(positions)
        objective = DeepObjective(1.0, 600.0, reinforce=0.8)
        loss = objective.measure((policy, torch.zeros(3)), rows)[0]
        each = -policy.log_softmax(1)[:, 3]
        wanted = (each * torch.tensor([1.4, 0.6, 1.0])).mean() + math.log(2)
        self.assertAlmostEqual(float(loss), float(wanted), places=5)


# The trainer, whose first process dies once it has written the checkpoint of its second epoch.
MORTAL = """
import os, sys
from nue_trainer.__main__ import main
from nue_trainer.deep.run import DeepRun
save = DeepRun.save
def save_and_die(self, progress):
    save(self, progress)
    if self.team.leads and self.epoch == 2:
        os._exit(3)
DeepRun.save = save_and_die
sys.exit(main())
"""


@unittest.skipUnless(os.name == "posix", "runs a script")
class Runs(unittest.TestCase):
    folder: Path
    train: str
    check: str

    @classmethod
    def setUpClass(cls) -> None:
        torch.set_num_threads(1)
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = Path(held.name)
        cls.train = executable(cls.folder, "train", planted(1500, 1))
        (cls.folder / "games.teacher").write_bytes(b"")

    def settings(self, name: str, **other: Any) -> DeepSettings:
        told: dict[str, Any] = {
            "blocks": 1,
            "channels": 16,
            "value_hidden": 16,
            "batch": 100,
            "epochs": 3,
            "lr": 0.2,
            "device": "cpu",
            "validation": ("held",),
            **other,
        }
        out = str(self.folder / name)
        return DeepSettings(nue=self.train, data=(str(self.folder),), out=out, **told)

    def run_all(self, settings: DeepSettings) -> dict[str, Any]:
        with Team("cpu") as team:
            return DeepRun(settings, team, lambda _: None).all()

    def test_planted_moves_and_results_are_learned(self) -> None:
        for name, other in [
            ("sgd", {}),
            ("adamw", {"optimiser": "adamw", "lr": 0.01, "stem": "plain"}),
            ("se", {"activation": "swish", "reduction": 4}),
            ("mirror", {"mirror": True, "reinforce": 0.1}),
            ("bf16", {"precision": "bf16"}),
        ]:
            settings = self.settings(name, **other)
            found = self.run_all(settings)
            # Mirrored boards tell the same moves, but the side is another.
            least = 0.6 if name == "mirror" else 0.9
            self.assertGreater(found["validation_policy_accuracy"], 0.9, name)
            self.assertGreater(found["validation_value_accuracy"], least - 0.2, name)
            self.assertLess(found["export"]["policy"], 1e-3)
            self.assertEqual(netfile.read(Path(settings.out)).kind.channels, 16)
            lines = Path(settings.log()).read_text().splitlines()
            self.assertEqual(len(lines), 4)
            self.assertIn("validation_policy_loss", json.loads(lines[0]))

    def test_averages_are_written(self) -> None:
        plain = self.run_all(self.settings("plain"))
        for name, other in [("ema", {"ema": 0.9}), ("swa", {"swa": True})]:
            found = self.run_all(self.settings(name, average_from=0.3, **other))
            self.assertGreater(found["validation_policy_accuracy"], 0.9)
            differ = found["validation_policy_loss"] != plain["validation_policy_loss"]
            self.assertTrue(differ, name)
            one, other_net = (netfile.read(self.folder / n) for n in ("plain", name))
            self.assertFalse(torch.equal(one.stem.weight, other_net.stem.weight))

    def test_a_run_that_was_broken_off_ends_as_if_it_had_not_been(self) -> None:
        whole = self.settings("whole", ema=0.9, average_from=0.0, mirror=True)
        self.run_all(whole)
        parts = replace(whole, out=str(self.folder / "parts"))
        break_off(parts)
        self.assertFalse(Path(parts.out).exists())
        self.run_all(replace(parts, resume=True))
        one, other = netfile.read(Path(whole.out)), netfile.read(Path(parts.out))
        for (name, a), b in zip(one.state_dict().items(), other.state_dict().values()):
            # Batch norms of an average are measured on the last batches, which are the same.
            self.assertTrue(torch.allclose(a, b, atol=1e-6), name)
        with self.assertRaisesRegex(CheckpointError, "other settings: blocks"):
            self.run_all(replace(parts, resume=True, blocks=2))
        with self.assertRaisesRegex(TrainingError, "exists"):
            self.run_all(parts)

    def test_minutes_end_in_time(self) -> None:
        begun = time.monotonic()
        found = self.run_all(self.settings("clock", minutes=0.1, epochs=1))
        self.assertLess(time.monotonic() - begun, 9)
        self.assertGreater(found["seconds"], 2)
        self.assertGreater(found["positions"], 1500)

    def test_samples_end_with_the_batch_that_reaches_them(self) -> None:
        settings = self.settings("counted", samples=1500, epochs=1)
        found = self.run_all(settings)
        self.assertTrue(1500 <= found["positions"] < 1500 + settings.batch, found)
        # Broken off and gone on with it reads no more, and the checkpoint is one of this length.
        self.assertEqual(self.run_all(replace(settings, resume=True))["positions"], found["positions"])
        with self.assertRaisesRegex(CheckpointError, "other settings: samples"):
            self.run_all(replace(settings, resume=True, samples=3000))
        self.assertNotIn("samples", self.settings("plain").identity())
        with self.assertRaisesRegex(ValueError, "--minutes 1 and --samples 9: a run has one length"):
            self.settings("both", minutes=1.0, samples=9)

    def test_errors_are_told(self) -> None:
        with self.assertRaisesRegex(TrainingError, "fp16 needs CUDA"):
            self.run_all(self.settings("half", precision="fp16"))
        with self.assertRaisesRegex(ValueError, "no files to train on"):
            empty = self.folder / "empty"
            empty.mkdir()
            self.run_all(replace(self.settings("none"), data=(str(empty),)))
        with self.assertRaisesRegex(TrainingError, "not a checkpoint of this kind"):
            first = self.settings("first", epochs=1)
            self.run_all(first)
            self.run_all(self.settings("second", blocks=2, init=first.checkpoint()))

    def test_files_of_folders_but_not_those_held_out(self) -> None:
        for name in ("a.teacher", "b.teacher", "c.txt"):
            (self.folder / name).write_bytes(b"")
        held = str(self.folder / "b.teacher")
        settings = self.settings("x", validation=(held,))
        names = [Path(name).name for name in settings.files()]
        self.assertEqual(names, ["a.teacher", "games.teacher"])

    def in_two(
        self, out: Path, *more: str, program: tuple[str, ...] = ("-m", "nue_trainer")
    ) -> subprocess.CompletedProcess[str]:
        """Trains in two processes that torchrun starts."""
        # With their output kept and shown, lines say whose they are.
        line = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        line += ["--redirects", "0:1,1:1", "--tee", "0:1,1:1", "--nproc_per_node", "2"]
        line += ["--log_dir", str(self.folder / "logs")]
        line += [*program, "deep", "--nue", self.train, "--out", str(out)]
        line += ["--data", str(self.folder), "--validation", "held", "--epochs", "4"]
        line += ["--blocks", "1", "--channels", "16", "--value-hidden", "16", "--batch", "64"]
        line += ["--lr", "0.2", "--device", "cpu", "--mirror", "--ema", "0.9", *more]
        place = str(Path(__file__).resolve().parents[1])
        told = {**os.environ, "PYTHONPATH": place, "OMP_NUM_THREADS": "1"}
        return subprocess.run(
            line, capture_output=True, text=True, env=told, timeout=300, check=False
        )

    @unittest.skipUnless(torch.distributed.is_available(), "torch has no distributed training")
    def test_two_processes_train_one_net_and_go_on_where_they_were(self) -> None:
        out = self.folder / "team.nuedf"
        done = self.in_two(out)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = [text.partition("]:") for text in done.stdout.splitlines() if "]:" in text]
        self.assertEqual({who for who, _, _ in said}, {"[default0"}, "only the first speaks")
        found = json.loads(said[-1][2])
        self.assertTrue(found["final"])
        # Each process has half of the positions, in whole batches.
        self.assertEqual(found["positions"], 4 * 2 * 64 * (732 // 64))
        self.assertGreater(found["validation_policy_accuracy"], 0.9)
        self.assertEqual(netfile.read(out).kind.blocks, 1)
        # The same in two parts: the first process dies after the checkpoint of the second epoch.
        parts, mortal = self.folder / "parts-of-team.nuedf", self.folder / "mortal.py"
        mortal.write_text(MORTAL)
        broken = self.in_two(parts, program=(str(mortal),))
        self.assertNotEqual(broken.returncode, 0)
        self.assertFalse(parts.exists())
        resumed = self.in_two(parts, "--resume")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        one, other = netfile.read(out), netfile.read(parts)
        for (name, a), b in zip(one.state_dict().items(), other.state_dict().values()):
            self.assertTrue(torch.allclose(a, b, atol=1e-5), name)
        alone = replace(
            self.settings("parts-of-team.nuedf"), batch=64, epochs=4, mirror=True, ema=0.9, resume=True
        )
        with self.assertRaisesRegex(CheckpointError, "in 2 processes, not 1"):
            self.run_all(alone)


if __name__ == "__main__":
    unittest.main()
