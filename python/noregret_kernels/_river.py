"""What the generated estimators of `noregret_kernels.river` have in common."""

from __future__ import annotations

import inspect
import math

import numpy as np
import pandas as pd
from river import base

from noregret_kernels import _core
from noregret_kernels._parameters import of_learner, over_epochs, whole


class OnlineModel:
    """A learner over dictionaries.

    Its columns are those of ``columns``, or else those of the first row or frame that it learns from, in the order of their
    names. Of later rows, other columns are ignored, and columns that are absent are 0. Before it knows its columns, every
    forecast is 0.
    """

    _learner: str

    def _start(self, names):
        """Builds the learner for the columns that are given, or these."""
        self._columns = list(sorted(names, key=str) if self.columns is None else self.columns)
        given = {name: getattr(self, name) for name in inspect.signature(type(self)).parameters}
        epochs = over_epochs(given.pop("scaling", "none"))
        horizon, seed = whole("horizon", given.pop("horizon"), 1), whole("seed", given.pop("seed"), 0)
        del given["columns"]
        self._core = _core.Learner(self._learner, of_learner(given), len(self._columns), horizon, seed, epochs)

    def _started(self):
        return hasattr(self, "_core")

    def _frame(self, X):
        present = [name for name in self._columns if name in X.columns]
        return X[present].reindex(columns=self._columns, fill_value=0.0).to_numpy(dtype=np.float64)

    def _learn(self, x, target):
        if not self._started():
            self._start(x)
        self._core.learn_one(x, self._columns, target)

    def _learn_many(self, X, targets):
        if not self._started():
            self._start(X.columns)
        self._core.play(self._frame(X), targets)

    def _forecast(self, x):
        if not self._started() and self.columns is not None:
            self._start(x)
        return self._core.predict_one(x, self._columns) if self._started() else 0.0

    def _forecasts(self, X):
        if not self._started() and self.columns is not None:
            self._start(X.columns)
        return self._core.predict(self._frame(X)) if self._started() else np.zeros(len(X))

    @property
    def _raw_memory_usage(self):
        # River counts what Python holds; the learner's numbers lie outside of that.
        numbers = self._core.gauges().get("state_bytes", 0.0) if self._started() else 0.0
        return super()._raw_memory_usage + int(numbers)


class OnlineRegressor(OnlineModel, base.MiniBatchRegressor):
    """A learner that predicts numbers."""

    def learn_one(self, x, y):
        """Plays a round: predicts `y`, then learns from it."""
        self._learn(x, float(y))

    def predict_one(self, x):
        """Predicts without learning."""
        return self._forecast(x)

    def learn_many(self, X, y):
        """Plays one round for each row."""
        self._learn_many(X, np.asarray(y, dtype=np.float64))

    def predict_many(self, X):
        """Predicts rows without learning."""
        return pd.Series(self._forecasts(X), index=X.index)


class OnlineClassifier(OnlineModel, base.MiniBatchClassifier):
    """A learner of the labels False and True. Where its loss is logistic, its forecasts are logits."""

    loss = "logistic"

    @staticmethod
    def _label(y):
        if y not in (False, True):
            raise ValueError(f"y is {y!r}; labels are False and True")
        return 1.0 if y else -1.0

    def learn_one(self, x, y):
        """Plays a round: forecasts `y`, then learns from it."""
        self._learn(x, self._label(y))

    def learn_many(self, X, y):
        """Plays one round for each row."""
        self._learn_many(X, np.array([self._label(one) for one in y]))

    def predict_one(self, x):
        """The more likely label."""
        return self._forecast(x) > 0

    def predict_many(self, X):
        """The more likely label of each row."""
        return pd.Series(self._forecasts(X) > 0, index=X.index)

    def predict_proba_one(self, x):
        """The probability of each label, where the loss is logistic."""
        self._check_logistic()
        positive = 0.5 * (1.0 + math.tanh(0.5 * self._forecast(x)))
        return {False: 1.0 - positive, True: positive}

    def predict_proba_many(self, X):
        """The probability of each label in each row, where the loss is logistic."""
        self._check_logistic()
        positive = 0.5 * (1.0 + np.tanh(0.5 * self._forecasts(X)))
        return pd.DataFrame({False: 1.0 - positive, True: positive}, index=X.index)

    def _check_logistic(self):
        if self.loss != "logistic":
            raise NotImplementedError(f"the loss {self.loss} gives no probabilities")
