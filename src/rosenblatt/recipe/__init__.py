"""What was asked for, as one value: `Recipe`, its table of words, and the scores of folds."""
