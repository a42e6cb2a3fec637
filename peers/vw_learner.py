"""Vowpal Wabbit with its default, adaptive and normalised, gradient descent over products of the inputs."""
import os

from serve import serve

from vowpalwabbit import Workspace


class Learner:
    def __init__(self, p, seed, dim):
        products = ["", "--quadratic aa", "--quadratic aa --cubic aaa"][p["order"] - 1]
        kind = "--loss_function logistic" if p["targets"] == "classes" else ""
        self.vw = Workspace(f"--quiet --random_seed {seed} --learning_rate {p['eta']} {kind} {products}")
        self.text = None

    def predict(self, x):
        # The features' numbers begin with 1.
        self.text = "|a " + " ".join(f"{i}:{v!r}" for i, v in enumerate(x, 1))
        return float(self.vw.predict(self.text))

    def learn(self, x, y):
        self.vw.learn(f"{y!r} {self.text}")

    def size(self):
        self.vw.save("saved")
        return os.path.getsize("saved")


serve("vowpalwabbit", Learner)
