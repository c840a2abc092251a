"""The four sign cases of an update (lecture note 004): only where y and w·x differ in sign is y·x added."""

import sys
import warnings

import matplotlib.figure
from sklearn.exceptions import ConvergenceWarning

from rosenblatt import Perceptron
from rosenblatt.trace import Trace

warnings.simplefilter("ignore", ConvergenceWarning)  # that it does not end is what is to be seen

W = [1.0, 2.0]
CASES = {
    "y = +1, w·x > 0": ([2.0, 0.5], 1),
    "y = +1, w·x < 0": ([1.0, -2.0], 1),
    "y = −1, w·x > 0": ([1.0, 0.5], -1),
    "y = −1, w·x < 0": ([-2.0, 0.5], -1),
}
figure = matplotlib.figure.Figure(figsize=(10, 10), layout="constrained")
for axes, (case, (x, y)) in zip(figure.subplots(2, 2).flat, CASES.items(), strict=True):
    trace = Trace()
    other = [[0.0, 0.0], x]  # a row of each class must be there; only the second one is learned from
    learner = Perceptron(fit_intercept=False, max_iter=1)
    learner.fit(other, [-y, y], order=[1], coef_init=[W], callback=trace)
    record = trace.record
    arrows = {"w": ([0, 0], W, "black"), "x": ([0, 0], x, "#E69F00" if y > 0 else "#0072B2")}
    if len(record):
        new = record.weights(1)[0][0]
        arrows |= {"y·x": (W, new - W, "#8E44AD"), "w + y·x": ([0, 0], new, "#D55E00")}
    after = record.of(1).after[0] * y if len(record) else 0.0
    said = "right: no update" if not len(record) else "mended" if after > 0 else "not enough yet (undershoot)"
    for name, (foot, v, color) in arrows.items():
        axes.quiver(*foot, *v, color=color, angles="xy", scale_units="xy", scale=1, label=name)
    axes.axline((0, 0), (-W[1], W[0]), color="black", linestyle="--")
    axes.set(title=f"{case}: {said}", xlim=(-4, 4), ylim=(-4, 4), aspect="equal")
    axes.legend(loc="lower left")
    print(f"{case}: {said}")
figure.savefig(sys.argv[1] if sys.argv[1:] else "sign_cases.png")
