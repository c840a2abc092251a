"""What other libraries call what is here: hints name ours."""

OF_OTHERS = {
    "eta": "eta0", "lr": "eta0", "step_size": "eta0", "learning_rate_init": "eta0", "max_iterations": "max_iter",
    "n_epochs": "max_iter", "n_iter": "max_iter", "num_epochs": "max_iter", "iterations": "max_iter",
    "max_epochs": "max_iter", "epochs": "max_iter", "seed": "random_state",
    "penalty": "alpha", "l2_penalty": "alpha", "weight_decay": "alpha", "average": "keep='averaged'",
    "averaged": "keep='averaged'", "voted": "keep='voted'", "pocket": "keep='pocket'", "loss": "rule",
    "algorithm": "rule", "pa": "rule='passive-aggressive'", "adaline": "rule='linear'", "margin": "rule='margin:tau=1'",
    "tau": "rule='margin:tau=1'", "C": "rule='passive-aggressive:C=1'", "shuffle": "order",
    "early_stopping": "validation", "validation_fraction": "validation", "validation_split": "validation",
    "warm_start": "fit_more, the method", "coef_init": "start", "verbose": "observers, which fit takes",
    "callback": "observers, which fit takes", "ngram_range": "word_ngrams", "min_df": "min_documents",
    "max_features": "max_size", "stop_words": "max_size", "threshold": "max_false_positives or cost",
    "adagrad": "metric='adagrad'", "adaptive": "metric='adagrad'", "normalized": "metric='normalised'",
    "arow": "metric='arow'", "r": "metric='arow:r=1'", "scw": "metric='scw'", "phi": "metric='scw:phi=1'",
    "nherd": "metric='nherd'", "ftrl": "metric='ftrl'", "beta": "metric='ftrl:beta=1'", "softmax": "rule='softmax'",
    "l1_penalty": "l1", "l1_ratio": "l1", "power_t": "learning_rate",
}  # fmt: skip
"""What others call it → the word here, in the words of Python; hints name it."""
RULES_OF_OTHERS = {
    "pa": "passive-aggressive", "pa1": "passive-aggressive", "pa2": "passive-aggressive-2", "adaline": "linear",
    "lms": "linear", "widrow-hoff": "linear", "squared-error": "linear", "hinge": "margin", "svm": "margin",
    "log": "logistic", "log-loss": "logistic", "logreg": "logistic", "logistic-regression": "logistic",
    "sgd": "logistic", "multinomial": "softmax", "maxent": "softmax",
}  # fmt: skip
METRICS_OF_OTHERS = {
    "adaptive": "adagrad", "nag": "normalised", "normalized": "normalised", "cw": "scw", "ftrl-proximal": "ftrl",
}  # fmt: skip
