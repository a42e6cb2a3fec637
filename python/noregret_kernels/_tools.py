"""Kernels, feature maps, comparators, bounds of theorems, and learners behind noise."""

from __future__ import annotations

import json
import os
from typing import Any, NamedTuple, Self, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_array, check_consistent_length, check_is_fitted, column_or_1d, validate_data

from noregret_kernels import _core
from noregret_kernels._arguments import OwnCopy
from noregret_kernels._base import Played, seed_of
from noregret_kernels._frames import numbers_of
from noregret_kernels._parameters import of_learner, of_value, whole


def gram(X: ArrayLike, Y: ArrayLike | None = None, *, kernel: Any = "gaussian", **parameters: Any) -> NDArray[np.float64]:
    """The matrix of k(x, z) for the rows x of X and z of Y (of X itself without one), at float64.

    ``kernel`` is a name, with its parameters as further arguments, or an object such as `Gaussian`. The matrix is what scikit-learn's
    estimators take as `kernel="precomputed"`.

    >>> import numpy as np
    >>> from noregret_kernels import gram
    >>> gram(np.eye(2), kernel="linear").tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    left = check_array(X, dtype=np.float64)
    right = left if Y is None else check_array(Y, dtype=np.float64)
    part = {"name": kernel} if isinstance(kernel, str) else of_value(kernel)
    return _core.gram({**part, **of_learner(parameters)}, left, right)


class _Features(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A feature map; `fit` only learns how many inputs there are."""

    _family: str

    def fit(self, X: ArrayLike, y: Any = None) -> Self:
        """Checks the parameters for inputs of this number of columns."""
        rows = cast(Any, validate_data(self, X, dtype=np.float64))
        self.seed_ = self._seed()
        self._n_features_out = self._map(rows[:1]).shape[1]
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float64]:
        """The features of each row, shape (rows, features)."""
        check_is_fitted(self, "seed_")
        return self._map(cast(Any, validate_data(self, X, reset=False, dtype=np.float64)))

    def _seed(self) -> int:
        return 0

    def _map(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        given = {name: value for name, value in self.get_params(deep=False).items() if name != "random_state"}
        return _core.features(self._family, given, self.seed_, X)


class TaylorFeatures(_Features):
    """Features of the Gaussian kernel: all monomials up to a degree, times exp(-|x|^2 / (2 bandwidth^2)).

    Their inner product is the kernel with exp(<x, z> / bandwidth^2) cut after the term of that degree (Cotter, Keshet, Srebro
    2011); the learners called -taylor regress over them.

    Parameters
    ----------
    bandwidth : float or "scale", default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)); "scale" is the square root of the number of inputs.
    order : int, default 2
        Largest degree M; there are C(M + d, d) features of d inputs.
    """

    _family = "taylor"

    def __init__(self, *, bandwidth: float | str = 1.0, order: int = 2) -> None:
        self.bandwidth = bandwidth
        self.order = order


class FourierFeatures(_Features):
    """Random Fourier features of the Gaussian kernel, with means of squares that sum to 1 (Rahimi, Recht, NIPS 2007).

    Parameters
    ----------
    bandwidth : float or "scale", default 1.0
        Width of the Gaussian kernel exp(-|x - z|^2 / (2 bandwidth^2)); "scale" is the square root of the number of inputs.
    features : int, default 100
        Number of frequencies; each gives a sine and a cosine.
    kind : str, default 'iid'
        "iid" for independent frequencies, "orthogonal" for frequencies that are orthogonal within blocks.
    random_state : int | RandomState | None, default 0
        Seed of the frequencies.
    """

    _family = "fourier"

    def __init__(
        self, *, bandwidth: float | str = 1.0, features: int = 100, kind: str = "iid", random_state: Any = 0
    ) -> None:
        self.bandwidth = bandwidth
        self.features = features
        self.kind = kind
        self.random_state = random_state

    def _seed(self) -> int:
        return seed_of(self.random_state)


class Best(NamedTuple):
    """The loss of the best fixed predictor."""

    loss: float
    """Its sum of losses."""
    objective: float
    """What it minimises: the loss, plus a penalty if the comparator has one. Regret is measured against this."""


def comparator(name: str, X: ArrayLike, y: ArrayLike, *, loss: str = "squared", **parameters: Any) -> Best:
    """The best fixed predictor in hindsight, such as `penalised` or `norm-ball`, against which regret is measured."""
    X, y = _rows(X, y)
    return Best(*_core.comparator(name, of_learner(parameters), {"name": loss}, X, y))


def bound(theorem: str, rounds: float, **values: float) -> float:
    """The bound of a theorem after so many rounds, for the values of its parameters; `theorems()` names them."""
    return _core.bound(theorem, rounds, {("lambda" if name == "lam" else name): one for name, one in values.items()})


def theorems() -> dict[str, dict[str, Any]]:
    """What each theorem says, by its name: `statement`, `place` in its paper, `parameters`, and whether it has a `bound`."""
    return {one.pop("name"): one for one in json.loads(_core.theorems())}


class NoisyLearner(OwnCopy):
    """A learner that sees noisy copies of examples only; those made for exact data take the mean of `copies` copies.

    `learn` takes an oracle, an object of your own that hands out copies: `x()` returns one more copy of the inputs, `y()` one
    of the target, and `covariance_times(w)` the product of the noise's covariance with w, for learners that ask for it.
    `play` adds the noise itself, and scores predictions of the clean rows. Pickles and copies go on with the same bits; what
    they ask for is counted anew.
    """

    noise: Noise | None = None
    """The noise that `noregret stream` added, in a learner that `noregret_kernels.load` made of such a model."""

    def __init__(
        self,
        name: str,
        dim: int,
        *,
        horizon: int | None = None,
        seed: int = 0,
        copies: int | None = None,
        **parameters: Any,
    ) -> None:
        self._core = _core.NoisyLearner(name, of_learner(parameters), cast(int, whole("dim", dim, 1)), horizon, seed, copies)

    @classmethod
    def _of(cls, core: _core.NoisyLearner, noise: Noise | None) -> Self:
        self = cls.__new__(cls)
        self._core, self.noise = core, noise
        return self

    @property
    def rounds(self) -> int:
        """The number of rounds played."""
        return self._core.rounds

    @property
    def queries(self) -> int:
        """The number of copies that it has asked for in `play`."""
        return self._core.queries

    def learn(self, oracle: Any) -> None:
        """Plays one round with the copies that the oracle hands out."""
        self._core.learn(oracle)

    def play(self, X: ArrayLike, y: ArrayLike, noise: Noise) -> Played:
        """Plays rows behind noise; returns the prediction for each clean row, made before its round, and its loss."""
        return Played(*self._core.play(*_rows(X, y), noise._core))

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """The predictions for rows, in units of the target, shape (rows,). They teach the learner nothing."""
        with numbers_of(X) as rows:
            return self._core.predict(check_array(rows, dtype=np.float64))

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        noise: Noise | None = None,
        columns: list[str] | None = None,
        target: str = "y",
    ) -> None:
        """Saves the learner as `noregret stream --save` does, for `noregret_kernels.load`.

        `noregret stream --load` and `noregret predict` also need to know the `noise` that is to be added, with the seed of the
        learner. `columns` are the names of the inputs, x1, x2, ... by default.
        """
        names = None if columns is None else [str(name) for name in columns]
        self._core.save(os.fspath(path), None if noise is None else noise._core, names, target)


class Noise:
    """Noise on inputs and targets: a law such as `gaussian` with its parameters, as in `noregret stream --noise`.

    The noise on targets follows the same law with the standard deviation `target_std`, and is Gaussian where the law has none.
    """

    def __init__(self, law: str = "gaussian", *, target_std: float = 0.0, seed: int = 0, **parameters: Any) -> None:
        self._core = _core.Noise(law, parameters, float(target_std), seed)

    @classmethod
    def _of(cls, core: _core.Noise) -> Self:
        self = cls.__new__(cls)
        self._core = core
        return self


def _rows(X: ArrayLike, y: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    with numbers_of(X) as given:
        rows, targets = check_array(given, dtype=np.float64), column_or_1d(y, dtype=np.float64)
    check_consistent_length(rows, targets)
    return rows, targets
