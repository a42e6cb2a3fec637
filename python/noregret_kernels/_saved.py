"""Learners that were saved."""

from __future__ import annotations

import inspect
import json
import os
import tomllib
from copy import deepcopy
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from noregret_kernels import _core, learners
from noregret_kernels._columns import ColumnEncoder
from noregret_kernels._tools import Noise, NoisyLearner


def load(path: str | os.PathLike[str]) -> Any:
    """The learner in a file of `save` or of `noregret stream --save`, which goes on as the saved one does.

    It is an estimator, or a `NoisyLearner` where it learned from noisy copies; then `noise` is what the command line added. It
    scales inputs and targets as it was told to by `--scale` and `--target-scale`. After `fit`, which forgets all scales, it has
    those of epochs where all that may be scaled for it was, and else none. The classes
    of a classifier are -1 and 1.

    A model that was learnt from words, dates or gaps is a pipeline of scikit-learn: the step ``columns`` is a `ColumnEncoder`, which takes the
    columns of the file, and the step ``learner`` the estimator. `predict` teaches neither; both go on with
    ``model["learner"].partial_fit(model["columns"].learn(frame), y)``. One whose targets are words is refused; `noregret predict` reads it.

    Bandwidths are the numbers that were used, also where they were called "scale".

    >>> import os, tempfile
    >>> import numpy as np
    >>> from noregret_kernels import KernelAwv, load
    >>> X = np.linspace(-1, 1, 50).reshape(-1, 2)
    >>> model = KernelAwv().fit(X, X[:, 0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(os.path.join(folder, "model.safetensors"))
    ...     loaded = load(os.path.join(folder, "model.safetensors"))
    >>> loaded.kernel_params["bandwidth"] == 2**0.5    # the number that was used
    True
    >>> bool((loaded.predict(X) == model.predict(X)).all())
    True
    """
    saved = _core.load(os.fspath(path))
    learner, names = saved.learner, saved.inputs
    plan = None if saved.plan is None else tomllib.loads(saved.plan)
    if isinstance(learner, _core.NoisyLearner):
        if plan is not None:
            raise ValueError(f"{path}: it learned from noisy copies of words, dates or gaps; `noregret predict` reads it")
        return NoisyLearner._of(learner, None if saved.noise is None else Noise._of(saved.noise))
    found = [getattr(learners, name) for name in learners.__all__]
    cls = next(cls for cls in found if cls._learner == learner.name and cls._labels == learner.wants_labels)
    known = inspect.signature(cls).parameters
    arguments: dict[str, Any] = {"horizon": None if saved.doubling else saved.horizon, "random_state": saved.seed}
    for name, value in json.loads(saved.parameters).items():
        name = "lam" if name == "lambda" else name
        if f"{name}_params" in known and isinstance(value, dict):
            default = known[name].default
            arguments[name], arguments[f"{name}_params"] = value.pop("name", default), value or None
        else:
            arguments[name] = value
    if "scaling" in known:
        arguments["scaling"] = "epochs" if saved.epochs else "none"
    model = cls(**arguments)
    model.learner_, model.n_features_in_ = learner, learner.dim
    if plan is None and names != [f"x{column + 1}" for column in range(learner.dim)]:
        model.feature_names_in_ = np.array(names, dtype=object)
    if cls._labels:
        model.classes_ = np.array([-1.0, 1.0])
    model._limit = saved.horizon if saved.doubling else None
    model._remember()
    if plan is None:
        return model
    columns = ColumnEncoder(plan, names)
    columns.plan_ = deepcopy(plan)
    return Pipeline([("columns", columns), ("learner", model)])
