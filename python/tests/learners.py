"""The classes of the package, none of which needs an argument."""

import noregret_kernels as nk

CLASSES = [getattr(nk, name) for name in nk.learners.__all__]
REGRESSORS = [cls for cls in CLASSES if issubclass(cls, nk.OnlineRegressor)]
CLASSIFIERS = [cls for cls in CLASSES if issubclass(cls, nk.OnlineClassifier)]
