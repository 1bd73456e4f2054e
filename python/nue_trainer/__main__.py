"""`python -m nue_trainer`: train, value, worth, deep, orders, onnx, half, serve, bench."""

from __future__ import annotations

import argparse
import json
import os
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import __version__, serve_bench
from .bench import bench
from .checkpoint import CheckpointError
from .deep import cli as deep
from .deep import orders
from .deep.export import ExportError, convert_to_half, convert_to_onnx
from .deep.netfile import NetFileError
from .deep.nets import NetError
from .evaluator import ServeError
from .floatfile import FloatFileError
from .schedule import NAMES
from .serve import serve
from .settings import Settings
from .stream import StreamError
from .teaching import TeacherRun, Teaching, worth
from .training import Run, TrainingError
from .valuenet import ValueNetError


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return number


def _share(text: str) -> float:
    number = float(text)
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return number


def _percent(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 100:
        raise argparse.ArgumentTypeError(f"{text} is not between 1 and 100")
    return number


def _above_zero(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not above zero")
    return number


def _net_options(parser: argparse.ArgumentParser) -> None:
    plain = Settings(nue="", data=(), out="")
    add = parser.add_argument
    add("--nue", default="nue", help="the executable of Nue (default: the one on the path)")
    add("--data", nargs="+", required=True, help="teacher, psv, hcpe or hcpe3 files to train on")
    add("--features", default=plain.features, help="kp, halfkp, halfkpe9 or halfkpkrank")
    add("--width", type=_positive, default=plain.width, help="outputs of the first layer")
    add("--hidden1", type=_positive, default=plain.hidden1)
    add("--hidden2", type=_positive, default=plain.hidden2)
    add("--fv-scale", type=_positive, default=plain.fv_scale, help="divisor of the output")
    add("--no-factors", dest="factors", action="store_false", help="only plain rows")
    add("--batch", type=_positive, default=plain.batch, help="positions of a batch")
    add("--blend", type=_share, default=plain.blend, help="lambda: weight of the score")
    add("--blend-end", type=_share, help="the same at the end of the run (default: as --blend)")
    add("--scale", type=_above_zero, help="scale of the sigmoid (default: as in nue train)")
    add("--optimiser", choices=("adam", "adamw"), default=plain.optimiser)
    add("--weight-decay", type=float, default=plain.weight_decay)
    add("--lr", type=_above_zero, default=plain.lr, help="learning rate at the start")
    add("--seed", type=int, default=plain.seed)
    add("--mirror", action="store_true", help="mirror a random half of the positions")
    add("--leaf", action="store_true", help="learn from the quiet position captures lead to")
    add("--pool", type=_positive, help="positions shuffled together")
    add("--threads", type=_positive, help="threads of nue (default: all cores)")
    add("--device", default=plain.device, help="auto, cpu, cuda, cuda:1, ...")
    add(
        "--stream-options",
        nargs=argparse.REMAINDER,
        default=(),
        help="all that follows goes to nue data stream: --keep-captures --max-score 3000 ...",
    )


def _run_options(parser: argparse.ArgumentParser) -> None:
    plain = Settings(nue="", data=(), out="")
    add = parser.add_argument
    add("--validation", nargs="+", default=(), help="files that are not trained on")
    add("--validation-limit", type=_positive, default=plain.validation_limit)
    add("--epochs", type=_positive, default=plain.epochs)
    add("--lr-end", type=_above_zero, default=plain.lr_end, help="learning rate at the end")
    add("--cache-file", help="keep what was read in this file, and take it from there")
    add("--force", action="store_true", help="replace what is there")


def _parser() -> argparse.ArgumentParser:
    plain = Settings(nue="", data=(), out="")
    teaching = Teaching()
    parser = argparse.ArgumentParser(prog="nue_trainer", description="Train Nue's nets.")
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train a net")
    _net_options(train)
    _run_options(train)
    add = train.add_argument
    add("--out", required=True, help="net in real numbers to write (.nuef), for nue net import")
    add("--init", help="net in real numbers to begin from")
    add(
        "--agreement",
        type=int,
        default=plain.agreement,
        help="positions of --validation in which to compare the net's move with the one played",
    )
    add(
        "--ema",
        type=_share,
        default=plain.ema,
        help="write the moving average over the last third of the run, with this memory: 0.999",
    )
    add(
        "--subspace",
        type=_percent,
        default=plain.subspace,
        help="of a hundred rows of the first layer, how many learn from a batch, drawn for each: 50",
    )
    add(
        "--integers-from",
        type=_share,
        default=plain.integers_from,
        help="compute with the engine's integers after this share of the run: 0.5; 1 is never",
    )
    add("--teacher", help="value or policy-value net to mix into the scores (needs --cache)")
    add("--teacher-weight", type=_share, default=plain.teacher_weight)
    add(
        "--teacher-data",
        nargs="+",
        default=(),
        help="files whose positions the value net alone judges: their scores and results count for nothing",
    )
    add(
        "--teacher-beside",
        type=int,
        choices=range(256),
        metavar="N",
        default=plain.teacher_beside,
        help="for each position of all files, so many beside it (nue data stream --beside), judged likewise",
    )
    add("--schedule", choices=NAMES, default=plain.schedule)
    add("--patience", type=int, default=0, help="stop after so many epochs without progress")
    add("--keep", choices=("last", "best"), default=plain.keep, help="which net is written")
    add("--cache", action="store_true", help="keep all positions on the device, read them once")
    add("--fast", dest="deterministic", action="store_false", help="no care for exact repetition")
    add("--resume", action="store_true", help="go on after the last checkpoint, if there is one")
    value = commands.add_parser("value", help="train a value net, a teacher for --teacher")
    _net_options(value)
    _run_options(value)
    value.add_argument("--out", required=True, help="value net to write")
    value.add_argument("--init", help="value net to begin from")
    value.add_argument("--blocks", type=_positive, default=teaching.blocks)
    value.add_argument("--channels", type=_positive, default=teaching.channels)
    value.add_argument("--seconds", type=float, default=0.0, help="train so long, not by epochs")
    value.add_argument("--samples", type=_positive, default=0, help="so many positions, not epochs")
    judge = commands.add_parser("worth", help="how well a teacher tells the results of games")
    _net_options(judge)
    judge.add_argument("--teacher", required=True, help="value or policy-value net")
    policy = commands.add_parser("deep", help="train a policy-value net")
    deep.add_options(policy, _positive, _share, _above_zero)
    commands.add_parser("orders", help="train policy-value nets, as standard input asks for them")
    onnx = commands.add_parser("onnx", help="write a policy-value net as ONNX")
    onnx.add_argument("--net", required=True, help="policy-value net in real numbers (.nuedf)")
    onnx.add_argument("--out", required=True, help="file to write (.onnx)")
    half = commands.add_parser("half", help="write a policy-value net in numbers of 16 bits")
    half.add_argument("--net", required=True, help="policy-value net in real numbers (.nuedf)")
    half.add_argument("--out", required=True, help="file to write (.nuedf), half the size")
    server = commands.add_parser("serve", help="answer the engine's batches with a net")
    server.add_argument("--net", required=True, help="policy-value net in real numbers (.nuedf)")
    server.add_argument("--device", default="auto", help="auto, cpu, cuda, cuda:1, ...")
    server.add_argument("--precision", choices=("auto", "fp16", "fp32"), default="auto")
    server.add_argument("--batch", type=_positive, help="positions of a batch to ask for")
    server.add_argument("--report", action="store_true", help="say at the end where the time went")
    server.add_argument(
        "--bench", action="store_true", help="measure instead: the device alone, and served"
    )
    server.add_argument("--seconds", type=_above_zero, default=2.0, help="of --bench, each figure")
    speed = commands.add_parser("bench", help="measure positions per second")
    _net_options(speed)
    speed.add_argument("--seconds", type=_above_zero, default=10.0, help="for each of three parts")
    return parser


def _end_with_input() -> None:
    """Ends this process when standard input does: whoever holds its other end is gone."""

    def watch() -> None:
        while os.read(sys.stdin.fileno(), 4096):
            pass
        os._exit(143)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _told(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> dict[str, Any]:
    """What the words say."""
    told = vars(parser.parse_args(arguments))
    if told.get("resume") and told["force"]:
        parser.error("--resume continues what --force would replace: one of them")
    for name in ("data", "validation", "teacher_data", "stream_options"):
        if name in told:
            told[name] = tuple(told[name])
    return told


def _order(parser: argparse.ArgumentParser, words: Sequence[str]) -> dict[str, Any]:
    """What the words of a training say, behind its command."""
    told = _told(parser, ["deep", *words])
    del told["command"]
    return told


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; the exit code."""
    parser = _parser()
    told = _told(parser, arguments)
    command, seconds = told.pop("command"), told.pop("seconds", 0.0)
    # Orders come by standard input, and end with it by themselves.
    if os.environ.get("NUE_ENDS_WITH_INPUT") == "1" and command != "orders":
        _end_with_input()
    try:
        if command == "bench":
            print(json.dumps(bench(Settings(out="", **told), seconds)))
        elif command == "deep":
            deep.run(told)
        elif command == "orders":
            orders.run(lambda words: _order(parser, words))
        elif command == "onnx":
            print(convert_to_onnx(Path(told["net"]), Path(told["out"])))
        elif command == "half":
            print(convert_to_half(Path(told["net"]), Path(told["out"])))
        elif command == "serve":
            if told.pop("bench"):
                told.pop("report")
                serve_bench.run(**told, seconds=seconds)
            else:
                serve(**told)
        elif command == "value":
            sizes = told.pop("blocks"), told.pop("channels")
            teaching = Teaching(*sizes, seconds, told.pop("samples"))
            run = TeacherRun(Settings(**told), teaching, lambda text: print(text, flush=True))
            print(json.dumps(run.all()), flush=True)
        elif command == "worth":
            told["validation"] = told["data"]
            found = worth(Path(told["teacher"]), Settings(out="", **told), print)
            print(json.dumps(found), flush=True)
        else:
            Run(Settings(**told), lambda text: print(text, flush=True)).all()
    except (
        StreamError,
        TrainingError,
        CheckpointError,
        FloatFileError,
        ValueNetError,
        NetError,
        NetFileError,
        ExportError,
        ServeError,
        ValueError,
    ) as error:
        print(f"nue_trainer: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"nue_trainer: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
