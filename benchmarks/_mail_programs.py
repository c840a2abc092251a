"""Filters of mail as the benchmark of mail meets them: one folder each, `judge` a mail, then `learn` it.

Each is at its defaults but for where its files lie and how many mails it wants before it answers, which is one of each
class. None looks anything up in the network; a daemon listens on the loopback only.
"""

from __future__ import annotations

import json
import math
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from typing import Any

from rosenblatt.mail import Judge
from rosenblatt.mail.bulk import Bulk
from rosenblatt.mail.paths import Mail
from rosenblatt.mail.store.bulk import learn
from rosenblatt.mail.store.judging import judged
from rosenblatt.mail.store.learning import Store
from rosenblatt.mail.store.reading import Reader

PROBABILITY = 0.5
"""The score of a program that has no opinion yet, and where a probability says spam."""


class Program:
    """A filter. `judge`: the score of the mail in a file, more is more like spam; `learn`: what it is. Many at once
    give the same by the program's own way of taking many, if it has one.

    needs: command → package that has it. even: the score where p = .5. cut: the program's own threshold for spam.
    """

    name: str
    needs: dict[str, str]
    even = cut = PROBABILITY

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def missing(cls) -> str:
        """What is not there, and how to get it; "" where all is."""
        packages = sorted({package for command, package in cls.needs.items() if not which(command)})
        return f"not installed: apt-get install {' '.join(packages)}" if packages else ""

    def judge(self, mail: Path) -> float:
        raise NotImplementedError

    def learn(self, mail: Path, spam: bool) -> None:
        raise NotImplementedError

    def is_spam(self, score: float) -> bool:
        """The program's own verdict on the mail that was judged last."""
        return score > self.cut

    def learn_all(self, mails: Sequence[Path], spam: Sequence[bool]) -> None:
        for mail, verdict in zip(mails, spam, strict=True):
            self.learn(mail, verdict)

    def judge_all(self, mails: Sequence[Path]) -> list[float]:
        return [self.judge(mail) for mail in mails]

    def close(self) -> None:
        """Ends what it started."""

    def run(self, *words: str | Path, mail: Path | None = None) -> str:
        """What a command says; the mail, if any, is its standard input."""
        with open(mail or "/dev/null", "rb") as source:
            return subprocess.run(words, stdin=source, capture_output=True, cwd=self.folder).stdout.decode("latin-1")


class Ours(Program):
    """This package's judge, which reads safe headers only, whatever the mail has."""

    name, needs = "ours", {}

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._judge = Judge()
        self._bulk = Bulk(self._judge.look)
        self._seen: tuple[Path | None, Any] = None, None
        self._verdict = ""

    def looked(self, mail: Path) -> Any:
        """What is seen of a mail, looked at once for judging and learning."""
        if self._seen[0] != mail:
            self._seen = mail, self._judge.look(mail.read_bytes())
        return self._seen[1]

    def judge(self, mail: Path) -> float:
        opinion = self._judge.score([self.looked(mail)])[0]
        self._verdict = opinion.verdict
        return opinion.probability

    def is_spam(self, score: float) -> bool:
        return self._verdict == "spam"

    def learn(self, mail: Path, spam: bool) -> None:
        self._judge.learn([self.looked(mail)], [spam])

    def learn_all(self, mails: Sequence[Path], spam: Sequence[bool]) -> None:
        self._judge.learn(list(self._bulk(mail.read_bytes() for mail in mails)), spam)

    def judge_all(self, mails: Sequence[Path]) -> list[float]:
        opinions = self._judge.score(list(self._bulk(mail.read_bytes() for mail in mails)))
        return [opinion.probability for opinion in opinions]


class OursStored(Ours):
    """The same with a store on disk, as `mail learn` and `mail classify` call it, in this process."""

    name = "ours, stored"

    def learn_all(self, mails: Sequence[Path], spam: Sequence[bool]) -> None:
        known = (
            Mail(str(mail), mail.read_bytes(), "spam" if is_spam else "ham")
            for mail, is_spam in zip(mails, spam, strict=True)
        )
        with Store(str(self.folder / "mail.db")) as store:
            list(learn(store, known))

    def judge_all(self, mails: Sequence[Path]) -> list[float]:
        with Reader(str(self.folder / "mail.db")) as reader:
            asked = (Mail(str(mail), mail.read_bytes()) for mail in mails)
            return [opinion.probability for _, opinion in judged(reader, asked)]


class Bogofilter(Program):
    """Two processes a mail, 5 ms each. -TT: the score with 16 digits; with the 6 of -T many mails are equal."""

    name, needs, cut = "bogofilter", {"bogofilter": "bogofilter"}, 0.99

    def judge(self, mail: Path) -> float:
        return float(self.run("bogofilter", "-C", "-d", ".", "-TT", "-I", mail) or PROBABILITY)

    def learn(self, mail: Path, spam: bool) -> None:
        self.run("bogofilter", "-C", "-d", ".", "-s" if spam else "-n", "-I", mail)

    def learn_all(self, mails: Sequence[Path], spam: Sequence[bool]) -> None:
        for verdict, flag in ((True, "-s"), (False, "-n")):
            self._bulk(flag, [mail for mail, is_spam in zip(mails, spam, strict=True) if is_spam == verdict])

    def judge_all(self, mails: Sequence[Path]) -> list[float]:
        return [float(line.rpartition(" ")[2]) for line in self._bulk("-TT", mails).splitlines()]

    def _bulk(self, flag: str, mails: Sequence[Path]) -> str:
        (self.folder / "names").write_text("".join(f"{mail}\n" for mail in mails))
        return self.run("bogofilter", "-C", "-d", ".", flag, "-b", mail=self.folder / "names")


class Spamprobe(Program):
    """Two processes a mail; -M: a file is one mail, whatever lines are in it."""

    name, needs, cut = "spamprobe", {"spamprobe": "spamprobe"}, 0.6

    def judge(self, mail: Path) -> float:
        told = self.run("spamprobe", "-M", "-d", self.folder, "score", mail).split()
        return float(told[1]) if len(told) > 1 else PROBABILITY

    def learn(self, mail: Path, spam: bool) -> None:
        self.run("spamprobe", "-M", "-d", self.folder, "spam" if spam else "good", mail)


class Crm114(Program):
    """OSB, two processes a mail. Learned is what is not yet 5 pR on its side, as its own mailreaver.crm does."""

    name, needs, even, cut = "crm114", {"crm": "crm114"}, 0.0, 5.0
    FLAGS, WORDS = "<osb unique microgroom>", "/[[:graph:]]+/"
    JUDGE = "-{{ isolate (:s:); {{ classify {0} (ham.css | spam.css) (:s:) {1} }} output /:*:s:/ }}".format

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._last: tuple[Path | None, float] = None, 0.0
        for name in ("ham", "spam"):
            self.run("crm", f"-{{ learn {self.FLAGS} ({name}.css) {self.WORDS} }}")

    def judge(self, mail: Path) -> float:
        told = self.run("crm", self.JUDGE(self.FLAGS, self.WORDS), mail=mail)
        line = next((line for line in told.splitlines() if line.startswith("#1 ")), "")
        self._last = mail, float(line.rpartition("pR:")[2] or 0)
        return self._last[1]

    def learn(self, mail: Path, spam: bool) -> None:
        score = self._last[1] if self._last[0] == mail else self.judge(mail)
        if (score if spam else -score) < self.cut:
            name = "spam" if spam else "ham"
            self.run("crm", f"-{{ learn {self.FLAGS} ({name}.css) {self.WORDS} }}", mail=mail)


class Talking(Program):
    """A program that one process of its language serves: a line `score FILE`, `spam FILE` or `ham FILE`, one back."""

    language: str
    script: str

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (folder / "serve").write_text(self.script)
        words, pipe = (self.language, folder / "serve", folder), subprocess.PIPE
        self._process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)

    def _say(self, verb: str, mail: Path) -> str:
        print(verb, mail, file=self._process.stdin, flush=True)
        if not (answer := self._process.stdout.readline()):
            raise RuntimeError(f"{self.name} ended at {verb} {mail}")
        return answer

    def judge(self, mail: Path) -> float:
        score = float(self._say("score", mail))
        return PROBABILITY if math.isnan(score) else score

    def learn(self, mail: Path, spam: bool) -> None:
        self._say("spam" if spam else "ham", mail)

    def close(self) -> None:
        self._process.communicate()


class SpamAssassin(Talking):
    """Its Bayes alone, which has no threshold of its own: p > .5. Its files of rules are not loaded.

    (1−ROCA)% on spamassassin_dev at seed 0: .0786; with its lists of top-level domains and stop words .0783, also
    without forgetting old words (bayes_auto_expire 0) .0782; with all its rules' files, which name headers to leave
    out, .0828.
    """

    name, needs, language = "spamassassin", {"spamassassin": "spamassassin", "perl": "perl"}, "perl"
    script = r"""
use strict; use Mail::SpamAssassin; use Mail::SpamAssassin::PerMsgStatus;
my $folder = shift; $| = 1;
my $sa = Mail::SpamAssassin->new({ dont_copy_prefs => 1, local_tests_only => 1, userstate_dir => $folder,
  home_dir_for_helpers => $folder, config_text => join "\n", "loadplugin Mail::SpamAssassin::Plugin::Bayes",
  "bayes_path $folder/bayes", "bayes_auto_learn 0", "bayes_min_ham_num 1", "bayes_min_spam_num 1", "" });
$sa->init(1);
while (my $line = <STDIN>) {
  chomp $line; my ($verb, $path) = split / /, $line, 2;
  open my $file, "<:raw", $path or die; my $raw = do { local $/; <$file> }; close $file;
  my $mail = $sa->parse($raw, 0);
  if ($verb eq "score") {
    my $status = Mail::SpamAssassin::PerMsgStatus->new($sa, $mail);
    $status->extract_message_metadata();
    my $p = $sa->call_plugins("learner_get_implementation")->scan($status, $mail);
    printf "%s\n", defined $p ? sprintf("%.17g", $p) : "nan"; $status->finish();
  } else { $sa->learn($mail, undef, $verb eq "spam", 0)->finish(); print "ok\n"; }
  $mail->finish();
}
$sa->finish();
"""


class Bsfilter(Talking):
    """Robinson and Fisher's way, its default."""

    name, needs, cut, language = "bsfilter", {"bsfilter": "bsfilter", "ruby": "ruby"}, 0.95, "ruby"
    script = """
load "/usr/bin/bsfilter"
folder = ARGV.shift
$stdout.sync = true
STDIN.each_line do |line|
  verb, path = line.chomp.split(" ", 2)
  filter = Bsfilter.new
  filter.run(filter.setup(["--homedir", folder, "-q", *{"spam" => ["-s", "-u"], "ham" => ["-c", "-u"]}[verb], path]))
  puts(verb == "score" ? filter.probability : "ok")
end
"""


class Rspamd(Program):
    """Its Bayes alone, in SQLite, behind its controller; it declines to learn what it is 95 % sure of already."""

    name, needs = "rspamd", {"rspamd": "rspamd"}
    WEIGHT = 1e6
    """Scores are told with two digits behind the point."""
    CONFIGURATION = """
options { filters = ""; url_tld = "/usr/share/rspamd/effective_tld_names.dat"; tempdir = "{folder}";
  pidfile = "{folder}/pid"; cache_file = "{folder}/symbols"; control_socket = "{folder}/socket";
  dns { nameserver = ["127.0.0.1:1"]; timeout = 0.01s; retransmits = 1; } }
logging { type = "file"; filename = "{folder}/log"; level = "error"; }
worker "controller" { bind_socket = "127.0.0.1:{port}"; count = 1; secure_ip = "127.0.0.1"; password = "none"; }
classifier "bayes" { tokenizer { name = "osb"; } backend = "sqlite3"; min_tokens = 11; min_learns = 1;
  cache { type = "sqlite3"; path = "{folder}/seen"; }
  statfile { symbol = "BAYES_HAM"; path = "{folder}/ham"; spam = false; }
  statfile { symbol = "BAYES_SPAM"; path = "{folder}/spam"; spam = true; }
  learn_condition = 'return require("lua_bayes_learn").can_learn'; }
group "statistics" { symbols = { "BAYES_SPAM" { weight = {weight}; } "BAYES_HAM" { weight = -{weight}; } } }
"""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self._at, text = f"http://127.0.0.1:{port}", self.CONFIGURATION
        for key, value in {"folder": folder, "port": port, "weight": int(self.WEIGHT)}.items():
            text = text.replace(f"{{{key}}}", str(value))
        (folder / "conf").write_text(text)
        quiet = subprocess.DEVNULL
        words = ("rspamd", "-f", "-i", "-c", folder / "conf", "--var", f"DBDIR={folder}")
        self._process = subprocess.Popen(words, stdout=quiet, stderr=quiet, cwd=folder)
        for _ in range(200):
            try:
                self._ask("ping")
                return
            except OSError:
                time.sleep(0.1)
        self.close()
        raise RuntimeError("rspamd does not answer")

    def _ask(self, what: str, mail: Path | None = None) -> bytes:
        data = mail.read_bytes() if mail else None
        with urllib.request.urlopen(urllib.request.Request(f"{self._at}/{what}", data), timeout=30) as answer:
            return answer.read()

    def judge(self, mail: Path) -> float:
        symbols = json.loads(self._ask("checkv2", mail))["symbols"]
        return 0.5 + sum(symbols[name]["score"] for name in symbols if name.startswith("BAYES")) / self.WEIGHT / 2

    def learn(self, mail: Path, spam: bool) -> None:
        try:
            self._ask("learnspam" if spam else "learnham", mail)
        except urllib.error.HTTPError as declined:
            declined.close()

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()


PROGRAMS = {each.name: each for each in (Ours, Bogofilter, SpamAssassin, Crm114, Spamprobe, Bsfilter, Rspamd)}
