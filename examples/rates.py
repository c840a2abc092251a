"""Too large a learning rate oscillates, too small a one is slow (lecture note 000)."""

import sys

import numpy as np

from rosenblatt import LinearUnit, plots

random = np.random.default_rng(0)
X = np.vstack([random.normal(size=(40, 2)), random.normal(size=(40, 2)) + [2.0, 1.0]])
y = np.repeat([-1, 1], 40)

unit = LinearUnit(optimizer="batch", max_iter=25, tol=None)
figure = plots.rates(unit, X, y, [0.02, 0.3, 0.54, 0.6], "Gradient descent on squared errors, four learning rates")
for top in figure.axes[:4]:
    losses = top.lines[0].get_ydata()
    print(f"{top.get_title(loc='left')}: the loss was {losses[0]:.3g}, and is {losses[-1]:.3g}")
figure.savefig(sys.argv[1] if sys.argv[1:] else "rates.png")
