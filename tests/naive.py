"""Every algorithm once more, as short and as literal as it can be: what the package is compared with.

Nothing here comes from the package. Rows are a float64 array (n, d), weights a vector w and a number b, labels ±1 (or
class numbers). `learn` lays the whole path of the weights open, block by block, and the memories read that path.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]

# --- rules: (score, label, ‖x̄‖²) → unit step ------------------------------------------------------------------------


def perceptron(u: float, y: float, q: float) -> float:
    return y if y * u <= 0 else 0.0


def margin(u: float, y: float, q: float, tau: float = 1.0) -> float:
    return y if y * u < tau else 0.0


def until_right(u: float, y: float, q: float) -> float:
    return y * math.ceil((1 - y * u) / q) if y * u <= 0 and q > 0 else 0.0


def linear(u: float, y: float, q: float) -> float:
    return y - u


def sigmoid(u: float, y: float, q: float) -> float:
    t, o = (y + 1) / 2, 1 / (1 + math.exp(-u))
    return (t - o) * o * (1 - o)


def tanh(u: float, y: float, q: float) -> float:
    return (y - math.tanh(u)) * (1 - math.tanh(u) ** 2)


def logistic(u: float, y: float, q: float) -> float:
    return (y + 1) / 2 - 1 / (1 + math.exp(-u))


def passive_aggressive(u: float, y: float, q: float, C: float = 1.0) -> float:
    lost = max(0.0, 1 - y * u)
    return y * no_rounding(min(C, lost / q), u, q) if q > 0 else 0.0


def passive_aggressive_2(u: float, y: float, q: float, C: float = 1.0) -> float:
    lost = max(0.0, 1 - y * u)
    return y * no_rounding(lost / (q + 1 / (2 * C)), u, q) if q > 0 else 0.0


def no_rounding(a: float, u: float, q: float) -> float:
    return a if a * q > 16 * 2**-52 * max(1, abs(u)) else 0.0


RULES: dict[str, Callable[..., float]] = {
    "perceptron": perceptron,
    "margin": margin,
    "until-right": until_right,
    "linear": linear,
    "sigmoid": sigmoid,
    "tanh": tanh,
    "logistic": logistic,
    "passive-aggressive": passive_aggressive,
    "passive-aggressive-2": passive_aggressive_2,
}

LOSSES: dict[str, Callable[..., float]] = {
    "perceptron": lambda u, y: max(0.0, -y * u),
    "margin": lambda u, y, tau=1.0: max(0.0, tau - y * u),
    "until-right": lambda u, y: max(0.0, -y * u),
    "linear": lambda u, y: (y - u) ** 2 / 2,
    "sigmoid": lambda u, y: ((y + 1) / 2 - 1 / (1 + math.exp(-u))) ** 2 / 2,
    "tanh": lambda u, y: (y - math.tanh(u)) ** 2 / 2,
    "logistic": lambda u, y: math.log(1 + math.exp(-y * u)),
    "passive-aggressive": lambda u, y, C=1.0: max(0.0, 1 - y * u),
    "passive-aggressive-2": lambda u, y, C=1.0: max(0.0, 1 - y * u),
}

# --- learning rates --------------------------------------------------------------------------------------------------


def constant(eta: float) -> Callable[[int], float]:
    return lambda t: eta


def inverse(eta: float, decay: float) -> Callable[[int], float]:
    return lambda t: eta / (1 + t * decay)


def sqrt(eta: float, decay: float) -> Callable[[int], float]:
    return lambda t: eta / math.sqrt(1 + t * decay)


# --- the loop --------------------------------------------------------------------------------------------------------


class How(NamedTuple):
    """eta: of the block's number. block: rows scored at the same weights. bias: 1 or 0. l2: λ. weight: (n,) or None.

    dual: w = Σ a_j·φ(x_j), of which only K_ij = φ(x_i)·φ(x_j) is known: x is K, w is a, so that x[i] @ w is the score
    w·φ(x_i), and a step from row i is one of a_i.
    """

    eta: Callable[[int], float] = constant(1.0)
    block: int = 1
    bias: float = 1.0
    l2: float = 0.0
    weight: Array | None = None
    start: tuple[Any, Any] | None = None
    dual: bool = False


def directions(x: Array, how: How) -> Array:
    """(n, …) where the weights go with a step from each row; x[i] @ that is ‖x_i‖², also in the dual."""
    return np.eye(len(x)) if how.dual else x


class Block(NamedTuple):
    """What happened at one block: which of its rows were mistakes, whether a step was applied, the weights around it.

    loss, share: Σ c·loss and Σ c with c = η·weight, so that the mean loss of an epoch is Σ loss/Σ share.
    """

    epoch: int
    wrong: list[bool]
    moved: bool
    before: tuple[Any, Any]
    after: tuple[Any, Any]
    loss: float
    share: float


def learn(x: Array, y: Array, step: Any, loss: Any, orders: Iterable[Any], how: How) -> list[Block]:
    """Two classes, y = ±1: one epoch for each order of the rows."""
    w, b = (np.zeros(x.shape[1]), 0.0) if how.start is None else how.start
    path, to = list[Block](), directions(x, how)
    for epoch, order in enumerate(orders):
        for p in range(0, len(order), how.block):
            rows, eta = order[p : p + how.block], how.eta(len(path))
            scores = [x[i] @ w + b for i in rows]
            c = [eta if how.weight is None else eta * how.weight[i] for i in rows]
            steps = [
                a * step(u, y[i], x[i] @ to[i] + how.bias) / len(rows) for a, i, u in zip(c, rows, scores, strict=True)
            ]
            before = (w, b)
            w = (1 - eta * how.l2) * w + sum(a * to[i] for a, i in zip(steps, rows, strict=True))
            b = b + how.bias * sum(steps)
            wrong = [bool(y[i] * u <= 0) for i, u in zip(rows, scores, strict=True)]
            lost = sum(a * loss(u, y[i]) for a, i, u in zip(c, rows, scores, strict=True))
            path.append(Block(epoch, wrong, any(bool(a != 0) for a in steps), before, (w, b), lost, sum(c)))
    return path


def learn_together(x: Array, y: Array, classes: int, orders: Iterable[Any], how: How) -> list[Block]:
    """The multi-class perceptron, y = 0 … K−1: add x̄ to the right class, subtract it from the wrongly winning one."""
    w, b = (np.zeros((classes, x.shape[1])), np.zeros(classes)) if how.start is None else how.start
    path, to = list[Block](), directions(x, how)
    for epoch, order in enumerate(orders):
        for p in range(0, len(order), how.block):
            rows, eta = order[p : p + how.block], how.eta(len(path))
            c = [eta if how.weight is None else eta * how.weight[i] for i in rows]
            before, wrong, lost = (w, b), [], 0.0
            w, b = (1 - eta * how.l2) * w, b.copy()
            for i, share in zip(rows, c, strict=True):
                u = before[0] @ x[i] + before[1]
                right = int(y[i])
                rival = max((k for k in range(classes) if k != right), key=lambda k, u=u: u[k])
                wrong.append(bool(u[right] <= u[rival]))
                if wrong[-1]:
                    a = share / len(rows)
                    w[right], w[rival] = w[right] + a * to[i], w[rival] - a * to[i]
                    b[right], b[rival] = b[right] + a * how.bias, b[rival] - a * how.bias
                    lost += share * (u[rival] - u[right])
            path.append(Block(epoch, wrong, any(wrong), before, (w, b), lost, sum(c)))
    return path


def one_vs_rest(x: Array, y: Array, classes: int, step: Any, loss: Any, orders: Any, how: How) -> list[list[Block]]:
    """K runs for two classes, each as if the others were not there."""
    return [learn(x, np.where(y == k, 1.0, -1.0), step, loss, orders, how) for k in range(classes)]


def side_by_side(runs: list[list[Block]]) -> list[Block]:
    """K runs as one: a row is a mistake when any class is wrong about it."""
    return [
        Block(
            blocks[0].epoch,
            [any(flags) for flags in zip(*(block.wrong for block in blocks), strict=True)],
            any(block.moved for block in blocks),
            (np.array([block.before[0] for block in blocks]), np.array([block.before[1] for block in blocks])),
            (np.array([block.after[0] for block in blocks]), np.array([block.after[1] for block in blocks])),
            sum(block.loss for block in blocks),
            blocks[0].share,
        )
        for blocks in zip(*runs, strict=True)
    ]


def pick_one(x: Array, y: Array, step: Any, choose: Callable[[list[int], list[float]], int], how: How) -> list[Block]:
    """choose: (wrong rows, their margins) → place of the one to learn from. Until no row is wrong."""
    path: list[Block] = []
    while True:
        w, b = path[-1].after if path else (np.zeros(x.shape[1]), 0.0)
        wrong = [i for i in range(len(x)) if step(x[i] @ w + b, y[i], x[i] @ x[i] + how.bias) != 0]
        if not wrong:
            return path
        i = wrong[choose(wrong, [y[i] * (x[i] @ w + b) for i in wrong])]
        (block,) = learn(x, y, step, lambda u, y: 0.0, [[i]], how._replace(start=(w, b)))
        path.append(block)


# --- memories --------------------------------------------------------------------------------------------------------


def last(path: list[Block]) -> tuple[Any, Any]:
    return path[-1].after


def averaged(path: list[Block]) -> tuple[Any, Any]:
    """The mean of the weights after each example; inside a block they change at its last row."""
    ws, bs = [], []
    for block in path:
        for j in range(len(block.wrong)):
            w, b = block.after if j == len(block.wrong) - 1 else block.before
            ws.append(w)
            bs.append(b)
    return sum(ws) / len(ws), sum(bs) / len(bs)


def voters(path: list[Block], first: int = 0) -> list[tuple[Any, Any, int]]:
    """(w, b, count) of every vector. first: what the count of a new one begins with (notes 0, Freund & Schapire 1)."""
    all_of_them = [[*path[0].before, 0]]
    for block in path:
        all_of_them[-1][2] += block.wrong.count(False)
        if any(block.wrong):
            all_of_them.append([*block.after, first])
    return [(w, b, count) for w, b, count in all_of_them]


def votes(path: list[Block], x: Array, first: int = 0) -> Array:
    """(n,) Σ c·sgn(u)/Σ c with sgn(0) = −1; the last weights' scores when all counts are 0."""
    counted = voters(path, first)
    total = sum(count for _, _, count in counted)
    if total == 0:
        return np.array([row @ path[-1].after[0] + path[-1].after[1] for row in x])
    return np.array([sum(c * (1 if row @ w + b > 0 else -1) for w, b, c in counted) / total for row in x])


def votes_together(path: list[Block], x: Array, first: int = 0) -> Array:
    """(n, K) the share of the votes for each class, each vector voting for the first of its best-scoring classes."""
    counted = voters(path, first)
    out = np.zeros((len(x), len(path[0].before[1])))
    for w, b, count in counted:
        for i, row in enumerate(x):
            out[i, (w @ row + b).argmax()] += count
    total = sum(count for _, _, count in counted)
    return out / total if total else np.array([path[-1].after[0] @ row + path[-1].after[1] for row in x])


def mean_voter(path: list[Block], first: int = 0) -> tuple[Any, Any]:
    counted = voters(path, first)
    total = sum(count for _, _, count in counted)
    if total == 0:
        return path[-1].after
    return sum(c * w for w, _, c in counted) / total, sum(c * b for _, b, c in counted) / total


def pocket(path: list[Block], measure: Callable[[Any, Any], float], every: int = 0) -> tuple[Any, Any]:
    """The first of the best of: the start; before a mistake that ends the longest run so far; at each epoch's end.

    every: also after each so many updates, where the epoch does not end there anyway.
    """
    candidates, run, longest, updates = [path[0].before], 0, 0, 0
    for block, following in zip(path, [*path[1:], None], strict=True):
        record = False
        for wrong in block.wrong:
            record = record or (wrong and run > longest)
            longest, run = (max(longest, run), 0) if wrong else (longest, run + 1)
        updates += block.moved
        ended = following is None or following.epoch != block.epoch
        candidates += [block.before] * record
        candidates += [block.after] * (ended or (every > 0 and block.moved and updates % every == 0))
    return max(candidates, key=lambda weights: measure(*weights))


# --- features --------------------------------------------------------------------------------------------------------


def word_runs(words: list[str], longest: int) -> list[str]:
    """Runs of two and more words of a text, as they follow each other."""
    return [" ".join(words[i : i + n]) for n in range(2, longest + 1) for i in range(len(words) - n + 1)]


def character_runs(word: str, shortest: int, longest: int) -> list[str]:
    """Runs of characters of a word between two marks; the mark alone is none. Only of words with a letter or digit."""
    if word.startswith("skip:") or not any(c.isalnum() for c in word):
        return []
    runs = [("_" + word + "_")[i : i + n] for n in range(shortest, longest + 1) for i in range(len(word) + 3 - n)]
    return [f"/{run}/" for run in runs if run != "_"]


def products(x: Array, which: str) -> tuple[Array, list[tuple[int, ...]]]:
    """(x and its products, the factors of each column)."""
    d = range(x.shape[1])
    factors: list[tuple[int, ...]] = [(i,) for i in d]
    for i in d:
        factors += [(i, j) for j in d if j >= i and (which == "all" or (which == "squares") == (i == j))]
    return np.array([[math.prod(row[list(f)]) for f in factors] for row in x]).reshape(len(x), len(factors)), factors


def stirred(h: int) -> int:
    h = ((h ^ h >> 16) * 0x85EBCA6B) % 2**32
    h = ((h ^ h >> 13) * 0xC2B2AE35) % 2**32
    return h ^ h >> 16


def hashed_pairs(x: Array, bits: int) -> Array:
    """x, and the products of two columns in 2^bits columns."""
    d = x.shape[1]
    out = np.concatenate([x, np.zeros((len(x), 2**bits))], axis=1)
    for i, j in itertools.combinations(range(d), 2):
        h = stirred((stirred(i) + stirred(j)) % 2**32)
        out[:, d + h % 2**bits] += (-1) ** (h >> 31) * x[:, i] * x[:, j]
    return out


def monomials(x: Array, degree: int, gamma: float = 1.0, coef0: float = 1.0) -> tuple[Array, Array]:
    """(products, scale): φ(x) = scale·products has φ(x)·φ(z) = (gamma·x·z + coef0)^degree. A column for each choice of
    `degree` factors, of which 1 is one where coef0 is not 0."""
    columns, scales, whole = [], [], np.column_stack([x, np.ones(len(x))])
    for factors in itertools.combinations_with_replacement(range(x.shape[1] + (coef0 > 0)), degree):
        counts = [factors.count(i) for i in range(x.shape[1] + 1)]
        orders = math.factorial(degree) / math.prod(map(math.factorial, counts))
        scales.append(math.sqrt(orders * gamma ** (degree - counts[-1]) * coef0 ** counts[-1]))
        columns.append(np.prod(whole**counts, axis=1))
    return np.column_stack(columns), np.array(scales)


# --- mail: (scores of ham, of spam) → measures -----------------------------------------------------------------------


def one_minus_roca(ham: Array, spam: Array) -> float:
    wrong = [1.0 if h > s else 0.5 if h == s else 0.0 for h in ham for s in spam]
    return sum(wrong) / len(wrong)


def through_at(ham: Array, spam: Array, limit: float) -> float:
    """Of all lines at a score, those that lose few enough ham; the least spam that one of them misses."""
    lines = [u for u in (*ham, *spam) if sum(h > u for h in ham) / len(ham) <= limit]
    return min(sum(s <= u for s in spam) / len(spam) for u in lines if u in ham)


def lam(lost: int, hams: int, through: int, spams: int) -> float:
    p, q = (lost + 0.5) / (hams + 1), (through + 0.5) / (spams + 1)
    return 1 / (1 + math.exp(-(math.log(p / (1 - p)) + math.log(q / (1 - q))) / 2))
