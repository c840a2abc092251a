"""Addresses such as https://…, s3://…, memory://… → bytes, through fsspec, without a copy on disk."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import DataError, SettingError, located

ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
INSTALL = "python -m pip install 'rosenblatt[remote]'"


def is_remote(path: str | os.PathLike[str]) -> bool:
    """Whether a path is an address with a scheme; `C:\\…` is none."""
    return isinstance(path, str) and ADDRESS.match(path) is not None


def open_remote(address: str) -> tuple[Any, str, int | None]:
    """(raw stream, name, size or None) of what lies at an address.

    Raises SettingError where fsspec, or what it needs for this scheme, is not installed; DataError where there is no
    such file, it is a folder, or it cannot be reached.
    """
    with _one_sentence(address):
        system, path, size = _look_up(address)
        return _Stream(system.open(path, "rb")), address, size


def remote_size(address: str) -> int | None:
    """Bytes of what lies at an address, None where the server does not say. Raises as `open_remote` does."""
    with _one_sentence(address):
        return _look_up(address)[2]


@contextmanager
def _one_sentence(address: str) -> Iterator[None]:
    """Turns what packages say of an address that cannot be read into one kind of error."""
    try:
        yield
    except (DataError, SettingError):
        raise
    except Exception as error:
        cause = error.__cause__
        refused = isinstance(cause, OSError) and not isinstance(cause, FileNotFoundError)
        said = cause if refused else error  # fsspec says of a server that does not answer that the file is not there
        if isinstance(said, FileNotFoundError):
            raise located(address, None, "there is no such file", "expected a file") from error
        found = f"it cannot be opened ({_sentence(said)})"
        raise located(address, None, found, "expected a readable file") from error


def _look_up(address: str) -> tuple[Any, str, int | None]:
    """(file system, path in it, size) of a file."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise SettingError(f"{address}: addresses are read with fsspec, which is not installed; {INSTALL}") from None
    try:
        system, path = url_to_fs(address)
    except ImportError as error:
        install = f"; {INSTALL}" if address.lower().startswith("http") else ""
        raise SettingError(f"{address}: a package is not installed ({_sentence(error)}){install}") from None
    except ValueError as error:
        raise located(address, None, _sentence(error), "expected an address that fsspec can read") from None
    info = system.info(path)
    if info.get("type") == "directory":
        raise located(address, None, "it is a folder", "expected a file, for mails a tar archive or an mbox")
    return system, path, info.get("size")


def _sentence(error: BaseException | None) -> str:
    """What an error of another package says, on one line."""
    return " ".join(str(error).split())[:200].rstrip(".") or type(error).__name__


class _Stream:
    """A file of fsspec, whose errors are of many packages and become one kind."""

    def __init__(self, file: Any) -> None:
        self._file, self.close = file, file.close

    def read(self, size: int = -1) -> bytes:
        try:
            return self._file.read(size)  # type: ignore[no-any-return]
        except Exception as error:
            raise OSError(_sentence(error)) from error
