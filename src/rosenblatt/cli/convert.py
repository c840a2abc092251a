"""`rosenblatt convert`: the same rows in another format, or texts and mails as numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from .options import FEATURES, Command, features_options, json_option, option, reading, reading_options
from .sources import unlabelled_option

if TYPE_CHECKING:
    from ..data.batch import Source
    from ..write import Shape
    from .progress import Progress

EXAMPLE = """\
rosenblatt convert spambase.svm.xz spambase.csv
rosenblatt convert mails/ mails.svm.gz --model spam.model --ids
rosenblatt convert table.csv - --to svmlight | head"""


@click.command(cls=Command, example=EXAMPLE)
@click.argument("data", metavar="IN")
@click.argument("output", metavar="OUT")
@option("Output", "--to", metavar="FORMAT", help="svmlight, csv, tsv, parquet, arrow, npz, text.  [default: by name]")
@option(
    "Output",
    "--to-base",
    type=click.Choice(["0", "1"]),
    metavar="0|1",
    help="svmlight: the index of the first column written.  [default: 1]",
)
@option(
    "Output",
    "--numbers",
    metavar="L=N,...",
    help="svmlight: numbers for labels that are words.  [default: -1 and 1; of more than two 0, 1, 2 ...]",
)
@option("Output", "--ids", is_flag=True, help="svmlight: where each row comes from, as a comment at its end.")
@option("Output", "--names", metavar="FILE", help="Names of the columns, a line each.  [default: IN's own]")
@json_option
@option("Features", "--model", metavar="MODEL", help="The numbers that this model would see.")
@features_options
@reading_options
@unlabelled_option
@click.pass_context
def convert(ctx: click.Context, data: str, output: str, as_json: bool, unlabelled: bool, **words: Any) -> None:
    """Write the rows of IN to OUT in the format that its name says: .svm, .csv, .tsv, .parquet, .arrow, .npz, .txt,
    also compressed (.gz, .xz, .bz2, .zst).

    Every number comes back with the same bits. Texts and mails become lines (label, TAB, text) or a table of texts;
    for svmlight and npz, or with an option of features, they become numbers just as `train` makes them, and the words
    are written to OUT.names, one for each column. "-" is standard input, or output.
    """
    from pathlib import Path

    from ..errors import SettingError
    from ..write import output_format
    from .output import check_writable, note, notes, to_json, write_lines
    from .progress import Progress
    from .sources import read_twice

    if output == "-" and as_json:
        raise SettingError("--json is printed where the data go; name a file as OUT")
    words["to"] = output_format(output, words["to"])
    if output != "-":
        check_writable(Path(output), data, words["model"], words["names"])
    words["given"] = {
        name for name in FEATURES if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    }
    with Progress(printing=output == "-") as progress, read_twice(data) as path:
        found = _converted(path, output, words, unlabelled, progress)
    notes(found.pop("notes"))
    if output == "-":
        return
    if as_json:
        write_lines([to_json(found)])
        return
    features = f" of {found['features']:,} features" if found["features"] else ""
    write_lines([f"{found['rows']:,} rows{features} written to {output}"])
    if found["numbers"]:
        note("note: labels: " + ", ".join(f"{label} = {number:g}" for label, number in found["numbers"].items()))
    if found["names"]:
        note(f"note: names of the columns: {found['names']}")


def _converted(path: str, output: str, words: dict[str, Any], unlabelled: bool, progress: Progress) -> dict[str, Any]:
    from ..model.model import Model
    from ..write import whole_files
    from ..write.convert import write_all
    from .data import like_training
    from .sources import as_it_is, output_errors

    if words["model"] is None:
        source = as_it_is(path, reading(words), unlabelled)
    else:
        words["model"] = Model.load(words["model"])
        source = like_training(path, words["model"], reading(words), False if unlabelled else "auto")
    batches, shape = _rows(source, words, progress)
    names = None
    if words["to"] == "svmlight" and shape.names is not None and output != "-":
        names = names_file(output)
    with output_errors(output), whole_files(output, *([names] if names else [])) as files:
        written = write_all(batches, files[0], words["to"], shape)
        if names:
            files[1].write("".join(f"{_one_line(name)}\n" for name in shape.names or []).encode("utf-8", "replace"))
    return {
        "rows": written.rows,
        "features": written.width,
        "format": words["to"],
        "output": output,
        "names": names,
        "numbers": shape.numbers,
        "notes": {**source.notes, **written.notes},
    }


def _rows(source: Source, words: dict[str, Any], progress: Progress) -> tuple[Any, Shape]:
    """(batches to write, what is known of all of them)."""
    from itertools import chain

    from ..errors import DataError
    from ..write import OUTPUTS, Shape
    from ..write.convert import free_names, label_numbers, look, needs_look, parsed_numbers

    to, names, as_read = words["to"], None, True
    numbers = None if words["numbers"] is None else parsed_numbers(words["numbers"])
    shape = Shape("rows", numbers=numbers, base=int(words["to_base"] or 1), ids=words["ids"])
    batches: Any = progress.reading(source, "converting")
    if words["model"] is not None or words["given"] or source.kind not in OUTPUTS[to].kinds:
        batches, shape, names = _features(source, batches, shape, words)
        as_read = False
    read = iter(batches)
    first = next(read, None)
    if first is None:
        raise DataError("found no rows; expected at least one")
    if as_read:
        names = getattr(source, "feature_names", None)
    if isinstance(first.rows, list):
        shape = shape._replace(kind="documents")
    elif not shape.width and not getattr(source, "widening", False):
        shape = shape._replace(width=first.rows.width)
    if needs_look(first, to, shape):
        known = look(chain([first], read))
        if to != "svmlight" or shape.width:
            shape = shape._replace(width=shape.width or known.width)
        if to == "svmlight" and shape.numbers is None:
            shape = shape._replace(numbers=label_numbers(known.labels))
        read = iter(batches)
        first = next(read)
    if words["names"] is not None:
        names = _names_of(words["names"], shape.width)
    if names == Shape("rows", shape.width).called():  # made up when there were none
        names = None
    if names is not None and to != "svmlight":
        names = free_names(names)
    label = _label_name(source, names or []) if first.y is not None else None
    return chain([first], read), shape._replace(names=names, label=label)


def _features(source: Any, batches: Any, shape: Shape, words: dict[str, Any]) -> tuple[Any, Shape, list[str] | None]:
    """Rows as a model sees them, or as `train` with the same options would make them."""
    import numpy as np

    from ..data.batch import AtHand, Batch
    from ..errors import SettingError
    from ..features.pipeline import Features
    from ..write.convert import label_numbers
    from .learn import Known, check_kind, check_needs, feature_options

    model = words["model"]
    if model is None:
        check_needs(words, words["given"])
        check_kind(source, words["given"])
        features, rows, y, ids = Features.fit(batches, feature_options(words))
        names = getattr(source, "feature_names", None)
        seen = Known(source.recipe(), np.empty(0), rows.width, features, names)
        return AtHand(Batch(rows, y, ids)), shape._replace(width=rows.width), _listed(seen)
    if words["given"]:
        raise SettingError("--model has its own features; leave out the options of features")
    numbers = shape.numbers or label_numbers([str(label) for label in model.classes])
    return _Seen(batches, model), shape._replace(width=model.width, numbers=numbers), _listed(model)


def _listed(model: Any) -> list[str] | None:
    """What the columns of a model are called."""
    from .data import names_of

    names = names_of(model)
    return None if names is None else [str(names[j]) for j in range(model.width)]


class _Seen:
    """A re-iterable of batches as a model sees them."""

    def __init__(self, batches: Any, model: Any) -> None:
        self._batches, self._model = batches, model

    def __iter__(self) -> Any:
        for batch in self._batches:
            yield batch._replace(rows=self._model.rows(batch))


def _label_name(source: Any, names: list[str]) -> str:
    """What the label is called in the data, if there is a name that is free, else `label`."""
    columns = getattr(source, "columns", None)
    own = columns.key(columns.label) if columns is not None else None
    return own if isinstance(own, str) and own not in names else "label"


def names_file(output: str) -> str:
    """`mails.svm.gz` → `mails.svm.names`."""
    from ..read.open import uncompressed

    return uncompressed(output) + ".names"


def _one_line(name: str) -> str:
    return " ".join(name.splitlines())


def _names_of(path: str, width: int) -> list[str]:
    from ..errors import located
    from ..read.open import open_bytes

    with open_bytes(path) as stream:
        names = stream.read().decode("utf-8", "replace").splitlines()
    if width and len(names) != width:
        raise located(path, None, f"found {len(names)} names", f"expected one for each of the {width} columns")
    return names
