"""Not separable: the perceptron never stops, and comes back to where it was (lecture notes 000 and 004)."""

import sys
import warnings

from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Perceptron, plots
from rosenblatt.trace import Trace

warnings.simplefilter("ignore", ConvergenceWarning)  # that it does not end is what is to be seen

X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["no", "yes", "yes", "no"]

trace = Trace()
Perceptron(shuffle=False, max_iter=20, tol=None).fit(X, y, callback=trace)
print(f"{len(trace.record)} updates; stopped: {trace.record.stop}")
title = "Exclusive or: after each epoch of four updates it begins anew"
plots.strip(trace.record, 8, title).savefig(sys.argv[1] if sys.argv[1:] else "xor.png")
