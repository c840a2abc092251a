"""Speed of making rows: words, runs of words and of characters against scikit-learn, and products, in the same run.

    python benchmarks/features.py [--texts agnews_dev] [--data ../shared/data] [--rounds 3] [--json]

Texts → rows in MB of UTF-8 a second of CPU time: learning the dictionary (every name kept: min_documents 1), looking
up in a dictionary just restored, again with what it remembers from the first time, and hashed anew. scikit-learn's
CountVectorizer and HashingVectorizer have their own rules for words, which are simpler; its runs of characters
(char_wb) are those within words too. The figure is the best of the rounds. Products: million values made a second,
beside PolynomialFeatures(2).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy.sparse import random_array
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer
from sklearn.preprocessing import PolynomialFeatures

from rosenblatt.core.rows import csr, dense
from rosenblatt.features.hashing import Hashing
from rosenblatt.features.ngrams import Grams
from rosenblatt.features.quadratic import Quadratic
from rosenblatt.features.vocabulary import Vocabulary
from rosenblatt.read import open_source

KINDS: dict[str, tuple[Grams, dict[str, Any]]] = {
    "words": (Grams(), {}),
    "runs of 1 to 2 words": (Grams(2), {"ngram_range": (1, 2)}),
    "runs of 1 to 3 words": (Grams(3), {"ngram_range": (1, 3)}),
    "runs of 3 to 5 characters": (Grams(1, (3, 5)), {"ngram_range": (3, 5), "analyzer": "char_wb"}),
}
BATCH = 1000


def seconds(work: Callable[[], Any], rounds: int) -> float:
    """The least CPU time of a few rounds."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def texts(folder: Path, name: str) -> list[str]:
    source = open_source(folder / name / f"{name}.csv.gz", "csv", text="text", label="label")
    return [text for batch in source for document in batch.rows for _, text in document]  # type: ignore[union-attr]


def learn(batches: list[Any], grams: Grams) -> tuple[Vocabulary, list[Any]]:
    """The dictionary of the batches, and the rows of each: the text is read once."""
    step = Vocabulary(None, "count", grams=grams, min_documents=1)
    counted = list(map(step.prepared, batches))
    vocabulary = step.fitted(counted)
    return vocabulary, list(map(vocabulary.transform, counted))


def of_texts(lines: list[str], rounds: int) -> Iterator[dict[str, Any]]:
    size = sum(len(line.encode()) for line in lines) / 1e6
    documents = [[("", line)] for line in lines]
    batches = [documents[at : at + BATCH] for at in range(0, len(documents), BATCH)]
    for name, (grams, words) in KINDS.items():
        vocabulary, _ = learn(batches, grams)
        counted, hashed = CountVectorizer(**words), HashingVectorizer(n_features=1 << 20, **words)
        counted.fit(lines)

        def rows_of(dictionary: Any, batches: Any = batches) -> None:
            for batch in batches:
                dictionary.transform(batch)

        restored = [Vocabulary(vocabulary.names, "count", grams=grams) for _ in range(rounds)]
        work: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
            "learned": (
                lambda grams=grams: learn(batches, grams),
                lambda words=words: CountVectorizer(**words).fit_transform(lines),
            ),
            "looked up": (
                lambda restored=restored: rows_of(restored.pop()),
                lambda counted=counted: counted.transform(lines),
            ),
            "looked up again": (
                lambda vocabulary=vocabulary: rows_of(vocabulary),
                lambda counted=counted: counted.transform(lines),
            ),
            "hashed": (
                lambda grams=grams: rows_of(Hashing(20, values="count", grams=grams)),
                lambda hashed=hashed: hashed.transform(lines),
            ),
        }
        rows_of(vocabulary)
        for what, (ours, theirs) in work.items():
            fast, slow = seconds(ours, rounds), seconds(theirs, rounds)
            yield {
                "rows of": name, "how": what, "MB": size, "rosenblatt MB/s": size / fast,
                "scikit-learn MB/s": size / slow, "times": slow / fast, "columns": vocabulary.width,
            }  # fmt: skip


def of_numbers(rounds: int) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(5000, 100))
    thin = random_array((20_000, 2000), density=0.02, format="csr", rng=rng)
    for name, theirs, ours in (
        ("dense 5,000 x 100", x, dense(x)),
        ("sparse 20,000 x 2,000, 40 a row", thin, csr(thin.data, thin.indices, thin.indptr, 2000)),
    ):
        step = Quadratic(theirs.shape[1])
        made = step.transform(ours).size / 1e6
        fast = seconds(lambda step=step, ours=ours: step.transform(ours), rounds)  # type: ignore[misc]
        slow = seconds(lambda theirs=theirs: PolynomialFeatures(2, include_bias=False).fit_transform(theirs), rounds)  # type: ignore[misc]
        yield {
            "rows of": f"products, {name}", "million values": made, "rosenblatt M/s": made / fast,
            "scikit-learn M/s": made / slow, "times": slow / fast,
        }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--texts", default="agnews_dev")
    parser.add_argument("--data", type=Path, default=Path(__file__).parent.parent.parent / "shared" / "data")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found: list[Iterator[dict[str, Any]]] = [of_numbers(arguments.rounds)]
    if (arguments.data / arguments.texts).is_dir():
        found.insert(0, of_texts(texts(arguments.data, arguments.texts), arguments.rounds))
    else:
        print(f"the texts are not at {arguments.data / arguments.texts}; name their folder with --data")
    for rows in found:
        for row in rows:
            told = (f"{k} {v:.1f}" if isinstance(v, float) else f"{k} {v}" for k, v in row.items())
            print(json.dumps(row, ensure_ascii=False) if arguments.json else "; ".join(told), flush=True)


if __name__ == "__main__":
    main()
