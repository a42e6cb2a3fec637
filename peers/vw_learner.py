"""Vowpal Wabbit with its default, adaptive and normalised, gradient descent over products of the inputs."""
import math
import os

from serve import serve

from vowpalwabbit import Workspace


class Learner:
    """Two classes are -1 and 1 to it; more are numbers from 1 on, one against all others."""

    def __init__(self, p, seed, dim, classes):
        self.classes = classes
        products = ["", "--quadratic aa", "--quadratic aa --cubic aaa"][p["order"] - 1]
        kind = "--loss_function logistic" if classes or p["targets"] == "classes" else ""
        kind += f" --oaa {classes}" if classes > 2 else ""
        self.vw = Workspace(f"--quiet --random_seed {seed} --learning_rate {p['eta']} {kind} {products}")
        self.text, self.rows, self.mean, self.square = None, 0, 0.0, 0.0
        # Its steps do not follow the scale of targets, as they follow that of inputs.
        self.scaled = p["scaling"] == "causal" and not classes

    def spread(self):
        return math.sqrt(self.square / self.rows) if self.square > 0 else 1.0

    def predict(self, x):
        # The features' numbers begin with 1.
        self.text = "|a " + " ".join(f"{i}:{v!r}" for i, v in enumerate(x, 1))
        found = self.vw.predict(self.text)
        if self.scaled:
            return self.mean + self.spread() * found
        return float(found - 1 if self.classes > 2 else found > 0 if self.classes else found)

    def learn(self, x, y):
        if self.scaled:
            self.rows, before = self.rows + 1, y - self.mean
            self.mean += before / self.rows
            self.square += before * (y - self.mean)
            y = (y - self.mean) / self.spread()
        label = repr(y) if not self.classes else int(y) + 1 if self.classes > 2 else 2 * int(y) - 1
        self.vw.learn(f"{label} {self.text}")

    def size(self):
        self.vw.save("saved")
        return os.path.getsize("saved")


serve("vowpalwabbit", Learner)
