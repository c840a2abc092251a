"""A trained classifier: weights, classes, the representation of its data, and all it needs to go on learning."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from .batch import Batch
from .core.rows import Array, Rows, matrix, width
from .errors import DataError, SettingError
from .train import Run


@dataclass
class Model:
    """What a run has learned so far.

    classes: (k,) labels; with two, the second is the positive one. features: the representation (dictionary, scaling),
    or None for numbers as given. reading: the choices with which data files are read. names: the features', or None.
    """

    run: Run
    classes: Array
    features: Any = None
    reading: dict[str, Any] = field(default_factory=dict)
    names: list[str] | None = None

    @cached_property
    def weights(self) -> tuple[Array, Array]:
        """(w, b): (1, d) and (1,) for two classes, else (K, d) and (K,). Of voted: the mean of the voters."""
        return self.run.memory.answer(self.run.state)  # type: ignore[no-any-return]

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

    def decision(self, rows: Rows) -> Array:
        """Scores: (n,) for two classes (> 0: the positive one), else (n, K). Voted: the share of votes, in [−1, 1]."""
        if width(rows) != self.width:
            raise DataError(f"the data have {width(rows)} features, but the model was trained with {self.width}")
        if self.run.memory.name == "voted":
            scores = self.run.memory.votes(rows, self.run.state)
        else:
            w, b = self.weights
            with np.errstate(all="ignore"):
                scores = np.asarray(matrix(rows) @ w.T) + b
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
        return hasattr(self.run.settings.rule, "probability") and self.run.memory.name != "voted"

    def probabilities(self, scores: Array) -> Array:
        """(n, K) probabilities of each class, in log-space: the largest is always the predicted class.

        Two classes: σ(u). More: each class's σ(u_k), over their sum. SettingError for rules without probabilities.
        """
        return np.exp(self.log_probabilities(scores))

    def log_probabilities(self, scores: Array) -> Array:
        """(n, K) logarithms of the probabilities."""
        if not self.has_probabilities:
            name = getattr(self.run.settings.rule, "name", "of one's own")
            raise SettingError(f"rule {name} with keep={self.run.memory.name} has no probabilities; use logistic")
        if scores.ndim == 1:
            return np.asarray(-np.logaddexp(0.0, np.stack([scores, -scores], axis=1)))
        logs = -np.logaddexp(0.0, -scores)
        return np.asarray(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))

    def save(self, path: Any) -> None:
        """Write one file, whole or not at all; the same bytes for the same model. See `model_file`."""
        from .model_file import save

        save(self, path)

    @classmethod
    def load(cls, path: Any) -> Model:
        """Read a model file; runs no code. Raises ModelError where it is damaged, foreign or newer."""
        from .model_file import load

        return load(path)
