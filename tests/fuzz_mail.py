"""Looks for mails that break the filter, by what code they reach (`make fuzz`; needs the extra `fuzz`).

    python tests/fuzz_mail.py FOLDER [-max_total_time=600] [libFuzzer's other options]

FOLDER keeps what reached new code, and begins with real mails and those of `hostile`. What breaks something is written
to the current folder as crash-…, timeout-… or oom-…; `python tests/fuzz_mail.py FILE` shows it again.
"""

from __future__ import annotations

import sys
import tempfile
from hashlib import sha256
from pathlib import Path

import atheris

import rosenblatt

ROOT = Path(rosenblatt.__file__).parent
FILES = [file.relative_to(ROOT.parent).with_suffix("") for file in ROOT.rglob("*.py")]
COMPILED = ("rosenblatt", "mail", "bulk")
"""Has a function that numba reads."""
OTHERS = [".".join(file.parts) for file in FILES if file.parts[1] not in ("mail", "mailtext") or file.parts == COMPILED]

with atheris.instrument_imports(include=["rosenblatt"], exclude=OTHERS):
    from hostile import HOSTILE, assert_sound
    from mails import learned_store, shipped

OPTIONS = ("-timeout=20", "-rss_limit_mb=2000", "-max_len=20000", "-len_control=50")
FIRST = 3000
"""Bytes of each first mail."""


def main() -> None:
    folder = next((Path(word) for word in sys.argv[1:] if not word.startswith("-")), None)
    if folder is None:
        sys.exit(__doc__)
    if not folder.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        for raw in [raw[:FIRST] for _, raw in shipped()[::10]] + [make(FIRST) for make in HOSTILE.values()]:
            (folder / sha256(raw).hexdigest()[:16]).write_bytes(raw)
    with tempfile.TemporaryDirectory() as place:
        store = learned_store(Path(place) / "mail.db", shipped()[:40])
        atheris.Setup([sys.argv[0], *OPTIONS, *sys.argv[1:]], lambda raw: assert_sound(raw, store))
        atheris.Fuzz()


if __name__ == "__main__":
    main()
