"""The voted perceptron: how long each weight vector survived is how reliable it is (lecture note 000)."""

import sys
import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import VotedPerceptron, plots

warnings.simplefilter("ignore", ConvergenceWarning)  # that it does not end is what is to be seen

random = np.random.default_rng(0)
X = np.vstack([random.normal(size=(50, 2)), random.normal(size=(50, 2)) + [2.5, 1.5]])
y = np.repeat([-1, 1], 50)

learned = VotedPerceptron(max_iter=5, tol=None).fit(X, y)
print(f"{learned.n_updates_ + 1} weight vectors vote; {(learned.predict(X) != y).sum()} of {len(y)} rows wrong")
plots.votes(learned, X, y, "c, the survival counts, and sgn Σ c sgn(w·x)").savefig(
    sys.argv[1] if sys.argv[1:] else "votes.png"
)
