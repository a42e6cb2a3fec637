"""Learners that were saved."""

from __future__ import annotations

import inspect
import json
import os

import numpy as np

from noregret import _core, learners


def load(path):
    """The estimator in a file of `save` or of `noregret stream --save`, which goes on as the saved one does.

    The classes of a classifier are -1 and 1 afterwards. Models that scale their columns, encode words, or learned from noisy
    copies are refused; `noregret predict` reads these.
    """
    learner, seed, horizon, parameters, names = _core.Learner.load(os.fspath(path))
    found = [getattr(learners, name) for name in learners.__all__]
    cls = next(cls for cls in found if cls._learner == learner.name and cls._labels == learner.wants_labels)
    known = inspect.signature(cls).parameters
    arguments = {"horizon": horizon, "random_state": seed}
    for name, value in json.loads(parameters).items():
        name = "lam" if name == "lambda" else name
        if f"{name}_params" in known and isinstance(value, dict):
            default = known[name].default
            arguments[name], arguments[f"{name}_params"] = value.pop("name", default), value or None
        else:
            arguments[name] = value
    model = cls(**arguments)
    model.learner_, model.n_features_in_ = learner, learner.dim
    if names != [f"x{column + 1}" for column in range(learner.dim)]:
        model.feature_names_in_ = np.array(names, dtype=object)
    if cls._labels:
        model.classes_ = np.array([-1.0, 1.0])
    return model
