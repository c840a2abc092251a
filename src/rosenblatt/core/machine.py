"""What decides the last bits of a run beside its data: versions, and the processor as the compiler sees it."""

from __future__ import annotations

import os
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from .dispatch import jit_enabled


def machine() -> dict[str, Any]:
    """{"versions": {name: version}, "cpu": {"model", "host", "features", "cores"}}, as JSON holds it.

    Where all are the same, the same run has the same bits. numba: None where loops are plain Python. host, features:
    what the compiler makes machine code for. cores: by which matrix products, of kernels, are parted.
    """
    numba = version("numba") if jit_enabled() else None
    versions = {"rosenblatt": __version__, "numpy": np.__version__, "numba": numba}
    return {"versions": {**versions, "python": platform.python_version()}, "cpu": dict(_cpu())}


@cache
def _cpu() -> dict[str, Any]:
    from llvmlite import binding

    features = " ".join(sorted(name for name, there in binding.get_host_cpu_features().items() if there))
    host = os.environ.get("NUMBA_CPU_NAME") or binding.get_host_cpu_name()
    features = os.environ.get("NUMBA_CPU_FEATURES") or features
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {"model": _model(), "host": host, "features": features, "cores": cores}


def _model() -> str:
    """Its name for people."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return next(filter(None, names), platform.processor() or platform.machine())
