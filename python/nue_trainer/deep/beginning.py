"""What a training begins from: the checkpoint of another one, or a net file.

A net file has no batch norms. They come back as they would be after training on the positions at hand: measured on
some of them, so that the net says the same while it learns as when it is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import torch
from torch import nn

from ..training import TrainingError
from . import netfile
from .nets import ConvNorm, DeepNet, FoldedNet, PlainStem, WideStem
from .planes import Seen

# How long the weights of a channel are in a net that begins: those of a file are made as long, so that a learning
# rate does to them what it does to others.
LENGTH = 3**-0.5
SUFFIX = ".nuedf"


def begin(
    net: DeepNet, path: Path, positions: Callable[[], Iterable[Seen]]
) -> list[torch.Tensor]:
    """Gives a net the parameters of a checkpoint or a file; returns those that were written there, in their order."""
    if path.suffix == SUFFIX:
        unfold(net, _same_kind(net, path), positions())
        return [parameter.detach().clone() for parameter in net.parameters()]
    state = torch.load(path, map_location="cpu")
    try:
        tensors = state["tensors"]
        net.load_state_dict(tensors["net"])
    except (KeyError, RuntimeError) as error:
        raise TrainingError(f"{path}: not a checkpoint of this kind of net: {error}") from error
    average = tensors.get("average")
    if average is not None and average["steps"]:
        return [kept.clone() for kept in average["kept"]]
    return [parameter.detach().clone() for parameter in net.parameters()]


def _same_kind(net: DeepNet, path: Path) -> FoldedNet:
    folded = netfile.read(path)
    there, here = folded.kind, net.kind
    if (there.layout, there.labels, there.activation, there.shapes()) != (
        here.layout,
        here.labels,
        here.activation,
        here.shapes(),
    ):
        raise TrainingError(f"{path}: not this kind of net: it is {there}, not {here}")
    return folded


@torch.no_grad()
def unfold(net: DeepNet, folded: FoldedNet, positions: Iterable[Seen]) -> None:
    """Makes a net in training of one as files have it, with batch norms measured on these positions."""
    tensors = folded.state_dict()
    own = dict(net.named_parameters())
    for name in net.kind.shapes():
        if name in own:
            own[name].copy_(tensors[name])
    # Each norm, with the weights before it.
    norms: dict[nn.BatchNorm2d, list[nn.Parameter]] = {}
    for name, module in net.named_modules():
        if isinstance(module, ConvNorm) and not name.startswith("stem"):
            module.conv.weight.copy_(tensors[f"{name}.weight"])
            _plain(module.norm, tensors[f"{name}.bias"])
            norms[module.norm] = [module.conv.weight]
    norm, weights = _unfold_stem(net, tensors["stem.weight"])
    _plain(norm, tensors["stem.bias"])
    norms[norm] = weights
    for norm, (mean, variance) in _measured(net, list(norms), positions).items():
        weights = norms[norm]
        squares = sum(weight.double().flatten(1).square().sum(1) for weight in weights)
        assert isinstance(squares, torch.Tensor)
        longer = torch.where(squares > 0, LENGTH / squares.sqrt(), torch.ones_like(squares))
        for weight in weights:
            weight.copy_(weight * longer.view(-1, *[1] * (weight.ndim - 1)))
        assert norm.running_mean is not None and norm.running_var is not None
        norm.running_mean.copy_(mean * longer)
        norm.running_var.copy_(variance * longer.square())
        norm.weight.copy_((variance * longer.square() + norm.eps).sqrt() / longer)
        norm.bias.add_(mean)


def _plain(norm: nn.BatchNorm2d, bias: torch.Tensor) -> None:
    """A norm that only adds a bias."""
    assert norm.running_mean is not None and norm.running_var is not None
    norm.running_mean.zero_()
    norm.running_var.fill_(1.0)
    norm.weight.fill_((1 + norm.eps) ** 0.5)
    norm.bias.copy_(bias)


def _unfold_stem(
    net: DeepNet, weight: torch.Tensor
) -> tuple[nn.BatchNorm2d, list[nn.Parameter]]:
    layout, stem = net.kind.layout, net.stem
    boards = layout.indices("boards")
    order = boards + [plane for plane in range(layout.count) if plane not in boards]
    weight = weight[:, order]
    if isinstance(stem, PlainStem):
        stem.all.conv.weight.copy_(weight)
        return stem.all.norm, [stem.all.conv.weight]
    assert isinstance(stem, WideStem)
    constants = weight[:, len(boards) :]
    around = constants.clone()
    around[:, :, 1, 1] = 0
    if bool(around.any()):
        raise TrainingError("the net file has one convolution over all planes: give --stem plain")
    stem.board3.weight.copy_(weight[:, : len(boards)])
    stem.board1.weight.zero_()
    stem.constant.weight.copy_(constants[:, :, 1, 1])
    return stem.norm, [stem.board3.weight, stem.board1.weight, stem.constant.weight]


def _measured(
    net: DeepNet, norms: list[nn.BatchNorm2d], positions: Iterable[Seen]
) -> dict[nn.BatchNorm2d, tuple[torch.Tensor, torch.Tensor]]:
    """Mean and variance of what comes to every norm."""
    sums: dict[nn.BatchNorm2d, list[torch.Tensor]] = {norm: [] for norm in norms}

    def look(norm: nn.Module, inputs: tuple[torch.Tensor, ...]) -> None:
        assert isinstance(norm, nn.BatchNorm2d)
        seen = inputs[0].double()
        sums[norm].append(torch.stack([seen.mean((0, 2, 3)), seen.square().mean((0, 2, 3))]))

    hooks = [norm.register_forward_pre_hook(look) for norm in norms]
    training = net.training
    net.eval()
    try:
        for boards, constants in positions:
            net(boards, constants)
    finally:
        net.train(training)
        for hook in hooks:
            hook.remove()
    found = {}
    for norm, each in sums.items():
        if not each:
            raise TrainingError("no positions to measure batch norms on: not with --streamed")
        mean, square = torch.stack(each).mean(0)
        found[norm] = (mean, (square - mean.square()).clamp_min(0))
    return found
