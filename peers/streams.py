"""Plays settings of River over files, row by row: `streams.py OUTPUT.csv FILE.csv...`.

Each file has a header and the target in its last column; 0 and 1 are classes. A model predicts a row, then learns it;
losses are means over the first 400 rows and over all of them, the first one included. What a model that has seen nothing
leaves open is 0, or the class 0. Nothing is chosen here: the output has every setting, and whoever reads it takes the best
one in hindsight. A setting that reaches the time limit of its file is cut, and its mean over all rows is left empty.

    nice target/peers/bin/python -B peers/streams.py pipeline/reported/streams.csv DATA/*.csv
"""
import csv
import hashlib
import math
import os
import sys
import time
from importlib.metadata import version

# Read when numpy is imported.
os.environ.update(dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], "1"))

from river import feature_extraction, forest, linear_model, neighbors, optim, preprocessing, tree

SEED = 0
# Seconds of processor time for all settings of one file.
LIMIT = 25 * 60
# Also the horizon of the quick profile in pipeline/beyond/streams.toml.
FIRST = 400
COLUMNS = ["stream", "rows", "loss", "setting", "mean", "seed", "package", "version", "sha256"]


def window():
    return neighbors.LazySearch(window_size=1000)


def scaled(model):
    """Inputs on causal scales."""
    return preprocessing.StandardScaler() | model


def targets_too(model):
    """Inputs and targets on causal scales."""
    return scaled(preprocessing.TargetStandardScaler(regressor=model))


def sampled(gamma, model):
    return feature_extraction.RBFSampler(gamma=gamma, n_components=100, seed=SEED) | model


def numbers():
    """The settings for numbers, by name."""
    made = {f"KNN {k}": scaled(neighbors.KNNRegressor(n_neighbors=k, engine=window())) for k in (5, 15)}
    for step in (0.003, 0.01, 0.03):
        made[f"SGD {step}"] = targets_too(linear_model.LinearRegression(optim.SGD(step)))
    for gamma in (0.03, 0.1):
        made[f"RBFSampler {gamma}"] = targets_too(sampled(gamma, linear_model.LinearRegression(optim.SGD(0.03))))
    made["BayesianLinearRegression"] = targets_too(linear_model.BayesianLinearRegression())
    made["HAT"] = scaled(tree.HoeffdingAdaptiveTreeRegressor(grace_period=50, seed=SEED))
    made["ARF"] = scaled(forest.ARFRegressor(n_models=10, seed=SEED))
    made["AMF"] = scaled(forest.AMFRegressor(n_estimators=10, seed=SEED))
    return made


def classes():
    """The settings for two classes, by name."""
    made = {f"KNN {k}": scaled(neighbors.KNNClassifier(n_neighbors=k, engine=window())) for k in (5, 15)}
    for step in (0.01, 0.1):
        made[f"logistic {step}"] = scaled(linear_model.LogisticRegression(optim.SGD(step)))
    for gamma in (0.03, 0.3):
        made[f"RBFSampler {gamma}"] = scaled(sampled(gamma, linear_model.LogisticRegression(optim.SGD(0.1))))
    made["HAT"] = scaled(tree.HoeffdingAdaptiveTreeClassifier(grace_period=50, seed=SEED))
    made["ARF"] = scaled(forest.ARFClassifier(n_models=10, seed=SEED))
    made["AMF"] = scaled(forest.AMFClassifier(n_estimators=10, seed=SEED))
    return made


def play(model, rows, targets, two, until):
    """The sums of the losses of the first rows and of all rows, by number of rows. What comes after the clock has reached
    `until` is left out."""
    total, sums = 0.0, {}
    for t, (x, y) in enumerate(zip(rows, targets), 1):
        if time.process_time() >= until:
            break
        forecast = model.predict_one(x)
        if two:
            total += bool(forecast) != y
        else:
            error = float(forecast or 0) - y
            total += error * error if abs(error) < 1e150 else math.inf
        model.learn_one(x, y)
        if t in (FIRST, len(targets)):
            sums[t] = total
    return sums


def lines(path):
    """Two lines of the output for each setting."""
    with open(path, "rb") as file:
        content = file.read()
    _, *table = csv.reader(content.decode().splitlines())
    table = [[float(cell) for cell in row] for row in table]
    rows = [dict(enumerate(row[:-1])) for row in table]
    targets = [row[-1] for row in table]
    two = set(targets) == {0.0, 1.0}
    if two:
        targets = [y > 0 for y in targets]
    until = time.process_time() + LIMIT
    for name, model in (classes if two else numbers)().items():
        begun = time.process_time()
        sums = play(model, rows, targets, two, until)
        for count in (FIRST, len(rows)):
            mean = repr(sums[count] / count) if count in sums else ""
            print(f"{path} {name}: {mean or 'cut'} after {count} rows, {time.process_time() - begun:.0f} s", file=sys.stderr)
            yield {
                "stream": os.path.basename(path).removesuffix(".csv"),
                "rows": count,
                "loss": "error rate" if two else "squared",
                "setting": name,
                "mean": mean,
                "seed": SEED,
                "package": "river",
                "version": version("river"),
                "sha256": hashlib.sha256(content).hexdigest(),
            }


def main(output, paths):
    with open(output + ".part", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for path in paths:
            for line in lines(path):
                writer.writerow(line)
                file.flush()
    os.replace(output + ".part", output)


main(sys.argv[1], sys.argv[2:])
