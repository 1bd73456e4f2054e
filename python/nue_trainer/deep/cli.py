"""The options of `python -m nue_trainer deep`."""

from __future__ import annotations

import argparse
from typing import Any, Callable

from .nets import ACTIVATIONS, STEMS
from .run import PRECISIONS, DeepRun
from .settings import DeepSettings
from .team import Team

Number = Callable[[str], Any]


def add_options(
    parser: argparse.ArgumentParser, positive: Number, share: Number, above_zero: Number
) -> None:
    """Adds the options; the kinds of number are those of the other commands."""
    plain = DeepSettings(nue="", data=(), out="")
    add = parser.add_argument
    add("--nue", default="nue", help="the executable of Nue (default: the one on the path)")
    add("--data", nargs="+", required=True, help="files to train on, or folders of them")
    add("--out", required=True, help="net to write, for nue net import")
    add("--onnx", help="write the net as ONNX too")
    add("--validation", nargs="+", default=(), help="files of games that are not trained on")
    add("--validation-limit", type=positive, default=plain.validation_limit)
    add("--limit", type=positive, help="train on so many positions at most")
    add("--planes", default=plain.planes, help="dlshogi, pal, aoba or minishogi")
    add("--labels", help="dlshogi, pal or minishogi (default: those that go with the planes)")
    add("--blocks", type=positive, default=plain.blocks)
    add("--channels", type=positive, default=plain.channels)
    add("--stem", choices=STEMS, default=plain.stem)
    add("--activation", choices=ACTIVATIONS, default=plain.activation)
    add(
        "--reduction",
        type=int,
        default=plain.reduction,
        help="squeeze and excitation through so many times fewer channels: 8 in PAL",
    )
    add("--value-channels", type=int, default=plain.value_channels)
    add("--value-hidden", type=positive, default=plain.value_hidden)
    add("--init", help="checkpoint or .nuedf of the same kind of net to begin from")
    add("--mixed", nargs="+", default=(), help="files that a share of every batch is drawn from")
    add("--mixed-share", type=share, default=plain.mixed_share, help="that share")
    add("--minutes", type=above_zero, default=plain.minutes, help="the whole run, not epochs")
    add("--samples", type=positive, default=plain.samples, help="so many positions, not epochs")
    add("--epochs", type=positive, default=plain.epochs)
    add("--batch", type=positive, default=plain.batch)
    add("--blend", type=share, default=plain.blend, help="lambda: weight of the score")
    add("--scale", type=above_zero, help="scale of the sigmoid (default: as in nue train)")
    add("--value-weight", type=above_zero, default=plain.value_weight)
    add("--reinforce", type=float, default=plain.reinforce, help="REINFORCE with a baseline")
    add("--visits", type=int, default=plain.visits, help="learn from so many visited moves")
    add("--optimiser", choices=("sgd", "adamw"), default=plain.optimiser)
    add("--lr", type=above_zero, default=plain.lr)
    add("--lr-end", type=above_zero, default=plain.lr_end)
    add("--warm-up", type=share, default=plain.warm_up, help="share of the run")
    add("--weight-decay", type=float, default=plain.weight_decay)
    add("--clip", type=float, default=plain.clip, help="largest norm of a gradient; 0 is any")
    add("--precision", choices=("auto", *PRECISIONS), default=plain.precision)
    average = parser.add_mutually_exclusive_group()
    average.add_argument(
        "--ema", type=share, default=plain.ema, help="write a moving average of this memory"
    )
    average.add_argument("--swa", action="store_true", help="write the mean of all later steps")
    average.add_argument(
        "--across",
        type=share,
        default=plain.across,
        help="write an average with what --init wrote, which has this share",
    )
    add("--average-from", type=share, default=plain.average_from, help="share of the run")
    add("--mirror", action="store_true", help="mirror a random half of the positions")
    add("--streamed", action="store_true", help="keep no positions on the device")
    add("--by-file", action="store_true", help="read the files one by one: see nue_trainer orders")
    add("--compile", action="store_true", help="let torch.compile fuse the net")
    add("--checks", type=positive, default=plain.checks, help="validations in --minutes or --samples")
    add("--seed", type=int, default=plain.seed)
    add("--pool", type=positive, help="positions shuffled together by nue")
    add("--threads", type=positive, help="threads of nue (default: all cores)")
    add("--device", default=plain.device, help="auto, cpu, cuda, cuda:1, ...")
    add("--resume", action="store_true", help="go on after the last checkpoint, if there is one")
    add("--force", action="store_true", help="replace what is there")
    add(
        "--stream-options",
        nargs=argparse.REMAINDER,
        default=(),
        help="all that follows goes to nue data stream: --min-ply 9 ...",
    )


def run(told: dict[str, Any]) -> None:
    """Trains a net; the last line printed is what came of it."""
    with Team(told["device"]) as team:
        DeepRun(DeepSettings(**told), team, lambda text: print(text, flush=True)).all()
