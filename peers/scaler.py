"""Scales that know earlier rows only."""
import numpy as np


class Scaler:
    """Means and deviations of the rows so far. StandardScaler has them to rounding; its checks take longer than a step."""

    def __init__(self, width):
        self.count, self.mean, self.squares = 0, np.zeros(width), np.zeros(width)

    def add(self, row):
        self.count += 1
        off = row - self.mean
        self.mean = self.mean + off / self.count
        self.squares = self.squares + off * (row - self.mean)

    def deviation(self):
        found = np.sqrt(self.squares / max(self.count, 1))
        return np.where(found > 1e-8 * np.abs(self.mean), found, 1.0)
