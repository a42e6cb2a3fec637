"""Streams of classes: two or more, which may appear one after the other, with calibrated probabilities."""

from __future__ import annotations

from typing import Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from noregret_kernels import _core
from noregret_kernels._base import Callback, RowLearner, dense, not_only_zeros, seed_of
from noregret_kernels._frames import numbers_of, sorted_classes
from noregret_kernels._parameters import of_learner, of_value, over_epochs, whole
from noregret_kernels._rounds import room, start
from noregret_kernels._watch import Step, parts


class PlayedClasses(NamedTuple):
    """Progressive predictions of a stream of classes, each made before the class of its row was seen."""

    predictions: NDArray[Any]
    """Classes; None before any class was seen. Shape (rows,)."""
    losses: NDArray[np.float64]
    """1 where another class was predicted, else 0. Shape (rows,)."""
    probabilities: NDArray[np.float64]
    """One column for each of ``classes_``; NaN for a class that was not known yet. Shape (rows, classes)."""


class StreamClassifier(ClassifierMixin, RowLearner):
    """Any learner as one of two or more classes, which may appear one after the other, with calibrated probabilities.

    Of two classes one learner tells a margin; of more, each class has a learner of its own. Probabilities are calibrated
    by an online logistic regression of the margins, which knows earlier rows only.

    Parameters
    ----------
    learner : str or estimator, default 'auto'
        Its name, as in ``noregret list learners``, or a regressor of this package; ``auto`` has nothing to set.
    parameters : dict, optional
        The parameters of a learner that is given by its name, by their names there: ``{"lambda": 0.1}``.
    scaling : {"epochs", "none"}
        ``epochs`` scales inputs and labels causally, by the rows before the present epoch; ``auto`` always scales by itself.
    horizon : int, optional
        The n of formulas such as 1/sqrt(n); None: the number of rows of `fit`, else 256, which doubles as rounds go on.
    random_state : int, RandomState instance or None
        The seed of the learner's draws.

    Examples
    --------
    >>> import numpy as np
    >>> from noregret_kernels import StreamClassifier
    >>> kinds = np.random.default_rng(0).integers(0, 3, 300)
    >>> X = np.eye(3)[kinds] + 0.1 * np.random.default_rng(1).normal(size=(300, 3))
    >>> y = np.array(["oak", "pine", "birch"])[kinds]
    >>> model = StreamClassifier("kernel-awv")
    >>> played = model.play(X, y)
    >>> bool(played.losses[100:].mean() < 0.05), model.predict_proba(X).shape
    (True, (300, 3))
    """

    classes_: NDArray[Any]
    n_features_in_: int

    def __init__(
        self,
        learner: Any = "auto",
        parameters: dict[str, Any] | None = None,
        *,
        scaling: str = "epochs",
        horizon: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.learner = learner
        self.parameters = parameters
        self.scaling = scaling
        self.horizon = horizon
        self.random_state = random_state

    def _learner_and_parameters(self) -> tuple[str, dict[str, Any]]:
        if isinstance(self.learner, str):
            return self.learner, of_learner(self.parameters or {})
        if self.parameters:
            raise ValueError("`learner` is an estimator, which has its own parameters: leave `parameters` out")
        part = dict(of_value(self.learner))
        return part.pop("name"), part

    def _start(self, dim: int, classes: list[Any], rows: int | None = None) -> None:
        epochs, horizon = over_epochs(getattr(self, "scaling", "epochs")), whole("horizon", self.horizon, 1)
        name, parameters = self._learner_and_parameters()
        seed = seed_of(self.random_state)
        self.learner_, self._limit = start(
            name, parameters, dim, horizon, rows, seed=seed, epochs=epochs, classes=len(classes)
        )
        # The classes by their numbers, which are in the order of appearance unless they were known beforehand.
        self._seen = list(classes)
        self._remember()

    def _rows(self, X: ArrayLike, y: ArrayLike, reset: bool) -> tuple[NDArray[np.float64], NDArray[Any]]:
        if not reset:
            self._check_arguments()
        if y is not None:
            sorted_classes("y", y)
        with numbers_of(X) as rows:
            X, y = validate_data(self, rows, y, reset=reset, dtype=np.float64, accept_sparse="csr")
        check_classification_targets(y)
        return dense(X), cast("NDArray[Any]", column_or_1d(y, warn=True))

    def _numbered(
        self, dim: int, y: NDArray[Any], classes: ArrayLike | None, fresh: bool, rows: int | None
    ) -> NDArray[np.float64]:
        known = [] if classes is None else sorted_classes("classes", classes).tolist()
        if fresh:
            self._start(dim, known, rows)
        elif unknown := [label for label in known if label not in self._seen]:
            raise ValueError(
                f"`classes` has {unknown[0]!r}, which was not among the classes {self._seen} when learning began; give it then, or"
                " leave it to the first row that has it"
            )
        numbers = {label: number for number, label in enumerate(self._seen)}
        for label in y.tolist():
            numbers.setdefault(label, len(numbers))
        self._seen = list(numbers)
        self.classes_ = np.unique(np.asarray(self._seen))
        return np.array([numbers[label] for label in y.tolist()], dtype=np.float64)

    def _order(self) -> NDArray[np.intp]:
        return np.argsort(np.asarray(self._seen), kind="stable")

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forgets everything and plays all rows once, in their order, with their classes known beforehand."""
        not_only_zeros(sample_weight)
        classes = None if y is None else sorted_classes("y", y)
        self.play(X, y, classes=classes, fresh=True, sample_weight=sample_weight)
        return self

    def partial_fit(
        self, X: ArrayLike, y: ArrayLike, classes: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Plays further rows. ``classes`` of the first call are known beforehand; others may follow in the rows."""
        self._play(*self._begun(X, y, sample_weight, classes=classes))
        return self

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
    ) -> PlayedClasses:
        """Plays rows and returns what was predicted for each before its class was seen, with 0-1 losses.

        ``callback``, ``progress`` and ``sample_weight`` are those of `OnlineRegressor.play`.
        """
        X, numbers, weights = self._begun(X, y, sample_weight, classes=classes, fresh=fresh, whole=True)
        played = []
        for rows in parts(len(X), self.learner_.rounds, callback, progress):
            played.append(self._play(X[rows], numbers[rows], None if weights is None else weights[rows]))
            if callback is not None:
                callback(Step(self, self.learner_.rounds, played[-1].predictions, played[-1].losses))
        return PlayedClasses(*(np.concatenate(columns) for columns in zip(*played, strict=True)))

    def _play(
        self, X: NDArray[np.float64], numbers: NDArray[np.float64], weights: NDArray[np.float64] | None
    ) -> PlayedClasses:
        predicted, losses, told = [], [], []
        at = 0
        while at < len(X):
            self.learner_, self._limit, count = room(self.learner_, self._limit, len(X) - at)
            rows = slice(at, at + count)
            found = self.learner_.play(X[rows], numbers[rows], None if weights is None else weights[rows])
            known = self.learner_.last_probabilities()
            probabilities = np.full((count, len(self._seen)), np.nan)
            probabilities[:, : known.shape[1]] = known
            predicted.append(found[0])
            losses.append(found[1])
            told.append(probabilities[:, self._order()])
            at += count
        words = np.array([*self._seen, None], dtype=object)
        return PlayedClasses(words[np.concatenate(predicted).astype(int)], np.concatenate(losses), np.concatenate(told))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The most probable class of each row, shape (rows,), as scikit-learn asks; `play` and the program predict the class with
        the largest margin, from before calibration, which differs where two classes are about as probable."""
        best = self.predict_proba(X).argmax(axis=1)
        return cast("NDArray[Any]", self.classes_[best])

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """The probability of each class, in the order of ``classes_``; shape (rows, classes)."""
        check_is_fitted(self)
        with numbers_of(X) as rows:
            X = dense(validate_data(self, rows, reset=False, dtype=np.float64, accept_sparse="csr"))
        return self.learner_.probabilities(X)[:, self._order()]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class AutoClassifier(StreamClassifier):
    """`Auto` for two or more classes: nothing must be set, and nothing about the rows must be known beforehand.

    It is `StreamClassifier` with the learner ``auto``.

    Parameters
    ----------
    members : {"all", "plain", "linear"}
        Which members take part, as of `Auto`.
    words : dict or 'none'
        The columns that hold numbers of words, as of `Auto`.
    random_state : int, RandomState instance or None
        The seed of the learner's draws.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.utils import shuffle
    >>> from noregret_kernels import AutoClassifier
    >>> X, y = shuffle(*load_iris(return_X_y=True), random_state=0)
    >>> bool(AutoClassifier().fit(X, y).score(X, y) > 0.9)
    True
    """

    horizon = None

    def __init__(self, *, members: str = "all", words: Any = "none", random_state: Any = 0) -> None:
        self.members = members
        self.words = words
        self.random_state = random_state

    def _learner_and_parameters(self) -> tuple[str, dict[str, Any]]:
        return "auto", {"members": self.members, "words": self.words}
