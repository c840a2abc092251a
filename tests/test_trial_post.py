"""What a postmaster found: mails and their labels, as in nobody's corpus."""

import binascii
import json
import os

import numpy as np
import pytest
from scipy.sparse import csr_array

from command import process, run, well
from mails import LINE, all_of, save
from rosenblatt import Recipe
from rosenblatt.data.checks import rows_from
from rosenblatt.mailtext.mime import decode, decode_header
from rosenblatt.read.mail.source import MailSource
from rosenblatt.report.advice import surely_wrong

TEXTS = ["one two", "one three", "one two", "one three"] * 5


@pytest.mark.parametrize("words", [{"min_documents": 1}, {"dictionary": "hashed", "bits": 8}, {"scale": "standard"}])
def test_features_are_learned_from_the_training_rows_alone(words):
    """With rows set aside, dictionary and scaling are those of the other rows by themselves."""
    from rosenblatt.data.folds import set_aside

    texts = [f"{text} own{i} own{i}" for i, text in enumerate(TEXTS)]
    y = np.array(["a", "b"] * 10, object)
    model = Recipe(validation=0.5, **words).fit(texts, y)
    kept, _ = set_aside(y, 0.5, 0)
    alone = Recipe(**words).fit([texts[i] for i in kept], y[kept])
    assert model.width == alone.width
    assert model.features.recipe() == alone.features.recipe()
    for name, values in model.features.tensors().items():
        assert np.array_equal(values, alone.features.tensors()[name])


@pytest.mark.parametrize("scale", ["standard", "unit"])
@pytest.mark.parametrize("degree", [1, 2])
def test_numbers_are_scaled_by_the_training_rows_alone(scale, degree):
    from rosenblatt.data.folds import set_aside

    x, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 2
    words = {"scale": scale, "degree": degree}
    model, (kept, _) = Recipe(validation=0.5, **words).fit(x, y), set_aside(y, 0.5, 0)
    alone = Recipe(**words).fit(x[kept], y[kept])
    for name, values in model.features.tensors().items():
        assert np.array_equal(values, alone.features.tensors()[name])


def folders(place):
    """spam and ham of five mails each, below a folder `m`."""
    files = {
        f"m/{label}/{i}.eml": f"Subject: {label}{i}\n\n{label} {i}\n".encode() for label in LABELS for i in range(5)
    }
    save(place, files)
    return place / "m"


def test_what_is_set_aside_teaches_no_words_in_the_shell_either(tmp_path):
    save(tmp_path, {"t.txt": "".join(f"{'ab'[i % 2]}\tword{i} word{i}\n" for i in range(20)).encode()})
    words = ("train", tmp_path / "t.txt", "-o", tmp_path / "m", "--min-documents", "1", "--validation", "0.5", "--json")
    assert well(*words).json["features"] == 10


def test_corrections_that_the_mean_outweighs_are_said(tmp_path):
    mails = folders(tmp_path)
    model, more = tmp_path / "a.model", tmp_path / "b.model"
    well("train", mails, "-o", model, "--keep", "averaged", "--min-documents", "1", "--epochs", "50")
    (tmp_path / "wrong.index").write_text("".join(f"spam m/ham/{i}.eml\n" for i in range(5)))
    done = well("train", tmp_path / "wrong.index", "-o", more, "--continue", model)
    assert "training errors: 5 of 5" in done.out and "steps of before outweigh" in done.out


@pytest.mark.parametrize("keep", ["last", "averaged", "pocket", "voted"])
def test_equal_rows_of_two_classes_are_said(tmp_path, keep):
    (tmp_path / "a.svm").write_text("1 1:1\n-1 1:1\n1 2:1\n-1 3:1\n")
    done = well("train", tmp_path / "a.svm", "-o", tmp_path / "m", "--keep", keep).out
    assert "equal rows have different labels, so that no rule can be right on 1 of the rows" in done
    assert "more --epochs" not in done


LABELS = ("spam", "ham")


@pytest.mark.parametrize("words", [("spam=m/spam", "ham=m"), ("spam=m", "ham=m"), ("spam=m/spam/1.eml", "m")])
def test_a_mail_has_one_label(tmp_path, monkeypatch, words):
    folders(tmp_path)
    monkeypatch.chdir(tmp_path)
    done = run("summary", *words)
    if words[1] == "m":
        assert (done.code, done.err) == (0, "note: mails given twice, read once: 1\n")
    else:
        assert done.code == 3 and "given as spam and as ham; expected one label" in done.err


def test_an_index_gives_a_mail_one_label(tmp_path):
    folders(tmp_path)
    (tmp_path / "i").write_text("spam m/spam/1.eml\nham m/ham/1.eml\nspam m/spam/../spam/1.eml\n")
    done = well("head", tmp_path / "i")
    assert "mails given twice, read once: 1" in done.err and "\n3  " not in done.out
    (tmp_path / "i").write_text("spam m/spam/1.eml\nham m/spam/1.eml\n")
    assert "i, line 2: found 'm/spam/1.eml' as ham, which line 1 says is spam" in run("head", tmp_path / "i").err


def test_labels_are_said_in_one_way(tmp_path):
    mails = folders(tmp_path)
    done = run("summary", f"spam={mails}/spam", f"ham={mails}/ham", "--label-header", "X-Labels")
    assert done.code == 2 and "--label-header and spam=... both say the labels; choose one" in done.err


def test_fields_that_no_mail_has_are_named(tmp_path):
    mails, model = folders(tmp_path), tmp_path / "m.model"
    done = well("train", mails, "-o", model, "--mail-fields", "body,subject,X-Mailerr")
    assert done.err == "note: no mail has the header x-mailerr, a field to read\n"
    assert "write subject" in run("train", mails, "-o", model, "--mail-fields", "sbject").err
    assert "fields: body, subject, x-mailerr\n" in well("inspect", model).out
    assert well("predict", model, mails).err == ""
    assert Recipe(fields=["Subject", "body"]).fit(mails).reading["fields"] == ["subject"]
    with pytest.raises(ValueError, match="write subject"):
        Recipe(fields=["sbject"])


@pytest.mark.parametrize(
    "mail",
    [b">From x@y Thu Aug 22 12:36:23 2002 remote from foo\nSubject: a\n", b"\xe4bc: x\nA: b\n", b" folded\n", b"\n"],
)
def test_a_full_from_line_parts_whatever_follows(tmp_path, mail):
    save(tmp_path, {"box.mbox": (LINE + mail + b"\ntext\n\n") * 3})
    assert len(all_of(MailSource(tmp_path / "box.mbox"))[0]) == 3


def test_a_bad_character_spoils_no_japanese_text():
    good = "こんにちは世界".encode("iso2022_jp")
    for bad in (b"\x1b$B-!\x1b(B", b"\xff"):
        assert "こんにちは世界" in decode(good + bad + good, "iso-2022-jp").text
        coded = b"=?iso-2022-jp?B?" + binascii.b2a_base64(bad + good, newline=False) + b"?="
        assert "こんにちは世界" in decode_header(coded).text
    assert decode("é".encode(), "iso-2022-jp").text == "é"


@pytest.mark.parametrize("name", ["o.csv", "o.txt"])
def test_convert_says_which_fields_are_left_out(tmp_path, name):
    mails = folders(tmp_path)
    assert "only subject and body are written" in well("convert", mails, tmp_path / name).err
    assert "only" not in well("convert", mails, tmp_path / "o.svm").err


def test_names_that_are_no_text_come_back(tmp_path):
    mails, model, odd = folders(tmp_path), tmp_path / "m.model", b"\xe4 \t.eml"
    well("train", mails, "-o", model)
    os.rename(os.fsencode(mails) + b"/spam/1.eml", os.fsencode(mails) + b"/spam/" + odd)
    printed = process("predict", model, mails / "spam", "--ids").communicate()[0]
    assert odd.replace(b"\t", b"\\t") in [line.split(b"\t")[0] for line in printed.split(b"\n")]
    lines = process("predict", model, mails / "spam", "--json").communicate()[0].splitlines()
    assert odd in [os.fsencode(json.loads(line)["id"]) for line in lines]
    done = well("split", mails, "--output", tmp_path / "part")
    assert "8 rows" in done.out
    for part in ("train", "test"):
        well("predict", model, tmp_path / f"part.{part}.index", "--ids")


def test_head_shows_all_attachments(tmp_path):
    part = 'Content-Disposition: attachment; filename="{}"\n\nx\n'
    text = 'Subject: a\nContent-Type: multipart/mixed; boundary="b"\n\n--b\n'
    (tmp_path / "a.eml").write_text(
        text + "\n--b\n".join([part.format("one.pdf"), part.format("two.zip")]) + "\n--b--\n"
    )
    assert "attachment: one.pdf" in (out := well("head", tmp_path / "a.eml").out) and "two.zip" in out


def test_notes_stand_before_the_error(tmp_path):
    mails = folders(tmp_path)
    os.rename(mails / "ham", tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", mails / "ham")
    os.rename(mails / "spam", mails / "other")
    done = run("train", mails, "-o", tmp_path / "x.model")
    assert done.code == 3 and done.err.startswith("note: links, not followed: 1\nError: ")
    assert run("train", f"a={mails}/other", mails, "-o", tmp_path / "x.model").err.startswith(
        "note: links, not followed: 1\n"
    )


def test_errors_name_the_ways_to_say_labels(tmp_path):
    folders(tmp_path)
    (tmp_path / "a.eml").write_text("Subject: a\n\nb\n")
    for data in ((tmp_path / "a.eml",), (f"spam={tmp_path}/m/spam", tmp_path / "m/ham")):
        error = run("train", *data, "-o", tmp_path / "x.model").err
        assert "spam=PATH ham=PATH say what lies where, --label-header which header" in error
    with pytest.raises(ValueError, match="label_header which header"):
        Recipe().fit(tmp_path / "a.eml")


def test_no_new_mail_is_no_error(tmp_path):
    mails, model, box = folders(tmp_path), tmp_path / "x.model", tmp_path / "md"
    well("train", mails, "-o", model)
    for folder in ("cur", "new", "tmp"):
        (box / folder).mkdir(parents=True)
    (tmp_path / "e.mbox").write_bytes(b"")
    for data in ((box,), (box / "new",), (tmp_path / "e.mbox",), (box / "new", box / "cur")):
        for more in ((), ("--json",)):
            done = well("predict", model, *data, *more)
            assert done.out == "" and done.err.startswith("note: ") and done.err.endswith(": no mail\n")
    assert well("predict", model, box / "new", mails, box / "cur").out.count("\n") == 10
    save(box, {"new/1": b"\0\0"})
    assert run("predict", model, box).code == 3
    assert run("predict", model, "-", given=b"").code == 3
    assert run("evaluate", model, box / "cur").code == 3


@pytest.mark.parametrize("now", ["cur/17.a.host:2,SR", "cur/17.a.host:2,"])
@pytest.mark.parametrize("then", ["cur/17.a.host:2,S", "new/17.a.host"])
def test_an_index_finds_mails_whose_flags_have_changed(tmp_path, then, now):
    mails = folders(tmp_path)
    for folder in ("cur", "new", "tmp"):
        (tmp_path / "md" / folder).mkdir(parents=True)
    os.rename(mails / "ham/1.eml", tmp_path / "md" / now)
    save(tmp_path / "md", {"cur/17.ab.host:2,S": b"Subject: other\n\n"})
    (tmp_path / "i").write_text(f"ham md/{then}\nspam m/spam/1.eml\n")
    out = well("head", tmp_path / "i").out
    assert f"md/{now}" in out and "ham1" in out
    assert "options are: --folders, --label-header, --label-rules" in run("head", tmp_path / "i", "--bad", "skip").err


def test_rules_of_labels_with_commas_and_without_effect(tmp_path):
    heads = [b'"Work, urgent"', b"Spam", b"Spam,Inbox", b"Other", b"Inbox"]
    (tmp_path / "box").write_bytes(b"".join(LINE + b"X-L: " + head + b"\n\ntext\n\n" for head in heads))
    words = ("summary", tmp_path / "box", "--label-header", "X-L", "--label-rules")
    done = well(*words, 'spam=Spam,ham=Inbox,"work, urgent",Gone')
    assert "classes: ham 2 (66.7%), spam 1 (33.3%)" in done.out
    assert "mails whose X-L meets rules of two classes, skipped: 1\n" in done.err
    assert "mails whose X-L meets no rule, skipped: 1\n" in done.err
    assert "note: no mail has 'gone' in X-L, which is ham by a rule\n" in done.err
    assert "ham 2" in well(*words, 'spam=Spam,"ham=Work, urgent",Inbox').out


@pytest.mark.parametrize(
    ("begin", "how"),
    [(b"PK\3\4", "unzip"), (b"\xd0\xcf\x11\xe0", "msgconvert"), (b"!BDN", "readpst"), (b"\1" * 4, "mutt")],
)
def test_what_is_not_read_is_named(tmp_path, begin, how):
    (tmp_path / "file.x").write_bytes(begin + b"\nabc" * 9)
    done = run("head", tmp_path / "file.x")
    assert done.code == 3 and "it is a" in done.err and how in done.err


def test_labels_that_differ_in_capitals_are_noted(tmp_path):
    (tmp_path / "t").write_text("Spam\ta b\nspam\ta c\nham\td e\n")
    said = "the labels Spam and spam differ only in capitals"
    assert f"note: {said}\n" in well("train", tmp_path / "t", "-o", tmp_path / "x.model").err
    assert said in well("summary", tmp_path / "t").out


def test_contradictions_are_counted_in_the_columns_in_use() -> None:
    """Training ends with this count, and must not end with an error where columns are many."""
    X = csr_array((np.ones(4), ([0, 1, 2, 3], [0, 0, 1, 10**8 - 1])), shape=(4, 10**8))
    assert surely_wrong(rows_from(X), np.array([0, 1, 1, 0])) == 1
