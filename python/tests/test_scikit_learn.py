"""scikit-learn's own checks, for every learner, and its tools over ours."""

import numpy as np
from learners import CLASSES, REGRESSORS
from sklearn.datasets import make_regression
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale
from sklearn.utils.estimator_checks import parametrize_with_checks

import noregret_kernels as nk
from noregret_kernels._scores import POOR_SCORE


@parametrize_with_checks(
    [cls() for cls in [*CLASSES, nk.StreamClassifier, nk.AutoClassifier]], expected_failed_checks=nk.expected_failed_checks
)
def test_every_learner_is_an_estimator(estimator, check):
    check(estimator)


def score(model):
    """R^2 on the data of scikit-learn's check of regressors, which sets `alpha`."""
    X, y = make_regression(n_samples=200, n_features=10, n_informative=1, bias=5.0, noise=20, random_state=42)
    X, y = StandardScaler().fit_transform(X), scale(y)
    if hasattr(model, "alpha"):
        model.alpha = 0.01
    return model.fit(X, y).score(X, y)


def test_a_poor_score_is_claimed_exactly_where_it_is_seen():
    assert {cls._learner for cls in REGRESSORS if not score(cls()) > 0.5} == set(POOR_SCORE)


def test_a_grid_search_finds_the_bandwidth_of_the_target():
    X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    y = np.sin(6 * X[:, 0]) + X[:, 1]
    grid = {"kernelridge__kernel_params": [{"bandwidth": bandwidth} for bandwidth in (0.01, 0.7, 50.0)]}
    search = GridSearchCV(make_pipeline(StandardScaler(), nk.KernelRidge(lam=0.01)), grid, cv=3)
    assert search.fit(X, y).best_params_ == {"kernelridge__kernel_params": {"bandwidth": 0.7}}
    assert search.best_score_ > 0.95


def test_settings_that_differ_in_lambda_share_their_draws():
    """Ten lambdas that differ by a billionth are one setting for a search; ten seeds are the control."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1, 1, (300, 4))
    y = np.sin(3 * X[:, 0]) * X[:, 1]

    def measured(**given):
        model = nk.PkrrFourier(features=10, bandwidth=0.5, **given)
        return model.fit(X[:200], y[:200]).score(X[200:], y[200:])

    assert np.ptp([measured(lam=0.1 * (1 + 1e-9 * i), random_state=5) for i in range(10)]) < 1e-6
    assert np.ptp([measured(lam=0.1, random_state=i) for i in range(10)]) > 1e-2


def test_several_targets_are_several_learners():
    X, Y = np.random.default_rng(4).normal(size=(2, 120, 2))
    Y = np.column_stack([Y[:, 0] + X[:, 0], 1e3 * X[:, 1]])
    both = MultiOutputRegressor(nk.Auto(members="linear"))
    both.partial_fit(X[:70], Y[:70])
    both.partial_fit(X[70:], Y[70:])
    for j, said in enumerate(both.predict(X).T):
        one = nk.Auto(members="linear").partial_fit(X[:70], Y[:70, j]).partial_fit(X[70:], Y[70:, j])
        np.testing.assert_array_equal(said, one.predict(X))
