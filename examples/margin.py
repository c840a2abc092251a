"""The margin of a data set, and the rows that hold it (lecture note 002, section 2.2)."""

import sys

import numpy as np

from rosenblatt import plots
from rosenblatt.theory import max_margin

random = np.random.default_rng(2)
X = np.vstack([random.normal(size=(40, 2)), random.normal(size=(40, 2)) + [4.5, 3.0]])
y = np.repeat([-1, 1], 40)

found = max_margin(X, y)
print(f"{found}")
title = f"γ(S) = 1/‖w*‖ = {found.margin:.3g}: the shortest w with y·u ≥ 1 for all rows"
plots.margin(X, y, title=title).savefig(sys.argv[1] if sys.argv[1:] else "margin.png")
