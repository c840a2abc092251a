"""Different orders of the same rows give different lines (lecture note 000)."""

import sys

import numpy as np

from rosenblatt import Perceptron, plots

random = np.random.default_rng(1)
X = np.vstack([random.normal(size=(30, 2)), random.normal(size=(30, 2)) + [5.0, 4.0]])
y = np.repeat([-1, 1], 30)

figure = plots.orders(Perceptron(), X, y, orders=20, title="One set of rows, twenty orders")
print(figure.axes[0].get_title(loc="left"))
figure.savefig(sys.argv[1] if sys.argv[1:] else "order.png")
