"""Learners of River: `river_learner.py NAME`."""
import pickle
import sys

from serve import serve

from river import feature_extraction, forest, linear_model, neighbors, optim, tree

NAME = sys.argv[1]


def model(p, seed):
    """The model of that name, for numbers or for classes."""
    classes = p["targets"] == "classes"
    if NAME == "linear":
        features = feature_extraction.RBFSampler(1 / (2 * p["bandwidth"] ** 2), p["features"], seed)
        # River does not scale the features: their squared norm is half of their number.
        step = optim.SGD(p["eta"] * 2 / p["features"])
        return features | (linear_model.LogisticRegression if classes else linear_model.LinearRegression)(step)
    if NAME == "amf":
        own = {"n_estimators": p["trees"], "step": p["step"], "seed": seed}
        return forest.AMFClassifier(**own) if classes else forest.AMFRegressor(**own)
    if NAME == "arf":
        own = {"n_models": p["trees"], "grace_period": p["grace"], "seed": seed}
        return forest.ARFClassifier(**own) if classes else forest.ARFRegressor(**own)
    if NAME == "tree":
        own = {"grace_period": p["grace"], "seed": seed}
        return (tree.HoeffdingAdaptiveTreeClassifier if classes else tree.HoeffdingAdaptiveTreeRegressor)(**own)
    own = {"n_neighbors": p["neighbours"], "engine": neighbors.LazySearch(window_size=p["window"])}
    return neighbors.KNNClassifier(**own) if classes else neighbors.KNNRegressor(**own)


class Learner:
    """Classes are true and false to River; what is predicted is the mean of the labels, 2 P(true) - 1."""

    def __init__(self, params, seed, dim):
        self.model, self.classes = model(params, seed), params["targets"] == "classes"

    def predict(self, x):
        x = dict(enumerate(x))
        if not self.classes:
            return float(self.model.predict_one(x) or 0)
        odds = self.model.predict_proba_one(x)
        return float(odds.get(True, 0) - odds.get(False, 0))

    def learn(self, x, y):
        self.model.learn_one(dict(enumerate(x)), y > 0 if self.classes else y)

    def size(self):
        return len(pickle.dumps(self.model))


serve("river", Learner)
