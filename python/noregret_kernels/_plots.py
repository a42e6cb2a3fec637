"""Pictures of a stream, with matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from noregret_kernels._watch import History


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plots need matplotlib: pip install matplotlib") from None
    return plt.subplots()[1]


def plot_regret(losses: Mapping[str, ArrayLike] | ArrayLike, reference: ArrayLike, ax: Any = None) -> Any:
    """Draws sums of losses minus those of a reference against the number of rows, and returns the axes.

    ``losses`` are those of `play`, of one learner or of several by name; ``reference`` is a list of losses on the same rows, or one
    number, the loss of the best fixed predictor over all of them (`comparator`), of which each row gets the same part. Below 0, a
    learner has lost less than the reference. Values are in units of the loss.
    """
    several: Mapping[str, Any] = losses if isinstance(losses, Mapping) else {"regret": losses}
    ax = _axes(ax)
    for name, one in several.items():
        one = np.asarray(one, dtype=np.float64)
        other = np.asarray(reference, dtype=np.float64)
        if other.ndim and other.shape != one.shape:
            raise ValueError(f"{name} has {len(one)} losses, and the reference has {len(other)}")
        ax.plot(np.arange(1, len(one) + 1), np.cumsum(one - (other if other.ndim else other / len(one))), label=name)
    ax.axhline(0.0, color="black", linewidth=0.5)
    ax.set_xlabel("rows")
    ax.set_ylabel("loss minus that of the reference")
    if isinstance(losses, Mapping):
        ax.legend()
    return ax


def plot_weights(history: History, names: Sequence[str] | None = None, ax: Any = None) -> Any:
    """Draws the weights of a mixture's forecasts against the number of rows, as areas, and returns the axes.

    ``history`` is the callback of `play`, which has weights after every 1,024 rounds; ``names`` are those of the forecasts.
    """
    weights = history.weights
    if weights.ndim != 2 or weights.shape[1] == 0:
        raise ValueError("the history has no weights: give it to `play` of a mixture as its `callback`")
    if names is not None and len(names) != weights.shape[1]:
        raise ValueError(f"there are {len(names)} names for {weights.shape[1]} forecasts")
    ax = _axes(ax)
    labels = names if names is not None else [f"forecast {one + 1}" for one in range(weights.shape[1])]
    ax.stackplot(history.rounds, weights.T, labels=labels)
    ax.set_xlabel("rows")
    ax.set_ylabel("weight")
    ax.legend(loc="upper left")
    return ax
