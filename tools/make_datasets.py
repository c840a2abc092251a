"""Make the data files that the package ships from the full sets: `make_datasets.py SHARED_DATA [TARGET]`.

The same input gives the same bytes: members sorted, no times or owners, nothing random. The sums printed at the end
are the ones that stand in each PROVENANCE file (packed sums hold for one version of liblzma, unpacked ones for all).
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import lzma
import sys
import tarfile
from pathlib import Path

TARGET = Path(__file__).parent.parent / "src" / "rosenblatt" / "datasets"
MAILS = {"ham": 735, "spam": 265}
"""1,000 mails in the proportion of the full set (3,325 to 1,198): 0.9 MB packed, where all 4,523 take 3.9 MB."""


def sms(shared: Path) -> bytes:
    """`label<TAB>text` lines, the form of the original file, from the table with a header that the full set is."""
    with gzip.open(shared / "sms_dev" / "sms_dev.csv.gz", "rt", encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table))
    return "".join(f"{row['label']}\t{row['text']}\n" for row in rows).encode()


def spambase(shared: Path) -> bytes:
    """The svmlight lines as they are."""
    return lzma.decompress((shared / "spambase" / "spambase.svm.xz").read_bytes())


def spread(names: list[str], count: int) -> list[str]:
    """`count` names at even distances of the sorted list, so that each folder keeps its share."""
    ordered = sorted(names)
    return [ordered[i * len(ordered) // count] for i in range(count)]


def mails(shared: Path) -> bytes:
    """A tar of `mails/<label>/<group>/<number>.<md5>.eml`, the bytes of each mail unchanged."""
    top = "spamassassin_dev/"
    with tarfile.open(shared / "spamassassin_dev" / "spamassassin_dev.tar.xz") as full:
        found = {m.name.removeprefix(top): full.extractfile(m) for m in full if m.name.endswith(".eml")}
        of_label = {label: [name for name in found if name.startswith(f"{label}/")] for label in MAILS}
        chosen = sorted(name for label, count in MAILS.items() for name in spread(of_label[label], count))
        bodies = {name: file.read() for name in chosen if (file := found[name])}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, body in bodies.items():
            member = tarfile.TarInfo(f"mails/{name}")
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return out.getvalue()


MAKERS = {"sms.txt.xz": sms, "spambase.svm.xz": spambase, "mails.tar.xz": mails}


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    target = Path(sys.argv[2]) if len(sys.argv) == 3 else TARGET
    for name, make in MAKERS.items():
        plain = make(Path(sys.argv[1]))
        packed = lzma.compress(plain, preset=9 | lzma.PRESET_EXTREME)
        (target / name).write_bytes(packed)
        print(f"{name}: {len(packed)} bytes, sha256 {hashlib.sha256(packed).hexdigest()}")
        print(f"  unpacked: {len(plain)} bytes, sha256 {hashlib.sha256(plain).hexdigest()}")


if __name__ == "__main__":
    main()
