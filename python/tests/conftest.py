"""Without this, scikit-learn's checks of array namespaces skip themselves."""

import os

os.environ["SCIPY_ARRAY_API"] = "1"
