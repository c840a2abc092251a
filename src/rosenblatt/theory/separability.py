"""Is there a hyperplane without an error? A verdict with its proof, or none: floats search, exact checks decide."""

import math
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..core.rows import Array
from ..data.checks import check_seconds
from ..errors import RosenblattError, SettingError
from ..learn.run import Limits
from ..learn.settings import Settings
from ..model.fit import fit
from .margins.points import Points, upper_bound
from .margins.solver import shares, widest
from .problem import Problem, as_problem
from .proof.certificate import Certificate, Enclosure, Farkas, Separator
from .proof.exact import NOT_IN_FLOATS, Floats, in_floats, nearest
from .proof.farkas import decide
from .proof.integers import bounded_margins
from .search import methods
from .search.hunt import Hunt, View, Watch, opposite_pairs, view_of
from .space import in_lengths

DENSE = 3_000
"""Columns up to which Newton's method lays the rows out as dense ones and squares them."""
FEW, MANY = 40, 5_000
"""With more columns and rows than these, Newton's method comes before the linear program: 1.7 against 7 s for 1e6
rows of 130 columns."""
HASHED = 20_000_000
"""Values up to which rows that contradict each other are looked for first; ten times as many take 1 s."""
SMALL = 2_000
"""Numbers n·d̄ of a problem that is decided at once."""
WIDEST = 40
"""Columns up to which rows are added one round after the other; exact steps cost the cube of it."""
ADDED = 20
ROUNDS = 60
EPOCHS = 50
WORK = 1_000_000_000
"""Products at most: 0.5 s."""


@dataclass(frozen=True, repr=False)
class Separability:
    """The verdict on a set of rows of two classes.

    separable: True, False, or None where no method decided it. certificate: the proof, None without a verdict, and
    where a theorem is all there is of one. problem: the rows as they were held. tried: what was tried and did not
    decide it, one sentence each. seconds: what it took.
    """

    separable: bool | None
    certificate: Certificate | None
    problem: Problem
    tried: list[str]
    seconds: float

    @property
    def kind(self) -> str:
        """separator: a hyperplane; farkas: exact multipliers; enclosure: multipliers within bounds; theorem: a Gaussian
        kernel's (see `in_kernel`), without a hyperplane in float64; undecided."""
        if self.certificate is None:
            return "undecided" if self.separable is None else "theorem"
        return self.certificate.kind

    @property
    def w(self) -> Array | None:
        """(d,) float64 weights where separable, up to a factor; of a kernel (u,), of the distinct rows. Exact ones:
        `certificate`, and see `in_floats`. None where a theorem says it."""
        return None if self._floats is None else self._floats.w

    @property
    def b(self) -> float | None:
        """Their bias, 0 without an offset."""
        return None if self._floats is None else self._floats.b

    @property
    def in_floats(self) -> bool | None:
        """Whether (w, b), as the floats they are, have every row right, exactly and as X @ w + b comes out in float64.

        False: rows are so near to each other that no floats were found that do; `certificate` has the hyperplane in
        whole numbers, and (w, b) is it rounded. None where not separable.
        """
        return None if self._floats is None else self._floats.hold

    @cached_property
    def _floats(self) -> Floats | None:
        return in_floats(self.problem, self.certificate) if isinstance(self.certificate, Separator) else None

    @cached_property
    def rows(self) -> Array | None:
        """(k,) numbers, from 0, of the rows that prove that there is no hyperplane; at most d + 2 at a vertex."""
        proof = self.certificate
        return np.asarray(proof.rows, np.int64) if isinstance(proof, (Farkas, Enclosure)) else None

    @cached_property
    def multipliers(self) -> list[Fraction] | list[float] | None:
        """(k,) λ of these rows: Fractions with Σλ = 1 and Σ λ y x̄ = 0 exactly; floats near those in an enclosure."""
        if isinstance(self.certificate, Farkas):
            return self.certificate.fractions
        return list(self.certificate.multipliers) if isinstance(self.certificate, Enclosure) else None

    @property
    def margin(self) -> float | None:
        """min y(w·x + b)/‖w‖ of the exact hyperplane, then rounded: the greatest possible margin is at least that."""
        return None if self._nearest is None else self._nearest[1]

    @property
    def nearest(self) -> int | None:
        """The number, from 0, of the row nearest to it."""
        return None if self._nearest is None else self._nearest[0]

    @cached_property
    def _nearest(self) -> tuple[int, float] | None:
        return nearest(self.problem, self.certificate) if isinstance(self.certificate, Separator) else None

    def verify(self) -> bool:
        """Check the proof once more, exactly, without any solver. False without one."""
        if self.certificate is None or not self.certificate.check(self.problem):
            return False
        return self.problem.space is None or bool(self.problem.space.allows(self.problem, self.certificate))

    def save(self, path: str | Path, recipe: dict[str, Any] | None = None) -> None:
        """Write the certificate as JSON, which `rosenblatt verify` and `rosenblatt.theory.read_certificate` read.

        recipe: how the rows were read from a file, for `verify` to do it again. Raises SettingError without a verdict.
        """
        from .proof.certificate_file import save_certificate

        if self.certificate is None:
            none = "verdict" if self.separable is None else "hyperplane, but a theorem that says there is one"
            raise SettingError(f"there is no {none}, so there is no certificate to save")
        save_certificate(path, self.certificate, self.problem, recipe)

    def __str__(self) -> str:
        size = f"{self.problem.n:,} rows, {self.problem.given.width:,} columns, {self.problem.where}"
        return f"{self.words()} ({size}; {self.seconds:.2f} s)"

    def __repr__(self) -> str:
        return f"<Separability: {self}>"

    def words(self) -> str:
        """The verdict as one clause."""
        proof = self.certificate
        if isinstance(proof, Separator):
            found_or_not = "" if self.in_floats else f", but {NOT_IN_FLOATS}"
            return f"separable: a hyperplane has every row on its right side, {checked(self)}{found_or_not}"
        if isinstance(proof, Farkas):
            return f"not separable: {len(proof.rows):,} rows prove it, weighted by exact fractions"
        if isinstance(proof, Enclosure):
            return f"not separable: {len(proof.rows):,} rows prove it, in floats with bounds on their errors"
        return f"separable: {THEOREM}" if self.separable else f"undecided after {'; '.join(self.tried)}"


THEOREM = "no two rows of different classes are equal, so that this kernel can part them (Micchelli 1986)"


def checked(verdict: Separability) -> str:
    """How a hyperplane was checked, in words."""
    rounded = verdict.problem.space is not None and not verdict.problem.space.exact
    return "by more than K may be rounded" if rounded else "checked exactly"


def separable(
    X: Any,
    y: Any = None,
    fit_intercept: bool = True,
    positive: Any = None,
    *,
    time_limit: float | None = None,
    watch: Watch | None = None,
) -> Separability:
    """Whether some w, b have y(w·x + b) > 0 for every row; without an offset y(w·x) > 0. Never guessed.

    Separable: (w, b), rational numbers. Not separable: Farkas' λ ≥ 0 with Σλ = 1 and Σ λᵢ yᵢ x̄ᵢ = 0, with an offset a
    point that the hulls of both classes share. Either is checked exactly before it is given back, for the values as
    they are held; else `.separable` is None and `.tried` says why.

    X: (n, d) array, DataFrame or sparse matrix of finite numbers, or a `Problem`, in which case y, fit_intercept and
    positive are not looked at; in a kernel's space it is that of `in_kernel`. y: (n,) labels of two classes, or more
    with `positive`, which is then taken against the rest; one class alone is separable with an offset. time_limit:
    seconds, None for no limit; exact steps that have begun are finished. watch: is told which method is at work. Raises
    DataError for NaN, infinite values, and no rows; SettingError for a bad `positive` or time_limit.

    Source: Farkas' lemma (J. Farkas, Theorie der einfachen Ungleichungen, 1902).
    """
    check_seconds("time_limit", time_limit)
    begun = time.monotonic()
    problem = as_problem(X, y, fit_intercept, positive)
    deadline = None if time_limit is None else begun + time_limit
    hunt = Hunt(problem, None, deadline, watch or (lambda what: None))  # type: ignore[arg-type]
    space = problem.space
    with np.errstate(all="ignore"):  # weights for subnormal columns overflow: what is not finite proves nothing
        (_search if space is None else _search_space)(hunt)
    certificate = hunt.certificate
    by_theorem = True if space is not None and space.definite else None
    verdict = by_theorem if certificate is None else isinstance(certificate, Separator)
    return Separability(verdict, certificate, problem, hunt.tried, time.monotonic() - begun)


def _search(hunt: Hunt) -> None:
    """One method after the other, the cheap ones first, until one has a proof."""
    problem = hunt.problem
    if _alone(hunt):
        return
    pairs = opposite_pairs(problem) if problem.rows.size <= HASHED else []
    if any(hunt.support(pair) for pair in pairs):
        return
    hunt.view = view_of(problem)
    if not _simple(hunt):
        for method in _methods(hunt.view):
            if hunt.view.width and not hunt.done and hunt.running():
                method(hunt)
    if not hunt.done and hunt.running():
        _in_exact_arithmetic(hunt)


def _alone(hunt: Hunt) -> bool:
    """Whether the offset alone has all rows right, as they are of one class."""
    hunt.say("looking for what needs no search")
    problem = hunt.problem
    alone = problem.fit_intercept and bool((problem.y == problem.y[0]).all())
    return alone and hunt.hyperplane(np.zeros(problem.d), problem.y[0])


def _search_space(hunt: Hunt) -> None:
    """Of a kernel's space: on the columns of rows that span it, as far as floats tell; a proof is checked on all.

    1,000 rows of 15 products, 969 of them different, took 6.6 s on all columns, for a proof of 969 rows; on 15 columns
    .01 s, for one of 16. All columns are taken where K is exact, and the few were not enough.
    """
    problem, space = hunt.problem, hunt.problem.space
    if _alone(hunt) or hunt.support(space.contradiction(problem.y)):
        return
    if len(space.pivots) == len(space.first) or space.definite:
        hunt.say("weights that give every row its sign")
        if _held(hunt, space.through(problem.y)) or space.definite:
            hunt.failed("weights that give every row its sign: the rounding of K hides whether they do")
            return
    spanning = problem._replace(rows=problem.rows.take_columns(space.pivots), names=None, space=None)
    few = Hunt(spanning, None, hunt.deadline, hunt.say)  # type: ignore[arg-type]
    _search(few)
    hunt.tried += few.tried
    proof = few.certificate
    if isinstance(proof, Separator):
        w = np.zeros(problem.d, object)
        w[space.pivots] = proof.w
        proof = Separator(tuple(map(int, w)), proof.b, proof.denominator)
    if proof is not None and proof.check(problem) and space.allows(problem, proof):
        hunt.certificate = proof
    elif not space.exact:
        _search_beyond_rounding(hunt, few.certificate)
    elif isinstance(proof, Enclosure):
        rows = f"{len(proof.rows):,} rows, of columns that span the space as far as floats tell"
        hunt.tried.append(f"multipliers within bounds for {rows}")
    elif few.problem.d < problem.d and hunt.running():
        _search(hunt)


def _held(hunt: Hunt, a: Array) -> bool:
    """Hand in weights of the distinct rows. Whether they are a proof, rounding of K or not."""
    if hunt.hyperplane(a, 0.0) and not hunt.problem.space.allows(hunt.problem, hunt.certificate):
        hunt.certificate = None
    return hunt.done


def _search_beyond_rounding(hunt: Hunt, proof: Certificate | None) -> None:
    """Where K is rounded: the hyperplane of the widest margin, whose weights are the smallest for its scores.

    proof: that K's values, as floats hold them, have none; of K itself it proves how wide a margin can be.
    """
    problem, space = hunt.problem, hunt.problem.space
    points = Points.of(in_lengths(problem))
    if isinstance(proof, (Farkas, Enclosure)):
        multipliers = np.array(proof.fractions if isinstance(proof, Farkas) else proof.multipliers, float)
        most = math.sqrt(upper_bound(points, np.array(proof.rows), multipliers) ** 2 + space.error)
        longest = math.sqrt(space.largest)
        hunt.tried.append(f"{ROUNDED}; no hyperplane has a margin above {most:.2g}, of rows of length {longest:.3g}")
    elif hunt.running():
        hunt.say("the widest margin")
        best = widest(points, np.zeros(0, np.int64), math.inf if hunt.deadline is None else hunt.deadline)
        if best is not None and best.lower > 0.0:
            _held(hunt, space.combined(best.rows, shares(points, best) * problem.y[best.rows]))
        hunt.failed(f"the widest margin: {ROUNDED}")


ROUNDED = "K is rounded here, which hides thin margins"


def _simple(hunt: Hunt) -> bool:
    """Whether no column is left, or no row, or rows of one class that the bias alone puts on their side.

    Where no row is left, large weights for some columns are a proof. One method may find a hyperplane that is farther
    from the rows first: 0.02 instead of 0.0004 for the mushrooms.
    """
    view, problem = hunt.view, hunt.problem
    sides, first = np.unique(problem.y[view.active], return_index=True)
    if sides.size <= problem.fit_intercept:
        hunt.view = view_of(problem, whole=True)
        if problem.d:
            (_perceptron if problem.d > methods.NARROW else methods.linear_program)(hunt)
        hunt.tried.clear()
        lifted = view.reduction.lifted(problem, np.zeros(problem.d), float(sides[0]) if sides.size else 0.0)
        hunt.view = view
        return hunt.done or lifted is not None and hunt.hyperplane(*lifted)
    return not len(view.exponents) and hunt.support(view.active[first])


def _methods(view: View) -> list[Callable[[Hunt], None]]:
    """Those that fit the size of the problem, in this order."""
    if view.width > methods.NARROW:
        newton = [methods.newton] if view.width <= DENSE else []
        return [_perceptron, *newton, methods.wide]
    if view.width > FEW and len(view.active) > MANY:
        return [methods.look, methods.newton, methods.support, methods.linear_program]
    return [methods.linear_program, methods.newton, methods.support]


def _perceptron(hunt: Hunt) -> None:
    """Wide data with room between the classes: the weights after some epochs, if the last was without a mistake."""
    problem = hunt.problem
    epochs = int(min(EPOCHS, max(1, WORK // max(problem.rows.size, 1))))
    hunt.say(f"perceptron, {epochs} epochs")
    settings = Settings.of(rule="perceptron", fit_intercept=problem.fit_intercept, keep="last", shuffle=True)
    with suppress(RosenblattError):  # values too large for sums in their own dtype, or a single class
        model = fit(problem.rows, problem.y, settings, Limits(epochs, None, hunt.left()))
        if model.run.converged:
            (w,), (b,) = model.weights
            hunt.hyperplane(np.asarray(w, np.float64), float(b))
    hunt.failed(f"the perceptron, {epochs} epochs")


def _in_exact_arithmetic(hunt: Hunt) -> None:
    """What floats could not decide: all rows if they are few, else some, from the last basis on, until what holds for
    them holds for all."""
    problem = hunt.problem
    width = problem.d + problem.fit_intercept
    if problem.n * width <= SMALL:
        hunt.say("simplex method in exact arithmetic")
        hunt.certificate = decide(problem)
        return
    if width > WIDEST:
        hunt.tried.append(f"the simplex method in exact arithmetic: not tried, as {width} columns are too many for it")
        return
    rows = hunt.basis if hunt.basis.size else np.arange(min(problem.n, 2 * width))
    for _ in range(ROUNDS):
        hunt.say(f"simplex method in exact arithmetic, {len(rows):,} rows")
        proof = decide(problem.take(rows))
        bad = rows[:0] if isinstance(proof, Farkas) else _wrong(problem, proof)
        if not bad.size:
            hunt.certificate = proof.renumbered(rows) if isinstance(proof, Farkas) else proof
            return
        rows = np.concatenate([rows, bad[:ADDED]])
        if not hunt.running():
            break
    hunt.failed(f"the simplex method in exact arithmetic, {len(rows):,} rows")


def _wrong(problem: Problem, separator: Separator) -> Array:
    """Rows on the wrong side, the worst first: all that floats are sure of, else those that exact arithmetic finds."""
    rounded, bound = bounded_margins(problem, *separator.floats())
    sure = np.flatnonzero(rounded < -bound)
    return sure[np.argsort(rounded[sure])] if sure.size else np.flatnonzero(~separator.right_rows(problem))
