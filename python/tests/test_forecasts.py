"""Forecasts of series: what they know, when, and what they are."""

import copy
import json
import pickle
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import SGDRegressor

import noregret_kernels as nk
from noregret_kernels import _forecast

VECTORS = Path(__file__).parents[2] / "crates/core/tests/vectors/forecasts.json"
MIXED = nk.Aggregate(experts=[nk.LinearRidge(), {"name": "kernel-awv", "lambda": 0.1}, "last-value"])


def series(rows=300):
    rng = np.random.default_rng(0)
    y, noise, X = np.zeros(rows), rng.normal(size=rows), rng.normal(size=(rows, 2))
    for t in range(2, rows):
        y[t] = 1.2 * y[t - 1] - 0.5 * y[t - 2] + X[t, 0] + 0.5 * noise[t]
    return 50.0 + y, X


def model(estimator=None):
    return nk.Forecaster(estimator, [1, 3, 7], lags=[1, 2, 5], seasons=[4], means=[6], periods=[12.0])


def forecasts_that_know_too_much(estimator):
    """Which horizons have a forecast that changes with targets after the time at which it was made."""
    y, X = series(160)
    changed, known = y.copy(), 100
    changed[known:] += np.random.default_rng(1).normal(size=60) * 10.0
    one, other = (model(estimator).play(targets, X) for targets in (y, changed))
    fields = ["predictions", *(["lower", "upper"] if isinstance(estimator, nk.Intervals) else [])]
    found = set()
    for field in fields:
        for column, h in enumerate([1, 3, 7]):
            # Forecasts of the targets up to number known - 1 + h were made when so many were known, or fewer.
            mine, theirs = (getattr(played, field)[:, column] for played in (one, other))
            assert not np.array_equal(mine[known + h :], theirs[known + h :])
            if not np.array_equal(mine[: known + h], theirs[: known + h], equal_nan=True):
                found.add(h)
    return found


@pytest.mark.parametrize("estimator", [nk.LinearRidge(), MIXED, nk.Intervals(base=nk.KernelAwv()), SGDRegressor(eta0=1e-6)], ids=str)
def test_forecasts_know_nothing_of_what_comes_after_they_are_made(estimator, monkeypatch):
    assert forecasts_that_know_too_much(estimator) == set()

    # The control: models that have learnt the target before the coming one, whatever the horizon.
    class Undelayed(_forecast._Ahead):
        def __init__(self, h, estimator):
            super().__init__(h, estimator)
            self.behind = self.model

        def learn(self, rows, y):
            self.model.partial_fit(rows, y)
            self.learnt += len(y)

    monkeypatch.setattr(_forecast, "_Ahead", Undelayed)
    assert forecasts_that_know_too_much(estimator) == {3, 7}


def test_forecasts_are_those_of_ridge_regression_on_the_rows_written_out():
    y, X = series(120)
    lam, told = 0.3, model(nk.LinearRidge(lam=0.3, scaling="none"))

    def row(s, h):
        """Every column by its definition; the oldest target where there is none."""
        known = [y[max(i, 0)] for i in range(s - h, s - h - 6, -1)]
        season = y[max((i for i in range(s - h + 1) if (s - i) % 4 == 0), default=0)]
        turn = 2 * np.pi * s / 12
        return [known[0], known[1], known[4], season, np.mean(known), np.sin(turn), np.cos(turn), *X[s]]

    def ridge(h, learnt, s):
        """By least squares of the rows of targets before number `learnt`, with rows for lambda, which spares the intercept."""
        A = np.array([[1.0, *row(i, h)] for i in range(h, learnt)])
        penalty = np.sqrt(lam) * np.eye(A.shape[1])[1:]
        w = np.linalg.lstsq(np.vstack([A, penalty]), np.append(y[h:learnt], np.zeros(len(penalty))), rcond=None)[0]
        return w @ [1.0, *row(s, h)]

    played = told.play(y[:110], X[:110]).predictions
    for column, h in enumerate([1, 3, 7]):
        for s in (30, 77, 109):
            np.testing.assert_allclose(played[s, column], ridge(h, s - h + 1, s), rtol=1e-9)
    coming = told.predict(X[[110, 112, 116]])
    np.testing.assert_allclose(coming, [ridge(h, 110, 109 + h) for h in (1, 3, 7)], rtol=1e-9)
    # Before anything is learnt, the last target known; before any was known, nothing.
    assert np.isnan(played[:7, 2]).all() and (played[7:14, 2] == y[:7]).all() and played[15, 2] != y[8]


@pytest.mark.parametrize("estimator", [None, MIXED, nk.Intervals(base="linear-awv", rate=0.1), nk.Auto(members="plain")], ids=str)
def test_forecasts_do_not_depend_on_how_targets_are_cut_into_calls(estimator):
    y, X = series()
    whole, parts, learning = model(estimator), model(estimator), model(estimator)
    played = whole.play(y, X)
    cuts = [0, 1, 2, 9, 10, 150, 300]
    cut = [parts.play(y[a:b], X[a:b]) for a, b in zip(cuts, cuts[1:], strict=False)]
    for t in range(299):
        learning.partial_fit(y[t : t + 1], X[t : t + 1])
    learning = pickle.loads(pickle.dumps(learning)).partial_fit(y[299:], X[299:])
    future = np.eye(3, 2)
    for other in (parts, learning, copy.deepcopy(whole), clone(whole).fit(y, X)):
        np.testing.assert_allclose(other.predict(future), whole.predict(future), rtol=1e-9)
    fields = ["predictions", "losses", *(["lower", "upper"] if hasattr(played, "lower") else [])]
    for field in fields:
        np.testing.assert_allclose(np.vstack([getattr(one, field) for one in cut]), getattr(played, field), rtol=1e-9)
    # `predict` says what `play` will have said of the next target, and neither it nor its intervals teach anything.
    np.testing.assert_allclose(whole.predict(future)[0], copy.deepcopy(whole).play([0.0], future[:1]).predictions[0, 0], rtol=1e-9)
    assert hasattr(whole, "predict_interval") == isinstance(estimator, nk.Intervals)
    if isinstance(estimator, nk.Intervals):
        ends = np.array(whole.predict_interval(future))
        coming = copy.deepcopy(whole).play([0.0], future[:1])
        np.testing.assert_allclose(ends[:, 0], [coming.lower[0, 0], coming.upper[0, 0]], rtol=1e-9)
        np.testing.assert_allclose(learning.predict_interval(future), ends, rtol=1e-9)


def test_intervals_miss_what_they_are_allowed_to_at_every_horizon():
    rng = np.random.default_rng(2)
    y = np.zeros(4000)
    for t in range(1, 4000):
        y[t] = 0.9 * y[t - 1] + rng.normal()
    alpha, rate = 0.2, 0.05
    played = nk.Forecaster(nk.Intervals(base=nk.LinearRidge(), alpha=alpha, rate=rate), [1, 12], lags=1).play(y)
    missed = (y[:, None] < played.lower) | (y[:, None] > played.upper)
    for column, h in enumerate([1, 12]):
        # The theorem of aci for each of h sequences of n / h targets.
        assert abs(missed[h:, column].mean() - alpha) <= (1 - alpha + rate) / (rate * (4000 // h))
    # Twelve steps ahead, the deviation is 1 / sqrt(1 - 0.9^2) = 2.3 times as large. The control: radii of one step miss far more.
    width = played.upper - played.lower
    assert 1.8 < np.nanmedian(width[2000:, 1]) / np.nanmedian(width[2000:, 0]) < 2.6
    one_step = np.abs(y[2000:] - played.predictions[2000:, 1]) > np.nanmedian(width[2000:, 0]) / 2
    assert one_step.mean() > 2 * alpha


def test_weights_follow_from_forecasts_as_old_as_the_horizon():
    """The last value is nearly right one step ahead, and far off six steps ahead; a mixture in a single model sees one step only."""
    t = np.arange(2000)
    y = np.sin(2 * np.pi * t / 12) + 0.01 * np.random.default_rng(3).normal(size=2000)
    mixture = nk.Aggregate(experts=["running-mean", "last-value"])
    losses = nk.Forecaster(mixture, [1, 6], lags=1).play(y).losses[200:].mean(axis=0)
    assert losses[0] < 0.15 < losses[1] < 0.52 < 1.9 < ((y[206:] - y[200:-6]) ** 2).mean()
    undelayed = nk.Aggregate(experts="columns")
    undelayed.fit(np.column_stack([np.zeros(1999), y[:-1]]), y[1:])
    assert undelayed.weights_[1] > 0.7


def test_frames_keep_their_index():
    y, X = series(60)
    days = pd.date_range("2024-01-01", periods=67, freq="D")
    told, plain = model(nk.Intervals()), model(nk.Intervals())
    frame, X = pd.Series(y, days[:60], name="load"), np.vstack([X, X[:7]])
    played, expected = told.play(frame, pd.DataFrame(X, days)[:60]), plain.play(y, X[:60])
    for field in ("predictions", "losses", "lower", "upper"):
        got = getattr(played, field)
        assert (got.index == days[:60]).all() and list(got.columns) == [1, 3, 7]
        np.testing.assert_array_equal(got, getattr(expected, field))
    coming = told.predict(X[[60, 62, 66]])
    assert list(coming.index) == list(days[[60, 62, 66]]) and coming.name == "load"
    np.testing.assert_array_equal(coming, plain.predict(X[[60, 62, 66]]))
    for index, last in [(pd.RangeIndex(10, 130, 2), 142), (pd.period_range("2024-01", periods=60, freq="M"), pd.Period("2029-07"))]:
        assert told.fit(pd.Series(y, index)).predict().index[-1] == last
    assert isinstance(told.fit(pd.Series(y, np.sqrt(np.arange(60)))).predict(), np.ndarray)


def test_what_cannot_be_forecast_is_refused_with_the_reason():
    y, X = series(40)
    with pytest.raises(ValueError, match="`horizons` = 0 is not allowed"):
        nk.Forecaster(horizons=[0]).fit(y)
    for name in ("horizons", "seasons", "means", "periods"):
        with pytest.raises(TypeError, match=f"`{name}` is 24, and must be a sequence such as"):
            nk.Forecaster(**{name: 24}).fit(y)
    for wrong in (0, -1.0, np.inf, np.nan, "day"):
        with pytest.raises(ValueError, match=f"`periods` = {wrong!r} is not allowed"):
            nk.Forecaster(periods=[wrong]).fit(y)
    for estimator in (nk.KernelRidgeLowRank(), nk.Intervals(base=nk.KernelRidgeLowRank()), nk.Aggregate(experts=["kernel-ridge-low-rank"])):
        with pytest.raises(TypeError, match="`estimator`: a KernelRidgeLowRank has no `partial_fit`"):
            nk.Forecaster(estimator).fit(y)
    with pytest.raises(ValueError, match="X has 'oak' in row 0 of the column 'a'"):
        nk.Forecaster().fit(y, pd.DataFrame({"a": ["oak"] * 40}))
    with pytest.raises(ValueError, match="`horizons` has none"):
        nk.Forecaster(horizons=[]).fit(y)
    with pytest.raises(ValueError, match="no columns to forecast from"):
        nk.Forecaster(lags=0).fit(y)
    with pytest.raises(ValueError, match="X has 39 rows, and must have 40: one for each target"):
        model().fit(y, X[:39])
    fitted = model().fit(y, X)
    with pytest.raises(ValueError, match="X has 7 rows, and must have 3: one for each horizon"):
        fitted.predict(X[:7])
    with pytest.raises(ValueError, match="X has 0 columns, and had 2 when learning began"):
        fitted.predict()
    with pytest.raises(ValueError, match="NaN"):
        fitted.partial_fit([np.nan], X[:1])
    with pytest.raises(ValueError, match="not fitted"):
        model().predict()


CASES = [one for one in json.loads(VECTORS.read_text()) if one["algorithm"] == "aggregate"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_aggregated_forecasts_and_weights_are_those_of_the_reference(case):
    """The vectors come from a program in numpy, written from the definitions; some forecasts are absent."""
    given = {name: value for name, value in case["params"].items() if name != "shifts"}
    F, y = np.where(case["inputs"]["awake"], case["inputs"]["F"], np.nan), case["inputs"]["y"]
    predictions, weights, aggregate = [], [], nk.Aggregate(**given)
    for t in range(len(y)):
        predictions.append(aggregate.play(F[t : t + 1], y[t : t + 1]).predictions[0])
        weights.append(aggregate.weights_)
    np.testing.assert_allclose(predictions, case["expected"]["predictions"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(weights, case["expected"]["weights"], rtol=0, atol=1e-9)


def test_columns_and_arguments_are_those_of_the_beginning():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(100, 2)), columns=["a", "b"])
    model = nk.Forecaster().fit(rng.normal(size=100), X)
    for call in (model.predict, partial(model.partial_fit, [0.0])):
        with pytest.raises(ValueError, match=r"X has the columns \['b', 'a'\], and had \['a', 'b'\]"):
            call(X[:1][["b", "a"]])
    model.set_params(horizons=[1, 2])
    with pytest.raises(ValueError, match="`horizons` was changed"):
        model.partial_fit([0.0], X[:1])
