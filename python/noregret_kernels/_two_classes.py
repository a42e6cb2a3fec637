"""Learners of two classes."""

from __future__ import annotations

from typing import Any, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d

from noregret_kernels._base import Callback, OnlineEstimator, Played, available, not_only_zeros
from noregret_kernels._frames import sorted_classes


class OnlineClassifier(ClassifierMixin, OnlineEstimator):
    """A learner of two classes, which it sees as -1 and 1; its forecasts are logits where its loss is logistic.

    >>> import numpy as np
    >>> from noregret_kernels import AioliFourierClassifier
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> model = AioliFourierClassifier().fit(X, y)
    >>> model.predict([[1.0, 1.0]])[0], model.predict_proba([[1.0, 1.0]]).shape
    (np.str_('same'), (1, 2))
    """

    _labels = True
    loss = "logistic"
    classes_: NDArray[Any]

    def _signs(self, y: ArrayLike, classes: ArrayLike | None, reset: bool) -> NDArray[np.float64]:
        """Labels -1 and 1 for the two classes, which are fixed at the start."""
        check_classification_targets(y)
        y = column_or_1d(y, warn=True)
        found = np.unique(y)
        known = found if classes is None else sorted_classes("classes", classes)
        if reset:
            if classes is None and len(found) == 1:
                raise ValueError(
                    f"y has one class only, {found[0]!r}, and the other class is not known: give `classes` to `partial_fit` or `play`"
                )
            if len(known) != 2:
                kind = type_of_target(y, input_name="y")
                raise ValueError(
                    f"Only binary classification is supported. The type of the target is {kind}, and there are {len(known)} classes."
                    " StreamClassifier plays more classes"
                )
        elif classes is not None and not np.array_equal(known, self.classes_):
            raise ValueError(f"`classes` are {known.tolist()}, and were {self.classes_.tolist()} when learning began")
        either = known if reset else self.classes_
        if strange := set(found.tolist()) - set(either.tolist()):
            raise ValueError(f"y has the class {sorted(strange, key=str)[0]!r}; the classes are {either.tolist()}")
        self.classes_ = either
        return np.where(y == either[1], 1.0, -1.0)

    def _losses(self, forecasts: NDArray[np.float64], signs: NDArray[np.float64]) -> NDArray[np.float64]:
        """The loss that is learnt from, at the labels -1 and 1."""
        if self.loss == "logistic":
            return cast("NDArray[np.float64]", np.logaddexp(0.0, -signs * forecasts))
        if self.loss == "hinge":
            return np.maximum(0.0, 1.0 - signs * forecasts)
        above = forecasts - signs
        tau = getattr(self, "tau", 0.5) if self.loss == "pinball" else None
        return np.abs(above) if tau is None else np.maximum((1.0 - tau) * above, -tau * above)

    def _play_part(self, *rows: Any) -> Played:
        forecasts, _ = self.learner_.play(*rows)
        return Played(forecasts, self._losses(forecasts, rows[1]))

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forgets everything and plays all rows once, in their order; y has both classes. For ``sample_weight`` see `play`."""
        not_only_zeros(sample_weight)
        self.play(X, y, fresh=True, sample_weight=sample_weight)
        return self

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Plays further rows. The first call needs both ``classes``, unless ``y`` has both; later ones may repeat them."""
        self._play(*self._begun(X, y, sample_weight, classes=classes))
        return self

    def _numbered(
        self, dim: int, y: NDArray[Any], classes: ArrayLike | None, fresh: bool, rows: int | None
    ) -> NDArray[np.float64]:
        signs = self._signs(y, classes, fresh)
        if fresh:
            self._start(dim, rows)
        return signs

    def play(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        classes: ArrayLike | None = None,
        fresh: bool = False,
        callback: Callback | None = None,
        progress: bool = False,
        sample_weight: ArrayLike | None = None,
    ) -> Played:
        """Plays rows and returns the forecast for each, positive for the second class, made before its class was seen.

        Losses are those that the learner learns from: log(1 + exp(-y f)) in nats at the label y = -1 or 1 and the forecast f where
        the loss is logistic. A row is learnt as often as the whole number that is its ``sample_weight`` says. Otherwise as
        `OnlineRegressor.play`.
        """
        rows = self._begun(X, y, sample_weight, classes=classes, fresh=fresh, whole=True)
        return cast(Played, self._watched(*rows, callback, progress))

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """The forecasts, positive for the second class; logits where the loss is logistic. Shape (rows,)."""
        return self._forecast(X)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The more likely class of each row, shape (rows,)."""
        second = (self._forecast(X) > 0).astype(int)
        return cast("NDArray[Any]", self.classes_[second])

    @available(lambda self: self.loss == "logistic")
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The probability of each class, where the loss is logistic; shape (rows, 2), in the order of ``classes_``."""
        positive = 0.5 * (1.0 + np.tanh(0.5 * self._forecast(X)))
        return np.column_stack([1.0 - positive, positive])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Learners are told labels -1 and 1.
        tags.classifier_tags.multi_class = False
        return tags
