"""How fast the parts are: the loader alone, the net alone, both together."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Callable

import torch

from .model import Net, unit
from .objective import Objective
from .settings import Settings
from .stream import Labels, Loader
from .supply import order
from .training import choose_device, make_optimiser


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def bench(
    settings: Settings, seconds: float, say: Callable[[str], None] = print
) -> dict[str, float]:
    """Positions per second of each part."""
    device = choose_device(settings.device)
    asked = replace(order(settings, 0), epochs=None)
    pin = device.type == "cuda"
    found: dict[str, float] = {}
    say(f"device {device}, torch {torch.__version__}")

    with Loader(asked, pin) as loader:
        about = loader.about
        batches = iter(loader)
        first = next(batches)
        count, started = 0, time.monotonic()
        for batch in batches:
            count += batch.count
            if time.monotonic() - started > seconds:
                break
        found["loader"] = count / (time.monotonic() - started)
    say(f"loader alone      {found['loader']:>12,.0f} positions/s")

    net = Net(about, settings.width, settings.hidden1, settings.hidden2, settings.factors)
    net.to(device)
    optimiser = make_optimiser(settings, net, device)
    objective = Objective(settings.blend, settings.scale_for(about))
    worth = unit(settings.fv_scale)

    def step(indices: torch.Tensor, labels: Labels) -> None:
        loss, _ = objective.measure(net(indices) * worth, labels)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        net.clip()

    there = first.to(device)
    for _ in range(3):
        step(there.indices(), there.labels())
    _wait(device)
    count, started = 0, time.monotonic()
    while time.monotonic() - started < seconds:
        step(there.indices(), there.labels())
        count += there.count
        if device.type != "cuda" or count % (64 * there.count) == 0:
            _wait(device)
    _wait(device)
    found["net"] = count / (time.monotonic() - started)
    say(f"net alone         {found['net']:>12,.0f} positions/s")

    with Loader(asked, pin) as loader:
        batches = iter(loader)
        there = next(batches).to(device)
        step(there.indices(), there.labels())
        _wait(device)
        count, started = 0, time.monotonic()
        for batch in batches:
            there = batch.to(device)
            step(there.indices(), there.labels())
            count += batch.count
            if time.monotonic() - started > seconds:
                break
        _wait(device)
        found["together"] = count / (time.monotonic() - started)
    say(f"loader and net    {found['together']:>12,.0f} positions/s")
    return found
