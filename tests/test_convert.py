"""`convert`: the same rows in every format, bit for bit, and texts as the numbers that `train` makes of them."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array, save_npz

from command import NUMBERS, TABLE, WORDS, mail_folder, process, run, well, write
from reading import texts, whole
from rosenblatt.core.rows import Csr, csr, dense, matrix, stack
from rosenblatt.data.batch import Batch
from rosenblatt.read import open_source
from rosenblatt.write import Shape, open_writer, output_format, whole_files
from rosenblatt.write.convert import write_all

FINITE = st.floats(allow_nan=False, allow_infinity=False)
MATRICES = hnp.arrays(np.float64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=7), elements=FINITE | st.just(0.0))
IN_EACH = ["a.svm", "a.csv", "a.tsv", "a.parquet", "a.arrow", "a.npz"]
PACKED = ["", ".gz", ".xz", ".bz2", ".zst"]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def bits(source: Any) -> tuple[Any, bytes, list[Any] | None]:
    """(shape, the bits of all values, labels as numbers where they are)."""
    batches = list(source)
    rows = matrix(stack([batch.rows for batch in batches]))
    values = np.zeros(rows.shape)
    if isinstance(rows, np.ndarray):
        values[:] = rows
    else:  # toarray adds to 0.0, which makes 0.0 of −0.0
        values[np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr)), rows.indices] = rows.data
    if batches[0].y is None:
        return values.shape, values.tobytes(), None
    labels = np.concatenate([batch.y for batch in batches]).tolist()
    return values.shape, values.tobytes(), [float(label) for label in labels]


def put(path: str, batches: Any, **shape: Any) -> None:
    with whole_files(path) as files:
        write_all(batches, files[0], output_format(path), Shape("rows", **shape))


@pytest.mark.parametrize("name", IN_EACH)
@pytest.mark.parametrize("back", IN_EACH)
@pytest.mark.parametrize("values", [[[-0.0]], [[0.0, -0.0, 0.0], [-0.0, 5e-324, 0.0]]])
def test_the_sign_of_zero_is_kept(values: list[list[float]], name: str, back: str) -> None:
    expected = np.array(values)
    put(f"there{name}", [Batch(dense(expected), np.arange(float(len(values))))], width=expected.shape[1])
    well("convert", f"there{name}", f"back{back}")
    assert bits(open_source(f"back{back}"))[:2] == (expected.shape, expected.tobytes())


@pytest.mark.parametrize("format", ["csr", "csc", "coo"])
@pytest.mark.parametrize("name", IN_EACH)
def test_empty_last_columns_of_a_sparse_matrix_stay(format: str, name: str) -> None:
    """Of 5 columns svmlight had 2: only of dense rows was the width known there."""
    save_npz("a.npz", csr_array(([1.0, -0.0], [0, 1], [0, 1, 2]), shape=(2, 5)).asformat(format))
    with np.load("a.npz") as arrays:
        np.savez("a.npz", **arrays, y=[0, 1])
    well("convert", "a.npz", f"b{name}")
    assert bits(open_source(f"b{name}")) == bits(open_source("a.npz"))
    assert bits(open_source("a.npz"))[0] == (2, 5)


@given(values=MATRICES, data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_path_between_formats_keeps_every_bit(values: Any, data: Any) -> None:
    """svmlight → csv → svmlight, csv → parquet → csv and all others; −0.0 and 5e−324 too."""
    path = data.draw(st.lists(st.sampled_from(IN_EACH), min_size=1, max_size=4))
    y = data.draw(hnp.arrays(np.float64, len(values), elements=FINITE))
    batch = Batch(dense(values), y)
    expected = (values.shape, values.tobytes(), y.tolist())
    for i, name in enumerate(path):
        put(f"{i}{name}", [batch], width=values.shape[1])
        source = open_source(f"{i}{name}")
        assert bits(source) == expected, path[: i + 1]
        batches = list(open_source(f"{i}{name}"))
        rows = stack([each.rows for each in batches])
        batch = Batch(rows, np.concatenate([each.y for each in batches if each.y is not None]))


@given(values=MATRICES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20)
def test_the_command_does_so_too(values: Any) -> None:
    """peers.md: dump-then-load of `[[0,5]]` gives `[[5]]` elsewhere → no column is lost, left or right."""
    put("a.csv", [Batch(dense(values), np.arange(float(len(values))))], width=values.shape[1])
    well("convert", "a.csv", "b.svm")
    well("convert", "b.svm", "c.csv")
    well("convert", "c.csv", "d.parquet")
    well("convert", "d.parquet", "e.csv")
    well("convert", "e.csv", "f.svm")
    assert Path("a.csv").read_bytes() == Path("c.csv").read_bytes() == Path("e.csv").read_bytes()
    assert Path("b.svm").read_bytes() == Path("f.svm").read_bytes()


def test_stored_zeros_stay_between_sparse_formats() -> None:
    Path("a.svm").write_text("1 1:0 3:-0 7:2\n-1\n0.5 2:1e-320\n")
    well("convert", "a.svm", "b.npz")
    well("convert", "b.npz", "c.svm")
    well("convert", "a.svm", "d.svm", "--to-base", "0")
    well("convert", "d.svm", "e.svm", "--base", "0")
    assert Path("c.svm").read_text() == Path("e.svm").read_text() == "1 1:0 3:-0 7:2\n-1\n0.5 2:1e-320\n"
    assert Path("d.svm").read_text() == "1 0:0 2:-0 6:2\n-1\n0.5 1:1e-320\n"


def test_float32_stays_float32_where_the_format_can() -> None:
    values = np.array([[0.1, 3.0], [1e-40, -0.0]], np.float32)
    np.savez("a.npz", X=values, y=[1, 2])
    for name in ("b.parquet", "c.arrow", "d.npz"):
        well("convert", "a.npz", name)
        rows = next(iter(open_source(name))).rows
        assert rows.values.dtype == np.float32 and rows.values.tobytes() == values.tobytes()
    well("convert", "a.npz", "e.csv")
    rows = next(iter(open_source("e.csv"))).rows
    assert rows.values.tolist() == values.astype(float).tolist()


@given(data=st.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_texts_come_back(data: Any) -> None:
    some = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1)
    labels = st.text("abXY é,;\"'#", min_size=1).filter(lambda label: label == label.strip())
    rows = data.draw(st.lists(st.tuples(labels, some), min_size=1))
    Path("a.txt").write_bytes("".join(f"{label}\t{text}\n" for label, text in rows).encode())
    for one, other in [("a.txt", "b.csv"), ("b.csv", "c.tsv"), ("c.tsv", "d.parquet"), ("d.parquet", "e.txt")]:
        well("convert", one, other, "--format", {".txt": "text", ".csv": "csv", ".tsv": "tsv"}.get(one[1:], "parquet"))
        assert texts(open_source(other, "text" if other.endswith("txt") else "auto")) == (
            [text for _, text in rows],
            [label for label, _ in rows],
        )
    assert Path("a.txt").read_bytes() == Path("e.txt").read_bytes()


def test_a_line_break_in_a_text_becomes_a_blank_and_is_counted() -> None:
    Path("a.csv").write_text('label,text\nspam,"two\nlines"\n')
    done = well("convert", "a.csv", "a.txt")
    assert Path("a.txt").read_text() == "spam\ttwo lines\n"
    assert "line breaks inside texts, written as blanks: 1" in done.err


def test_columns_keep_their_names(here: Path) -> None:
    write(here / "t.csv", TABLE)
    done = well("convert", "t.csv", "t.svm", "--json").json
    assert done["numbers"] == {"square": -1.0, "tall": 1.0} and done["names"] == "t.svm.names"
    assert (done["rows"], done["features"], done["format"]) == (6, 2, "svmlight")
    assert Path("t.svm").read_text() == "-1 1:2 2:0\n1 2:3\n-1 1:1\n1 1:1 2:2\n-1 1:4 2:1\n1 2:1\n"
    assert Path("t.svm.names").read_text() == "wide\nhigh\n"
    well("convert", "t.svm", "u.csv", "--names", "t.svm.names")
    assert Path("u.csv").read_text().splitlines()[:2] == ["wide,high,label", "2,0,-1"]
    for name in ("v.parquet", "v.arrow", "v.npz"):
        well("convert", "t.csv", name)
        well("convert", name, name + ".csv")
        assert Path(name + ".csv").read_text().replace("label", "kind") == TABLE
    Path("short").write_text("one\n")
    assert (
        "found 1 names; expected one for each of the 2 columns"
        in run("convert", "t.svm", "w.csv", "--names", "short").err
    )


def test_labels_that_are_words_get_numbers() -> None:
    Path("a.tsv").write_text("a\tkind\n1\tz\n2\ty\n3\tx\n")
    done = well("convert", "a.tsv", "-", "--to", "svmlight")
    assert done.out == "2 1:1\n1 1:2\n0 1:3\n"
    assert (
        well("convert", "a.tsv", "-", "--to", "libsvm", "--numbers", "x=5,y=-2.5,z=0").out == "0 1:1\n-2.5 1:2\n5 1:3\n"
    )
    done = run("convert", "a.tsv", "b.svm", "--numbers", "x=5,y=1")
    assert done.code == 3 and "the label 'z' has no number" in done.err and not Path("b.svm").exists()
    assert run("convert", "a.tsv", "b.svm", "--numbers", "x").code == 2


@pytest.mark.parametrize("pack", PACKED)
@pytest.mark.parametrize("name", IN_EACH)
def test_every_output_can_be_compressed_and_is_the_same_again(here: Path, name: str, pack: str) -> None:
    write(here / "n.svm", NUMBERS)
    well("convert", "n.svm", name + pack)
    first = Path(name + pack).read_bytes()
    well("convert", "n.svm", name + pack)
    assert Path(name + pack).read_bytes() == first
    assert bits(open_source(name + pack))[1:] == bits(open_source("n.svm"))[1:]
    assert sorted(os.listdir()) == sorted([name + pack, "n.svm"])


def test_standard_input_and_output(here: Path) -> None:
    for content, to in [(NUMBERS, "csv"), (TABLE, "svmlight"), (WORDS, "csv")]:
        with process("convert", "-", "-", "--to", to) as running:
            out, err = running.communicate(content.encode())
        assert running.returncode == 0, err
        write(here / "given", content)
        assert well("convert", "given", "-", "--to", to).out == out.decode()
    done = run("convert", "-", "-", "--to", "csv", given=NUMBERS + "1 2:nan\n")
    assert done.code == 3 and "standard input, line 7: found '2:nan'" in done.err and "rosenblatt-" not in done.err
    for to in ("parquet", "npz"):
        with process("convert", "given", "-", "--to", to, "--features", "count") as running:
            out, err = running.communicate()
        assert running.returncode == 0, err
        write(here / f"x.{to}", out)
        assert len(list(open_source(f"x.{to}"))) == 1


def test_rows_without_labels() -> None:
    Path("a.svm").write_text("1:2\n2:3\n")
    well("convert", "a.svm", "a.csv")
    assert Path("a.csv").read_text() == "x1,x2\n2,0\n0,3\n"
    well("convert", "a.csv", "b.svm", "--unlabelled")
    assert Path("b.svm").read_text() == "1:2 2:0\n2:3\n"
    Path("c.txt").write_text("one two\nthree\n")
    well("convert", "c.txt", "c.csv")
    assert Path("c.csv").read_text() == "text\none two\nthree\n"


def test_only_what_is_whole_is_there(here: Path) -> None:
    write(here / "bad.svm", NUMBERS * 50_000 + "1 x:1\n")  # the error lies in the second block
    for name in ("out.csv", "out.svm.gz", "out.parquet", "out.npz"):
        write(here / name, "old")
        done = run("convert", "bad.svm", name, ROSENBLATT_JIT="1")
        assert done.code == 3 and "line 300001" in done.err
        assert Path(name).read_text() == "old"
    assert len(os.listdir()) == 5


def test_errors_in_one_sentence(here: Path) -> None:
    write(here / "n.svm", NUMBERS)
    cases = [
        (["n.svm", "x.doc"], 2, "its name does not say the format"),
        (["n.svm", "x", "--to", "doc"], 2, "--to doc: choose svmlight"),
        (["n.svm", "x.txt"], 2, "text holds texts, and these data are numbers"),
        (["n.svm", "n.svm"], 5, "one of the files to read"),
        (["n.svm", "no/x.csv"], 5, "there is no folder"),
        (["n.svm", "-", "--to", "csv", "--json"], 2, "name a file as OUT"),
        (["no.svm", "x.csv"], 3, "no such file"),
    ]
    for words, code, message in cases:
        done = run("convert", *words)
        assert (done.code, done.out) == (code, "") and message in done.err and done.err.count("\n") == 1, done.err
    assert os.listdir() == ["n.svm"]


# --- texts as numbers ------------------------------------------------------------------------------------------------


def test_mails_as_numbers_are_what_train_learns_from(here: Path) -> None:
    mail_folder(here / "mails")
    well("convert", "mails", "mails.svm", "--ids")
    names = Path("mails.svm.names").read_text().splitlines()
    one, two = (well("train", data, "-o", f"{data}.model", "--json").json for data in ("mails", "mails.svm"))
    for key in ("mistakes_per_epoch", "updates", "features", "training_errors"):
        assert one[key] == two[key]
    assert len(names) == one["features"]
    first = Path("mails.svm").read_text().splitlines()[0]
    assert first.startswith("-1 1:") and first.endswith(" # ham/1.eml")
    well("convert", "mails", "again.svm", "--ids", "--model", "mails.model")
    assert Path("again.svm").read_text() == Path("mails.svm").read_text()
    assert Path("again.svm.names").read_text().splitlines() == names


def test_words_as_columns_of_a_table(here: Path) -> None:
    """A word `text` or `label` must not be taken for the text or the label when the table is read."""
    write(here / "w.txt", "spam\ttext label money\nham\ttext label lunch\n")
    options = ("--features", "count", "--scale", "none", "--min-documents", "1")
    well("convert", "w.txt", "w.csv", *options)
    assert Path("w.csv").read_text() == "label_,lunch,money,text_,label\n1,0,1,1,spam\n1,1,0,1,ham\n"
    assert whole(open_source("w.csv")) == ([[1.0, 0.0, 1.0, 1.0], [1.0, 1.0, 0.0, 1.0]], ["spam", "ham"])
    well("convert", "w.txt", "w.npz", *options)
    batch = next(iter(open_source("w.npz")))
    assert isinstance(batch.rows, Csr) and batch.y is not None and batch.y.tolist() == ["spam", "ham"]


def test_products_of_columns_are_named(here: Path) -> None:
    write(here / "t.csv", TABLE)
    found = well("convert", "t.csv", "q.svm", "--degree", "2", "--json").json
    names = Path("q.svm.names").read_text().splitlines()
    assert len(names) == found["features"] == 5 and names[:2] == ["wide", "high"] and len(set(names)) == 5
    well("train", "t.csv", "-o", "m", "--degree", "2")
    well("convert", "t.csv", "r.svm", "--model", "m")
    assert Path("r.svm").read_text() == Path("q.svm").read_text()
    assert Path("r.svm.names").read_text().splitlines() == names


def test_options_that_do_not_go_together(here: Path) -> None:
    write(here / "w.txt", WORDS)
    well("train", "w.txt", "-o", "m")
    assert "--model has its own features" in run("convert", "w.txt", "x.svm", "--model", "m", "--bits", "4").err
    write(here / "n.svm", NUMBERS)
    assert run("convert", "n.svm", "x.svm", "--model", "m").code == 3


# --- the writers themselves ------------------------------------------------------------------------------------------


def rows_of(n: int, d: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    values = np.where(rng.random((n, d)) < 0.3, rng.normal(size=(n, d)), 0.0)
    return dense(values)


@pytest.mark.parametrize("name", ["a.svm", "a.csv"])
def test_little_and_much_are_written_alike(name: str) -> None:
    """Few values are written in Python, many by compiled code."""
    rows, y = rows_of(900, 30), np.arange(900.0) % 3
    put(name, [Batch(rows, y)], width=30)
    at_once = Path(name).read_bytes()
    parts = [Batch(dense(rows.values[i : i + 9]), y[i : i + 9]) for i in range(0, 900, 9)]
    put(name, parts, width=30)
    assert Path(name).read_bytes() == at_once


def test_sparse_rows_are_made_dense_a_few_at_a_time() -> None:
    data = csr(np.ones(300), np.arange(300) * 70 % 20_000, np.arange(301), 20_000)
    blocks = list(data.dense_blocks(20_000))
    assert (
        len(blocks) == 3
        and np.concatenate([values for _, values in blocks]).tolist() == matrix(data).toarray().tolist()
    )
    put("a.csv", [Batch(data, None)], width=20_000, label=None)
    with open("a.csv") as lines:
        next(lines)
        assert [line.split(",").index("1") for line in lines] == (np.arange(300) * 70 % 20_000).tolist()


def test_scikit_learn_and_scipy_read_what_is_written() -> None:
    from scipy.sparse import load_npz
    from sklearn.datasets import load_svmlight_file

    rows, y = rows_of(50, 12), np.arange(50.0)
    put("a.svm", [Batch(rows, y)], width=12)
    x, labels = load_svmlight_file("a.svm")
    assert x.toarray().tolist() == rows.values.tolist() and labels.tolist() == y.tolist()
    well("convert", "a.svm", "a.npz")
    assert load_npz("a.npz").toarray().tolist() == rows.values.tolist()


def test_files_that_cannot_be_written(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(here / "n.svm", NUMBERS)

    def full(*words: Any) -> Iterator[Any]:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("rosenblatt.write.lines.SvmlightWriter.write", full)
    done = run("convert", "n.svm", "x.svm")
    assert done.code == 5 and done.err == "Error: x.svm: cannot be written: No space left on device\n"
    assert os.listdir() == ["n.svm"]


def test_a_writer_says_what_it_cannot_hold() -> None:
    with pytest.raises(ValueError, match="svmlight holds numbers, and these data are texts"):
        open_writer(io.BytesIO(), "svmlight", Shape("documents"))


@pytest.mark.parametrize("name", ["spambase", "iris", "a9a"])
def test_real_data(shared_data: Callable[[str], Path], name: str) -> None:
    data = shared_data(name) / f"{name}.svm.xz"
    expected = bits(open_source(data))
    for one, other in [(data, "a.csv"), ("a.csv", "a.parquet"), ("a.parquet", "a.npz"), ("a.npz", "a.svm.zst")]:
        found = well("convert", one, other, "--json", ROSENBLATT_JIT="1").json
        assert (found["rows"], found["features"]) == expected[0]
        assert bits(open_source(other)) == expected


def test_mnist(shared_data: Callable[[str], Path]) -> None:
    well("convert", shared_data("mnist") / "t10k-images-idx3-ubyte.xz", "t.npz", ROSENBLATT_JIT="1")
    well("convert", "t.npz", "t.svm", ROSENBLATT_JIT="1")
    shape, values, labels = bits(open_source("t.svm"))
    assert shape == (10_000, 784)
    assert labels is not None and labels[:5] == [7, 2, 1, 0, 4]
    assert bits(open_source("t.npz"))[1] == values
