"""Lines of the list of faults that are about the faces of the program: what reaches the disk, and what is said."""

from __future__ import annotations

import contextlib
import inspect
import json
import os
import re
import signal
import stat
import time
import warnings
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load as from_bytes
from safetensors.numpy import save as to_bytes
from scipy import sparse

from command import MAIN, process, run, well, write
from rosenblatt import LinearClassifier, Model, Recipe
from rosenblatt.compare import Plan, compare, contenders
from rosenblatt.errors import DataError, ModelError, RosenblattError, SettingError
from rosenblatt.features.parameters import FEATURES
from rosenblatt.model import file as model_file
from rosenblatt.parameters import OF_OTHERS, RULES_OF_OTHERS
from rosenblatt.recipe.table import recipe_table

pd = pytest.importorskip("pandas")

FULL = Path("/dev/full")
SVM = "1 1:1\n-1 2:1\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Here, with a small model and many rows to answer for."""
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.svm", SVM)
    write(tmp_path / "many.svm", SVM * 20_000)
    well("train", "a.svm", "-o", "m")
    return tmp_path


# --- F1: every byte is written, or the exit code says so ---

LONG = [
    ["predict", "m", "many.svm"],
    ["predict", "m", "many.svm", "--json"],
    ["head", "many.svm", "-n", "100000"],
    ["convert", "many.svm", "-", "--to", "csv"],
]
SHORT = [["--help"], ["train", "--help"], ["--version"], ["inspect", "m"], ["summary", "a.svm", "--json"]]


def ended(words: list[str], unbuffered: str, **options: object) -> tuple[int, bytes]:
    running = process(*words, env={"PYTHONUNBUFFERED": unbuffered}, **options)
    _, err = running.communicate()
    return running.returncode, err


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", [LONG[0], LONG[3], *SHORT], ids=" ".join)
def test_f1_a_full_disk_is_said_once(words: list[str], unbuffered: str) -> None:
    with FULL.open("wb") as full:
        code, err = ended(words, unbuffered, stdout=full)
    assert (code, err) == (5, b"Error: standard output cannot be written: No space left on device\n")


@pytest.mark.parametrize("words", LONG, ids=" ".join)
def test_f1_a_file_that_may_grow_no_more_is_said_once(words: list[str]) -> None:
    def limited() -> None:
        import resource

        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    with open("out", "wb") as out:
        code, err = ended(words, "1", stdout=out, preexec_fn=limited)
    assert (code, err) == (5, b"Error: standard output cannot be written: File too large\n")


@pytest.mark.parametrize("words", LONG, ids=" ".join)
def test_f1_a_reader_that_goes_away_is_told_from_the_end(words: list[str]) -> None:
    running = process(*words, env={"PYTHONUNBUFFERED": "1"})
    assert running.stdout and running.stderr and running.stdin
    running.stdin.close()
    assert running.stdout.readline()
    running.stdout.close()
    assert (running.wait(), running.stderr.read()) == (141, b"")
    running.stderr.close()


def test_f1_without_a_buffer_nothing_is_lost_to_a_slow_or_hasty_pipe() -> None:
    for blocking in (True, False):
        ours, theirs = os.pipe()
        os.set_blocking(theirs, blocking)
        running = process("predict", "m", "many.svm", stdout=theirs, env={"PYTHONUNBUFFERED": "1"})
        os.close(theirs)
        time.sleep(0.3)
        with open(ours, "rb") as pipe:
            assert pipe.read().count(b"\n") == 40_000
        running.communicate()
        assert running.returncode == 0


def test_f1_ctrl_c_while_it_is_loaded_is_no_traceback(tmp_path: Path) -> None:
    """The signal comes out of the import of a module that every command needs."""
    write(tmp_path / "click" / "__init__.py", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")
    hears = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
    running = process("train", "a.svm", "-o", "x", program=f"{hears} import sys; sys.path.insert(0, '.'); {MAIN}")
    assert running.communicate() == (b"", b"") and running.returncode == 130


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_f1_a_save_that_is_ended_leaves_nothing_behind(number: signal.Signals, folder: Path) -> None:
    before, there = (folder / "m").read_bytes(), sorted(folder.iterdir())
    killed = f"import os, signal; os.fsync = lambda handle: os.kill(os.getpid(), {int(number)});"
    running = process("train", "a.svm", "-o", "m", "--rule", "margin", program=f"{killed} {MAIN}")
    _, err = running.communicate()
    assert running.returncode == 128 + number and b"Traceback" not in err
    assert sorted(folder.iterdir()) == there and (folder / "m").read_bytes() == before


def test_f1_who_may_read_a_file_may_read_the_one_that_replaces_it(folder: Path) -> None:
    (folder / "m").chmod(0o600)
    well("train", "a.svm", "-o", "m", "--rule", "margin")
    Model.load("m").save("m")
    assert stat.S_IMODE((folder / "m").stat().st_mode) == 0o600
    well("convert", "a.svm", "b.csv")
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE((folder / "b.csv").stat().st_mode) == 0o666 & ~mask
    (folder / "b.csv").chmod(0o660)
    well("convert", "a.svm", "b.csv")
    assert stat.S_IMODE((folder / "b.csv").stat().st_mode) == 0o660


# --- E6: two updates of one model at once ---


def test_e6_two_updates_at_once_are_made_one_after_the_other(folder: Path) -> None:
    write(folder / "noise.svm", "1 1:1\n-1 1:1\n" * 3)
    well("train", "noise.svm", "-o", "m", "--epochs", "3", "--keep", "averaged")
    slow = "import time, rosenblatt.recipe.training as t; f = t.further\n"
    slow += "def late(*a, **k):\n    time.sleep(.7); return f(*a, **k)\nt.further = late\n"
    words = ["train", "noise.svm", "--continue", "m", "-o", "m", "--epochs", "2"]
    both = [process(*words, program=slow + MAIN) for _ in range(2)]
    errors = b"".join(each.communicate()[1] for each in both)
    assert [each.returncode for each in both] == [0, 0]
    assert b"note: another program goes on with m; waiting until it has written it" in errors
    assert Model.load("m").run.epoch == 3 + 2 + 2


# --- F3: a model file with a changed header and a right digest ---

TEXTS = ["free money now", "lunch at noon", "free prize", "see you at noon", "money prize", "at lunch"] * 2
STRANGE: list[object] = [None, -1, 1.5, 2**70, "x", [1, 2**31], {"a": 1}]


def models() -> dict[str, tuple[Model, object]]:
    random = np.random.default_rng(0)
    x, three = random.normal(size=(30, 3)), random.integers(0, 3, 30)
    y = (x[:, 0] > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wish = {"calibrate": "isotonic", "calibrate_folds": 3, "cost": {0: 1, 1: 2}, "degree": 2}
        return {
            "calibrated": (Recipe(max_iter=2, **wish).fit(x, y), x),
            "voted": (Recipe(max_iter=2, keep="voted").fit(x, three), x),
            "validated": (Recipe(max_iter=2, keep="pocket", validation=0.3).fit(x, y), x),
            "averaged": (Recipe(max_iter=2, keep="averaged", scale="standard").fit(sparse.csr_array(x), three), x),
            "texts": (Recipe(min_documents=1, char_ngrams="2-3").fit(TEXTS, ["spam", "ham"] * 6), TEXTS),
            "hashed": (Recipe(dictionary="hashed", bits=4, max_iter=2).fit(TEXTS, ["spam", "ham"] * 6), TEXTS),
        }


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for name in value if isinstance(value, dict) else range(min(len(value), 1)) if isinstance(value, list) else ():
        yield from places(value[name], (*path, name))


def changed(header: dict[str, Any], path: tuple[Any, ...], value: object) -> dict[str, Any]:
    made: Any = json.loads(json.dumps(header))
    inner = made
    for name in path[:-1]:
        inner = inner[name]
    if value is STRANGE:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return made


def forged(header: dict[str, Any], tensors: dict[str, Any]) -> None:
    """A file of these parts, with a digest that fits."""
    own = {name: value for name, value in header.items() if name != "digest"}
    tensors = {name: np.ascontiguousarray(value) for name, value in tensors.items()}
    own["digest"] = model_file._digest(own, tensors)
    Path("forged").write_bytes(to_bytes(tensors, metadata={model_file.KEY: json.dumps(own, sort_keys=True)}))


def refused_or_answers(data: Any, what: object) -> None:
    try:
        model = Model.load("forged")
    except ModelError as error:
        assert str(error).startswith("forged: ") and "\n" not in str(error) and len(str(error)) < 400, what
        return
    for use in (model.decision, model.explain, lambda _: model.save("again"), lambda _: repr(model)):
        with contextlib.suppress(RosenblattError):
            use(data)
    shown = run("inspect", "forged", "--json")
    assert shown.code in (0, 4) and "internal" not in shown.err, what


@pytest.mark.parametrize("kind", ["calibrated", "voted", "validated", "averaged", "texts", "hashed"])
def test_f3_a_forged_model_file_is_damaged_or_answers(kind: str) -> None:
    model, data = models()[kind]
    model.save("whole")
    raw = Path("whole").read_bytes()
    header = model_file._read("whole")[0]
    tensors = from_bytes(raw)
    forged(header, tensors)
    assert np.array_equal(Model.load("forged").decision(data), model.decision(data))
    for path in filter(None, places(header)):
        for value in () if path[0] in ("digest", "schema") else (*STRANGE, STRANGE):
            forged(changed(header, path, value), tensors)
            refused_or_answers(data, (path, value))
    for name, array in tensors.items():
        others = [array.ravel()[:0], array.astype(np.float32), array * 0 - 1, None]
        for other in others:
            forged(header, {key: value for key, value in {**tensors, name: other}.items() if value is not None})
            refused_or_answers(data, (name, other))


@pytest.mark.parametrize(("path", "value"), [
    (("features", "dictionary", "char_ngrams"), [0, 2**31]),
    (("features", "dictionary", "word_ngrams"), 2**31),
    (("features", "width"), 2**31),
    (("epoch",), 2**31),
    (("history",), {}),
    (("settings", "keep"), "all"),
])  # fmt: skip
def test_f3_numbers_out_of_range_are_refused_when_the_file_is_loaded(path: tuple[str, ...], value: object) -> None:
    models()["texts"][0].save("whole")
    forged(changed(model_file._read("whole")[0], path, value), from_bytes(Path("whole").read_bytes()))
    shown = run("predict", "forged", "a.svm")
    assert shown.code == 4 and shown.err.startswith("Error: forged: ") and shown.out == ""


# --- Recipe and Model as people use them: what an earlier trial found ---

X = np.array([[0.0, 5.0], [1.0, 4.0], [2.0, 1.0], [3.0, 0.5], [4.0, 0.0], [1.5, 3.0]])
Y = np.array(["no", "no", "yes", "yes", "yes", "no"])
FEW, KINDS = TEXTS[:6], ["spam", "ham"] * 3


def test_columns_whose_names_are_numbers_are_found_by_name() -> None:
    frame = pd.DataFrame(X, columns=[10, 20])
    model = Recipe().fit(frame, Y)
    assert model.names == ["10", "20"]
    assert np.array_equal(model.decision(frame[[20, 10]].assign(more=1.0)), model.decision(frame))
    with pytest.raises(DataError, match="the data have no column '20'"):
        model.predict(frame[[10]])
    whole = frame.assign(kind=Y).rename(columns={"kind": 5})
    assert np.array_equal(Recipe().fit(whole, 5).weights[0], model.weights[0])
    plain = pd.DataFrame(X)
    model = Recipe().fit(plain, Y)
    assert model.names is None and np.array_equal(model.decision(plain[[1, 0]]), model.decision(X))


def test_a_list_of_paths_is_not_taken_for_texts() -> None:
    for paths in (["a.svm", "many.svm"], [Path("a.svm")]):
        with pytest.raises(DataError, match=r"the data are a list of paths \(a.svm\); their labels are in the files"):
            Recipe().fit(paths, [0, 1][: len(paths)])
    assert Recipe(min_documents=1).fit(["a.svm", "no file"], [0, 1]).predict(["no file"]).tolist() == [1]


@pytest.mark.parametrize("call", [
    lambda: Recipe().fit([[1.0], [np.nan]], [0, 1]),
    lambda: Recipe().fit([[1.0], [1e200]], [0, 1]),
    lambda: Recipe().fit([[1.0], [2.0]], [0, 1], [1.0, -1.0]),
    lambda: Recipe().fit([[1.0], [2.0]], [0, None]),
    lambda: Recipe().fit(np.ma.masked_equal([[1.0], [2.0]], 2.0), [0, 1]),
    lambda: Recipe().fit(["one", 2], [0, 1]),
    lambda: Recipe().fit([[1.0], [2.0]], [0, 1]).evaluate([[1.0], [2.0]], [0, 7]),
])  # fmt: skip
def test_g3_rows_are_counted_from_1_everywhere(call: Any) -> None:
    with pytest.raises(DataError, match="row 2[,:]"):
        call()


@pytest.mark.parametrize("labels", [Y.astype("S"), np.array(["2020-01-01", "2021-01-01"] * 3, "M8[D]"), Y == "yes"])
def test_every_kind_of_label_can_be_saved(labels: Any) -> None:
    model = Recipe().fit(X, labels)
    model.save("labels")
    assert Model.load("labels").predict(X).tolist() == model.predict(X).tolist()
    assert well("inspect", "labels").code == 0


def test_labels_that_no_file_can_hold_are_refused_in_a_sentence() -> None:
    model = LinearClassifier().fit(X, np.array(["2020-01-01", "2021-01-01"] * 3, "M8[D]")).model_
    with pytest.raises(ModelError, match=r"labels of type datetime64\[D\] cannot be kept in a file; learn with text"):
        model.save("dates")
    with pytest.raises(SettingError, match="bytes"):
        LinearClassifier().fit(X, Y.astype("S"))


def test_a_seed_is_drawn_where_a_generator_or_none_is_given() -> None:
    one, other = Recipe(random_state=None), Recipe(random_state=None)
    assert isinstance(one["random_state"], int) and one != other and Recipe.from_dict(one.as_dict()) == one
    assert Recipe(random_state=np.random.RandomState(3)) == Recipe(random_state=np.random.RandomState(3))
    assert Recipe(random_state=2**40, validation=0.5).fit(X, Y).run.best is not None


def test_validation_is_a_share_of_any_float_or_a_pair() -> None:
    assert Recipe(validation=np.float32(0.5)).fit(X, Y).run.best is not None
    assert Recipe(validation=[X, Y]) == Recipe(validation=(X, Y))
    assert Recipe(validation=[X.astype(np.float32), Y]).fit(X, Y).run.best is not None


@pytest.mark.parametrize(("call", "sentence"), [
    (lambda: Recipe(class_weight={"yes": "x"}).fit(X, Y), "class_weight of 'yes' is 'x'; weights must be finite"),
    (lambda: Recipe(class_weight={"yes": None}).fit(X, Y), "class_weight of 'yes' is None"),
    (lambda: Recipe(class_weight=3).fit(X, Y), 'class_weight=3 must be None, "balanced" or a dict'),
    (lambda: Recipe(char_ngrams=("a", 3)).fit(FEW, KINDS), "char_ngrams=a-3 is not understood"),
    (lambda: Recipe(char_ngrams=2.5).fit(FEW, KINDS), "char_ngrams=2.5 is not understood"),
    (lambda: Recipe().fit(X, Y, observers=[3]), "observers are functions of an event, or observers; found 3"),
    (lambda: Recipe().fit(X, Y, observers="x"), "observers are functions of an event, or observers; found 'x'"),
    (lambda: LinearClassifier().fit(X, Y, callback=3), "observers are functions of an event"),
    (lambda: Recipe().fit(X, Y).save(None), "None is no path of a model file"),
    (lambda: Model.load(3.5), "3.5 is no path of a model file"),
    (lambda: Recipe(validation=(X,)), "validation must be a share, data with labels, or"),
    (lambda: Recipe(random_state="x"), "random_state='x' must be a whole number"),
])  # fmt: skip
def test_what_is_of_the_wrong_type_is_refused_in_a_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(SettingError) as error:
        call()
    assert sentence in str(error.value)


def test_recipes_with_arrays_are_equal_or_not_and_can_be_keys() -> None:
    one, same = (Recipe(order=np.array([0, 1]), validation=(X, Y), class_weight={"no": 1.0}) for _ in range(2))
    assert one == same and hash(one) == hash(same) and len({one, same}) == 1
    assert one != one.with_(order=np.array([1, 0])) and one != one.with_(order=np.array([1])) and one != 3
    assert Recipe(eta0=1) == Recipe(eta0=1.0)


def test_a_model_of_texts_in_a_table_reads_dataframes() -> None:
    frame = pd.DataFrame({"words": FEW, "kind": KINDS})
    frame.to_csv("texts.csv", index=False)
    for model in (
        Recipe(text="words", label="kind", min_documents=1).fit("texts.csv"),
        Recipe(text="words", min_documents=1).fit(frame, "kind"),
    ):
        assert model.predict(frame).tolist() == model.predict(frame[["words"]]).tolist() == KINDS
        assert model.predict("texts.csv").tolist() == KINDS and model.predict(FEW).tolist() == KINDS
    with pytest.raises(DataError, match="the DataFrame has no column 'words'"):
        model.predict(frame[["kind"]])


def test_words_of_others_are_answered_with_ours() -> None:
    for name, meant in {**OF_OTHERS, "seed": "random_state", "epochs": "max_iter"}.items():
        with pytest.raises(SettingError, match=f"a recipe has no word {name}; did you mean {re.escape(meant)}\\?"):
            Recipe(**{name: 1})
    for name, meant in RULES_OF_OTHERS.items():
        with pytest.raises(SettingError, match=f"unknown rule '{name}'; did you mean {meant}\\? The rules are"):
            Recipe(rule=name)
    for name, meant in {"max-iter": "epochs", "eta0": "eta", "lr": "eta", "tau": "rule margin:tau=1"}.items():
        assert f"Did you mean '--{meant}'?" in run("train", "a.svm", "-o", "x", f"--{name}", "1").err


def test_every_default_may_be_said() -> None:
    for name, entry in recipe_table().items():
        assert Recipe(**{name: entry.default})[name] == entry.default
    said = {each.name: each.default for each in FEATURES if each.data == "documents"}
    assert np.array_equal(Recipe(**said).fit(X, Y).weights[0], Recipe().fit(X, Y).weights[0])
    well("train", "a.svm", "-o", "x", "--bits", "18", "--batch-size", "32", "--counting", "notes")


def test_every_public_method_says_what_it_does() -> None:
    for cls in (Recipe, Model):
        for name, member in inspect.getmembers(cls):
            if not name.startswith("_") and (callable(member) or isinstance(member, (property, cached_property))):
                assert inspect.getdoc(member), (cls.__name__, name)


def test_a_comparison_is_shown_shortly_and_as_a_frame() -> None:
    random = np.random.default_rng(0)
    x = random.normal(size=(40, 2))
    found = compare(
        x,
        np.where(x[:, 0] > 0.0, "yes", "no"),
        Plan(contenders("rows", 2, ["perceptron"], ["last", "averaged"]), epochs=5),
    )
    assert repr(found).startswith("<Comparison: ") and len(repr(found)) < 200
    assert len(found.to_frame()) == len(found.records()) and "error" in found.to_frame().columns
