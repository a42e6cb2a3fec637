"""Streams of classes: two or more, which may appear one after the other, with calibrated probabilities."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from noregret_kernels import _core
from noregret_kernels._base import seed_of
from noregret_kernels._parameters import of_learner, over_epochs, whole


class PlayedClasses(NamedTuple):
    """Progressive predictions of a stream of classes, each made before the class of its row was seen."""

    predictions: np.ndarray
    """Classes; None before any class was seen."""
    losses: np.ndarray
    """1 where another class was predicted, else 0."""
    probabilities: np.ndarray
    """One column for each of ``classes_``; NaN for a class that was not known yet."""


class StreamClassifier(ClassifierMixin, BaseEstimator):
    """Any learner as one of two or more classes, which may appear one after the other, with calibrated probabilities.

    Of two classes one learner tells a margin; of more, each class has a learner of its own. Probabilities are calibrated
    by an online logistic regression of the margins, which knows earlier rows only.

    Parameters
    ----------
    learner : str
        Its name, as in ``noregret list learners``; ``auto`` has nothing to set.
    parameters : dict, optional
        Its parameters, by their names there: ``{"lambda": 0.1}``.
    scaling : {"epochs", "none"}
        ``epochs`` scales inputs and labels causally, by the rows before the present epoch; ``auto`` always scales by itself.
    horizon : int, optional
        The n of formulas such as 1/sqrt(n).
    random_state : int, RandomState instance or None
        The seed of the learner's draws.
    """

    def __init__(self, learner="auto", parameters=None, *, scaling="epochs", horizon=None, random_state=0):
        self.learner = learner
        self.parameters = parameters
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state

    def _start(self, dim, classes):
        epochs = over_epochs(self.scaling)
        horizon = None if self.horizon is None else whole("horizon", self.horizon, 1)
        self.learner_ = _core.Learner(
            self.learner, of_learner(self.parameters or {}), dim, horizon, seed_of(self.random_state), epochs, len(classes)
        )
        # The classes by their numbers, which are in the order of appearance unless they were known beforehand.
        self._seen = list(classes)

    def _rows(self, X, y, reset):
        X, y = validate_data(self, X, y, reset=reset, dtype=np.float64)
        check_classification_targets(y)
        return X, column_or_1d(y, warn=True)

    def _numbers(self, y):
        numbers = {label: number for number, label in enumerate(self._seen)}
        for label in y.tolist():
            if label not in numbers:
                numbers[label] = len(self._seen)
                self._seen.append(label)
        self.classes_ = np.unique(np.asarray(self._seen))
        return np.array([numbers[label] for label in y.tolist()], dtype=np.float64)

    def _order(self):
        return np.argsort(np.asarray(self._seen), kind="stable")

    def fit(self, X, y):
        """Forgets everything and plays all rows once, in their order, with their classes known beforehand."""
        X, y = self._rows(X, y, True)
        self._start(X.shape[1], np.unique(y).tolist())
        self.learner_.play(X, self._numbers(y))
        return self

    def partial_fit(self, X, y, classes=None):
        """Plays further rows. ``classes`` of the first call are known beforehand; others may follow."""
        self.play(X, y, classes=classes)
        return self

    def play(self, X, y, *, classes=None, fresh=False):
        """Plays rows and returns what was predicted for each before its class was seen."""
        fresh = fresh or not self.__sklearn_is_fitted__()
        X, y = self._rows(X, y, fresh)
        if fresh:
            self._start(X.shape[1], [] if classes is None else np.unique(classes).tolist())
        predicted, losses = self.learner_.play(X, self._numbers(y))
        known = self.learner_.last_probabilities()
        probabilities = np.full((len(X), len(self._seen)), np.nan)
        probabilities[:, : known.shape[1]] = known
        words = np.array([*self._seen, None], dtype=object)
        return PlayedClasses(words[predicted.astype(int)], losses, probabilities[:, self._order()])

    def predict(self, X):
        """The class of each row."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray(self._seen)[self.learner_.predict(X).astype(int)]

    def predict_proba(self, X):
        """The probability of each class, in the order of ``classes_``."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self.learner_.probabilities(X)[:, self._order()]

    def __sklearn_is_fitted__(self):
        return hasattr(self, "learner_")
