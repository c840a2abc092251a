# forgiving.py
"""A perceptron that gives up on rows that are too wrong to be true, as where a label is mistaken."""


class Forgiving:
    """The step is y after a mistake, but none where the score is further than `limit` on the wrong side."""

    def __init__(self, limit=20.0):
        self.limit = limit

    def step(self, u, y, sq_norm):
        return y if -self.limit < y * u <= 0.0 else 0.0
