"""Why does it not converge? What is in the data, what is proven about them, and what helped when it was tried.

facts.py looks at rows and columns, verdict.py asks the theorems, diagnosis.py tries what may help.
What is said of it is in report/: doctor.py has the page, advice.py the conclusions.
"""

from .diagnosis import Diagnosis, Plan, diagnose

__all__ = ["Diagnosis", "Plan", "diagnose"]
