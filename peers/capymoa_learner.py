"""Forests of MOA on a Java machine, by CapyMOA with the defaults of their authors: `capymoa_learner.py NAME`."""
import os
import sys

from serve import serve

# CapyMOA's own limits, on one processor; what an isolated process may not look at is no reason to warn.
options = "-Xmx8g -Xss10M -XX:+UseSerialGC -XX:ActiveProcessorCount=1 -XX:-UsePerfData -XX:-PrintWarnings"
os.environ |= {"JAVA_HOME": os.path.join(sys.prefix, "java"), "CAPYMOA_JVM_ARGS": options}
if not os.path.exists(os.environ["JAVA_HOME"]):
    sys.exit("the Java machine that target/capymoa was set up with is not there: make -B -f peers/Makefile capymoa")
from capymoa.classifier import AdaptiveRandomForestClassifier, StreamingRandomPatches
from capymoa.core import LabeledInstance, RegressionInstance
from capymoa.regressor import SOKNL, AdaptiveRandomForestRegressor
from capymoa.stream import Schema
from java.io import DataOutputStream, ObjectOutputStream, OutputStream

import numpy as np
from scaler import Scales

# For numbers, and for classes.
KINDS = {
    "arf": (AdaptiveRandomForestRegressor, AdaptiveRandomForestClassifier),
    "soknl": (SOKNL, None),
    "srp": (None, StreamingRandomPatches),
}


class Learner:
    def __init__(self, p, seed, dim, classes):
        kind = KINDS[sys.argv[1]][classes > 0] or sys.exit(f"{sys.argv[1]} predicts {'numbers' if classes else 'classes'} only")
        labels = {"categories": {"y": [str(k) for k in range(classes)]}} if classes else {}
        self.schema, self.classes = Schema.from_custom([*(f"x{i}" for i in range(dim)), "y"], "y", **labels), classes
        self.model = kind(self.schema, random_seed=seed % 2**31, ensemble_size=p["trees"])
        # Splits do not depend on the scales of inputs, but suffer where these change.
        self.scales = Scales(dim, False, not classes and p["scaling"] == "causal")

    def instance(self, x, y):
        if self.classes:
            return LabeledInstance.from_array(self.schema, np.array(x), int(y))
        return RegressionInstance.from_array(self.schema, np.array(x), self.scales.target(y))

    def predict(self, x):
        return self.scales.prediction(self.model.predict(self.instance(x, 0)) or 0)

    def learn(self, x, y):
        self.scales.add(x, y)
        self.model.train(self.instance(x, y))

    def size(self):
        forest, saved = self.model.moa_learner, DataOutputStream(OutputStream.nullOutputStream())
        # Random patches are saved tree by tree: as a whole they cannot be.
        ObjectOutputStream(saved).writeObject(forest.getSublearners() if sys.argv[1] == "srp" else forest)
        return saved.size()


serve("capymoa", Learner)
