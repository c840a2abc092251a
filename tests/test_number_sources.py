"""Arrays and columns of numbers in files: idx, NumPy, SciPy, Parquet and Arrow."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from command import process, run, well
from reading import refusal, texts, whole
from rosenblatt.errors import DataError, SettingError
from rosenblatt.read import from_recipe, open_source

pa = pytest.importorskip("pyarrow")
from pyarrow import feather, parquet  # noqa: E402

X = np.array([[1.0, 2.5, -3.0], [0.0, 0.1, 4.0], [7.0, -0.0, 1e-9], [2.0, 2.0, 2.0]])
Y = np.array([1, 0, 1, 0])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def idx(values: Any, kind: int = 8, dtype: str = ">u1") -> bytes:
    values = np.asarray(values)
    shape = struct.pack(f">{values.ndim}I", *values.shape)
    return bytes([0, 0, kind, values.ndim]) + shape + values.astype(dtype).tobytes()


# --- idx -------------------------------------------------------------------------------------------------------------


def test_idx_images_find_their_labels_by_the_usual_name(here: Path) -> None:
    images = np.arange(24).reshape(4, 2, 3)
    (here / "train-images-idx3-ubyte").write_bytes(idx(images))
    (here / "train-labels-idx1-ubyte.gz").write_bytes(gzip.compress(idx([3, 1, 4, 1])))
    source = open_source("train-images-idx3-ubyte")
    assert whole(source) == (images.reshape(4, 6).tolist(), [3.0, 1.0, 4.0, 1.0])
    assert whole(source) == whole(open_source("train-images-idx3-ubyte", "idx"))  # again, and by name
    (here / "other.idx").write_bytes(idx(images))
    assert whole(open_source("other.idx", label="train-labels-idx1-ubyte.gz"))[1] == [3.0, 1.0, 4.0, 1.0]
    assert whole(open_source("other.idx", labelled="auto"))[1] is None
    assert "found no file of labels beside it" in refusal(lambda: open_source("other.idx"))


@pytest.mark.parametrize(
    ("kind", "dtype"), [(8, ">u1"), (9, ">i1"), (11, ">i2"), (12, ">i4"), (13, ">f4"), (14, ">f8")]
)
def test_idx_types(here: Path, kind: int, dtype: str) -> None:
    (here / "a.idx").write_bytes(idx(X[:, :2].round(), kind, dtype) if kind > 8 else idx(abs(X).round()))
    batch = next(iter(open_source("a.idx", labelled=False)))
    assert batch.rows.values.dtype == (np.float32 if kind == 13 else np.float64)
    assert batch.rows.values.tolist() == (X[:, :2].round() if kind > 8 else abs(X).round()).tolist()


def test_damaged_idx_files(here: Path) -> None:
    good = idx(np.ones((4, 2, 2)))
    cases = {
        b"": "found no bytes at the start",
        good[:6]: "cut short in its header",
        good[:-1]: "cut short: found 15 of 16 values",
        good + b"x": "found more than the 16 values",
        b"\0\0\x07\x03" + good[4:]: "found 00 00 07 03",
        idx([1, 2]): "labels go to label=",
    }
    for content, message in cases.items():
        (here / "a.idx").write_bytes(content)
        assert message in refusal(lambda: open_source("a.idx", labelled=False))
    (here / "a.idx").write_bytes(good)
    (here / "l.idx").write_bytes(idx([1, 2, 3]))
    assert "found 4 images and 3 labels" in refusal(lambda: open_source("a.idx", label="l.idx"))
    message = refusal(lambda: from_recipe("a.idx", {"format": "idx"}, width=9))
    assert "found images of 2 x 2 pixels; expected the model's 9" in message
    huge = bytes([0, 0, 14, 2]) + struct.pack(">2I", 2**32 - 1, 2**32 - 1)
    (here / "a.idx").write_bytes(huge)
    assert "cut short" in refusal(lambda: open_source("a.idx", labelled=False))


def test_mnist(shared_data: Callable[[str], Path]) -> None:
    source = open_source(shared_data("mnist") / "t10k-images-idx3-ubyte.xz")
    batches = list(source)
    assert sum(len(batch.y) for batch in batches if batch.y is not None) == 10_000
    assert len(batches) > 5 and batches[0].rows[0].shape[1] == 784
    assert batches[0].y is not None and batches[0].y[:5].tolist() == [7, 2, 1, 0, 4]


# --- NumPy -----------------------------------------------------------------------------------------------------------


def test_npy_with_a_column_a_file_or_no_labels(here: Path) -> None:
    np.save("X_train.npy", X)
    np.save("y_train.npy", Y)
    np.save("l.npy", np.array(["a", "b", "a", "c"]))
    np.save("all.npy", np.column_stack([Y, X]))
    assert whole(open_source("X_train.npy")) == (X.tolist(), [1.0, 0.0, 1.0, 0.0])
    assert whole(open_source("X_train.npy", label="l.npy"))[1] == ["a", "b", "a", "c"]
    source = open_source("all.npy", label="1")
    assert whole(source) == (X.tolist(), [1.0, 0.0, 1.0, 0.0])
    recipe = source.recipe()
    assert whole(from_recipe("all.npy", recipe, width=3)) == (X.tolist(), [1.0, 0.0, 1.0, 0.0])
    assert whole(from_recipe("X_train.npy", recipe, width=3))[1] is None
    assert "expected the model's 3" in refusal(lambda: from_recipe("all.npy", {"format": "npy"}, width=3))
    assert "expected a column 9" in refusal(lambda: open_source("all.npy", label=9))
    assert "found no labels" in refusal(lambda: open_source("all.npy"))
    np.save("short.npy", Y[:3])
    assert "found 4 rows and 3 labels" in refusal(lambda: open_source("X_train.npy", label="short.npy"))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", "i1", "u8", "bool"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy_types_and_orders(dtype: str, order: Any) -> None:
    values = np.abs(X).round().astype(dtype)
    np.save("a.npy", np.asarray(values, order=order))
    batch = next(iter(open_source("a.npy", labelled=False)))
    kept = np.float32 if dtype in ("f2", "f4", ">f4") else np.float64
    assert batch.rows.values.dtype == kept and batch.rows.values.tolist() == values.astype(float).tolist()


def test_images_are_rows_of_pixels() -> None:
    """What Keras ships: x_train (n, 28, 28) beside x_test."""
    np.savez("mnist.npz", x_train=np.arange(24).reshape(2, 3, 4), y_train=[3, 8], x_test=np.ones((1, 3, 4)), y_test=[1])
    source = open_source("mnist.npz")
    assert whole(source) == (np.arange(24.0).reshape(2, 12).tolist(), [3.0, 8.0])
    assert source.notes == {"arrays ignored": 2}
    assert whole(open_source("mnist.npz", array="x_test")) == ([[1.0] * 12], [1.0])


@pytest.mark.parametrize(
    ("rows", "labels"), [("X", "y"), ("data", "labels"), ("data", "target"), ("X_train", "y_train"), ("arr_0", "arr_1")]
)
def test_usual_names_in_npz(rows: str, labels: str) -> None:
    np.savez_compressed("a.npz", **{rows: X, labels: Y})
    assert whole(open_source("a.npz")) == (X.tolist(), Y.astype(float).tolist())


def test_names_in_npz_that_are_not_usual() -> None:
    np.savez("a.npz", P=X, q=Y, r=Y)
    assert "found the arrays P, q, r; expected one of a usual name" in refusal(lambda: open_source("a.npz"))
    assert whole(open_source("a.npz", array="P", label="q"))[1] == [1.0, 0.0, 1.0, 0.0]
    assert "expected an array 'Q'" in refusal(lambda: open_source("a.npz", array="Q"))


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i8"])
def test_scipy_sparse_matrices(format: str, dtype: str) -> None:
    matrix = sp.random_array((60, 30), density=0.1, rng=np.random.default_rng(1)) * 9
    matrix = matrix.astype(dtype).asformat(format)
    sp.save_npz("s.npz", matrix)
    source = open_source("s.npz", labelled="auto")
    assert whole(source) == (matrix.toarray().astype(float).tolist(), None)
    batch = next(iter(source))
    assert batch.rows.dtype == (np.float32 if dtype == "f4" else np.float64)
    assert next(iter(from_recipe("s.npz", {"format": "npz"}, width=40))).rows.shape[0] == 40  # type: ignore[union-attr]
    assert "expected the model's 20" in refusal(lambda: from_recipe("s.npz", {"format": "npz"}, width=20))
    assert "without labels" in refusal(lambda: open_source("s.npz"))


def test_a_sparse_matrix_in_any_order_and_with_64_bit_indices() -> None:
    """peers.md: sparse matrices with int64 indices are accepted; SciPy means the sum where a column is there twice."""
    parts = {"data": [1.0, 2, 4, 8], "indices": np.array([2, 0, 1, 1], np.int64), "indptr": np.array([0, 2, 4])}
    np.savez("s.npz", **parts, shape=(2, 3), format=b"csr", y=[1, 0])
    assert whole(open_source("s.npz")) == ([[2.0, 0.0, 1.0], [0.0, 12.0, 0.0]], [1.0, 0.0])


def test_damaged_sparse_matrices() -> None:
    good = {"data": [1.0, 2.0], "indices": [0, 1], "indptr": [0, 1, 2], "shape": (2, 2), "format": b"csr"}
    cases: list[tuple[dict[str, Any], str]] = [
        ({"indices": [0, 5]}, "found a column outside 0 to 1"),
        ({"indices": [0, -1]}, "found a column outside 0 to 1"),
        ({"indptr": [0, 2, 1]}, "row pointers do not fit"),
        ({"indptr": [0, 1]}, "row pointers do not fit"),
        ({"indptr": [0, 1, 9]}, "do not fit"),
        ({"data": [1.0]}, "do not fit"),
        ({"data": [1.0, np.nan]}, "row 2: found nan"),
        ({"format": b"dia"}, "format 'dia'"),
        ({"format": b"csc", "indices": [0, 7]}, "damaged"),
        ({"shape": (2, 2, 2)}, "format 'csr'"),
    ]
    for change, message in cases:
        np.savez("s.npz", **{**good, **change})
        assert message in refusal(lambda: open_source("s.npz", labelled="auto"))


def test_nothing_is_unpickled(here: Path) -> None:
    """peers.md: pickled models run code (nltk#3266): arrays of objects are refused."""
    np.save("o.npy", np.array([[1, "a"]], object), allow_pickle=True)
    np.savez("o.npz", X=np.array([[1, 2]], object), y=[1])
    for name in ("o.npy", "o.npz"):
        assert "Python objects (pickled), which is never loaded" in refusal(lambda name=name: open_source(name))
    assert "allow_pickle=True" not in "".join(
        p.read_text() for p in Path(open_source.__code__.co_filename).parent.glob("*.py")
    )


def test_arrays_that_are_no_table() -> None:
    cases = [
        (np.ones(3), "found an array of 1 dimension"),
        (np.array(3.0), "found an array of 0 dimensions"),
        (np.ones((2, 2), complex), "found values of type complex128"),
        (np.array([["a", "b"]]), "found values of type <U1"),
        (np.array([(1, 2)], [("a", "i4"), ("b", "f4")]), "found an array of 1 dimension, expected"),
        (np.array([[1, np.nan]]), "row 1: found nan in column 2"),
        (np.ones((0, 3)), "found no rows"),
    ]
    for values, message in cases:
        np.save("a.npy", values)
        if values.dtype.names is None:
            assert message in refusal(lambda: open_source("a.npy", labelled=False))
        else:
            refusal(lambda: open_source("a.npy", labelled=False))
    np.save("a.npy", np.array([[1, np.nan], [2, 3], [np.inf, 0]]))
    source = open_source("a.npy", labelled=False, bad="skip")
    assert whole(source)[0] == [[2.0, 3.0]] and source.notes == {"bad rows skipped": 2}
    source = open_source("a.npy", label=2, bad="skip")  # the label of row 1 is missing
    assert whole(source) == ([[2.0]], [3.0]) and source.notes == {"bad rows skipped": 2}


# --- Parquet and Arrow -----------------------------------------------------------------------------------------------


def frame() -> Any:
    kinds = pa.array(["x", "y", "x"]).dictionary_encode()
    return pa.table(
        {"a": pa.array([1, 2, 3], pa.int8()), "kind": kinds, "b": [0.5, 0.1, 2.0], "c": [True, False, True]}
    )


WRITERS: dict[str, Callable[[Any, str], Any]] = {
    "t.parquet": lambda table, path: parquet.write_table(table, path, row_group_size=2),
    "t.feather": lambda table, path: feather.write_feather(table, path, chunksize=2),
}


@pytest.mark.parametrize("name", WRITERS)
def test_columns_of_numbers_and_a_label(name: str) -> None:
    WRITERS[name](frame(), name)
    source: Any = open_source(name)
    expected = [[1.0, 0.5, 1.0], [2.0, 0.1, 0.0], [3.0, 2.0, 1.0]]
    assert whole(source) == (expected, ["x", "y", "x"]) == whole(source)
    assert source.feature_names == ["a", "b", "c"]
    recipe = source.recipe()
    WRITERS[name](frame().select(["c", "b", "a"]), "new." + name)
    assert whole(from_recipe("new." + name, recipe)) == (expected, None)
    WRITERS[name](frame().rename_columns(["a", "kind", "B", "c"]), "new." + name)
    assert "found no column 'b'" in refusal(lambda: from_recipe("new." + name, recipe))
    Path("t.csv").write_text("c,b,a\n1,0.5,1\n")
    assert whole(from_recipe("t.csv", recipe))[0] == [[1.0, 0.5, 1.0]]  # the same choices, another format


@pytest.mark.parametrize("name", WRITERS)
def test_rows_without_a_value_or_a_label_are_counted_once(name: str) -> None:
    table = pa.table({"a": [1.0, 2.0, None, np.inf], "label": [1.0, np.nan, 1.0, 0.0]})
    WRITERS[name](table, name)
    source = open_source(name, bad="skip")
    assert whole(source) == ([[1.0]], [1.0]) and source.notes == {"bad rows skipped": 3}
    WRITERS[name](table.slice(0, 2), name)
    assert "row 2: found nan in column 1 (label)" in refusal(lambda: open_source(name))


@pytest.mark.parametrize("name", WRITERS)
def test_a_column_of_texts(name: str) -> None:
    table = pa.table({"label": ["spam", "ham"], "subject": ["Free\nmoney", "lunch"], "n": [1, 2]})
    WRITERS[name](table, name)
    source = open_source(name, text="subject")
    assert texts(source) == (["Free\nmoney", "lunch"], ["spam", "ham"])
    assert source.notes == {"columns ignored (n)": 1}


@pytest.mark.parametrize("name", WRITERS)
def test_columns_that_are_no_numbers(name: str) -> None:
    for column, kind in [([[1], [2]], "list"), ([{"p": 1}, {"p": 2}], "struct"), ([b"1", b"2"], "binary")]:
        WRITERS[name](pa.table({"a": column, "b": [1, 2], "label": [0, 1]}), name)
        message = refusal(lambda: open_source(name))
        assert kind in message and "column 1 (a)" in message and "expected numbers" in message
    WRITERS[name](pa.table({"a": [1.0, None], "label": [0, 1]}), name)
    assert "row 2: found no value in column 1 (a)" in refusal(lambda: open_source(name))
    assert whole(open_source(name, bad="skip")) == ([[1.0]], [0.0])
    WRITERS[name](pa.table({"a": [1.0, float("inf")], "label": [0, 1]}), name)
    assert "row 2: found inf in column 1 (a)" in refusal(lambda: open_source(name))
    WRITERS[name](pa.table({"a": [1.0, 2.0], "label": [0, None]}), name)
    assert "row 2: found no value in column 2 (label)" in refusal(lambda: open_source(name))


@pytest.mark.parametrize("name", WRITERS)
def test_float32_columns_stay_float32(name: str) -> None:
    WRITERS[name](pa.table({"a": pa.array([0.1, 0.2], pa.float32()), "label": [1, 2]}), name)
    assert next(iter(open_source(name))).rows.dtype == np.float32


def test_without_pyarrow_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(frame(), "t.parquet")
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    assert "rosenblatt[parquet]" in refusal(lambda: open_source("t.parquet"), SettingError)


# --- all of them -----------------------------------------------------------------------------------------------------


def write_each(folder: Path) -> list[Path]:
    np.save(folder / "a.npy", np.column_stack([X, Y]))
    np.savez_compressed(folder / "a.npz", X=X, y=Y)
    sp.save_npz(folder / "s.npz", sp.csr_array(X))
    parquet.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "label": Y}), folder / "a.parquet")
    feather.write_feather(pa.table({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "label": Y}), folder / "a.arrow")
    (folder / "a.idx").write_bytes(idx(X.round(), 14, ">f8"))
    return sorted(folder.iterdir())


@pytest.mark.parametrize("place", range(6))
def test_shortened_and_changed_files_give_one_sentence_or_rows(here: Path, place: int) -> None:
    path = write_each(here)[place]
    good = path.read_bytes()
    options: dict[str, Any] = {"labelled": "auto"}

    def read(content: bytes) -> None:
        path.write_bytes(content)
        try:
            list(open_source(path, **options))
        except DataError as error:
            assert str(path) in str(error) and "\n" not in str(error)

    for length in range(0, len(good), max(1, len(good) // 60)):
        read(good[:length])
    for at in range(0, len(good), max(1, len(good) // 150)):
        read(good[:at] + bytes([good[at] ^ 0xFF]) + good[at + 1 :])


@given(content=st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
def test_any_bytes(here: Path, content: bytes) -> None:
    for name, start in [
        ("z.npy", b"\x93NUMPY\x01\0"),
        ("z.npz", b"PK\x03\x04"),
        ("z.idx", b"\0\0\x08"),
        ("z.pq", b"PAR1"),
    ]:
        (here / name).write_bytes(start + content)
        try:
            list(open_source(here / name, labelled="auto"))
        except DataError as error:
            assert "\n" not in str(error)


def test_train_and_predict_from_each(here: Path) -> None:
    for path in write_each(here):
        label = {"a.npy": ["--label", "-1"], "s.npz": ["--label", "y"], "a.idx": ["--label", "l.idx"]}.get(
            path.name, []
        )
        if path.name == "s.npz":
            np.savez(path, **np.load(path), y=Y)
        (here / "l.idx").write_bytes(idx(Y))
        well("train", path, "-o", "m", *label)
        done = well("predict", "m", path, *(label if path.name != "a.npy" else []))
        assert done.out.split() == ["1", "0", "1", "0"], path
        assert run("predict", "m", path, "--format", "svmlight").code == 3


@pytest.mark.parametrize("scale", ["none", "standard"])
def test_a_model_of_numbers_reads_them_in_other_formats(here: Path, scale: str) -> None:
    """What `convert` made of the training rows gets the same scores, sparse or dense. Tables have names."""
    np.savez("a.npz", X=X, y=Y)
    well("convert", "a.npz", "a.svm", "--to-base", "0")
    well("convert", "a.svm", "s.npz", "--base", "0")
    for learned, base in (("a.npz", []), ("a.svm", ["--base", "0"]), ("s.npz", [])):
        well("train", learned, "-o", "m", "--scale", scale, *base)
        expected = [float(line.split("\t")[1]) for line in well("predict", "m", learned, "--scores").out.splitlines()]
        for other in ("a.npz", "a.svm", "s.npz"):
            more = ["--base", "0"] if other == "a.svm" else []
            lines = well("predict", "m", other, "--scores", *more).out.splitlines()
            found = [float(line.split("\t")[1]) for line in lines]
            np.testing.assert_allclose(found, expected, rtol=1e-12, err_msg=f"{learned} {other}")
    well("convert", "a.npz", "a.csv")
    assert "read as table" in run("predict", "m", "a.csv").err


@pytest.mark.parametrize("name", ["a.npy", "a.npz", "a.parquet", "a.arrow", "a.idx"])
def test_from_standard_input_and_compressed(here: Path, name: str) -> None:
    write_each(here)
    content = (here / name).read_bytes()
    (here / (name + ".gz")).write_bytes(gzip.compress(content))
    label = ["--label", "4"] if name == "a.npy" else []
    expected = well("head", name, "--json", *label).out
    assert well("head", name + ".gz", "--json", *label).out == expected
    with process("head", "-", "--json", *label) as running:
        out, err = running.communicate(content)
    assert (out.decode(), err) == (expected, b"")
