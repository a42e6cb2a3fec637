"""Models of scikit-learn and LightGBM with their packages' defaults, but for what is set here."""
import numpy as np
import sklearn

# Rows come one at a time; checks would take longer than predictions.
sklearn.set_config(assume_finite=True, skip_parameter_validation=True)


def model(package, p, seed, classes, most):
    """A model that is not fitted yet, for classes, the commonest of which has so many rows, or for numbers."""
    # Each of these takes long to import.
    own = {"random_state": seed}
    if package == "lightgbm":
        from lightgbm import LGBMClassifier, LGBMRegressor

        own |= {"n_estimators": p["trees"], "learning_rate": p["rate"], "num_leaves": p["leaves"]}
        own |= {"n_jobs": 1, "deterministic": True, "force_row_wise": True, "verbosity": -1}
        return (LGBMClassifier if classes else LGBMRegressor)(**own)
    from sklearn import ensemble, linear_model, svm

    if p["model"] == "gradient-boosting":
        kinds = ensemble.HistGradientBoostingRegressor, ensemble.HistGradientBoostingClassifier
        return kinds[classes > 0](max_iter=p["trees"], **own)
    if p["model"] == "extra-trees":
        return (ensemble.ExtraTreesClassifier if classes else ensemble.ExtraTreesRegressor)(p["trees"], **own)
    if p["model"] == "ridge":
        if classes:
            # Five folds need five rows of a class.
            return linear_model.LogisticRegressionCV() if most >= 5 else linear_model.LogisticRegression()
        return linear_model.RidgeCV(np.logspace(-3, 3, 13))
    return svm.SVC(C=p["cost"]) if classes else svm.SVR(C=p["cost"])


def answer(model):
    """The function that predicts one row, as `model.predict` would, whose checks take ten times as long as trees."""
    classes = getattr(model, "classes_", None)
    if hasattr(model, "booster_"):
        raw = lambda x: model.booster_.predict(x)[0]
    elif hasattr(model, "estimators_"):
        trees = [one.tree_ for one in model.estimators_]

        def raw(x):
            x = x.astype(np.float32)
            return sum(tree.predict(x)[0] for tree in trees) / len(trees)

    else:
        return lambda x: model.predict(x)[0]
    if classes is None:
        return lambda x: np.ravel(raw(x))[0]
    # LightGBM answers the probability of the second of two classes.
    return lambda x: classes[np.argmax(found) if np.ndim(found := raw(x)) else int(found > 0.5)]
