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


class Scales:
    """Inputs and targets on the scales of the rows so far: both, one of them, or neither, which is then as it is."""

    def __init__(self, dim, inputs, targets):
        self.dim, self.inputs, self.targets = dim if inputs else 0, inputs, targets
        self.scaler = Scaler(self.dim + 1) if inputs or targets else None

    def add(self, x, y):
        if self.scaler:
            self.scaler.add(np.array([*x[: self.dim], y]))

    def scaled(self, rows):
        return (np.array(rows) - self.scaler.mean[:-1]) / self.scaler.deviation()[:-1] if self.inputs else rows

    def of_targets(self):
        return (self.scaler.mean[-1], self.scaler.deviation()[-1]) if self.targets else (0.0, 1.0)

    def target(self, y):
        shift, scale = self.of_targets()
        return (y - shift) / scale

    def prediction(self, found):
        """What was predicted of a target on its scale."""
        shift, scale = self.of_targets()
        return float(shift + scale * found)
