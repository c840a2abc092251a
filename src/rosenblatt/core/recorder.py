"""A rule that writes down what it does: stands around another one, and the loops tell it the rest.

A run without one has the same machine code as if there were no recorders (`verbs.records` is answered while compiling).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .rows import Array
from .verbs import loss, step, steps

SCORED, ENTRIES, UPDATES, CLASSES, NORM_EVERY, KEPT, KEPT_EVERY, BEFORE = range(8)
"""Places in `Recorder.n`: rows scored, entries and updates so far, how many classes,
that ‖w‖ is measured at each so-manieth update (0: never), weights kept, at each so-manieth update, and updates before
the record was emptied."""


class Recorder(NamedTuple):
    """rule: what learns. scores: of the rows since the record was emptied, one
    class after the other. cls: (m,) int32 and number: (m, 4)
    u before, step a, u after and bias after, of each entry: a row that moved a class; place: (m,) int64 its position
    since the record was emptied. update: (m, 3) int64, rows seen, mistakes and entries so far, of each block that
    moved; length: (m, 2) ‖w‖ (NaN: not measured) and what the block shrank w by. kept, kept_at: (c, size) true weights
    as they lie, and (c,) the update, from 1, after which. n: int64, see above."""

    rule: Any
    scores: Array
    cls: Array
    place: Array
    number: Array
    update: Array
    length: Array
    kept: Array
    kept_at: Array
    n: Array

    def step(self, u: float, y: float, sq_norm: float) -> float:
        self.scores[self.n[SCORED]] = u
        self.n[SCORED] += 1
        return step(self.rule, u, y, sq_norm)

    def steps(self, u: Array, y: int, sq_norm: float, a: Array, wrong: Array) -> float:
        first = self.n[SCORED] * u.size
        for k in range(u.size):
            self.scores[first + k] = u[k]
        self.n[SCORED] += 1
        return steps(self.rule, u, y, sq_norm, a, wrong)

    def loss(self, u: float, y: float) -> float:
        return loss(self.rule, u, y)

    def entry(self, ago: int, cls: int, a: float, after: float, b: float) -> None:
        at, place = self.n[ENTRIES], self.n[SCORED] - ago
        self.cls[at], self.place[at] = cls, place
        self.number[at, 0], self.number[at, 1] = self.scores[place * self.n[CLASSES] + cls], a
        self.number[at, 2], self.number[at, 3] = after, b
        self.n[ENTRIES] = at + 1

    # In one piece: with parts in functions of their own, to which arrays are given, it took 125 ns an update more.
    def closed(self, w: Array, scales: tuple[float, float], seen: int, mistakes: int) -> None:
        at = self.n[UPDATES]
        self.update[at, 0], self.update[at, 1], self.update[at, 2] = seen, mistakes, self.n[ENTRIES]
        self.length[at, 0], self.length[at, 1] = np.nan, scales[1]
        self.n[UPDATES] = at + 1
        number = self.n[BEFORE] + self.n[UPDATES]
        if self.n[NORM_EVERY] > 0 and number % self.n[NORM_EVERY] == 0:
            flat, total = w.ravel(), 0.0
            for j in range(flat.size):
                total += float(flat[j]) * float(flat[j])
            self.length[at, 0] = abs(scales[0]) * np.sqrt(total)
        if self.n[KEPT_EVERY] > 0 and number % self.n[KEPT_EVERY] == 0:
            if self.n[KEPT] == self.kept.shape[0]:
                half = self.n[KEPT] // 2
                for i in range(half):
                    self.kept_at[i] = self.kept_at[2 * i + 1]
                    self.kept[i] = self.kept[2 * i + 1]
                self.n[KEPT] = half
                self.n[KEPT_EVERY] *= 2
            if number % self.n[KEPT_EVERY] == 0:
                own, room = w.ravel(), self.kept[self.n[KEPT]]
                for j in range(own.size):
                    room[j] = scales[0] * own[j]
                self.kept_at[self.n[KEPT]] = number
                self.n[KEPT] += 1
