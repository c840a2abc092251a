"""numba, loaded in less time."""

from contextlib import suppress
from threading import Lock

_LOADING = Lock()


def load_numba() -> None:
    """All of it that compiling needs, but scipy.linalg: to know at once whether that is there for np.dot takes 0.12 s
    of CPU in each process, and numba asks again where np.dot is called."""
    with _LOADING, suppress(ImportError):
        from numba.np import linalg

        asks = linalg.ensure_blas
        linalg.ensure_blas = _no_blas
        try:
            import numba.np.arraymath  # noqa: F401
        finally:
            linalg.ensure_blas = asks


def _no_blas() -> None:
    raise ImportError
