"""The perceptron stops at the first line that separates, often barely; the widest margin is another line (003)."""

import sys

import numpy as np

from rosenblatt import MarginPerceptron, MaximumMargin, Perceptron, plots

random = np.random.default_rng(4)
X = np.vstack([random.normal(size=(60, 2)), random.normal(size=(60, 2)) + [4.0, 4.0]])
y = np.repeat([-1, 1], 60)

learners = {
    "perceptron": Perceptron(),
    "margin perceptron, τ = 10": MarginPerceptron(tau=10.0),
    "widest margin": MaximumMargin(),
}
learned = {name: learner.fit(X, y) for name, learner in learners.items()}
figure = plots.margins(learned, X, y, "A barely separating line, and lines that keep their distance")
for name, each in learned.items():
    print(f"{name}: {(each.predict(X) != y).sum()} of {len(y)} rows wrong")
figure.savefig(sys.argv[1] if sys.argv[1:] else "barely.png")
