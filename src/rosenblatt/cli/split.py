"""`rosenblatt split`: data in parts, with the same share of every class in each."""

from collections import Counter
from pathlib import Path
from typing import Any

from ..errors import SettingError, located
from ..read.open import COMPRESSED
from ..read.several import Several
from ..report.words import class_counts, plural, table
from ..write import whole_files
from ..write.shuffle import Dealer, parts_of
from .command import Number, Share, command, option
from .options import json_option, reading, reading_options
from .output import check_writable, notes, show
from .progress import Progress
from .sources import moved_rows, output_errors, read_twice, unlabelled_option


@command(data="IN...")
@option("Parts", "--test", type=Share(), help="Share of the rows for test, the others for train.  [default: 0.2]")
@option("Parts", "--parts", metavar="NAME=SHARE,...", help="Parts by name; shares sum to 1, or are whole numbers.")
@option("Parts", "--stratify/--no-stratify", default=True, help="Every class by itself.  [default: yes]")
@option("Parts", "--seed", type=Number(int, 0), default=0, show_default=True, help="Of the choice of rows.")
@option("Output", "-o", "--output", metavar="PATH", help="Parts are PATH.train.svm ...  [default: IN without suffixes]")
@json_option
@reading_options
@unlabelled_option
def split(data: str, test: float | None, parts: str | None, output: str | None, as_json: bool, **words: Any) -> None:
    """Deal the rows of IN to the files IN.train.svm and IN.test.svm, or to other parts, each with IN's suffixes.

    IN: svmlight, CSV or text lines, which keep their order and every byte; a header is repeated. A folder of mails
    becomes an index (label, path) for each part, which `train` and `evaluate` read. The same seed gives the same parts.

    Example:
        rosenblatt split spambase.svm.xz --test 0.25
        rosenblatt split data.csv --parts train=8,tune=1,test=1 -o my/data
    """
    if test is not None and parts is not None:
        raise SettingError("--test and --parts both say how to split; choose one")
    if test is not None and not 0.0 < test < 1.0:
        raise SettingError(f"--test {test:g} leaves no rows on one side; give a share above 0 and below 1")
    share = 0.2 if test is None else test
    asked = parts_of(f"train={1 - share!r},test={share!r}" if parts is None else parts)
    if output is None and (data == "-" or isinstance(data, Several)):
        called = "standard input has" if data == "-" else "several files have"
        raise SettingError(f"{called} no name for the parts; give one with --output")
    with Progress(), read_twice(data) as path:
        outputs = _names(data, output, tuple(asked))
        for each in outputs:
            check_writable(each, data)
        values = _split(path, outputs, asked, words)
    notes(values.pop("notes"))
    show(values, _text(values), as_json)


def _split(path: str, outputs: list[str], asked: dict[str, float], words: dict[str, Any]) -> dict[str, Any]:
    stratify, seed = words["stratify"], words["seed"]
    rows = moved_rows(path, {**reading(words)}, stratify and not words["unlabelled"], outputs[0])
    labels = Counter(label if stratify else None for _, label in rows)
    dealer = Dealer(labels, tuple(asked.values()), seed)
    due = {label: list(parts) for label, parts in dealer.due.items()}
    empty = [name for p, name in enumerate(asked) if not any(parts[p] for parts in due.values())]
    if empty:
        found = f"found {plural(sum(labels.values()), 'row')}, of which the part {empty[0]!r} would have none"
        raise located(rows.origin, None, found, "expected at least one for each part")
    with output_errors(outputs[0]), whole_files(*outputs) as files:
        for file in files:
            file.write(rows.header)
        for row, label in rows:
            files[dealer.part(label if stratify else None)].write(row)
    made = []
    for p, (name, output) in enumerate(zip(asked, outputs, strict=True)):
        class_rows = {label: parts[p] for label, parts in due.items() if label is not None}
        count = sum(parts[p] for parts in due.values())
        made.append({"name": name, "output": output, "rows": count, "class_rows": class_rows})
    return {"parts": made, "seed": seed, "notes": rows.notes}


def _names(data: str, prefix: str | None, parts: tuple[str, ...]) -> list[str]:
    """`data/a9a.svm.xz` → `data/a9a.train.svm.xz`, …; of a folder `mails.train.index`."""
    path = Path(data.rstrip("/") if data not in ("-", "/") else "data")
    if Path(data).is_dir():
        stem, suffix = path.name, ".index"
    else:
        last = path.suffixes[-2:] if path.suffix.lower() in COMPRESSED else path.suffixes[-1:]
        suffix = "".join(last)
        stem = path.name.removesuffix(suffix)
    start = str(path.with_name(stem)) if prefix is None else prefix
    return [f"{start}.{part}{suffix}" for part in parts]


def _text(values: dict[str, Any]) -> list[str]:
    rows = []
    for part in values["parts"]:
        classes = class_counts(part["class_rows"], 6, " ...")
        rows.append([part["name"], plural(part["rows"], "row"), part["output"], f"({classes})" if classes else ""])
    return table(rows, right=(1,))
