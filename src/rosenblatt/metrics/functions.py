"""What several metrics share."""

Pair = tuple[float, float]
