"""A film of the first updates of a run."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...errors import DataError, SettingError
from ...trace.record import Record
from ...write.files import whole_file
from .canvas import rendered
from .updates import frames

SECONDS = 1.6
"""That an update is seen: time to read its sentence."""
FILMS = (".gif", ".mp4")


def check_film(path: str | os.PathLike[str]) -> str:
    """gif or mp4. SettingError for another name, and where there is no ffmpeg to write an .mp4."""
    suffix = Path(path).suffix.lower()
    if suffix not in FILMS:
        raise SettingError(f"{os.fspath(path)}: a film's name ends in {' or '.join(FILMS)}")
    if suffix == ".mp4" and shutil.which("ffmpeg") is None:
        raise SettingError(f"{os.fspath(path)}: an .mp4 is written by ffmpeg, which is not here; name the film .gif")
    return suffix[1:]


def film_of(record: Record, path: str | os.PathLike[str], k: int, title: str | Sequence[str] = "") -> bytes:
    """The first k updates as the bytes of a film that is to have this name. SettingError as `check_film`."""
    kind = check_film(path)
    sheets = (rendered(figure, "png") for figure in frames(record, k, title))
    return _gif(sheets) if kind == "gif" else _mp4(sheets, os.fspath(path))


def write_film(content: bytes, path: str | os.PathLike[str]) -> None:
    """Whole or not at all. DataError where it cannot be written."""
    try:
        with whole_file(path) as file:
            file.write(content)
    except OSError as error:
        raise DataError(f"{os.fspath(path)}: the film cannot be written: {error.strerror or error}") from None


def _gif(sheets: Iterable[bytes]) -> bytes:
    from PIL import Image  # matplotlib brings it

    images = [Image.open(io.BytesIO(sheet)).convert("RGB").quantize(128) for sheet in sheets]
    out, durations = io.BytesIO(), [int(1000 * SECONDS)] * (len(images) - 1) + [int(3000 * SECONDS)]
    images[0].save(out, "GIF", save_all=True, append_images=images[1:], duration=durations, loop=0)
    return out.getvalue()


def _mp4(sheets: Iterable[bytes], name: str) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "film.mp4"
        even = "pad=ceil(iw/2)*2:ceil(ih/2)*2:color=white"  # the usual codec takes no odd sizes
        words = ["-f", "image2pipe", "-framerate", f"{1 / SECONDS:g}", "-c:v", "png", "-i", "-", "-vf", even]
        words += ["-r", "10", "-pix_fmt", "yuv420p", str(made)]
        done = subprocess.run(["ffmpeg", "-loglevel", "error", *words], input=b"".join(sheets), capture_output=True)
        if done.returncode or not made.is_file():
            why = done.stderr.decode(errors="replace").strip().splitlines() or [f"exit code {done.returncode}"]
            raise DataError(f"{name}: ffmpeg could not write the film: {why[-1]}")
        return made.read_bytes()
