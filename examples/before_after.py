"""Step t and step t + 1: what one update does to w and to the line (lecture note 000)."""

import sys

from rosenblatt import Perceptron, plots
from rosenblatt.trace import Trace

X = [[2.0, 0.5], [3.0, 3.0], [1.5, 3.5], [-1.0, -2.0], [-3.0, 0.5], [0.5, -3.0], [3.5, 0.5], [-2.0, -3.5]]
y = [1, 1, 1, 0, 0, 0, 1, 0]

trace = Trace()
learner = Perceptron(fit_intercept=False, shuffle=False)
learner.fit(X, y, coef_init=[[-1.0, 2.0]], callback=trace)
print(f"w was {trace.record.start[0][0]}, and is {trace.record.weights(1)[0][0]}")
plots.update(trace.record, 1, "Step t and step t + 1").savefig(sys.argv[1] if sys.argv[1:] else "before_after.png")
