"""The grid of the engine's integers, seen from real numbers.

The engine holds the first layer and all activations in steps of 1/127, later weights in steps of
1/64 and later biases in steps of 1/(127 * 64); sums are rounded down to activations. A net that
is trained with these steps loses nothing when it becomes integers.
"""

from __future__ import annotations

import torch

ACTIVATION_UNIT = 127.0
WEIGHT_UNIT = 64.0


def nearest(values: torch.Tensor, unit: float) -> torch.Tensor:
    """The nearest multiples of 1/unit, with the gradient of the values themselves."""
    return values + (torch.round(values * unit) / unit - values).detach()


def rounded_down(values: torch.Tensor, unit: float) -> torch.Tensor:
    """The multiples of 1/unit below, with the gradient of the values themselves.

    What is a multiple but for the rounding of real numbers counts as that multiple.
    """
    return values + (torch.floor(values * unit + 1e-3) / unit - values).detach()
