"""What other commands than `train` take from its words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import SettingError
from ..features.pipeline import Options
from ..read.columns import is_number
from .options import FEATURES, TABLE, flag

TEXT_ONLY = tuple(name for name in FEATURES if TABLE[name].data == "documents")
NEEDS = {name: entry.needs for name, entry in TABLE.items() if entry.needs is not None}
"""Options that have an effect only where another has this value; to ignore one would hide a slip."""


def check_needs(words: dict[str, Any], given: set[str]) -> None:
    """SettingError for an option that was given without the one that it needs."""
    for name, (other, value) in NEEDS.items():
        if name in given and str(words[other]).partition(":")[0] != str(value):
            raise SettingError(f"{flag(name)} has an effect only with {flag(other)} {value}")


def feature_options(words: dict[str, Any]) -> Options:
    """How texts become numbers, and numbers are scaled; words without a scaling leave it to the kind of data."""
    scale = words.get("scale", "auto")
    own = {name: words[name] for name in FEATURES if name != "scale"}
    return Options(**own, scale=None if scale == "auto" else scale)


def check_kind(source: Any, given: set[str]) -> None:
    """SettingError where an option for texts was given, and the data are numbers."""
    if source.kind == "rows":
        refuse(given, TEXT_ONLY, f"{source.origin} has numbers; the option is for texts and mails")


def refuse(given: set[str], names: Sequence[str], why: str) -> None:
    """SettingError where one of these options was given."""
    for name in names:
        if name in given:
            raise SettingError(f"{flag(name)}: {why}")


def _class_weight(text: str | None, y: Array) -> Any:
    """None, "balanced", or {label: weight} with the labels as they are in y."""
    if text in (None, "balanced"):
        return text
    labels = {str(label): label for label in np.unique(y).tolist()}
    out = {}
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        if not equals or not is_number(number):
            raise SettingError(f"class weight {part!r} is not of the form LABEL=WEIGHT; or give balanced")
        if name not in labels:
            raise SettingError(f"class weight {part!r}: {name!r} is not a label; the labels are {', '.join(labels)}")
        out[labels[name]] = float(number)
    return out
