"""What several metrics share."""

Pair = tuple[float, float]
Step = tuple[float, float, float]
