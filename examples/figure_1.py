"""Two updates suffice: Figure 1 of lecture note 001. The first row is added, the second one subtracted."""

import sys

from rosenblatt import Perceptron, plots
from rosenblatt.trace import Trace

X, y = [[1.0, 2.0], [2.0, 0.5]], [1, -1]

trace = Trace()
Perceptron(fit_intercept=False, shuffle=False).fit(X, y, callback=trace)
record = trace.record
print(f"{len(record)} updates; stopped: {record.stop}")
title = "Two updates suffice: θ is 0, then x₁, then x₁ − x₂"
plots.strip(record, 2, title).savefig(sys.argv[1] if sys.argv[1:] else "figure_1.png")
