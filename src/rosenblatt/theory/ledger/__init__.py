"""What the theorems allow a run, beside what it did."""
