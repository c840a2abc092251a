"""The commands of a mail filter: learn, forget, classify, explain, mistakes, what-if, status, store."""

from __future__ import annotations

import json
import mailbox
import math
import os
import re
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rosenblatt
from command import on_a_terminal, run, well, write
from mails import LINE, pack, raws, save
from rosenblatt.mail import bulk as mail_bulk
from rosenblatt.mail import looking
from rosenblatt.mail.digest import digest
from rosenblatt.mail.features import Look
from rosenblatt.mail.opinion import Opinion
from rosenblatt.mail.paths import Mail, Mails, side_by_side
from rosenblatt.mail.rewriting import headers_for, rewritten
from rosenblatt.mail.store import bulk, listing
from rosenblatt.mail.store.file import VERSION
from rosenblatt.mail.store.learning import Store
from rosenblatt.mailtext.mail import MAIL_LIMIT

SHIPPED = Path(rosenblatt.__file__).parent / "datasets" / "mails.tar.xz"
FREE = ["free", "prize", "money", "winner", "cash", "now", "buy", "cheap"]
WORK = ["meeting", "lunch", "report", "tuesday", "agenda", "notes", "draft", "team"]


def mail(number: int, spam: bool) -> bytes:
    """One of some mails, always the same."""
    words = np.random.default_rng(number).choice(FREE if spam else WORK, 6)
    sender = f"{'shop' if spam else 'ann'}{number % 7}@example.org"
    return f"Subject: {words[0]} {number}\nFrom: {sender}\nTo: me@example.com\n\n{' '.join(words)}\n".encode()


MANY = 40
"""Of each kind; with fewer the judge is unsure of many."""
SPAM, HAM = ({f"{kind}/{n:02}.eml": mail(n, kind == "spam") for n in range(MANY)} for kind in ("spam", "ham"))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Here, with mails in spam/ and ham/ and a store at its default place."""
    save(tmp_path, SPAM | HAM)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ROSENBLATT_STORE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


STORE = Path("data/rosenblatt/mail.db")


def learn(*words: Any, **more: Any) -> dict[str, int]:
    made: dict[str, int] = well("mail", "learn", *words, "--json", **more).json
    return made


@pytest.fixture
def learned(folder: Path) -> Path:
    assert learn("--spam", "spam", "--ham", "ham", "--bits", "12") == {"new": 2 * MANY, "known": 0, "changed": 0}
    return STORE


def status() -> Any:
    return well("mail", "status", "--json").json


def content(path: Path = STORE) -> tuple[Any, ...]:
    """Numbers by column, senders, messages but for their times."""
    with sqlite3.connect(path) as connection:
        weights = {column: np.frombuffer(blob, "<f8") for column, blob in connection.execute("SELECT * FROM weights")}
        senders = connection.execute("SELECT * FROM senders WHERE spam OR ham ORDER BY address").fetchall()
        rows = connection.execute("SELECT digest, spam, score, thought, sender, subject FROM messages ORDER BY tick")
        messages = rows.fetchall()
    connection.close()
    return weights, senders, messages


def same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    near = a[0].keys() == b[0].keys() and all(np.allclose(a[0][k], b[0][k], 1e-9, 1e-9) for k in a[0])
    strip = lambda rows: [row[:2] + row[3:] for row in rows]  # noqa: E731
    return near and a[1] == b[1] and strip(a[2]) == strip(b[2])


# --- mails of every kind of path -------------------------------------------------------------------------------------


def stores() -> dict[str, str]:
    """The same mails in every kind of store."""
    box, maildir = mailbox.mbox("all.mbox"), mailbox.Maildir("Maildir")
    for raw in (SPAM | HAM).values():
        box.add(raw)
        maildir.add(mailbox.MaildirMessage(raw))
    box.close()
    return {"mbox": "all.mbox", "maildir": "Maildir", "tar": str(pack(Path("all.tar.gz"), SPAM | HAM))}


def test_a_mail_is_the_same_in_every_store(monkeypatch: pytest.MonkeyPatch) -> None:
    expected, paths = {digest(raw) for raw in (SPAM | HAM).values()}, [*stores().values()]
    for path in paths:
        source = Mails([path], "ham")
        assert {digest(each.raw) for each in source} == expected and source.share == 1.0
    assert learn("--ham", paths[0], "--bits", "12") == {"new": 2 * MANY, "known": 0, "changed": 0}
    with monkeypatch.context() as patch:
        patch.setattr(looking.Seer, "few", None)  # what is known is not looked at
        assert learn("--ham", *paths[1:]) == {"new": 0, "known": 4 * MANY, "changed": 0}
        filtered = rewritten(mail(3, True), headers_for(Opinion(9.0, 1.0, "spam"), 3.0))
        assert b"X-Spam-Flag: YES" in filtered and learn("--ham", given=filtered)["known"] == 1
    assert learn("--spam", given=mail(3, True)) == {"new": 0, "known": 0, "changed": 1}
    assert learn("--spam", "-", "spam/03.eml", given=mail(3, True)) == {"new": 0, "known": 2, "changed": 0}
    assert status()["messages"] == {"spam": 1, "ham": 2 * MANY - 1}


def test_standard_input_is_one_mail_unless_it_is_many() -> None:
    two = LINE + mail(0, True) + b"\n" + LINE + mail(1, True)
    assert learn("--spam", given=two, ROSENBLATT_STORE="one.db")["new"] == 1
    assert learn("--spam", "--many", given=two, ROSENBLATT_STORE="two.db")["new"] == 2


def test_mails_are_cut_as_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert MAIL_LIMIT == MAIL_LIMIT
    monkeypatch.setattr("rosenblatt.mail.paths.MAIL_LIMIT", 50)
    monkeypatch.setattr("rosenblatt.mail.stream.MAIL_LIMIT", 50)
    source = Mails(["spam/00.eml"])
    assert [each.raw for each in source] == [mail(0, True)[:50]] and source.notes == {"mails longer than 64 MB, cut": 1}
    done = well("mail", "learn", "--spam", given=mail(0, True))
    assert done.err.startswith("note: mails longer than 64 MB, cut: 1")
    assert learn("--spam", "spam/00.eml")["known"] == 1


def test_both_kinds_come_side_by_side() -> None:
    save(Path(), {f"more/{n}.eml": mail(n, False) for n in range(MANY, 3 * MANY)})
    kinds = [each.kind for each in side_by_side([Mails(["spam"], "spam"), Mails(["ham", "more"], "ham")])]
    assert (kinds.count("spam"), kinds.count("ham")) == (MANY, 3 * MANY)
    assert all(abs(3 * kinds[:n].count("spam") - kinds[:n].count("ham")) <= 25 for n in range(4 * MANY))


def test_one_kind_after_the_other_is_judged_as_well(folder: Path) -> None:
    """Of 120 shipped mails, after 120 others; without `Order` 25 and more were wrong."""
    mails = raws(SHIPPED)
    for kind in ("spam", "ham"):
        own = [raw for name, raw in mails.items() if name.partition("mails/")[2].startswith(kind)][:120]
        save(folder, {f"{part}/{kind}/{n}.eml": raw for n, raw in enumerate(own) for part in ["ab"[n % 2]]})
    wrong = {}
    for name, commands in {"one": [("--spam", "a/spam", "--ham", "a/ham")],
                           "spam": [("--spam", "a/spam"), ("--ham", "a/ham")],
                           "ham": [("--ham", "a/ham"), ("--spam", "a/spam")]}.items():  # fmt: skip
        for number, command in enumerate(commands, 1):
            done = well("mail", "learn", *command, "--store", f"{name}.db", "--bits", "16")
            made = well("mail", "status", "--store", f"{name}.db", "--json").json
            said = f"only {name} is learned: it waits for"
            assert (said in done.err) is (said in str(made["warnings"])) is (number < len(commands))
            assert number < len(commands) or not any(made["waiting"].values())
        said = map(json.loads, well("mail", "classify", "b", "--store", f"{name}.db", "--json").out.splitlines())
        wrong[name] = sum((each["probability"] > 0.5) != ("b/spam" in each["path"]) for each in said)
    assert max(wrong.values()) <= 5, wrong


def test_processes_change_nothing(learned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "FEW", 10)
    monkeypatch.setattr(mail_bulk, "CHUNK", 4)
    own, began = looking.get_context, list[str]()
    monkeypatch.setattr(looking, "get_context", lambda how: began.append(how) or own(how))
    learn("--spam", "spam", "--ham", "ham", "--bits", "12", "--jobs", "2", "--store", "two.db")
    assert same(content(Path("two.db")), content()) and began == ["spawn"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit])
def test_the_same_command_goes_on(learned: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]) -> None:
    words = ("mail", "learn", "--spam", "spam", "--ham", "ham", "--bits", "12", "--store", "b.db")
    own = Store.learn

    def second(self: Store, verdicts: Any) -> Any:
        if status_of() == 16:
            raise stop(143)
        return own(self, verdicts)

    def status_of() -> int:
        return sum(listing.status("b.db")["messages"].values())

    monkeypatch.setattr(bulk, "BATCH", 16)
    monkeypatch.setattr(Store, "learn", second)
    done = run(*words)
    assert done.code in (130, 143) and "16 mails are done; the same command again goes on from there" in done.err
    monkeypatch.setattr(Store, "learn", own)
    assert well(*words, "--json").json == {"new": 2 * MANY - 16, "known": 16, "changed": 0}
    assert same(content(Path("b.db")), content())


SENT = b"""From: me@example.com
To: "eve@example.org, Jane" <jane@example.org>, bob@example.net
Cc: jane@example.org
Subject: about our plan
X-Mailer: mine

gardening tomorrow
"""


def test_sent_mail_teaches_whom_it_went_to(learned: Path) -> None:
    before = content()[0]
    assert learn("--sent", given=SENT) == {"new": 1, "known": 0, "changed": 0}
    weights, senders, messages = content()
    assert [row for row in senders if "shop" not in row[0] and "ann" not in row[0]] == [
        ("bob@example.net", 0, 1), ("jane@example.org", 0, 1),
    ]  # fmt: skip
    assert messages[-1][4:] == ("jane@example.org bob@example.net", "about our plan")
    column = Look(bits=12).column
    stepped = {at for at, numbers in weights.items() if at not in before or numbers[-1] != before[at][-1]}
    taught = {"from:jane@example.org", "from:@example.net", "sender:bob@example.net", "gardening", "subject:plan"}
    assert {*map(column, taught)} <= stepped
    assert not {*map(column, ("from:me@example.com", "sender:me@example.com", "x-mailer:mine", "has:to"))} & stepped
    assert well("mail", "forget", "--from", "BOB@example.net").out == "1 forgotten, 0 not known\n"
    after = content()
    assert after[1:] == (content()[1], messages[:-1]) and ("bob@example.net", 0, 0) not in after[1]
    assert all(np.allclose(after[0][at], before.get(at, 0.0), 1e-9, 1e-9) for at in after[0])


# --- settings --------------------------------------------------------------------------------------------------------


def test_a_store_keeps_what_it_began_with_but_for_the_threshold(learned: Path) -> None:
    done = run("mail", "learn", "--ham", "ham", "--bits", "13")
    assert done.code == 64 and "--bits: " in done.err and "has 12; what is looked at in a mail stays" in done.err
    done = run("mail", "learn", "--ham", "ham", "--trusted", "mx.example.org")
    assert done.code == 64 and "--trusted: " in done.err and "has none; what is" in done.err
    groups = "words,headers,links,senders,style,attachments,markup,ngrams"
    assert learn("--ham", "ham", "--groups", groups)["known"] == MANY, "in another order"
    assert run("mail", "learn", "--ham", "ham", "--groups", groups[6:]).code == 64
    assert learn("--ham", "ham", "--bits", "12", "--max-false-positives", "1%")["known"] == MANY
    assert (status()["settings"]["max_false_positives"], status()["judge"]["target_percent"]) == (0.01, 1.0)
    said = "at most 2 % of the real mail lost; the latest 7 kept whole, 0 as mails\n"
    assert well("mail", "store", "--max-false-positives", "2%", "--whole", "7").out == said
    assert status()["settings"]["whole"] == 7 and status()["settings"]["max_false_positives"] == 0.02
    learn("--ham", given=mail(99, False))
    assert status()["forgettable"] == 7


def test_an_open_store_hears_of_a_moved_threshold(learned: Path) -> None:
    with Store(str(learned)) as store:
        well("mail", "store", "--max-false-positives", "3%")
        store.learn([])
        assert store.judge.lost == 0.03
    assert status()["settings"]["max_false_positives"] == 0.03


def test_a_users_store_stands_on_the_sites(learned: Path) -> None:
    assert well("mail", "store", "--publish", "site.db").out == "wrote site.db\n"
    done = well("mail", "learn", "--spam", "--site", "site.db", "--store", "own.db", given=mail(50, True))
    assert done.out == "1 new, 0 known already, 0 changed\n"
    said = well("mail", "status", "--store", "own.db")
    assert "1 mail learned, 1 spam and 0 ham" in said.out and f"stands on {os.path.abspath('site.db')}" in said.out
    assert run("mail", "classify", "ham/01.eml", "--store", "own.db").code == 1


# --- verdicts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("style", "codes", "broken"), [((), (0, 1, 2), 69), (("bogofilter",), (0, 1, 2), 3), (("spamc",), (1, 0, 0), 69)]
)
def test_the_exit_code_of_one_mail_is_its_verdict(
    learned: Path, style: tuple[str, ...], codes: tuple[int, ...], broken: int
) -> None:
    words = ["--exit-style", *style] if style else []
    write(Path("odd.eml"), "Subject: x\n\nunheard of\n")
    done = [run("mail", "classify", path, *words) for path in ("spam/01.eml", "ham/01.eml", "odd.eml")]
    assert [each.out.split("\t")[0] for each in done] == ["spam", "ham", "unsure"]
    assert tuple(each.code for each in done) == codes
    assert run("mail", "classify", *words, given=mail(1, False)).code == codes[1]
    assert well("mail", "classify", "spam/01.eml", "ham/01.eml", *words).out.count("\n") == 2
    assert run("mail", "classify", "ham/01.eml", "--store", "none.db", *words).code == broken


def test_each_line_of_json_is_a_mail(learned: Path) -> None:
    before = content()
    lines = [json.loads(line) for line in well("mail", "classify", "spam", "ham/01.eml", "--json").out.splitlines()]
    assert len(lines) == MANY + 1 and lines[-1]["path"] == "ham/01.eml"
    assert all(list(line) == ["path", "verdict", "probability", "score"] for line in lines)
    assert all(Path(line["path"]).read_bytes() for line in lines)
    assert same(content(), before), "nothing was learned"


def test_the_contributions_sum_to_the_score(learned: Path) -> None:
    for path in (*SPAM, *HAM):
        made = well("mail", "explain", path, "--json").json
        (said,) = well("mail", "classify", path, path, "--json").out.splitlines()[:1]
        assert made["score"] == json.loads(said)["score"] == math.fsum(each["contribution"] for each in made["tokens"])
        *tokens, middle = made["tokens"]
        sizes = [abs(each["contribution"]) for each in tokens]
        assert sizes == sorted(sizes, reverse=True) and middle["names"] == ["the middle between ham and spam"]
        assert all(each["names"] and len(each["names"]) == len(each["groups"]) for each in tokens)
    assert any(len(each["names"]) > 1 for each in tokens), "2^12 columns: some share one"
    names = [name for each in tokens for name in each["names"]]
    assert {"known.ham:2", f"from:ann{(MANY - 1) % 7}@example.org"} <= {*names} and "known.ham:8" not in names
    assert well("mail", "explain", "--json", given=HAM[path]).json == made | {"path": "standard input"}
    shown = well("mail", "explain", path, "--top", "3").out.splitlines()
    assert shown[0] == f"ham, probability {made['probability']:.4f}, score {made['score']:.4f}"
    assert shown[3].split()[0] == f"{tokens[0]['contribution']:+.4f}" and len(shown) == 9
    assert shown[-1] == f"{len(tokens) - 3} more tokens that are known, {made['unknown']:,} that are not"


def test_mistakes_are_what_was_thought_otherwise(learned: Path) -> None:
    well("mail", "learn", "--ham", given=mail(70, True))
    well("mail", "learn", "--spam", given=mail(71, False))
    made = well("mail", "mistakes", "--json").json["mistakes"]
    first = [(each["verdict"], each["thought"], each["sender"], each["subject"][-2:]) for each in made[:2]]
    assert first == [("spam", "ham", "ann1@example.org", "71"), ("ham", "spam", "shop0@example.org", "70")]
    assert (made[0]["score"] < 0 < made[1]["score"]) and len(made) == len(
        [row for row in content()[2] if row[3] not in ("unsure", ("ham", "spam")[row[1]])]
    )
    unsure = well("mail", "mistakes", "--unsure", "--json").json["mistakes"]
    assert len(unsure) == status()["corrections"] > len(made)
    lines = well("mail", "mistakes").out.splitlines()
    assert "shop0@example.org" in lines[2] and lines[-1] == f"{len(made)} mistakes"


def test_what_would_move_where(learned: Path) -> None:
    save(Path(), {"box/cur/1": mail(80, False), "box/cur/2": mail(81, True), "box/new/3": mail(82, False)})
    save(Path(), {"box/.Junk/cur/1": mail(83, True), "box/.Junk/cur/2": mail(84, False)})
    for name in ("box", "box/.Junk"):
        for part in ("tmp", "new", "cur"):
            (Path(name) / part).mkdir(exist_ok=True)
    before = learned.read_bytes(), content()[2]
    made = well("mail", "what-if", "box", "--json").json
    rows = {row["folder"]: (row["mails"], row["spam"], row["ham"], row["move"]) for row in made["folders"]}
    assert rows == {"box": (3, 1, 2, 1), "box/.Junk": (2, 1, 1, 1)}
    assert [(move["path"], move["verdict"]) for move in made["moves"]] == [
        ("box/.Junk/cur/2", "ham"), ("box/cur/2", "spam"),
    ]  # fmt: skip
    said = well("mail", "what-if", "box").out
    assert "1 mail to the spam folder:" in said and "1 mail out of it:" in said
    assert (learned.read_bytes(), content()[2]) == before


# --- forgetting ------------------------------------------------------------------------------------------------------


def test_mails_are_forgotten_by_path_sender_and_time(learned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    full = content()
    learn("--spam", given=mail(90, True))
    assert well("mail", "forget", "-", given=mail(90, True)).out == "1 forgotten, 0 not known\n"
    assert content()[1:] == full[1:]
    assert well("mail", "forget", "ham/01.eml", "ham/01.eml", "-", "--json", given=b"Subject: no\n\n").json == {
        "forgotten": 1, "unknown": 1,
    }  # fmt: skip
    shops = sum(n % 7 == 2 for n in range(MANY))
    assert well("mail", "forget", "--from", "shop2@example.org", "--json").json["forgotten"] == shops
    assert status()["messages"] == {"spam": MANY - shops, "ham": MANY - 1}
    assert well("mail", "forget", "--before", "2000-01-01", "--json").json == {"forgotten": 0, "unknown": 0}
    monkeypatch.setattr("rosenblatt.cli.mail.forget.BATCH", 10)
    assert well("mail", "forget", "--before", "2100-01-01").out == f"{2 * MANY - 1 - shops} forgotten, 0 not known\n"
    assert all(np.abs(numbers).max() < 1e-9 for numbers in content()[0].values()) and content()[1:] == ([], [])


def test_what_is_too_old_is_not_forgotten(learned: Path) -> None:
    well("mail", "store", "--whole", "5")
    before = content()
    done = run("mail", "forget", "--before", "2100-01-01")
    assert done.code == 69 and "no longer kept (of the latest 5 only)" in done.err and same(content(), before)


# --- status ----------------------------------------------------------------------------------------------------------


def test_status_says_what_is_missing_and_wrong(learned: Path) -> None:
    made = status()
    assert made["missing"] == [
        "10 more spam for verdicts that say much", "10 more ham for verdicts that say much",
        "460 more ham for a threshold of its own; until then it is by probability",
        "2,955 more ham to show that at most 0.1 % is lost",
    ]  # fmt: skip
    assert made["warnings"] == [] and made["store"]["integrity"] == "ok" and 0 <= made["days"] < 1
    later = listing.status(str(learned), lambda: made["last"] + 31 * 86400)
    assert later["days"] == 31 and "no verdict for 31 days" in later["warnings"][0]
    earlier = listing.status(str(learned), lambda: made["last"] - 86400)
    assert "1 days in the future; the clock went back" in earlier["warnings"][0]
    with sqlite3.connect(learned) as connection:
        connection.execute("UPDATE messages SET thought = 'unsure'")
    assert "the last 20 verdicts are all corrections" in status()["warnings"][0]
    lines = well("mail", "status").out.splitlines()
    assert lines[0].startswith("80 mails learned, 40 spam and 40 ham; last verdict 2")
    assert f"version {VERSION}" in lines[2]
    assert lines[-1].startswith("warning: the last 20 verdicts")


def test_an_empty_store_has_a_status() -> None:
    with Store("empty.db", {"bits": 8}):
        pass
    made = well("mail", "status", "--store", "empty.db", "--json").json
    assert (made["messages"], made["last"], made["days"]) == ({"spam": 0, "ham": 0}, None, None)
    assert well("mail", "status", "--store", "empty.db").out.startswith("0 mails learned, 0 spam and 0 ham\n")


def test_what_lies_read_in_its_folder_is_confirmed(learned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("box", "box/.Junk"):
        for part in ("tmp", "new", "cur"):
            (Path(name) / part).mkdir(parents=True, exist_ok=True)
    save(Path("box"), {"cur/1:2,S": mail(80, False), "cur/2:2,": mail(81, False), "new/3": mail(82, False),
                       "cur/4:2,FRS": mail(3, True), "cur/5:2,F": mail(83, False)})  # fmt: skip
    save(Path("box/.Junk"), {"cur/6:2,S": mail(84, True), "cur/7:2,ST": mail(85, True)})
    words, now = ("--confirm-after", "7", "--spam", "box/.Junk", "--ham", "box"), time.time()
    for days, new, known in ((6.9, 0, 0), (7.1, 2, 1), (8, 0, 3)):
        with monkeypatch.context() as patch:
            patch.setattr(time, "time", lambda days=days: now + 86400 * days)
            done = well("mail", "learn", *words, "--json")
        assert done.json == {"new": new, "known": known, "changed": 0}
        assert f"moved or marked of late: {6 - new - known}" in done.err
    assert status()["messages"] == {"spam": MANY + 1, "ham": MANY + 1}, "a verdict that was given stays"
    assert run("mail", "learn", "--confirm-after", "-1", "--ham", "box").code == 64


# --- made anew -------------------------------------------------------------------------------------------------------


def test_a_store_is_made_anew_from_its_mails(folder: Path) -> None:
    learn("--spam", "spam", "--ham", "ham", "--bits", "12", "--keep", "1000", "--jobs", "1")
    learn("--sent", given=SENT)
    before, kept = content(), status()["store"]
    assert (
        kept["mails"] == 2 * MANY + 1 and kept["mail_bytes"] > 0 and "81 mails kept for" in well("mail", "status").out
    )
    well("mail", "store", "--publish", "site.db")
    assert status()["store"]["mails"] == 2 * MANY + 1
    assert well("mail", "status", "--store", "site.db", "--json").json["store"]["mails"] == 0, "they are nobody else's"
    assert b"about our plan" in STORE.read_bytes() and well("mail", "rebuild").out == "81 mails learned anew\n"
    assert same(content(), before), "by the same settings it is the same"
    learn("--ham", "spam/07.eml")
    relabelled = content()
    times = {row[0]: row[1] for row in times_of(STORE)}
    assert well("mail", "rebuild", "--bits", "13", "--json").json == {"mails": 81, "gone": 0}
    raws = {digest(raw): Mail("", raw, name[:4].strip("/")) for name, raw in (SPAM | HAM | {"sent": SENT}).items()}
    log = [raws[row[0]]._replace(kind="ham" if row[0] == digest(mail(7, True)) else raws[row[0]].kind)
           for row in relabelled[2]]  # fmt: skip
    with Store("fresh.db", {"bits": 13}) as store:
        list(bulk.learn(store, log))
    assert same(content(), content(Path("fresh.db"))) and status()["settings"]["bits"] == 13
    assert status()["messages"] == {"spam": MANY - 1, "ham": MANY + 2}
    assert {row[0]: row[1] for row in times_of(STORE)} == times and sorted(os.listdir(STORE.parent)) == ["mail.db"]


def times_of(path: Path) -> list[tuple[bytes, float]]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT digest, time FROM messages").fetchall()
    connection.close()
    return rows


def test_what_is_not_kept_is_gone(learned: Path) -> None:
    done = run("mail", "rebuild", "--bits", "13")
    assert done.code == 69 and done.err.count("\n") == 1, done.err
    assert "keeps no mails; `rosenblatt mail store --keep 10000` begins to keep those" in done.err
    assert "10 as mails" in well("mail", "store", "--keep", "10").out
    for number in range(50, 65):
        learn("--spam", given=mail(number, True))
    learn("--ham", given=mail(90, False))
    assert status()["store"]["mails"] == 10
    assert well("mail", "rebuild").out == f"10 mails learned anew; {2 * MANY + 6} that were not kept are gone\n"
    assert status()["messages"] == {"spam": 9, "ham": 1} and status()["settings"]["keep"] == 10


# --- errors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["learn"], 64, "no mails are given; --spam, --ham and --sent say what they are"),
        (["learn", "spam"], 64, "What is 'spam'? Put --spam or --ham before it."),
        (["learn", "--spam", "--ham"], 64, "standard input is given twice"),
        (["learn", "--spam", "none"], 66, "none: there is no such file"),
        (["learn", "--spam", "words.txt"], 65, "words.txt: found no mail"),
        (["learn", "--spam", "spam", "--bits", "7"], 64, "--bits 7"),
        (["learn", "--spam", "spam", "--groups", "eggs"], 64, "'eggs' is unknown; it must be one of headers"),
        (["learn", "--spam", "spam", "--max-false-positives", "0"], 64, "--max-false-positives 0 must be"),
        (["learn", "--spam", "spam", "--store", "spam"], 69, "found a folder; expected the file of a store"),
        (["learn", "--spam", "spam", "--store", "words.txt"], 69, "found another file; expected a store"),
        (["forget"], 64, "which mails? Give their PATHs, or --from, --before or both"),
        (["forget", "spam", "--from", "a@b"], 64, "which mails?"),
        (
            ["forget", "--before", "yesterday"],
            64,
            "'yesterday' does not match the formats '%Y-%m-%d'",
        ),
        (["forget", "spam"], 69, "there is no store; `rosenblatt mail learn` makes one"),
        (["learn", "--spam"], 65, "standard input: found nothing; expected a mail"),
        (["classify", "spam"], 69, "there is no store"),
        (["explain", "spam"], 65, "spam: found 40 mails; expected one"),
        (["mistakes"], 69, "there is no store"),
        (["what-if", "spam"], 69, "there is no store"),
        (["status"], 69, "there is no store"),
        (["status", "--eggs"], 64, "No such option"),
        (["store"], 64, "give one of --backup"),
        (["store", "--dump", "--compact"], 64, "give one of --backup"),
        (["store", "--backup", "no/where"], 73, "there is no folder no; make it first"),
        (["store", "--backup", "b"], 69, "there is no store"),
        (["learn", "--ham", "ham", "--whole", "9" * 20], 64, "must be at most 1000000000"),
        (["explain", ""], 66, "there is no such file"),
        (["forget", "--before", "0001-01-01"], 69, "there is no store"),
        (["store", "--compact"], 69, "there is no store"),
        (["store", "--restore", "words.txt"], 69, "words.txt: found another file"),
        (["evaluate", "none"], 65, "there is no such file"),
        (["--eggs"], 64, "No such option"),
    ],
)
def test_errors_are_one_sentence_and_64_and_above(words: list[str], code: int, said: str) -> None:
    write(Path("words.txt"), "no mail, but longer than what is at the beginning of a store\n" * 20)
    done = run("mail", *words)
    assert done.code == code and said in done.err and done.out == "", done
    assert done.err.splitlines()[-1].startswith("Error: ") and not STORE.exists()


def test_too_little_memory_is_an_error_of_its_own(learned: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rosenblatt.cli.mail.status.status_of", lambda store: np.zeros(1 << 50))
    assert run("mail", "status").code == 71


def test_long_work_has_a_bar(learned: Path) -> None:
    code, out, shown = on_a_terminal("mail", "what-if", "spam")
    assert code == 0 and out.startswith("folder") and re.search(r"judging .*mails/s", shown), shown


# --- an afternoon's use ----------------------------------------------------------------------------------------------


def shipped() -> Iterator[tuple[str, bytes]]:
    """(verdict, mail) of real mails, every third spam where there is one."""
    mails = raws(SHIPPED)
    spam = [raw for name, raw in mails.items() if "spam/" in name]
    ham = [raw for name, raw in mails.items() if "ham/" in name]
    for n in range(100):
        yield "spam", spam[n]
        yield from (("ham", ham[2 * n]), ("ham", ham[2 * n + 1]))


def test_an_afternoons_use(folder: Path) -> None:
    known, arriving = (part := [*shipped()])[:100], part[100:]
    save(folder, {f"old/{label}/{n}.eml": raw for n, (label, raw) in enumerate(known)})
    learn("--spam", "old/spam", "--ham", "old/ham", "--bits", "16")
    counts = {label: sum(own == label for own, _ in known) for label in ("spam", "ham")}
    corrections = status()["corrections"]

    # 200 mails arrive
    save(folder, {f"new/{n:03}.eml": raw for n, (_, raw) in enumerate(arriving)})
    said = [json.loads(line) for line in well("mail", "classify", "new", "--json").out.splitlines()]
    assert len(said) == 200 and status()["messages"] == counts
    moves = well("mail", "what-if", "new", "--json").json["moves"]
    assert {each["path"] for each in moves} == {each["path"] for each in said if each["verdict"] == "spam"}

    # 12 corrections
    truth = {f"new/{n:03}.eml": label for n, (label, _) in enumerate(arriving)}
    mistakes, corrected = well("mail", "mistakes", "--json").json["mistakes"], []
    for path in [each["path"] for each in said if each["verdict"] != truth[each["path"]]]:
        thought = json.loads(well("mail", "classify", path, path, "--json").out.splitlines()[0])
        if thought["verdict"] != truth[path] and len(corrected) < 12:
            assert learn(f"--{truth[path]}", path) == {"new": 1, "known": 0, "changed": 0}
            counts[truth[path]] += 1
            corrected.append((truth[path], thought["verdict"], thought["score"]))
    assert len(corrected) == 12
    assert status()["messages"] == counts and status()["corrections"] == corrections + 12

    # the mistakes are listed
    listed = well("mail", "mistakes", "--unsure", "--json").json["mistakes"]
    found = [(each["verdict"], each["thought"], each["score"]) for each in listed[:12]]
    assert [each[:2] for each in found] == [each[:2] for each in corrected[::-1]]
    assert [each[2] for each in found] == pytest.approx([each[2] for each in corrected[::-1]], abs=1e-9)
    plain = well("mail", "mistakes", "--json").json["mistakes"]
    assert len(plain) == len(mistakes) + sum(thought != "unsure" for _, thought, _ in corrected)

    # the threshold is moved
    well("mail", "store", "--max-false-positives", "1%")
    assert status()["judge"]["target_percent"] == 1.0

    # one sender is forgotten
    look, mails = Look(bits=16), {digest(raw): (label, raw) for label, raw in known + arriving}
    held = [(*mails[row[0]], row[4]) for row in content()[2]]
    sender = next(own for _, _, own in held if [each[2] for each in held].count(own) > 1)
    gone = [label for label, _, own in held if own == sender]
    assert well("mail", "forget", "--from", sender, "--json").json["forgotten"] == len(gone)
    counts = {label: n - gone.count(label) for label, n in counts.items()}
    left = [each for each in held if each[2] != sender]
    made = status()
    assert made["messages"] == counts and made["forgettable"] == len(left) == sum(counts.values())
    assert made["store"]["senders"] == len({own for *_, own in left} - {""})
    assert made["judge"]["ham"] == counts["ham"] and made["settings"]["max_false_positives"] == 0.01
    assert made["store"]["columns"] == len(content()[0]) and made["store"]["integrity"] == "ok"
    assert all(look(raw).sender == own for _, raw, own in left)

    # backed up, spoiled, restored
    assert well("mail", "store", "--backup", "backup").out == "wrote backup\n"
    learn("--spam", "new")
    assert status()["messages"] != counts
    assert well("mail", "store", "--restore", "backup").out == f"{folder / STORE} is as in backup\n"
    restored = status()
    for each in (made, restored):
        each["store"].pop("bytes"), each.pop("days")
    assert restored == made

    # compacted
    verdicts = well("mail", "classify", "new").out
    less = well("mail", "store", "--compact", "--json").json
    assert (
        less["columns"] > 0
        and less["left"] == status()["store"]["columns"] == made["store"]["columns"] - less["columns"]
    )
    assert less["after"] < less["before"] and status()["messages"] == counts
    assert verdicts.count("\n") == well("mail", "classify", "new").out.count("\n") == 200
    dumped = [json.loads(line) for line in well("mail", "store", "--dump").out.splitlines()]
    assert sum("column" in each for each in dumped) == less["left"]
    assert sum("tick" in each for each in dumped) == sum(counts.values())


def test_a_folder_in_another_is_of_its_own_kind(folder: Path) -> None:
    """A maildir has its folders inside."""
    for number, place in enumerate(("cur", "new", ".Junk/cur", ".Junk/new", ".Lists/cur", ".Lists/new")):
        save(folder, {f"Maildir/{place}/{number}": b"From: a@b.example\nSubject: %d\n\nb\n" % number})
    made = run("mail", "learn", "--ham", "Maildir", "--spam", "Maildir/.Junk", "--json")
    assert json.loads(made.out) == {"new": 6, "known": 0, "changed": 0} and "folder for spam" not in made.err
    assert status()["messages"] == {"spam": 2, "ham": 4}
    assert json.loads(run("mail", "learn", "--spam", "Maildir/.Junk", "--ham", "Maildir", "--json").out)["changed"] == 0
    alone = run("mail", "learn", "--ham", "Maildir", "--json")
    assert json.loads(alone.out) == {"new": 0, "known": 4, "changed": 2}
    assert "mails learned as ham that lie in a folder for spam: 2" in alone.err
    for named in ("Maildir/.Junk", "Maildir/.Junk/cur/2"):
        assert "folder for spam" not in run("mail", "learn", "--ham", named).err, "who names it means it"


def test_forgetting_by_odd_words(learned: Path) -> None:
    for words in (("--before", "0001-01-01"), ("--from", os.fsdecode(b"\xff@x"))):
        assert well("mail", "forget", *words).out == "0 forgotten, 0 not known\n"
    assert run("mail", "forget", "--from", " ").code == 64, "an empty variable of a script is not all mail"


def test_copies_have_any_name(learned: Path) -> None:
    name = os.fsdecode(b"\xff\n")
    for how in ("--backup", "--publish"):
        well("mail", "store", how, name)
        assert run("mail", "classify", "spam/00.eml", "--store", name, "--exit-style", "spamc").out
