"""Whole streams as frames: what was predicted of each row, and who predicts best."""

from __future__ import annotations

import datetime
import decimal
import importlib.util
import numbers
import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.multiclass import type_of_target

from noregret_kernels import learners
from noregret_kernels._base import Callback, OnlineRegressor, PlayedIntervals, RowLearner
from noregret_kernels._classes import AutoClassifier, PlayedClasses, StreamClassifier
from noregret_kernels._kernels import Kernel
from noregret_kernels._two_classes import OnlineClassifier
from noregret_kernels.kernels import Linear
from noregret_kernels.learners import Auto, KernelAwv, LastValue, PkawvFourier, PkawvTaylor, RunningMean


def _frame(columns: Mapping[str, Any], like: Any) -> Any:
    """A frame of polars where `like` is one or pandas is not here, else of pandas with the index of `like`."""
    library = type(like).__module__.partition(".")[0]
    if library != "polars" and importlib.util.find_spec("pandas") is not None:
        import pandas as pd

        return pd.DataFrame(dict(columns), index=like.index if library == "pandas" else None)
    if importlib.util.find_spec("polars") is None:
        raise ImportError("frames need pandas or polars: pip install pandas")
    import polars as pl

    return pl.DataFrame({name: _listed(column) for name, column in columns.items()})


def _readable(frame: Any) -> Any:
    """A frame of pandas or polars, which is as it is, or what another library offers as an Arrow stream, as one of polars."""
    if type(frame).__module__.partition(".")[0] in ("pandas", "polars"):
        return frame
    if not hasattr(frame, "__arrow_c_stream__"):
        raise TypeError(f"frames are those of pandas or polars, or offer an Arrow stream; a {type(frame).__name__} is none")
    import polars as pl

    return pl.DataFrame(frame)


def _listed(column: Any) -> Any:
    """polars takes words and None as a list."""
    return column.tolist() if isinstance(column, np.ndarray) and column.dtype == object else column


def _targets(name: str, column: Any) -> NDArray[Any]:
    """A column of targets; numbers that are kept as objects, such as decimals, are numbers."""
    y = np.asarray(column)
    number = (numbers.Real, decimal.Decimal)
    if y.dtype == object and all(isinstance(one, number) and not isinstance(one, bool) for one in y):
        return y.astype(np.float64)
    time = (datetime.date, datetime.time, datetime.timedelta)
    if y.dtype.kind in "mM" or (y.dtype == object and any(isinstance(one, time) for one in y)):
        raise ValueError(f"{name} holds dates or times, and must hold numbers or classes; give numbers, such as days since a date")
    return y


def _tells_classes(y: NDArray[Any]) -> bool:
    """Whether targets are classes: words, truth values or whole numbers of at most 20 kinds."""
    if y.dtype.kind in "OUSb":
        return True
    return type_of_target(y) in ("binary", "multiclass") and len(np.unique(y)) <= 20


def stream(
    frame: Any,
    target: str,
    model: Any = None,
    *,
    sample_weight: str | None = None,
    callback: Callback | None = None,
    progress: bool = False,
) -> Any:
    """Plays the rows of a frame and returns a frame of what was predicted of each, before its target was seen.

    Parameters
    ----------
    frame : DataFrame of pandas or polars, or another table that offers an Arrow stream, which polars then reads
        The rows in their order; all columns but ``target`` are inputs, of numbers.
    target : str
        The column that is predicted.
    model : estimator of this package, optional
        It goes on from what it has learnt, and learns. None: `AutoClassifier` where targets are words or truth values, else `Auto`.
    sample_weight : str, optional
        A column of weights, as of `OnlineRegressor.play`, which is no input.
    callback, progress
        As of `OnlineRegressor.play`.

    Returns
    -------
    DataFrame of the same library, else of polars
        With the index of the rows, if they have one, and the columns ``prediction`` (in units of the target, or a class), ``loss``, of
        intervals ``lower`` and ``upper``, and of classes ``probability_CLASS``.

    Examples
    --------
    >>> import pandas as pd
    >>> import noregret_kernels as nk
    >>> frame = pd.DataFrame({"x": [0.1, 0.2, 0.3] * 50})
    >>> frame["y"] = 2.0 * frame["x"]
    >>> told = nk.stream(frame, "y", nk.KernelAwv())
    >>> list(told.columns), bool(told["loss"][-50:].mean() < 0.01)
    (['prediction', 'loss'], True)
    """
    frame = _readable(frame)
    taken = [target] if sample_weight is None else [target, sample_weight]
    for name in taken:
        if name not in list(frame.columns):
            raise ValueError(f"the frame has no column {name!r}; its columns are {list(frame.columns)}")
    X = frame.drop(columns=taken) if hasattr(frame, "iloc") else frame.drop(taken)
    if X.shape[1] == 0:
        raise ValueError(f"the frame has no columns beside {' and '.join(map(repr, taken))}; add inputs, or use `nk.Forecaster`")
    if model is not None:
        _check("`model`", model)
    y = _targets(f"the target {target!r}", frame[target])
    weights = None if sample_weight is None else np.asarray(frame[sample_weight])
    if model is None:
        model = AutoClassifier() if y.dtype.kind in "OUSb" else Auto()
    played = model.play(X, y, callback=callback, progress=progress, sample_weight=weights)
    columns: dict[str, Any] = {"prediction": played.predictions, "loss": played.losses}
    if isinstance(played, PlayedIntervals):
        columns |= {"lower": played.lower, "upper": played.upper}
    if isinstance(played, PlayedClasses):
        told = played.probabilities.T
        columns |= {f"probability_{name}": column for name, column in zip(model.classes_, told, strict=True)}
    return _frame(columns, frame)


def _check(name: str, model: Any) -> None:
    """Refuses what cannot be played on rows, and says what can."""
    if isinstance(model, RowLearner):
        return
    word = isinstance(model, str | type)
    named = [one for one in learners.__all__ if word and model in (one, getattr(learners, one)._learner, getattr(learners, one))]
    example, what = [*named, "KernelAwv"][0], f"is {model!r}" if word else f"is a {type(model).__name__}"
    raise TypeError(
        f"{name} {what}, and must be an estimator of this package such as nk.{example}(); models of other libraries play beside them in"
        " the program, by `nk.serve`"
    )


def _candidates(classes: bool) -> dict[str, Any]:
    """Learners of different kinds, and baselines."""
    kernel: Kernel = Linear()
    if classes:
        return {
            "auto": AutoClassifier(),
            "kernel-awv": StreamClassifier(KernelAwv()),
            "pkawv-fourier": StreamClassifier(PkawvFourier()),
            "linear": StreamClassifier(KernelAwv(kernel=kernel)),
            "majority": StreamClassifier("majority", scaling="none"),
        }
    return {
        "auto": Auto(),
        "kernel-awv": KernelAwv(),
        "pkawv-taylor": PkawvTaylor(),
        "pkawv-fourier": PkawvFourier(),
        "linear": KernelAwv(kernel=kernel),
        "running-mean": RunningMean(scaling="none"),
        "last-value": LastValue(scaling="none"),
    }


def _alone(name: str, model: Any, X: ArrayLike, targets: NDArray[Any], progress: bool) -> tuple[float, float, Any]:
    """The mean loss of a copy of the model that starts anew, its processor time in seconds, and the copy."""
    one, before = clone(model), time.process_time()
    if progress:
        print(name, file=sys.stderr)
    played = one.play(X, targets, fresh=True, progress=progress)
    losses = played.losses
    if isinstance(one, OnlineClassifier):
        losses = (played.predictions > 0.0) != (targets == one.classes_[1])
    return float(losses.mean()), time.process_time() - before, one


def compare(X: ArrayLike, y: ArrayLike, models: Mapping[str, Any] | None = None, *, progress: bool = False) -> Any:
    """Plays several learners on the same rows in the same order, and returns who predicted best.

    All losses are of predictions that were made before the target was seen, so that nothing is tried out on later rows. The
    learners are copied first, and start anew.

    Parameters
    ----------
    X : array or frame of shape (rows, columns)
    y : array of shape (rows,)
        Numbers, or classes: words, truth values, whole numbers of at most 20 kinds.
    models : dict of estimators by name, optional
        All of one kind: of numbers, or of classes. None: `Auto` and learners of several kinds, with baselines.
    progress : bool
        Draws a bar for each, with tqdm.

    Returns
    -------
    DataFrame of polars where X is one, else of pandas
        One row for each learner, the lowest loss first: ``model``, ``mean_loss`` (squared error in squared units of the target; of classes,
        the part that was predicted wrongly), ``skill`` (1 - loss / loss of the running mean or of the majority,
        causal like the others; 0 is no better than that), ``seconds`` of processor time, and the ``estimator`` with what it learnt.

    Examples
    --------
    >>> import numpy as np
    >>> import noregret_kernels as nk
    >>> X = np.random.default_rng(0).uniform(-1, 1, (400, 1))
    >>> board = nk.compare(X, np.sin(3 * X[:, 0]))
    >>> list(board.columns), bool(board["skill"][0] > 0.9)
    (['model', 'mean_loss', 'skill', 'seconds', 'estimator'], True)
    """
    targets = _targets("y", y)
    if models is None:
        models = _candidates(_tells_classes(targets))
    if not isinstance(models, Mapping):
        raise TypeError(f"`models` is a {type(models).__name__}, and must be a dictionary of estimators by name: {{'mine': nk.Auto()}}")
    if not models:
        raise ValueError("there is no model to compare")
    for name, model in models.items():
        _check(f"`models[{name!r}]`", model)
    kinds = {not isinstance(model, OnlineRegressor) for model in models.values()}
    if len(kinds) > 1:
        raise ValueError("learners of numbers and of classes have losses that cannot be compared; give learners of one kind")
    rows = [(name, *_alone(name, model, X, targets, progress)) for name, model in models.items()]
    baseline: Any = StreamClassifier("majority", scaling="none") if kinds == {True} else RunningMean(scaling="none")
    reference = float(baseline.play(X, targets, fresh=True).losses.mean())
    rows.sort(key=lambda row: (not np.isfinite(row[1]), row[1]))
    names, means, seconds, ones = (list(column) for column in zip(*rows, strict=True))
    skill = [1.0 - loss / reference if reference > 0.0 else float("nan") for loss in means]
    board = {"model": names, "mean_loss": means, "skill": skill, "seconds": seconds, "estimator": ones}
    return _frame(board, X if type(X).__module__.startswith("polars") else None)
