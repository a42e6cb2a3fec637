"""What the generated estimators have in common."""

from __future__ import annotations

import os
import warnings
from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from noregret_kernels import _core
from noregret_kernels._parameters import of_learner, over_epochs, whole
from noregret_kernels._scores import POOR_SCORE

class Played(NamedTuple):
    """Progressive predictions and losses of a stream."""

    predictions: np.ndarray
    """One for each row, made before its target was seen."""
    losses: np.ndarray
    """The squared errors of these predictions."""


def seed_of(random_state):
    """The seed that scikit-learn's `random_state` stands for."""
    if isinstance(random_state, (int, np.integer)):
        return whole("random_state", random_state, 0)
    return int(check_random_state(random_state).randint(2**31))


class OnlineEstimator(BaseEstimator):
    """A learner that plays rounds: it predicts a row, sees its target, learns, and goes on.

    ``fit`` plays all rows once in the order in which they are given, ``partial_fit`` goes on with further rows, and ``play``
    also returns the predictions that were made on the way. ``predict`` teaches the learner nothing.
    """

    _learner: str
    _labels = False
    _nan = False
    _foresees = False

    def _parameters(self):
        """The arguments as the parameters of the learner."""
        given = self.get_params(deep=False)
        for name in ("horizon", "random_state", "scaling"):
            given.pop(name, None)
        return of_learner(given)

    def _start(self, dim, rows=None):
        """Forgets what was learnt."""
        horizon = rows if self.horizon is None else whole("horizon", self.horizon, 1)
        epochs = over_epochs(getattr(self, "scaling", "none"))
        self.learner_ = _core.Learner(
            self._learner, self._parameters(), dim, horizon, seed_of(self.random_state), epochs
        )

    def _check(self, X, y, *, reset):
        X, y = validate_data(self, X, y, reset=reset, y_numeric=not self._labels, **self._numbers())
        return X, self._targets(y, reset)

    def _numbers(self):
        return {"dtype": np.float64, "ensure_all_finite": "allow-nan" if self._nan else True}

    def _targets(self, y, reset):
        return np.asarray(y, dtype=np.float64)

    def _play(self, X, y):
        return Played(*self.learner_.play(X, y))

    def fit(self, X, y):
        """Forgets everything and plays all rows once, in their order; the horizon is their number, unless it was given."""
        self.play(X, y, fresh=True)
        return self

    @available_if(lambda self: not self._foresees)
    def partial_fit(self, X, y):
        """Plays further rows. Formulas in the number of rounds need the argument ``horizon``."""
        fresh = not self.__sklearn_is_fitted__()
        X, y = self._check(X, y, reset=fresh)
        if fresh:
            self._start(X.shape[1])
        self._play(X, y)
        return self

    def play(self, X, y, *, fresh=False):
        """Plays rows and returns the prediction for each, made before its target was seen, with its squared error.

        It goes on from what was learnt before; a learner that has learnt nothing yet, or is to be ``fresh``, starts with
        these rows as its horizon.
        """
        fresh = fresh or not self.__sklearn_is_fitted__()
        X, y = self._check(X, y, reset=fresh)
        if fresh:
            self._start(X.shape[1], len(X))
            if self.learner_.foresees:
                self.learner_.foresee(X)
        return self._play(X, y)

    def save(self, path, *, target="y", predict_only=False):
        """Saves the learner as `noregret stream --save` does, for `noregret predict` and `noregret_kernels.load`.

        Its columns are called as in the frame that it learned from, or x1, x2, ... With ``predict_only``, the file has only what
        predictions need, where that is less than what learning needs: what is loaded from it refuses to learn. This learner
        is as before.
        """
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", [f"x{column + 1}" for column in range(self.n_features_in_)])
        less = self.learner_.save(os.fspath(path), [str(name) for name in names], target, predict_only)
        if predict_only and not less:
            warnings.warn("predictions need all that was learnt: the model is the whole one", stacklevel=2)

    def _forecast(self, X):
        check_is_fitted(self)
        return self.learner_.predict(validate_data(self, X, reset=False, **self._numbers()))

    def __sklearn_is_fitted__(self):
        return hasattr(self, "learner_")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._nan
        return tags


class OnlineRegressor(RegressorMixin, OnlineEstimator):
    """A learner that predicts numbers."""

    def predict(self, X):
        """Predicts rows."""
        return self._forecast(X)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self._learner in POOR_SCORE
        return tags


class OnlineClassifier(ClassifierMixin, OnlineEstimator):
    """A learner of two classes, which it sees as -1 and 1; its forecasts are logits where its loss is logistic."""

    _labels = True
    loss = "logistic"

    def _targets(self, y, reset):
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
        if reset:
            self.classes_ = np.unique(y)
        if len(self.classes_) > 2 or not np.isin(y, self.classes_).all():
            kind = type_of_target(y, input_name="y")
            raise ValueError(
                f"Only binary classification is supported. The type of the target is {kind}, and y has"
                f" {len(np.union1d(self.classes_, y))} classes."
            )
        return np.where(y == self.classes_[-1], 1.0, -1.0)

    def partial_fit(self, X, y, classes=None):
        """Plays further rows. The first call needs both ``classes``, unless ``y`` has both."""
        if classes is not None and not self.__sklearn_is_fitted__():
            X, y = validate_data(self, X, y, reset=True, dtype=np.float64)
            check_classification_targets(y)
            known = np.unique(classes)
            if len(known) > 2 or not np.isin(y, known).all():
                raise ValueError(
                    f"Only binary classification is supported: `classes` has {len(known)} classes, and all of y must be"
                    " among them."
                )
            self._start(X.shape[1])
            self.classes_ = known
        return super().partial_fit(X, y)

    def decision_function(self, X):
        """The forecasts: positive for the second class."""
        return self._forecast(X)

    def predict(self, X):
        """The more likely class."""
        positive = self._forecast(X) > 0
        return self.classes_[np.where(positive, len(self.classes_) - 1, 0)]

    @available_if(lambda self: self.loss == "logistic")
    def predict_proba(self, X):
        """The probability of each class, where the loss is logistic."""
        positive = 0.5 * (1.0 + np.tanh(0.5 * self._forecast(X)))
        return np.column_stack([1.0 - positive, positive] if len(self.classes_) == 2 else [np.ones(len(positive))])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        # Learners are told labels -1 and 1.
        tags.classifier_tags.multi_class = False
        return tags


def play(learner, X, y):
    """Plays a whole stream: the prediction for each row, made before its target was seen, with its squared error.

    ``learner`` is an estimator of this package; it goes on from what it has learnt, and learns. A classifier's predictions
    are its forecasts of the labels -1 and 1.
    """
    return learner.play(X, y)
