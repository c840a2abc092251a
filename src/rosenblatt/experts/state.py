"""An algorithm in the middle of its rounds as JSON, from which it goes on exactly."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import DataError, RosenblattError, SettingError
from ..write.files import whole_file
from . import play as core
from .play import Tally

if TYPE_CHECKING:
    from .advised import Advised

FORMAT = "rosenblatt experts 1"


def algorithms() -> dict[str, type[Advised]]:
    """name → class, in the order of the theorems."""
    from .algorithms import FollowTheLeader, Halving, RandomizedWeightedMajority, WeightedMajority
    from .hedge import Hedge

    classes: list[type[Advised]] = [Halving, WeightedMajority, RandomizedWeightedMajority, Hedge, FollowTheLeader]
    return {cls.name: cls for cls in classes}


def to_dict(algorithm: Advised) -> dict[str, Any]:
    """All of it, JSON-able. log_weights are told for readers; the counts are what it goes on from."""
    return {
        "format": FORMAT,
        "algorithm": algorithm.name,
        "n": algorithm.n,
        "settings": algorithm.settings(),
        "rounds": algorithm.rounds,
        "tally": {name: column.tolist() for name, column in algorithm.tally._asdict().items()},
        "last": [None if math.isnan(value) else value for value in algorithm._last.tolist()],
        "log_weights": [value if math.isfinite(value) else None for value in algorithm.log_weights.tolist()],
    }


def from_dict(saved: Any, origin: str = "the state") -> Advised:
    """The inverse. DataError where something is missing or of the wrong shape."""
    try:
        if saved["format"] != FORMAT:
            raise DataError(f"{origin}: found the format {str(saved['format'])[:60]!r}; expected {FORMAT!r}")
        made: Any = algorithms()[saved["algorithm"]](saved["n"], **saved["settings"])
        made.rounds = int(saved["rounds"])
        made.tally = Tally(*(np.array(saved["tally"][name], dtype=np.float64) for name in Tally._fields))
        made._last = np.array([math.nan if value is None else value for value in saved["last"]], dtype=np.float64)
        if made.rounds < 0 or any(len(column) != made.n for column in made.tally[:5]):
            raise ValueError("its columns do not fit")
        if made.tally.total.shape != (4,) or made._last.shape != (core.COLUMNS,):
            raise ValueError("its totals do not fit")
        if not all(np.isfinite(column).all() for column in made.tally):
            raise ValueError("it holds NaN or infinity")
    except (DataError, SettingError) as error:
        raise DataError(error.message) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(
            f"{origin}: found a damaged state ({type(error).__name__}: {error}); expected a saved one"
        ) from None
    return made  # type: ignore[no-any-return]


def save(algorithm: Advised, path: Any) -> None:
    """One file, there only when it is whole."""
    text = json.dumps(to_dict(algorithm), allow_nan=False)
    try:
        with whole_file(os.fspath(path)) as file:
            file.write((text + "\n").encode())
    except OSError as error:
        raise DataError(f"{path}: cannot be written: {error.strerror or error}") from None


def load(path: Any) -> Advised:
    """An algorithm from the file at path, which `save` wrote. DataError where there is none, or it is damaged."""
    try:
        saved = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise DataError(f"{path}: found no JSON; expected what `save` wrote") from None
    try:
        return from_dict(saved, str(path))
    except RosenblattError as error:
        before = "" if str(error).startswith(str(path)) else f"{path}: "
        raise DataError(error.message.within(before)) from None
