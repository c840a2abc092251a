"""An update may not be enough: y·u grows by ‖x‖², and a short row far on the wrong side stays there (001, 004)."""

import sys

from rosenblatt import Perceptron, plots
from rosenblatt.trace import Trace, sentence

X, y = [[4.0, 1.0], [1.0, 0.5], [-3.0, 2.0]], [1, 0, 0]

trace = Trace()
Perceptron(fit_intercept=False, shuffle=False).fit(X, y, callback=trace)
for k in range(1, 7):
    print(sentence(trace.record, k))
title = "The second row is short: each update moves the line a little"
plots.strip(trace.record, 6, title).savefig(sys.argv[1] if sys.argv[1:] else "undershoot.png")
