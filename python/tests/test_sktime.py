"""sktime's own checks, and that an update is a fit. sktime wants an older pandas: check.sh has an environment for it."""

import copy
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("sktime", reason="sktime is absent: check.sh runs this file where it is installed")

from sktime.forecasting.base import BaseForecaster  # noqa: E402
from sktime.split import ExpandingWindowSplitter, SlidingWindowSplitter  # noqa: E402
from sktime.utils.estimator_checks import check_estimator  # noqa: E402

import noregret_kernels as nk  # noqa: E402
from noregret_kernels.sktime import OnlineForecaster  # noqa: E402

# Of pandas, on a line of sktime.
pytestmark = pytest.mark.filterwarnings("ignore:Sorting by default")
INDEXES = {
    "numbers": pd.RangeIndex(10, 260),
    "months": pd.period_range("2001-02", periods=250, freq="M"),
    "days": pd.date_range("2024-01-01", periods=250, freq="D"),
    "starts of months": pd.date_range("2001-02-01", periods=250, freq="MS"),
}
FH = [1, 3, 7]


def series(index=INDEXES["numbers"]):
    rng = np.random.default_rng(0)
    X, noise, y = rng.normal(size=(250, 2)), rng.normal(size=250), np.zeros(250)
    for t in range(2, 250):
        y[t] = 1.2 * y[t - 1] - 0.5 * y[t - 2] + X[t, 0] + 0.5 * noise[t]
    return pd.Series(50.0 + y, index, name="load"), pd.DataFrame(X, index, columns=["rain", "wind"])


def model(estimator=None):
    return OnlineForecaster(estimator, lags=[1, 2, 5], seasons=[4], means=[6], periods=[12.0])


def test_the_forecaster_passes_the_checks_of_sktime():
    results = check_estimator(OnlineForecaster, raise_exceptions=True, verbose=False)
    assert set(results.values()) == {"PASSED"} and sum("update" in name for name in results) > 50


@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_updates_are_a_fit_of_all_targets(index):
    y, X = series(index)
    mixture = nk.Aggregate(experts=[nk.LinearRidge(), "last-value"])
    for estimator in (None, mixture):
        stepping = model(estimator).fit(y[:40], X=X[:40], fh=FH)
        late = model(estimator).fit(y[:40], X=X[:40], fh=FH).update(y[40:], X=X[40:], update_params=False)
        for t in range(40, 243):
            # Every now and then, the last targets are told again.
            since = t - 3 if t % 10 == 0 else t
            told = stepping.update_predict_single(y[since : t + 1], X=X)
            if t in (40, 77, 242):
                fresh = model(estimator).fit(y[: t + 1], X=X[: t + 1], fh=FH).predict(X=X[t + 1 :])
                pd.testing.assert_series_equal(told, fresh, rtol=1e-9, check_freq=False)
                assert list(told.index) == [index[t + h] for h in FH] and told.name == "load"
        # The control: a model that knows the same targets, and has not learnt from them.
        future = pd.DataFrame(np.ones((7, 2)), [late.cutoff[0] + h * getattr(index, "freq", 1) for h in range(1, 8)], X.columns)
        other = model(estimator).fit(y, X=X, fh=FH).predict(X=future)
        assert (late.predict(X=future) - other).abs().max() > 1e-3


def test_update_predict_forecasts_from_each_cutoff():
    y, _ = series()
    fitted = model().fit(y[:100], fh=[2])
    told = fitted.update_predict(y[100:120], ExpandingWindowSplitter(fh=[2], initial_window=1))
    expected = [model().fit(y[:t], fh=[2]).predict().iloc[0] for t in range(101, 119)]
    np.testing.assert_allclose(told.to_numpy().ravel()[:18], expected, rtol=1e-9)
    # It worked on a copy.
    pd.testing.assert_series_equal(fitted.predict(), model().fit(y[:100], fh=[2]).predict())


SPLITS = [
    lambda fh: ExpandingWindowSplitter(fh=fh, initial_window=1),
    lambda fh: ExpandingWindowSplitter(fh=fh, initial_window=5, step_length=3),
    lambda fh: SlidingWindowSplitter(fh=fh, window_length=4, step_length=2),
]


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("fh", [[1], [2], FH], ids=str)
@pytest.mark.parametrize("index", INDEXES.values(), ids=INDEXES)
def test_what_is_played_at_once_is_what_sktime_plays_step_by_step(index, fh, split, monkeypatch):
    y, X = series(index)
    for targets, inputs in ((y, X), (y, None), (y.to_frame(), X)):
        rows = slice(100, 140), None if inputs is None else inputs[100:140]
        expected, quick = (model().fit(targets[:100], X=None if inputs is None else inputs[:100], fh=fh) for _ in range(2))
        by_sktime = BaseForecaster._predict_moving_cutoff(expected, y[rows[0]], split(fh), rows[1], True, False)
        with monkeypatch.context() as patched:
            patched.setattr(OnlineForecaster, "_predict", None)
            told = quick.update_predict(targets[rows[0]], split(fh), X=rows[1], reset_forecaster=False)
        same = pd.testing.assert_series_equal if by_sktime.ndim == 1 else pd.testing.assert_frame_equal
        same(told, by_sktime, rtol=1e-9, check_freq=False)
        # Both have learnt the same, and know the same cutoff.
        assert quick.cutoff.equals(expected.cutoff)
        future = None if inputs is None else X
        np.testing.assert_allclose(quick.predict(X=future), expected.predict(X=future), rtol=1e-9)


def test_windows_that_leave_targets_out_are_refused():
    y, _ = series()
    with pytest.raises(ValueError, match="y has a gap"):
        model().fit(y[:100], fh=[1]).update_predict(y[100:140], SlidingWindowSplitter(fh=[1], window_length=2, step_length=5))
    behind = model().fit(y[:100], fh=[1]).update_predict(y[100:140], update_params=False)
    assert abs(behind - model().fit(y[:100], fh=[1]).update_predict(y[100:140])).max() > 1e-3


def test_targets_that_are_not_to_be_learnt_are_known_to_the_lags():
    y, X = series()
    lam = 0.3
    told = OnlineForecaster(nk.LinearRidge(lam=lam, scaling="none"), lags=[1, 3]).fit(y[:100], X=X[:100], fh=[1, 4])

    def expected(t, learnt):
        """Ridge regression on the rows of the targets `learnt`, after t targets."""
        forecasts = []
        for h in (1, 4):
            A = np.array([[1.0, y.iloc[s - h], y.iloc[max(s - h - 2, 0)], *X.iloc[s]] for s in learnt if s >= h])
            penalty = np.sqrt(lam) * np.eye(5)[1:]
            b = np.append([y.iloc[s] for s in learnt if s >= h], np.zeros(4))
            w = np.linalg.lstsq(np.vstack([A, penalty]), b, rcond=None)[0]
            forecasts.append(w @ [1.0, y.iloc[t - 1], y.iloc[t - 3], *X.iloc[t - 1 + h]])
        return forecasts

    np.testing.assert_allclose(told.update(y[100:110], X=X, update_params=False).predict(X=X), expected(110, range(100)), rtol=1e-9)
    assert told.cutoff[0] == y.index[109]
    learnt = [*range(100), *range(110, 130)]
    np.testing.assert_allclose(told.update(y[110:130], X=X).predict(X=X), expected(130, learnt), rtol=1e-9)


def test_a_shallow_copy_learns_by_itself():
    y, _ = series()
    fitted = model().fit(y[:100], fh=FH)
    before, other = fitted.predict(), copy.copy(fitted)
    other.update(y[100:200])
    pd.testing.assert_series_equal(fitted.predict(), before)
    assert not np.array_equal(other.predict(), before)


def test_the_block_of_the_page_runs():
    page = Path(__file__).parents[2] / "docs/src/python.md"
    (block,) = re.findall(r"^```python not run: [^\n]*sktime[^\n]*\n(.*?)^```", page.read_text(), re.M | re.S)
    exec(compile(block, str(page), "exec"), {})


def test_what_cannot_be_forecast_is_refused_with_the_reason():
    y, X = series(INDEXES["days"])
    for index in INDEXES.values():
        targets = series(index)[0]
        with pytest.raises(ValueError, match="y has a gap after"):
            model().fit(targets[:50], fh=[1]).update(targets[51:])
        with pytest.raises(ValueError, match="y has a gap after"):
            model().fit(targets[:50], fh=[1]).update(targets.drop(targets.index[60]))
    with pytest.raises(ValueError, match="lies before: fit again"):
        model().fit(y[:50], fh=[1]).update(y[30:40]).predict()
    with pytest.raises(ValueError, match=r"`fh` lies \[1, 2\] steps ahead, and models were fitted for \[2, 3\]"):
        model().fit(y[:50], fh=y.index[[51, 52]]).update(y[50:51]).predict()
    fitted = model().fit(y[:50], X=X[:50], fh=[1, 3])
    assert len(fitted.predict(X=X.iloc[[50, 52]])) == 2
    with pytest.raises(ValueError, match="X has no row at 2024-02-22"):
        fitted.predict(X=X[:52])
    with pytest.raises(ValueError, match="X has 0 columns, and had 2"):
        fitted.update(y[50:51])
