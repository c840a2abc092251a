"""`rosenblatt convert`: the same rows in another format, or texts and mails as numbers."""

from itertools import chain
from typing import Any

import click
import numpy as np

from ..data.batch import AtHand, Batch, Source
from ..errors import DataError, SettingError, located, plural
from ..features.pipeline import Features
from ..model.model import Model
from ..model.representation import Representation
from ..read.anything import source_like
from ..read.open import open_bytes, uncompressed
from ..write import OUTPUTS, Shape, output_format, whole_files
from ..write.convert import free_names, label_numbers, look, needs_look, parsed_numbers, write_all
from .command import command, given, option, switch
from .options import FEATURES, data_options, json_option, reading
from .output import check_writable, note, notes, show
from .progress import Progress
from .recipe import recipe_of
from .sources import as_it_is, output_errors, read_twice, unlabelled_option


@command(data="IN...", output="OUT")
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
@switch("Output", "--ids", "svmlight: where each row comes from, as a comment at its end.")
@option("Output", "--names", metavar="FILE", help="Names of the columns, a line each.  [default: IN's own]")
@json_option
@option("Features", "--model", metavar="MODEL", help="The numbers that this model would see.")
@data_options
@unlabelled_option
def convert(data: str, output: str, as_json: bool, unlabelled: bool, **words: Any) -> None:
    """Write the rows of IN to OUT in the format that its name says: .svm, .csv, .tsv, .parquet, .arrow, .npz, .txt,
    also compressed (.gz, .xz, .bz2, .zst).

    Every number comes back with the same bits. Texts and mails become lines (label, TAB, text) or a table of texts;
    for svmlight and npz, or with an option of features, they become numbers just as `train` makes them, and the words
    are written to OUT.names, one for each column. "-" is standard input, or output.

    Example:
        rosenblatt convert spambase.svm.xz spambase.csv
        rosenblatt convert mails/ mails.svm.gz --model spam.model --ids
        rosenblatt convert table.csv - --to svmlight | head
    """
    if output == "-" and as_json:
        raise SettingError("--json is printed where the data go; name a file as OUT")
    words["to"] = output_format(output, words["to"])
    if output != "-":
        check_writable(output, data, words["model"], words["names"])
    words["given"] = given(words) & set(FEATURES)
    with Progress(printing=output == "-") as progress, read_twice(data) as path:
        written = converted(path, output, words, unlabelled, progress)
    notes(written.pop("notes"))
    if output == "-":
        return
    features = f" of {plural(written['features'], 'feature')}" if written["features"] else ""
    show(written, [f"{plural(written['rows'], 'row')}{features} written to {output}"], as_json)
    if as_json:
        return
    if written["numbers"]:
        note("note: labels: " + ", ".join(f"{label} = {number:g}" for label, number in written["numbers"].items()))
    if written["names"]:
        note(f"note: names of the columns: {written['names']}")


def converted(path: str, output: str, words: dict[str, Any], unlabelled: bool, progress: Progress) -> dict[str, Any]:
    """What was written, in numbers; notes: what was skipped or changed."""
    if words["model"] is None:
        source = as_it_is(path, reading(words), unlabelled)
    else:
        words["model"] = Model.load(words["model"])
        labelled = False if unlabelled else "auto"
        source = source_like(path, words["model"], labelled=labelled, **reading(words))
    batches, shape = _rows(source, words, progress)
    names = None
    if words["to"] == "svmlight" and shape.names is not None and output != "-":
        names = uncompressed(output) + ".names"  # mails.svm.gz → mails.svm.names
    with output_errors(output), whole_files(output, *([names] if names else [])) as files:
        rows, features, changed = write_all(batches, files[0], words["to"], shape)
        if names:
            lines = (" ".join(name.splitlines()) + "\n" for name in shape.names or [])
            files[1].write("".join(lines).encode("utf-8", "replace"))
    found = {"rows": rows, "features": features, "format": words["to"], "output": output, "names": names}
    if shape.kind == "documents" and source.recipe()["format"] == "mail":
        changed = {**changed, "of mails only subject and body are written; as numbers (svmlight, npz), all fields": 0}
    return {**found, "numbers": shape.numbers, "notes": {**source.notes, **changed}}


def _rows(source: Source, words: dict[str, Any], progress: Progress) -> tuple[Any, Shape]:
    """(batches to write, what is known of all of them)."""
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
        names = source.feature_names
    if isinstance(first.rows, list):
        shape = shape._replace(kind="documents")
    elif not shape.width and not getattr(source, "widening", False):
        shape = shape._replace(width=first.rows.width)
    if needs_look(first, to, shape):
        width, labels = look(chain([first], read))
        if to != "svmlight" or shape.width:
            shape = shape._replace(width=shape.width or width)
        if to == "svmlight" and shape.numbers is None:
            shape = shape._replace(numbers=label_numbers(labels))
        read = iter(batches)
        first = next(read)
    if words["names"] is not None:
        names = _names_of(words["names"], shape.width)
    if names is not None and names == Shape("rows", shape.width).called():  # made up when there were none
        names = None
    if names is not None and to != "svmlight":
        names = free_names(names)
    label = _label_name(source, names or []) if first.y is not None else None
    return chain([first], read), shape._replace(names=names, label=label)


def _features(source: Any, batches: Any, shape: Shape, words: dict[str, Any]) -> tuple[Any, Shape, list[str] | None]:
    """Rows as a model sees them, or as `train` with the same options would make them."""
    model = words["model"]
    if model is None:
        recipe = recipe_of({name: words[name] for name in FEATURES})
        recipe.check_kind(source)
        features, rows, y, ids = Features.fit(batches, recipe.features)
        names = source.feature_names
        seen = Representation(classes=np.empty(0), features=features, reading=source.recipe(), names=names)
        return AtHand(Batch(rows, y, ids)), shape._replace(width=rows.width), _listed(seen)
    if words["given"]:
        raise SettingError("--model has its own features; leave out the options of features")
    if model.run.settings.kernel is not None:
        raise SettingError("--model has a kernel, of whose space rows have no columns that could be written")
    numbers = shape.numbers or label_numbers([str(label) for label in model.classes])
    return _Seen(batches, model), shape._replace(width=model.width, numbers=numbers), _listed(model)


def _listed(model: Any) -> list[str] | None:
    """What the columns of a model are called."""
    names = model.feature_names
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


def _names_of(path: str, width: int) -> list[str]:
    with open_bytes(path) as stream:
        names = stream.read().decode("utf-8", "replace").splitlines()
    if width and len(names) != width:
        raise located(path, None, f"found {len(names)} names", f"expected one for each of the {width} columns")
    return names
