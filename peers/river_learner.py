"""Learners of River: `river_learner.py NAME`."""
import pickle
import sys

from serve import later, serve

# Data sets, a measure and functions that no learner here uses: half of the time that the import of River takes.
later("river.drift.datasets", "scipy.integrate", "scipy.special")
from river import preprocessing
from river_models import model

NAME = sys.argv[1]


class Learner:
    """Two classes are false and true to River. Labels -1 and 1 are answered by their mean, 2 P(true) - 1."""

    def __init__(self, params, seed, dim, classes):
        signs = params.get("targets") == "classes"
        self.signs, self.kind = signs and not classes, classes or 2 * signs
        self.model, self.blank = model(NAME, params, seed, dim, self.kind), True
        if params["scaling"] == "causal":
            # As River's documentation scales for each of them; neighbours' targets are averaged as they are.
            inputs = preprocessing.MinMaxScaler() if NAME == "amf" else preprocessing.StandardScaler()
            plain = self.kind or NAME == "knn"
            self.model = inputs | (self.model if plain else preprocessing.TargetStandardScaler(self.model))

    def predict(self, x):
        x = dict(enumerate(x))
        if self.signs:
            odds = self.model.predict_proba_one(x)
            return float(odds.get(True, 0) - odds.get(False, 0))
        # A forest that has seen nothing answers nothing, which cannot be scaled back.
        return 0.0 if self.blank else float(self.model.predict_one(x) or 0)

    def learn(self, x, y):
        self.blank = False
        label = int(y) if self.kind > 2 else y > 0
        self.model.learn_one(dict(enumerate(x)), label if self.kind else y)

    def size(self):
        return len(pickle.dumps(self.model))


serve("river", Learner)
