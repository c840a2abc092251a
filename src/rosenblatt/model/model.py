"""A trained classifier: weights, classes, the representation of its data, and all it needs to go on learning."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import Batch
from ..errors import DataError, SettingError
from ..learn.run import Run
from .calibration import Calibration


@dataclass
class Model:
    """What a run has learned so far.

    classes: (k,) labels; with two, the second is the positive one. features: the representation (dictionary, scaling),
    or None for numbers as given. reading: the choices with which data files are read. names: the features', or None.
    calibration: what makes probabilities of scores. threshold: of two classes, the raw score w·x + b above which a row
    is positive; None: where the calibration has even odds, else 0. choice: how the threshold was chosen (`thresholds`).
    """

    run: Run
    classes: Array
    features: Any = None
    reading: dict[str, Any] = field(default_factory=dict)
    names: list[str] | None = None
    calibration: Calibration | None = None
    threshold: float | None = None
    choice: dict[str, Any] | None = None

    @cached_property
    def weights(self) -> tuple[Array, Array]:
        """(w, b): (1, d) and (1,) for two classes, else (K, d) and (K,). Of voted: the mean of the voters."""
        memory, state = self.run.answering
        return memory.answer(state)  # type: ignore[no-any-return]

    @property
    def width(self) -> int:
        return int(self.weights[0].shape[1])

    def rows(self, batch: Batch) -> Rows:
        """A batch as rows in the model's own features."""
        if self.features is not None:
            return self.features.transform(batch)  # type: ignore[no-any-return]
        if isinstance(batch.rows, list):
            raise DataError("the data are text, but the model was trained on numbers")
        return batch.rows

    @property
    def cut(self) -> float:
        """Of two classes, the raw score above which a row is positive."""
        if self.threshold is not None:
            return self.threshold
        return 0.0 if self.calibration is None or self.classes.size > 2 else self.calibration.curves[0].middle

    def decision(self, rows: Rows) -> Array:
        """Scores: (n,) for two classes (> 0: the positive one), else (n, K). Voted: the share of votes, in [−1, 1].

        Of two classes less the threshold, so that 0 is the border. Of more with a calibration: the log-odds of each.
        """
        return self.from_raw(self.raw(rows))

    def from_raw(self, scores: Array) -> Array:
        """Scores of `decision` from those of `raw`."""
        if scores.ndim == 1:
            return scores.astype(np.float64) - self.cut if self.cut else scores
        return scores if self.calibration is None else self.calibration.log_odds(scores - self.calibration.middles)

    def raw(self, rows: Rows) -> Array:
        """(n,) or (n, K) scores as learned, w·x + b or votes, without threshold or calibration."""
        if rows.width != self.width:
            raise DataError(f"the data have {rows.width} features, but the model was trained with {self.width}")
        memory, state = self.run.answering
        if memory.is_linear:
            w, b = self.weights  # made once, not for each block of rows
            with np.errstate(all="ignore"):
                scores = rows.scores(w) + b
        else:
            scores = memory.scores(rows, state)
        if not np.isfinite(scores).all():
            row = int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0])
            raise DataError(f"row {row}: its score overflows; the values are too large for the model's numbers")
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def labels(self, scores: Array) -> Array:
        """The predicted labels for scores; a score of exactly 0 is the negative class, a tie the first class."""
        if scores.ndim == 1:
            return self.classes[(scores > 0.0).astype(int)]
        return self.classes[scores.argmax(axis=1)]

    def predict(self, rows: Rows) -> Array:
        return self.labels(self.decision(rows))

    @property
    def has_probabilities(self) -> bool:
        own = hasattr(self.run.settings.rule, "probability") and self.run.memory.is_linear
        return own or self.calibration is not None

    def probabilities(self, scores: Array) -> Array:
        """(n, K) probabilities of each class for scores of `decision`, in log-space.

        The predicted class has the largest one (or one of the largest), unless a threshold was chosen. Two classes:
        σ(log-odds). More: each class's σ(log-odds) over their sum. Log-odds are the calibration's, else the scores of
        logistic regression. SettingError where neither is there.
        """
        return np.exp(self.log_probabilities(scores))

    def log_probabilities(self, scores: Array) -> Array:
        """(n, K) logarithms of the probabilities."""
        if not self.has_probabilities:
            name = getattr(self.run.settings.rule, "name", "of one's own")
            keep, text = (
                self.run.memory.name,
                f"rule {name} with {{keep:s}} has no probabilities; use logistic, or calibrate",
            )
            raise SettingError(text, keep=keep)
        odds = self._log_odds(scores)
        if odds.ndim == 1:
            return np.asarray(-np.logaddexp(0.0, np.stack([odds, -odds], axis=1)))
        logs = -np.logaddexp(0.0, -odds)
        return np.asarray(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))

    def _log_odds(self, scores: Array) -> Array:
        """Scores of `decision` as log-odds; those of more than two classes are that already."""
        if scores.ndim > 1:
            return scores
        even = 0.0 if self.calibration is None else self.calibration.curves[0].middle
        own = scores if self.cut == even else scores + (self.cut - even)
        return own if self.calibration is None else self.calibration.log_odds(own)

    def save(self, path: Any) -> None:
        """Write one file, whole or not at all; the same bytes for the same model. See `model_file`."""
        from .file import save

        save(self, path)

    @classmethod
    def load(cls, path: Any) -> Model:
        """Read a model file; runs no code. Raises ModelError where it is damaged, foreign or newer."""
        from .file import load

        return load(path)
