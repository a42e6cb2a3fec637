"""Linear models of polars-online, and its Gaussian classifier."""
import os

from serve import serve

import polars as pl
import polars_online as po


class Learner:
    """A bank of one model and one group, which scores a row and then learns it. Where the model withholds a prediction,
    it is the mean of the targets, or the most frequent class."""

    def __init__(self, p, seed, dim, classes):
        self.names, self.classes, self.sums = [f"x{i}" for i in range(dim)], classes, [0.0] * max(classes, 2)
        own = {"features": self.names, "half_life": p["half_life"] or float("inf")}
        if classes:
            labels = [str(k) for k in range(classes)]
            own |= {"label": "y", "classes": labels, "covariance_type": p["covariance"], "precision_prior": p["prior"]}
            spec = po.spec.ew_class("model", **own)
        else:
            own |= {"targets": ["y"], "standardize": p["standardize"]}
            own |= {"quantile": 0.5} if p["model"] == "quantile" else {}
            spec = getattr(po.spec, p["model"])("model", **own)
        self.bank, self.field = po.ModelBank([spec], threads=1), "class" if classes else "pred_y"

    def row(self, x, y):
        return pl.DataFrame([[*x, y]], [*self.names, "y"], orient="row")

    def predict(self, x):
        # As `predict` and `fit_predict`, which join what they find to the frame.
        found = pl.Series(self.bank.predict_arrow(self.row(x, None))[0])[0][self.field]
        if found is not None:
            return float(found)
        return float(self.sums.index(max(self.sums))) if self.classes else self.sums[0] / (self.sums[1] or 1.0)

    def learn(self, x, y):
        self.bank.fit_predict_arrow(self.row(x, str(int(y)) if self.classes else y))
        if self.classes:
            self.sums[int(y)] += 1
        else:
            self.sums = [self.sums[0] + y, self.sums[1] + 1]

    def size(self):
        self.bank.save("saved")
        return os.path.getsize("saved")


serve("polars-online", Learner)
