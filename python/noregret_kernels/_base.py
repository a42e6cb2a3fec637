"""What the generated estimators have in common."""

from __future__ import annotations

import json
import numbers
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, validate_data

from noregret_kernels import _core
from noregret_kernels._arguments import FixedArguments
from noregret_kernels._frames import numbers_of, refuse_dates, sorted_classes
from noregret_kernels._parameters import of_learner, of_part, over_epochs, whole
from noregret_kernels._rounds import room, start
from noregret_kernels._scores import POOR_SCORE
from noregret_kernels._watch import Step, parts

if TYPE_CHECKING:
    from noregret_kernels._two_classes import OnlineClassifier

Method = TypeVar("Method", bound=Callable[..., Any])
Callback = Callable[[Step], object]


class Played(NamedTuple):
    """Progressive predictions and losses of a stream, one of each for every row."""

    predictions: NDArray[np.float64]
    """Made before the target of the row was seen, in units of the target; a classifier's are its forecasts. Shape (rows,)."""
    losses: NDArray[np.float64]
    """Squared errors in squared units of the target; of classifiers, the loss that they learn from. Shape (rows,)."""


class PlayedIntervals(Played):
    """The same with intervals, each given before the target of its row was seen. Unpacking gives predictions and losses."""

    lower: NDArray[np.float64]
    """Lower ends, in units of the target: -inf where the interval has none, NaN where it contains nothing. Shape (rows,)."""
    upper: NDArray[np.float64]
    """Upper ends: inf where the interval has none. Shape (rows,)."""

    def __new__(cls, predictions: Any, losses: Any, lower: Any, upper: Any) -> PlayedIntervals:
        self = super().__new__(cls, predictions, losses)
        self.lower, self.upper = lower, upper
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.predictions, self.losses, self.lower, self.upper)


def seed_of(random_state: Any) -> int:
    """The seed that scikit-learn's `random_state` stands for."""
    if isinstance(random_state, (int, np.integer)):
        return cast(int, whole("random_state", random_state, 0))
    return int(check_random_state(random_state).randint(2**31))


def weights_of(sample_weight: ArrayLike | None, X: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Weights of rows, of which the learner says what is wrong with their values; None where all are 1."""
    if sample_weight is None:
        return None
    given = np.full(len(X), sample_weight) if isinstance(sample_weight, numbers.Number) else sample_weight
    weights = check_array(given, ensure_2d=False, dtype=np.float64, order="C", input_name="sample_weight")
    if weights.shape != (len(X),):
        raise ValueError(f"sample_weight has the shape {weights.shape}, and must have ({len(X)},): a weight for each row of X")
    return weights


def not_only_zeros(sample_weight: ArrayLike | None) -> None:
    """Refuses to begin anew with rows of which none counts. Among rows that go on, those of one call may all have weight 0."""
    if sample_weight is not None and not np.any(np.asarray(sample_weight)):
        raise ValueError("the sample weights of `fit` are all zero; at least one row must count")


def dense(X: Any) -> NDArray[np.float64]:
    """Rows that may be a sparse matrix, which learners see as numbers one by one."""
    return cast("NDArray[np.float64]", X.toarray() if issparse(X) else X)


@contextmanager
def as_before(estimator: Any) -> Iterator[None]:
    """What is refused in here changes nothing of the estimator."""
    before = dict(vars(estimator))
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def available(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """scikit-learn's `available_if`, which leaves the type of a method as it is."""
    return cast(Callable[[Method], Method], available_if(check))


class RowLearner(FixedArguments):
    """What estimators over one learner share: rows are checked, all of them, before any is learnt."""

    learner_: _core.Learner

    def _rows(self, X: ArrayLike, y: ArrayLike, reset: bool) -> tuple[NDArray[np.float64], NDArray[Any]]:
        """The rows and targets as numbers and labels; with ``reset``, the columns are those of these rows from now on."""
        raise NotImplementedError

    def _numbered(
        self, dim: int, y: NDArray[Any], classes: ArrayLike | None, fresh: bool, rows: int | None
    ) -> NDArray[np.float64]:
        """The targets as the learner sees them, which begins if it is to be ``fresh``, with so many rows where their number is known."""
        raise NotImplementedError

    def _begun(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        *,
        classes: ArrayLike | None = None,
        fresh: bool = False,
        whole: bool = False,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None]:
        """Rows, targets and weights, for a learner that has begun; with ``whole`` they are the whole stream."""
        with as_before(self):
            fresh = fresh or not self.__sklearn_is_fitted__()
            X, y = self._rows(X, y, fresh)
            weights = weights_of(sample_weight, X)
            targets = self._numbered(X.shape[1], y, classes, fresh, len(X) if whole else None)
            self.learner_.check(X, targets, weights)
            if fresh and whole and self.learner_.foresees:
                self.learner_.foresee(X)
        return X, targets, weights

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "learner_")


class OnlineEstimator(RowLearner):
    """A learner that plays rounds: it predicts a row, sees its target, learns, and goes on.

    ``fit`` plays all rows once in the order in which they are given, ``partial_fit`` goes on with further rows, and ``play``
    also returns the predictions that were made on the way. ``predict`` teaches the learner nothing.

    X has the shape (rows, columns), y the shape (rows,), and predictions are in units of y.

    >>> import numpy as np
    >>> from noregret_kernels import KernelRidge
    >>> X = np.linspace(-2, 2, 200).reshape(-1, 1)
    >>> y = 100 * np.sin(2 * X[:, 0])
    >>> model = KernelRidge(lam=0.01).fit(X, y)
    >>> bool(abs(model.predict([[0.5]])[0] - 100 * np.sin(1)) < 1)
    True
    """

    _learner: str
    _labels = False
    _nan = False
    _foresees = False
    n_features_in_: int
    horizon: int | None

    def _start(self, dim: int, rows: int | None = None) -> None:
        """Forgets what was learnt."""
        given = self.get_params(deep=False)
        horizon, seed = whole("horizon", given.pop("horizon"), 1), seed_of(given.pop("random_state"))
        epochs = over_epochs(given.pop("scaling", "none"))
        self.learner_, self._limit = start(
            self._learner, of_learner(given), dim, horizon, rows, seed=seed, epochs=epochs
        )
        self._remember()

    def _as_part(self) -> dict[str, Any]:
        outer = {"horizon": None, "random_state": 0, "scaling": "epochs"}
        return {**of_part(type(self).__name__, self.get_params(deep=False), outer), "name": self._learner}

    def _rows(self, X: ArrayLike, y: ArrayLike, reset: bool) -> tuple[NDArray[np.float64], NDArray[Any]]:
        if not reset:
            self._check_arguments()
        refuse_dates(y)
        if self._labels and y is not None:
            sorted_classes("y", y)
        with numbers_of(X) as rows:
            X, y = cast(Any, validate_data(self, rows, y, reset=reset, y_numeric=not self._labels, **self._numbers()))
        return dense(X), np.asarray(y)

    def _numbers(self) -> dict[str, Any]:
        return {"dtype": np.float64, "ensure_all_finite": "allow-nan" if self._nan else True, "accept_sparse": "csr"}

    def _inputs(self, X: ArrayLike) -> NDArray[np.float64]:
        """Rows that teach nothing."""
        check_is_fitted(self)
        with numbers_of(X) as rows:
            return dense(validate_data(self, rows, reset=False, **self._numbers()))

    def _play(self, *rows: NDArray[np.float64] | None) -> Played:
        """Plays rows, X, y and weights, in as many parts as the n of formulas has values meanwhile."""
        played, at, count = [], 0, len(cast("NDArray[np.float64]", rows[0]))
        while at < count:
            self.learner_, self._limit, most = room(self.learner_, self._limit, count - at)
            played.append(self._play_part(*(None if one is None else one[at : at + most] for one in rows)))
            at += most
        return self._joined(played)

    def _play_part(self, *rows: Any) -> Played:
        return Played(*self.learner_.play(*rows))

    def _joined(self, played: list[Any]) -> Any:
        """What was played in parts, as one."""
        if len(played) == 1:
            return played[0]
        first = played[0]
        names = ("predictions", "losses", "lower", "upper")[: 4 if isinstance(first, PlayedIntervals) else 2]
        return type(first)(*(np.concatenate([getattr(one, name) for one in played]) for name in names))

    def _watched(
        self,
        X: NDArray[np.float64],
        y: NDArray[np.float64],
        weights: NDArray[np.float64] | None,
        callback: Callback | None,
        progress: bool,
    ) -> Any:
        played = []
        for rows in parts(len(X), self.learner_.rounds, callback, progress):
            part = self._play(X[rows], y[rows], None if weights is None else weights[rows])
            if callback is not None:
                callback(Step(self, self.learner_.rounds, part.predictions, part.losses))
            played.append(part)
        return self._joined(played)

    def save(self, path: str | os.PathLike[str], *, target: str = "y", predict_only: bool = False) -> None:
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

    @property
    def weights_(self) -> NDArray[np.float64]:
        """The weights of the first ten forecasts of a mixture in its last round, of sum 1 where it has no more; shape (forecasts,).

        An AttributeError of learners that are no mixtures.
        """
        check_is_fitted(self)
        weights = self.learner_.weights()
        if len(weights) == 0:
            raise AttributeError(f"{type(self).__name__} has no weights: it is no mixture, or has not played")
        return weights

    @property
    def parameters_(self) -> dict[str, Any]:
        """The parameters that the learner was built with, by their names in the program, each with its value: what was called
        "scale" is a number here, which `noregret stream --set bandwidth=...` takes."""
        check_is_fitted(self)
        return cast("dict[str, Any]", json.loads(self.learner_.parameters))

    def _forecast(self, X: ArrayLike) -> NDArray[np.float64]:
        rows = self._inputs(X)
        return self.learner_.predict(rows)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._nan
        tags.input_tags.sparse = True
        return tags


class OnlineRegressor(RegressorMixin, OnlineEstimator):
    """A learner that predicts numbers."""

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Forgets everything and plays all rows once, in their order; the horizon is their number, unless it was given. For
        ``sample_weight`` see `play`."""
        not_only_zeros(sample_weight)
        self.play(X, y, fresh=True, sample_weight=sample_weight)
        return self

    @available(lambda self: not self._foresees)
    def partial_fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Plays further rows. A horizon that is not given is 256 rounds and doubles whenever so many were played. For
        ``sample_weight`` see `play`."""
        self._play(*self._begun(X, y, sample_weight))
        return self

    def _numbered(
        self, dim: int, y: NDArray[Any], classes: ArrayLike | None, fresh: bool, rows: int | None
    ) -> NDArray[np.float64]:
        if fresh:
            self._start(dim, rows)
        return np.asarray(y, dtype=np.float64)

    def play(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        fresh: bool = False,
        callback: Callback | None = None,
        progress: bool = False,
        sample_weight: ArrayLike | None = None,
    ) -> Played:
        """Plays rows and returns the prediction for each, made before its target was seen, with its squared error.

        It goes on from what was learnt before; a learner that has learnt nothing yet, or is to be ``fresh``, starts with
        these rows as its horizon. ``callback`` is called with a `Step` after every 1,024 rounds and at the end; ``progress``
        draws a bar with tqdm. ``sample_weight``, numbers >= 0 of shape (rows,), says how much rows count in what is learnt: 2 is
        the row twice. Ridge regressions, forecasters of Azoury, Vovk and Warmuth and `RunningMean` take any. Others take whole
        numbers, and learn a row that often. Scales and losses count each row once.

        >>> import numpy as np
        >>> from noregret_kernels import KernelAwv
        >>> X = np.random.default_rng(0).uniform(-1, 1, (500, 1))
        >>> played = KernelAwv(lam=0.1).play(X, X[:, 0] ** 2)
        >>> played.predictions.shape, float(played.predictions[0]), bool(played.losses[-100:].mean() < 0.001)
        ((500,), 0.0, True)
        """
        rows = self._begun(X, y, sample_weight, fresh=fresh, whole=True)
        return cast(Played, self._watched(*rows, callback, progress))

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """The predictions for rows, in units of the target, shape (rows,). They teach the learner nothing."""
        return self._forecast(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = self._learner in POOR_SCORE
        return tags


class IntervalRegressor(OnlineRegressor):
    """A learner that also gives intervals, which contain the part of all targets that is asked for.

    >>> import numpy as np
    >>> from noregret_kernels import Intervals
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(2000, 1))
    >>> y = X[:, 0] + rng.normal(size=2000)
    >>> model = Intervals(alpha=0.2)
    >>> played = model.play(X, y)
    >>> inside = (played.lower <= y) & (y <= played.upper)
    >>> bool(abs(inside.mean() - 0.8) < 0.02)
    True
    >>> lower, upper = model.predict_interval([[0.0]])
    >>> bool(lower[0] < 0 < upper[0])
    True
    """

    def _play_part(self, *rows: Any) -> Played:
        predictions, losses = self.learner_.play(*rows)
        return PlayedIntervals(predictions, losses, *(self.learner_.last_intervals() or ()))

    def play(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        fresh: bool = False,
        callback: Callback | None = None,
        progress: bool = False,
        sample_weight: ArrayLike | None = None,
    ) -> PlayedIntervals:
        """As `OnlineRegressor.play`, with the interval for each target, given before it was seen: ``lower`` and ``upper``."""
        played = super().play(X, y, fresh=fresh, callback=callback, progress=progress, sample_weight=sample_weight)
        return cast(PlayedIntervals, played)

    def predict_interval(self, X: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper ends of the intervals for the targets of rows, in units of the target, each of shape (rows,).

        Each is that of the coming round, as if its row came next. An end is infinite where the interval has none, and both are NaN
        where it contains nothing. The learner learns nothing.
        """
        rows = self._inputs(X)
        return cast("tuple[NDArray[np.float64], NDArray[np.float64]]", self.learner_.predict_interval(rows))


class Distribution(NamedTuple):
    """What is known of targets before they are seen, one of each for every row."""

    mean: NDArray[np.float64]
    """Means, in units of the target; shape (rows,)."""
    std: NDArray[np.float64]
    """Standard deviations, those of the noise included; infinite where nothing is known. Shape (rows,)."""


class DistributionRegressor(OnlineRegressor):
    """A learner over a ridge regression, which is the mean of a Gaussian process: it knows how far targets may be off.

    What it says is right where its model is, a function of the kernel's space plus Gaussian noise. Intervals that keep their
    share of targets in any case are those of `Intervals`. The noise is learnt (then the distribution is Student's, and its deviation
    infinite before two targets are known), or has the standard deviation ``noise_std`` in units of the target.

    >>> import numpy as np
    >>> from noregret_kernels import KernelRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-1, 1, (500, 1))
    >>> y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=500)
    >>> model = KernelRidge(lam=0.1).fit(X, y)
    >>> mean, std = model.predict([[0.0], [5.0]], return_std=True)
    >>> bool(0.08 < std[0] < 0.12), bool(std[1] > 2 * std[0])
    (True, True)
    """

    def predict(self, X: ArrayLike, return_std: bool = False, noise_std: float | None = None) -> Any:
        """The predictions for rows, in units of the target, shape (rows,); with ``return_std``, also the standard deviations of the
        targets around them. They teach the learner nothing.

        The forecasts of Azoury, Vovk and Warmuth are shrunk, and no means: their `distribution` is that of ridge regression.
        """
        if not return_std:
            return super().predict(X)
        if "awv" in self._learner:
            raise ValueError(
                f"the forecasts of {type(self).__name__} are no means of a distribution; `distribution(X)` gives that of ridge"
                " regression over the same rows"
            )
        return tuple(self.distribution(X, noise_std))

    def distribution(self, X: ArrayLike, noise_std: float | None = None) -> Distribution:
        """What is known of the targets of rows, as if each came next."""
        return Distribution(*self._known(X, np.zeros(0), noise_std)[:2])

    def log_density(self, X: ArrayLike, y: ArrayLike, noise_std: float | None = None) -> NDArray[np.float64]:
        """ln of the density that the targets ``y`` of rows have, as if each came next; shape (rows,)."""
        targets = np.asarray(y, dtype=np.float64)
        check_consistent_length(X, targets)
        return self._known(X, targets, noise_std)[2]

    def last_distribution(self, y: ArrayLike, noise_std: float | None = None) -> tuple[Distribution, NDArray[np.float64]]:
        """What was known of the targets ``y`` of the rows that were played last, each before it was seen, and ln of its density.

        >>> import numpy as np
        >>> from noregret_kernels import PkrrTaylor
        >>> X = np.linspace(-1, 1, 200).reshape(-1, 1)
        >>> y = X[:, 0] ** 2
        >>> model = PkrrTaylor()
        >>> played = model.play(X, y)
        >>> known, densities = model.last_distribution(y)
        >>> bool(np.allclose(known.mean, played.predictions)), densities.shape
        (True, (200,))
        """
        check_is_fitted(self)
        targets = np.asarray(y, dtype=np.float64)
        known = self._told(_core.last_predictive(self.learner_, targets, noise_std))
        if len(known[0]) != len(targets):
            raise ValueError(f"y has {len(targets)} targets, and {len(known[0])} rows were played last")
        return Distribution(*known[:2]), known[2]

    def _known(self, X: ArrayLike, y: NDArray[np.float64], noise_std: float | None) -> tuple[NDArray[np.float64], ...]:
        rows = self._inputs(X)
        return self._told(_core.predictive(self.learner_, rows, y, noise_std))

    def _told(self, known: tuple[NDArray[np.float64], ...] | None) -> tuple[NDArray[np.float64], ...]:
        if known is None:
            raise ValueError(
                f"this {type(self).__name__} has not what distributions need: it was saved to predict only, or by a version that"
                " gave none; learn it anew"
            )
        return known


def play(learner: OnlineRegressor | OnlineClassifier, X: ArrayLike, y: ArrayLike, **more: Any) -> Played:
    """`learner.play(X, y, ...)`: a whole stream, each prediction made before its target was seen.

    ``learner`` is an estimator of this package; it goes on from what it has learnt, and learns.

    >>> import numpy as np
    >>> import noregret_kernels as nk
    >>> X = np.arange(6.0).reshape(-1, 1)
    >>> nk.play(nk.RunningMean(scaling="none"), X, X[:, 0]).predictions.tolist()
    [0.0, 0.0, 0.5, 1.0, 1.5, 2.0]
    """
    return learner.play(X, y, **more)
