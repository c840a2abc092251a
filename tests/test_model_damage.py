"""Every byte of a model file flipped, every length cut: of the plainest model and of those that hold the most."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import mail_folder, well, write
from rosenblatt.datasets import load_sms
from rosenblatt.errors import ModelError
from rosenblatt.model.model import Model

pytestmark = pytest.mark.slow  # a minute; tests/test_model_file.py does the same with a small model

KINDS = {
    "calibrated": ["sms.txt", "--calibrate", "isotonic", "--max-words", "12", "--cost", "spam=1,ham=9"],
    "validated": ["sms.txt", "--validation", "0.3", "--max-words", "9", "--patience", "2", "--keep", "pocket"],
    "n-grams": ["sms.txt", "--word-ngrams", "2", "--char-ngrams", "2-3", "--max-words", "9", "--keep", "averaged"],
    "mail": ["mails", "--mail-fields", "subject,sender,links,headers", "--max-words", "9", "--min-documents", "1"],
    "kernel": ["three.csv", "--kernel", "rbf", "--keep", "voted", "--scale", "standard"],
    "products": ["three.csv", "--degree", "2", "--scale", "standard", "--calibrate", "sigmoid"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("damage")
    texts, labels = load_sms()
    lines = [f"{label}\t{text}\n" for text, label in zip(texts[:120], labels[:120], strict=True)]
    write(place / "sms.txt", "".join(lines))
    write(place / "three.csv", "a,b,kind\n" + "".join(f"{n % 7},{n % 5},{'xyz'[n % 3]}\n" for n in range(30)))
    mail_folder(place / "mails")
    return place


@pytest.fixture(params=KINDS)
def whole(request: pytest.FixtureRequest, folder: Path) -> tuple[Path, bytes]:
    data, *options = KINDS[request.param]
    path = folder / request.param
    if not path.exists():
        well("train", folder / data, "-o", path, "--epochs", "4", *options)
    return folder / "damaged", path.read_bytes()


def test_a_flipped_bit_is_noticed_or_harmless(whole: tuple[Path, bytes]) -> None:
    """Harmless: white space in the header, or the e of a number turned into E."""
    path, content = whole
    harmless = 0
    for place in range(len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << 5 * place % 8
        path.write_bytes(damaged)
        try:
            model = Model.load(path)
        except ModelError as error:
            assert str(path) in str(error) and "\n" not in str(error) and len(str(error)) < 400
        else:
            harmless += 1
            model.save(path)
            assert path.read_bytes() == content, place
    assert harmless < len(content) / 50


def test_a_shorter_file_is_noticed(whole: tuple[Path, bytes]) -> None:
    path, content = whole
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(ModelError, match="damaged"):
            Model.load(path)
