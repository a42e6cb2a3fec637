"""Models of River, by name: for numbers (kind 0) or for so many classes."""
import sys

from river import feature_extraction, forest, linear_model, multiclass, neighbors, optim, tree

STEPS = {"sgd": optim.SGD, "adam": optim.Adam, "adagrad": optim.AdaGrad}


def linear(name, p, seed, dim, kind):
    """A linear model, over random features if its name is not "sgd"."""
    if name == "sgd":
        step = STEPS[p["optimizer"]](p["eta"])
    else:
        gamma = 1 / (2 * p["bandwidth"] ** 2) if p["bandwidth"] > 0 else 1 / dim
        # River makes so many features of each input, unscaled: their squared norm is half of their number.
        # Experiments without scales have always stepped as if there were one input.
        step = optim.SGD(p["eta"] * 2 / (p["features"] * (dim if p["scaling"] == "causal" else 1)))
    made = (linear_model.LogisticRegression if kind else linear_model.LinearRegression)(step)
    made = multiclass.OneVsRestClassifier(made) if kind > 2 else made
    return made if name == "sgd" else feature_extraction.RBFSampler(gamma, p["features"], seed) | made


def model(name, p, seed, dim, kind):
    """The model of that name."""
    if name in ("linear", "sgd"):
        return linear(name, p, seed, dim, kind)
    if name == "bayesian":
        if kind:
            sys.exit("River's Bayesian linear regression has no classes")
        return linear_model.BayesianLinearRegression(p["alpha"], p["beta"])
    if name == "amf":
        own = {"n_estimators": p["trees"], "step": p["step"], "seed": seed}
        return forest.AMFClassifier(**own) if kind else forest.AMFRegressor(**own)
    if name == "arf":
        own = {"n_models": p["trees"], "grace_period": p["grace"], "seed": seed}
        return forest.ARFClassifier(**own) if kind else forest.ARFRegressor(**own)
    if name == "tree":
        own = {"grace_period": p["grace"], "seed": seed}
        return (tree.HoeffdingAdaptiveTreeClassifier if kind else tree.HoeffdingAdaptiveTreeRegressor)(**own)
    own = {"n_neighbors": p["neighbours"], "engine": neighbors.LazySearch(window_size=p["window"])}
    return neighbors.KNNClassifier(**own) if kind else neighbors.KNNRegressor(**own)
