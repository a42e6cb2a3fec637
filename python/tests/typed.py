"""A program that uses the package; check.sh runs `mypy --strict` on it, and then the program itself."""

import numpy as np
from numpy.typing import NDArray

import noregret_kernels as nk
from noregret_kernels.river import PkrrFourier


def rows(count: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(0)
    X: NDArray[np.float64] = rng.normal(size=(count, 2))
    y: NDArray[np.float64] = X[:, 0] * X[:, 1]
    return X, y


def main() -> None:
    X, y = rows(300)
    model: nk.KernelRidge = nk.KernelRidge(lam=0.1, kernel=nk.Gaussian(bandwidth=0.5)).fit(X, y)
    predictions, losses = model.partial_fit(X, y).play(X, y, callback=nk.History())
    mean: float = float(losses.mean())
    told = nk.Intervals(base=model.set_params(lam=1.0), alpha=0.1).play(X, y)
    lower: NDArray[np.float64] = told.lower
    words = nk.AioliFourierClassifier().fit(X, y > 0).predict_proba(X)
    classes = nk.AutoClassifier().play(X, y > 0, classes=[False, True]).probabilities
    automatic: NDArray[np.float64] = nk.Auto().fit(X, y).predict(X)
    weights = nk.ExpertMixture(bound=5.0).fit(X, y).weights_
    gram = nk.gram(X, kernel=nk.Laplace())
    ahead: NDArray[np.float64] = nk.Forecaster(nk.Auto(), [1, 2], lags=3).play(y, X).predictions
    print(nk.bound("aioli", 10, **{}) if mean < 0 else nk.theorems()["aioli"]["statement"], predictions.shape)
    print(lower.shape, words.shape, classes.shape, automatic.shape, weights.shape, gram.shape, ahead.shape)
    one = PkrrFourier(lam=0.1)
    one.learn_one({"a": 1.0}, 2.0)
    guess: float = one.predict_one({"a": 1.0})
    print(guess)


if __name__ == "__main__":
    main()
