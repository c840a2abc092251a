"""The widest margins of the shared sets: their gaps and CPU seconds, beside scikit-learn's SVC(linear, C=1e10).

    python benchmarks/margin.py [--data FOLDER] [--json]

Each set is solved with both: γ (γ₀ without offset) and γ̄ by `max_margin`, γ alone by SVC, whose margin is 1/‖w‖ of the
w it stops at, without a bound; so "SVC less" is by how much the margin of SVC's hyperplane, measured, falls short of
ours: above 1 where it does not even separate the rows.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from _command_line import parsed, parser

SETS: list[tuple[str, str, bool, Any]] = [
    ("iris 0 against the rest", "iris/iris.svm.xz", True, "0"),
    ("sonar", "sonar/sonar.svm.xz", True, None),
    ("sonar through the origin", "sonar/sonar.svm.xz", False, None),
    ("mushrooms", "mushrooms_agaricus/mushrooms_agaricus.svm.xz", True, None),
    ("rcv1_small", "rcv1_small/rcv1_small.svm.xz", True, None),
    ("sofia_demo", "sofia_demo/sofia_demo.svm.xz", True, None),
    ("mnist 0/1", "mnist/train-images-idx3-ubyte.xz", True, "0,1"),
]
MOST_STEPS = 2_000_000
"""Of SVC: on sonar it does not end by itself with so large a C."""


def main() -> None:
    arguments = parsed(parser(__doc__))
    rows = [row(*each, arguments.data) for each in SETS if (arguments.data / each[1]).is_file()]
    if arguments.json:
        print(json.dumps(rows, indent=2))
        return
    print(f"{'set':<26}{'γ':>13}{'gap':>9}{'γ̄':>14}{'gap':>9}{'rows':>6}{'CPU s':>8}{'SVC s':>9}{'SVC less':>10}")
    for each in rows:
        biased = (f"{each['margin_with_bias']:13.6g}{each['gap_with_bias']:9.1e}") if each["with_bias"] else " " * 22
        print(
            f"{each['set']:<26}{each['margin']:13.6g}{each['gap']:9.1e}{biased}{each['support']:6}"
            f"{each['seconds']:8.2f}{each['svc_seconds']:9.2f}{each['svc_less']:10.1e}"
        )


def row(name: str, file: str, intercept: bool, what: str | None, folder: Path) -> dict[str, Any]:
    """One set, solved by both."""
    from rosenblatt.cli.problem import Wanted, read
    from rosenblatt.cli.progress import Progress
    from rosenblatt.theory import max_margin

    only = what.split(",") if what and "," in what else None
    wish = Wanted({}, only=only, positive=what if only is None else None, fit_intercept=intercept)
    problem = read(str(folder / file), wish, Progress()).problems[0]
    import clarabel  # noqa: F401  (loading it is not part of the work)
    import scipy.sparse  # noqa: F401

    begin = time.process_time()
    found = max_margin(problem)
    seconds = time.process_time() - begin
    svc_margin, svc_seconds = svc(problem)
    return {
        "set": name,
        "margin": found.margin,
        "gap": found.gap,
        "with_bias": intercept,
        "margin_with_bias": found.margin_with_bias,
        "gap_with_bias": found.gap_with_bias,
        "support": len(found.support),
        "seconds": seconds,
        "svc_seconds": svc_seconds,
        "svc_less": 1.0 - svc_margin / found.margin,
        "ratio": svc_seconds / seconds,
    }


def svc(problem: Any) -> tuple[float, float]:
    """(measured margin, CPU seconds) of SVC. It has no way through the origin: each row is given twice, as ±x with ±y,
    of which the widest margin goes through it."""
    from scipy.sparse import issparse, vstack
    from sklearn.svm import SVC

    x, y = problem.x, problem.y
    if not problem.fit_intercept:
        x, y = (vstack([x, -x]) if issparse(x) else np.concatenate([x, -x])), np.concatenate([y, -y])
    begin = time.process_time()
    machine = SVC(kernel="linear", C=1e10, tol=1e-6, cache_size=1000, max_iter=MOST_STEPS).fit(x, y)
    seconds = time.process_time() - begin
    w = np.asarray(machine.coef_.todense() if issparse(machine.coef_) else machine.coef_).ravel()
    margins = y * np.asarray(x @ w).ravel()
    least = (margins[y > 0].min() + margins[y < 0].min()) / 2
    return float(least / np.linalg.norm(w)), seconds


if __name__ == "__main__":
    main()
