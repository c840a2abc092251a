"""One contract: a model made here or there, used here or there, answers alike to the last bit, or is refused in the
same sentence. Every format × made by the shell, a recipe, a recipe of what is in memory, an estimator × used by the
shell, by Python on the file, by Python on what is in memory × predict, evaluate, explain, threshold, going on."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse

from command import MAIL, run, well, write
from mails import pack, save
from rosenblatt import AveragedPerceptron, Model, Recipe
from rosenblatt.cli.app import app
from rosenblatt.cli.command import in_shell
from rosenblatt.datasets import load_sms
from rosenblatt.errors import RosenblattError
from rosenblatt.read import open_source, reader_classes

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

N = 24
RANDOM = np.random.default_rng(5)
X = np.round(RANDOM.normal(size=(N, 3)) * (RANDOM.random((N, 3)) < 0.7), 3)
X[-1] = 0.0
SIDE = X @ [1.0, -2.0, 0.5] + 0.8 * RANDOM.normal(size=N) > 0
"""Overlapping, so that no learner is right on all rows and each answer has its own digits."""
Y, CODES = np.where(SIDE, "yes", "no"), np.where(SIDE, 1, -1)
FRAME = pd.DataFrame(X, columns=["age", "height", "mass"])
_TEXTS, _KINDS = load_sms()
SPAM = [i for i, kind in enumerate(_KINDS) if kind == "spam"][:12]
CHOSEN = sorted([*SPAM, *[i for i, kind in enumerate(_KINDS) if kind == "ham"][:12]])
TEXTS, KINDS = [" ".join(_TEXTS[i].replace('"', "").split()) for i in CHOSEN], np.array([_KINDS[i] for i in CHOSEN])
MAILS = {
    f"{kind}/{i:02}.eml": MAIL.format(text[:20], text).encode()
    for i, (text, kind) in enumerate(zip(TEXTS, KINDS, strict=True))
}
FROM = b"From someone@example.org Thu Aug 22 12:36:23 2002\n"


class Case(NamedTuple):
    """A file, the same data in memory, with their labels, and what must be said to train on the file; unsaid: to
    use it with a model of what is in memory."""

    path: Path
    data: Any
    y: Any
    words: dict[str, Any] = {}
    unsaid: dict[str, Any] = {}


def table(delimiter: str, packed: Callable[[bytes], bytes] = bytes) -> bytes:
    rows = [delimiter.join(["kind", *FRAME.columns])]
    rows += [delimiter.join([y, *map(repr, x)]) for y, x in zip(Y, X.tolist(), strict=True)]
    return packed(("\n".join(rows) + "\n").encode())


def svmlight(packed: Callable[[bytes], bytes] = bytes) -> bytes:
    rows = (" ".join(f"{j}:{v!r}" for j, v in enumerate(x, 1) if v) for x in X.tolist())
    return packed("".join(f"{y} {row}\n" for y, row in zip(CODES, rows, strict=True)).encode())


def in_order(labels: Any) -> tuple[list[bytes], Any]:
    """The mails as a folder gives them: by path."""
    names = sorted(MAILS)
    return [MAILS[name] for name in names], np.array([name.split("/")[0] for name in names])


def mboxes(folder: Path) -> Path:
    for kind in ("ham", "spam"):
        own = (MAILS[name] for name in sorted(MAILS) if name.startswith(kind))
        write(folder / f"{kind}.mbox", b"".join(FROM + mail + b"\n" for mail in own))
    return folder


def maildir(folder: Path) -> Path:
    save(folder, {name.replace("/", "/cur/").replace(".eml", ":2,S"): mail for name, mail in MAILS.items()})
    return folder


def index(folder: Path) -> Path:
    save(folder, MAILS)
    return write(folder / "index", "".join(f"{name.split('/')[0]} {name}\n" for name in sorted(MAILS)))


def mail_folder(folder: Path) -> Path:
    save(folder, MAILS)
    return folder


def parquet(path: Path, frame: Any) -> Path:
    (frame.to_parquet if path.suffix == ".parquet" else frame.to_feather)(path)
    return path


def npz(path: Path, **arrays: Any) -> Path:
    np.savez(path, **arrays)
    return path


def save_npz(path: Path) -> Path:
    parts = {name: getattr(SPARSE, name) for name in ("data", "indices", "indptr", "shape")}
    return npz(path, **parts, format=b"csr", y=CODES)


def npy(path: Path) -> Path:
    np.save(path / "X.npy", X)
    np.save(path / "y.npy", Y)
    return path / "X.npy"


def column(path: Path) -> Path:
    np.save(path, np.column_stack([CODES, X]))
    return path


def idx(path: Path) -> Path:
    images = np.abs(X * 50).astype(np.uint8)
    write(path / "t-images.idx3-ubyte", bytes([0, 0, 8, 3, 0, 0, 0, N, 0, 0, 0, 1, 0, 0, 0, 3]) + images.tobytes())
    write(path / "t-labels.idx1-ubyte", bytes([0, 0, 8, 1, 0, 0, 0, N]) + SIDE.astype(np.uint8).tobytes())
    return path / "t-images.idx3-ubyte"


FEW = {"min_documents": 1}
WORDS = {"label": "kind", "text": "words"}
SPARSE = sparse.csr_array(X)
CASES: dict[str, Callable[[Path], Case]] = {
    "svmlight": lambda p: Case(write(p / "d.svm", svmlight()), SPARSE, CODES),
    "svmlight.xz": lambda p: Case(write(p / "d.svm.xz", svmlight(lzma.compress)), SPARSE, CODES),
    "csv": lambda p: Case(write(p / "d.csv", table(",")), FRAME, Y, {"label": "kind"}),
    "csv.gz": lambda p: Case(write(p / "d.csv.gz", table(",", gzip.compress)), FRAME, Y, {"label": "kind"}),
    "tsv": lambda p: Case(write(p / "d.tsv", table("\t")), FRAME, Y, {"label": "kind"}),
    "text in csv": lambda p: Case(
        write(p / "t.csv", pd.DataFrame({"text": TEXTS, "label": KINDS}).to_csv(index=False)), TEXTS, KINDS, FEW
    ),
    "parquet": lambda p: Case(parquet(p / "d.parquet", FRAME.assign(kind=Y)), FRAME, Y, {"label": "kind"}),
    "text in parquet": lambda p: Case(
        parquet(p / "t.parquet", pd.DataFrame({"words": TEXTS, "kind": KINDS})),
        pd.DataFrame({"words": TEXTS}), KINDS, {**FEW, **WORDS}, WORDS,
    ),
    "arrow": lambda p: Case(parquet(p / "d.arrow", FRAME.assign(kind=Y)), FRAME, Y, {"label": "kind"}),
    "npz": lambda p: Case(npz(p / "d.npz", X=X, y=Y), X, Y),
    "sparse npz": lambda p: Case(save_npz(p / "d.npz"), SPARSE, CODES),
    "npy": lambda p: Case(npy(p), X, Y),
    "label in npy": lambda p: Case(column(p / "d.npy"), X, CODES, {"label": 1}, {"label": 1}),
    "idx": lambda p: Case(idx(p), np.abs(X * 50).astype(np.uint8), SIDE.astype(int)),
    "text": lambda p: Case(
        write(p / "t.txt", "".join(f"{y}\t{x}\n" for x, y in zip(TEXTS, KINDS, strict=True))), TEXTS, KINDS, FEW
    ),
    "mail folder": lambda p: Case(mail_folder(p / "mails"), *in_order(KINDS), FEW),
    "mbox": lambda p: Case(mboxes(p / "boxes"), *in_order(KINDS), FEW),
    "maildir": lambda p: Case(maildir(p / "dirs"), *in_order(KINDS), FEW),
    "mail tar": lambda p: Case(pack(p / "mails.tar.gz", {n: MAILS[n] for n in sorted(MAILS)}), *in_order(KINDS), FEW),
    "index": lambda p: Case(index(p / "own"), *in_order(KINDS), FEW),
}  # fmt: skip
MAKERS = ("shell", "recipe", "memory", "estimator")


def made(maker: str, case: Case, path: Path) -> None:
    words = {"keep": "averaged", "max_iter": 3, **case.words}
    if maker == "shell":
        epochs = {"epochs": words.pop("max_iter"), **words}
        given = [part for name, value in epochs.items() for part in (f"--{name.replace('_', '-')}", value)]
        well("train", case.path, "-o", path, *given)
    elif maker == "recipe":
        Recipe(**words).fit(case.path).save(path)
    elif maker == "memory":
        Recipe(**{name: value for name, value in words.items() if name != "label"}).fit(case.data, case.y).save(path)
    else:
        AveragedPerceptron(max_iter=3).fit(case.data, case.y).model_.save(path)


def lines(*words: Any) -> list[Any]:
    return [json.loads(line) for line in well(*words, "--json").out.splitlines()]


def same_run(one: Model, other: Model) -> bool:
    parts = [(m.run.epoch, m.run.history, m.threshold, m.classes.tolist(), *m.run.state) for m in (one, other)]
    return all(np.array_equal(a, b) for a, b in zip(*parts, strict=True))


@pytest.fixture(autouse=True)
def _plain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops in plain Python on both sides: compiled ones may differ from them in a last digit."""
    monkeypatch.setenv("ROSENBLATT_JIT", "0")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", CASES)
def test_a_model_made_anywhere_answers_alike_everywhere(kind: str, tmp_path: Path) -> None:
    case, models = CASES[kind](tmp_path), []
    for maker in MAKERS:
        if maker == "estimator" and "min_documents" in case.words:
            continue  # scikit-learn's face takes no texts
        path = tmp_path / f"{maker}.model"
        made(maker, case, path)
        models.append(Model.load(path))
        answers_alike(path, case, case.unsaid if maker in ("memory", "estimator") else {})
    for other in models[1:]:
        assert same_run(models[0], other), "the same data make the same model"
        assert other.classes.dtype == models[0].classes.dtype


def answers_alike(path: Path, case: Case, unsaid: dict[str, Any]) -> None:
    """The shell, Python on the file and Python on what is in memory."""
    model, file = (
        Model.load(path),
        [case.path, *(part for name, value in unsaid.items() for part in (f"--{name}", value))],
    )
    data = open_source(case.path, **unsaid) if unsaid else case.path
    # predict
    shown, scores = lines("predict", path, *file), model.decision(data)
    assert np.array_equal(scores, model.decision(case.data)) and np.count_nonzero(scores) > 0
    assert [each["score"] for each in shown] == scores.tolist()
    labels = model.predict(data)
    assert labels.dtype == model.predict(case.data).dtype == model.classes.dtype
    assert [each["predicted"] for each in shown] == labels.tolist() == model.predict(case.data).tolist()
    assert well("predict", path, *file).out.splitlines() == list(map(str, labels.tolist()))
    # evaluate
    measured = model.evaluate(data)
    assert measured == model.evaluate(case.data, case.y)
    assert well("evaluate", path, *file, "--json").json == json.loads(json.dumps(measured))
    # explain
    told = lines("explain", path, *file, "--top", "all")
    if case.data is FRAME:
        assert {each["feature"] for line in told for each in line["contributions"]} == {*FRAME.columns}
    assert told == [json.loads(json.dumps(each.as_dict())) for each in model.explain(data)]
    for one, other in zip(told, model.explain(case.data, case.y), strict=True):
        assert one == {**json.loads(json.dumps(other.as_dict())), "id": one["id"]}
    # threshold
    new = path.with_suffix(".new")
    well("threshold", path, *file, "-o", new, "--max-false-positives", "20%", "--confidence", "0")
    recipe = Recipe(max_false_positives=0.2, confidence=0)
    for found in (recipe.choose_threshold(model, data), recipe.choose_threshold(model, case.data, case.y)):
        assert Model.load(new).threshold == found.threshold
    # going on
    well("train", *file, "-o", new, "--continue", path, "--epochs", "2")
    for more in (Recipe(max_iter=2).fit_more(model, data), Recipe(max_iter=2).fit_more(model, case.data, case.y)):
        assert same_run(Model.load(new), more) and more.run.epoch > model.run.epoch


COMMANDS: dict[str, tuple[list[Any], Callable[[Model, Any], Any]]] = {
    "predict": (["predict", "MODEL", "DATA"], lambda model, data: model.predict(data)),
    "evaluate": (["evaluate", "MODEL", "DATA"], lambda model, data: model.evaluate(data)),
    "explain": (["explain", "MODEL", "DATA"], lambda model, data: model.explain(data)),
    "threshold": (
        ["threshold", "MODEL", "DATA", "-o", "new", "--at", "0.5"],
        lambda model, data: Recipe(at=0.5).choose_threshold(model, data),
    ),
    "train": (
        ["train", "DATA", "--continue", "MODEL", "-o", "new", "--epochs", "1"],
        lambda model, data: Recipe(max_iter=1).fit_more(model, data),
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "kind", ["svmlight", "csv", "text in csv", "parquet", "npz", "label in npy", "idx", "mail tar"]
)
def test_what_one_face_refuses_the_other_refuses_in_the_same_sentence(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Data of every format for a model that learned from one of them."""
    monkeypatch.chdir(tmp_path)
    made("shell", CASES[kind](write(tmp_path / "own" / "x", "").parent), Path("m"))
    model, refused = Model.load("m"), 0
    for other, make in CASES.items():
        data = make(write(tmp_path / other / "x", "").parent).path
        for name, (words, call) in COMMANDS.items():
            done = run(*({"MODEL": "m", "DATA": data}.get(word, word) for word in words))
            try:
                call(model, data)
                assert done.code == 0, (other, name, done.err)
            except RosenblattError as error:
                refused += 1
                sentence = in_shell(error.message, app.get_command(None, name))  # type: ignore[arg-type]
                assert (done.out, done.err.splitlines()[-1]) == ("", f"Error: {sentence}"), (other, name)
    assert refused > 20


LABELS = {
    "int": SIDE.astype(int), "-1 and 1": CODES, "halves": np.where(SIDE, 1.5, 0.5), "whole floats": SIDE.astype(float),
    "bool": SIDE, "digits as text": np.where(SIDE, "1", "0"), "text": Y, "text of True": SIDE.astype(str),
    "objects": np.where(SIDE, "1", "0").astype(object), "categories": pd.Categorical(Y),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", LABELS)
def test_labels_are_those_of_the_model_everywhere(name: str, tmp_path: Path) -> None:
    """In a file they are numbers or text: a model with "1", True or 1.0 takes its 1 or True for its own."""
    y, frame = LABELS[name], FRAME.assign(kind=LABELS[name])
    frame.to_csv(tmp_path / "d.csv", index=False)
    files = [tmp_path / "d.csv", parquet(tmp_path / "d.parquet", frame)]
    if name not in ("objects", "categories"):
        files.append(npz(tmp_path / "d.npz", X=X, y=y))
    path = tmp_path / "m"
    model = Recipe(max_iter=3).fit(frame, "kind")
    assert set(model.predict(frame).tolist()) <= set(model.classes.tolist()) == set(np.asarray(y).tolist())
    assert np.mean(model.predict(frame) == y) == model.evaluate(frame)["accuracy"]
    if name != "halves":  # scikit-learn takes them for numbers to be predicted
        estimator = AveragedPerceptron(max_iter=3).fit(FRAME, y)
        assert estimator.model_.classes.tolist() == model.classes.tolist()
    model.save(path)
    for file in files:
        assert Model.load(path).evaluate(file) == model.evaluate(frame)
        for told, each in zip(lines("explain", path, file), model.explain(frame), strict=True):
            both = (told["label"], told["predicted"])
            assert both == (each.label, each.predicted) and {*map(type, both)} == {type(model.classes[0].item())}
        made_of_file = Recipe(max_iter=3, **({} if file.suffix == ".npz" else {"label": "kind"})).fit(file)
        assert list(map(str, made_of_file.classes.tolist())) == [str(each).removesuffix(".0") for each in model.classes]


def test_every_format_is_in_the_matrix() -> None:
    names = {name for kind in CASES for name in kind.split()}
    assert set(reader_classes()) - {"table"} <= names
