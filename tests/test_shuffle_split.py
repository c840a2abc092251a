"""`shuffle` and `split`: rows that move and stay as they are, byte for byte, by the seed alone."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from command import NUMBERS, TABLE, WORDS, mail_folder, process, run, well, write
from rosenblatt.errors import SettingError
from rosenblatt.read import open_source
from rosenblatt.write.records import Records
from rosenblatt.write.shuffle import Dealer, counts, parts_of, shuffled


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def order(n: int, seed: int) -> list[int]:
    """The documented order."""
    return np.argsort(np.random.default_rng(seed).random(n), kind="stable").tolist()


# --- the order -------------------------------------------------------------------------------------------------------


@given(n=st.integers(0, 10_000), seed=st.integers(0, 2**32), held=st.sampled_from([200, 2000, 1 << 26]))
@settings(max_examples=15)
def test_the_order_is_a_function_of_the_seed_whatever_the_memory(n: int, seed: int, held: int) -> None:
    n = min(n, 300) if held == 200 else n
    records = [b"%d" % i for i in range(n)]
    assert list(shuffled(records, seed, held)) == [records[i] for i in order(n, seed)]


def test_memory_is_bounded() -> None:
    """100 MB of rows with 1 MB of memory; SQLite's own is seen by the system only."""
    code = (
        "import resource; from rosenblatt.write.shuffle import shuffled;"
        "most = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; few = [b'x'] * 3;"
        "list(shuffled(few, 0)); before = most();"
        "rows = (b'%09d' % i + b'x' * 990 for i in range(100_000));"
        "print(sum(1 for _ in shuffled(rows, 0, 1 << 20)), most() - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    count, kilobytes = map(int, done.stdout.split())
    assert count == 100_000 and kilobytes < 12_000, done.stdout


def test_every_order_is_about_equally_likely() -> None:
    seen = Counter(b"".join(shuffled([b"a", b"b", b"c"], seed)) for seed in range(3000))
    assert len(seen) == 6 and min(seen.values()) > 400


# --- shuffle ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pack", ["", ".gz"])
def test_lines_stay_byte_for_byte(here: Path, pack: str) -> None:
    content = b"1  1:2.50 3:1 # odd\r\n-1\t2:3\n1 1:1\n-1 2:2 3:1\n" * 5 + b"1 4:2"
    lines = content.split(b"\n")
    write(here / "a.svm", content)
    well("shuffle", "a.svm", f"b.svm{pack}", "--seed", "7")
    found = Path(f"b.svm{pack}").read_bytes()
    found = gzip.decompress(found) if pack else found
    assert found == b"".join(lines[i] + b"\n" for i in order(len(lines), 7))


def test_a_header_stays_first_and_quoted_rows_stay_whole(here: Path) -> None:
    rows = ['"two\nlines, ""q""",spam', "plain,ham", '"a,b",ham', "5,ham", '"",spam']
    write(here / "a.csv", "text,label\n" + "\n".join(rows) + "\n")
    well("shuffle", "a.csv", "b.csv")
    assert Path("b.csv").read_text() == "text,label\n" + "".join(rows[i] + "\n" for i in order(5, 0))
    write(here / "c.csv", '"te\nxt",label\n1,a\n2,b\n')
    well("shuffle", "c.csv", "d.csv")
    assert Path("d.csv").read_text().startswith('"te\nxt",label\n')
    write(here / "e.csv", "1,2,a\n\n3,4,b\n  \n")
    done = well("shuffle", "e.csv", "f.csv")
    assert sorted(Path("f.csv").read_text().splitlines()) == ["1,2,a", "3,4,b"]
    assert "blank lines and comments left out: 2" in done.err


@given(rows=st.lists(st.lists(st.text('ab,"\n\r é;'), min_size=2, max_size=2), min_size=1, max_size=8))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_records_are_the_rows_that_the_reader_sees(rows: list[list[str]]) -> None:
    import csv
    import io

    out = io.StringIO()
    csv.writer(out, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
        [["text", "label"], *([t, "l" + i] for t, i in rows)]
    )
    Path("q.csv").write_bytes(out.getvalue().encode())
    source = open_source("q.csv", labelled="auto")
    found = list(Records("q.csv", source))
    assert b"".join(row for row, _ in found) == out.getvalue().encode().partition(b"\n")[2]
    labels = [label for batch in source if batch.y is not None for label in batch.y]
    assert [label and label.replace("\r\n", "\n") for _, label in found] == labels  # as the reader has line ends


def test_standard_input_and_output() -> None:
    with process("shuffle", "-", "-", "--seed", "3") as running:
        out, err = running.communicate(TABLE.encode())
    lines = TABLE.splitlines()
    assert (out.decode().splitlines(), err) == ([lines[0], *(lines[1:][i] for i in order(6, 3))], b"")


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["a.npy", "x"], 3, "its rows (npy) are no lines"),
        (["a.svm", "a.svm"], 5, "one of the files to read"),
        (["empty.svm", "x.svm"], 3, "found no rows"),
        (["a.svm", "x.svm", "--seed", "-1"], 2, "-1 must be 0 or more"),
        (["a.svm", "-", "--json"], 2, "name a file as OUT"),
        (["mails.tar", "x.index"], 3, "no files of their own"),
    ],
)
def test_what_cannot_be_shuffled(here: Path, words: list[str], code: int, message: str) -> None:
    write(here / "a.svm", NUMBERS)
    write(here / "empty.svm", "\n# nothing\n")
    np.save("a.npy", np.ones((2, 2)))
    mail_folder(here / "mails")
    import tarfile

    with tarfile.open("mails.tar", "w") as archive:
        archive.add("mails")
    before = sorted(os.listdir())
    done = run("shuffle", *words)
    assert done.code == code and message in done.err and done.out == ""
    assert sorted(os.listdir()) == before


def test_mails_become_an_index_that_train_reads(here: Path) -> None:
    mail_folder(here / "mails")
    os.mkdir("lists")
    well("shuffle", "mails", "lists/all.index")
    lines = Path("lists/all.index").read_text().splitlines()
    assert len(lines) == 6 and all(line.split()[1].startswith("../mails/") for line in lines)
    assert well("train", "lists/all.index", "-o", "m", "--json").json["rows"] == 6
    well("split", "lists/all.index", "--parts", "a=1,b=1")
    parts = [Path(f"lists/all.{part}.index").read_text().splitlines() for part in "ab"]
    assert [len(part) for part in parts] == [3, 3] and sorted(sum(parts, [])) == sorted(lines)
    well("split", "mails/", "--test", "0.5")
    assert well("evaluate", "m", "mails.test.index", "--json").json["rows"] == 3


# --- split: who goes where -------------------------------------------------------------------------------------------


@given(
    rows=st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 60), min_size=1),
    sizes=st.lists(st.integers(1, 20), min_size=2, max_size=4),
)
def test_every_class_and_every_part_gets_its_share(rows: dict[str, int], sizes: list[int]) -> None:
    shares = tuple(size / sum(sizes) for size in sizes)
    due = counts(rows, shares)
    for label, parts in due.items():
        assert sum(parts) == rows[str(label)] and min(parts) >= 0
        assert all(abs(got - share * rows[str(label)]) < 2 for got, share in zip(parts, shares, strict=True))
    for p, share in enumerate(shares):
        assert abs(sum(parts[p] for parts in due.values()) - share * sum(rows.values())) < 1 + 1e-9


@given(labels=st.lists(st.sampled_from("ab"), min_size=1, max_size=80), seed=st.integers(0, 99))
def test_the_dealer_keeps_to_the_counts(labels: list[str], seed: int) -> None:
    shares = (0.75, 0.25)
    dealer = Dealer(Counter(labels), shares, seed)
    due = {label: list(own) for label, own in dealer.due.items()}
    dealt = [(label, dealer.part(label)) for label in labels]
    assert {label: [dealt.count((str(label), p)) for p in (0, 1)] for label in due} == due
    again = Dealer(Counter(labels), shares, seed)
    assert [again.part(label) for label in labels] == [part for _, part in dealt]


def test_every_choice_is_equally_likely() -> None:
    chosen: Counter[Any] = Counter()
    for seed in range(2000):
        dealer = Dealer({None: 4}, (0.5, 0.5), seed)
        chosen[tuple(dealer.part(None) for _ in range(4))] += 1
    assert len(chosen) == 6 and min(chosen.values()) > 250


@pytest.mark.parametrize(
    ("text", "shares"), [("train=0.8,test=0.2", (0.8, 0.2)), ("a=8,b=1,c=1", (0.8, 0.1, 0.1)), ("a=1,b=1", (0.5, 0.5))]
)
def test_parts(text: str, shares: tuple[float, ...]) -> None:
    assert tuple(parts_of(text).values()) == pytest.approx(shares)


@pytest.mark.parametrize(
    "text", ["", "a", "a=1", "a=0.5,b=0.2", "a=1,a=2", "a=-1,b=2", "a=x,b=1", "a/b=1,c=1", "a=inf,b=1"]
)
def test_parts_that_are_none(text: str) -> None:
    with pytest.raises(SettingError):
        parts_of(text)


# --- split -----------------------------------------------------------------------------------------------------------


def test_parts_together_are_the_file_in_its_order(here: Path) -> None:
    content = "".join(f"{i % 3 - 1} 1:{i}\n" for i in range(90))
    write(here / "data.svm.gz", gzip.compress(content.encode()))
    found = well("split", "data.svm.gz", "--test", "0.3", "--json").json
    assert [(part["name"], part["output"], part["rows"]) for part in found["parts"]] == [
        ("train", "data.train.svm.gz", 63),
        ("test", "data.test.svm.gz", 27),
    ]
    assert found["parts"][1]["class_rows"] == {"-1": 9, "0": 9, "1": 9}
    parts = [gzip.decompress(Path(part["output"]).read_bytes()).decode().splitlines() for part in found["parts"]]
    numbers = [[int(line.split(":")[1]) for line in lines] for lines in parts]
    assert all(own == sorted(own) for own in numbers) and sorted(sum(numbers, [])) == list(range(90))
    before = Path("data.test.svm.gz").read_bytes()
    well("split", "data.svm.gz", "--test", "0.3")
    assert Path("data.test.svm.gz").read_bytes() == before
    well("split", "data.svm.gz", "--test", "0.3", "--seed", "1")
    assert Path("data.test.svm.gz").read_bytes() != before


def test_headers_are_repeated_and_texts_split_by_their_label(here: Path) -> None:
    write(here / "t.csv", TABLE)
    well("split", "t.csv", "--parts", "a=1,b=1,c=1", "-o", "y")
    for part in "abc":
        lines = Path(f"y.{part}.csv").read_text().splitlines()
        assert lines[0] == "wide,high,kind" and {line.split(",")[2] for line in lines[1:]} == {"square", "tall"}
    write(here / "w.txt", WORDS)
    done = well("split", "w.txt", "--test", "0.5")
    assert "train  3 rows  w.train.txt" in done.out
    assert {line.split("\t")[0] for line in Path("w.test.txt").read_text().splitlines()} == {"spam", "ham"}


def test_without_labels_and_from_standard_input() -> None:
    done = run("split", "-", "-o", "a", "--unlabelled", given="".join(f"{i},2\n" for i in range(10)))
    assert done.code == 0 and done.out.split()[1] == "8"
    done = run("split", "-", "-o", "b", "--no-stratify", given=NUMBERS)
    assert done.code == 0 and "(" not in done.out
    assert run("split", "-", given=NUMBERS).code == 2


def test_what_cannot_be_split(here: Path) -> None:
    write(here / "a.txt", "spam\tone\nno label here\n")
    write(here / "a.svm", "1 1:1\nx 1:1\n")
    write(here / "a.csv", "a,b,label\n1,2,x\n1,2\n")
    cases = [
        (["a.txt"], 3, "a.txt, line 2: found 'no label here'; expected a label, a TAB, and the text"),
        (["a.svm"], 3, "a.svm, line 2: found 'x'; expected a number as the label"),
        (["a.csv"], 3, "a.csv, line 3: found 2 cells; expected 3 cells"),
        (["a.svm", "--test", "0%"], 2, "--test 0 leaves no rows on one side"),
        (["a.svm", "--test", "0.5", "--parts", "a=1,b=1"], 2, "choose one"),
        (["a.svm", "-o", "no/x"], 5, "there is no folder no"),
    ]
    for words, code, message in cases:
        done = run("split", *words)
        assert done.code == code and message in done.err and done.err.count("\n") == 1, done.err
    assert sorted(os.listdir()) == ["a.csv", "a.svm", "a.txt"]


def test_a9a(shared_data: Callable[[str], Path]) -> None:
    data = shared_data("a9a") / "a9a.svm.xz"
    found = well("split", data, "-o", "a", "--parts", "train=8,test=2", "--json").json
    for part, share in zip(found["parts"], (0.8, 0.2), strict=True):
        assert abs(part["class_rows"]["1"] - share * 7841) <= 1 and abs(part["class_rows"]["-1"] - share * 24720) <= 1
    well("shuffle", data, "b.svm.zst")
    rows = [sum(len(b.y) for b in open_source(path) if b.y is not None) for path in (data, "b.svm.zst")]
    assert rows == [32_561, 32_561]
