"""A trained classifier: weights, classes, the representation of its data, and all it needs to go on learning."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from ..data.batch import Batch, Source
from ..data.checks import check_finite
from ..errors import DataError, SettingError, plural
from ..learn.run import Run
from ..read.anything import no_text, source_like
from .calibration import Calibration
from .representation import Representation


class Scored(NamedTuple):
    """A batch with its rows in the model's features and their scores, (n,) or (n, K). first: the number of its first
    row, from 1."""

    batch: Batch
    rows: Rows
    scores: Array
    first: int

    def number(self, i: int) -> int:
        """That of row i in the data, from 1."""
        return self.first + i if self.batch.numbers is None else int(self.batch.numbers[i])

    def name(self, i: int) -> str | None:
        """Where row i comes from, as the reader calls it; None where rows are lines."""
        return None if self.batch.ids is None else str(self.batch.ids[i])


@dataclass(kw_only=True, eq=False, repr=False)
class Model(Representation):
    """What was learned from data, and how these were read: it answers for data of the same kind.

    Data are what `Recipe.fit` takes: a path, a `Source`, an array or DataFrame, a list of texts or mails; files are
    read as the model's own were, columns with names are found by them, and others refused. y: labels of what is no
    file, where any are needed.

    run: what learning has come to. calibration: what makes probabilities of scores. threshold: of two classes, the raw
    score w·x + b above which a row is positive; None: where the calibration has even odds, else 0. choice: how the
    threshold was chosen (`model.thresholds`). recipe: what was asked for, as `Recipe.from_dict` takes it. learned_from:
    of two classes, marks by which rows are known again (`model.marks`); None: not kept.
    """

    run: Run
    calibration: Calibration | None = None
    threshold: float | None = None
    choice: dict[str, Any] | None = None
    recipe: dict[str, Any] = field(default_factory=dict)
    learned_from: Array | None = None

    def __repr__(self) -> str:
        settings, classes = self.run.settings, ", ".join(map(str, self.classes[:5].tolist()))
        return f"<Model: {settings.learner}, keep {settings.keep}; {plural(self.width, self.part)}, classes {classes}>"

    # --- answers for data ---

    def predict(self, data: Any) -> Array:
        """(n,) labels. A score of exactly 0 is the negative class, a tie the first of the tied classes. Raises
        DataError for data that are not as the model's, naming file, line and column."""
        return self.labels(self.decision(data))

    def decision(self, data: Any) -> Array:
        """(n,) scores w·x + b less the threshold, > 0: classes[1]; of more classes (n, K). keep="voted": the shares of
        votes, in [−1, 1]. Of more classes with a calibration: the log-odds of each."""
        parts = [part.scores for part in self.scored(source_like(no_text(data), self, labelled="unneeded"))]
        if not parts:
            raise DataError("the data have no rows; at least one is needed")
        return np.concatenate(parts)

    def probabilities(self, data: Any) -> Array:
        """(n, K) probabilities of each class. SettingError where the model has none: learn with rule logistic or
        softmax, or calibrate."""
        return np.exp(self.log_probabilities(self.decision(data)))

    def evaluate(self, data: Any, y: Any = None) -> dict[str, Any]:
        """How good it is on labelled data: rows, errors, accuracy, confusion, roc_auc and more, see `model.metrics`."""
        from .metrics import metrics

        return metrics(self, *self.scores_and_labels(source_like(no_text(data), self, y, labelled=True)))

    def explain(self, data: Any, y: Any = None) -> list[Any]:
        """Why each row has its score: an `Explanation` a row, see `model.evidence`."""
        from .evidence import explanations

        return [each for part in self.scored(source_like(no_text(data), self, y)) for each in explanations(self, part)]

    def scored(self, source: Source) -> Iterator[Scored]:
        """The scores of a source, batch by batch."""
        first = 1
        for batch in source:
            rows = self.rows(batch)
            check_finite(rows, self.feature_names, first, batch.rows)
            yield Scored(batch, rows, self.scores(rows), first)
            first += rows.n

    def scores_and_labels(self, source: Source, watch: Any = None) -> tuple[Array, Array]:
        """The scores of all rows, (n,) or (n, K), and their labels as the model's classes, (n,). watch: a function that
        is called with each part."""
        scores, labels = [], []
        for part in self.scored(source):
            if watch is not None:
                watch(part)
            scores.append(part.scores)
            labels.append(self.labels_of(part.batch, source.origin, part.first))
        return np.concatenate(scores), np.concatenate(labels)

    # --- answers for rows in its own features ---

    @cached_property
    def weights(self) -> tuple[Array, Array]:
        """(w, b): (1, d) and (1,) for two classes, else (K, d) and (K,). Of voted: the mean of the voters."""
        memory, state = self.run.answering
        return memory.answer(state)  # type: ignore[no-any-return]

    @property
    def width(self) -> int:
        """How many features there are."""
        return int(self.weights[0].shape[1])

    @property
    def cut(self) -> float:
        """Of two classes, the raw score above which a row is positive."""
        if self.threshold is not None:
            return self.threshold
        return 0.0 if self.calibration is None or self.classes.size > 2 else self.calibration.curves[0].middle

    def scores(self, rows: Rows) -> Array:
        """(n,) for two classes (> 0: the positive one), else (n, K). Voted: the share of votes, in [−1, 1].

        Of two classes less the threshold, so that 0 is the border. Of more with a calibration: the log-odds of each.
        """
        return self.from_raw(self.raw(rows))

    def from_raw(self, scores: Array) -> Array:
        """Those of `scores` from those of `raw`."""
        if scores.ndim == 1:
            return scores.astype(np.float64) - self.cut if self.cut else scores
        return scores if self.calibration is None else self.calibration.log_odds(scores - self.calibration.middles)

    def raw(self, rows: Rows) -> Array:
        """(n,) or (n, K) scores as learned, w·x + b or votes, without threshold or calibration."""
        if rows.width != self.width:
            raise DataError(
                f"the data have {plural(rows.width, 'feature')}, but the model was trained with {self.width}"
            )
        memory, state = self.run.answering
        if memory.is_linear:
            w, b = self.weights  # made once, not for each block of rows
            with np.errstate(all="ignore"):
                scores = rows.scores(w) + b
        else:
            scores = memory.scores(rows, state)
        if not np.isfinite(scores).all():
            row = int(np.flatnonzero(~np.isfinite(scores).all(axis=1))[0])
            raise DataError(f"row {row + 1}: its score overflows; the values are too large for the model's numbers")
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def labels(self, scores: Array) -> Array:
        """The predicted labels for scores; a score of exactly 0 is the negative class, a tie the first class."""
        if scores.ndim == 1:
            return self.classes[(scores > 0.0).astype(int)]
        return self.classes[scores.argmax(axis=1)]

    @property
    def has_probabilities(self) -> bool:
        """Whether `probabilities` answers: logistic regression does, and what was calibrated."""
        own = hasattr(self.run.settings.rule, "probability") and self.run.memory.is_linear
        return own or self.calibration is not None

    @property
    def is_softmax(self) -> bool:
        """Whether probabilities are the softmax of scores, which then tell of a class only beside the others'."""
        return self.has_probabilities and self.calibration is None and self.run.joint

    def log_probabilities(self, scores: Array) -> Array:
        """(n, K) logarithms of the probabilities of each class, for `scores`.

        The predicted class has the largest one (or one of the largest), unless a threshold was chosen. Two classes:
        σ(log-odds). More: each class's σ(log-odds) over their sum. Log-odds are the calibration's, else the scores of
        logistic regression. Softmax regression, not calibrated: the softmax of the scores. SettingError where there
        are none.
        """
        if not self.has_probabilities:
            name = getattr(self.run.settings.rule, "name", "of one's own")
            text = f"rule {name} with {{keep:s}} has no probabilities; use logistic, or calibrate"
            raise SettingError(text, keep=self.run.memory.name)
        odds = self._log_odds(scores)
        if odds.ndim == 1:
            return np.asarray(-np.logaddexp(0.0, np.stack([odds, -odds], axis=1)))
        if self.is_softmax:
            with np.errstate(over="ignore"):
                logs = odds - odds.max(axis=1, keepdims=True)  # a log of a sum would be lost in large scores
        else:
            logs = -np.logaddexp(0.0, -odds)
        return np.asarray(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))

    def _log_odds(self, scores: Array) -> Array:
        """Those of `scores` as log-odds; those of more than two classes are that already."""
        if scores.ndim > 1:
            return scores
        even = 0.0 if self.calibration is None else self.calibration.curves[0].middle
        own = scores if self.cut == even else scores + (self.cut - even)
        return own if self.calibration is None else self.calibration.log_odds(own)

    def final(self) -> Model:
        """The same answers, without what only learning on needs: a smaller file, and a model that does not go on.
        SettingError for keep="voted", whose every vector answers."""
        return replace(self, run=self.run.answers_only())

    def save(self, path: Any) -> None:
        """Write one file, whole or not at all; the same bytes for the same model. See `model.file`."""
        from .file import save

        save(self, path)

    @classmethod
    def load(cls, path: Any) -> Model:
        """Read a model file; runs no code. Raises ModelError where it is damaged, foreign or newer."""
        from .file import load

        return cls(**load(path))
