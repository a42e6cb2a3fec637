"""Online learning with kernels: learners with regret bounds, as estimators of scikit-learn and of River."""

from noregret import _core, learners
from noregret._base import OnlineClassifier, OnlineEstimator, OnlineRegressor, Played, play
from noregret._core import Breakdown, Learner, __version__
from noregret.learners import *  # noqa: F403

__all__ = [
    "Breakdown",
    "Learner",
    "OnlineClassifier",
    "OnlineEstimator",
    "OnlineRegressor",
    "Played",
    "play",
    *learners.__all__,
]
