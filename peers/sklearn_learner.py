"""Stochastic gradient descent of scikit-learn over random features or a Nystroem map."""
import pickle
import warnings
from statistics import fmean, mode

from serve import serve

import numpy as np
from sklearn.kernel_approximation import Nystroem, RBFSampler
from sklearn.linear_model import SGDClassifier, SGDRegressor
from sklearn.preprocessing import StandardScaler


class Learner:
    """A map from the first rows, and a linear model that learns from one row at a time. Until the map is there, the
    prediction is the mean or most frequent target; then the model learns from the rows that were kept."""

    def __init__(self, p, seed, dim, classes):
        kind = RBFSampler if p["map"] == "rbf" else Nystroem
        gamma = 1 / (2 * p["bandwidth"] ** 2) if p["bandwidth"] > 0 else 1 / dim
        self.map = kind(gamma=gamma, n_components=p["features"], random_state=seed)
        self.signs = p["targets"] == "classes" and not classes
        self.labels = [float(k) for k in range(classes)] or ([-1.0, 1.0] if self.signs else [])
        step = {"learning_rate": "constant", "eta0": p["eta"]} if p["schedule"] == "constant" else {}
        own = {"alpha": p["alpha"], "random_state": seed, **step}
        self.model = SGDClassifier(loss=p["loss"], **own) if self.labels else SGDRegressor(**own)
        self.inputs = StandardScaler() if p["scaling"] == "causal" else None
        self.outputs = StandardScaler() if self.inputs and not self.labels else None
        # Random features do not look at the rows; the points of a Nystroem map are rows.
        self.last, self.rows, self.targets, self.wanted = None, [], [], 1 if p["map"] == "rbf" else p["features"]

    def predict(self, x):
        if self.rows is not None:
            typical = mode if self.labels and not self.signs else fmean
            return float(typical(self.targets)) if self.targets else 0.0
        self.last = self.map.transform(self.inputs.transform([x]) if self.inputs else [x])
        found = (self.model.decision_function if self.signs else self.model.predict)(self.last)
        return float(self.outputs.inverse_transform([found])[0, 0] if self.outputs else found[0])

    def learn(self, x, y):
        for scaler, row in (self.inputs, x), (self.outputs, [y]):
            if scaler:
                scaler.partial_fit([row])
        if self.rows is None:
            return self.step(self.last, [y])
        self.rows, self.targets = [*self.rows, x], [*self.targets, y]
        if len(self.rows) == self.wanted:
            rows = self.inputs.transform(self.rows) if self.inputs else self.rows
            for features, target in zip(self.map.fit(rows).transform(rows), self.targets):
                self.step([features], [target])
            self.rows = None

    def step(self, features, targets):
        targets = self.outputs.transform([targets])[0] if self.outputs else targets
        if self.labels:
            self.model.partial_fit(features, np.sign(targets) if self.signs else targets, classes=self.labels)
        else:
            self.model.partial_fit(features, targets)

    def size(self):
        return len(pickle.dumps((self.map, self.model)))


warnings.filterwarnings("ignore", category=RuntimeWarning)  # A step that is too large ends as a run that diverged.
serve("scikit-learn", Learner)
