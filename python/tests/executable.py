"""The executable named by NUE, and a folder of what it makes, for tests that need both."""

from __future__ import annotations

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import torch

NUE = os.environ.get("NUE", "")


def nue(*arguments: str, text: str = "") -> str:
    """What nue prints; it must succeed."""
    done = subprocess.run([NUE, *arguments], input=text, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"nue {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


@unittest.skipUnless(NUE, "NUE does not name the executable")
class WithNue(unittest.TestCase):
    """Tests in a folder of their own, on one thread."""

    folder: Path

    @classmethod
    def setUpClass(cls) -> None:
        torch.set_num_threads(1)
        held = tempfile.TemporaryDirectory()
        cls.addClassCleanup(held.cleanup)
        cls.folder = Path(held.name)

    @classmethod
    def games(cls, name: str, *options: str) -> str:
        """Self-play in a file of that name; its path."""
        out = str(cls.folder / f"{name}.teacher")
        nue("gen", "--out", out, "--threads", "1", *options)
        return out
