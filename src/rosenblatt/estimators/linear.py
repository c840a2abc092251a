"""The general scikit-learn estimator: check the input, learn, set attributes. `named.py` has the named learners."""

import copy
import difflib
import inspect
import json
import warnings
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import get_scorer

from ..core.loop import SEEN, UPDATES
from ..core.rows import Array, Rows
from ..data.checks import check_finite, checked_weights, seed_of
from ..data.labels import class_list
from ..errors import SettingError, plain
from ..features.kernel import InKernel
from ..features.pipeline import Features
from ..learn.others import OF_OTHERS
from ..learn.rule import rule_name
from ..learn.run import Limits, new_run
from ..learn.settings import WORDS, Settings, learner_table
from ..model.fit import Held, Task, learn_more
from ..model.model import Model
from ..model.support import supported, widened, with_base
from ..parameters import described, signature_of
from ..recipe.recipe import Recipe
from ..recipe.table import NOT_HERE
from ..recipe.training import answering, learn
from .input import Classifier, label_counts, start_weights
from .methods import Absent, OnlyIf, no_parts, no_probabilities


def _check_same(name: str, was: Any, now: Any) -> None:
    if was != now:
        text = f"{name} cannot change while learning goes on: it was {was!r}, and is {now!r} now"
        raise SettingError(plain(text))


def _hint(named: Any, signature: inspect.Signature) -> str:
    """`; did you mean eta0?` of the first unknown name, or ""."""
    known = list(signature.parameters)
    unknown = next((name for name in named if name not in known), "")
    meant = OF_OTHERS.get(unknown, "").partition("=")[0]
    near = [meant] if meant in known else difflib.get_close_matches(unknown, known, 1)
    return f"; did you mean {near[0]}?" if near else ""


def _init_of(signature: inspect.Signature) -> Any:
    """An `__init__` that takes what the signature says, and keeps each argument under its name."""

    def __init__(*given: Any, **named: Any) -> None:
        try:
            bound = signature.bind(*given, **named)
        except TypeError as error:
            by_name = "parameters are given by their names, as max_iter=100"
            why = by_name if str(error) == "too many positional arguments" else f"{error}{_hint(named, signature)}"
            raise TypeError(f"{type(given[0]).__name__}: {why}") from None
        bound.apply_defaults()
        (_, self), *arguments = bound.arguments.items()
        for name, value in arguments:
            setattr(self, name, value)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


class LinearClassifier(Classifier):
    """A linear classifier w·x + b learned as w ← w + η·a·x, b ← b + η·a, with a from the rule.

    Parameters
    ----------
    {parameters}

    Attributes
    ----------
    coef_ : (1, d) or (K, d), intercept_ : (1,) or (K,)
        Weights; of two classes the intercept is less the score at which a calibrated probability is one half.
        keep="voted": the survival-weighted mean of the voters (the vote itself is not linear).
    classes_ : (K,) labels. n_features_in_, feature_names_in_ : as in scikit-learn.
    n_iter_ : int ≥ 1, epochs in all; history_ and mistakes_ have an entry for each finished one.
    t_ : int, examples seen. n_updates_ : int, steps applied.
    mistakes_ : list of int, mistakes in each epoch (one-vs-rest: over all classes).
    dual_coef_ : (1, s) or (K, s), with a kernel in the place of coef_: the weights of the s = n_support_ rows that have
        any; support_ : (s,) their numbers in the rows of fit, from 0, −1 after learning on; support_vectors_ : (s, d)
        these rows, but of "precomputed" ones.
    converged_ : bool, the rule finished as it should, by the weights that answer: it asks for no step on any row (by a
        vote, none is called wrong); of the units, and of metrics that bring their step (by the
        hinge loss), the loss has settled near its lowest and not above its start.
    stop_reason_ : str, which rule or limit ended the last fit.
    not_separable_ : None, or the proof (`theory.Separability`) that ended the last fit, by stop_if_not_separable.
    history_ : dict of lists, an entry an epoch: mistakes, updates, loss, class_mistakes.
    model_ : rosenblatt.Model, what is saved to a file. n_threads_ : int.

    Raises
    ------
    ValueError (rosenblatt.errors): NaN or infinite values, with row and feature; one class; a setting out of range.

    Examples
    --------
    >>> from rosenblatt import LinearClassifier
    >>> LinearClassifier(keep="averaged").fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[-1.0], [5.0]])
    array([0, 1])
    """

    __init__ = _init_of(signature_of(learner_table()))

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
        cls.__init__ = _init_of(inspect.Signature([base["self"], *own, *kept]))  # type: ignore[misc, method-assign]

    def _rule(self) -> Any:
        return self.rule

    def _metric(self) -> Any:
        return self.metric

    def _kernel(self) -> Any:
        return self.kernel

    coef_, support_vectors_ = Absent(), Absent()

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
        in each epoch instead of shuffling; rows may be left out or come more than once. callback: called with an
        `Event` after each epoch and 65,536 rows; when it returns True, learning stops there. validation: (X, y)
        to stop early by, in place of a share of the rows.
        """
        going_on = self.warm_start and hasattr(self, "model_")
        y, rows = self._checked(X, y, reset=not going_on)
        before = self._going_on() if going_on else None
        features, rows, before = self._into_kernel(rows, before)
        start = None
        if (coef_init is not None or intercept_init is not None) and going_on:
            raise SettingError("coef_init and intercept_init begin a new fit; with warm_start this one goes on")
        if coef_init is not None or intercept_init is not None:
            start = start_weights(coef_init, intercept_init, rows, np.unique(y).size)
            if not self.fit_intercept and (start[1] != 0.0).any():
                text = "intercept_init must be 0 with {fit_intercept}: through the origin"
                raise SettingError(text, fit_intercept=False)
        if order is not None and self.early_stopping and validation is None:
            raise SettingError("an order names all rows, and early_stopping sets some aside; give them as validation")
        weight = checked_weights(sample_weight, len(y))
        held = None if validation is None else self._held(validation, features)
        names = getattr(self, "feature_names_in_", None)
        task = Task(None, None, start, self._scorer(features), order, names, callback, held)
        recipe = self._recipe(before)
        learned = answering(recipe, learn(recipe, rows, y, task, weight, before))
        self._counts = label_counts(learned.y)
        names = None if names is None else list(names)
        model = replace(learned.model, names=names, recipe=recipe.as_dict(), features=features)
        model = supported(with_base(model, learned.rows))
        _warn(model, learned.rows)
        self.not_separable_ = model.run.stop.limit.proof if model.run.stop.kind == "not separable" else None
        return self._take(model)

    @partial(OnlyIf, no_parts)
    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None, callback: Any = None) -> Any:
        """Learn on with one pass over these rows. classes: all labels that will ever come; needed in the first call.
        callback: as of `fit`."""
        first = not hasattr(self, "model_")
        y, rows = self._checked(X, y, reset=first)
        features, rows, before = self._into_kernel(rows, None if first else self._going_on())
        if before is None:
            if classes is None:
                raise SettingError("the first call of partial_fit needs classes: all labels that will ever come")
            known = class_list(np.asarray(classes), self.positive)
            if known.size < 2:
                raise SettingError("{classes} must name at least two classes", classes=known.tolist())
            weighted = checked_weights(sample_weight, len(y))
            model = Model(run=new_run(self._settings(), rows, known.size, weight=weighted), classes=known)
            self._counts = dict.fromkeys(known.tolist(), 0)
        else:
            model = before
            if classes is not None and sorted(map(str, classes)) != sorted(map(str, model.classes)):
                text = f"{{classes}} differ from those of the first call, {plain(model.classes.tolist())}"
                raise SettingError(text, classes=np.asarray(classes).tolist())
        new = label_counts(y)
        counts = {v: self._counts.get(v, 0) + new.get(v, 0) for v in {**self._counts, **new}}
        weight = self.class_weight
        if weight == "balanced":
            weight = {v: sum(counts.values()) / (len(counts) * n) for v, n in counts.items() if n}
        names = getattr(self, "feature_names_in_", None)
        task = Task(class_weight=weight, scorer=self._scorer(features), names=names, observers=callback)
        model.run.position = (0, 0)  # other rows than those of a call that stopped midway
        for name in ("max_iter", "max_updates", "max_time"):
            learner_table()[name].check(getattr(self, name))
        model = learn_more(model, rows, y, Limits(1, self.max_updates, self.max_time), task, sample_weight)
        model = supported(with_base(replace(model, features=features), rows))
        self._counts = counts
        return self._take(model)

    # --- answering ---

    def decision_function(self, X: Any) -> Array:
        """(n,) scores w·x + b for two classes, > 0: classes_[1]; else (n, K). keep="voted": the share of votes.

        Calibrated: less the score of even odds; of more than two classes the log-odds of each.
        """
        rows, features = self._rows(X), self.model_.features
        return self.model_.scores(rows if features is None else features.kernel.transform(rows))

    def predict(self, X: Any) -> Array:
        """(n,) labels. A score of exactly 0 is the negative class, a tie the first of the tied classes."""
        scores = self.decision_function(X)
        return self.model_.labels(scores)

    @partial(OnlyIf, no_probabilities)
    def predict_proba(self, X: Any) -> Array:
        """(n, K) probabilities: rules logistic, softmax, or any with `calibrate`; the largest is that of the class
        predicted."""
        return np.exp(self.predict_log_proba(X))

    @partial(OnlyIf, no_probabilities)
    def predict_log_proba(self, X: Any) -> Array:
        """log of predict_proba."""
        scores = self.decision_function(X)
        return self.model_.log_probabilities(scores)

    # --- inside ---

    def _settings(self) -> Settings:
        words = {name: getattr(self, name) for name in WORDS}
        words |= {
            "rule": self._rule(),
            "metric": self._metric(),
            "kernel": self._kernel(),
            "random_state": seed_of(self.random_state),
        }
        return Settings.of(**words)

    def _recipe(self, before: Model | None) -> Recipe:
        """The parameters that differ from their defaults and have an effect."""
        table = {name: each for name, each in learner_table().items() if name not in NOT_HERE}
        own = {name: getattr(self, name) for name in table if getattr(self, name) is not table[name].default}
        seed = seed_of(self.random_state) if before is None else before.run.settings.random_state
        own |= {"rule": self._rule(), "random_state": seed}
        if "metric" in own:
            own["metric"] = self._metric()
        if self._kernel() is not None:
            own["kernel"] = self._kernel()
        own |= {} if self.shuffle else {"order": "given"}
        if self.early_stopping:
            learner_table()["validation_fraction"].check(self.validation_fraction)
            own["validation"] = float(self.validation_fraction)
        return Recipe().instead(**own)

    def _going_on(self) -> Model:
        """The model, with the settings that may change on the way taken over from the parameters."""
        model, new = self.model_, self._settings()
        old = model.run.settings
        plainly = {"l1": 0.0, "kernel": None, "budget": None}
        before, words = ({"metric": rule_name(each.metric), **plainly, **each.words()} for each in (old, new))
        own = ("keep", "fit_intercept", *(each.name for each in new.memory.parameters), "multi_class")
        for name in own:
            _check_same(name, before[name], words[name])
        for name in ("rule", "metric"):
            was, now = getattr(old, name), getattr(new, name)
            if type(was) is type(now):  # AROW has its metric's r, FTRL its beta: said as it is set
                for each in sorted(set(was._fields) & self.get_params().keys() - set(WORDS)):
                    _check_same(each, getattr(was, each), getattr(now, each))
            _check_same(name, before[name], words[name])
        for name in ("l1", "kernel", "budget"):
            _check_same(name, before[name], words[name])
        if self.positive is not None and str(self.positive) != str(model.classes[-1]):
            raise SettingError(f"positive cannot change while learning goes on: it was {model.classes[-1]!r}")
        if self.virtual is not None:
            text = "{virtual:s}: learning goes on with rows, of which no virtual examples are made; set it to None"
            raise SettingError(text, virtual=str(self.virtual))
        eta0 = old.eta0 if new.eta0 == "auto" else new.eta0
        seed = new.random_state if isinstance(self.random_state, (int, np.integer)) else old.random_state
        return replace(model, run=replace(model.run, settings=replace(new, eta0=eta0, random_state=seed)))

    def _into_kernel(self, rows: Rows, before: Model | None) -> tuple[Features | None, Rows, Model | None]:
        """(features, rows to learn from, the model that goes on): rows by their kernel, where there is one."""
        kernel = self._settings().kernel
        if kernel is None:
            return None, rows, before
        check_finite(rows, getattr(self, "feature_names_in_", None))
        if before is None:
            step = InKernel(kernel).fitted([rows])
            return Features(rows.width, [step]), step.learned(rows), None
        step, more = before.features.kernel.learning(rows)
        before = widened(before, step)
        return before.features, more, before

    def _held(self, validation: Any, features: Features | None) -> Held:
        X, y = validation
        y, rows = self._checked(X, y, reset=False)
        if features is not None and features.kernel is not None:
            rows = features.kernel.transform(rows)
        name = "accuracy" if self.scoring is None else getattr(self.scoring, "__name__", str(self.scoring))
        return Held(rows, y, self._scorer(features), name)

    def _scorer(self, features: Features | None) -> Any:
        if self.scoring is None:
            return None
        score = get_scorer(self.scoring) if isinstance(self.scoring, str) else self.scoring

        def scored(model: Model, rows: Rows, y: Array) -> Any:
            own = copy.copy(model)  # with weights that were set
            own.features = features
            return score(copy.copy(self)._take(own), rows.given.matrix(), y)

        return scored

    def _take(self, model: Model) -> Any:
        run = model.run
        self.model_ = model
        self.classes_ = model.classes
        w, b = model.weights
        shifted = len(b) == 1 and model.cut and model.run.memory.is_linear
        step = None if model.features is None else model.features.kernel
        own = {"coef_": w}
        if step is not None:
            own = {"dual_coef_": w, "support_": step.numbers, "n_support_": step.width}
            if not getattr(step.kernel, "pairwise", False):
                own["support_vectors_"] = step.base.matrix()
        for name in {"coef_", "dual_coef_", "support_", "n_support_", "support_vectors_"} - own.keys():
            self.__dict__.pop(name, None)
        self.__dict__.update(own)
        self.intercept_ = b.astype(float) - model.cut if shifted else b
        self.n_iter_, self.t_ = max(run.epoch, 1), int(run.state.n[SEEN])
        self.n_updates_, self.mistakes_ = int(run.state.n[UPDATES]), run.history["mistakes"]
        self.converged_, self.stop_reason_, self.history_ = run.converged, str(run.stop_reason), run.history
        self.n_threads_ = 1
        return self


def _warn(model: Model, rows: Rows) -> None:
    """ConvergenceWarning where a limit came first or a loss does not settle, with what may help, as the shell's
    advice."""
    run, text = model.run, str(model.run.stop_reason)
    if not (run.stop.is_limit or run.stop.kind in ("unsettled", "adrift")) or run.converged or run.best is not None:
        return
    from ..report.advice import of_scale

    helps = of_scale(model, rows, "StandardScaler of scikit-learn")
    if run.stop.is_limit:
        text += ": it came before the rule had finished"
        helps.append(f"a larger {run.stop.setting}{' (max_iter counts no picks)' * run.settings.optimizer.picks}")
    if run.may_never_settle:
        helps.append(
            f"{' or '.join(f'keep={json.dumps(name)}' for name in run.settings.mending)} where mistakes remain"
        )
    warnings.warn(f"{text}{'; what may help: ' * bool(helps)}{'; '.join(helps)}", ConvergenceWarning, stacklevel=3)


LinearClassifier.__doc__ = (LinearClassifier.__doc__ or "").replace("{parameters}", described(learner_table()))
