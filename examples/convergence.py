"""Why the perceptron ends: the proof of lecture notes 000 and 001, drawn on a run."""

import sys

from rosenblatt import Perceptron, plots
from rosenblatt.theory import Ledger

X, y = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], ["no", "no", "no", "yes"]

ledger = Ledger()
Perceptron(shuffle=False).fit(X, y, callback=ledger)
print(f"{ledger.mistakes} mistakes of at most {ledger.limit:.4g} possible")
title = "k²·γ̄² ≤ (w̄·u)² ≤ ‖w̄‖² ≤ k·R̄²: the number of mistakes k cannot pass R̄²/γ̄²"
plots.convergence(ledger, title).savefig(sys.argv[1] if sys.argv[1:] else "convergence.png")
