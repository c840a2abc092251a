"""The widest margin: a quadratic program, with bounds from both sides."""
