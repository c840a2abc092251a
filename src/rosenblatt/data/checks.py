"""Arrays, labels, weights, seconds and shares as Python gives them: made this package's own, or refused in one sentence
that says which of them cannot be learned from."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from ..core.rows import Array, Rows, csr, dense
from ..errors import DataError, SettingError, plain, plural
from ..parameters import NONE, Parameter

MOST_WHOLE = 2**53


def rows_from(X: Any) -> Rows:
    """Rows of an (n, d) array, list, DataFrame or scipy sparse matrix; X itself where it is rows already.

    float32 and float64 are kept; all else becomes float64, and must be exact in it, but text and decimals, which are
    read as numbers are. DataError for masked values, for what is no real number, is rounded, or has no two dimensions.
    """
    if hasattr(type(X), "scores"):  # a verb of every kind of rows, of ours and of others
        return X
    from scipy import sparse

    if sparse.issparse(X):
        if X.ndim != 2:
            raise DataError(f"the rows have shape {X.shape}; expected (rows, columns)")
        if X.format == "coo":  # tocsr sums what lies in one place, and int8 would overflow
            X = X.copy()
            X.data = _exact(X.data)
        x = X.tocsr()
        return csr(_exact(x.data), x.indices, x.indptr, x.shape[1])
    masked = masked_row(X)
    if masked is not None:
        raise DataError(f"row {masked + 1}: found a masked value; all values must be there")
    try:
        x = np.asarray(X)
    except ValueError:
        raise DataError("the rows are not equally long; expected (rows, columns)") from None
    if x.ndim != 2:
        raise DataError(f"the rows have shape {x.shape}; expected (rows, columns)")
    try:
        return dense(_exact(x))
    except DataError as error:
        raise error.within(column_named(X)) from None


def column_named(X: Any) -> str:
    """`column 'when': ` of the first column of a DataFrame that holds no numbers; "" of other data."""
    for p, name in enumerate(getattr(X, "columns", ())):
        try:
            _exact(np.asarray(X.iloc[:, p]))
        except (AttributeError, DataError):
            return f"column {name!r}: "
    return ""


def name_twice(names: Iterable[str]) -> str | None:
    """The first name that was there before."""
    seen: set[str] = set()  # a list of all before takes a minute for 100,000 columns
    return next((name for name in names if name in seen or seen.add(name)), None)  # type: ignore[func-returns-value]


def masked_row(values: Any) -> int | None:
    """The first row of a masked array with a masked value."""
    masked = np.argwhere(np.ma.getmaskarray(values)) if np.ma.isMaskedArray(values) else np.empty((0, 1))
    return int(masked[0, 0]) if masked.size else None


def _exact(values: Array) -> Array:
    """float32 and float64 as they are; other numbers in float64, where that holds them exactly."""
    if values.dtype in (np.float32, np.float64):
        return values
    if values.dtype == object or values.dtype.kind in "US":
        return _parsed(values)
    if values.dtype.kind in "iu" and values.size and max(abs(int(values.min())), abs(int(values.max()))) > MOST_WHOLE:
        raise DataError(f"the rows hold whole numbers above 2**53, which float64 rounds (dtype {values.dtype})")
    if values.dtype.kind not in "iubf" or values.dtype.itemsize > 8:
        raise DataError(f"the rows have dtype {values.dtype}; expected real numbers that float64 can hold")
    return values.astype(np.float64)


def _parsed(values: Array) -> Array:
    """Objects and texts in float64. Text and decimals are what is read of them; None is NaN, which others refuse."""
    try:
        held = values.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"the rows hold something that is no number: {error}") from None
    if values.dtype == object:
        for value, number in zip(values.ravel().tolist(), held.ravel().tolist(), strict=True):
            if number == number and not isinstance(value, (str, bytes, Decimal)) and value != number:
                raise DataError(f"the rows hold {str(value)[:40]}, which float64 rounds; round it before")
    return held


def labels_from(y: Any, rows: int) -> Array:
    """(n,) labels that can be sorted. DataError where they are not one a row, where one is missing (None, NaN, masked),
    and for complex numbers and things of kinds that have no order among them."""
    masked = masked_row(y)
    if masked is not None:
        raise DataError(f"row {masked + 1}: its label is masked; every row needs a label")
    try:
        labels = np.asarray(y)
    except ValueError:
        raise DataError("the labels are not all of one kind; there must be one label a row") from None
    if labels.ndim != 1 or len(labels) != rows:
        raise DataError(f"{plural(rows, 'row')} but labels of shape {labels.shape}; there must be one label a row")
    if labels.dtype.kind == "c":
        raise DataError(f"the labels have dtype {labels.dtype}, which has no order; expected numbers or text")
    missing = list(map(_missing, labels.tolist())) if labels.dtype == object else labels != labels
    if np.any(missing):
        row = int(np.argmax(missing))
        raise DataError(f"row {row + 1}: found the label {labels[row]}; every row needs a label")
    if labels.dtype == object and set(map(type, labels.tolist())) == {str}:
        return labels.astype(str)  # "1" stays text, as scikit-learn has it; of a file it is a number
    if labels.dtype == object:
        held = np.array(labels.tolist())  # 0, 0.0 and False are one label, which text would tell apart
        if held.shape == labels.shape and held.dtype.kind in "biuf" and (held == labels).all():
            return held
        try:
            np.unique(labels)
        except TypeError:
            kinds = ", ".join(sorted({type(label).__name__ for label in labels.tolist()}))
            raise DataError(f"the labels are of kinds without a common order ({kinds}); expected one kind") from None
    return labels


def _missing(label: Any) -> bool:
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):  # pandas.NA is neither equal nor unequal to anything
        return True


def seed_of(random_state: Any) -> int:
    """A seed: a whole number ≥ 0 as it is; one drawn from a generator of numpy's; of None a new one each time."""
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        if random_state < 0:
            raise SettingError("{random_state:s} must be ≥ 0", random_state=random_state)
        return int(random_state)
    if hasattr(random_state, "integers"):
        return int(random_state.integers(2**31))
    if hasattr(random_state, "randint"):
        return int(random_state.randint(2**31 - 1))
    text = "{random_state} must be a whole number ≥ 0, None or a random generator"
    raise SettingError(text, random_state=random_state)


def at_most(n: int, share: float) -> int:
    """The largest k with k/n ≤ share < 1, as floats say it: a limit in whole rows. .29 of 100 are 29, though the
    product is less in floats; .8999999999999999 of 10 are 8, though it is 9."""
    return bisect_right(range(n + 1), share, key=lambda k: k / n) - 1


def at_least(n: int, share: float) -> int:
    """The smallest k with k/n ≥ share: .07 of 100 are 7, though the product is more than 7 in floats."""
    return bisect_left(range(n + 1), share, key=lambda k: k / n)


def check_seconds(name: str, seconds: Any, zero: bool = False) -> None:
    """SettingError where it is neither None nor a number above 0 (zero: of at least 0)."""
    refusal = f"{{{name}}} must be None or a number of seconds {'≥ 0' if zero else 'above 0'}"
    Parameter(name, None, float, least=0, above=not zero, words=NONE, refusal=refusal).check(seconds)


MOST_WEIGHT = 1e100
"""Of a row: times a step, times a squared length of at most 1e290 over many rows, it must stay a number."""


def check_finite(rows: Rows, names: Sequence[str] | None = None, first: int = 1, read: Any = None) -> float:
    """The largest magnitude of all values.

    DataError naming row and feature (counted from 1, or by name) of the first value that is NaN or infinite. first: the
    number of the first row. read: the rows as they were read; a value that is finite there is the one that is named.
    """
    largest = rows.largest()
    if np.isfinite(largest):
        return largest
    row, column, value = rows.first_not_finite()
    name = f"feature {column + 1}" if names is None else f"feature {names[column]!r}"
    place = f"row {first + row}, {name}"
    columns, values = (np.empty(0), np.empty(0)) if read is None or isinstance(read, list) else read.row(row)
    for own in values[columns == column]:
        if np.isfinite(own):
            found = f"found {own:g}, which the model's scaling turns into {value}"
            raise DataError(f"{place}: {found}; expected values of the size of those that it learned from")
    raise DataError(f"{place}: found {value} (NaN or infinity); values must be finite")


def check_range(rows: Rows, largest: float) -> None:
    """DataError naming the first row whose ‖x‖² leaves no room for sums of it: > 1e30 in float32, 1e290 in float64; or
    where all values are so small that squares come out as 0: < 1e-22 in float32, 1e-161 in float64.

    largest: the largest magnitude of all values. Beyond the limit scores overflow to NaN, which is neither right nor
    wrong, or are 0, which is wrong for ever, and nothing would be learned without a word.
    """
    dtype = rows.dtype
    most, least = (1e30, 1e-22) if dtype == np.float32 else (1e290, 1e-161)
    if 0.0 < largest < least:
        found = f"the largest value of all is {largest:g}, whose square is 0 in {dtype}"
        raise DataError(f"{found}: nothing could be learned; scale the features")
    if largest <= np.sqrt(most / max(rows.width, 1)):
        return
    with np.errstate(over="ignore"):
        norms = rows.sq_norms()
    row = int((~(norms <= most)).argmax())
    if not norms[row] <= most:
        found = f"row {row + 1}: its squared length {norms[row]:g} is too large for sums in {dtype}"
        raise DataError(f"{found} (largest value of all: {largest:g}); scale the features")


def checked_weights(weight: Any, n: int) -> Array | None:
    """Sample weights as (n,) float64, or None; DataError where one is negative or not finite."""
    if weight is None:
        return None
    weight = np.array(weight, dtype=np.float64)
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise DataError(f"sample_weight has shape {weight.shape}; {plural(n, 'row')} need shape ({n},)")
    bad = np.flatnonzero(~(weight >= 0.0) | ~np.isfinite(weight))
    if bad.size:
        raise DataError(f"row {bad[0] + 1}: sample weight {weight[bad[0]]}; weights must be finite and ≥ 0")
    if weight.size and weight.max() > MOST_WEIGHT:
        row = int(weight.argmax())
        raise DataError(
            f"row {row + 1}: sample weight {weight[row]:g}; above {MOST_WEIGHT:g} their sums could overflow"
        )
    return weight


def combined_weight(y: Array, classes: Array, class_weight: Any, weight: Array | None) -> Array | None:
    """The sample weights times the class weights; "balanced": n/(K·n_k) from the labels at hand."""
    if class_weight is None:
        return weight
    values, counts = np.unique(y, return_counts=True)
    if not isinstance(class_weight, Mapping):
        if not isinstance(class_weight, str) or class_weight != "balanced":
            text = '{class_weight} must be None, "balanced" or a dict of label: weight'
            raise SettingError(text, class_weight=class_weight)
        table = {v: len(y) / (values.size * n) for v, n in zip(values.tolist(), counts, strict=True)}
    else:
        unknown = [name for name in class_weight if name not in classes.tolist()]
        if unknown:
            known = ", ".join(map(str, classes))
            found = f"{{class_weight.name}}: {plain(repr(unknown[0]))} is not a label"
            raise SettingError(f"{found}; the labels are {plain(known)}", class_weight=None)
        table = dict(class_weight)
    for name, factor in table.items():
        if not (isinstance(factor, Real) and 0.0 <= float(factor) < np.inf):
            text = (
                f"{{class_weight.name}} of {plain(repr(name))} is {plain(repr(factor))}; weights must be finite and ≥ 0"
            )
            raise SettingError(text, class_weight=None)
    factors = np.array([float(table.get(v, 1.0)) for v in values.tolist()])
    own = factors[np.searchsorted(values, y)]
    return checked_weights(own if weight is None else own * weight, len(y))
