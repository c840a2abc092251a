"""Separable with an offset, but not through the origin: the question of lecture note 001, section 3."""

import sys

from rosenblatt import plots
from rosenblatt.theory import separable

X = [[1.0, 1.0], [1.5, 0.5], [0.5, 2.0], [3.0, 3.0], [4.0, 2.5], [2.5, 4.0]]
y = ["near", "near", "near", "far", "far", "far"]

through, free = (separable(X, y, fit_intercept=offset).separable for offset in (False, True))
print(f"through the origin: {through}; with an offset: {free}")
title = "Only a line with an offset parts what is near from what is far"
plots.margin(X, y, title=title).savefig(sys.argv[1] if sys.argv[1:] else "offset.png")
