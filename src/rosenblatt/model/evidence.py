"""Why a row has its score: what each of its features contributes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.rows import Array, Rows
from ..data.labels import as_classes, class_numbers
from ..errors import DataError, plural, short
from ..features.senders import NAME as SENDER
from ..mailtext.fields import Document

if TYPE_CHECKING:
    from .model import Model, Scored
    from .representation import Representation


class Evidence(NamedTuple):
    """A row's score taken apart: Σ_j w_j·x_j + b − threshold, strongest feature first.

    columns: (m,) the features that are not zero. values, weights: (m,) float64 x_j and w_j. intercept: b. threshold: 0
    unless the model has one, or a calibration; of more than two classes, sigmoids make log-odds of weights as well.
    between: the two classes (numbers) compared, u speaking for the first: of two classes the model's own weights, or
    with the other sign for (0, 1); of more, the differences of their weights and intercepts. own: the score as the
    model computes it, which can differ from the sum by rounding; None: not asked.
    """

    columns: Array
    values: Array
    weights: Array
    intercept: float
    between: tuple[int, int]
    threshold: float = 0.0
    own: float | None = None

    @property
    def contributions(self) -> Array:
        """(m,) w_j·x_j; the largest in absolute value first, the lower column first of equals."""
        return self.values * self.weights

    @property
    def score(self) -> float:
        """The model's own, else the exactly rounded sum of all contributions and the intercept, less the threshold."""
        if self.own is not None:
            return self.own
        return math.fsum([*self.contributions.tolist(), self.intercept, -self.threshold])

    def rest(self, shown: int) -> float:
        """The sum of the contributions after the first `shown`."""
        return math.fsum(self.contributions[shown:].tolist())


def evidence(model: Model, rows: Rows, i: int, between: tuple[int, int] = (1, 0)) -> Evidence:
    """Row i's evidence. between: the two classes to compare (of more than two: see `rivals`).

    Of voted: for the mean of the voters, because a vote is no sum over features, and without threshold. Isotonic curves
    of more than two classes are no sums either: scores as before the calibration. Raises DataError where the rows have
    another width than the model.
    """
    if rows.width != model.width:
        raise DataError(f"the data have {plural(rows.width, 'feature')}, but the model was trained with {model.width}")
    columns, values = rows.row(i)
    kept = values != 0.0
    columns, values = columns[kept], values[kept].astype(float)
    w, b = model.weights
    cuts, slopes = _cuts_and_slopes(model)
    if len(model.classes) == 2:
        sign = -1.0 if between[0] == 0 else 1.0
        own, intercept, threshold = sign * w[0, columns].astype(float), sign * float(b[0]), sign * cuts[0]
    else:
        (k, a), (m, c) = ((each, slopes[each]) for each in between)
        own = a * w[k, columns].astype(float) - c * w[m, columns].astype(float)
        intercept, threshold = a * float(b[k]) - c * float(b[m]), a * cuts[k] - c * cuts[m]
    order = np.lexsort((columns, -np.abs(own * values)))
    return Evidence(columns[order], values[order], own[order], intercept, between, threshold)


def _cuts_and_slopes(model: Model) -> tuple[list[float], list[float]]:
    """What is taken off each class's w·x + b, and what it is then multiplied by."""
    many, linear, made = len(model.weights[1]), model.run.memory.is_linear, model.calibration
    if many > 1 and linear and made is not None and made.slopes is not None:
        return made.middles.tolist(), made.slopes.tolist()
    return [model.cut if linear else 0.0] * many, [1.0] * many


class Explanation(NamedTuple):
    """One row explained. id: where it comes from. title: a mail's subject, or how a text begins. label: as read, or
    None. votes: of voted the share of the votes for each class."""

    row: int
    id: str | None
    title: str
    label: Any
    predicted: Any
    votes: dict[str, float] | None
    evidence: Evidence
    names: Names
    classes: Array

    def shown(self, top: int | None) -> int:
        """How many features to show: at most `top`, and none that contributes nothing."""
        telling = int(np.count_nonzero(self.evidence.contributions))
        return telling if top is None else min(top, telling)

    def as_dict(self, top: int | None = None) -> dict[str, Any]:
        """JSON-able; the strongest `top` features, None: all that contribute."""
        why, shown = self.evidence, self.shown(top)
        parts = zip(why.values.tolist(), why.weights.tolist(), why.contributions.tolist(), strict=True)
        columns = list(zip(why.columns.tolist(), parts, strict=True))[:shown]
        out = {
            **{name: getattr(self, name) for name in ("row", "id", "title", "label", "predicted")},
            "score": why.score,
            "score_for": self.classes[why.between[0]].item(),
            "score_against": self.classes[why.between[1]].item(),
            "intercept": why.intercept,
            "threshold": why.threshold,
            "contributions": [
                {"feature": self.names[j], "value": value, "weight": weight, "contribution": part}
                for j, (value, weight, part) in columns
            ],
            "rest": {"features": len(why.columns) - shown, "contribution": why.rest(shown)},
        }
        return out if self.votes is None else {**out, "votes": self.votes}


def explanations(
    model: Model, part: Scored, only: int | None = None, wanted: int | None = None
) -> Iterator[Explanation]:
    """The rows of a batch explained. only: the number of one row, from 1. wanted: the class (number) to explain, None:
    the winner."""
    labels = None if part.batch.y is None else as_classes(part.batch.y, model.classes)
    predicted, documents = model.labels(part.scores).tolist(), part.batch.rows
    voted = not model.run.memory.is_linear
    votes = model.raw(part.rows) if voted and (model.calibration or model.cut) else part.scores
    for i, scores in enumerate(part.scores):
        if only not in (None, part.number(i)):
            continue
        between = ((0, 1) if wanted == 0 else (1, 0)) if scores.ndim == 0 else rivals(scores, wanted)
        document = documents[i] if isinstance(documents, list) else None
        own = evidence(model, part.rows, i, between)
        yield Explanation(
            part.number(i), part.name(i), "" if document is None else title(document),
            None if labels is None else labels[i], predicted[i], _votes(model, votes[i]),
            _with_own(model, own, scores),
            Names(model, None if document is None else [document], own.columns), model.classes,
        )  # fmt: skip


def _with_own(model: Model, why: Evidence, scores: Any) -> Evidence:
    """With the score that the model gives, as `predict` prints it, where it is that sum."""
    first, second = why.between
    if not model.run.memory.is_linear:
        return why
    if scores.ndim == 0:
        return why._replace(own=float(scores) if first == 1 else -float(scores))
    as_before = model.calibration is not None and model.calibration.slopes is None
    return why if as_before else why._replace(own=float(scores[first] - scores[second]))


class Mistakes:
    """The rows that a model gets wrong, explained, the most wrong first: by how far the score of the true class is
    below the winner's, of two classes by |score|. A watcher for `Model.scores_and_labels`.

    top: the most rows to keep, None: all. explained: afterwards, the `Explanation`s.
    """

    def __init__(self, model: Model, top: int | None) -> None:
        self.model, self.top = model, top
        self._found: list[tuple[float, Explanation]] = []

    def __call__(self, part: Scored) -> None:
        model, scores = self.model, part.scores
        truth, own = model.labels_of(part.batch), np.arange(len(scores))
        wrong = np.flatnonzero(model.labels(scores) != truth)
        by = (
            np.abs(scores)
            if scores.ndim == 1
            else scores.max(axis=1) - scores[own, class_numbers(truth, model.classes)]
        )
        chosen = wrong[np.argsort(-by[wrong], kind="stable")][: self.top]
        few = part._replace(batch=part.batch.take(chosen), rows=part.rows.take(chosen), scores=scores[chosen], first=1)
        made = zip(by[chosen].tolist(), explanations(model, few), chosen.tolist(), strict=True)
        self._found += [(far, each._replace(row=part.number(i))) for far, each, i in made]
        self._found = sorted(self._found, key=lambda pair: -pair[0])[: self.top]

    @property
    def explained(self) -> list[Explanation]:
        return [each for _, each in self._found]


def title(document: Document, most: int = 60) -> str:
    """A mail's subject, or how a text begins, on one line without control characters."""
    fields: dict[str, str] = {}
    for tag, text in document:
        fields.setdefault(tag, text)
    return short(fields.get("subject") or fields.get("", ""), most)


def _votes(model: Model, scores: Any) -> dict[str, float] | None:
    """One against the rest, each class has an election of its own."""
    if model.run.memory.is_linear:
        return None
    names = [str(label) for label in model.classes]
    if scores.ndim == 0:
        return {names[0]: (1.0 - float(scores)) / 2.0, names[1]: (1.0 + float(scores)) / 2.0}
    shares = scores if model.run.joint else (1.0 + scores) / 2.0
    return dict(zip(names, shares.tolist(), strict=True))


class Names:
    """What a model's features are called: words, the header's names, or `column 7` as its own file counts them.
    Products of columns: `age^2`, `age*height`, without names `x3*x7`.

    documents: those whose words give hashed columns their names (`free|prize` where two share one, else `#column`).
    columns: those that a row has, which give hashed pairs of them their names. kernel: after its step, of which columns
    are rows; else those before it.
    """

    def __init__(
        self,
        model: Representation,
        documents: list[Document] | None = None,
        columns: Array | None = None,
        kernel: bool = True,
    ) -> None:
        dictionary: Any = getattr(model.features, "dictionary", None)
        self._names = getattr(model.features, "names", None) or (None if model.reads_texts else model.names)
        self._hashed = dictionary is not None and self._names is None
        self._words = dictionary.names_in(documents) if self._hashed and documents else {}
        if self._hashed and model.features.senders is not None:
            self._words[dictionary.width] = {SENDER: 1}
        reading, given = model.reading, model.given_width
        self._first, label = int(reading.get("base", 1)), reading.get("label")
        self._label = None
        if reading.get("format") == "table" and isinstance(label, int):
            self._label = label if label > 0 else given + 2 + label
        self._products, self._map = (getattr(model.features, name, None) for name in ("quadratic", "map"))
        self._kernel = getattr(model.features, "kernel", None) if kernel else None
        self._met = {} if self._map is None or self._kernel is not None or columns is None else self._map.met(columns)

    def __getitem__(self, column: int) -> str:
        if self._kernel is not None:
            return str(self._kernel.name(int(column)))
        if self._map is not None:
            return str(self._map.called(int(column), partial(self._before, numbered="x"), self._met))
        return self._before(int(column))

    def _before(self, column: int, numbered: str = "column ") -> str:
        """The name of a column before a map and a kernel."""
        if self._names is None and self._hashed:
            return "|".join(self._words.get(column, ())) or f"#{column}"
        if self._products is not None:
            return str(self._products.name(column, partial(self._given, "x")))
        return self._given(numbered, column)

    def _given(self, numbered: str, column: int) -> str:
        """The name of a column as given, or its number in its own file behind a word."""
        if self._names is not None:
            return str(self._names[column])
        number = column + self._first
        return f"{numbered}{number + 1 if self._label is not None and number >= self._label else number}"


def rivals(scores: Array, wanted: int | None = None) -> tuple[int, int]:
    """The two classes to compare in a row's (K,) scores: the best, or the wanted one, and the best of the others."""
    first = int(scores.argmax()) if wanted is None else wanted
    others = scores.astype(float)
    others[first] = -np.inf
    return first, int(others.argmax())


def strongest(weights: Array, most: int, either: bool = False) -> Array:
    """The columns of the `most` largest weights > 0, largest first, the lower column first of equals. either: of the
    largest in absolute value, whatever their sign."""
    sizes = np.abs(weights) if either else weights
    chosen = np.flatnonzero(sizes > 0.0)
    return chosen[np.argsort(-sizes[chosen], kind="stable")][:most]


def strongest_columns(model: Model, most: int | None) -> dict[str, Array]:
    """class → the columns of its strongest weights: of two classes the positive one's are those most above 0, the
    negative one's those most below; of more, each class's largest in absolute value. most: of a class; None: all."""
    w, most = model.weights[0], model.width if most is None else most
    if len(model.classes) == 2:
        own = [strongest(-w[0], most), strongest(w[0], most)]
    else:
        own = [strongest(each, most, either=True) for each in w]
    return dict(zip(map(str, model.classes), own, strict=True))


def strongest_features(model: Model, most: int | None) -> dict[str, list[tuple[str, float]]]:
    """class → (name, weight) of its `strongest_columns`."""
    w, names = model.weights[0], Names(model)
    columns = strongest_columns(model, most).items()
    return {label: [(names[j], float(w[k % len(w), j])) for j in own] for k, (label, own) in enumerate(columns)}


def scaled_by(model: Representation) -> dict[str, Array]:
    """What each column was scaled by, (d,) each, so that a score can be recomputed: "mean" (as taken off) and
    "deviation", or "idf"; none of products of columns, or of rows of a kernel."""
    called = {"mean": "mean", "sd": "deviation", "weight": "idf"}
    features = model.features
    others = features is None or features.quadratic or features.map or features.kernel
    steps = [] if others else features.steps
    return {called[name]: values for step in steps for name, values in step.tensors().items() if name in called}
