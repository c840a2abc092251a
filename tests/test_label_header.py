"""Labels of mails from a header: a Takeout mbox, labels in quotes, encoded and folded; from Python and the shell."""

from __future__ import annotations

import io
import tarfile
from pathlib import Path

import pytest

from command import run, well, write
from mails import LINE
from rosenblatt import Recipe, datasets
from rosenblatt.errors import DataError, SettingError
from rosenblatt.mailtext.headers import listed
from rosenblatt.model.model import Model
from rosenblatt.read import open_bytes
from rosenblatt.read.mail.labels import HeaderLabels

RULES = ("--label-header", "X-Gmail-Labels", "--label-rules", "spam=Spam,ham=inbox,Archived")
SPAM = (b"Spam,Unread", b"=?UTF-8?Q?Spam,Cat=C3=A9gorie?=", b'"Spam"', b"Category\r\n promotions,\r\n SPAM")
HAM = (b"Inbox,Important", b"=?UTF-8?Q?Bo=C3=AEte,?=\r\n =?UTF-8?Q?Inbox?=", b'"one, two",Archived')


def real(label: str, count: int) -> list[bytes]:
    """The first mails of a label, of those that come with the package."""
    found = []
    with open_bytes(datasets.path("mails")) as stream, tarfile.open(fileobj=io.BytesIO(stream.read())) as archive:
        for member in archive:
            if len(found) < count and f"/{label}/" in member.name and member.isfile():
                file = archive.extractfile(member)
                assert file is not None
                found.append(file.read())
    return found


@pytest.fixture(name="takeout", scope="module")
def _takeout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve mails each way, then a draft, one that is both, and one without the header."""
    labels = [*(SPAM * 3), *(HAM * 4), b"Drafts", b"Spam,Inbox"]
    mails = [*real("spam", 12), *real("ham", 15)]
    raw = [
        b"X-GM-THRID: 17\r\nX-Gmail-Labels: " + label + b"\r\n" + mail
        for label, mail in zip(labels, mails, strict=False)
    ]
    raw.append(mails[-1])
    box = b"".join(LINE + mail.rstrip(b"\n").replace(b"\nFrom ", b"\n>From ") + b"\n\n" for mail in raw)
    return write(tmp_path_factory.mktemp("takeout") / "All mail.mbox", box)


def test_a_takeout_mbox_trains_and_is_evaluated(takeout: Path, tmp_path: Path) -> None:
    done = well("train", takeout, "-o", tmp_path / "m", *RULES)
    assert "24 rows (ham: 12, spam: 12; positive: spam)" in done.out
    assert "mails whose X-Gmail-Labels meets no rule, skipped: 2\n" in done.err
    assert "mails whose X-Gmail-Labels meets rules of two classes, skipped: 1\n" in done.err
    model = Model.load(tmp_path / "m")
    assert model.reading["label_header"] == "X-Gmail-Labels"
    assert model.reading["label_rules"] == ["spam=Spam", "ham=inbox", "Archived"]
    assert not any("gmail" in str(name) or "thrid" in str(name) for name in model.feature_names)
    assert well("evaluate", tmp_path / "m", takeout, "--json").json["rows"] == 24
    for words in (("predict",), ("explain", "--json")):
        assert len(well(*words, tmp_path / "m", takeout).out.splitlines()) == 27  # no label is needed
    well("train", takeout, "-o", tmp_path / "n", "--continue", tmp_path / "m")
    write(tmp_path / "mail", b"Subject: hello\n\nlunch at noon\n")
    assert well("evaluate", tmp_path / "m", f"ham={tmp_path / 'mail'}", "--json").json["rows"] == 1
    assert "no mail has that header" in run("evaluate", tmp_path / "m", tmp_path / "mail").err


def test_python_and_the_other_commands_read_it_alike(takeout: Path, tmp_path: Path) -> None:
    rules = ["spam=Spam", "ham=inbox", "ham=Archived"]
    model = Recipe(label_header="x-gmail-labels", label_rules=rules).fit(takeout)
    assert model.evaluate(takeout)["rows"] == 24 and len(model.predict(takeout)) == 27
    assert well("summary", takeout, *RULES, "--json").json["class_rows"] == {"ham": 12, "spam": 12}
    well("convert", takeout, tmp_path / "out.txt", *RULES)
    assert [line.split("\t")[0] for line in (tmp_path / "out.txt").read_text().splitlines()] == ["spam"] * 12 + [
        "ham"
    ] * 12
    rest = well("summary", takeout, *RULES[:3], "spam=Spam,ham=*", "--json").json
    assert rest["class_rows"] == {"ham": 13, "spam": 13}  # the draft, and the mail that is both
    assert well("compare", takeout, *RULES, "--folds", 2, "--keeps", "last", "--rules", "perceptron", "--json").json[
        "pick"
    ]


def test_without_rules_the_values_are_listed(takeout: Path, tmp_path: Path) -> None:
    done = run("train", takeout, "-o", tmp_path / "m", *RULES[:2])
    assert done.code == 3
    assert "its values: Spam (" in done.err and "Category promotions (3)" in done.err and "one, two (4)" in done.err
    assert "Boîte (4)" in done.err and "Catégorie (3)" in done.err
    assert "expected which value is which class, as --label-rules spam=Spam,ham=Inbox" in done.err
    done = run("train", takeout, "-o", tmp_path / "m", *RULES[:3], "spam=Spam,ham=Work")
    assert "found only mails that are 'spam' by X-Gmail-Labels; its values: Spam" in done.err
    assert "no mail has that header" in run("summary", takeout, "--label-header", "X-Other", "--label-rules", "a=b").err
    with pytest.raises(DataError, match=r"label_rules='spam=Spam,ham=Inbox'"):
        Recipe(label_header="X-Gmail-Labels").fit(takeout)


def test_what_goes_not_together_is_said(takeout: Path, tmp_path: Path) -> None:
    for words, said in {
        RULES[2:]: "--label-rules has an effect only with --label-header",
        (*RULES, "--folders", "a,b"): "--folders and --label-header both say the labels",
        (*RULES, "--mail-fields", "subject,X-Gmail-Labels"): "the field x-gmail-labels would tell them",
        ("--label-header", "List-Id", "--mail-fields", "headers"): "the field headers would tell them",
        ("--label-header", "From", "--mail-fields", "sender"): "the field sender would tell them",
        (*RULES[:3], "spam=a,ham=A"): "--label-rules ham=A is of two classes",
        (*RULES[:3], "Spam"): "--label-rules Spam is not of the form CLASS=VALUE",
    }.items():
        done = run("train", takeout, "-o", tmp_path / "m", *words)
        assert done.code == 2 and said in done.err, done.err
    with pytest.raises(SettingError, match="label_rules=spam= is not"):
        HeaderLabels("X", ["spam="])


def test_values_of_a_header_are_parted_decoded_and_unfolded() -> None:
    head = b'X-Labels: a, "b, c" ,\r\n\td e\r\nx-labels: =?utf-8?B?w6ksIGY=?=\r\nSubject: x\r\n\r\nX-Labels: no\r\n'
    assert listed(head, "X-Labels") == ["a", "b, c", "d e", "é", "f"]
    assert listed(b"Subject: x\n\n", "X-Labels") == [] and listed(b"", "X-Labels") == []
    assert listed(b'X-Labels: "open, a\n\nx', "X-Labels") == ["open, a"]


def test_the_class_of_a_mail() -> None:
    labels = HeaderLabels("X-L", ["spam=junk", "ham=in", "kept", "list=*"])

    def of(text: str) -> str | None:
        return labels.label(f"X-L: {text}\n\n".encode())

    assert [of(text) for text in ("Junk", "IN,other", "kept", "other", "junk,in")] == [
        "spam",
        "ham",
        "ham",
        "list",
        None,
    ]
    assert labels.label(b"Subject: x\n\n") is None
    assert labels.values["Junk"] == 1 and labels.values["other"] == 2
