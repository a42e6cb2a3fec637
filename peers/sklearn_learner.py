"""Stochastic gradient descent of scikit-learn over random features or a Nystroem map."""
import pickle
import warnings
from statistics import fmean, mode

from serve import serve

import numpy as np
import sklearn
from scaler import Scales
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import SGDClassifier, SGDRegressor


class Learner:
    """A linear model over a map of the first rows; until that is there, it predicts the mean or commonest target."""

    def __init__(self, p, seed, dim, classes):
        kind = RBFSampler if p["map"] == "rbf" else Nystroem
        gamma = 1 / (2 * p["bandwidth"] ** 2) if p["bandwidth"] > 0 else 1 / dim
        self.map = kind(gamma=gamma, n_components=p["features"], random_state=seed)
        self.signs = p["targets"] == "classes" and not classes
        labels = [float(k) for k in range(classes)] or [-1.0, 1.0]
        self.known = {"classes": labels} if classes or self.signs else {}
        own = {"alpha": p["alpha"], "random_state": seed}
        own |= {"learning_rate": "constant", "eta0": p["eta"]} if p["schedule"] == "constant" else {}
        self.model = SGDClassifier(loss=p["loss"], **own) if self.known else SGDRegressor(**own)
        causal = p["scaling"] == "causal"
        self.scales = Scales(dim, causal, causal and not self.known)
        # Random features do not look at the rows; the points of a Nystroem map are rows.
        self.last, self.rows, self.targets, self.wanted = None, [], [], 1 if kind is RBFSampler else p["features"]

    def predict(self, x):
        if self.rows is not None:
            return float((fmean if self.signs or not self.known else mode)(self.targets or [0.0]))
        self.last = self.map.transform(self.scales.scaled([x]))
        answer = self.model.decision_function if self.signs else self.model.predict
        return self.scales.prediction(answer(self.last)[0])

    def learn(self, x, y):
        self.scales.add(x, y)
        if self.rows is None:
            return self.step(self.last, y)
        self.rows, self.targets = [*self.rows, x], [*self.targets, y]
        if len(self.rows) == self.wanted:
            rows, self.rows = self.scales.scaled(self.rows), None
            for features, target in zip(self.map.fit(rows).transform(rows), self.targets):
                self.step([features], target)

    def step(self, features, y):
        self.model.partial_fit(features, [np.sign(y) if self.signs else self.scales.target(y)], **self.known)

    def size(self):
        return len(pickle.dumps((self.map, self.model)))


# Rows come one at a time; checks would take longer than steps.
sklearn.set_config(assume_finite=True, skip_parameter_validation=True)
warnings.filterwarnings("ignore", category=RuntimeWarning)  # A step that is too large ends as a run that diverged.
serve("scikit-learn", Learner)
