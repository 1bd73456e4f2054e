"""Where training begins: from a net of the same kind, or from one of a simpler set of features.

What a net of K+P knows of pieces and of the own king is what sets by king learn apart as factors.
Where the new set sees all that the old one saw, both nets give the same values; where it does not, the
mean stands for what it cannot see: the other king's square for HalfKP and HalfKPE9, its file for HalfKPKrank.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch

from .floatfile import FloatNet, Kind
from .stream import About

# Squares of the boards that nets are for.
SQUARES = {"shogi": 81, "minishogi": 25}
# Sets of pieces and kings, each on its own; and those in which the own king's square selects the rows.
ALONE = ("KP", "KPHm")
BY_KING = ("HalfKP", "HalfKPE9", "HalfKPKrank")


class StartError(ValueError):
    """A net that another one cannot begin from."""


@dataclass(frozen=True)
class Start:
    """The first layer to begin with: each row is the sum of a part of its own, its piece's and its group's."""

    bias: torch.Tensor
    rows: torch.Tensor
    """[groups, pieces, width]."""
    pieces: torch.Tensor
    """[pieces, width]."""
    groups: torch.Tensor
    """[groups, width]; it counts once, however many features there are."""


def start(net: FloatNet, wanted: Kind, about: About) -> Start:
    """The first layer for a net of the wanted kind that begins from `net`."""
    _refuse_what_differs(net.kind, wanted)
    if net.kind.features == wanted.features:
        return _same(net, about)
    if net.kind.features in ALONE and wanted.features in BY_KING:
        return _by_king(net, about)
    if net.kind.features == "KP" and wanted.features == "KPHm":
        # Its rows as they are: what K+P says of an own king on the near files is said of the far ones too.
        return _same(net, about)
    if net.kind.features == "KPHm" and wanted.features == "KP":
        return _both_halves(net, about)
    if net.kind.features == "HalfKP" and wanted.features in BY_KING:
        return _repeated(net, about)
    raise StartError(
        f"a net of {wanted.features} cannot begin from one of {net.kind.features}: KP can from KPHm, KPHm from KP, "
        "HalfKP from both, HalfKPE9 and HalfKPKrank from all three; leave --init out to begin from random numbers"
    )


def _refuse_what_differs(found: Kind, wanted: Kind) -> None:
    """Refuses a net whose layers do not fit, whatever its features are."""
    inputs = wanted.inputs if found.features == wanted.features else found.inputs
    fitting = replace(wanted, features=found.features, inputs=inputs)
    if found == fitting:
        return
    names = [n for n in Kind.__dataclass_fields__ if getattr(found, n) != getattr(fitting, n)]
    told = ", ".join(f"{n} {getattr(found, n)}, not {getattr(fitting, n)}" for n in names)
    raise StartError(f"the net to begin from has {told}: ask for a net of its sizes, or leave --init out")


def _same(net: FloatNet, about: About) -> Start:
    """Every row as it is."""
    bias, rows = net.arrays[:2]
    pieces, groups = _no_factors(about, rows)
    return Start(bias, rows.view(about.groups, about.pieces, -1), pieces, groups)


def _repeated(net: FloatNet, about: About) -> Start:
    """The rows of HalfKP for every number of attacks, or for every rank of the other king."""
    bias, rows = net.arrays[:2]
    times, rest = divmod(about.inputs, net.kind.inputs)
    if rest:
        raise StartError(f"{about.inputs} inputs are no multiple of the {net.kind.inputs} of {net.kind.features}")
    pieces, groups = _no_factors(about, rows)
    return Start(bias, rows.repeat(times, 1).view(about.groups, about.pieces, -1), pieces, groups)


def _no_factors(about: About, like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Parts of pieces and groups that add nothing."""
    width = like.shape[1]
    return like.new_zeros(about.pieces, width), like.new_zeros(about.groups, width)


@dataclass(frozen=True)
class _Parts:
    """The first layer of a set of pieces and kings, taken apart."""

    pieces: torch.Tensor
    own: torch.Tensor
    """A row for every square of the own king."""
    other: torch.Tensor
    """The same for the other king."""


def _parts(net: FloatNet) -> _Parts:
    squares = SQUARES.get(net.kind.game)
    if squares is None:
        raise StartError(f"{net.kind.game!r} is no game with nets of kings: known are {', '.join(SQUARES)}")
    end = net.kind.inputs - 2 * squares
    if end < 1:
        raise StartError(f"{net.kind.inputs} inputs are too few for a net of {net.kind.features}")
    rows = net.arrays[1]
    return _Parts(rows[:end], rows[end : end + squares], rows[end + squares :])


def _by_king(net: FloatNet, about: About) -> Start:
    """Rows of pieces for all kings, and the own king's row for all pieces together."""
    parts = _parts(net)
    squares = len(parts.own)
    if len(parts.pieces) != about.pieces or about.groups % squares:
        found, wanted = f"{net.kind.inputs} inputs of {net.kind.features}", f"{about.inputs} of {about.features}"
        raise StartError(f"{found} do not go with {wanted}: the net to begin from must be of this game")
    kings = torch.arange(about.groups) % squares
    seen = kings
    pieces = parts.pieces
    rows = pieces.new_zeros(about.groups, about.pieces, net.kind.width)
    if net.kind.features == "KPHm":
        # A king on the far files sees the mirrored board: what both halves have in common is the piece's part.
        turned = parts.pieces[_mirrored_pieces(about)]
        seen = torch.minimum(kings, _mirrored_kings(about, squares)[kings])
        pieces = (parts.pieces + turned) / 2
        rows += (parts.pieces - pieces) * torch.where(seen == kings, 1.0, -1.0).view(-1, 1, 1)
    mean = parts.other.mean(dim=0)
    groups = parts.own[seen]
    if about.groups > squares and not about.effect_stride:
        # Squares are numbered file by file: the mean over the files is what is known of a rank.
        ranks = about.groups // squares
        by_rank = parts.other.view(squares // ranks, ranks, -1).mean(dim=0)
        groups = groups + (by_rank - mean).repeat_interleave(squares, dim=0)
    return Start(net.arrays[0] + mean, rows, pieces, groups)


def _both_halves(net: FloatNet, about: About) -> Start:
    """The mean of each row and its mirror image; the own king's rows of the near files for the far ones too."""
    parts = _parts(net)
    end, squares = len(parts.pieces), len(parts.own)
    turned = _mirrored_pieces(about)
    rows = (net.arrays[1] + net.arrays[1][turned]) / 2
    own = torch.arange(end, end + squares)
    rows[own] = net.arrays[1][torch.minimum(own, turned[own])]
    pieces, groups = _no_factors(about, rows)
    return Start(net.arrays[0], rows.unsqueeze(0), pieces, groups)


def _mirrored_pieces(about: About) -> torch.Tensor:
    if not about.mirrored_pieces:
        raise StartError("the stream does not say how its features are mirrored: it is of an older nue")
    return torch.tensor(about.mirrored_pieces)


def _mirrored_kings(about: About, squares: int) -> torch.Tensor:
    if not about.mirrored_bases:
        raise StartError("the stream does not say how its kings are mirrored: it is of an older nue")
    # With ranks of the other king, those of the first rank are told for all.
    return torch.tensor(about.mirrored_bases[:squares])
