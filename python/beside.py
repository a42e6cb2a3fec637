"""Losses and processor time of online regressors of five libraries beside each other: the table in docs/src/python.md.

Every prediction is made before its target is seen, in the order of the rows. A loss is the sum of squared errors after the first 50 rows
as a multiple of that of the mean of all earlier targets. "in hindsight" is the best of the values in brackets, which nobody can know
beforehand; all else are defaults. Times are of one thread's processor for a row of the largest stream, learnt one by one where the
library does that, and in one call where it takes frames.

    python -P beside.py [FILE.csv TARGET]          # with columns of numbers; needs river, scikit-learn, padasip, and polars-online
                                                # (Python 3.12), which is left out where it does not import
"""

import sys
import time
import warnings
from functools import partial

import noregret_kernels as nk
import numpy as np
import padasip
import pandas as pd
from noregret_kernels import river as nk_river
from river import datasets, forest, linear_model, neighbors, optim, preprocessing, tree
from sklearn.datasets import load_diabetes
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import SGDRegressor

try:
    import polars as pl
    import polars_online
except ImportError:
    polars_online = None

FIRST = 50


def streams():
    """Streams that come with River and scikit-learn, and two of its generators; those of rows in no order are shuffled."""
    def of_river(stream):
        rows = list(stream)
        return pd.DataFrame([x for x, _ in rows]).select_dtypes("number").to_numpy(float), np.array([y for _, y in rows], float)

    X, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    yield "diabetes", X[order], y[order]
    yield "approval", *of_river(datasets.TrumpApproval())
    yield "linear", *linear(10_000)
    yield "friedman", *of_river(datasets.synth.Friedman(seed=0).take(10_000))
    yield "drift", *of_river(datasets.synth.FriedmanDrift("lea", position=(2_500, 5_000, 7_500), seed=0).take(10_000))


def linear(count):
    """Ten columns on scales from .01 to 100, and a line of them that turns slowly, with noise of variance 1."""
    rng = np.random.default_rng(1)
    scales, turn = 10.0 ** rng.uniform(-2, 2, 10), np.linspace(0, np.pi, count)[:, None]
    a, b, X = *rng.normal(size=(2, 10)), rng.normal(size=(count, 10))
    return X * scales, (X * (a * np.cos(turn) + b * np.sin(turn))).sum(axis=1) + rng.normal(size=count)


def rows_of(model, X, y):
    """A model of River, over dictionaries."""
    said = np.zeros(len(y))
    for t, (row, target) in enumerate(zip(X.tolist(), y.tolist(), strict=True)):
        x = dict(enumerate(row))
        said[t] = model.predict_one(x) or 0.0
        model.learn_one(x, target)
    return said


def plain(model, X, y, features=None):
    """SGDRegressor of scikit-learn, on standardised inputs or features of them."""
    said, shown = np.zeros(len(y)), standardised(X)
    if features is not None:
        shown = features.fit(shown).transform(shown)
    for t in range(len(y)):
        said[t] = model.predict(shown[t : t + 1])[0] if t else 0.0
        model.partial_fit(shown[t : t + 1], y[t : t + 1])
    return said


def features(X):
    """Random features of the kernel that PkrrFourier has by default, as many."""
    return RBFSampler(gamma=0.5 / X.shape[1], n_components=100, random_state=0)


def standardised(X):
    """Inputs less the mean, over the deviation, of the rows up to theirs, for learners that do not scale them."""
    counts = np.arange(1, len(X) + 1)[:, None]
    means = np.cumsum(X, axis=0) / counts
    deviations = np.sqrt(np.maximum(np.cumsum(X**2, axis=0) / counts - means**2, 0.0))
    return (X - means) / np.where(deviations > 1e-9 * np.abs(means), deviations, 1.0)


def recursive(mu, X, y):
    """Recursive least squares of padasip with a constant column, on standardised inputs."""
    return padasip.filters.FilterRLS(X.shape[1] + 1, mu=mu).run(y, np.column_stack([standardised(X), np.ones(len(y))]))[0]


def frames(half_life, X, y):
    """ewridge of polars-online, solved after every row."""
    names = [f"x{j}" for j in range(X.shape[1])]
    spec = polars_online.spec.ewridge(
        "m", targets=["y"], features=names, half_life=half_life, standardize=True, max_rows_between_solves=1
    )
    frame = pl.DataFrame(X, schema=names).with_columns(y=pl.Series(y))
    return frame.online.fit_predict([spec])["m"].struct.field("pred_y").fill_null(0.0).fill_nan(0.0).to_numpy()


def sgd(rate):
    return preprocessing.StandardScaler() | linear_model.LinearRegression(optim.SGD(rate))


def learners():
    """Names, whether the best is chosen in hindsight, and functions of inputs and targets to predictions."""
    for name in ("LinearRidge", "PkrrFourier", "Auto"):
        yield f"noregret_kernels {name}()", [lambda X, y, name=name: getattr(nk, name)().play(X, y).predictions]
    yield 'noregret_kernels Auto(members="plain")', [lambda X, y: nk.Auto(members="plain").play(X, y).predictions]
    yield "noregret_kernels LinearRidge, in hindsight [100, 1000, inf]", [
        lambda X, y, h=h: nk.LinearRidge(half_life=h).play(X, y).predictions for h in (100.0, 1000.0, "infinite")
    ]
    yield "noregret_kernels.river LinearRidge()", [lambda X, y: rows_of(nk_river.LinearRidge(), X, y)]
    if polars_online:
        yield "polars-online ewridge(half_life=inf)", [partial(frames, float("inf"))]
        yield "polars-online ewridge, in hindsight [100, 1000, inf]", [partial(frames, h) for h in (100.0, 1000.0, float("inf"))]
    yield "padasip FilterRLS(mu=.99)", [partial(recursive, 0.99)]
    yield "padasip FilterRLS, in hindsight [.99, .999, 1]", [partial(recursive, mu) for mu in (0.99, 0.999, 1.0)]
    yield "scikit-learn SGDRegressor()", [lambda X, y: plain(SGDRegressor(random_state=0), X, y)]
    yield "scikit-learn RBFSampler, SGDRegressor()", [lambda X, y: plain(SGDRegressor(random_state=0), X, y, features(X))]
    yield "scikit-learn RBFSampler, SGDRegressor with a constant step, in hindsight [.001, .01, .1]", [
        lambda X, y, step=step: plain(SGDRegressor(learning_rate="constant", eta0=step, random_state=0), X, y, features(X))
        for step in (0.001, 0.01, 0.1)
    ]
    yield "River LinearRegression()", [lambda X, y: rows_of(sgd(0.01), X, y)]
    yield "River LinearRegression, in hindsight [.001, .01, .1]", [
        lambda X, y, rate=rate: rows_of(sgd(rate), X, y) for rate in (0.001, 0.01, 0.1)
    ]
    trees = [
        ("BayesianLinearRegression()", linear_model.BayesianLinearRegression),
        ("KNNRegressor()", neighbors.KNNRegressor),
        ("HoeffdingAdaptiveTreeRegressor(seed=0)", partial(tree.HoeffdingAdaptiveTreeRegressor, seed=0)),
        ("ARFRegressor(seed=0)", partial(forest.ARFRegressor, seed=0)),
    ]
    for label, model in trees:
        yield f"River {label}", [lambda X, y, model=model: rows_of(preprocessing.StandardScaler() | model(), X, y)]


def loss(said, y):
    before = np.cumsum(y)[:-1] / np.arange(1, len(y))
    with np.errstate(over="ignore", invalid="ignore"):
        ratio = np.sum((said[FIRST:] - y[FIRST:]) ** 2) / np.sum((before[FIRST - 1 :] - y[FIRST:]) ** 2)
    return ratio if ratio < 100 else np.inf


def main(*given):
    warnings.simplefilter("ignore")
    data = list(streams())
    if given:
        frame = pd.read_csv(given[0]).select_dtypes("number").dropna()
        data = [(given[0], frame.drop(columns=given[1]).to_numpy(float), frame[given[1]].to_numpy(float))]
    longest = max(range(len(data)), key=lambda one: len(data[one][2]))
    print("| learner | " + " | ".join(name for name, *_ in data) + " | us a row |")
    print("|---|" + "---:|" * (len(data) + 1))
    for label, ways in learners():
        cells = []
        for number, (_, X, y) in enumerate(data):
            begun = time.process_time()
            best = min(loss(np.asarray(way(X, y), float), y) for way in ways)
            if number == longest:
                spent = (time.process_time() - begun) * 1e6 / len(y) / len(ways)
            cells.append("more than 100" if np.isinf(best) else f"{best:.3f}".removeprefix("0"))
        print(f"| {label} | " + " | ".join(cells) + f" | {spent:.1f} |", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
