"""Weights of rows, as scikit-learn and River name them."""

import copy
import json
import pickle
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from learners import CLASSES, CLASSIFIERS
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_sample_weight_equivalence_on_dense_data
from test_command_line import PROGRAM, run

import noregret_kernels as nk

#: They minimise a sum over rows, so that any weight means something to them.
SUMS = [nk.LinearRidge, nk.LinearAwv, nk.KernelRidge, nk.KernelAwv, nk.PkrrTaylor, nk.PkawvTaylor, nk.PkrrFourier, nk.PkawvFourier]

#: A row is one round to them, whatever its weight: of what they draw, offer to a dictionary, discount, or score experts by.
ONCE = {
    *("kons", "sketched-kons", "pros-n-kons", "nogd", "shrinking-gradient", "doubly-stochastic", "kitchen-sinks"),
    *("pkrr-nystrom", "pkawv-nystrom", "ahead", "auto", "expert-mixture", "discount-mixture"),
    *("discounted-awv-taylor", "discounted-ridge-taylor", "discounted-awv-fourier", "discounted-ridge-fourier"),
}
REPEATING = [cls for cls in CLASSES if cls._learner not in ONCE and not cls._foresees]


def rows(count=60, columns=2):
    rng = np.random.default_rng(5)
    X = rng.uniform(-1, 1, (count, columns))
    return X, np.sin(3 * X[:, 0]) + X[:, 1], rng.integers(0, 4, count).astype(float)


def said(cls, *played, **named):
    model = cls(scaling="none", horizon=256).fit(*played, **named)
    return model.decision_function(rows()[0]) if cls in CLASSIFIERS else model.predict(rows()[0])


@pytest.mark.parametrize("cls", REPEATING, ids=lambda cls: cls.__name__)
def test_a_row_of_weight_two_is_the_row_twice(cls):
    X, y, weights = rows()
    if cls in CLASSIFIERS:
        y = np.where(y > 0, "up", "down")
    weights[:2], weights[-1] = 1.0, 0.0
    often = weights.astype(int)
    weighted = said(cls, X, y, sample_weight=weights)
    np.testing.assert_allclose(weighted, said(cls, X.repeat(often, axis=0), y.repeat(often)), rtol=1e-9, atol=1e-9)
    # Weights that are ignored would not do.
    if cls._learner not in ("constant", "majority"):
        assert np.abs(weighted - said(cls, X, y)).max() > 1e-6


@pytest.mark.parametrize("cls", SUMS, ids=lambda cls: cls.__name__)
def test_learners_that_minimise_a_sum_take_fractions(cls):
    check_sample_weight_equivalence_on_dense_data(cls.__name__, cls(scaling="none"))
    X, y, weights = rows()
    whole, quarters = said(cls, X, y, sample_weight=weights), np.outer(weights, [0.25, 0.75]).ravel()
    np.testing.assert_allclose(whole, said(cls, X.repeat(2, axis=0), y.repeat(2), sample_weight=quarters), rtol=1e-9, atol=1e-9)


def test_others_refuse_fractions_in_words():
    X, y, weights = rows()
    weights[7] = 0.5
    for model in (nk.CoinLinear(), nk.Fogd(), nk.StreamClassifier("coin-linear")):
        told = y if model.__class__ is not nk.StreamClassifier else np.where(y > 0, "up", "down")
        model.fit(X, told)
        with pytest.raises(ValueError, match="sample_weight has 0.5 in row 7: the weight 0.5 is not one of 0, 1, 2"):
            model.partial_fit(X, told, sample_weight=weights)
        # Nothing was learnt of these rows, and it can go on.
        assert model.partial_fit(X, told, sample_weight=np.floor(weights)).learner_.rounds == 120
    with pytest.raises(ValueError, match="sample_weight has 0 in row"):
        nk.Ahead(steps=2).fit(X, y, sample_weight=np.floor(weights))


@pytest.mark.parametrize(
    ("weights", "why"),
    [
        (np.ones(59), "sample_weight"),
        (np.where(np.arange(60) == 7, -1.0, 1.0), "sample_weight has -1 in row 7"),
        (np.where(np.arange(60) == 7, np.nan, 1.0), "NaN"),
    ],
)
@pytest.mark.parametrize("cls", [nk.LinearRidge, nk.CoinLinearClassifier, nk.StreamClassifier])
def test_what_is_no_weight_is_refused_before_anything_is_learnt(cls, weights, why):
    X, y, _ = rows()
    y = y if cls is nk.LinearRidge else np.where(y > 0, "up", "down")
    model = cls().fit(X, y)
    with pytest.raises(ValueError, match=why):
        model.partial_fit(X, y, sample_weight=weights)
    assert model.learner_.rounds == 60


@pytest.mark.parametrize(
    "model",
    [nk.KernelRidge(), nk.KernelOgd(), nk.CoinLinearClassifier(), nk.StreamClassifier("fogd")],
    ids=lambda model: type(model).__name__,
)
def test_a_refused_weight_changes_nothing_of_a_model(model):
    X, y, _ = rows(3000)
    y = y if isinstance(model, nk.KernelRidge | nk.KernelOgd) else np.where(y > 0, "up", "down")
    weights = np.ones(3000)
    weights[2999] = -1
    refused = pytest.raises(ValueError, match="sample_weight has -1 in row 2999")
    for learn in (model.fit, model.partial_fit, partial(model.play, callback=print)):
        with refused:
            learn(X, y, sample_weight=weights)
        # It has not begun, so that other columns may be the first.
        assert not model.__sklearn_is_fitted__()
    model.fit(X[:60], y[:60])
    before = pickle.dumps(model)
    for learn in (model.fit, model.partial_fit, partial(model.play, callback=print)):
        with refused:
            learn(X, y, sample_weight=weights)
        assert pickle.dumps(model) == before
    if isinstance(model, nk.StreamClassifier):
        with pytest.raises(ValueError, match="in row 0"):
            model.partial_fit(X[:1], ["sideways"], sample_weight=[-1])
        assert pickle.dumps(model) == before


@pytest.mark.parametrize("model", [nk.LinearRidge(), nk.StreamClassifier("kernel-awv"), nk.CoinTaylorClassifier()], ids=lambda m: type(m).__name__)
def test_parts_are_the_whole(model):
    X, y, weights = rows(400)
    y = y if isinstance(model, nk.LinearRidge) else np.where(y > 0, "up", "down")
    more = {} if isinstance(model, nk.LinearRidge) else {"classes": ["down", "up"]}
    history = nk.History()
    whole = model.play(X, y, sample_weight=weights, callback=history, **more)
    assert history.rounds == [400]
    told = model.predict if isinstance(model, nk.LinearRidge) else model.predict_proba
    after = told(X)
    model.play(X[:1], y[:1], fresh=True, sample_weight=weights[:1], **more)
    for at in range(1, 400, 57):
        model.partial_fit(X[at : at + 57], y[at : at + 57], sample_weight=list(weights[at : at + 57]))
    np.testing.assert_allclose(told(X), after, rtol=1e-9, atol=1e-9)
    again = model.play(X, y, fresh=True, sample_weight=pd.Series(weights), **more)
    np.testing.assert_array_equal(again[0], whole[0])
    # The control: as if all weights were 1.
    model.play(X, y, fresh=True, **more)
    assert np.abs(told(X) - after).max() > 1e-6


@pytest.mark.skipif(PROGRAM is None, reason="NOREGRET names no program")
@pytest.mark.parametrize("model", [nk.LinearRidge(), nk.KernelAwv(), nk.CoinLinear()], ids=lambda model: type(model).__name__)
def test_predictions_are_those_of_the_program_to_the_bit(model, tmp_path):
    X, y, weights = rows(600)
    if isinstance(model, nk.KernelAwv):
        weights /= 4
    file, output = tmp_path / "rows.csv", tmp_path / "said.csv"
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y, "w": weights})
    frame.to_csv(file, index=False, float_format="%.17g")
    sets = ["--set", f"kernel.bandwidth={2**0.5!r}"] if isinstance(model, nk.KernelAwv) else []
    run("stream", "--learner", model._learner, *sets, "--input", file, "--target", "y", "--sample-weight", "w", "--output", output)
    told = pd.read_csv(output)
    np.testing.assert_array_equal(model.play(X, y, sample_weight=weights).predictions, told["prediction"])


@pytest.mark.parametrize("cls", [nk.LinearRidge, nk.CoinLinear, nk.CoinLinearClassifier, nk.StreamClassifier], ids=lambda cls: cls.__name__)
def test_rows_of_weight_zero_alone_teach_nothing_and_only_fit_refuses_them(cls):
    X, y, _ = rows()
    y = np.where(y > 0, "up", "down") if hasattr(cls, "predict_proba") or cls in CLASSIFIERS else y
    with pytest.raises(ValueError, match="weights of `fit` are all zero"):
        cls().fit(X, y, sample_weight=np.zeros(60))
    model = cls("fogd", scaling="none") if cls is nk.StreamClassifier else cls(scaling="none")
    said = copy.deepcopy(model.fit(X, y))
    model.partial_fit(X[:1], y[:1], sample_weight=[0.0]).play(X, y, sample_weight=np.zeros(60))
    assert model.learner_.rounds == 121
    # Probabilities are calibrated by all rows, as scores count each row once.
    if cls is not nk.StreamClassifier:
        np.testing.assert_array_equal(model.predict(X), said.predict(X))
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=y, w=0.0)
    assert len(nk.stream(frame, "y", cls(), sample_weight="w")) == 60


def test_searches_and_pipelines_pass_weights_on():
    X, y, weights = rows(200)
    y = y + 3.0 * (weights == 0)
    search = GridSearchCV(nk.LinearRidge(scaling="none"), {"lam": [1e-6, 1e6]}, cv=2).fit(X, y, sample_weight=weights)
    known = nk.LinearRidge(lam=1e-6, scaling="none").fit(X[weights > 0], y[weights > 0], sample_weight=weights[weights > 0])
    np.testing.assert_allclose(search.predict(X), known.predict(X), rtol=1e-9, atol=1e-9)
    with sklearn.config_context(enable_metadata_routing=True):
        learner = nk.LinearRidge(scaling="none").set_fit_request(sample_weight=True)
        model = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), learner)
        routed = model.fit(X, y, sample_weight=weights).predict(X)
        assert np.abs(routed - model.fit(X, y).predict(X)).max() > 0.1


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_a_stream_has_a_column_of_weights(library):
    X, y, weights = rows()
    frame = library.DataFrame({"a": X[:, 0], "w": weights, "y": y, "b": X[:, 1]})
    told = nk.stream(frame, "y", nk.LinearRidge(), sample_weight="w")
    np.testing.assert_array_equal(told["prediction"], nk.LinearRidge().play(X, y, sample_weight=weights).predictions)
    with pytest.raises(ValueError, match="no column 'v'"):
        nk.stream(frame, "y", sample_weight="v")


def test_models_that_are_saved_keep_weights(tmp_path):
    X, y, weights = rows()
    model = nk.LinearRidge(scaling="none").fit(X, y, sample_weight=weights)
    model.save(tmp_path / "model")
    np.testing.assert_array_equal(nk.load(tmp_path / "model").predict(X), model.predict(X))
    assert json.loads(model.learner_.parameters)["lambda"] == 1.0
