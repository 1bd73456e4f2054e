"""Policy-value nets: plain residual nets, dlshogi's wide stem, PAL's squeeze-and-excitation.

A net in training has batch norms and may have a stem in parts; folded, as files and engines have
it, every convolution has weights and biases and the stem is one convolution over all planes.
`DeepKind` says which net it is and what its folded tensors are called.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import nn
from torch.nn import functional

from .planes import Layout, Seen

STEMS = ("plain", "wide")
ACTIVATIONS = ("relu", "swish")


class NetError(Exception):
    """A net that cannot be, or that does not fit."""


@dataclass(frozen=True)
class DeepKind:
    """What tells one net from another."""

    layout: Layout
    labels: str
    label_count: int
    blocks: int
    channels: int
    activation: str = "relu"
    reduction: int = 0
    """Squeeze and excitation through so many times fewer channels; 0 without."""
    value_channels: int = 0
    """Channels of the value head; 0 is as many as the policy head has."""
    value_hidden: int = 256
    policy_channels: int = 32
    """Channels before the last layer of the policy, where labels are not planes."""

    def __post_init__(self) -> None:
        numbers = (self.blocks, self.channels, self.value_hidden, self.policy_channels)
        good = (
            all(1 <= number <= 4096 for number in numbers)
            and self.activation in ACTIVATIONS
            and 0 <= self.reduction <= self.channels
            and 0 <= self.value_channels <= 4096
            and 0 < self.label_count < 1 << 15
        )
        if not good:
            raise NetError(f"a net of {self} makes no sense")

    @property
    def squares(self) -> int:
        """Squares of the board."""
        return self.layout.side**2

    @property
    def head_channels(self) -> int:
        """Planes of labels; 0 where labels are not planes."""
        return 0 if self.label_count % self.squares else self.label_count // self.squares

    @property
    def valued(self) -> int:
        """Channels of the value head."""
        return self.value_channels or self.head_channels or 8

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The tensors of the folded net, in the order of files."""
        planes, width = self.layout.count, self.channels
        found: dict[str, tuple[int, ...]] = {
            "stem.weight": (width, planes, 3, 3),
            "stem.bias": (width,),
        }
        for block in range(self.blocks):
            for conv in ("conv1", "conv2"):
                found[f"blocks.{block}.{conv}.weight"] = (width, width, 3, 3)
                found[f"blocks.{block}.{conv}.bias"] = (width,)
            if self.reduction:
                inner = max(width // self.reduction, 1)
                found[f"blocks.{block}.se.fc1.weight"] = (inner, width)
                found[f"blocks.{block}.se.fc1.bias"] = (inner,)
                found[f"blocks.{block}.se.fc2.weight"] = (width, inner)
                found[f"blocks.{block}.se.fc2.bias"] = (width,)
        if self.head_channels:
            found["policy.conv.weight"] = (self.head_channels, width, 1, 1)
        else:
            found["policy.conv.weight"] = (self.policy_channels, width, 1, 1)
            found["policy.conv.bias"] = (self.policy_channels,)
            inputs = self.policy_channels * self.squares
            found["policy.fc.weight"] = (self.label_count, inputs)
        found["policy.bias"] = (self.label_count,)
        found["value.conv.weight"] = (self.valued, width, 1, 1)
        found["value.conv.bias"] = (self.valued,)
        found["value.fc1.weight"] = (self.value_hidden, self.valued * self.squares)
        found["value.fc1.bias"] = (self.value_hidden,)
        found["value.fc2.weight"] = (1, self.value_hidden)
        found["value.fc2.bias"] = (1,)
        return found

    def as_dict(self) -> dict[str, Any]:
        """For checkpoints and messages."""
        return {**asdict(self), "layout": self.layout.as_dict()}


def activate(name: str, x: torch.Tensor) -> torch.Tensor:
    """The activation of that name."""
    return functional.silu(x) if name == "swish" else functional.relu(x)


def convolve(x: torch.Tensor, weight: torch.Tensor, size: int) -> torch.Tensor:
    """A convolution by `size` x `size` weights that keeps the board's size.

    Tensor cores take channels by eights: on CUDA others are filled up with zeros, which costs less
    than the kernels for odd numbers.
    """
    if x.is_cuda:
        outputs, inputs = weight.shape[:2]
        more_in, more_out = -inputs % 8, -outputs % 8
        if more_in or more_out:
            weight = functional.pad(weight, (0, 0, 0, 0, 0, more_in, 0, more_out))
            x = functional.pad(x, (0, 0, 0, 0, 0, more_in)) if more_in else x
            x = x.contiguous(memory_format=torch.channels_last)
        return functional.conv2d(x, weight, padding=size // 2)[:, :outputs]
    return functional.conv2d(x, weight, padding=size // 2)


class ConvNorm(nn.Module):
    """A convolution and its batch norm."""

    def __init__(self, inputs: int, outputs: int, size: int) -> None:
        super().__init__()
        self._size = size
        self.conv = nn.Conv2d(inputs, outputs, size, padding=size // 2, bias=False)
        self.norm = nn.BatchNorm2d(outputs)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Both."""
        return self.norm(convolve(x, self.conv.weight, self._size))

    def folded(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Weight and bias of the one convolution that does the same."""
        return fold(self.conv.weight, self.norm)


def fold(weight: torch.Tensor, norm: nn.BatchNorm2d) -> tuple[torch.Tensor, torch.Tensor]:
    """A convolution without bias and the batch norm after it as one convolution."""
    mean, variance = norm.running_mean, norm.running_var
    assert mean is not None and variance is not None
    factor = norm.weight.double() / (variance.double() + norm.eps).sqrt()
    bias = norm.bias.double() - mean.double() * factor
    return (weight.double() * factor.view(-1, 1, 1, 1)).float(), bias.float()


class PlainStem(nn.Module):
    """One convolution over all planes."""

    def __init__(self, layout: Layout, channels: int) -> None:
        super().__init__()
        self._side = layout.side
        self.all = ConvNorm(layout.count, channels, 3)

    def forward(self, seen: Seen) -> torch.Tensor:
        """Constants become planes."""
        boards, constants = seen
        wide = constants[:, :, None, None].expand(-1, -1, self._side, self._side)
        planes = torch.cat([boards, wide], dim=1)
        return self.all(planes.contiguous(memory_format=torch.channels_last))

    def folded(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Weights for the planes of the board, then for constants; bias."""
        return self.all.folded()


class WideStem(nn.Module):
    """dlshogi's: 3x3 and 1x1 over the planes of the board, 1x1 over the constants, summed."""

    def __init__(self, layout: Layout, channels: int) -> None:
        super().__init__()
        self.board3 = nn.Conv2d(layout.boards, channels, 3, padding=1, bias=False)
        self.board1 = nn.Conv2d(layout.boards, channels, 1, bias=False)
        # A constant plane under a 1x1 convolution is a number under a matrix.
        self.constant = nn.Linear(layout.constants, channels, bias=False)
        self.norm = nn.BatchNorm2d(channels)

    def forward(self, seen: Seen) -> torch.Tensor:
        """The sum, normed."""
        boards, constants = seen
        boards = boards.contiguous(memory_format=torch.channels_last)
        x = convolve(boards, self._over_boards(), 3)
        return self.norm(x + self.constant(constants)[:, :, None, None])

    def _over_boards(self) -> torch.Tensor:
        """Both convolutions over the planes of the board as one."""
        return self.board3.weight + functional.pad(self.board1.weight, (1, 1, 1, 1))

    def folded(self) -> tuple[torch.Tensor, torch.Tensor]:
        """Weights for the planes of the board, then for constants; bias."""
        constants = functional.pad(self.constant.weight[:, :, None, None], (1, 1, 1, 1))
        return fold(torch.cat([self._over_boards(), constants], dim=1), self.norm)


class Excitation(nn.Module):
    """Channels weighted by what the whole board looks like."""

    def __init__(self, channels: int, reduction: int, activation: str) -> None:
        super().__init__()
        inner = max(channels // reduction, 1)
        self._activation = activation
        self.fc1 = nn.Linear(channels, inner)
        self.fc2 = nn.Linear(inner, channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The weighted channels."""
        weight = self.fc2(activate(self._activation, self.fc1(x.mean(dim=(2, 3)))))
        return x * torch.sigmoid(weight)[:, :, None, None]


class Block(nn.Module):
    """Two convolutions and a way past them."""

    def __init__(self, kind: DeepKind, folded: bool) -> None:
        super().__init__()
        width = kind.channels
        self._activation = kind.activation
        self.conv1: nn.Module
        self.conv2: nn.Module
        if folded:
            self.conv1 = nn.Conv2d(width, width, 3, padding=1)
            self.conv2 = nn.Conv2d(width, width, 3, padding=1)
        else:
            self.conv1 = ConvNorm(width, width, 3)
            second = ConvNorm(width, width, 3)
            # At first a block changes nothing, which is easy to learn from.
            nn.init.zeros_(second.norm.weight)
            self.conv2 = second
        self.se = Excitation(width, kind.reduction, kind.activation) if kind.reduction else None

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The sum of both ways."""
        y = self.conv2(activate(self._activation, self.conv1(x)))
        if self.se is not None:
            y = self.se(y)
        return activate(self._activation, x + y)


class PolicyHead(nn.Module):
    """Logits of labels: planes of labels and a bias each, or a full layer."""

    def __init__(self, kind: DeepKind, folded: bool) -> None:
        super().__init__()
        self._activation = kind.activation
        self.conv: nn.Module
        self.fc: nn.Linear | None = None
        if kind.head_channels:
            self.conv = nn.Conv2d(kind.channels, kind.head_channels, 1, bias=False)
        else:
            inner = kind.policy_channels
            if folded:
                self.conv = nn.Conv2d(kind.channels, inner, 1)
            else:
                self.conv = ConvNorm(kind.channels, inner, 1)
            self.fc = nn.Linear(inner * kind.squares, kind.label_count, bias=False)
        self.bias = nn.Parameter(torch.zeros(kind.label_count))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The logits."""
        if self.fc is None:
            assert isinstance(self.conv, nn.Conv2d)
            x = convolve(x, self.conv.weight, 1)
        else:
            x = self.fc(activate(self._activation, self.conv(x)).flatten(1))
        return x.flatten(1).float() + self.bias


class ValueHead(nn.Module):
    """The logit of the probability that the side to move wins."""

    def __init__(self, kind: DeepKind, folded: bool) -> None:
        super().__init__()
        self._activation = kind.activation
        self.conv: nn.Module
        if folded:
            self.conv = nn.Conv2d(kind.channels, kind.valued, 1)
        else:
            self.conv = ConvNorm(kind.channels, kind.valued, 1)
        self.fc1 = nn.Linear(kind.valued * kind.squares, kind.value_hidden)
        self.fc2 = nn.Linear(kind.value_hidden, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """The logit."""
        x = activate(self._activation, self.conv(x)).flatten(1)
        x = activate(self._activation, self.fc1(x))
        return self.fc2(x).squeeze(1).float()


# Logits of labels [count, labels], and of winning [count].
Answer = tuple[torch.Tensor, torch.Tensor]


class Trunk(nn.Module):
    """What nets in training and folded nets have in common."""

    def __init__(self, kind: DeepKind, folded: bool) -> None:
        super().__init__()
        self.kind = kind
        self.blocks = nn.Sequential(*(Block(kind, folded) for _ in range(kind.blocks)))
        self.policy = PolicyHead(kind, folded)
        self.value = ValueHead(kind, folded)

    def after_stem(self, x: torch.Tensor) -> Answer:
        """Blocks and heads."""
        x = self.blocks(activate(self.kind.activation, x))
        return self.policy(x), self.value(x)


class DeepNet(Trunk):
    """A net in training."""

    def __init__(self, kind: DeepKind, stem: str = "wide") -> None:
        super().__init__(kind, folded=False)
        if stem not in STEMS:
            raise NetError(f"no stem is called {stem!r}: there are {', '.join(STEMS)}")
        wide = stem == "wide" and kind.layout.constants > 0
        made = WideStem if wide else PlainStem
        self.stem: nn.Module = made(kind.layout, kind.channels)

    def forward(self, boards: torch.Tensor, constants: torch.Tensor) -> Answer:
        """Logits of labels and of winning."""
        return self.after_stem(self.stem((boards, constants)))

    @torch.no_grad()
    def folded(self) -> FoldedNet:
        """The net as files have it."""
        stem = self.stem
        assert isinstance(stem, (PlainStem, WideStem))
        layout = self.kind.layout
        weight, bias = stem.folded()
        boards = layout.indices("boards")
        order = boards + [plane for plane in range(layout.count) if plane not in boards]
        tensors = {"stem.weight": torch.empty_like(weight), "stem.bias": bias}
        tensors["stem.weight"][:, order] = weight
        for name, module in self.named_modules():
            if isinstance(module, ConvNorm) and not name.startswith("stem"):
                tensors[f"{name}.weight"], tensors[f"{name}.bias"] = module.folded()
        own = self.state_dict()
        for name in self.kind.shapes():
            if name not in tensors:
                tensors[name] = own[name].float()
        return FoldedNet.of(self.kind, tensors)


class FoldedNet(Trunk):
    """A net as files and engines have it: no batch norms, one convolution over all planes."""

    def __init__(self, kind: DeepKind) -> None:
        super().__init__(kind, folded=True)
        self.stem = nn.Conv2d(kind.layout.count, kind.channels, 3, padding=1)

    @staticmethod
    def of(kind: DeepKind, tensors: dict[str, torch.Tensor]) -> FoldedNet:
        """The net with these tensors."""
        net = FoldedNet(kind)
        own = net.state_dict()
        if set(own) != set(kind.shapes()) or set(tensors) != set(own):
            wrong = sorted(set(tensors) ^ set(kind.shapes()))
            raise NetError(f"tensors that do not belong together: {', '.join(wrong)}")
        for name, shape in kind.shapes().items():
            if tuple(tensors[name].shape) != shape:
                raise NetError(f"{name} is {tuple(tensors[name].shape)}, not {shape}")
        net.load_state_dict({name: tensor.detach().cpu() for name, tensor in tensors.items()})
        return net.eval()

    def forward(self, planes: torch.Tensor) -> Answer:
        """Logits of labels and of winning for whole planes [count, planes, side, side]."""
        return self.after_stem(self.stem(planes))

    def values(self, planes: torch.Tensor) -> torch.Tensor:
        """The logits of winning alone."""
        return self.value(self.blocks(activate(self.kind.activation, self.stem(planes))))
