"""Measures forecasts in sktime that go on with each new target: `python -P speed_sktime.py`, where sktime is installed.

10,000 steps with one new target each are played by `update_predict` and by `update_predict_single`, against fitting and predicting again at each step, with all
targets known by then: the same forecaster, and sktime's own direct reduction of scikit-learn's Ridge with 8 lags, which has no update but
that. Refitting is measured after 10 of the steps only, in the middle of each tenth, and their mean stands for all. Numbers are of
processor time; what sktime spends on checks and times is a part of both.
"""

import importlib.metadata
import time

import numpy as np
import pandas as pd
from sklearn.linear_model import Ridge
from sktime.forecasting.compose import make_reduction

import noregret_kernels as nk
from noregret_kernels.sktime import OnlineForecaster

STEPS, FIRST, SAMPLES = 10_000, 100, 10


def spent(work):
    before = time.process_time()
    told = work()
    return time.process_time() - before, told


def main():
    t = np.arange(FIRST + STEPS)
    values = 20 + 5 * np.sin(2 * np.pi * t / 24) + np.random.default_rng(0).normal(size=len(t))
    y = pd.Series(values, pd.date_range("2020-01-01", periods=len(t), freq="h"))
    models = {
        "LinearRidge, 8 lags": OnlineForecaster(),
        "LinearRidge, 24 lags, a season, a mean, a period": OnlineForecaster(lags=24, seasons=[24], means=[24], periods=[24.0]),
        "PkrrNystrom": OnlineForecaster(nk.PkrrNystrom(lam=0.1)),
        "PkrrFourier": OnlineForecaster(nk.PkrrFourier(lam=0.1)),
        "Aggregate": OnlineForecaster(nk.Aggregate(experts=[nk.LinearRidge(), "pkawv-taylor", "last-value"])),
    }
    cutoffs = [FIRST + int((part + 0.5) * STEPS / SAMPLES) for part in range(SAMPLES)]

    def refitting(model):
        """Processor times of refitting at the cutoffs, and the forecasts."""
        fits = [spent(lambda at=at: model.clone().fit(y[: at + 1], fh=[1]).predict().iloc[0]) for at in cutoffs]
        return np.array(fits).T

    def line(seconds):
        least, most = 1e3 * seconds.min(), 1e3 * seconds.max()
        return f"{seconds.mean() * STEPS:.0f} s ({SAMPLES} fits, {least:.1f} to {most:.1f} ms)"

    print(", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("sktime", "pandas", "scikit-learn", "numpy")))
    theirs, _ = refitting(make_reduction(Ridge(), window_length=8, strategy="direct"))
    print(f"refitting sktime's reduction of Ridge at each step: {line(theirs)}")
    for name, model in models.items():
        model.fit(y[:FIRST], fh=[1])
        at_once, _ = spent(lambda: model.update_predict(y[FIRST:]))  # noqa: B023
        steps = [spent(lambda at=at: model.update_predict_single(y[at : at + 1]).iloc[0]) for at in range(FIRST, FIRST + STEPS)]  # noqa: B023
        stepping, told = np.array(steps).T
        again, fresh = refitting(model)
        off = np.abs(told[np.array(cutoffs) - FIRST] - fresh).max()
        print(
            f"{name}: {STEPS} steps of update_predict {at_once:.2f} s, a {STEPS * again.mean() / at_once:.0f}th of refitting at each;"
            f" of update_predict_single {stepping.sum():.1f} s, the last thousand {stepping[-1000:].mean() * 1e3:.2f} ms each;"
            f" refitting at each {line(again)}, {again.mean() / stepping.mean():.1f} times as much,"
            f" sktime's reduction {theirs.mean() / stepping.mean():.1f} times; forecasts are off by {off:.0e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
