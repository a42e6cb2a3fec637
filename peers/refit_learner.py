"""Batch learners, fitted anew whenever the number of rows has doubled: `refit_learner.py PACKAGE`."""
import pickle
import sys
import warnings
from statistics import fmean, mode

from serve import serve

import numpy as np
from refit_models import answer, model

PACKAGE = sys.argv[1]


class Learner:
    """Until the first fit, the prediction is the mean or most frequent target. A fit scales its inputs and targets by
    their own means and deviations."""

    def __init__(self, p, seed, dim, classes):
        self.fresh, self.classes = lambda most: model(PACKAGE, p, seed, classes, most), classes
        self.next, self.largest, self.rows, self.targets = p["first"], p["largest"], [], []
        self.model = self.answer = None

    def predict(self, x):
        if self.answer is None:
            return float((mode if self.classes else fmean)(self.targets)) if self.targets else 0.0
        found = self.answer((np.array([x]) - self.shift) / self.scale)
        return float(found if self.classes else self.mean + self.spread * found)

    def learn(self, x, y):
        self.rows.append(x)
        self.targets.append(y)
        if len(self.rows) == self.next:
            self.next *= 2
            self.fit(np.array(self.rows[-self.largest :]), np.array(self.targets[-self.largest :]))

    def fit(self, rows, targets):
        if self.classes and len(set(targets)) < 2:
            return
        self.shift, self.scale = rows.mean(axis=0), rows.std(axis=0)
        self.scale[self.scale == 0] = 1.0
        if not self.classes:
            self.mean, self.spread = targets.mean(), targets.std() or 1.0
            targets = (targets - self.mean) / self.spread
        most = np.unique(targets, return_counts=True)[1].max()
        self.model = self.fresh(most).fit((rows - self.shift) / self.scale, targets)
        self.answer = answer(self.model)

    def size(self):
        return len(pickle.dumps((self.model, self.rows, self.targets)))


warnings.filterwarnings("ignore")  # Among them that a class has few rows: early fits are like that.
serve(PACKAGE, Learner)
