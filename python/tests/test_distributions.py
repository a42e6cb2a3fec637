"""Distributions of targets, beside scikit-learn's Gaussian processes with the same kernel, and what the program writes."""

import numpy as np
import pandas as pd
import pytest
from learners import CLASSES
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, DotProduct
from test_command_line import PROGRAM, run

import noregret_kernels as nk

LAMBDA, NOISE_STD, BANDWIDTH = 0.5, 0.3, 0.8


def data(rows, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, (rows, 2))
    return X, np.sin(3 * X[:, 0]) * X[:, 1] + NOISE_STD * rng.normal(size=rows)


def process(kernel, X, y):
    scaled = ConstantKernel(NOISE_STD**2 / LAMBDA) * kernel
    return GaussianProcessRegressor(scaled, alpha=NOISE_STD**2, optimizer=None).fit(X, y)


@pytest.mark.parametrize("cls", [nk.KernelRidge, nk.KernelAwv])
def test_after_2000_rows_they_are_those_of_scikit_learn(cls):
    X, y = data(2000)
    new = np.vstack([data(50, 1)[0], [[4.0, -4.0]]])
    theirs = process(RBF(BANDWIDTH), X, y)
    mean, std = theirs.predict(new, return_std=True)
    model = cls(lam=LAMBDA, kernel=nk.Gaussian(bandwidth=BANDWIDTH), scaling="none")
    for at in range(0, 2000, 250):
        model.partial_fit(X[at : at + 250], y[at : at + 250])
    known = model.distribution(new, noise_std=NOISE_STD)
    np.testing.assert_allclose(known.mean, mean, atol=1e-8)
    np.testing.assert_allclose(known.std, np.sqrt(std**2 + NOISE_STD**2), atol=1e-8)
    targets = np.linspace(-1, 1, len(new))
    z = (targets - known.mean) / known.std
    expected = -0.5 * z**2 - np.log(known.std * np.sqrt(2 * np.pi))
    np.testing.assert_allclose(model.log_density(new, targets, noise_std=NOISE_STD), expected, atol=1e-10)
    if cls is nk.KernelRidge:
        again = model.predict(new, return_std=True, noise_std=NOISE_STD)
        np.testing.assert_allclose(model.predict(new), again[0], atol=1e-10)
        np.testing.assert_array_equal(again[1], known.std)
    else:
        with pytest.raises(ValueError, match=r"no means of a distribution; `distribution\(X\)`"):
            model.predict(new, return_std=True)


def test_over_features_they_are_those_of_the_features_kernel():
    X, y = data(400)
    new = data(50, 1)[0]
    maps = nk.FourierFeatures(bandwidth=BANDWIDTH, features=60)
    model = nk.PkrrFourier(lam=LAMBDA, bandwidth=BANDWIDTH, features=10, scaling="none").fit(X, y)
    # The learner draws its own features; those of a linear learner are given.
    phi, at = maps.fit_transform(X), maps.transform(new)
    linear = nk.LinearRidge(lam=LAMBDA, intercept=False, scaling="none").fit(phi, y)
    mean, std = process(DotProduct(0, "fixed"), phi, y).predict(at, return_std=True)
    known = linear.distribution(at, noise_std=NOISE_STD)
    np.testing.assert_allclose(known.mean, mean, atol=1e-8)
    np.testing.assert_allclose(known.std, np.sqrt(std**2 + NOISE_STD**2), atol=1e-8)
    # The limit of many features is the kernel's process.
    exact = process(RBF(BANDWIDTH), X, y).predict(new, return_std=True)[1]
    many = nk.PkrrFourier(lam=LAMBDA, bandwidth=BANDWIDTH, features=1500, scaling="none").fit(X, y)
    few, limit = (np.sqrt(one.distribution(new, NOISE_STD).std ** 2 - NOISE_STD**2) for one in (model, many))
    assert 10 * np.abs(limit - exact).max() < np.abs(few - exact).max()


GIVING = [cls for cls in CLASSES if issubclass(cls, nk.DistributionRegressor)]


def test_the_learners_that_give_them():
    names = {cls.__name__ for cls in GIVING}
    assert names >= {"KernelRidge", "KernelAwv", "PkrrTaylor", "PkrrNystrom", "DiscountedRidgeTaylor", "ModelAveraging", "LinearRidge"}
    assert "Fogd" not in names and not hasattr(nk.Fogd(), "distribution")


@pytest.mark.parametrize("cls", GIVING, ids=lambda cls: cls.__name__)
def test_what_was_told_on_the_way_and_after_it(cls):
    X, y = data(150)
    model = cls()
    # What is not scaled sees targets of the size that it believes in.
    scaled = "scaling" in model.get_params()
    offset, factor = (1000.0, 50.0) if scaled else (0.0, 1.0)
    y = offset + factor * y
    played = model.play(X, y)
    known, densities = model.last_distribution(y)
    assert np.isfinite(known.mean).all() and (known.std > 0).all() and np.isfinite(densities).all()
    if "awv" not in f"{cls._learner} {model.get_params().get('base')}":
        np.testing.assert_allclose(known.mean, played.predictions, rtol=1e-9)
    after = model.distribution(X)
    assert after.std.shape == (150,) and np.isfinite(after.std).all()
    assert 0.2 < np.median(after.std) / factor < 1.2, np.median(after.std)
    with pytest.raises(ValueError, match="149 targets, and 150 rows"):
        model.last_distribution(y[1:])
    with pytest.raises(ValueError, match="`noise_std` is -1"):
        model.distribution(X, noise_std=-1.0)


@pytest.mark.skipif(PROGRAM is None, reason="NOREGRET names no program")
def test_they_are_those_of_the_program_to_the_bit(tmp_path):
    X, y = data(700)
    file, output = tmp_path / "rows.csv", tmp_path / "out.csv"
    np.savetxt(file, np.column_stack([y, X]), "%.17g", ",", header="y,a,b", comments="")
    run("stream", "--learner", "kernel-ridge", "--set=lambda=0.1", "--input", file, "--target=y", "--std", "--output", output)
    written = pd.read_csv(output, float_precision="round_trip")
    model = nk.KernelRidge(lam=0.1, kernel=nk.Gaussian(bandwidth=1.0))
    model.play(X, y)
    known, densities = model.last_distribution(y)
    np.testing.assert_array_equal(known.mean, written["mean"])
    np.testing.assert_array_equal(known.std, written["std"])
    np.testing.assert_array_equal(-densities, written["log_loss"])


def test_averaged_models_lose_at_most_ln_k_more_than_the_best():
    X, y = data(300)
    lambdas = [0.01, 1.0, 100.0]

    def loss(values):
        model = nk.ModelAveraging(base="kernel-ridge", grid={"lambda": values}, scaling="none")
        model.play(X, y)
        return -model.last_distribution(y)[1].sum(), model

    alone = [loss([one])[0] for one in lambdas]
    together, model = loss(lambdas)
    assert min(alone) < together <= min(alone) + np.log(3) + 1e-9 < max(alone)
    np.testing.assert_allclose(model.weights_.sum(), 1.0)


def test_river():
    river = pytest.importorskip("noregret_kernels.river")
    model = river.KernelRidge(lam=0.1)
    assert model.predict_distribution_one({"a": 0.0, "b": 0.0}) == (0.0, np.inf)
    X, y = data(100)
    for row, target in zip(X, y, strict=True):
        model.learn_one({"a": row[0], "b": row[1]}, target)
    mean, std = model.predict_distribution_one({"a": 0.1, "b": 0.2})
    assert mean == model.predict_one({"a": 0.1, "b": 0.2}) and 0.2 < std < 0.6


def test_densities_are_of_as_many_targets_as_rows():
    X = np.linspace(-1, 1, 20).reshape(-1, 2)
    model = nk.KernelRidge().fit(X, X[:, 0])
    for rows, targets in ((5, 2), (2, 5), (2, 0)):
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            model.log_density(X[:rows], X[:targets, 0])
