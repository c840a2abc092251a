"""What decides the last bits of a run beside its data: versions, and the processor as the compiler sees it."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from .dispatch import jit_enabled


def machine() -> dict[str, Any]:
    """{"versions": {name: version}, "cpu": {"model", "host", "features"}}, as JSON holds it.

    Where all are the same, the same run has the same bits. numba: None where loops are plain Python. host, features:
    what the compiler makes machine code for.
    """
    numba = version("numba") if jit_enabled() else None
    versions = {"rosenblatt": __version__, "numpy": np.__version__, "numba": numba}
    return {"versions": {**versions, "python": platform.python_version()}, "cpu": dict(_cpu())}


@cache
def _cpu() -> dict[str, str]:
    from llvmlite import binding

    features = [name for name, there in binding.get_host_cpu_features().items() if there]
    return {"model": _model(), "host": binding.get_host_cpu_name(), "features": " ".join(sorted(features))}


def _model() -> str:
    """Its name for people."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, names), platform.processor() or platform.machine())
