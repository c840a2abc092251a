"""The data sets inside the package: complete, as their provenance says, and readable without scikit-learn."""

from __future__ import annotations

import hashlib
import importlib.util
import lzma
import re
import tarfile
from collections import Counter
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from rosenblatt import datasets
from rosenblatt.errors import SettingError

TOOL = Path(__file__).parent.parent / "tools" / "make_datasets.py"


def tool() -> ModuleType:
    if not TOOL.exists():
        pytest.skip("tools/make_datasets.py is not here: not a checkout")
    spec = importlib.util.spec_from_file_location("make_datasets", TOOL)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", datasets.FILES)
def test_provenance_states_the_file_its_licence_and_its_sums(name: str) -> None:
    said = datasets.describe(name)
    for heading in ("What:", "Source:", "Licence:", "Changes:"):
        assert heading in said
    packed = datasets.path(name).read_bytes()
    plain = lzma.decompress(packed)
    assert f"{datasets.FILES[name]} {len(packed)} bytes, sha256 {hashlib.sha256(packed).hexdigest()}" in said
    assert f"Unpacked: {len(plain)} bytes, sha256 {hashlib.sha256(plain).hexdigest()}" in said


def test_every_shipped_file_has_a_provenance_and_all_stay_near_a_megabyte() -> None:
    folder = datasets.path("sms").parent
    shipped = {p.name for p in folder.iterdir() if p.suffix == ".xz"}
    assert shipped == set(datasets.FILES.values())
    assert {p.name for p in folder.glob("*.txt")} == {f"{name}.PROVENANCE.txt" for name in datasets.FILES}
    assert sum((folder / file).stat().st_size for file in shipped) < 1_200_000


@pytest.mark.parametrize("call", [datasets.path, datasets.describe])
def test_an_unknown_name_is_told_which_there_are(call: object) -> None:
    with pytest.raises(SettingError, match="'enron'.*sms, spambase, mails"):
        call("enron")  # type: ignore[operator]


def test_sms_rows_and_classes() -> None:
    texts, labels = datasets.load_sms()
    assert Counter(labels) == {"ham": 3857, "spam": 602}
    assert len(texts) == 4459 and all(texts)
    assert texts[1] == "Ok lar... Joking wif u oni..."
    assert any("£" in text for text in texts)


def test_spambase_agrees_with_scikit_learns_reader() -> None:
    from sklearn.datasets import load_svmlight_file

    X, y, names = datasets.load_spambase()
    with lzma.open(datasets.path("spambase")) as lines:
        expected, labels = load_svmlight_file(lines, n_features=57, zero_based=False)
    assert X.shape == (4601, 57) and np.array_equal(X, expected.toarray()) and np.array_equal(y, labels)
    assert Counter(y.tolist()) == {1.0: 1813, -1.0: 2788}
    assert len(names) == len(set(names)) == 57


def test_spambase_names_stand_at_their_columns() -> None:
    """Facts that would not hold under shifted names: `george` and `hp` mark the authors' own mail, `$` spam."""
    X, y, names = datasets.load_spambase()
    spam, other = X[y > 0].mean(axis=0), X[y < 0].mean(axis=0)
    for name in ("word_freq_george", "word_freq_hp", "word_freq_lab"):
        assert other[names.index(name)] > 20 * spam[names.index(name)]
    assert spam[names.index("char_freq_$")] > 10 * other[names.index("char_freq_$")]
    longest, mean = X[:, names.index("capital_run_length_longest")], X[:, names.index("capital_run_length_average")]
    total = X[:, names.index("capital_run_length_total")]
    assert (mean <= longest).all() and (longest <= total).all()


def test_mails_are_untouched_and_labelled_by_folder() -> None:
    with tarfile.open(datasets.path("mails")) as archive:
        members = archive.getmembers()
        names = [m.name for m in members]
        bodies = [archive.extractfile(m).read() for m in members]  # type: ignore[union-attr]
    assert names == sorted(names) and all(m.isreg() for m in members)
    assert Counter(name.split("/")[1] for name in names) == {"ham": 735, "spam": 265}
    assert Counter(name.split("/")[2] for name in names)["hard-ham-1"] == 27
    for name, body in zip(names, bodies, strict=True):
        match = re.fullmatch(r"mails/(ham|spam)/[a-z]+(-ham)?-[12]/\d{5}\.([0-9a-f]{32})\.eml", name)
        assert match and hashlib.md5(body).hexdigest() == match[3], name


SOURCES = {"sms": "sms_dev", "spambase": "spambase", "mails": "spamassassin_dev"}


@pytest.mark.parametrize(("name", "source"), SOURCES.items())
def test_the_tool_makes_the_same_bytes_again(name: str, source: str, shared_data: object) -> None:
    folder = shared_data(source).parent  # type: ignore[operator]
    made = tool().MAKERS[datasets.FILES[name]](folder)
    assert made == lzma.decompress(datasets.path(name).read_bytes())
