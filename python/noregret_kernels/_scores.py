"""Which regressors are tagged `poor_score` for scikit-learn, and why.

Its check fits 200 rows of a linear function of 10 standardised inputs, with `alpha` at 0.01 and everything else at its
default, and wants R^2 above 0.5 on the same rows. A test computes R^2 of all learners and compares.
"""

_SMALL_STEPS = "its first steps are small, and there are 200"
_NEWTON = "alpha = 0.01 makes its first Newton steps too large, and targets are cut at one deviation"
_BETS = "its bets start from a wealth of 1 and grow over more than 200 rounds"
_BASELINE = "a baseline, which looks at targets alone"

POOR_SCORE = {
    "kons": _NEWTON,
    "sketched-kons": _NEWTON,
    "pros-n-kons": "it starts again whenever a point enters the dictionary, and " + _NEWTON,
    "shrinking-gradient": _SMALL_STEPS,
    "doubly-stochastic": _SMALL_STEPS,
    "kitchen-sinks": "its predictions are at most 1, and " + _SMALL_STEPS,
    "robust-ogd": _SMALL_STEPS,
    "robust-batch": "its descents stop early, after a few small steps",
    "coin-kernel": _BETS,
    "coin-taylor": _BETS,
    "constant": _BASELINE,
    "running-mean": _BASELINE,
    "last-value": _BASELINE,
    "majority": _BASELINE,
}
