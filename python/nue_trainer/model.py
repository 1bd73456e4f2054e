"""The net in real numbers, as it is trained."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .floatfile import LARGEST_WEIGHT, OUTPUT_UNIT, FloatNet, Kind
from .integers import ACTIVATION_UNIT, WEIGHT_UNIT, nearest, rounded_down
from .start import start
from .stream import About

# Spread of the first layer's rows at the start: with forty of them active, sums spread by a third.
ROW_SPREAD = 0.05
# Where sums begin: inside 0..1, so that gradients flow.
FIRST_BIAS = 0.3


def plain_name(features: str) -> str:
    """The name of a feature set as `.nuef` files have it: KP, HalfKP, ..."""
    name = features.replace("(Friend)", "").replace("+", "").replace("-", "").replace("_", "")
    known = ("KP", "KPHm", "HalfKP", "HalfKPE9", "HalfKPKrank")
    return next((plain for plain in known if plain.lower() == name.lower()), name)


class Net(nn.Module):
    """Features of both sides to one output.

    With factors, a row of the first layer is the sum of a part of its own, a part of its piece
    and a part of its king: what few positions teach about a pair, many teach about its parts.
    The parts are folded into plain rows when the net is saved.

    With `integers` the net computes with the weights and activations that the engine's integers
    can hold, so that training makes up for their rounding; gradients flow as if nothing was rounded.
    """

    def __init__(
        self, about: About, width: int, hidden1: int, hidden2: int, factors: bool, seed: int = 1
    ) -> None:
        super().__init__()
        self.about = about
        self.kind = Kind(
            plain_name(about.features), about.game, about.inputs, width, hidden1, hidden2
        )
        self.factors = factors and about.groups > 1
        self.integers = False
        lot = torch.Generator().manual_seed(seed)

        def spread(*shape: int, by: float) -> nn.Parameter:
            return nn.Parameter(torch.mul(torch.randn(*shape, generator=lot), by))

        def even(*shape: int, by: float) -> nn.Parameter:
            return nn.Parameter(torch.mul(2 * torch.rand(*shape, generator=lot) - 1, by))

        # One row more than there are inputs: what stands for no feature, always zero.
        if self.factors:
            self.rows = nn.Parameter(torch.zeros(about.inputs + 1, width))
            self.pieces = spread(about.pieces, width, by=ROW_SPREAD)
            self.groups = nn.Parameter(torch.zeros(about.groups, width))
        else:
            self.rows = spread(about.inputs + 1, width, by=ROW_SPREAD)
            with torch.no_grad():
                self.rows[-1].zero_()
        self.bias0 = nn.Parameter(torch.full((width,), FIRST_BIAS))
        self.weight1 = even(hidden1, 2 * width, by=(2 * width) ** -0.5)
        self.bias1 = nn.Parameter(torch.full((hidden1,), FIRST_BIAS))
        self.weight2 = even(hidden2, hidden1, by=hidden1**-0.5)
        self.bias2 = nn.Parameter(torch.full((hidden2,), FIRST_BIAS))
        self.weight3 = even(1, hidden2, by=hidden2**-0.5)
        self.bias3 = nn.Parameter(torch.zeros(1))

    def folded(self) -> torch.Tensor:
        """The plain rows, with the one for no feature."""
        if not self.factors:
            return self.rows
        about = self.about
        parts = self.pieces.unsqueeze(0) + self.groups.unsqueeze(1) / about.slots
        whole = self.rows[:-1].view(about.groups, about.pieces, -1) + parts
        return torch.cat([whole.view(about.inputs, -1), self.rows[-1:]])

    def layers(self) -> list[torch.Tensor]:
        """Biases and weights as the net computes with them, in the order of the file."""
        real = [self.bias0, self.folded(), self.bias1, self.weight1]
        real += [self.bias2, self.weight2, self.bias3, self.weight3]
        if not self.integers:
            return real
        units = [ACTIVATION_UNIT, ACTIVATION_UNIT] + [OUTPUT_UNIT, WEIGHT_UNIT] * 3
        return [nearest(array, unit) for array, unit in zip(real, units)]

    def forward(self, indices: torch.Tensor) -> torch.Tensor:
        """The output for each position; `indices` holds both sides, the side to move first."""
        bias0, rows, bias1, weight1, bias2, weight2, bias3, weight3 = self.layers()
        sums = functional.embedding_bag(indices, rows, mode="sum", padding_idx=self.about.inputs)
        half = (sums + bias0).clamp(0, 1)
        count = half.shape[0] // 2
        both = torch.cat([half[:count], half[count:]], dim=1)
        hidden = self._activation(functional.linear(both, weight1, bias1))
        hidden = self._activation(functional.linear(hidden, weight2, bias2))
        return functional.linear(hidden, weight3, bias3).squeeze(1)

    def _activation(self, sums: torch.Tensor) -> torch.Tensor:
        clipped = sums.clamp(0, 1)
        return rounded_down(clipped, ACTIVATION_UNIT) if self.integers else clipped

    @torch.no_grad()
    def clip(self) -> None:
        """Keeps weights within what the integers of the engine hold."""
        for weight in (self.weight1, self.weight2, self.weight3):
            weight.clamp_(-LARGEST_WEIGHT, LARGEST_WEIGHT)

    @torch.no_grad()
    def export(self, fv_scale: int, notes: dict[str, Any]) -> FloatNet:
        """The net with its parts folded."""
        arrays = self.layers()
        arrays[1] = arrays[1][:-1]
        return FloatNet(self.kind, [a.detach().cpu().clone() for a in arrays], fv_scale, notes)

    @torch.no_grad()
    def take(self, net: FloatNet) -> None:
        """Begins from a net of the same kind, or of features that say less."""
        first = start(net, self.kind, self.about)
        self.bias0.copy_(first.bias)
        rows = first.rows
        if self.factors:
            self.pieces.copy_(first.pieces)
            self.groups.copy_(first.groups)
        else:
            rows = rows + first.pieces + first.groups.unsqueeze(1) / self.about.slots
        self.rows[:-1].copy_(rows.reshape(self.about.inputs, -1))
        later = [self.bias1, self.weight1, self.bias2, self.weight2, self.bias3, self.weight3]
        for parameter, array in zip(later, net.arrays[2:]):
            parameter.copy_(array)


def unit(fv_scale: int) -> float:
    """What an output of 1 is worth in the unit of scores."""
    return OUTPUT_UNIT / fv_scale
