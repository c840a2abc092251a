"""The estimator of the widest margin: what every other learner of this package is measured against."""

import warnings
from typing import Any

import numpy as np

from ..core.rows import Array
from ..errors import DataError
from ..theory.margins.maximum import MaxMargin, max_margin
from ..theory.problem import as_problem
from ..theory.proof.exact import NOT_IN_FLOATS
from .input import Classifier


class MaximumMargin(Classifier):
    """The hyperplane of the widest margin: the shortest w with y(w·x + b) ≥ 1 on every row, γ = 1/‖w‖.

    It is for rows that a hyperplane separates, and refuses others with a proof; more than two classes are taken one
    against the rest, and each must be separable. Not an online learner: all rows are needed at once. The solution is
    unique, so that neither the order of the rows nor their number of copies matters, and there is nothing to tune.

    Parameters
    ----------
    fit_intercept : bool, default True
        With an offset b that costs nothing (γ); False: through the origin (γ₀).
    time_limit : float > 0 or None, default None
        The most seconds for each class; what is found by then answers, with its gap.

    Attributes
    ----------
    coef_ : (1, d) or (K, d), intercept_ : (1,) or (K,)
        Scaled so that the rows of the support have the score ±1.
    classes_ : (K,) labels. n_features_in_, feature_names_in_ : as in scikit-learn.
    margin_ : float or (K,)
        γ, the distance of the nearest rows from the hyperplane, in units of the data; γ₀ without intercept.
    margin_with_bias_ : float, (K,) or None
        γ̄, the margin with the bias counted as a feature, the one in the mistake bounds; of another hyperplane than
        coef_. None without intercept.
    gap_ : float or (K,)
        How far γ may still be from the widest, as a share: upper bound over lower bound − 1.
    support_ : (k,) row numbers, from 0
        Rows whose combination w is; of more than two classes those of any.
    in_floats_ : bool or (K,)
        Whether coef_ and intercept_, as the floats they are, have the rows of `fit` right, exactly and as `predict`
        computes it. False, with a warning, where the margin is so thin that no such floats were found.
    results_ : list of MaxMargin, one a hyperplane, with all bounds.

    Raises
    ------
    DataError (a ValueError): rows that no hyperplane separates; one class; NaN or infinite values.

    Examples
    --------
    >>> from rosenblatt import MaximumMargin
    >>> model = MaximumMargin().fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
    >>> round(model.margin_, 6), model.support_.tolist()
    (1.0, [1, 2])
    """

    def __init__(self, *, fit_intercept: bool = True, time_limit: float | None = None) -> None:
        self.fit_intercept = fit_intercept
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any) -> Any:
        """Learn from X (n, d), dense or sparse, and n labels."""
        y, rows = self._checked(X, y)
        self.classes_ = np.unique(y)
        if self.classes_.size < 2:
            raise DataError(f"only one class, {self.classes_.tolist()[0]!r}; a classifier needs at least two classes")
        names = getattr(self, "feature_names_in_", None)
        positives = [None] if self.classes_.size == 2 else self.classes_.tolist()
        problems = [as_problem(rows, y, self.fit_intercept, positive, names) for positive in positives]
        self.results_: list[MaxMargin] = [self._widest(problem) for problem in problems]
        self.coef_ = np.array([found.w for found in self.results_])
        self.intercept_ = np.array([found.b for found in self.results_])
        self.margin_ = self._of("margin")
        self.margin_with_bias_ = self._of("margin_with_bias") if self.fit_intercept else None
        self.gap_ = self._of("gap")
        self.in_floats_ = self._of("in_floats")
        if not np.all(self.in_floats_):
            warnings.warn(f"{NOT_IN_FLOATS}; coef_ and intercept_ are the nearest", UserWarning, stacklevel=2)
        self.support_ = np.unique(np.concatenate([found.support for found in self.results_]))
        return self

    def _widest(self, problem: Any) -> MaxMargin:
        try:
            return max_margin(problem, time_limit=self.time_limit)
        except DataError as error:
            if len(self.classes_) == 2:
                raise
            raise error.within(f"class {problem.classes[1]!r} against the rest: ") from None

    def _of(self, name: str) -> Any:
        values = [getattr(found, name) for found in self.results_]
        return values[0] if len(values) == 1 else np.array(values)

    def decision_function(self, X: Any) -> Array:
        """(n,) scores w·x + b for two classes, > 0: classes_[1]; else (n, K)."""
        rows = self._rows(X)
        # Class by class, as it was checked: the product with all at once is rounded otherwise.
        scores = [np.asarray(rows.matrix() @ w) + b for w, b in zip(self.coef_, self.intercept_, strict=True)]
        return scores[0] if len(scores) == 1 else np.column_stack(scores)

    def predict(self, X: Any) -> Array:
        """(n,) labels. A score of exactly 0 is the negative class, a tie the first of the tied classes."""
        scores = self.decision_function(X)
        chosen = (scores > 0.0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[chosen])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True  # the checks ask for a score on rows that are not separable
        return tags
