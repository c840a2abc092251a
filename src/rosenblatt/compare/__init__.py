"""Many learners on the same data, side by side, and whether the differences are more than noise.

contenders.py says who takes part, parts.py makes the training and test rows, race.py lets them run, intervals.py is the
statistics, result.py puts the rows in order and picks one, table.py writes them down.
"""

from .contenders import Contender, contenders
from .race import Plan, compare
from .result import Comparison, Row

__all__ = ["Comparison", "Contender", "Plan", "Row", "compare", "contenders"]
