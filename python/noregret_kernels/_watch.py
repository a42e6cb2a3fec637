"""What is seen of a stream while it is played."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: Rows between two calls of a callback: whole blocks, so that watching changes no bit.
ROWS = 1024


class Step(NamedTuple):
    """What a callback of `play` is given after every 1,024 rounds and at the end."""

    model: Any
    """The estimator that plays."""
    rounds: int
    """The number of rounds that it has played."""
    predictions: NDArray[Any]
    """The predictions of the rounds since the last call, shape (rows,)."""
    losses: NDArray[np.float64]
    """Their losses, shape (rows,)."""


class History:
    """A callback that keeps mean losses and, of mixtures, weights: `plot_weights` draws them.

    >>> import numpy as np
    >>> from noregret_kernels import ExpertMixture, History
    >>> X = np.linspace(-1, 1, 3000).reshape(-1, 1)
    >>> history = History()
    >>> played = ExpertMixture().play(X, X[:, 0] ** 2, callback=history)
    >>> history.rounds, history.weights.shape
    ([1024, 2048, 3000], (3, 4))
    """

    def __init__(self) -> None:
        self.rounds: list[int] = []
        self.mean_losses: list[float] = []
        self._weights: list[NDArray[np.float64]] = []

    def __call__(self, step: Step) -> None:
        self.rounds.append(step.rounds)
        self.mean_losses.append(float(step.losses.mean()))
        self._weights.append(getattr(step.model, "weights_", np.empty(0)))

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights in the last round before each call, shape (calls, forecasts); no columns where the model is no mixture."""
        return np.array(self._weights)


def parts(
    rows: int, played: int, callback: Callable[[Step], object] | None, progress: bool
) -> Iterator[slice]:
    """The rows of a call in the parts that are played together: one, unless somebody watches."""
    if callback is None and not progress:
        yield slice(0, rows)
        return
    bar = _bar(rows) if progress else None
    at = 0
    while at < rows:
        to = min(rows, at + ROWS - (played + at) % ROWS)
        yield slice(at, to)
        if bar is not None:
            bar.update(to - at)
        at = to
    if bar is not None:
        bar.close()


def _bar(rows: int) -> Any:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise ImportError("`progress` draws a bar with tqdm, which is not here: pip install tqdm") from None
    return tqdm(total=rows, unit="rows")
