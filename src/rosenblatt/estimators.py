"""The general scikit-learn estimator: check the input, learn, set attributes. `recipes.py` has the named learners."""

from __future__ import annotations

import copy
import inspect
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import get_scorer
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, validate_data

from . import fit as fitting
from .catalog import rule_from, rule_name
from .core.learn import SEEN, UPDATES
from .core.rows import Array, Rows, matrix, take
from .defaults import DEFAULTS as D
from .errors import SettingError, plain
from .estimator_input import INPUT, as_rows, asking, label_counts, seed_of, start_weights
from .held_out import calibrated, way
from .labels import class_list
from .model import Model
from .settings import Settings
from .train import Limits, new_run


def _has_probabilities(estimator: Any) -> bool:
    if hasattr(estimator, "model_"):
        return bool(estimator.model_.has_probabilities)
    own = estimator.keep != "voted" and hasattr(rule_from(estimator._rule()), "probability")
    return own or estimator.calibrate is not None


def _takes_parts(estimator: Any) -> bool:
    if estimator.calibrate is not None:
        found = "partial_fit sees too few rows at once for calibrate"
        raise SettingError(f"{found}; use fit, or {{calibrate}}", calibrate=None)
    return True


class LinearClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A linear classifier w·x + b learned as w ← w + η·a·x, b ← b + η·a, with a from the rule.

    Parameters
    ----------
    rule : str or rule, default "perceptron"
        A name as on the command line ("margin", "margin:tau=2", "passive-aggressive" …), or a rule value or class:
        anything with `step(self, u, y, sq_norm)`.
    keep : {"last", "averaged", "voted", "pocket"}, default "last"
        What survives of the path of the weights.
    optimizer : {"online", "mini-batch", "batch", "pick-first", "pick-random", "pick-worst"}, default "online"
        When steps are applied. The pick ones need a rule that is zero when right.
    max_iter : int ≥ 1 or None, default 1000
        The most epochs; None: until the rule is finished. Not used by the pick optimizers.
    max_updates : int or None, default None
        The most updates of one call of fit; None: no limit (pick optimizers: 100,000).
    max_time : float or None, default None
        The most seconds of one call of fit.
    tol : float, None or "auto", default "auto"
        Stop when the mean loss falls by less than this for `n_iter_no_change` epochs; None: never. "auto": the rule's
        own: None for the rules that are zero when right (they stop at an epoch without an update), 1e-4 for the units.
    n_iter_no_change : int ≥ 1, default 5
        See tol and early_stopping.
    epsilon : float ≥ 0, default 1e-12
        optimizer="batch" stops when ‖δ‖, the mean step of an epoch, is below this.
    stop_if_not_separable : bool, default False
        Ask after epochs 1, 2, 4 … whether a hyperplane without an error exists (`rosenblatt.theory.separable`), and
        stop once it is proven that there is none; see `not_separable_`. Not for the units. partial_fit does not ask.
    eta0 : float > 0 or "auto", default "auto"
        Learning rate η; "auto": the rule's own, for the units at most reach/max(weight·‖x̄‖²)
        (reach 1, of the sigmoid unit 4), so that large values do not make them diverge or saturate.
    learning_rate : {"constant", "inverse", "sqrt"} or callable, default "constant"
        η, η/(1 + t·decay), η/√(1 + t·decay), or a function of t, with t the blocks (online: examples) seen before.
    decay : float ≥ 0, default 0.001
        See learning_rate.
    alpha : float ≥ 0, default 0
        L2: w ← (1 − η·alpha)·w before each block; the intercept is exempt. eta0·alpha must be below 1.
    batch_size : int ≥ 1, default 32
        Rows a block of optimizer="mini-batch"; the mean of their steps is applied.
    shuffle : bool, default True
        A new order each epoch, from random_state; False: the order given.
    random_state : int, None or RandomState, default 0
        Seed of the orders. None: a different one each time.
    fit_intercept : bool, default True
        False: through the origin.
    counting : {"notes", "freund-schapire"}, default "notes"
        keep="voted": a vector's survival count starts at 0 (lecture notes) or 1 (Freund & Schapire 1999).
    check_every : int ≥ 0, default 0
        keep="pocket": also measure after so many updates; 0: at record runs and the ends of epochs only.
    scoring : str, callable or None, default None
        A scikit-learn scorer: what keep="pocket" maximises on the training rows and early stopping on the others; None:
        the share of right answers.
    multi_class : {"one-vs-rest", "multi-class-perceptron"}, default "one-vs-rest"
        How more than two classes are learned; with two there is no difference.
    positive : label or None, default None
        The positive class of two; None: the last in sorted order. It becomes classes_[1].
    class_weight : dict, "balanced" or None, default None
        Multiplies the steps, as sample_weight does: for a rule that steps on mistakes only, a weight of 3 is a step of
        three times the length and not the same as the row three times. In partial_fit "balanced" uses running counts.
    early_stopping : bool, default False
        Learn from a part of the rows and stop after `n_iter_no_change` epochs without a better accuracy (or `scoring`)
        on the others; the weights of the best epoch answer. Without it all rows are learned from.
    validation_fraction : float in (0, 1), default 0.1
        The share of the rows that early_stopping sets aside, class by class, by random_state. Rows of one's own are
        given to fit as `validation`.
    calibrate : {"sigmoid", "isotonic"} or None, default None
        Probabilities for every rule: a curve from scores to probabilities, fitted to scores of held-out folds, whose
        models learn from the other folds; the model itself learns from all rows. Scores then count from where the
        probability is one half.
    calibrate_folds : int ≥ 2, default 5
        How many folds; no more than the smallest class has rows.
    warm_start : bool, default False
        fit goes on from the last fit: 100 fits of one epoch are one fit of 100, bit for bit.
    n_jobs : int or None, default None
        Accepted for scikit-learn's sake; one thread is used, as n_threads_ says.

    Attributes
    ----------
    coef_ : (1, d) or (K, d), intercept_ : (1,) or (K,)
        Weights; of two classes the intercept is less the score at which a calibrated probability is one half.
        keep="voted": the survival-weighted mean of the voters (the vote itself is not linear).
    classes_ : (K,) labels. n_features_in_, feature_names_in_ : as in scikit-learn.
    n_iter_ : int ≥ 1, epochs in all; history_ and mistakes_ have an entry for each finished one.
    t_ : int, examples seen. n_updates_ : int, steps applied.
    mistakes_ : list of int, mistakes in each epoch (one-vs-rest: over all classes).
    converged_ : bool, the rule finished as it should: no mistakes left (units: the loss has settled).
    stop_reason_ : str, which rule or limit ended the last fit.
    not_separable_ : None, or the proof (`theory.Separability`) that ended the last fit, by stop_if_not_separable.
    history_ : dict of lists, an entry an epoch: mistakes, updates, loss, class_mistakes.
    model_ : rosenblatt.model.Model, what is saved to a file. n_threads_ : int.

    Raises
    ------
    ValueError (rosenblatt.errors): NaN or infinite values, with row and feature; one class; a setting out of range.

    Examples
    --------
    >>> from rosenblatt import LinearClassifier
    >>> LinearClassifier(keep="averaged").fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[-1.0], [5.0]])
    array([0, 1])
    """

    def __init__(
        self,
        rule: Any = D["rule"],
        *,
        keep: str = D["keep"],
        optimizer: str = D["optimizer"],
        max_iter: int | None = D["max_iter"],
        max_updates: int | None = D["max_updates"],
        max_time: float | None = D["max_time"],
        tol: float | str | None = D["tol"],
        n_iter_no_change: int = D["n_iter_no_change"],
        epsilon: float = D["epsilon"],
        stop_if_not_separable: bool = D["stop_if_not_separable"],
        eta0: float | str = D["eta0"],
        learning_rate: Any = D["learning_rate"],
        decay: float = D["decay"],
        alpha: float = D["alpha"],
        batch_size: int = D["batch_size"],
        shuffle: bool = D["shuffle"],
        random_state: Any = D["random_state"],
        fit_intercept: bool = D["fit_intercept"],
        counting: str = D["counting"],
        check_every: int = D["check_every"],
        scoring: Any = D["scoring"],
        multi_class: str = D["multi_class"],
        positive: Any = D["positive"],
        class_weight: Any = D["class_weight"],
        early_stopping: bool = D["early_stopping"],
        validation_fraction: float = D["validation_fraction"],
        calibrate: str | None = D["calibrate"],
        calibrate_folds: int = D["calibrate_folds"],
        warm_start: bool = D["warm_start"],
        n_jobs: int | None = D["n_jobs"],
    ) -> None:
        for name, value in locals().items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    # --- recipes: a subclass names what is fixed, what differs by default, and parameters of its rule ---

    def __init_subclass__(
        cls, fixed: dict[str, Any] | None = None, extra: dict[str, Any] | None = None, **keywords: Any
    ) -> None:
        super().__init_subclass__(**keywords)
        if fixed is None:
            return
        for name, value in fixed.items():
            setattr(cls, name, value)
        base = inspect.signature(LinearClassifier.__init__).parameters
        kept = [p.replace(kind=p.KEYWORD_ONLY) for n, p in base.items() if n not in fixed and n != "self"]
        own = [inspect.Parameter(n, inspect.Parameter.KEYWORD_ONLY, default=v) for n, v in (extra or {}).items()]

        def __init__(self: Any, **given: Any) -> None:
            bound = signature.bind(self, **given)
            bound.apply_defaults()
            for name, value in list(bound.arguments.items())[1:]:
                setattr(self, name, value)

        signature = inspect.Signature([base["self"], *own, *kept])
        __init__.__signature__ = signature  # type: ignore[attr-defined]
        cls.__init__ = __init__  # type: ignore[method-assign, assignment]

    def _rule(self) -> Any:
        return self.rule

    # --- learning ---

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        coef_init: Any = None,
        intercept_init: Any = None,
        order: Any = None,
        callback: Any = None,
        validation: Any = None,
    ) -> Any:
        """Learn from X (n, d), dense or sparse, and n labels.

        sample_weight: (n,) ≥ 0. coef_init (K, d), intercept_init (K,): where to start. order: row numbers to go through
        in each epoch instead of shuffling; rows may be left out or come more than once. callback: called with a
        `train.Event` after each epoch and 65,536 rows; when it returns True, learning stops there. validation: (X, y)
        to stop early by, in place of a share of the rows.
        """
        going_on = self.warm_start and hasattr(self, "model_")
        x, y, rows = self._checked(X, y, reset=not going_on)
        limits, how = self._limits(), way(self.calibrate, self.calibrate_folds)
        start = None
        if (coef_init is not None or intercept_init is not None) and going_on:
            raise SettingError("coef_init and intercept_init begin a new fit; with warm_start this one goes on")
        if coef_init is not None or intercept_init is not None:
            start = start_weights(coef_init, intercept_init, rows, np.unique(y).size)
            if not self.fit_intercept and (start[1] != 0.0).any():
                raise SettingError(
                    "intercept_init must be 0 with {fit_intercept}: through the origin", fit_intercept=False
                )
        weight = fitting.checked_weights(sample_weight, len(y))
        before = self._going_on() if going_on else None
        settings = self._settings() if before is None else before.run.settings
        held = None
        if validation is not None:
            held = self._held(*validation)
        elif self.early_stopping:
            if order is not None:
                found = "an order names all rows, and early_stopping sets some aside"
                raise SettingError(f"{found}; give them as validation")
            kept, out = fitting.set_aside(y, self.validation_fraction, settings.random_state)
            held = self._held(x[out], y[out])
            x, y, rows, weight = x[kept], y[kept], take(rows, kept), None if weight is None else weight[kept]
        names, asks = getattr(self, "feature_names_in_", None), asking(self, y, before, callback)
        told = asks or callback
        task = fitting.Task(self.positive, self.class_weight, start, self._scorer(), order, names, told, held)
        if before is None:
            model = fitting.fit(rows, y, settings, limits, task, weight)
        else:
            model = fitting.learn_more(before, rows, y, limits, task, weight)
        if how is not None:
            model = calibrated(model, rows, y, how, task, weight)
        self._counts = label_counts(y)
        self.not_separable_ = asks.found.proof if asks is not None and asks.found is not None else None
        return self._take(model)

    @available_if(_takes_parts)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """Learn on with one pass over these rows. classes: all labels that will ever come; needed in the first call."""
        first = not hasattr(self, "model_")
        x, y, rows = self._checked(X, y, reset=first)
        if first:
            if classes is None:
                raise SettingError("the first call of partial_fit needs classes: all labels that will ever come")
            known = class_list(np.asarray(classes), self.positive)
            if known.size < 2:
                raise SettingError("{classes} must name at least two classes", classes=known.tolist())
            run = new_run(self._settings(), rows, known.size, weight=fitting.checked_weights(sample_weight, len(y)))
            model = Model(run, known)
            self._counts = dict.fromkeys(known.tolist(), 0)
        else:
            model = self._going_on()
            if classes is not None and sorted(map(str, classes)) != sorted(map(str, model.classes)):
                before = list(model.classes)
                raise SettingError(
                    f"{{classes}} differ from those of the first call, {plain(before)}", classes=list(classes)
                )
        new = label_counts(y)
        counts = {v: self._counts.get(v, 0) + new.get(v, 0) for v in {**self._counts, **new}}
        weight = self.class_weight
        if weight == "balanced":
            weight = {v: sum(counts.values()) / (len(counts) * n) for v, n in counts.items() if n}
        names = getattr(self, "feature_names_in_", None)
        task = fitting.Task(class_weight=weight, scorer=self._scorer(), names=names)
        model.run.position = (0, 0)  # other rows than those of a call that stopped midway
        model = fitting.learn_more(model, rows, y, self._limits()._replace(max_iter=1), task, sample_weight)
        self._counts = counts
        return self._take(model)

    # --- answering ---

    def decision_function(self, X: Any) -> Array:
        """(n,) scores w·x + b for two classes, > 0: classes_[1]; else (n, K). keep="voted": the share of votes.

        Calibrated: less the score of even odds; of more than two classes the log-odds of each.
        """
        check_is_fitted(self)
        return self.model_.decision(self._rows(X))

    def predict(self, X: Any) -> Array:
        """(n,) labels. A score of exactly 0 is the negative class, a tie the first of the tied classes."""
        check_is_fitted(self)
        return self.model_.predict(self._rows(X))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """(n, K) probabilities (rule logistic, or any with `calibrate`); the predicted class's is the largest."""
        check_is_fitted(self)
        return self.model_.probabilities(self.model_.decision(self._rows(X)))

    @available_if(_has_probabilities)
    def predict_log_proba(self, X: Any) -> Array:
        """log of predict_proba."""
        check_is_fitted(self)
        return self.model_.log_probabilities(self.model_.decision(self._rows(X)))

    # --- inside ---

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _settings(self) -> Settings:
        names = Settings.__dataclass_fields__
        words = {name: getattr(self, name) for name in names if name not in ("rule", "random_state")}
        return Settings.of(rule=self._rule(), random_state=seed_of(self.random_state), **words)

    def _limits(self) -> Limits:
        for name, least in (("max_iter", 1), ("max_updates", 1), ("max_time", 0)):
            value = getattr(self, name)
            whole = name == "max_time" or isinstance(value, (int, np.integer))
            if value is not None and (isinstance(value, (str, bool)) or not whole or not value >= least):
                kind = "a number" if name == "max_time" else "a whole number"
                raise SettingError(f"{{{name}}} must be None or {kind} ≥ {least}", **{name: value})
        return Limits(self.max_iter, self.max_updates, self.max_time)

    def _going_on(self) -> Model:
        """The model, with the settings that may change on the way taken over from the parameters."""
        model, new = self.model_, self._settings()
        old = model.run.settings
        for name in ("keep", "fit_intercept", "counting", "multi_class"):
            if getattr(new, name) != getattr(old, name):
                raise SettingError(f"{name} cannot change while learning goes on: it was {getattr(old, name)!r}")
        if rule_name(new.rule) != rule_name(old.rule):
            raise SettingError(f"rule cannot change while learning goes on: it was {rule_name(old.rule)!r}")
        if self.positive is not None and str(self.positive) != str(model.classes[-1]):
            raise SettingError(f"positive cannot change while learning goes on: it was {model.classes[-1]!r}")
        eta0 = old.eta0 if new.eta0 == "auto" else new.eta0
        seed = new.random_state if isinstance(self.random_state, (int, np.integer)) else old.random_state
        return replace(model, run=replace(model.run, settings=replace(new, eta0=eta0, random_state=seed)))

    def _checked(self, X: Any, y: Any, reset: bool) -> tuple[Any, Array, Rows]:
        x, y = validate_data(self, X, y, reset=reset, **INPUT)
        check_classification_targets(y)
        if type_of_target(y) not in ("binary", "multiclass"):
            raise SettingError(f"y is {type_of_target(y)}; one label a row is needed")
        return x, y, as_rows(x)

    def _rows(self, X: Any) -> Rows:
        rows = as_rows(validate_data(self, X, reset=False, **INPUT))
        fitting.check_finite(rows, getattr(self, "feature_names_in_", None))
        return rows

    def _held(self, X: Any, y: Any) -> fitting.Held:
        x, y, rows = self._checked(X, y, reset=False)
        name = "accuracy" if self.scoring is None else getattr(self.scoring, "__name__", str(self.scoring))
        return fitting.Held(rows, y, self._scorer(), name)

    def _scorer(self) -> Any:
        if self.scoring is None:
            return None
        score = get_scorer(self.scoring) if isinstance(self.scoring, str) else self.scoring
        return lambda model, rows, y: score(copy.copy(self)._take(model), matrix(rows), y)

    def _take(self, model: Model) -> Any:
        run = model.run
        self.model_ = model
        self.classes_ = model.classes
        w, b = model.weights
        shifted = len(b) == 1 and model.cut and model.run.memory.name != "voted"
        self.coef_, self.intercept_ = w, b.astype(float) - model.cut if shifted else b
        self.n_iter_, self.t_ = max(run.epoch, 1), int(run.state.n[SEEN])
        self.n_updates_, self.mistakes_ = int(run.state.n[UPDATES]), run.history["mistakes"]
        self.converged_, self.stop_reason_, self.history_ = run.converged, run.stop_reason, run.history
        self.n_threads_ = 1
        return self
