"""The ledger: what a run does, written down beside what the theorems allow, and checked at every step."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ...core.loop import MISTAKES, UPDATES, Keep
from ...core.rows import Array, dense, stack
from ...data.checks import check_seconds
from ...errors import DataError, SettingError
from ...kernels.rows import KernelRows
from ...learn.observers import Callback, Event, Observer
from ...learn.run import Chunks, Run, Stop, learned_from
from ..problem import as_problem
from ..space import Space, in_space
from . import follow
from .bounds import SLACK, Bound, Kind, Yardstick, followable, kind_of, longest, mistake_limit, violated
from .follow import Law, Log, Trail, follow_steps, new_trail, recheck

BUFFER = 4096
"""Steps that are kept until it is worth looking at them; "pick one mistake" makes them one by one."""
ROUNDING = 4.0
"""How much more than its own bound on rounding a run may be off."""


class Ledger(Observer):
    """A callback that follows a run: `clf.fit(X, y, callback=ledger)`, then `print(ledger.summary())`.

    Each step of a perceptron, a margin perceptron or `until-right`, made online or picked, from zero weights, with
    a constant learning rate, no metric, no L1 or L2 and no sample weights, is held against the lines of the
    theorems; what else is learned "does not apply", and `bounds()` says why. A theorem that fails, in exact
    arithmetic too, raises BoundViolated.

    Parameters
    ----------
    separator : None, (w, b) or MaxMargin, default=None
        What mistakes are measured by. None: the separator of the largest margin, found when learning begins. Another
        one's bounds are as true, with its own margin, but larger. Of a kernel's space w is of `in_kernel`.
    time_limit : float > 0 or None, default=None
        Seconds for that search.
    also : callable or None, default=None
        Another callback, told the same; True from it stops the run. (A list of callbacks does as well.)

    Attributes
    ----------
    problem : Problem
        The rows, as they are learned from; by a kernel, rows of its space (`rosenblatt.theory.space`), and the run is
        measured there.
    yardstick : Yardstick or None
        The separator and its margin; None where there is none.
    separable : bool or None
        None: not known in the time given.
    history : dict of lists
        After each epoch, and from the 50th on after epochs ever further apart: its number (epoch), and mistakes,
        updates, additions so far; along w̄_k·u, length ‖w̄_k‖, cosine, and the line of each.
    """

    def __init__(
        self, separator: Any = None, *, time_limit: float | None = None, also: Callable[[Event], Any] | None = None
    ) -> None:
        check_seconds("time_limit", time_limit)
        if also is not None and not callable(also):
            raise SettingError("{also} must be None or a function of an Event", also=also)
        self.separator, self.time_limit, self.also = separator, time_limit, also
        self._also = None if also is None else Callback(also)
        self.run: Run | None = None
        self.trail: Trail | None = None

    # --- what `train` calls ---

    def begin(self, run: Run, chunks: Chunks, order: Array | None) -> bool:
        """Learning begins. True: the steps of this run are those of the theorems, and are wanted.

        The rows of all chunks are held at once: the widest margin is about all of them.
        """
        parts = list(chunks)
        weights = [np.ones(len(chunk.y)) if chunk.weight is None else chunk.weight for chunk in parts]
        self.run, self.why_not = run, followable(run, np.concatenate(weights))
        self.kind: Kind | None = None if run.many else kind_of(run.rule)
        self.first_row = np.cumsum([0, *(len(chunk.y) for chunk in parts)])
        self.order, self.whole = order, run.position == (0, 0)
        self.left_out = int(np.count_nonzero(~learned_from(parts, order)))
        self.before = (int(run.state.n[MISTAKES]), int(run.state.n[UPDATES]), run.epoch)
        self.yardstick: Yardstick | None = None
        self.separable: bool | None = None
        self.space: Space | None = None
        self.elsewhere = ""  # why the weights are not those of the problem's columns
        self.searched: tuple[Array, Any] | None = None  # the last `one_pass`, and the directions that it began with
        self.trail = None
        self.history: dict[str, list[Any]] = {name: [] for name in (*_COUNTED, *_CURVES)}
        self._waiting: list[tuple[Array, Array]] = []
        self._steps = self._work = self._next = 0
        if run.many:
            return False
        self._see(stack([chunk.rows for chunk in parts]), np.concatenate([chunk.y for chunk in parts]))
        self.longest = longest(self.problem)
        self._find_yardstick()
        (w,), (b,) = run.memory.weights(run.state)
        self.from_zero = not (w.any() or b)
        if self.space is not None and w[self.place < 0].any():
            self.elsewhere = "there are weights of rows that are not learned from now"
            self.why_not = self.why_not or self.elsewhere
        if self.why_not:
            return False
        self.trail, self.law = new_trail(self.in_rows(w), float(b), self.problem.n), self._law()
        return True

    def steps(self, keep: Keep, number: int) -> None:
        """The loop's log since the last call, of the chunk of this number."""
        used = int(keep.used[0])
        row = keep.row[:used].astype(np.int64) + self.first_row[number]
        self._waiting.append((row, keep.coef[:used] * keep.scale[:used]))
        self._steps += used
        if self._steps >= BUFFER:
            self.look()

    def end(self, run: Run) -> None:
        """Learning is over: every theorem is looked at once more."""
        if self.run is run and not run.many:
            self.bounds()

    def epoch(self, event: Event) -> Stop | None:
        """Written down, if it is one of those that are."""
        if event.epoch_ended and self.run is event.run and event.run.epoch >= self._next:
            self._next = max(event.run.epoch + 1, int(event.run.epoch * follow.GROWTH))
            self._write_down()
        return None if self._also is None else self._also.epoch(event)

    # --- what is known now ---

    @property
    def followed(self) -> Run:
        """The run. DataError before there is one."""
        if self.run is None:
            raise DataError("the ledger has followed no run yet; give it to fit as callback=ledger")
        return self.run

    @property
    def weights(self) -> tuple[Array, float]:
        """(w, b) of the run as they are now, in float64."""
        (w,), (b,) = self.followed.memory.weights(self.followed.state)
        return self.in_rows(w), float(b)

    def in_rows(self, w: Array) -> Array:
        """(d,) float64 weights of the problem's columns, of those of the run."""
        w = w.astype(float)
        if self.space is None:
            return w
        used = np.flatnonzero((w != 0.0) & (self.place >= 0))
        return self.space.vector(np.bincount(self.place[used], w[used], len(self.space.first)))

    @property
    def margin(self) -> float:
        """γ̄ of the separator; 0 without one."""
        return 0.0 if self.yardstick is None else self.yardstick.margin

    @property
    def mistakes(self) -> int:
        """Since learning began."""
        return 0 if self.run is None else int(self.run.state.n[MISTAKES]) - self.before[0]

    @property
    def updates(self) -> int:
        """Steps that were made since learning began."""
        return 0 if self.run is None else int(self.run.state.n[UPDATES]) - self.before[1]

    @property
    def additions(self) -> int:
        """How often some y·x̄ was added: as the updates, but more under until-right."""
        return 0 if self.trail is None else int(self.trail.n[follow.ADDITIONS])

    @property
    def limit(self) -> float | None:
        """The most additions, (R̄² + 2τ/η)/γ̄²: of the perceptron the most mistakes. None where nothing limits them."""
        if self.trail is None or self.yardstick is None or not self.from_zero:
            return None
        return mistake_limit(self.longest, self.yardstick.margin, self.law.tau, self.law.eta)

    def bounds(self) -> list[Bound]:
        """Every theorem: with its numbers, or with the condition that fails. Raises BoundViolated."""
        from .findings import findings

        self.look()
        bounds = findings(self)
        for bound in bounds:
            if bound.holds is False:
                raise violated(f"{bound.name}: measured {bound.measured:.17g}, allowed {bound.limit:.17g}")
        return bounds

    def summary(self, explain: bool = False, say: Callable[[str], str] = str) -> str:
        """The ledger in sentences. explain: with a paragraph on why each theorem is true.

        say: how another face of the program says a reason that mentions settings.
        """
        from . import in_sentences

        return "\n".join(in_sentences(self, self.bounds(), explain, say))

    def __repr__(self) -> str:
        if self.run is None:
            return "<Ledger: has followed no run yet>"
        limit = "" if self.limit is None else f"; at most {self.limit:,.0f} additions are possible"
        return f"<Ledger: {self.mistakes:,} mistakes, {self.updates:,} updates{limit}>"

    def curves(self) -> dict[str, Array]:
        """The run, thinned: additions k, along w̄_k·u, square ‖w̄_k‖², cosine, and their lines, each (r,)."""
        self.look()
        if self.trail is None or not self.from_zero:
            return {}
        points = self.trail.record[: self.trail.n[follow.RECORDS]]
        last = [float(self.additions), self.trail.f[follow.ALONG], self.trail.f[follow.SQUARE]]
        if len(points) and points[-1, 0] < last[0]:
            points = np.concatenate([points, [last]])
        return {"additions": points[:, 0], **self._against_lines(*points.T)}

    # --- inside ---

    def look(self) -> None:
        """Hold what has been logged against the theorems."""
        if self.followed.many or self.trail is None or not self._waiting:
            return
        row, coef = (np.concatenate(parts) for parts in zip(*self._waiting, strict=True))
        self._waiting, self._steps = [], 0
        trail, law, problem = self.trail, self.law, self.problem
        self._work += row.size * max(problem.d, 1)
        kernel = follow_steps.for_work(self._work)
        p, log = 0, Log(row, coef, problem.y)
        while p < row.size:
            p, wrong = kernel(problem.rows, log, law, trail, p)
            if wrong:
                recheck(problem, law, trail, self.yardstick, wrong)
                law.slack[wrong] *= 10.0
                p += 1
        w, b, (own, bias) = trail.w, float(trail.b[0]), self.weights
        # Summed anew: what 65,536 additions have rounded away does not add up over millions.
        trail.f[follow.SQUARE] = float(w @ w) + b * b
        if self.yardstick is not None:
            trail.f[follow.ALONG] = (float(w @ self.yardstick.w) + b * self.yardstick.b) / self.yardstick.length
        away = float(np.sqrt(((own - w) ** 2).sum() + (bias - b) ** 2))
        if not away <= ROUNDING * trail.f[follow.DRIFT]:
            steps = f"after {trail.n[follow.STEPS]:,} steps the weights of the run"
            raise violated(f"{steps} are {away:g} away from those of its log")

    def _see(self, rows: Any, y: Array) -> None:
        """The problem: the rows, or where they are known by a kernel alone, others of the same lengths and angles."""
        self.unit = 0.0
        if isinstance(rows, KernelRows):
            self.space = space = Space.of(rows)
            self.place = np.full(rows.width, -1)  # of the rows that weights belong to among the distinct ones
            self.place[rows.own] = space.own
            # What the run itself rounds in its kernel's values, and what the root is off by.
            self.unit = max(float(np.finfo(rows.base.dtype).eps), space.error / (space.largest or 1.0))
            rows = dense(space.root[space.own])
        self.problem = as_problem(rows, y, self.followed.settings.fit_intercept, 1.0)
        self.unit = max(self.unit, float(np.finfo(self.problem.dtype).eps))

    def _law(self) -> Law:
        assert self.run is not None and self.kind is not None
        yard, settings = self.yardstick, self.run.settings
        slack = np.full(7, SLACK)
        slack[[follow.COEFFICIENT, follow.RIGHT_ROW, follow.RAISE]] = 1e-12, ROUNDING, ROUNDING
        return Law(
            along=np.zeros(self.problem.n) if yard is None else yard.along(self.problem),
            squares=self.problem.rows.sq_norms() + (1.0 if self.problem.fit_intercept else 0.0),
            eta=float(settings.eta0),
            **self.kind._asdict(),
            bias=1.0 if self.problem.fit_intercept else 0.0,
            margin=self.margin,
            longest=self.longest,
            unit=self.unit,
            terms=float(self.problem.d + 2),
            lines=self.from_zero,
            slack=slack,
        )

    def _find_yardstick(self) -> None:
        """The separator given, or the one of the largest margin."""
        from ..margins.maximum import MaxMargin, NoMargin, max_margin

        problem, separator = self.problem, self.separator
        if separator is None:
            try:
                own = problem if self.space is None else in_space(problem, self.space)
                separator = max_margin(own, time_limit=self.time_limit)
            except NoMargin as error:
                self.separable = error.separable
                return
        self.separable = True
        if not isinstance(separator, MaxMargin):
            self.yardstick = Yardstick.of(problem, self._plain(separator))
            return
        counted = "_with_bias" if problem.fit_intercept else ""
        w, b, most, hold = (getattr(separator, f"{name}{counted}") for name in ("w", "b", "upper_bound", "in_floats"))
        if hold:
            self.yardstick = Yardstick.of(
                problem, self._plain((w, b)), origin="the largest margin", best=True, most=most
            )

    def _plain(self, separator: Any) -> Any:
        """(w, b) as given; of a kernel's space, where w is of the distinct rows, with w of the problem's columns."""
        if self.space is None:
            return separator
        try:
            a, b = np.asarray(separator[0], np.float64).ravel(), separator[1]
        except (TypeError, ValueError, IndexError):
            return separator  # which is refused
        if a.size != len(self.space.first):
            distinct = f"there are {len(self.space.first)} different rows"
            raise DataError(f"the separator has {a.size} weights, but {distinct}, and in a kernel's space each has one")
        return self.space.vector(a), b

    def _write_down(self) -> None:
        self.look()
        row: dict[str, Any] = {name: getattr(self, name) for name in ("mistakes", "updates", "additions")}
        row["epoch"] = self.followed.epoch
        if self.trail is not None and self.from_zero:
            now = self._against_lines(self.additions, self.trail.f[follow.ALONG], self.trail.f[follow.SQUARE])
            now = {name: float(value) for name, value in now.items()}
            row |= {"length": math.sqrt(now["square"]), "length_line": math.sqrt(now["square_line"])}
            row |= {"limit": self.limit, **(now if now["square"] > 0.0 else {})}
        for name, values in self.history.items():
            values.append(row.get(name))

    def _against_lines(self, k: Any, along: Any, square: Any) -> dict[str, Any]:
        """What was reached after k additions, and the lines of the theorems there."""
        law = self.law
        out = {"square": square, "square_line": k * (law.eta * law.eta * law.longest + 2.0 * law.eta * law.tau)}
        if self.yardstick is not None:
            cosine = along / np.sqrt(np.maximum(square, np.finfo(float).tiny))
            # The angle between w̄_k and u has at least the cosine √k·γ/√(R̄² + 2τ/η).
            line = np.sqrt(k) * self.margin / math.sqrt(law.longest + 2.0 * law.tau / law.eta)
            out |= {"along": along, "along_line": k * law.eta * self.margin, "cosine": cosine, "cosine_line": line}
        return out


_COUNTED = ("epoch", "mistakes", "updates", "additions", "limit")
_CURVES = ("along", "along_line", "length", "length_line", "cosine", "cosine_line")
