"""Whatever a command is given: one clear sentence or a right answer, never a traceback, nothing half-written."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from command import Done, process, run, well
from nasty import GOOD, PACKERS, lay
from rosenblatt.cli.app import COMMANDS
from rosenblatt.model.model import Model

LINES: dict[str, list[str]] = {
    "train": ["train FILE -o OUT --epochs 3", "train FILE -o OUT --epochs 2 --rule logistic --scale standard"],
    "predict": ["predict MODEL FILE --scores"],
    "evaluate": ["evaluate MODEL FILE"],
    "explain": ["explain MODEL FILE --top 3"],
    "inspect": ["inspect FILE"],
    "threshold": ["threshold MODEL FILE --max-false-positives 10% -o OUT"],
    "compare": ["compare FILE --folds 2 --rules perceptron --keeps last --epochs 2 --jobs 1"],
    "summary": ["summary FILE"],
    "bound": ["bound FILE --epochs 2 --rule margin --json"],
    "margin": ["margin FILE"],
    "doctor": ["doctor FILE --epochs 3 --max-time 0.2", "doctor FILE --epochs 2 --max-time 0.2 --rule margin --json"],
    "separable": ["separable FILE --max-time 5", "separable FILE --no-intercept --json"],
    "verify": ["verify FILE FILE", "verify MODEL FILE"],
    "optimum": ["optimum FILE --max-time 0.1"],
    "head": ["head FILE -n 2"],
    "convert": ["convert FILE OUT", "convert FILE OUT --to csv", "convert FILE OUT --to npz"],
    "shuffle": ["shuffle FILE OUT"],
    "split": ["split FILE --parts a=0.5,b=0.5 -o OUT"],
    "trace": ["trace FILE -o OUT --epochs 2 --tell"],
    "replay": ["replay FILE --tell", "replay FILE --verify"],
    "mail": [
        "mail evaluate FILE --json",
        "mail evaluate FILE --against FILE -o OUT",
        "mail evaluate spam=FILE ham=FILE",
        "mail evaluate spam=FILE --order shuffled --max-false-positives 5%",
    ],
    "experts": ["experts FILE", "experts FILE --losses", "experts FILE --learners perceptron --predict"],
}
"""How each command is tried. MODEL: a model that was learned from data of that kind (see `MODELS`)."""
NO_DATA = {"demo", "warm"}
DEAR = {"bound", "doctor"}
"""What takes .1 to .3 s for the least of right files, and need not take it again for those that are packed as well."""
MODELS = {"numbers": "numbers.svm", "table": "table.csv", "words": "words.txt"}
CONTROLS = re.compile(r"[\0-\x08\x0b-\x1f\x7f-\x9f]")
"""What a file could steer a terminal with."""
SENTENCE = 600
"""Characters of one sentence, at the most."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return lay(tmp_path_factory.mktemp("files"))


@pytest.fixture(scope="module")
def models(files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    for name, data in MODELS.items():
        well("train", files[data], "-o", folder / name)
    return {name: folder / name for name in MODELS}


def lines(command: str, file: Path, out: Path, models: dict[str, Path]) -> Iterator[list[str]]:
    for line in LINES[command]:
        for model in models.values() if "MODEL" in line else [Path()]:
            put = {"FILE": str(file), "OUT": str(out), "MODEL": str(model)}
            yield [
                word.replace("FILE", put["FILE"]) if "=FILE" in word else put.get(word, word) for word in line.split()
            ]


def honest(done: Done, words: Any) -> None:
    """Exit code 0, or one of those of bad input with one sentence that ends standard error."""
    assert "Traceback" not in done.err and "internal error" not in done.err, (words, done.err)
    assert not CONTROLS.search(done.out + done.err), (words, done)
    if done.code == 0:
        return
    assert done.code in (2, 3, 4, 5, 64, 65, 66, 69, 73), (words, done.code, done.err)
    said = [line for line in done.err.splitlines() if line.startswith("Error: ")]
    assert len(said) == 1 and len(said[0]) < SENTENCE and done.err.rstrip("\n").endswith(said[0]), (words, done.err)


def whole(out: Path) -> None:
    """The output is there and whole, or not there; no temporary file lies beside it."""
    for path in out.parent.iterdir():
        assert path.name.startswith(out.name), f"{path} was left"
        if path == out and path.read_bytes()[8:9] == b"{":
            Model.load(path)


def test_every_command_is_tried() -> None:
    assert set(LINES) | NO_DATA == set(COMMANDS)


@pytest.mark.parametrize(("command", "jit"), [*((name, "0") for name in LINES), ("train", "1"), ("predict", "1")])
def test_a_bad_day(command: str, jit: str, files: dict[str, Path], models: dict[str, Path], tmp_path: Path) -> None:
    """Also with the compiled readers, which check what they read by themselves."""
    out = tmp_path / "out" / "made.svm"
    out.parent.mkdir()
    for file in files.values():
        if command in DEAR and file.suffix in PACKERS and file.stem in GOOD:
            continue
        before = file.read_bytes() if file.is_file() else None
        for words in lines(command, file, out, models):
            honest(run(*words, ROSENBLATT_JIT=jit), words)
            whole(out)
        assert before is None or file.read_bytes() == before, f"{command} changed {file.name}"


def test_what_is_right_is_not_refused(files: dict[str, Path], tmp_path: Path) -> None:
    """The sweep would also pass if everything were refused."""
    for name in ("numbers.svm", "windows.svm", "mark.svm", "table.csv", "words.txt.zst", "mails.tar.gz"):
        well("train", files[name], "-o", tmp_path / "m", "--epochs", "2")
    for name in ("empty.svm", "nan.svm", "beyond.svm", "ragged.csv", "utf16.csv", "noise.tar", "nothing"):
        assert run("train", files[name], "-o", tmp_path / "n").code == 3, name
    assert not (tmp_path / "n").exists()


@pytest.mark.parametrize("command", LINES)
@given(data=st.data())
def test_damaged_files(command: str, data: st.DataObject, files: dict[str, Path], models: dict[str, Path]) -> None:
    """A right file with some bytes changed, dropped or put in, under its own name."""
    name = data.draw(st.sampled_from(sorted(GOOD)))
    content = bytearray(GOOD[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, max(len(content) - 1, 0)))
        how = data.draw(st.sampled_from(["change", "drop", "put in", "cut"]))
        if how == "change" and content:
            content[place] = data.draw(st.integers(0, 255))
        elif how == "drop":
            del content[place : place + data.draw(st.integers(1, 9))]
        elif how == "put in":
            content[place:place] = data.draw(st.binary(min_size=1, max_size=9))
        else:
            del content[place:]
    folder = files["numbers.svm"].parent.parent / "damaged"
    folder.mkdir(exist_ok=True)
    file, out = folder / name, folder / "out" / "made.svm"
    file.write_bytes(content)
    out.parent.mkdir(exist_ok=True)
    for words in lines(command, file, out, models):
        honest(run(*words), (words, bytes(content)))
        whole(out)


NUMBER = st.one_of(
    st.floats(allow_nan=True, allow_infinity=True).map(repr),
    st.sampled_from(
        ["0", "-0", "1e308", "-1e308", "1e-320", "5e-324", "1e400", "", " ", "NA", "1_0", "0x1", "1.", ".5"]
    ),
)


@given(rows=st.lists(st.lists(NUMBER, min_size=2, max_size=3), max_size=5), labels=st.lists(st.text(max_size=3)))
def test_tables_of_odd_numbers(
    rows: list[list[str]], labels: list[str], models: dict[str, Path], files: dict[str, Path]
) -> None:
    folder = files["numbers.svm"].parent.parent / "tables"
    (folder / "out").mkdir(parents=True, exist_ok=True)
    file, out = folder / "odd.csv", folder / "out" / "made.svm"
    text = "wide,high,kind\n" + "".join(
        ",".join([*row, (labels or ["x"])[i % max(len(labels), 1)]]) + "\n" for i, row in enumerate(rows)
    )
    file.write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    for command in ("train", "predict", "evaluate"):
        for words in lines(command, file, out, models):
            honest(run(*words), (words, text))
            whole(out)


Answer = tuple[bytes, bytes, int]


def answers(files: dict[str, Path], models: dict[str, Path], **options: Any) -> list[Answer]:
    """Of three commands at once, as processes of their own: the locale is read at the start."""
    commands = (
        ["train", files["words.txt"], "-o", models["words"].parent / "m", "--json"],
        ["evaluate", models["words"], files["latin.txt"]],
        ["explain", models["table"], files["wide.csv"]],
    )
    running = [process(*words, **options) for words in commands]
    return [(*each.communicate(), each.returncode) for each in running]


def test_surroundings_change_no_answer(files: dict[str, Path], models: dict[str, Path]) -> None:
    """All at once: a process of its own takes a second of CPU."""
    surroundings = {"LC_ALL": "C", "COLUMNS": "40", "NO_COLOR": "1", "TERM": "dumb"}
    (learned, *others), (wanted, *rest) = answers(files, models, env=surroundings), answers(files, models)
    assert json.loads(learned[0]) | {"seconds": 0} == json.loads(wanted[0]) | {"seconds": 0}
    assert learned[2] == wanted[2] and others == rest


@pytest.mark.parametrize("command", COMMANDS)
def test_help_and_answers_fit_a_narrow_terminal(command: str) -> None:
    text = well(command, "--help", COLUMNS="40").out.partition("\nExample:\n")[0]
    assert all(len(line) <= 80 for line in text.splitlines()), "wrapped"
    assert "\x1b" not in text


def test_json_is_json(files: dict[str, Path], models: dict[str, Path], tmp_path: Path) -> None:
    for words in (
        ["train", files["numbers.svm"], "-o", tmp_path / "m"],
        ["predict", models["numbers"], files["numbers.svm"]],
        ["evaluate", models["numbers"], files["numbers.svm"]],
        ["explain", models["numbers"], files["numbers.svm"]],
        ["inspect", models["numbers"]],
    ):
        for line in well(*words, "--json", COLUMNS="20").out.splitlines():
            json.loads(line)
