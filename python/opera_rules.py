"""The rules of `Aggregate` beside those of opera, the Python version of the R package: the numbers in docs/src/python.md.

    pip install git+https://github.com/Dralliag/opera-python    # on PyPI, opera is another package
    python -P opera_rules.py FOLDER                                # its folder data, with experts.csv and targets.csv
"""

import sys
from pathlib import Path

import noregret_kernels as nk
import numpy as np
import pandas as pd
from opera.mixture import Mixture


def ours(rule, gradient, F, y):
    model = nk.Aggregate(rule=rule, gradient=gradient, bound="none", range="running", scaling="none")
    return model.play(F, y).predictions


def theirs(model, gradient, F, y):
    mixture = Mixture(y=pd.Series(y), experts=pd.DataFrame(F), model=model, loss_type="mse", loss_gradient=gradient)
    return mixture.predictions


def main(folder):
    F = pd.read_csv(Path(folder) / "experts.csv").to_numpy()
    y = pd.read_csv(Path(folder) / "targets.csv").to_numpy().ravel()
    center, unit = y.mean(), np.abs(y - y.mean()).max()

    def rmse(said):
        return f"{np.sqrt(np.mean((said - y) ** 2)):.1f}"

    print("| rule | regrets | opera | Aggregate | apart | opera, other unit | Aggregate, other unit |")
    print("|---|---|---:|---:|---:|---:|---:|")
    for rule, model in [("ml-poly", "MLpol"), ("boa", "BOA")]:
        for gradient in (True, False):
            raw = theirs(model, gradient, F, y), ours(rule, gradient, F, y)
            inside = (F - center) / unit, (y - center) / unit
            scaled = [center + unit * said for said in (theirs(model, gradient, *inside), ours(rule, gradient, *inside))]
            apart = np.abs(raw[0] - raw[1]).max() / np.abs(y).max()
            cells = [rmse(raw[0]), rmse(raw[1]), f"{apart:.0e}", *map(rmse, scaled)]
            print(f"| {rule} | {'gradient' if gradient else 'loss'} | " + " | ".join(cells) + " |")
    print("experts:", ", ".join(rmse(column) for column in F.T), "uniform:", rmse(F.mean(axis=1)))


if __name__ == "__main__":
    main(*sys.argv[1:])
