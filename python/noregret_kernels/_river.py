"""What the generated estimators of `noregret_kernels.river` have in common."""

from __future__ import annotations

import inspect
import math
from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import pandas as pd
    from river import base
except ImportError as error:
    why = f"noregret_kernels.river needs river and pandas ({error}): pip install 'noregret-kernels[river]'"
    raise ImportError(why, name=error.name) from None

from noregret_kernels import _core
from noregret_kernels._arguments import OwnCopy
from noregret_kernels._base import as_before
from noregret_kernels._frames import numbers_of
from noregret_kernels._parameters import of_learner, of_part, over_epochs, whole
from noregret_kernels._rounds import room, start


class OnlineModel(OwnCopy):
    """A learner over dictionaries.

    Its columns are those of ``columns``, or else those of the first row or frame that it learns from, in the order of their
    names. Of later rows, other columns are ignored, and columns that are absent are 0. Before it knows its columns, every
    forecast is 0.
    """

    _learner: str
    _core: Any = None
    _limit: int | None = None
    columns: Sequence[Hashable] | None

    def _start(self, names: Iterable[Hashable]) -> None:
        """Builds the learner for the columns that are given, or these."""
        if isinstance(self.columns, str | bytes) or not isinstance(self.columns, Iterable | None):
            raise TypeError(f"`columns` is {self.columns!r}; give a list of names, [{self.columns!r}]")
        columns = list(sorted(names, key=str) if self.columns is None else self.columns)
        if twice := [name for at, name in enumerate(columns) if name in columns[:at]]:
            raise ValueError(f"the column {twice[0]!r} is there twice; give each column once, under a name of its own")
        if not columns:
            raise ValueError("there are no columns: learn from a row that has some first, or name them all by `columns`")
        self._columns = columns
        given = self._given()
        epochs = over_epochs(given.pop("scaling", "none"))
        horizon, seed = whole("horizon", given.pop("horizon"), 1), whole("seed", given.pop("seed"), 0)
        del given["columns"]
        self._core, self._limit = start(
            self._learner, of_learner(given), len(columns), horizon, None, seed=seed, epochs=epochs
        )

    def _given(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}

    def _as_part(self) -> dict[str, Any]:
        outer = {"horizon": None, "seed": 0, "scaling": "epochs", "columns": None}
        return {**of_part(type(self).__name__, self._given(), outer), "name": self._learner}

    def _started(self) -> bool:
        return self._core is not None

    def _frame(self, X: Any) -> NDArray[np.float64]:
        present = [name for name in self._columns if name in X.columns]
        with numbers_of(X[present]) as rows:
            numbers: NDArray[np.float64] = rows.reindex(columns=self._columns, fill_value=0.0).to_numpy(dtype=np.float64)
            return numbers

    def _row(self, x: dict[Any, Any]) -> NDArray[np.float64]:
        row = {name: x.get(name, 0.0) for name in self._columns}
        for name, value in row.items():
            if isinstance(value, str) or not hasattr(value, "__float__"):
                raise TypeError(f"x has {value!r} in column {name}; inputs are numbers")
        return np.array([list(row.values())], dtype=np.float64)

    def _learn_one(self, x: dict[Any, Any], target: float, w: float) -> None:
        if not self._started():
            # A first row that is refused fixes no columns.
            with as_before(self):
                self._start(x)
                try:
                    self._core.check(self._row(x), np.array([target], dtype=np.float64), np.array([w], dtype=np.float64))
                except ValueError:
                    # Refuses the row, too, and names the column.
                    self._core.learn_one(x, self._columns, target, w)
                    return
        if self._limit is not None:
            self._core, self._limit, _ = room(self._core, self._limit, 1)
        self._core.learn_one(x, self._columns, target, w)

    def _learn_many(self, X: Any, targets: NDArray[np.float64], w: Any) -> None:
        if len(X) != len(targets):
            raise ValueError(f"X has {len(X)} rows and y has {len(targets)}")
        with as_before(self):
            if not self._started():
                self._start(X.columns)
            rows, weights, at = self._frame(X), np.array(np.broadcast_to(w, len(X)), dtype=np.float64), 0
            self._core.check(rows, targets, weights)
        while at < len(rows):
            self._core, self._limit, count = room(self._core, self._limit, len(rows) - at)
            part = slice(at, at + count)
            self._core.play(rows[part], targets[part], weights[part])
            at += count

    def _forecast(self, x: dict[Any, Any]) -> float:
        if self._core is None:
            if self.columns is None:
                return 0.0
            self._start(x)
        return float(self._core.predict_one(x, self._columns))

    def _forecasts(self, X: Any) -> NDArray[np.float64]:
        if not self._started() and self.columns is not None:
            self._start(X.columns)
        return self._core.predict(self._frame(X)) if self._started() else np.zeros(len(X))

    @property
    def _raw_memory_usage(self) -> int:
        # River counts what Python holds; the learner's numbers lie outside of that.
        numbers = self._core.gauges().get("state_bytes", 0.0) if self._started() else 0.0
        return int(super()._raw_memory_usage) + int(numbers)  # type: ignore[misc]


class OnlineRegressor(OnlineModel, base.MiniBatchRegressor):  # type: ignore[misc, unused-ignore]
    """A learner that predicts numbers."""

    def learn_one(self, x: dict[Any, Any], y: float, w: float = 1.0) -> None:
        """Plays a round: predicts `y`, then learns from it, as much as the weight `w` says: 2 is the row twice."""
        self._learn_one(x, y, w)

    def predict_one(self, x: dict[Any, Any]) -> float:
        """The prediction for a row, in units of the target; it teaches the learner nothing."""
        return self._forecast(x)

    def learn_many(self, X: pd.DataFrame, y: pd.Series, w: float | pd.Series = 1.0) -> None:
        """Plays one round for each row, with the weight of each."""
        self._learn_many(X, np.asarray(y, dtype=np.float64), w)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Predictions for rows; they teach the learner nothing."""
        return pd.Series(self._forecasts(X), index=X.index)


class IntervalRegressor(OnlineRegressor):
    """A learner that also gives intervals, which contain the part of all targets that is asked for."""

    def predict_interval_one(self, x: dict[Any, Any]) -> tuple[float, float]:
        """The ends of the interval for the target of a row, in units of the target, as if it came next.

        They are infinite where the interval has no end, as before anything is learnt, and NaN where it contains nothing.
        """
        if not self._started():
            return -math.inf, math.inf
        row = self._row(x)
        ends = self._core.predict_interval(row)
        assert ends is not None, "the classes with this base give intervals"
        return float(ends[0][0]), float(ends[1][0])


class DistributionRegressor(OnlineRegressor):
    """A learner over a ridge regression, which knows how far targets may be off; see the class of this name for scikit-learn."""

    def predict_distribution_one(self, x: dict[Any, Any], noise_std: float | None = None) -> tuple[float, float]:
        """Mean and standard deviation of the target of a row, in units of the target, as if it came next.

        The noise is learnt, unless its standard deviation is given. The deviation is infinite where nothing is known, as before
        anything is learnt.
        """
        if not self._started():
            return 0.0, math.inf
        row = self._row(x)
        known = _core.predictive(self._core, row, np.zeros(0), noise_std)
        assert known is not None, "the classes with this base give distributions"
        return float(known[0][0]), float(known[1][0])


class OnlineClassifier(OnlineModel, base.MiniBatchClassifier):  # type: ignore[misc, unused-ignore]
    """A learner of the labels False and True. Where its loss is logistic, its forecasts are logits."""

    loss = "logistic"

    @staticmethod
    def _label(y: Any) -> float:
        if y not in (False, True):
            raise ValueError(f"y is {y!r}; labels are False and True")
        return 1.0 if y else -1.0

    def learn_one(self, x: dict[Any, Any], y: Any, w: float = 1.0) -> None:
        """Plays a round: forecasts `y`, then learns from it, as often as the weight `w` says."""
        self._learn_one(x, self._label(y), w)

    def learn_many(self, X: pd.DataFrame, y: pd.Series, w: float | pd.Series = 1.0) -> None:
        """Plays one round for each row, with the weight of each."""
        self._learn_many(X, np.array([self._label(one) for one in y]), w)

    def predict_one(self, x: dict[Any, Any], **kwargs: Any) -> bool:
        """The more likely label."""
        return self._forecast(x) > 0

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """The more likely label of each row."""
        return pd.Series(self._forecasts(X) > 0, index=X.index)

    def predict_proba_one(self, x: dict[Any, Any], **kwargs: Any) -> dict[Any, float]:
        """The probability of each label, where the loss is logistic."""
        self._check_logistic()
        positive = 0.5 * (1.0 + math.tanh(0.5 * self._forecast(x)))
        return {False: 1.0 - positive, True: positive}

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """The probability of each label in each row, where the loss is logistic."""
        self._check_logistic()
        positive = 0.5 * (1.0 + np.tanh(0.5 * self._forecasts(X)))
        return pd.DataFrame({False: 1.0 - positive, True: positive}, index=X.index)

    def _check_logistic(self) -> None:
        if self.loss != "logistic":
            raise NotImplementedError(f"the loss {self.loss} gives no probabilities")
