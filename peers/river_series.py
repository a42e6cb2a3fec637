"""SNARIMAX of River: a linear model of the inputs, of the last targets and of its own last errors."""
import pickle
import sys

from serve import later, serve

# Data sets, a measure and functions that no learner here uses: half of the time that the import of River takes.
later("river.drift.datasets", "scipy.integrate", "scipy.special")
from river import linear_model, optim, preprocessing, time_series


class Learner:
    """The regressor is the default one of SNARIMAX; with causal scales, its targets are scaled as well."""

    def __init__(self, p, seed, dim, classes):
        if classes:
            sys.exit("SNARIMAX predicts numbers only")
        made = linear_model.LinearRegression(optim.SGD(p["eta"]))
        made = preprocessing.TargetStandardScaler(made) if p["scaling"] == "causal" else made
        orders = {name: p[name] for name in ("p", "d", "q", "m", "sp", "sd", "sq")}
        self.model, self.last = time_series.SNARIMAX(**orders, regressor=preprocessing.StandardScaler() | made), 0.0

    def predict(self, x):
        # Differences need that many targets.
        if len(self.model.y_hist) < self.model.differencer.n_required_past_values:
            return self.last
        return float(self.model.forecast(1, [dict(enumerate(x))])[0])

    def learn(self, x, y):
        self.model.learn_one(y, dict(enumerate(x)))
        self.last = y

    def size(self):
        return len(pickle.dumps(self.model))


serve("river", Learner)
