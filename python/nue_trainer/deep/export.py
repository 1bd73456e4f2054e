"""Nets on their way out: the file of the engine and ONNX, each compared with its source."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn

from . import netfile
from .nets import Answer, DeepNet, FoldedNet
from .planes import Rows, Unpacker

# Positions an export is compared on.
COMPARED = 1000
# Largest difference of a logit for every unit it is away from zero, and of a probability.
LOGIT_SLACK = 1e-3
VALUE_SLACK = 1e-3


class ExportError(Exception):
    """An export that does not do what its source does."""


@torch.no_grad()
def exact(net: Callable[..., Answer], *planes: torch.Tensor) -> Answer:
    """The answers of a net on the processor, where 32 bits are 32 bits."""
    parts = [net(*some) for some in zip(*(tensor.split(250) for tensor in planes))]
    return torch.cat([p for p, _ in parts]), torch.cat([v for _, v in parts])


def compare(what: str, source: Answer, other: Answer) -> dict[str, float]:
    """The largest differences; an error where they are too large."""
    policy = ((source[0] - other[0]).abs() / (1 + source[0].abs())).max()
    value = (torch.sigmoid(source[1]) - torch.sigmoid(other[1])).abs().max()
    found = {"policy": float(policy), "value": float(value), "positions": len(source[1])}
    if not (found["policy"] < LOGIT_SLACK and found["value"] < VALUE_SLACK):
        raise ExportError(
            f"{what} does not do what the net does: logits differ by {found['policy']:.2g} of "
            f"their size, probabilities of winning by {found['value']:.2g}"
        )
    return found


def export(
    net: DeepNet, rows: Rows, unpacker: Unpacker, path: Path, notes: dict[str, Any]
) -> dict[str, float]:
    """Writes the engine's file, reads it again and compares it with the net."""
    still = copy.deepcopy(net).cpu().eval()
    boards, constants = unpacker(rows.pick(slice(0, COMPARED)).packed)
    whole = unpacker.whole((boards, constants)).cpu()
    source = exact(still, boards.cpu(), constants.cpu())
    draft = path.with_name(f".{path.name}.draft")
    try:
        netfile.write(draft, net.folded(), notes)
        found = compare(str(path), source, exact(netfile.read(draft), whole))
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return found


class _Onnx(nn.Module):
    """A folded net with dlshogi's inputs and outputs, or one input where planes are others."""

    def __init__(self, net: FoldedNet) -> None:
        super().__init__()
        self.net = net

    def forward(self, *planes: torch.Tensor) -> Answer:
        """Logits of labels, and the probability of winning."""
        policy, value = self.net(torch.cat(planes, dim=1) if len(planes) > 1 else planes[0])
        return policy, torch.sigmoid(value).unsqueeze(1)


def onnx_inputs(net: FoldedNet, planes: torch.Tensor) -> dict[str, torch.Tensor]:
    """The inputs by name: dlshogi's engines know `input1` and `input2`."""
    if net.kind.layout.planes != "dlshogi":
        return {"input": planes}
    boards = net.kind.layout.boards
    return {"input1": planes[:, :boards], "input2": planes[:, boards:]}


def export_onnx(net: FoldedNet, packed: torch.Tensor, path: Path) -> str:
    """Writes ONNX and compares it, where the packages for that are at hand; says what was done."""
    import inspect

    net = net.cpu().eval()
    unpacker = Unpacker(net.kind.layout, torch.device("cpu"))
    planes = unpacker.whole(unpacker(packed[:COMPARED].cpu()))
    inputs = onnx_inputs(net, planes)
    names = [*inputs, "output_policy", "output_value"]
    options: dict[str, Any] = {"opset_version": 16}
    if "dynamo" in inspect.signature(torch.onnx.export).parameters:
        options["dynamo"] = False
    draft = path.with_name(f".{path.name}.tmp")
    try:
        torch.onnx.export(
            _Onnx(net),
            tuple(tensor[:2].contiguous() for tensor in inputs.values()),
            str(draft),
            input_names=list(inputs),
            output_names=["output_policy", "output_value"],
            dynamic_axes={name: {0: "batch"} for name in names},
            **options,
        )
    except Exception as error:  # a missing package, or an exporter of another age
        draft.unlink(missing_ok=True)
        return f"{path}: no ONNX: {error}"
    try:
        import onnxruntime  # type: ignore[import-not-found]
    except ImportError:
        draft.replace(path)
        return f"{path}: written, not compared: Python has no onnxruntime here"
    session = onnxruntime.InferenceSession(str(draft), providers=["CPUExecutionProvider"])
    fed = {name: tensor.contiguous().numpy() for name, tensor in inputs.items()}
    policy, value = (torch.from_numpy(out) for out in session.run(None, fed))
    source = exact(net, planes)
    try:
        found = compare(str(path), source, (policy, torch.logit(value.squeeze(1))))
    except ExportError:
        draft.unlink(missing_ok=True)
        raise
    draft.replace(path)
    return f"{path}: written, the same on {found['positions']} positions"


def convert_to_onnx(net: Path, out: Path) -> str:
    """Writes a net file as ONNX, compared on planes of random bits."""
    if out.exists():
        raise ExportError(f"{out}: exists; choose another --out")
    read = netfile.read(net)
    generator = torch.Generator().manual_seed(1)
    size = COMPARED, read.kind.layout.bytes
    packed = torch.randint(256, size, dtype=torch.uint8, generator=generator)
    said = export_onnx(read, packed, out)
    if not out.exists():
        raise ExportError(said)
    return said


def convert_to_half(net: Path, out: Path) -> str:
    """Writes a net file in numbers of 16 bits, to be kept: without notes, which name the run's files."""
    if out.exists():
        raise ExportError(f"{out}: exists; choose another --out")
    netfile.write(out, netfile.read(net), {}, "float16")
    return f"{out}: written, {out.stat().st_size} bytes where {net} has {net.stat().st_size}"
