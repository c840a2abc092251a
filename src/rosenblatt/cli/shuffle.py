"""`rosenblatt shuffle`: the rows of a file in a random order."""

from typing import Any

from ..errors import SettingError, plural
from ..write import whole_files
from ..write.shuffle import shuffled
from .command import Number, command, option
from .options import json_option, reading, reading_options
from .output import check_writable, notes, show
from .progress import Progress
from .sources import moved_rows, output_errors, read_twice


@command(data="IN...", output="OUT")
@option("Run", "--seed", type=Number(int, 0), default=0, show_default=True, help="Of the random order.")
@json_option
@reading_options
def shuffle(data: str, output: str, seed: int, as_json: bool, **words: Any) -> None:
    """Write the rows of IN to OUT in a random order, also of files that are larger than memory.

    IN: svmlight, CSV or text lines, which stay as they are, byte for byte; a header stays first. A folder of mails
    becomes an index of its mails (label, path), which `train` reads. The order is that of
    `numpy.random.default_rng(SEED).random(n)`, sorted: the same seed, the same order.

    Example:
        rosenblatt shuffle sorted.svm.xz mixed.svm.xz --seed 3
    """
    if output == "-" and as_json:
        raise SettingError("--json is printed where the rows go; name a file as OUT")
    if output != "-":
        check_writable(output, data)
    count = 0
    with Progress(printing=output == "-"), read_twice(data) as path:
        rows = moved_rows(path, reading(words), False, output)
        with output_errors(output), whole_files(output) as files:
            files[0].write(rows.header)
            for row in shuffled((row for row, _ in rows), seed):
                files[0].write(row)
                count += 1
    notes(rows.notes)
    if output != "-":
        values = {"rows": count, "seed": seed, "output": output}
        show(values, [f"{plural(count, 'row')} written to {output}"], as_json)
