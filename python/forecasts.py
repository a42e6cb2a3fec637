"""Losses of forecasts several steps ahead, as multiples of those of the last known value: the numbers in docs/src/python.md.

For each series, `Forecaster` plays at most 1,000 targets at horizons 1 and 6 with 8 lags and defaults otherwise; the first 200 (of the
short series 30) are not counted. Losses are mean squared errors of forecasts that were made 1 and 6 steps before their targets.

    python -P forecasts.py
"""

import noregret_kernels as nk
import numpy as np
from river import datasets

HORIZONS = [1, 6]


def series():
    """Monthly passengers and the water flow of River, an autoregression, a chaotic map with noise, and a seasonal random walk."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=1000)
    walk = 0.3 * np.cumsum(rng.normal(size=1000)) + rng.normal(size=1000)
    autoregression, chaotic, t = np.zeros(1000), np.full(1000, 0.3), np.arange(1000)
    for s in range(2, 1000):
        autoregression[s] = 1.2 * autoregression[s - 1] - 0.5 * autoregression[s - 2] + noise[s]
    for s in range(1, 1000):
        chaotic[s] = np.sin(2.5 * chaotic[s - 1]) + 0.05 * noise[s]
    yield "passengers", np.array([y for _, y in datasets.AirlinePassengers()], dtype=float)
    yield "water flow", np.array([y for _, y in datasets.WaterFlow()], dtype=float)[:1000]
    yield "autoregression", autoregression
    yield "chaotic map", chaotic
    yield "seasonal walk", 10 * np.sin(2 * np.pi * t / 24) + 5 * np.sin(2 * np.pi * t / 168) + walk


def main():
    estimators = {
        "LinearRidge()": nk.LinearRidge(),
        'Auto(members="plain")': nk.Auto(members="plain"),
        "Aggregate(...)": nk.Aggregate(experts=["linear-ridge", "kernel-awv", "last-value"]),
    }
    print(f"{'series':>15} {'rows':>5} " + " ".join(f"{name:>22}" for name in estimators))
    for name, y in series():
        first = 30 if len(y) < 200 else 200
        last = np.array([np.mean((y[first:] - y[first - h : -h]) ** 2) for h in HORIZONS])
        ratios = [
            nk.Forecaster(one, HORIZONS, lags=8).play(y).losses[first:].mean(axis=0) / last for one in estimators.values()
        ]
        print(f"{name:>15} {len(y):>5} " + " ".join(f"{one[0]:>14.2f} / {one[1]:.2f} " for one in ratios))


if __name__ == "__main__":
    main()
