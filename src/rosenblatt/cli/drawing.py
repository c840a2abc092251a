"""The options that draw a run off its record."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import DataError, SettingError
from ..trace import Record
from .command import Choice, Decorator, Number, option
from .options import plot_option
from .output import OutputError
from .pictures import check_drawn, check_picture, write_picture

if TYPE_CHECKING:
    from matplotlib.figure import Figure

KINDS = ("strip", "update", "errors", "loss")
FIRST, FILMED = 6, 30
"""Updates of a strip and of a film."""


class Drawing(NamedTuple):
    """What is to be drawn. plot: a picture of this kind; film: a film; update: the one drawn; strip: how many of the
    first ones."""

    plot: str | None
    film: str | None
    picture: str | None
    update: int | None
    strip: int | None

    @classmethod
    def of(cls, words: dict[str, Any]) -> Drawing:
        """Takes its options out of the words of a command. SettingError for those that do not go together."""
        own = cls(**{name: words.pop(name) for name in cls._fields})
        for name, needs in (("picture", ("plot",)), ("update", ("plot",)), ("strip", ("plot", "film"))):
            if getattr(own, name) is not None and not any(getattr(own, need) for need in needs):
                raise SettingError(
                    f"--{name} is about {' or '.join(f'--{need}' for need in needs)}, which is not there"
                )
        if own.update is not None and own.kind != "update":
            raise SettingError(f"--update draws one update, --picture {own.kind} does not; choose one of them")
        if own.update is None and own.kind == "update":
            raise SettingError("--picture update needs to know which: --update K")
        if own.strip is not None and own.film is None and own.kind != "strip":
            raise SettingError("--strip draws the first updates side by side, the other option does not; choose one")
        return own

    @property
    def kind(self) -> str:
        return self.picture or ("strip" if self.update is None else "update")

    @property
    def files(self) -> list[str]:
        """Those that are written."""
        return [path for path in (self.plot, self.film) if path is not None]

    def check(self, *others: str | None) -> None:
        """Before the work begins: names, and that nothing is overwritten. others: files that must stay."""
        check_picture("--plot", self.plot, *others)
        if self.plot is not None and self.kind == "strip":
            from ..report.pictures.updates import MOST_PANELS, check_count

            check_count(self.strip or FIRST, MOST_PANELS)
        if self.film is not None:
            from ..report.pictures.film import check_film
            from ..report.pictures.updates import MOST_FRAMES, check_count

            check_count(self.strip or FILMED, MOST_FRAMES)
            check_drawn("--film", self.film, check_film, self.plot, *others)

    def draw(self, record: Record, title: str) -> None:
        """Write what is asked for. OutputError where it cannot be written."""
        if self.plot is not None:
            write_picture(self._figure(record, title), self.plot)
        if self.film is not None:
            from ..report.pictures.film import film_of, write_film

            content = film_of(record, self.film, self.strip or FILMED, title)
            try:
                write_film(content, self.film)
            except DataError as error:
                raise OutputError(error.message) from None

    def _figure(self, record: Record, title: str) -> Figure:
        from ..report.pictures import runs, updates

        if self.kind == "update":
            return updates.figure_of_update(record, self.update or 0, title)
        if self.kind == "errors":
            return runs.figure_of_errors(record, title=title)
        if self.kind == "loss":
            return runs.figure_of_loss({"": [epoch["loss"] for epoch in record.epochs]}, title)
        return updates.figure_of_strip(record, self.strip or FIRST, title)


def drawing_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--plot` and what goes with it."""
    options: list[Decorator] = [
        plot_option("Draw the run: a .png, .svg or .pdf."),
        option("Output", "--picture", type=Choice(KINDS),
               help=f"What --plot draws: {', '.join(KINDS)}.  [default: strip, the first updates side by side]"),
        option("Output", "--update", type=Number(int, 1), help="Draw this update alone, before and after it."),
        option("Output", "--strip", type=Number(int, 1), metavar="N",
               help=f"How many updates --plot and --film show.  [default: {FIRST}, of a film {FILMED}]"),
        option("Output", "--film", metavar="FILM",
               help="Draw the first updates as a film: a .gif, or with ffmpeg an .mp4."),
    ]  # fmt: skip
    for each in reversed(options):
        command = each(command)
    return command
