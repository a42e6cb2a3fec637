"""Writes predictive.json: distributions of targets, from scikit-learn, scipy and numpy. Needs scikit-learn 1.9."""

import json

import numpy as np
from scipy.stats import t as student
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct

LAMBDA, NOISE, BANDWIDTH, ROUNDS = 0.3, 0.04, 0.7, 60


def progressive(kernel, X, y):
    """Mean, deviation and log density of each target from the rows before it, with a known noise."""
    scaled = ConstantKernel(NOISE / LAMBDA) * kernel
    told = []
    for n, (x, target) in enumerate(zip(X, y)):
        model = GaussianProcessRegressor(scaled, alpha=NOISE, optimizer=None)
        if n:
            model.fit(X[:n], y[:n])
        mean, std = map(np.ravel, model.predict(x[None], return_std=True))
        deviation = np.sqrt(std[0] ** 2 + NOISE)
        density = -0.5 * ((target - mean[0]) / deviation) ** 2 - np.log(deviation) - 0.5 * np.log(2 * np.pi)
        told.append([mean[0], deviation, density])
    return np.array(told).T


def learnt(features, y, gamma, rounds, variance):
    """Mean, scale and log density where the noise is learnt, each from all rows before it at once."""
    told = []
    for n, (x, target) in enumerate(zip(features, y)):
        # Each round, the first one too, discounts what was before it.
        weights = gamma ** np.arange(n, 0, -1)
        A = gamma ** (n + 1) * LAMBDA * np.eye(features.shape[1])
        A += (features[:n] * weights[:, None]).T @ features[:n]
        b = features[:n].T @ (weights * y[:n])
        mean = x @ np.linalg.solve(A, b)
        h = x @ np.linalg.solve(A, x)
        residuals = weights @ y[:n] ** 2 - b @ np.linalg.solve(A, b)
        degrees = rounds + weights.sum()
        scale = np.sqrt((rounds * variance + residuals) / degrees * (1 + h))
        told.append([mean, scale, student.logpdf(target, degrees, mean, scale)])
    return np.array(told).T


def projected(points, X, y, query):
    """Mean and deviation at `query` after all rows, over the span of kernel functions of some points."""
    gram = lambda a, b: np.exp(-((a[:, None] - b[None]) ** 2).sum(-1) / (2 * BANDWIDTH**2))
    root = np.linalg.cholesky(gram(points, points))
    features = lambda rows: np.linalg.solve(root, gram(points, rows)).T
    A = LAMBDA * np.eye(len(points)) + features(X).T @ features(X)
    phi = features(query)
    mean = phi @ np.linalg.solve(A, features(X).T @ y)
    latent = NOISE * (phi * np.linalg.solve(A, phi.T).T).sum(1) + NOISE / LAMBDA * (1 - (phi**2).sum(1))
    return mean, np.sqrt(latent + NOISE)


rng = np.random.default_rng(38)
X = rng.uniform(-1, 1, (ROUNDS, 2))
y = np.sin(3 * X[:, 0]) * X[:, 1] + 0.2 * rng.normal(size=ROUNDS)
features = np.column_stack([X, X**2, np.ones(ROUNDS)])
params = {"lambda": LAMBDA, "noise": NOISE, "bandwidth": BANDWIDTH}
cases = []


def case(name, algorithm, expected, inputs, **more):
    names = ["mean", "deviation", "ln_density"]
    cases.append({
        "name": name, "algorithm": algorithm, "params": params | more,
        "inputs": {key: value.tolist() for key, value in inputs.items()},
        "expected": {key: value.tolist() for key, value in zip(names, expected)},
    })


case("exact, noise known", "gpr_kernel", progressive(RBF(BANDWIDTH), X, y), {"X": X, "y": y})
case("features, noise known", "gpr_features", progressive(DotProduct(0, "fixed"), features, y), {"X": features, "y": y})
for gamma in (1.0, 0.9):
    told = learnt(features, y, gamma, 1.5, 0.7)
    case(f"noise learnt, discount {gamma}", "student", told, {"X": features, "y": y}, gamma=gamma, rounds=1.5, variance=0.7)
query = np.vstack([X[:5], [[0.2, -0.3], [3.0, 3.0]]])
case("dictionary", "projected", projected(X[::6], X, y, query), {"X": X, "y": y, "query": query}, every=6)
with open("predictive.json", "w") as file:
    json.dump(cases, file)
