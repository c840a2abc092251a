"""How `separable` looks for a proof: one method a file, all in floats."""
