"""Steps that a metric shapes, plain: the definitions of spec and papers, column by column, for tests/test_metrics.py.

Of x̄ = (x, 1), so that the bias is the last column. Each: (x̄s, y, orders, …) → w̄ after each example.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from naive import logistic

Array = np.ndarray[Any, Any]


class Shape(NamedTuple):
    """metric: "none", "adagrad" or "normalised". c: (n,) weights of the rows. L1 and L2 spare the last column."""

    metric: str
    eta: float
    block: int = 1
    l1: float = 0.0
    l2: float = 0.0
    c: Any = None
    start: float = 0.0


def shaped(x: Array, y: Array, order: Any, step: Any, how: Shape) -> list[Array]:
    """Gradient steps: w ← w + η·g/√G with G ← G + g² by column; then every weight nearer to 0 by l1 times
    what multiplies g there."""
    d = x.shape[1]
    w, G, s, N, path, t, spared = np.zeros(d), np.zeros(d), np.zeros(d), 0.0, [], 0, np.append(np.ones(d - 1), 0.0)
    for p in range(0, len(order), how.block):
        rows, g = order[p : p + how.block], np.zeros(d)
        for i in rows:
            t, size = t + 1, np.abs(x[i])
            if how.metric == "normalised":
                factor = np.divide(s, size, out=np.ones(d), where=size > s)
                w, path = w * factor, [each * factor for each in path]  # averages are of weights in today's measures
                s = np.maximum(s, size)
                N += float((np.divide(x[i], s, out=np.zeros(d), where=s > 0) ** 2).sum())
            g += step(x[i] @ w, y[i], 0.0) * x[i] * (1.0 if how.c is None else how.c[i]) / len(rows)
        G, each = G + g**2, np.full(d, how.eta)
        if how.metric != "none":
            each = np.divide(each, np.sqrt(G + how.start**2), out=np.zeros(d), where=G > 0)
        if how.metric == "normalised":
            each = np.divide(each, s, out=np.zeros(d), where=s > 0) * (math.sqrt(t / N) if N > 0 else 0.0)
        w = w * (1.0 - how.eta * how.l2 * spared) + each * g
        w = np.sign(w) * np.maximum(np.abs(w) - each * how.l1 * spared, 0.0)
        path.append(w)
    return path


def confident(x: Array, y: Array, order: Any, stride: Any, c: Any = None) -> list[Array]:
    """arow, scw, nherd. stride: (y·u, v) → (α, (Σ, x) → Σ), w += y·α·Σx; α = 0: nothing happens. c: (n,) multiplies
    the step of w."""
    w, S, path = np.zeros(x.shape[1]), np.ones(x.shape[1]), []
    for i in order:
        a, shrink = stride(float(y[i] * (x[i] @ w)), float(S @ x[i] ** 2))
        if a != 0:
            w, S = w + y[i] * a * (1.0 if c is None else c[i]) * S * x[i], shrink(S, x[i])
        path.append(w)
    return path


def softmax(x: Array, y: Array, order: Any, how: Shape) -> list[Array]:
    """(K, d) after each row: every class moves by its part of the gradient, each metric its own."""
    classes = int(y.max()) + 1
    w, G, path = np.zeros((classes, x.shape[1])), np.zeros((classes, x.shape[1])), []
    for i in order:
        p = np.exp(w @ x[i] - (w @ x[i]).max())
        g = np.outer(np.eye(classes)[int(y[i])] - p / p.sum(), x[i])
        G = G + g**2
        unit = np.divide(g, np.sqrt(G), out=np.zeros_like(g), where=G > 0) if how.metric == "adagrad" else g
        w = w + how.eta * unit
        path.append(w)
    return path


def arow(r: float = 1.0) -> Any:
    return lambda m, v: (max(0.0, 1 - m) / (v + r), lambda S, x: S - (S * x) ** 2 / (v + r))


def scw(C: float = 1.0, phi: float = 1.0, variant: int = 1) -> Any:
    """Propositions 1 and 2 of the paper, with its letters."""

    def stride(m: float, v: float) -> Any:
        if phi * math.sqrt(v) <= m:
            return 0.0, None
        psi, zeta, n = 1 + phi**2 / 2, 1 + phi**2, v + 1 / (2 * C)
        if variant == 1:
            a = min(C, max(0, (-m * psi + math.sqrt(m**2 * phi**4 / 4 + v * phi**2 * zeta)) / (v * zeta)))
        else:
            gamma = phi * math.sqrt(phi**2 * m**2 * v**2 + 4 * n * v * (n + v * phi**2))
            a = max(0, (-(2 * m * n + phi**2 * m * v) + gamma) / (2 * (n**2 + n * v * phi**2)))
        u = (-a * v * phi + math.sqrt(a**2 * v**2 * phi**2 + 4 * v)) ** 2 / 4
        b = a * phi / (math.sqrt(u) + v * a * phi)
        return a, lambda S, x: S - b * (S * x) ** 2

    return stride


def nherd(form: str, C: float = 1.0) -> Any:
    def stride(m: float, v: float) -> Any:
        forms = {
            "drop": lambda S, x: S - (S * x) ** 2 * (C**2 * v + 2 * C) / (1 + C * v) ** 2,
            "project": lambda S, x: 1 / (1 / S + (2 * C + C**2 * v) * x**2),
            "exact": lambda S, x: S / (1 + C * x**2 * S) ** 2,
        }
        return max(0.0, 1 - m) / (v + 1 / C), forms[form]

    return stride


def ftrl(
    x: Array, y: Array, order: Any, eta: float, beta: float = 1.0, l1: float = 0.0, l2: float = 0.0
) -> list[Array]:
    """Algorithm 1 of the paper; the last column, the bias, is not regularised."""
    d = x.shape[1]
    z, n, path = np.zeros(d), np.zeros(d), []
    one, two = np.full(d, l1), np.full(d, l2)
    one[-1] = two[-1] = 0.0
    for i in order:
        w = np.where(np.abs(z) <= one, 0.0, -(z - np.sign(z) * one) / ((beta + np.sqrt(n)) / eta + two))
        g = -logistic(float(x[i] @ w), y[i], 0.0) * x[i]
        sigma = (np.sqrt(n + g**2) - np.sqrt(n)) / eta
        z, n = z + g - sigma * w, n + g**2
        path.append(np.where(np.abs(z) <= one, 0.0, -(z - np.sign(z) * one) / ((beta + np.sqrt(n)) / eta + two)))
    return path
