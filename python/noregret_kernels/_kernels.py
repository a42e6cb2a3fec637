"""What the generated kernels have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_array

from noregret_kernels import _core
from noregret_kernels._parameters import of_learner


class Kernel(BaseEstimator):
    """A kernel with its parameters, which searches reach as ``kernel__bandwidth``.

    It is the value of an estimator's ``kernel``, and a function: called with X of shape (n, d) and Z of shape (m, d), it returns
    the matrix of k(x, z) of shape (n, m).

    >>> import numpy as np
    >>> from noregret_kernels import Gaussian, KernelRidge
    >>> model = KernelRidge(kernel=Gaussian(bandwidth=0.5))
    >>> model.set_params(kernel__bandwidth=2.0).kernel
    Gaussian(bandwidth=2.0)
    >>> float(Gaussian(bandwidth=1.0)(np.zeros((1, 2)), np.ones((1, 2)))[0, 0])   # exp(-1)
    0.36787944117144233
    """

    _kernel: str

    def _as_part(self) -> dict[str, Any]:
        return {"name": self._kernel, **of_learner(self.get_params(deep=False))}

    def __call__(self, X: ArrayLike, Z: ArrayLike | None = None) -> NDArray[np.float64]:
        """The values k(x, z) for the rows x of X and z of Z (of X itself without one), float64."""
        left = check_array(X, dtype=np.float64)
        right = left if Z is None else check_array(Z, dtype=np.float64)
        return _core.gram(self._as_part(), left, right)
