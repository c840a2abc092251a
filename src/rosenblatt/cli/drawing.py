"""The options that show a run off its record: pictures, a film, a page, sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import DataError, ModelError, SettingError, plain
from ..kernels import kernel_name
from ..learn.settings import Settings
from ..recipe.recipe import Recipe
from ..report.pictures import MOST_FRAMES, MOST_PANELS
from ..trace import Record, with_rows
from ..write import whole_files
from .again import KINDS as OF_MANY
from .again import Again
from .command import Decorator, Number, as_numbers, in_shell, option, switch, together
from .options import plot_option
from .output import OutputError
from .pictures import check_drawn, check_picture, picture_option, write_picture
from .recording import training_error
from .sources import output_errors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("strip", "update", "errors", "loss")
FIRST, FILMED = 6, 30
"""Updates of a strip and of a film."""


class Drawing(NamedTuple):
    """What is to be drawn. plot: a picture of this kind; film: a film; html: a page that plays the run; update: the
    one drawn; strip: how many of the first ones; rates: those side by side; tell: each update in a sentence."""

    plot: str | None
    film: str | None
    html: str | None
    picture: str | None
    update: int | None
    strip: int | None
    tell: bool
    rates: list[float]

    @classmethod
    def of(cls, words: dict[str, Any]) -> Drawing:
        """Takes its options out of the words of a command. SettingError for those that do not go together."""
        own = cls(**{name: words.pop(name) for name in cls._fields if name != "rates"}, rates=words.pop("rates", []))
        needing = (("picture", ("plot",)), ("update", ("plot",)), ("strip", ("plot", "film")), ("rates", ("plot",)))
        for name, needs in needing:
            if getattr(own, name) not in (None, []) and not any(getattr(own, need) for need in needs):
                raise SettingError(
                    f"--{name} is about {' or '.join(f'--{need}' for need in needs)}, which is not there"
                )
        if own.update is not None and own.kind != "update":
            raise SettingError(f"--update draws one update, --picture {own.kind} does not; choose one of them")
        if own.update is None and own.kind == "update":
            raise SettingError("--picture update needs to know which: --update K")
        if own.rates and own.kind != "rates":
            raise SettingError(f"--rates draws runs of these rates, --picture {own.kind} does not; choose one of them")
        if own.strip is not None and own.film is None and own.kind != "strip":
            other = f"--picture {own.picture}" if own.picture else "--rates" if own.rates else f"--update {own.update}"
            raise SettingError(f"--strip draws the first updates side by side, {other} does not; choose one of them")
        return own

    @property
    def kind(self) -> str:
        return self.picture or ("rates" if self.rates else "strip" if self.update is None else "update")

    @property
    def files(self) -> list[str]:
        """Those that are written."""
        return [path for path in (self.plot, self.film, self.html) if path is not None]

    def check(self, *others: str | None) -> None:
        """Before the work begins: names, and that nothing is overwritten. others: files that must stay."""
        check_picture("--plot", self.plot, *others)
        if self.plot is not None and self.kind == "strip":
            _check_strip(self.strip or FIRST, MOST_PANELS)
        if self.film is not None:
            from ..report.pictures.film import check_film

            _check_strip(self.strip or FILMED, MOST_FRAMES)
            check_drawn("--film", self.film, check_film, self.plot, *others)
        if self.html is not None:
            from ..report.page import check_page

            check_drawn("--html", self.html, check_page, self.plot, self.film, *others)

    @property
    def of_weights(self) -> str | None:
        """The first option that draws of the rows and the weights after each update."""
        if self.plot is not None and self.kind in ("strip", "update", "errors"):
            return f"--picture {self.kind}"
        return None if self.film is None else "--film"

    def check_kept(self, settings: Settings) -> None:
        """Before learning or reading rows: SettingError where a run has no weights to draw."""
        what = self.of_weights
        if what is not None and settings.kernel is not None:
            text = "{kernel:s}: a run with a kernel has no weights of columns, of which " + plain(what) + " is drawn"
            raise SettingError(text, kernel=kernel_name(settings.kernel))
        if what is not None and settings.pulls:
            text = "{l1:g}: a run with L1 keeps no weights on the way, of which " + plain(what) + " is drawn"
            raise SettingError(text, l1=settings.l1)

    def with_rows(self, record: Record, data: Any) -> tuple[Record, str]:
        """What is drawn of, with the rows if they can be had; why not, where a page does without. data: instead of
        those that were read from, None: those. DataError where pictures need rows, or data are others."""
        if record.chunk is not None or not self.files:
            return record, ""
        try:
            return with_rows(record, data), ""
        except (DataError, ModelError) as error:
            counted = self.film is None and self.kind == "errors" and training_error(record) is not None
            if data is not None or (self.of_weights is not None and not counted):
                raise
            return record, str(error)

    def again(self, recipe: Recipe, before: str | None) -> Again | None:
        """The picture of many runs, if it is one. before: the model that is gone on with. SettingError for a recipe of
        which there is none."""
        return Again(self.kind, self.rates, recipe, before) if self.kind in OF_MANY else None

    def draw(
        self,
        record: Record,
        title: str,
        again: Callable[[], Figure] | None = None,
        say: Callable[[str], str] = in_shell,
        missing: str = "",
    ) -> None:
        """Write what is asked for; again: draws many runs; say, missing: as `page_of` has them. OutputError where it
        cannot be written."""
        if self.plot is not None:
            write_picture(self._figure(record, title) if again is None else again(), self.plot)
        if self.film is not None:
            from ..report.pictures.film import film_of, write_film

            content = film_of(record, self.film, self.strip or FILMED, title)
            try:
                write_film(content, self.film)
            except DataError as error:
                raise OutputError(error.message) from None
        if self.html is not None:
            from ..report.page import page_of

            with output_errors(self.html), whole_files(self.html) as files:
                files[0].write(page_of(record, title, say, missing).encode())

    def told(self, record: Record) -> Iterator[str]:
        """The sentences that are asked for, for people."""
        from ..report.trace import told

        return told(record) if self.tell else iter(())

    def values(self, record: Record) -> dict[str, Any]:
        """What `--json` prints of what is drawn and told."""
        from ..report.trace import sentences

        return {"pictures": self.files} | ({"told": list(sentences(record))} if self.tell else {})

    def _figure(self, record: Record, title: str) -> Figure:
        from ..report.pictures import runs, updates

        if self.kind == "update":
            return updates.figure_of_update(record, self.update or 0, title)
        if self.kind == "errors":
            return runs.figure_of_errors(record, title=title)
        if self.kind == "loss":
            return runs.figure_of_loss({"": [epoch["loss"] for epoch in record.epochs]}, title)
        return updates.figure_of_strip(record, self.strip or FIRST, title)


def _check_strip(count: int, most: int) -> None:
    from ..report.pictures.updates import check_count

    try:
        check_count(count, most)
    except SettingError as error:
        raise error.within("--strip: ") from None


def drawing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--plot` and what goes with it, of one run."""
    return _options(KINDS, [])(command)


def learning_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The same where the run can be made again with other words."""
    rates = option("Output", "--rates", metavar="P,Q,...", callback=as_numbers,
                   help="Of --picture rates.  [default: 0.01,0.1,1]")  # fmt: skip
    return _options((*KINDS, *OF_MANY), [rates])(command)


def _options(kinds: Sequence[str], more: list[Decorator]) -> Decorator:
    options: list[Decorator] = [
        plot_option("Draw the run: a .png, .svg or .pdf."),
        picture_option(*kinds, more=", the first updates side by side"),
        *more,
        option("Output", "--update", type=Number(int, 1), help="Draw this update alone, before and after it."),
        option("Output", "--strip", type=Number(int, 1), metavar="N",
               help=f"How many updates --plot and --film show, at most {MOST_PANELS} and {MOST_FRAMES}.  "
                    f"[default: {FIRST}, of a film {FILMED}]"),
        option("Output", "--film", metavar="FILM",
               help="Draw the first updates as a film: a .gif, or with ffmpeg an .mp4."),
        option("Output", "--html", metavar="PAGE",
               help="A page that plays the run in a browser: one .html file that asks for nothing else."),
        switch("Output", "--tell", "Say each update in a sentence: the score before, what was added, the score after."),
    ]  # fmt: skip
    return together(options)
