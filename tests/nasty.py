"""Files that a reader meets on a bad day, by name: empty, cut, misnamed, damaged, and right ones among them."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
from pathlib import Path

import numpy as np
import zstandard

from command import MAIL, NUMBERS, TABLE, THREE, WORDS

PACKERS = {".gz": gzip.compress, ".xz": lzma.compress, ".bz2": bz2.compress, ".zst": zstandard.compress}
MBOX = "".join(
    f"From someone@example.org Mon Jan  {day} 10:00:00 2024\n{MAIL.format('hello', 'From the desk of')}\n"
    for day in (1, 2)
)


def tar(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return packed.getvalue()


def array(values: object) -> bytes:
    packed = io.BytesIO()
    np.save(packed, np.asarray(values))
    return packed.getvalue()


def images(count: int = 4, promised: int = 4) -> bytes:
    """An idx file of 2×2 images, which may promise more than it holds."""
    return b"\0\0\x08\x03" + b"".join(n.to_bytes(4, "big") for n in (promised, 2, 2)) + bytes(range(4)) * count


MAILS = tar(
    {f"{label}/{n}": MAIL.format(label, f"word{n} more").encode() for label in ("ham", "spam") for n in range(4)}
)
GOOD: dict[str, bytes] = {
    "numbers.svm": NUMBERS.encode(),
    "table.csv": TABLE.encode(),
    "three.tsv": THREE.encode(),
    "words.txt": WORDS.encode(),
    "mails.tar": MAILS,
    "mails.mbox": MBOX.encode(),
    "array.npy": array([[0.0, 1.0, -1.0], [2.0, 0.5, 1.0], [1.0, 1.5, 1.0], [0.0, 3.0, -1.0]]),
    "images-idx3-ubyte": images(),
}
"""Small and right."""

WIDE = ",".join(f"c{j}" for j in range(20_000)) + "\n" + 2 * (",".join(["1"] * 19_999) + ",{}\n")
BAD: dict[str, bytes] = {
    "empty.svm": b"",
    "empty.csv": b"",
    "empty.txt": b"",
    "empty.tar": b"",
    "empty.mbox": b"",
    "empty.npy": b"",
    "empty.npz": b"",
    "empty.parquet": b"",
    "empty": b"",
    "blank.svm": b"\n\n \n",
    "comments.svm": b"# nothing\n# here\n",
    "header.csv": b"a,b,label\n",
    "one-row.svm": b"1 1:1\n",
    "one-row.csv": b"a,b,label\n1,2,x\n",
    "one-word.txt": b"spam\tfree\n",
    "one-class.svm": b"1 1:1\n1 2:1\n",
    "one-class.txt": b"ham\thello you\nham\thello there\n",
    "label-only.svm": b"1\n-1\n",
    "nan.svm": b"1 1:nan\n-1 1:1\n",
    "huge.svm": b"1 1:1e308\n-1 1:-1e308\n1 1:1e308 2:1e308\n",
    "beyond.svm": b"1 1:1e400\n-1 1:1\n",
    "nan.csv": b"a,b,label\n1,nan,x\n2,1,y\n",
    "huge.csv": b"a,b,label\n1e308,1,x\n-1e308,1,y\n",
    "missing.csv": b"a,b,label\n1,,x\n2,1,y\n",
    "words-in-numbers.csv": b"a,b,label\n1,two,x\n2,1,y\n",
    "ragged.csv": b"a,b,label\n1,2,x\n1,2\n",
    "quote.csv": b'a,b,label\n1,"2,x\n3,4,y\n',
    "same-names.csv": b"a,a,label\n1,2,x\n2,1,y\n",
    "same-columns.csv": b"a,b,label\n1,1,x\n2,2,y\n3,3,x\n4,4,y\n",
    "constant.csv": b"a,b,label\n1,5,x\n2,5,y\n3,5,x\n4,5,y\n",
    "wide.csv": WIDE.format("x", "y").encode(),
    "wide.svm": b"1 1:1 30000:1\n-1 2:1 29999:1\n",
    "far.svm": b"1 1:1 4294967297:1\n-1 2:1\n",
    "negative.svm": b"1 -1:1\n-1 1:1\n",
    "zero.svm": b"1 0:1\n-1 1:1\n",
    "twice.svm": b"1 1:1 1:2\n-1 1:1\n",
    "letters.svm": b"1 a:1\n-1 1:1\n",
    "underscores.svm": b"1 1:1_000\n-1 1:1\n",
    "carriage.svm": b"1 1:1\r-1 1:1\r",
    "windows.svm": NUMBERS.replace("\n", "\r\n").encode(),
    "mark.svm": b"\xef\xbb\xbf" + NUMBERS.encode(),
    "utf16.csv": TABLE.encode("utf-16"),
    "latin.txt": "spam\tgrüße für dich\nham\tgrüße\n".encode("latin-1") * 2,
    "nul.txt": b"spam\tfree\0prize\nham\tlunch\0\n" * 2,
    "no-label.txt": b"just words\nand more words\n",
    "controls.txt": b"spam\t\x1b[31mred\x07\nham\t\x7f\x1b]0;title\x07\n" * 2,
    "noise.svm": bytes(range(256)) * 8,
    "noise.csv": bytes(range(256)) * 8,
    "noise.tar": bytes(range(256)) * 8,
    "noise.npy": b"\x93NUMPY" + bytes(range(256)),
    "noise.npz": b"PK\3\4" + bytes(range(256)),
    "noise.parquet": b"PAR1" + bytes(range(256)) + b"PAR1",
    "noise.mbox": bytes(range(256)) * 8,
    "noise": bytes(range(256)) * 8,
    "text.npy": array([["a", "b"], ["c", "d"]]),
    "object.npy": array(np.array([[1, None], ["x", 2]], object)),
    "deep.npy": array(np.zeros((2, 2, 2))),
    "nothing.npy": array(np.zeros((0, 3))),
    "nan.npy": array([[np.nan, 1.0], [2.0, 0.0]]),
    "greedy-idx3-ubyte": images(4, 2**31 - 1),
    "csv-inside.svm": TABLE.encode(),
    "svm-inside.csv": NUMBERS.encode(),
    "tar-inside.csv": MAILS,
    "gz-inside.svm": gzip.compress(NUMBERS.encode()),
    "escape.tar": tar({"../../spam/1": b"Subject: x\n\nout\n", "ham/1": b"Subject: y\n\nin\n"}),
    "no-mail.tar": tar({"spam/": b"", "readme": b""}),
    "long-line.txt": b"spam\t" + b"x" * 100_000 + b"\nham\t" + b"y " * 50_000 + b"\n",
}
"""Most are wrong; some are odd and right. Whatever they are, the answer is one sentence or a right result."""


def lay(folder: Path) -> dict[str, Path]:
    """All of them in a folder, the right ones also packed, cut short, and packed under a wrong name."""
    files = {**GOOD, **BAD}
    for name, content in GOOD.items():
        files[f"cut-{name}"] = content[: len(content) * 2 // 3]
        for suffix, pack in PACKERS.items():
            packed = pack(content)
            files[f"{name}{suffix}"] = packed
            files[f"cut-{name}{suffix}"] = packed[: len(packed) * 2 // 3]
            files[f"none-{name}{suffix}"] = b""
    files["mis-numbers.svm.gz"] = lzma.compress(NUMBERS.encode())
    for name, content in files.items():
        (folder / name).write_bytes(content)
    (folder / "nothing").mkdir()
    (folder / "dangling.svm").symlink_to(folder / "not-there")
    return {name: folder / name for name in [*files, "nothing", "dangling.svm", "not-there.csv"]}
