"""An example of each learner, with values for the parameters that must be given."""

import json

import noregret_kernels as nk
from noregret_kernels import _core

DECLARED = {one["name"]: one for one in json.loads(_core.declarations())}

#: The horizon of formulas in the number of rounds, which `partial_fit` needs.
HORIZON = 200


def example(cls, **over):
    """An instance of a generated class, of scikit-learn's or River's kind."""
    declared = DECLARED[cls._learner]
    required = {one["python"]: declared["example"].get(one["name"]) for one in declared["parameters"]}
    required = {name: value for name, value in required.items() if value is not None}
    # Larger than the targets of the tests, so that nothing is cut.
    required |= {"bound": 5.0} if "bound" in required else {}
    return cls(**{"horizon": HORIZON, **required, **over})


CLASSES = [getattr(nk, name) for name in nk.learners.__all__]
REGRESSORS = [cls for cls in CLASSES if issubclass(cls, nk.OnlineRegressor)]
CLASSIFIERS = [cls for cls in CLASSES if issubclass(cls, nk.OnlineClassifier)]
