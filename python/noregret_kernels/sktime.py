"""A forecaster for sktime that learns each new target instead of fitting again."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sktime.datatypes import convert_to, get_cutoff
from sktime.forecasting.base import BaseForecaster
from sktime.forecasting.base._base import _format_moving_cutoff_predictions

from noregret_kernels._arguments import OwnCopy
from noregret_kernels._forecast import Forecaster, Numbers
from noregret_kernels.learners import Aggregate, LinearRidge

__all__ = ["OnlineForecaster"]


class OnlineForecaster(OwnCopy, BaseForecaster):  # type: ignore[misc, unused-ignore]
    """`noregret_kernels.Forecaster` as a forecaster of sktime, whose `update` learns the new targets and nothing else.

    For each step h of `fh`, which `fit` must be given, a copy of the estimator learns to tell the target y_s from what is known h steps
    before, y_{s-h} and earlier targets, and from the row of X at the time of y_s. After `update` it is, to rounding, what `fit` makes of all
    targets at once; the work of an update does not grow with their number if that of the estimator does not. What an update repeats of
    the targets seen so far is passed over. With ``update_params=False`` the new targets are known to the lags, seasons and means, but not learnt. `update_predict`
    plays all targets at once.

    Times must follow each other without a gap. Since each h is a model of its own, `fh` should be relative to the cutoff: one in absolute
    times holds until the next update. X in `predict` has a row at each time that is forecast, and may have others.

    Parameters
    ----------
    estimator : estimator with `partial_fit` and `predict`, optional
        A regressor of `noregret_kernels`, or of scikit-learn's kind. None: ``LinearRidge()``.
    lags : int or sequence of int
        Which of the known targets are columns: 1 is the last one. A number k stands for the last k.
    seasons : sequence of int
        Lengths m of seasons: a column is the last known target that is a multiple of m steps before the target.
    means : sequence of int
        Columns are the means of the last so many known targets.
    periods : sequence of float
        Columns are the sine and the cosine of a turn in so many steps, at the step of the target.

    Attributes
    ----------
    forecaster_ : Forecaster
        What has learnt.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from noregret_kernels.sktime import OnlineForecaster
    >>> months = pd.period_range("2000-01", periods=240, freq="M")
    >>> y = pd.Series(10 + np.sin(2 * np.pi * np.arange(240) / 12), months)
    >>> model = OnlineForecaster(lags=2, periods=[12]).fit(y[:200], fh=[1, 6])
    >>> told = model.update(y[200:]).predict()
    >>> [str(month) for month in told.index], bool(abs(told - [10, 10.5]).max() < 0.01)
    (['2020-01', '2020-06'], True)
    """

    _tags = {
        "authors": "The authors of noregret",
        "maintainers": "The authors of noregret",
        "y_inner_mtype": "pd.Series",
        "X_inner_mtype": "pd.DataFrame",
        "capability:multivariate": False,
        "capability:exogenous": True,
        "capability:insample": False,
        "capability:pred_int": False,
        "capability:pred_int:insample": False,
        "capability:missing_values": False,
        "capability:non_contiguous_X": False,
        "capability:categorical_in_X": False,
        "capability:update": True,
        "requires-fh-in-fit": True,
        "X-y-must-have-same-index": True,
    }
    # Unless somebody asks for it, what was seen is not kept: `update` would copy all of it each time.
    _config = {"remember_data": False}

    def __init__(
        self,
        estimator: Any = None,
        lags: int | Sequence[int] = 8,
        seasons: Sequence[int] = (),
        means: Sequence[int] = (),
        periods: Sequence[float] = (),
    ) -> None:
        self.estimator = estimator
        self.lags = lags
        self.seasons = seasons
        self.means = means
        self.periods = periods
        super().__init__()
        self._y = self._X = None

    @classmethod
    def get_test_params(cls, parameter_set: str = "default") -> list[dict[str, Any]]:
        """Parameters for sktime's checks."""
        mixture = Aggregate(experts=[LinearRidge(), "last-value"])
        return [{"lags": 3}, {"estimator": mixture, "lags": [1, 2], "seasons": [4], "means": [3], "periods": [12.0]}]

    def _fit(self, y: pd.Series, X: pd.DataFrame | None, fh: Any) -> Self:
        self._last, self._step, self._name = None, None, y.name
        given = {name: getattr(self, name) for name in ("estimator", "lags", "seasons", "means", "periods")}
        self.forecaster_ = Forecaster(horizons=self._steps(fh), **given)
        self.forecaster_.fit(*self._new(y, X))
        return self

    def _update(self, y: pd.Series, X: pd.DataFrame | None = None, update_params: bool = True) -> Self:
        targets, inputs = self._new(y, X)
        if len(targets) > 0 and update_params:
            self.forecaster_.partial_fit(targets, inputs)
        elif len(targets) > 0:
            self.forecaster_._see(targets, targets)
        return self

    def _predict(self, fh: Any, X: pd.DataFrame | None) -> pd.Series:
        if self.cutoff[0] != self._last:
            raise ValueError(f"targets are known up to {self._last}, and {self.cutoff[0]} lies before: fit again to forecast from there")
        fitted = self.forecaster_.horizons_
        steps = fitted if fh.is_relative else self._steps(fh)
        if steps != fitted:
            raise ValueError(f"`fh` lies {steps} steps ahead, and models were fitted for {fitted}: a relative `fh` stays what it is")
        times = fh.to_absolute_index(self.cutoff)
        return pd.Series(self.forecaster_.predict(_rows(X, times)), index=times, name=self._name)

    def _update_predict_single(self, y: pd.Series, fh: Any, X: pd.DataFrame | None = None, update_params: bool = True) -> pd.Series:
        # y and X are checked already, and would be twice more.
        return self._update(y, X, update_params)._predict(fh, X)

    def _predict_moving_cutoff(
        self, y: Any, cv: Any, X: Any = None, update_params: bool = True, reset_forecaster: bool = True
    ) -> Any:
        # The forecasts of each window are those that are made on the way when all targets are played, which is far quicker.
        ends = self._ends(y, cv) if update_params and isinstance(y, pd.Series) else None
        if ends is None:
            return super()._predict_moving_cutoff(y, cv, X, update_params, reset_forecaster)
        horizons = self.forecaster_.horizons_
        model = deepcopy(self)
        model._set_cutoff(get_cutoff(y, return_index=True))
        told = model.forecaster_.play(*model._new(y, X)).predictions
        if not reset_forecaster:
            self.update(y.iloc[: ends[-1] + 1], X)
        due = ends[:, None] + horizons
        told = told[due, np.arange(len(horizons))]
        if len(horizons) == 1:
            return self._as_given(pd.Series(told[:, 0], index=y.index[due[:, 0]], name=self._name))
        windows = [self._as_given(pd.Series(row, index=y.index[at], name=self._name)) for row, at in zip(told, due, strict=True)]
        return _format_moving_cutoff_predictions(windows, [y.index[[end]] for end in ends])

    def _ends(self, y: pd.Series, cv: Any) -> NDArray[np.intp] | None:
        """The last row of each window; None where these leave targets out or are not all new, or `fh` is another one."""
        horizons, fh = self.forecaster_.horizons_, cv.get_fh()
        windows = [window for window, _ in cv.split(y)]
        ends = np.array([-1, *(window[-1] for window in windows)], dtype=np.intp)
        starts = np.array([window[0] for window in windows], dtype=np.intp)
        row = len(windows) > 0 and (starts <= ends[:-1] + 1).all() and (np.diff(ends) > 0).all()
        if not row or not fh.is_relative or [int(step) for step in fh.to_numpy()] != horizons:
            return None
        return ends[1:] if y.index[0] > self._last and ends[-1] + max(horizons) < len(y) else None

    def _as_given(self, told: pd.Series) -> Any:
        """Forecasts in the form that y was given in."""
        given = self._y_metadata["mtype"]
        if given == "pd.Series":
            return told
        return convert_to(told, given, store=self._converter_store_y, store_behaviour="freeze")

    def _steps(self, fh: Any) -> list[int]:
        """How many steps ahead `fh` lies."""
        return [int(step) for step in fh.to_relative(self.cutoff).to_numpy()]

    def _new(self, y: pd.Series, X: pd.DataFrame | None) -> tuple[Numbers, Numbers | None]:
        """The targets that were not seen before, and their rows of X."""
        known = 0 if self._last is None else y.index.searchsorted(self._last, side="right")
        targets, times = y.to_numpy(dtype=np.float64)[known:], y.index[known:]
        inputs = _rows(X, times)
        if len(times) > 0:
            self._step = getattr(self.cutoff, "freq", None) or self._step
            first = times[0] if self._last is None else self._last
            due = _times(first, len(times) + (self._last is not None), times, self._step)
            if due is not None and not due[-len(times) :].equals(times):
                raise ValueError(f"y has a gap after {first}: each time must have its target")
            self._last = times[-1]
        return targets, inputs


def _times(first: Any, count: int, like: pd.Index, step: Any) -> pd.Index | None:
    """So many times without a gap from the first one on; None where the step is not known."""
    if isinstance(like, pd.PeriodIndex):
        return pd.period_range(first, periods=count, freq=like.freq)
    if isinstance(like, pd.DatetimeIndex):
        return None if step is None else pd.date_range(first, periods=count, freq=step, unit=like.unit)
    return pd.RangeIndex(first, first + count)


def _rows(X: pd.DataFrame | None, times: pd.Index) -> Numbers | None:
    """The rows of X at these times."""
    if X is None:
        return None
    at = X.index.get_indexer(times)
    if (at < 0).any():
        raise ValueError(f"X has no row at {times[at < 0][0]}: it must have one for each target, or for each time that is forecast")
    return X.to_numpy(dtype=np.float64)[at]
