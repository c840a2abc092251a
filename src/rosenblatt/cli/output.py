"""Where words go: data to standard output, everything else to standard error. Neither ever gives a traceback."""

import codecs
import contextlib
import io
import json
import math
import os
import re
import select
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from ..errors import RosenblattError, SettingError
from ..report.words import printable, wrapped


class OutputError(RosenblattError):
    """A file, or standard output, that cannot be written."""

    exit_code = 5


NAMES = "rosenblatt-names"


def _bytes_of_names(error: UnicodeError) -> tuple[str | bytes, int]:
    """The bytes of a file's name that are no text, as they are; other characters that cannot be written, escaped."""
    if isinstance(error, UnicodeEncodeError):
        with contextlib.suppress(UnicodeEncodeError):
            return error.object[error.start : error.end].encode("ascii", "surrogateescape"), error.end
    return codecs.backslashreplace_errors(error)


codecs.register_error(NAMES, _bytes_of_names)


class _Standard(io.FileIO):
    """Standard output below its buffer: whoever writes to it, a command, the help or a writer of files, learns in one
    sentence that it cannot be written."""

    def write(self, data: Any) -> int:
        try:
            while (written := super().write(data)) is None:  # the pipe of another program may not block
                select.select([], [self], [])
        except BrokenPipeError:
            raise
        except OSError as error:
            silence()
            raise OutputError(f"standard output cannot be written: {error.strerror or error}") from None
        return written


def buffer_standard_output() -> None:
    """All of standard output goes through one buffer, which writes on where the system has taken a part only: the raw
    file that PYTHONUNBUFFERED puts in its place drops the rest and says nothing."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        raw, was = _Standard(sys.stdout.fileno(), "w", closefd=False), sys.stdout
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(raw), was.encoding, NAMES, line_buffering=True)


def write(text: str) -> None:
    """Text to standard output, at once. Raises OutputError (disk full, closed), BrokenPipeError for a closed pipe."""
    if sys.stdout is None:
        raise OutputError("standard output is closed; the result has nowhere to go")
    sys.stdout.write(text)
    sys.stdout.flush()


def silence() -> None:
    """Python flushes standard output once more when it ends, and would complain then about what has failed already."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_lines(lines: Iterable[str]) -> None:
    """Lines to standard output, in one piece."""
    write("".join(f"{printable(line)}\n" for line in lines))


def note(text: str) -> None:
    """A line to standard error; where nobody listens, none."""
    if sys.stderr is not None:
        with contextlib.suppress(OSError):
            sys.stderr.write("\n".join(map(printable, text.split("\n"))) + "\n")
            sys.stderr.flush()


def notes(counted: Mapping[str, int]) -> None:
    """What a reader skipped or changed: `note: blank lines skipped: 3`."""
    for what, count in counted.items():
        note(f"note: {what}: {count:,}" if count else f"note: {what}")


def to_json(value: Any) -> str:
    r"""One line of JSON: numpy's numbers as Python's; NaN and infinity, which JSON has not, as null; bytes of a file's
    name that are no text as Python reads them, `\udce4`, so that `os.fsencode` gives them back."""
    text = json.dumps(_plain(value), ensure_ascii=False, allow_nan=False)
    return SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


SURROGATE = re.compile("[\ud800-\udfff]")


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def show(values: Any, lines: Iterable[str], as_json: bool, files: Iterable[str | None] = ()) -> None:
    """A result: for machines its values, or what gives them; for people lines, and what was written into files."""
    if as_json:
        write_lines([to_json(values() if callable(values) else values)])
    else:
        write_lines(_fitted([*lines, *(f"wrote {path}" for path in files if path)]))


COMMAND = re.compile(r"(^|: )rosenblatt ")


def _fitted(lines: Iterable[str]) -> Iterable[str]:
    """On a terminal sentences that are longer than it is wide are broken between words; tables, and commands that are
    copied, are not."""
    width = shutil.get_terminal_size().columns if sys.stdout is not None and sys.stdout.isatty() else math.inf
    for line in lines:
        text = line.lstrip()
        if len(line) <= width or "  " in text or COMMAND.search(text):
            yield line
        else:
            blank = line[: len(line) - len(text)]
            yield from wrapped(text, int(width), blank, f"{blank}  ")


def check_writable(name: str | os.PathLike[str], *inputs: str | None) -> None:
    """OutputError where a file could not be written, before the work begins; also where it is one of the inputs."""
    path = Path(name)
    if path.name in ("", "-"):
        raise SettingError(f"the output is written to a file, not to {str(path)!r}; name one")
    folder = path.parent
    if not os.path.isdir(folder):  # unlike pathlib's, these say no where nobody may look, or a name is too long
        raise OutputError(f"{path}: there is no folder {folder}; make it first")
    if os.path.isdir(path):
        raise OutputError(f"{path}: it is a folder; name a file in it")
    from ..read.several import paths_of

    for given in (path for data in inputs for path in paths_of(data)):
        if given and given != "-" and os.path.exists(path) and os.path.exists(given) and os.path.samefile(path, given):
            raise OutputError(f"{path}: it is one of the files to read; name another file to write")
    replaced = not os.path.exists(path) or os.path.isfile(path)  # a pipe or device is written to instead
    if replaced and not os.access(folder, os.W_OK | os.X_OK):
        raise OutputError(f"{path}: the folder {folder} is not writable")
