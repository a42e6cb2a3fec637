"""Online learning with kernels: learners with regret bounds, as estimators of scikit-learn and of River."""

from noregret_kernels import _core, kernels, learners
from noregret_kernels._base import (
    Distribution,
    DistributionRegressor,
    IntervalRegressor,
    OnlineEstimator,
    OnlineRegressor,
    Played,
    PlayedIntervals,
    play,
)
from noregret_kernels._classes import AutoClassifier, PlayedClasses, StreamClassifier
from noregret_kernels._columns import ColumnEncoder
from noregret_kernels._core import Breakdown, Learner, __version__
from noregret_kernels._forecast import Forecaster
from noregret_kernels._kernels import Kernel
from noregret_kernels._plots import plot_regret, plot_weights
from noregret_kernels._results import results
from noregret_kernels._saved import load
from noregret_kernels._scores import expected_failed_checks
from noregret_kernels._serve import serve
from noregret_kernels._stream import compare, stream
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
from noregret_kernels._two_classes import OnlineClassifier
from noregret_kernels._watch import History, Step
from noregret_kernels.kernels import *  # noqa: F403
from noregret_kernels.learners import *  # noqa: F403

__all__ = [
    "AutoClassifier",
    "Best",
    "Breakdown",
    "ColumnEncoder",
    "Distribution",
    "DistributionRegressor",
    "Forecaster",
    "FourierFeatures",
    "History",
    "IntervalRegressor",
    "Kernel",
    "Learner",
    "Noise",
    "NoisyLearner",
    "OnlineClassifier",
    "OnlineEstimator",
    "OnlineRegressor",
    "Played",
    "PlayedClasses",
    "PlayedIntervals",
    "Step",
    "StreamClassifier",
    "TaylorFeatures",
    "bound",
    "comparator",
    "compare",
    "expected_failed_checks",
    "gram",
    "load",
    "play",
    "plot_regret",
    "plot_weights",
    "results",
    "serve",
    "stream",
    "theorems",
    *kernels.__all__,
    *learners.__all__,
]
