"""Programs of the folder script, as modules."""

from __future__ import annotations

import importlib.util
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "script"


def load(name: str) -> Any:
    """A script as a module, without a file of bytecode beside it."""
    writes, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    if str(FOLDER) not in sys.path:
        # What scripts share.
        sys.path.append(str(FOLDER))
    try:
        loader = SourceFileLoader(f"nue_{name}", str(FOLDER / name))
        spec = importlib.util.spec_from_loader(loader.name, loader)
        assert spec is not None
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
        return module
    finally:
        sys.dont_write_bytecode = writes
