"""What can be chosen, until memories, optimizers and schedules say it themselves; then this file goes."""

from __future__ import annotations

PICK_LIMIT = 100_000
"""Updates after which "pick one mistake" gives up when max_updates is None: it counts no epochs."""

COUNTINGS = ("notes", "freund-schapire")
OPTIMIZERS = ("online", "mini-batch", "batch", "pick-first", "pick-random", "pick-worst")
SCHEDULES = ("constant", "inverse", "sqrt")
