"""Weights that thrash, and what calms them: averaging, the pocket and voting (lecture notes 000, 003, 004)."""

import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Perceptron, plots
from rosenblatt.trace import Trace

warnings.simplefilter("ignore", ConvergenceWarning)  # that it does not end is what is to be seen

random = np.random.default_rng(0)
X = np.vstack([random.normal(size=(50, 2)), random.normal(size=(50, 2)) + [1.5, 1.5]])
y = np.repeat([-1, 1], 50)

trace = Trace()
Perceptron(max_iter=12, tol=None).fit(X, y, callback=trace)
print(f"{len(trace.record)} updates; stopped: {trace.record.stop}")
title = "Two clouds that overlap: one run, and four ways to answer from it"
plots.errors(trace.record, title=title).savefig(sys.argv[1] if sys.argv[1:] else "thrash.png")
