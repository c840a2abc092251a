"""Many learners on the same data, side by side, and whether the differences are more than noise.

contenders.py says who takes part, race.py lets them run, intervals.py is the statistics, result.py compares: it
puts the rows in order and picks one; optimum.py adds the fewest errors possible. How it reads is in report/compare.py.
"""

from .contenders import Contender, along, contenders
from .optimum import Optimum, with_optimum
from .race import Plan
from .result import Comparison, Row, compare

__all__ = ["Comparison", "Contender", "Optimum", "Plan", "Row", "along", "compare", "contenders", "with_optimum"]
