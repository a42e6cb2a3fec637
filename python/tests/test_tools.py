"""Kernels, features, comparators, bounds and learners behind noise, against numpy and scikit-learn."""

import copy
import datetime
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

import noregret_kernels as nk


def data(rows=200):
    X = np.random.default_rng(0).uniform(-1, 1, (rows, 3))
    return X, np.sin(3 * X[:, 0]) * X[:, 1]


def test_kernels_are_those_of_scikit_learn():
    X, _ = data()
    np.testing.assert_allclose(nk.gram(X, X[:7], bandwidth=0.5), rbf_kernel(X, X[:7], gamma=2.0), rtol=1e-12)
    assert np.array_equal(nk.gram(X), nk.gram(X).T)
    assert laplacian_kernel(X, gamma=2.0).shape == nk.gram(X, kernel="laplace", bandwidth=0.5).shape
    for wrong, said in [({"kernel": "gausian"}, "gaussian"), ({"bandwidth": 0.0}, "`bandwidth`")]:
        with pytest.raises(ValueError, match=said):
            nk.gram(X, **wrong)
    with pytest.raises(ValueError, match="3 columns and Y has 2"):
        nk.gram(X, X[:, :2])


@parametrize_with_checks([nk.TaylorFeatures(), nk.FourierFeatures()])
def test_every_feature_map_is_a_transformer(estimator, check):
    check(estimator)


def test_features_have_the_inner_products_of_the_kernel():
    X, y = data()
    exact = nk.gram(X, bandwidth=1.5)
    features = nk.TaylorFeatures(bandwidth=1.5, order=12).fit_transform(X)
    np.testing.assert_allclose(features @ features.T, exact, atol=1e-9)
    # The mean of 10,000 cosines of standard deviation below 1 is within 6 / sqrt(10,000) in all 40,000 entries (false-alarm
    # rate below 1e-4 by the normal law).
    waves = nk.FourierFeatures(bandwidth=1.5, features=10_000).fit_transform(X)
    assert np.abs(waves @ waves.T - exact).max() < 6 / np.sqrt(10_000)
    assert waves.shape == (200, 20_000)
    other = nk.FourierFeatures(features=3, random_state=1).fit_transform(X)
    assert not np.array_equal(other, nk.FourierFeatures(features=3).fit_transform(X))
    with pytest.raises(ValueError, match="`order`"):
        nk.TaylorFeatures(order=-1).fit(X)


def test_comparators_are_the_best_in_hindsight():
    X, y = data()
    gram = nk.gram(X, bandwidth=0.5)
    alpha = np.linalg.solve(gram + 0.1 * np.eye(len(X)), y)
    best = nk.comparator("penalised", X, y, lam=0.1, kernel={"name": "gaussian", "bandwidth": 0.5})
    residual = y - gram @ alpha
    np.testing.assert_allclose(best.loss, residual @ residual, rtol=1e-9)
    np.testing.assert_allclose(best.objective, residual @ residual + 0.1 * alpha @ gram @ alpha, rtol=1e-9)
    linear = nk.comparator("best-linear", X, y).loss
    np.testing.assert_allclose(linear, np.linalg.lstsq(X, y, rcond=None)[1][0], rtol=1e-9)
    with pytest.raises(ValueError, match="penalised"):
        nk.comparator("penalized", X, y)


def test_bounds_hold_for_the_regret_that_is_seen():
    X, y = data()
    kernel = {"name": "gaussian", "bandwidth": 0.5}
    losses = nk.KernelAwv(lam=0.1, kernel_params={"bandwidth": 0.5}).play(X, y).losses
    regret = losses.sum() - nk.comparator("penalised", X, y, lam=0.1, kernel=kernel).objective
    # Regret against the penalised objective is at most B^2 ln det(I + K / lambda) (Gammerman, Kalnishkan, Vovk 2004).
    log_det = np.linalg.slogdet(np.eye(len(X)) + nk.gram(X, bandwidth=0.5) / 0.1)[1]
    assert 0 < regret <= (y**2).max() * log_det
    known = nk.theorems()
    with_bound = [name for name, one in known.items() if one["bound"]]
    assert len(with_bound) > 5
    with pytest.raises(ValueError, match=with_bound[0]):
        nk.bound("nothing", 100)
    for name in with_bound:
        given = {parameter: 0.5 for parameter in known[name]["parameters"]}
        with pytest.raises(ValueError, match="unknown parameter"):
            nk.bound(name, 100, **given, surely_not_there=1.0)


class Gaussian:
    """Copies of an example with noise of standard deviation 0.1 on each input."""

    def __init__(self, x, y, rng):
        self.example, self.target, self.rng = x, y, rng

    def x(self):
        return self.example + 0.1 * self.rng.normal(size=len(self.example))

    def y(self):
        return self.target

    def covariance_times(self, w):
        return 0.01 * w


def test_an_oracle_of_your_own_teaches_a_noisy_learner():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (2000, 2))
    y = X @ [0.5, -0.25]
    for name in ("noisy-linear-two-copy", "noisy-linear-covariance"):
        learner = nk.NoisyLearner(name, 2, eta=0.05)
        for x, target in zip(X, y, strict=True):
            learner.learn(Gaussian(x, target, rng))
        assert learner.rounds == 2000
        np.testing.assert_allclose(learner.predict(np.eye(2)), [0.5, -0.25], atol=0.1)


def test_frames_behind_noise_have_hours():
    X, y = data()
    times = [datetime.time(at % 24, at % 60) for at in range(len(X))]
    hours = [one.hour + one.minute / 60 for one in times]
    noise, told = nk.Noise("gaussian", noise_std=0.1), []
    for column in (times, hours):
        frame = pd.DataFrame({"a": X[:, 0], "at": column})
        learner = nk.NoisyLearner("linear-ridge", 2)
        told.append([learner.play(frame, y, noise).predictions, learner.predict(frame)])
    np.testing.assert_array_equal(*told)


def test_a_noisy_learner_has_at_least_one_input():
    for dim in (0, -1):
        with pytest.raises(ValueError, match=f"`dim` = {dim} is not allowed"):
            nk.NoisyLearner("linear-ridge", dim)


def test_what_an_oracle_raises_or_answers_wrongly_is_said():
    class Broken(Gaussian):
        def x(self):
            raise KeyError("no copy")

    class Short(Gaussian):
        def x(self):
            return [1.0]

    learner = nk.NoisyLearner("noisy-linear-two-copy", 2, eta=0.05)
    with pytest.raises(KeyError, match="no copy"):
        learner.learn(Broken(np.zeros(2), 0.0, None))
    with pytest.raises(ValueError, match="1 numbers instead of 2"):
        learner.learn(Short(np.zeros(2), 0.0, None))
    assert learner.rounds == 0


NOISY = {
    "noisy-linear-two-copy": {"eta": 0.05},
    "noisy-linear-covariance": {"eta": 0.05},
    "noisy-gaussian": {"eta": 0.05, "covariance": 0.01},
    "noisy-radial": {"eta": 0.05, "covariance": 0.01},
    "noisy-analytic": {"eta": 0.05},
    **{name: {} for name in ("shrinking-gradient", "linear-ridge", "doubly-stochastic", "fogd", "kernel-ridge", "robust-ogd")},
}


@pytest.mark.parametrize("name", ["noisy-linear-two-copy", "linear-ridge"])
def test_an_oracle_whose_answers_are_not_finite_teaches_nothing(name):
    learner = nk.NoisyLearner(name, 2, **NOISY[name])
    example = Gaussian(np.array([0.3, -0.2]), 0.1, np.random.default_rng(0))
    learner.learn(example)
    before = pickle.dumps(learner)
    for wrong, said in [
        (Gaussian(np.array([np.nan, 0.1]), 0.1, np.random.default_rng(0)), r"x\(\) gave NaN; an oracle answers with finite"),
        (Gaussian(np.array([0.3, 0.1]), -np.inf, np.random.default_rng(0)), r"y\(\) gave -inf; an oracle answers with finite"),
    ]:
        with pytest.raises(ValueError, match=said):
            learner.learn(wrong)
        assert pickle.dumps(learner) == before
    learner.learn(example)
    assert learner.rounds == 2


def test_a_noisy_learner_that_broke_down_tells_nothing(tmp_path):
    X, y = data()
    noise, example = nk.Noise("gaussian", noise_std=0.1), Gaussian(np.full(3, 1e300), 1e300, np.random.default_rng(0))
    for begin in (lambda learner: learner.learn(example), lambda learner: learner.play(1e200 * X, 1e200 * y, noise)):
        learner = nk.NoisyLearner("noisy-linear-two-copy", 3, eta=0.05)
        ways = [
            lambda: begin(learner),  # noqa: B023
            lambda: learner.predict(X),  # noqa: B023
            lambda: learner.save(tmp_path / "model.safetensors"),  # noqa: B023
            lambda: pickle.dumps(learner),  # noqa: B023
            lambda: learner.play(X, y, noise),  # noqa: B023
            lambda: learner.learn(Gaussian(X[0], y[0], np.random.default_rng(0))),  # noqa: B023
        ]
        for way in ways:
            with pytest.raises(nk.Breakdown, match="noisy-linear-two-copy broke down in round 1: "):
                way()


@pytest.mark.parametrize("name", ["noisy-linear-two-copy", "pkawv-taylor"])
def test_a_noisy_learner_is_copied_saved_and_loaded(name, tmp_path):
    X, y = data()
    noise = nk.Noise("gaussian", noise_std=0.1, target_std=0.05, seed=4)
    parameters = {"eta": 0.05} if name == "noisy-linear-two-copy" else {}
    learner = nk.NoisyLearner(name, 3, seed=4, **parameters)
    learner.play(X[:150], y[:150], noise)
    learner.save(tmp_path / "alone.safetensors")
    learner.save(tmp_path / "model.safetensors", noise=noise, columns=["a", "b", "c"], target="z")
    with pytest.raises(ValueError, match="`seed`"):
        learner.save(tmp_path / "model.safetensors", noise=nk.Noise("gaussian", noise_std=0.1, seed=5))
    with pytest.raises(ValueError, match="2 names for the 3 inputs"):
        learner.save(tmp_path / "model.safetensors", columns=["a", "b"])
    loaded = nk.load(tmp_path / "model.safetensors")
    others = [pickle.loads(pickle.dumps(learner)), copy.deepcopy(learner), loaded]
    if not name.startswith("pkawv"):
        others.append(nk.load(tmp_path / "alone.safetensors"))
        assert others[-1].noise is None
    expected = learner.play(X[150:], y[150:], noise).predictions
    for other in others:
        assert other.rounds == 150
        np.testing.assert_array_equal(other.play(X[150:], y[150:], loaded.noise).predictions, expected)


def test_noise_is_counted_and_losses_are_those_of_clean_rows():
    X, y = data()
    noise = nk.Noise("laplace", noise_std=0.1, target_std=0.05)
    learner = nk.NoisyLearner("noisy-linear-two-copy", 3, eta=0.05)
    played = learner.play(X, y, noise)
    np.testing.assert_array_equal(played.losses, (y - played.predictions) ** 2)
    assert learner.queries == 3 * len(X)
    exact = nk.NoisyLearner("pkawv-taylor", 3, copies=4)
    exact.play(X, y, noise)
    assert exact.queries == 5 * len(X)
    with pytest.raises(ValueError, match="`copies`"):
        nk.NoisyLearner("noisy-linear-two-copy", 3, eta=0.05, copies=4)
    with pytest.raises(ValueError, match="`covariance`"):
        nk.NoisyLearner("noisy-gaussian", 3)


@pytest.mark.parametrize(("name", "parameters"), NOISY.items(), ids=NOISY)
def test_a_round_whose_oracle_raises_is_not_played(name, parameters):
    class Silent(Gaussian):
        asked, silent = 0, 10**9

        def told(self, answer):
            Silent.asked += 1
            if Silent.asked >= Silent.silent:
                raise TimeoutError
            return answer

        def x(self):
            return self.told(super().x())

        def y(self):
            return self.told(super().y())

    example = Silent(np.array([0.3, -0.2]), 0.1, np.random.default_rng(0))
    learner = nk.NoisyLearner(name, 2, horizon=100, **parameters)
    for _ in range(5):
        learner.learn(example)
    # Some ask for a random number of copies.
    for _ in range(50):
        before, Silent.asked = pickle.dumps(learner), 0
        learner.learn(example)
        if Silent.asked > 2:
            break
    after, each = pickle.dumps(learner), Silent.asked
    assert each >= 2
    for silent in range(1, each + 1):
        again = pickle.loads(before)
        Silent.asked, Silent.silent = 0, silent
        with pytest.raises(TimeoutError):
            again.learn(example)
        assert pickle.dumps(again) == before
    assert after != before
