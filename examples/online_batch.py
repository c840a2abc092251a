"""Stochastic gradient descent comes as close to the batch result as its learning rate is small (lecture note 003)."""

import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import LogisticUnit, plots
from rosenblatt.trace import Trace

warnings.simplefilter("ignore", ConvergenceWarning)  # that it does not end is what is to be seen

random = np.random.default_rng(0)
X = np.vstack([random.normal(size=(40, 2)), random.normal(size=(40, 2)) + [2.0, 1.0]])
y = np.repeat([-1, 1], 40)

records = {}
for name, words in {
    "batch, η = 1": {"optimizer": "batch", "eta0": 1.0},
    "online, η = 0.5": {"eta0": 0.5},
    "online, η = 0.01": {"eta0": 0.01},
}.items():
    trace = Trace()
    LogisticUnit(max_iter=40, tol=None, **words).fit(X, y, callback=trace)
    records[name] = trace.record
    print(f"{name}: loss {trace.record.epochs[-1]['loss']:.4f} in the last epoch")
plots.loss(records, "Logistic regression, online and in one block").savefig(
    sys.argv[1] if sys.argv[1:] else "online_batch.png"
)
