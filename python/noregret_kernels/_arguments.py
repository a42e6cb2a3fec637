"""Arguments that hold from the first round on."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Self

from sklearn.base import BaseEstimator

from noregret_kernels._parameters import of_value, plain


class OwnCopy:
    """Something that learns: a shallow copy would go on learning together with it, so that `copy.copy` copies what is learnt, too."""

    def __copy__(self) -> Self:
        return deepcopy(self)


class FixedArguments(OwnCopy, BaseEstimator):
    """An estimator that learns on and on, and that refuses to when its arguments were changed meanwhile."""

    def _fixed(self) -> dict[str, Any]:
        """The arguments that what is learnt follows from, as values that can be compared."""
        return {name: plain(of_value(value)) for name, value in self.get_params(deep=False).items()}

    def _remember(self) -> None:
        """Keeps the arguments that the learner is built with."""
        self._built: dict[str, Any] = self._fixed()

    def _check_arguments(self) -> None:
        """Refuses arguments that were set after learning began: what was learnt does not follow them."""
        now = self._fixed()
        for name, before in self._built.items():
            value = now[name]
            if value is not before and value != before:
                raise ValueError(
                    f"`{name}` was changed from {before!r} to {value!r} after learning began, and what was learnt does not follow:"
                    " start anew with `fit` or `play(..., fresh=True)`, or set it back"
                )
