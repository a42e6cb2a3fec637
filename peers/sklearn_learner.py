"""Stochastic gradient descent of scikit-learn over random features or a Nystroem map."""
import pickle
import warnings

from serve import serve

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import SGDClassifier, SGDRegressor


class Learner:
    """A map from the first rows, and a linear model that learns from one row at a time. Until the map is there,
    the prediction is the mean of the targets; then the model learns from the rows that were kept."""

    def __init__(self, p, seed, dim):
        kind = {"rbf": RBFSampler, "nystroem": Nystroem}[p["map"]]
        self.map = kind(gamma=1 / (2 * p["bandwidth"] ** 2), n_components=p["features"], random_state=seed)
        self.classes = p["targets"] == "classes"
        own = {"learning_rate": "constant", "eta0": p["eta"], "alpha": p["alpha"], "random_state": seed}
        self.model = SGDClassifier(loss=p["loss"], **own) if self.classes else SGDRegressor(**own)
        # Random features do not look at the rows; the points of a Nystroem map are rows.
        self.wanted, self.rows, self.targets = 1 if p["map"] == "rbf" else p["features"], [], []
        self.last = None

    def predict(self, x):
        if self.rows is not None:
            return float(np.mean(self.targets)) if self.targets else 0.0
        self.last = self.map.transform([x])
        return float((self.model.decision_function if self.classes else self.model.predict)(self.last)[0])

    def learn(self, x, y):
        if self.rows is None:
            return self.step(self.last, [y])
        self.rows.append(x)
        self.targets.append(y)
        if len(self.rows) == self.wanted:
            for features, target in zip(self.map.fit(self.rows).transform(self.rows), self.targets):
                self.step([features], [target])
            self.rows = None

    def step(self, features, targets):
        if self.classes:
            self.model.partial_fit(features, np.sign(targets), classes=[-1.0, 1.0])
        else:
            self.model.partial_fit(features, targets)

    def size(self):
        return len(pickle.dumps((self.map, self.model)))


warnings.filterwarnings("ignore", category=RuntimeWarning)  # A step that is too large ends as a run that diverged.
serve("scikit-learn", Learner)
