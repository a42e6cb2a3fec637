"""Forecasts of a time series, several steps ahead."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from noregret_kernels import learners
from noregret_kernels._arguments import FixedArguments
from noregret_kernels._base import OnlineRegressor, Played, PlayedIntervals, available
from noregret_kernels._frames import numbers_of
from noregret_kernels._parameters import plain, whole
from noregret_kernels.learners import Aggregate, Intervals, LinearRidge

Numbers = NDArray[np.float64]


class _Columns(NamedTuple):
    """The columns of a target's row, but those of X."""

    lags: list[int]
    seasons: list[int]
    means: list[int]
    periods: list[float]

    @property
    def reach(self) -> int:
        """How many targets, counted back from the newest known one, they need."""
        return max([1, *self.lags, *self.seasons, *self.means])

    def rows(self, known: Numbers, first: int, at: NDArray[np.int64], h: int) -> Numbers:
        """The rows of the targets `at`, h steps ahead, where `known` are targets from the number `first` on."""

        def told(number: NDArray[np.int64]) -> Numbers:
            return known[np.maximum(number - first, 0)]

        target = at[:, None]
        back = [season * math.ceil(h / season) for season in self.seasons]
        turns = 2 * np.pi * target / np.array(self.periods, dtype=np.float64)
        return np.hstack(
            [
                told(target - h + 1 - np.array(self.lags, dtype=np.int64)),
                told(target - np.array(back, dtype=np.int64)),
                *(told(target - h - np.arange(count)).mean(axis=1, keepdims=True) for count in self.means),
                np.sin(turns),
                np.cos(turns),
            ]
        )


class _Ahead:
    """What forecasts h steps ahead: a model that has learnt every target, and one that is h - 1 targets behind.

    The latter knows what was known when the forecast of the coming target had to be made.
    """

    def __init__(self, h: int, estimator: Any) -> None:
        self.h, self.model, self.learnt = h, clone(estimator), 0
        self.behind = self.model if h == 1 else clone(estimator)
        self.held: tuple[Numbers, Numbers] | None = None

    def newest(self, rows: Numbers, last: Numbers) -> Numbers:
        """Forecasts by all that was learnt; the last known targets, if nothing was."""
        return np.asarray(self.model.predict(rows), dtype=np.float64) if self.learnt > 0 else last

    def learn(self, rows: Numbers, y: Numbers) -> None:
        self.model.partial_fit(rows, y)
        self.learnt += len(y)
        if self.h > 1:
            if self.held is not None:
                rows, y = np.vstack([self.held[0], rows]), np.concatenate([self.held[1], y])
            due = max(len(y) - self.h + 1, 0)
            if due > 0:
                self.behind.partial_fit(rows[:due], y[:due])
            self.held = rows[due:], y[due:]

    def play(self, rows: Numbers, y: Numbers, last: Numbers) -> Numbers:
        """Forecasts each target as it was h steps before, then learns it."""
        told = last.copy()
        for at in range(len(y)):
            one = slice(at, at + 1)
            if self.learnt >= self.h:
                # A learner of this package plays the coming targets itself, all in one go.
                if self.h == 1 and isinstance(self.model, OnlineRegressor):
                    told[at:] = self.model.play(rows[at:], y[at:]).predictions
                    self.learnt += len(y) - at
                    break
                told[one] = self.behind.predict(rows[one])
            self.learn(rows[one], y[one])
        return told


class _Mixed:
    """Several experts h steps ahead, whose weights follow from the forecasts that they made h steps before."""

    def __init__(self, h: int, mixture: Any) -> None:
        self.h, self.experts = h, [_of(h, _part(expert, None, mixture)) for expert in mixture.experts]
        self.rule = _Ahead(h, clone(mixture).set_params(experts="columns"))

    def newest(self, rows: Numbers, last: Numbers) -> Numbers:
        return self.rule.newest(np.column_stack([expert.newest(rows, last) for expert in self.experts]), last)

    def play(self, rows: Numbers, y: Numbers, last: Numbers) -> Numbers:
        return self.rule.play(np.column_stack([expert.play(rows, y, last) for expert in self.experts]), y, last)


def _part(part: Any, parameters: dict[str, Any] | None, outer: Any) -> Any:
    """A learner inside of another one as an estimator of its own, which takes over what the other one sets."""
    if isinstance(part, str):
        part = {"name": part, **(parameters or {})}
    if isinstance(part, dict):
        given = {"lam" if name == "lambda" else name: value for name, value in part.items() if name != "name"}
        classes = [getattr(learners, name) for name in learners.__all__]
        part = next(cls for cls in classes if cls._learner == part["name"] and not cls._labels)(**given)
    known = part.get_params(deep=False)
    return clone(part).set_params(**{name: getattr(outer, name) for name in ("scaling", "horizon", "random_state") if name in known})


def _of(h: int, estimator: Any) -> _Ahead | _Mixed:
    """What forecasts h steps ahead with this estimator; of `Intervals`, that is their base."""
    if isinstance(estimator, Intervals):
        return _of(h, _part(estimator.base, estimator.base_params, estimator))
    if isinstance(estimator, Aggregate) and not isinstance(estimator.experts, str):
        return _Mixed(h, estimator)
    if absent := [name for name in ("partial_fit", "predict") if not hasattr(estimator, name)]:
        found = type(estimator).__name__
        raise TypeError(f"`estimator`: a {found} has no `{absent[0]}`; give an estimator that learns row by row, such as LinearRidge()")
    return _Ahead(h, estimator)


def _listed(name: str, given: Any, example: str) -> list[Any]:
    """The values of an argument that is a sequence."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"`{name}` is {given!r}, and must be a sequence such as {example}")
    return list(given)


def _period(given: Any) -> float:
    """A number of steps in which a column turns once."""
    number = float(given) if isinstance(given, numbers.Real) else math.nan
    if not 0.0 < number < math.inf:
        raise ValueError(f"`periods` = {given!r} is not allowed; it takes numbers in (0, inf)")
    return number


class _Rules:
    """Intervals around forecasts that were made h steps before.

    Target s has the rule number s mod h: when it gives an interval, it has seen every target that it gave one for before. So what a
    theorem says of the next target of a sequence holds h steps ahead.
    """

    def __init__(self, h: int, intervals: Any) -> None:
        # The forecast is the one column that the base sees, and says again.
        same = {"base": Aggregate(), "base_params": None, "scaling": "none"}
        self.h, self.rules = h, [clone(intervals).set_params(**same) for _ in range(h)]

    def play(self, first: int, forecasts: Numbers, y: Numbers) -> tuple[Numbers, Numbers]:
        """The intervals of the targets from the number `first` on, each from before it was seen."""
        ends = np.empty((2, len(y)))
        for start in range(min(self.h, len(y))):
            part = slice(start, None, self.h)
            played = self.rules[(first + start) % self.h].play(forecasts[part, None], y[part])
            ends[:, part] = played.lower, played.upper
        return ends[0], ends[1]

    def newest(self, at: int, forecast: float) -> tuple[float, float]:
        """The interval of the target number `at`, which is h steps ahead."""
        rule = self.rules[at % self.h]
        if not rule.__sklearn_is_fitted__():
            return -math.inf, math.inf
        lower, upper = rule.predict_interval([[forecast]])
        return lower[0], upper[0]


def _named(X: Any) -> list[Any] | None:
    """The names of the columns of a frame."""
    return list(X.columns) if hasattr(X, "columns") else None


class Forecaster(FixedArguments):
    """Forecasts a time series y several steps ahead, by an estimator for each horizon, which learns row by row.

    The estimator of horizon h learns to tell the target y_s from what is known h steps before, y_{s-h} and earlier targets, and from
    columns that are known in advance. It learns the row of y_s as soon as y_s is known. Where fewer targets are known than a column asks
    for, it has the oldest one.

    Parameters
    ----------
    estimator : estimator with `partial_fit` and `predict`, optional
        A regressor of this package, such as `Aggregate` or `Intervals`, or of scikit-learn's kind. None: ``LinearRidge()``.
    horizons : sequence of int
        How many steps ahead is forecast.
    lags : int or sequence of int
        Which of the known targets are columns: 1 is the last one. A number k stands for the last k.
    seasons : sequence of int
        Lengths m of seasons: a column is the last known target that is a multiple of m steps before the target.
    means : sequence of int
        Columns are the means of the last so many known targets.
    periods : sequence of float
        Columns are the sine and the cosine of a turn in so many steps, at the step of the target.

    Examples
    --------
    >>> import numpy as np
    >>> import noregret_kernels as nk
    >>> t = np.arange(400)
    >>> y = 10 + np.sin(2 * np.pi * t / 12) + 0.1 * np.random.default_rng(0).normal(size=400)
    >>> model = nk.Forecaster(horizons=[1, 2, 6], lags=2, periods=[12])
    >>> losses = model.play(y).losses               # each forecast was made 1, 2 or 6 steps before its target
    >>> losses.shape, bool(np.nanmean(losses[100:]) < 0.015)
    ((400, 3), True)
    >>> bool(abs(model.predict()[2] - (10 + np.sin(2 * np.pi * 405 / 12))) < 0.1)
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        horizons: Sequence[int] = (1,),
        *,
        lags: int | Sequence[int] = 8,
        seasons: Sequence[int] = (),
        means: Sequence[int] = (),
        periods: Sequence[float] = (),
    ) -> None:
        self.estimator = estimator
        self.horizons = horizons
        self.lags = lags
        self.seasons = seasons
        self.means = means
        self.periods = periods

    def fit(self, y: Any, X: ArrayLike | None = None) -> Self:
        """Forgets everything and learns a series, of shape (rows,); X has the columns that are known in advance, shape (rows, columns)."""
        self._start()
        return self.partial_fit(y, X)

    def partial_fit(self, y: Any, X: ArrayLike | None = None) -> Self:
        """Learns the targets that come next. What is learnt does not depend on how they are cut into calls, to 1e-9."""
        if not self.__sklearn_is_fitted__():
            self._start()
        self._go_on(y, X, told=False)
        return self

    def play(self, y: Any, X: ArrayLike | None = None, *, fresh: bool = False) -> Played:
        """As `partial_fit` (or `fit`, if ``fresh``), and returns the forecasts of each target as they were made h steps before.

        Both `predictions`, in units of y, and `losses`, squared errors, have the shape (rows, horizons); with `Intervals`, so have
        `lower` and `upper`. They are NaN where h steps before no target was known, and frames of pandas with the index of y if
        it has one. A model that has learnt nothing yet forecasts the last target known.
        """
        if fresh or not self.__sklearn_is_fitted__():
            self._start()
        forecasts, lower, upper = self._go_on(y, X, told=True)
        losses: Any = (np.asarray(y, dtype=np.float64).reshape(-1, 1) - forecasts) ** 2
        if hasattr(y, "iloc"):
            import pandas as pd

            forecasts, losses, lower, upper = (
                pd.DataFrame(one, index=y.index, columns=self.horizons_) for one in (forecasts, losses, lower, upper)
            )
        if self._rules:
            return PlayedIntervals(forecasts, losses, lower, upper)
        return Played(forecasts, losses)

    def predict(self, X: ArrayLike | None = None) -> Any:
        """A forecast for each horizon after the last known target, in units of y, shape (horizons,).

        X has one row for each horizon, in their order. If y was a series of pandas whose index has a step, so is the answer, with
        the index that follows.
        """
        return self._indexed(self._forecasts(X))

    @available(lambda self: isinstance(self.estimator, Intervals))
    def predict_interval(self, X: ArrayLike | None = None) -> tuple[Any, Any]:
        """Lower and upper ends of the intervals for the same targets, each of shape (horizons,), where the estimator is `Intervals`.

        They are calibrated on the forecasts that were made h steps before their targets: each h-th target on its own, so that one
        in 1 / alpha is missed on every sequence, up to h times the deviation that the rule allows. The `bound`, `rate`, `start` and
        `epsilon` of the rule are in units of y here. Ends are infinite where an interval has none.
        """
        forecasts = self._forecasts(X)
        ends = [
            rules.newest(self._count - 1 + rules.h, one) for rules, one in zip(self._rules, forecasts, strict=True)
        ]
        lower, upper = np.array(ends).T
        return self._indexed(lower), self._indexed(upper)

    def _start(self) -> None:
        horizons: list[Any] = [whole("horizons", h, 1) for h in _listed("horizons", self.horizons, "[1, 6]")]
        if not horizons:
            raise ValueError("`horizons` has none: [1] is the next step")
        lags: Any = self.lags if np.ndim(self.lags) else range(1, (whole("lags", self.lags, 0) or 0) + 1)
        counts = {"lags": lags, "seasons": self.seasons, "means": self.means}
        chosen: dict[str, Any] = {name: [whole(name, one, 1) for one in _listed(name, given, "[24]")] for name, given in counts.items()}
        periods = [_period(one) for one in _listed("periods", self.periods, "[24]")]
        self._columns = _Columns(**chosen, periods=periods)
        estimator = LinearRidge() if self.estimator is None else self.estimator
        self.horizons_ = horizons
        self._aheads = [_of(h, estimator) for h in horizons]
        self._rules = [_Rules(h, estimator) for h in horizons] if isinstance(estimator, Intervals) else []
        self._known, self._count, self._width = np.empty(0), 0, -1
        self._names: list[Any] | None = None
        self._index: Any = None
        self._name: Any = None
        self._remember()

    def _fixed(self) -> dict[str, Any]:
        return {name: plain(getattr(self, name)) for name in ("horizons", "lags", "seasons", "means", "periods")}

    def _inputs(self, X: ArrayLike | None, rows: int, what: str) -> Numbers:
        """The columns known in advance."""
        names = _named(X)
        if None not in (names, self._names) and names != self._names:
            raise ValueError(f"X has the columns {names}, and had {self._names} when learning began")
        with numbers_of(X) as inputs:
            given = np.empty((rows, 0)) if X is None else check_array(inputs, dtype=np.float64, ensure_min_samples=0)
        if len(given) != rows:
            raise ValueError(f"X has {len(given)} rows, and must have {rows}: one for each {what}")
        if self._width not in (-1, given.shape[1]):
            raise ValueError(f"X has {given.shape[1]} columns, and had {self._width} when learning began")
        return given

    def _go_on(self, y: Any, X: ArrayLike | None, told: bool) -> list[Any]:
        """Learns targets; the forecasts of each, and lower and upper ends, of shape (rows, horizons), where they are asked for."""
        targets = check_array(column_or_1d(y), dtype=np.float64, ensure_2d=False, input_name="y")
        self._check_arguments()
        inputs = self._inputs(X, len(targets), "target")
        self._width = inputs.shape[1]
        self._names = self._names or _named(X)
        if not any([*self._columns, self._width]):
            raise ValueError("there are no columns to forecast from: give `lags`, `seasons`, `means`, `periods` or X")
        known, first = np.concatenate([self._known, targets]), self._count - len(self._known)
        columns = [np.full((len(targets), len(self._aheads)), np.nan) for _ in range(3)]
        for column, ahead in enumerate(self._aheads):
            # The first h targets come before anything can be known of them.
            new = slice(min(max(ahead.h - self._count, 0), len(targets)), None)
            at = np.arange(self._count, self._count + len(targets))[new]
            if len(at) == 0:
                continue
            rows = np.hstack([self._columns.rows(known, first, at, ahead.h), inputs[new]])
            if not told and not self._rules and isinstance(ahead, _Ahead):
                ahead.learn(rows, targets[new])
                continue
            # Rules and weights learn from forecasts, also where nobody asks for these.
            forecasts = ahead.play(rows, targets[new], known[at - ahead.h - first])
            columns[0][new, column] = forecasts
            if self._rules:
                played = self._rules[column].play(int(at[0]), forecasts, targets[new])
                columns[1][new, column], columns[2][new, column] = played
        self._see(y, targets)
        return columns

    def _see(self, y: Any, targets: Numbers) -> None:
        """Knows the targets that come next, which columns may need; learns nothing."""
        known = np.concatenate([self._known, targets])
        self._known = known[-(self._columns.reach + max(ahead.h for ahead in self._aheads)) :]
        self._count += len(targets)
        self._index, self._name = (y.index, y.name) if hasattr(y, "iloc") and hasattr(y, "name") else (None, None)

    def _forecasts(self, X: ArrayLike | None) -> Numbers:
        check_is_fitted(self)
        inputs = self._inputs(X, len(self._aheads), "horizon")
        first, last = self._count - len(self._known), self._known[-1:]
        told = np.empty(len(self._aheads))
        for at, ahead in enumerate(self._aheads):
            row = self._columns.rows(self._known, first, np.array([self._count - 1 + ahead.h]), ahead.h)
            told[at : at + 1] = ahead.newest(np.hstack([row, inputs[at : at + 1]]), last)
        return told

    def _indexed(self, values: Numbers) -> Any:
        """The values as a series of pandas that continues the index of y, where that has a step."""
        step = getattr(self._index, "freq", None) or getattr(self._index, "step", None)
        if self._index is None or step is None:
            return values
        import pandas as pd

        return pd.Series(values, index=[self._index[-1] + h * step for h in self.horizons_], name=self._name)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_aheads")
