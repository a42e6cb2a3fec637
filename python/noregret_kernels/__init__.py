"""Online learning with kernels: learners with regret bounds, as estimators of scikit-learn and of River."""

from noregret_kernels import _core, learners
from noregret_kernels._base import OnlineClassifier, OnlineEstimator, OnlineRegressor, Played, play
from noregret_kernels._classes import PlayedClasses, StreamClassifier
from noregret_kernels._core import Breakdown, Learner, __version__
from noregret_kernels._saved import load
from noregret_kernels._tools import (
    Best,
    FourierFeatures,
    Noise,
    NoisyLearner,
    TaylorFeatures,
    bound,
    comparator,
    gram,
    theorems,
)
from noregret_kernels.learners import *  # noqa: F403

__all__ = [
    "Best",
    "Breakdown",
    "FourierFeatures",
    "Learner",
    "Noise",
    "NoisyLearner",
    "OnlineClassifier",
    "OnlineEstimator",
    "OnlineRegressor",
    "Played",
    "PlayedClasses",
    "StreamClassifier",
    "TaylorFeatures",
    "bound",
    "comparator",
    "gram",
    "load",
    "play",
    "theorems",
    *learners.__all__,
]
