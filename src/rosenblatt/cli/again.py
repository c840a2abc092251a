"""Pictures of many runs: the recipe of `trace` once more on the same rows, with other seeds or learning rates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..core.rows import Array
from ..errors import DataError, SettingError
from ..learn.observers import Observer
from ..learn.run import Chunks, Run
from ..model.model import Model
from ..recipe.recipe import Recipe
from ..recipe.training import Learned, learn
from ..trace import Record, Trace
from .progress import Progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("orders", "rates")
ORDERS = 12
RATES = (0.01, 0.1, 1.0)


class Again:
    """Such a picture, and the recipe that it is of. SettingError where it cannot be drawn, before the work begins."""

    def __init__(self, kind: str, rates: Sequence[float], recipe: Recipe, before: str | None) -> None:
        from ..report.pictures.many import check_orders
        from ..report.pictures.runs import check_moving, check_rates

        if before is not None:
            raise SettingError(f"--picture {kind} learns anew each time, and --continue goes on; choose one of them")
        self.kind, self.recipe = kind, recipe
        if kind == "rates":
            if "eta0" in recipe.words:
                raise SettingError("{eta0:g}: --picture rates has its own; name them by --rates", eta0=recipe["eta0"])
            check_rates(rates or RATES)
            check_moving(recipe.settings)
            self.words = {f"η = {rate:g}": recipe.with_(eta0=rate) for rate in rates or RATES}
        else:
            if recipe["order"] != "shuffled":
                text = "{order:s}: --picture orders shuffles the rows, by the seeds from {random_state.name} on"
                raise SettingError(text, order=str(recipe["order"]), random_state=None)
            check_orders(recipe.settings)
            seed = recipe.settings.random_state
            self.words = {str(each): recipe.with_(random_state=each) for each in range(seed, seed + ORDERS)}

    @property
    def observers(self) -> list[Observer]:
        """Of the first run: they end it before it begins where its data cannot be drawn."""
        return [TwoClasses()] if self.kind == "orders" else []

    def figure(self, trained: Learned, title: str, progress: Progress) -> Figure:
        """trained: the run of the command itself, on whose rows, in whose features, the others are made."""
        from ..report.pictures import many, models, runs

        made = self._runs(trained, progress)
        if self.kind == "rates":
            return runs.figure_of_rates({name: record for name, _, record in made}, title)
        rows = models.rows_of(trained.model, trained.rows, trained.y)
        return many.figure_of_orders([many.learned_of(each, trained.rows, rows.y) for _, each, _ in made], rows, title)

    def _runs(self, trained: Learned, progress: Progress) -> Iterator[tuple[str, Model, Record]]:
        for name, recipe in self.words.items():
            trace = Trace()
            task = trained.task._replace(observers=[progress.learning(recipe.limits), trace])
            model = learn(recipe, trained.rows, trained.y, task, trained.weight).model
            yield name, model, trace.record


class TwoClasses(Observer):
    """DataError before learning begins where there are more."""

    def begin(self, run: Run, chunks: Chunks, order: Array | None) -> bool:
        if run.many:
            from ..report.pictures.many import NO_LINE

            raise DataError(f"{NO_LINE}; there are {run.state.b.size} classes")
        return False
