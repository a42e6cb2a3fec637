"""Defaults, objects as arguments, and arguments that are refused."""

import pickle
import sys

import numpy as np
import pandas as pd
import pytest
from learners import CLASSES, CLASSIFIERS, REGRESSORS
from sklearn.base import clone
from sklearn.datasets import load_diabetes, make_friedman1
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import noregret_kernels as nk
from noregret_kernels import river

GROWING = [cls for cls in CLASSES if nk.Learner.needs_horizon(cls._learner, {}, 2)]


def data(rows=300, seed=0):
    X = np.random.default_rng(seed).uniform(-1, 1, (rows, 3))
    return X, np.sin(3 * X[:, 0]) * X[:, 1]


@pytest.mark.parametrize("load", [lambda: make_friedman1(2000, noise=1.0, random_state=0), lambda: load_diabetes(return_X_y=True)])
def test_the_default_bandwidth_is_as_good_as_linear_regression(load):
    """With bandwidth 1, the control, the same learner is far worse on both."""
    X, y = load()
    order = np.random.default_rng(1).permutation(len(y))
    X, y, cut = X[order], y[order], 3 * len(y) // 4
    linear, by_default, narrow = (
        model.fit(X[:cut], y[:cut]).score(X[cut:], y[cut:])
        for model in (LinearRegression(), nk.KernelRidge(), nk.KernelRidge(kernel_params={"bandwidth": 1.0}))
    )
    assert by_default > linear - 0.01 and narrow < linear - 0.09, (linear, by_default, narrow)


def test_scale_is_the_root_of_the_number_of_inputs_wherever_a_bandwidth_is():
    X, y = data()
    width = 3**0.5
    assert nk.PkawvTaylor().fit(X, y).parameters_["bandwidth"] == width
    assert nk.PkawvTaylor(bandwidth=0.5).fit(X, y).parameters_["bandwidth"] == 0.5
    assert nk.KernelRidge(kernel="matern").fit(X, y).parameters_["kernel"] == {
        "name": "matern",
        "smoothness": "3/2",
        "bandwidth": width,
    }
    assert nk.KernelRidge(kernel="linear").fit(X, y).parameters_["kernel"] == {"name": "linear"}
    inside = nk.Intervals(base="pkrr-fourier").fit(X, y).parameters_["base"]
    assert (inside["name"], inside["bandwidth"]) == ("pkrr-fourier", width)
    grid = {"kernel": [{"name": "laplace", "bandwidth": "scale"}, {"name": "gaussian", "bandwidth": 1.0}]}
    experts = nk.ExpertMixture(grid=grid).fit(X, y).parameters_["grid"]
    assert [one["kernel"]["bandwidth"] for one in experts] == [width, 1.0]
    np.testing.assert_array_equal(nk.Gaussian()(X), nk.gram(X, bandwidth=width))
    np.testing.assert_array_equal(
        nk.FourierFeatures(bandwidth="scale").fit_transform(X), nk.FourierFeatures(bandwidth=width).fit_transform(X)
    )
    model = river.PkawvTaylor()
    model.learn_one({"a": 1.0, "b": 2.0}, 1.0)
    assert '"bandwidth":1.414213562' in model._core.parameters
    with pytest.raises(ValueError, match="`bandwidth` = \"wide\""):
        nk.PkawvTaylor(bandwidth="wide").fit(X, y)


def test_what_is_saved_has_the_number_that_was_used(tmp_path):
    X, y = data()
    for model in (nk.PkawvTaylor(), nk.KernelRidge(), nk.Aggregate(experts=["pkrr-taylor"])):
        model.fit(X, y).save(tmp_path / "model.safetensors")
        loaded = nk.load(tmp_path / "model.safetensors")
        assert loaded.parameters_ == model.parameters_
        # It starts anew with the same numbers.
        np.testing.assert_array_equal(clone(loaded).fit(X, y).predict(X), model.predict(X))


@pytest.mark.parametrize("cls", REGRESSORS, ids=lambda cls: cls.__name__)
def test_a_regressor_needs_no_argument_for_rows_one_after_the_other(cls):
    X, y = data(40)
    model = cls()
    if cls._foresees:
        assert not hasattr(model, "partial_fit")
        return
    for at in range(0, 40, 10):
        model.partial_fit(X[at : at + 10], y[at : at + 10])
    assert np.isfinite(model.predict(X)).all()


@pytest.mark.parametrize("cls", GROWING, ids=lambda cls: cls.__name__)
def test_a_horizon_that_nobody_gives_doubles_and_what_was_learnt_stays(cls, tmp_path):
    X, y = data(700)
    given, model = cls(horizon=256), cls()
    given.partial_fit(X[:256], y[:256])
    model.partial_fit(X[:100], y[:100]).partial_fit(X[100:256], y[100:256])
    np.testing.assert_allclose(model.predict(X), given.predict(X), rtol=1e-9, atol=1e-9)
    model.save(tmp_path / "model.safetensors")
    others = [pickle.loads(pickle.dumps(model)), nk.load(tmp_path / "model.safetensors")]
    # Another n from here on, from the same state: the next prediction is the same, and later ones are not.
    after, fixed = model.play(X[256:], y[256:]).predictions, given.play(X[256:], y[256:]).predictions
    assert after[0] == pytest.approx(fixed[0], rel=1e-9) and not np.allclose(after, fixed, rtol=1e-6)
    for other in others:
        assert other.horizon is None
        np.testing.assert_array_equal(other.play(X[256:], y[256:]).predictions, after)
    # Rows in one call or in many.
    whole = cls().partial_fit(X[:1], y[:1])
    np.testing.assert_allclose(whole.play(X[1:], y[1:]).predictions[255:], after, rtol=1e-9, atol=1e-9)
    model = getattr(river, cls.__name__)()
    for x, target in zip(X, y, strict=True):
        model.learn_one(dict(enumerate(x)), target)
    assert model._limit == 1024
    np.testing.assert_allclose(
        model.predict_one(dict(enumerate(X[0]))), whole.learner_.predict(X[:1].copy())[0], rtol=1e-9, atol=1e-9
    )


def test_learners_without_a_formula_are_told_of_no_horizon():
    assert {cls._learner for cls in GROWING} >= {"fogd", "kernel-ogd", "linear-ogd", "robust-ogd", "robust-batch"}
    X, y = data()
    played = nk.DiscountMixture().play(X, y).predictions
    blocks = [nk.DiscountMixture(), []]
    for at in range(0, 300, 50):
        blocks[1].append(blocks[0].play(X[at : at + 50], y[at : at + 50]).predictions)
    np.testing.assert_allclose(np.concatenate(blocks[1]), played, rtol=1e-9, atol=1e-9)


def test_arguments_that_were_set_after_learning_began_are_refused_until_it_starts_anew():
    X, y = data()
    model = nk.KernelRidge(kernel=nk.Gaussian(bandwidth=0.5)).partial_fit(X, y)
    before = model.predict(X)
    for changed, back in ({"lam": 0.1}, {"lam": 1.0}), ({"kernel__bandwidth": 2.0}, {"kernel__bandwidth": 0.5}):
        model.set_params(**changed)
        name = next(iter(changed)).partition("_")[0]
        for learn in (model.partial_fit, model.play):
            with pytest.raises(ValueError, match=f"`{name}` was changed from .* start anew with `fit`"):
                learn(X, y)
        np.testing.assert_array_equal(model.predict(X), before)
        model.set_params(**back)
    model.partial_fit(X, y)
    assert not np.array_equal(model.set_params(lam=0.1).fit(X, y).predict(X), before)
    several = nk.StreamClassifier("kernel-awv").partial_fit(X, y > 0)
    several.set_params(parameters={"lambda": 0.1})
    with pytest.raises(ValueError, match="`parameters` was changed"):
        several.partial_fit(X, y > 0)
    given = np.array([0.01, 10.0])
    experts = nk.ExpertMixture(grid={"lambda": given}, random_state=np.random.RandomState(1)).partial_fit(X, y)
    pickle.loads(pickle.dumps(experts)).partial_fit(X, y)


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
def test_classes_are_both_known_at_the_start_and_stay(cls):
    X, y = data()
    words = np.where(y > 0, "yes", "no")
    for learn in (cls().partial_fit, cls().play, cls().fit):
        with pytest.raises(ValueError, match="one class only.*'yes'.*give `classes`"):
            learn(X, np.full(len(X), "yes"))
    with pytest.raises(ValueError, match="there are 1 classes"):
        cls().partial_fit(X, np.full(len(X), "yes"), classes=["yes"])
    first, rest = np.flatnonzero(words == "yes")[:20], np.arange(100, 300)
    model = cls().partial_fit(X[first], words[first], classes=["no", "yes"]).partial_fit(X[rest], words[rest])
    played = cls()
    played.play(X[first], words[first], classes=["yes", "no"])
    played.play(X[rest], words[rest])
    assert list(model.classes_) == ["no", "yes"]
    model.partial_fit(X[:5], words[:5], classes=["yes", "no"])
    for classes, said in [(["no", "maybe"], "`classes` are .*maybe"), (None, "class 'maybe'; the classes are")]:
        with pytest.raises(ValueError, match=said):
            model.partial_fit(X[:2], np.array(["yes", "maybe"]), classes=classes)
    assert model.predict(X).shape == (300,)


def test_later_classes_of_a_stream_come_in_rows():
    X, y = data()
    model = nk.StreamClassifier("kernel-awv").partial_fit(X, np.where(y > 0, 1, 2), classes=[1, 2])
    model.partial_fit(X[:3], [1, 2, 3], classes=[1, 2])
    model.partial_fit(X[:3], [1, 2, 3], classes=[1, 2, 3])
    with pytest.raises(ValueError, match="`classes` has 4, which was not among the classes"):
        model.partial_fit(X[:3], [1, 2, 3], classes=[1, 2, 3, 4])


def test_estimators_are_experts_and_bases():
    X, y = data()
    model = nk.Aggregate(experts=[nk.PkawvTaylor(lam=0.1, order=3), "running-mean", nk.KernelAwv(kernel=nk.Laplace())])
    table = [
        {"name": "pkawv-taylor", "lambda": 0.1, "order": 3},
        "running-mean",
        {"name": "kernel-awv", "kernel": {"name": "laplace"}},
    ]
    expected = nk.Aggregate(experts=table).fit(X, y)
    np.testing.assert_array_equal(clone(model).fit(X, y).predict(X), expected.predict(X))
    mixture = nk.ExpertMixture(base=nk.PkrrTaylor(order=1), grid={"lambda": [0.1, 1.0]})
    named = nk.ExpertMixture(base="pkrr-taylor", base_params={"order": 1}, grid={"lambda": [0.1, 1.0]})
    np.testing.assert_array_equal(mixture.fit(X, y).predict(X), named.fit(X, y).predict(X))
    assert mixture.set_params(base__order=2).fit(X, y).parameters_["base"]["order"] == 2
    classifier = nk.StreamClassifier(nk.KernelAwv(lam=0.1)).fit(X, y > 0)
    same = nk.StreamClassifier("kernel-awv", {"lambda": 0.1}).fit(X, y > 0)
    np.testing.assert_array_equal(classifier.predict_proba(X), same.predict_proba(X))
    many = river.Aggregate(experts=[river.PkawvTaylor(lam=0.1), nk.KernelAwv()])
    many.learn_one({"a": 1.0}, 1.0)
    for wrong, said in [
        (nk.Aggregate(experts=[nk.Fogd(horizon=5)]), "Fogd is inside of another learner, whose `horizon` holds"),
        (nk.Intervals(base=nk.KernelAwv(scaling="none")), "whose `scaling` holds"),
        (nk.Intervals(base=nk.KernelAwv(), base_params={"lambda": 1.0}), "leave `base_params` out"),
        (nk.Intervals(base=LinearRegression()), "`base`: a LinearRegression is no number"),
        (nk.KernelRidge(kernel=nk.KernelAwv()), "unknown kernel `kernel-awv`"),
    ]:
        with pytest.raises((ValueError, TypeError), match=said):
            wrong.fit(X, y)


def test_a_search_reaches_the_parameters_of_a_kernel():
    X = np.random.default_rng(0).uniform(-1, 1, (400, 2))
    y = np.sin(6 * X[:, 0]) + X[:, 1]
    grid = {"kernelridge__kernel__bandwidth": [0.01, 0.7, 50.0]}
    model = make_pipeline(StandardScaler(), nk.KernelRidge(lam=0.01, kernel=nk.Gaussian()))
    search = GridSearchCV(model, grid, cv=3).fit(X, y)
    assert search.best_params_ == {"kernelridge__kernel__bandwidth": 0.7} and search.best_score_ > 0.95
    for cls in (getattr(nk, name) for name in nk.kernels.__all__):
        kernel = cls()
        assert clone(kernel).get_params() == kernel.get_params()
        gram = kernel(X[:3], X[:5]) if cls not in (nk.PeriodicPower, nk.SobolevPeriodic) else kernel(X[:3, :1], X[:5, :1])
        assert gram.shape == (3, 5) and np.isfinite(gram).all()
        np.testing.assert_array_equal(kernel(X[:3, :1]), nk.gram(X[:3, :1], kernel=kernel))
    with pytest.raises(ValueError, match="leave `kernel_params` out"):
        nk.KernelRidge(kernel=nk.Gaussian(), kernel_params={"bandwidth": 1.0}).fit(X, y)


def test_without_river_the_module_says_what_to_install(monkeypatch):
    for name in ("noregret_kernels.river", "noregret_kernels._river"):
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "river", None)
    monkeypatch.delattr(nk, "river")
    with pytest.raises(ImportError, match=r"needs river and pandas.*pip install 'noregret-kernels\[river\]'"):
        from noregret_kernels import river  # noqa: F401


def test_words_that_look_like_numbers_are_words(tmp_path):
    X, y = data()
    labels = np.where(y > 0, "nan", "inf")
    for model in (nk.AioliTaylorClassifier(), nk.StreamClassifier("kernel-awv")):
        assert set(model.fit(X, labels).predict(X)) <= {"nan", "inf"}
    frame = pd.DataFrame(X, columns=["nan", "inf", "true"])
    model = nk.DiscountedAwvTaylor(memory="infinite").fit(frame, y)
    model.save(tmp_path / "model.safetensors", target="none")
    loaded = nk.load(tmp_path / "model.safetensors")
    assert loaded.feature_names_in_.tolist() == ["nan", "inf", "true"] and loaded.memory == "infinite"
    np.testing.assert_array_equal(loaded.predict(frame), model.predict(frame))
    for value in ("nan", float("nan"), float("inf")):
        with pytest.raises(ValueError, match="parameter `memory` = .* is not allowed"):
            nk.DiscountedAwvTaylor(memory=value).fit(X, y)
