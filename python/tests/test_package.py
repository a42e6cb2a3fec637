"""What the package promises beyond scikit-learn."""

import copy
import importlib.metadata
import importlib.util
import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest
from learners import CLASSES, REGRESSORS
from scipy.sparse import csr_array

import noregret_kernels as nk
from noregret_kernels import _core

ROOT = Path(__file__).parents[1]


def data(rows=300, seed=0):
    X = np.random.default_rng(seed).uniform(-1, 1, (rows, 3))
    return X, np.sin(3 * X[:, 0]) * X[:, 1]


def test_the_classes_and_their_types_are_what_the_declarations_give():
    spec = importlib.util.spec_from_file_location("generate", ROOT / "generate.py")
    generate = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generate)
    written = generate.modules(json.loads(_core.declarations()))
    assert len(written) == 6
    for name, text in written.items():
        assert Path(nk.__file__).with_name(name).read_text() == text, name


def test_the_package_has_its_licences():
    files = [str(file) for file in importlib.metadata.files("noregret-kernels")]
    for licence in ("LICENSE-APACHE", "LICENSE-MIT"):
        assert any(file.endswith(f".dist-info/licenses/{licence}") for file in files), files


def test_it_stands_beside_the_package_that_is_called_noregret():
    """`noregret` is another project's; requirements.txt has it, so both are installed here."""
    own, other = (
        {Path(file).parts[0] for file in importlib.metadata.files(name)} for name in ("noregret-kernels", "noregret")
    )
    assert not own & other and own >= {"noregret_kernels"} and other >= {"noregret"}, (own, other)
    assert importlib.import_module("noregret.regret_minimizers").RegretMinimizer
    assert nk.__file__ != importlib.import_module("noregret").__file__


@pytest.mark.parametrize("cls", [cls for cls in REGRESSORS if not cls._foresees], ids=lambda cls: cls.__name__)
def test_predictions_on_the_way_do_not_depend_on_the_blocks(cls):
    X, y = data()
    whole, parts = cls(horizon=300).play(X, y), cls(horizon=300)
    parts.partial_fit(X[:7], y[:7])
    found = np.concatenate([parts.play(X[rows], y[rows]).predictions for rows in (slice(7, 200), slice(200, None))])
    np.testing.assert_allclose(found, whole.predictions[7:], rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(whole.losses, (y - whole.predictions) ** 2)


def test_a_prediction_owes_nothing_to_its_target_or_later_ones():
    X, y = data()
    changed = np.where(np.arange(len(y)) >= 200, -5.0, y)
    for cls in REGRESSORS:
        before, after = (cls().play(X, targets).predictions[:201] for targets in (y, changed))
        np.testing.assert_allclose(before, after, rtol=1e-9, atol=1e-9, err_msg=cls.__name__)


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_a_copy_goes_on_with_the_same_bits(cls):
    X, y = data()
    y = np.sign(y) if issubclass(cls, nk.OnlineClassifier) else y
    model = cls().fit(X[:200], y[:200])
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        before = other.learner_.predict(X)
        np.testing.assert_array_equal(model.learner_.predict(X), before)
        other.play(X[200:], y[200:])
        assert model.learner_.rounds == 200
    model.play(X[200:], y[200:])
    np.testing.assert_array_equal(model.learner_.predict(X), other.learner_.predict(X))


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (nk.LinearRidge(), nk.LinearRidge.predict),
        (nk.CoinLinearClassifier(), nk.CoinLinearClassifier.decision_function),
        (nk.StreamClassifier("kernel-awv"), nk.StreamClassifier.predict_proba),
        (nk.Learner("kernel-awv", {}, 3), nk.Learner.predict),
        (nk.NoisyLearner("linear-ridge", 3), nk.NoisyLearner.predict),
        (nk.Forecaster(), lambda model, _: model.predict()),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_shallow_copy_learns_by_itself(model, told):
    X, y = data()
    y = np.sign(y) if hasattr(model, "classes_") or hasattr(model, "predict_proba") else y

    def learn(one, rows):
        if isinstance(one, nk.Forecaster):
            return one.partial_fit(y[rows])
        return one.play(X[rows], y[rows], *([nk.Noise("gaussian", noise_std=0.1)] if isinstance(one, nk.NoisyLearner) else []))

    learn(model, slice(0, 100))
    before, other = told(model, X), copy.copy(model)
    learn(other, slice(100, 300))
    np.testing.assert_array_equal(told(model, X), before)
    assert not np.array_equal(told(other, X), before)


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if issubclass(cls, nk.OnlineClassifier)], ids=lambda cls: cls.__name__)
def test_probabilities_are_those_of_the_logits(cls):
    X, y = data()
    model = cls().fit(X, np.where(y > 0, "yes", "no"))
    positive = 1.0 / (1.0 + np.exp(-model.decision_function(X)))
    np.testing.assert_allclose(model.predict_proba(X), np.column_stack([1.0 - positive, positive]), atol=1e-12)
    np.testing.assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))


def test_other_losses_give_no_probabilities():
    model = nk.CoinKernelClassifier(loss="hinge")
    assert not hasattr(model, "predict_proba") and hasattr(nk.CoinKernelClassifier(), "predict_proba")


def test_layouts_and_frames_give_the_same_bits():
    X, y = data()
    expected = nk.PkawvTaylor().play(X, y).predictions
    frozen = X.copy()
    frozen.flags.writeable = False
    wide = np.zeros((len(X), 6))
    wide[:, ::2] = X
    names = ["a", "b", "c"]
    for same in (np.asfortranarray(X), frozen, wide[:, ::2], pd.DataFrame(X, columns=names), pl.DataFrame(X, schema=names)):
        np.testing.assert_array_equal(nk.PkawvTaylor().play(same, y).predictions, expected)
    np.testing.assert_array_equal(nk.PkawvTaylor().play(X, pd.Series(y)).predictions, expected)


def test_sparse_rows_are_the_same_rows():
    X, y = data()
    X[X < 0.3] = 0.0
    words = np.where(y > 0, "yes", "no")
    for sparse in (csr_array(X), csr_array(X).tocsc(), csr_array(X).tocoo()):
        model = nk.LinearRidge().fit(X, y)
        np.testing.assert_array_equal(nk.LinearRidge().fit(sparse, y).predict(sparse), model.predict(X))
        np.testing.assert_array_equal(model.predict(sparse, return_std=True), model.predict(X, return_std=True))
        told = nk.StreamClassifier("kernel-awv").fit(sparse, words).predict_proba(sparse)
        np.testing.assert_array_equal(told, nk.StreamClassifier("kernel-awv").fit(X, words).predict_proba(X))


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (nk.PkawvTaylor(lam=-1.0), "`lam`"),
        (nk.PkawvTaylor(order=2.5), "`order`"),
        (nk.PkawvTaylor(order=10**30), "`order`"),
        (nk.KernelRidge(kernel="gausian"), "gaussian"),
        (nk.KernelRidge(kernel_params={"bandwidth": 0.0}), "`kernel.bandwidth`"),
        (nk.KernelRidge(kernel_params={"width": 1.0}), "`kernel.width`"),
        (nk.ExpertMixture(grid={"lamda": [1.0]}), r"`grid.lamda` \(did you mean `lambda`"),
        (nk.Aggregate(experts=[{"name": "kernel-awv", "lamda": 1.0}]), "did you mean `lambda`"),
        (nk.PkawvFourier(kind="odd"), "`kind`"),
        (nk.Fogd(horizon=-1), "`horizon` = -1"),
        (nk.Fogd(horizon=2**64), "`horizon`"),
        (nk.Fogd(random_state=-5), "`random_state` = -5"),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_parameter(model, said):
    with pytest.raises(ValueError, match=said):
        model.fit(*data())


def test_what_is_no_value_at_all_is_a_type_error():
    with pytest.raises(TypeError, match="`order`"):
        nk.PkawvTaylor(order=object()).fit(*data())


def test_labels_and_rows_are_checked_below_scikit_learn_too():
    learner = nk.Learner("aioli-taylor", {}, 3)
    X, y = data()
    with pytest.raises(ValueError, match="labels -1 and 1"):
        learner.play(X, y)
    with pytest.raises(ValueError, match="3 columns|expects 3"):
        learner.predict(X[:, :2].copy())
    with pytest.raises(ValueError, match="300 rows and y has 299"):
        learner.play(X, np.ones(299))
    X[17, 1] = np.nan
    with pytest.raises(ValueError, match="row 17 and column 1"):
        learner.predict(X)


def test_a_learner_that_breaks_down_says_when_and_stays_so():
    learner = nk.Learner("linear-ogd", {"eta": 1e300, "radius": 1e308}, 1)
    X, y = np.full((600, 1), 1e150), np.full(600, 1e150)
    with pytest.raises(nk.Breakdown, match="linear-ogd broke down in round") as first:
        learner.play(X, y)
    assert isinstance(first.value, ArithmeticError)
    with pytest.raises(nk.Breakdown):
        learner.play(X, y)


BREAKING = [nk.KernelAwv, nk.KernelRidge, nk.Fogd, nk.LinearRidge, nk.Neighbours, nk.Nogd, nk.Intervals, nk.RunningMean]


@pytest.mark.parametrize("cls", BREAKING, ids=lambda cls: cls.__name__)
def test_after_a_breakdown_nothing_is_told_and_nothing_saved(cls, tmp_path):
    X, y = data()
    model, file = cls().partial_fit(X, y), tmp_path / "model.safetensors"
    ways = [
        lambda: model.partial_fit(X[:1], [1e300]),
        lambda: model.predict(X),
        lambda: model.save(file),
        lambda: model.save(file, predict_only=True),
        lambda: pickle.dumps(model),
        lambda: copy.deepcopy(model),
        lambda: model.partial_fit(X, y),
    ]
    if hasattr(model, "predict_interval"):
        ways.append(lambda: model.predict_interval(X))
    if hasattr(model, "distribution"):
        ways.append(lambda: model.distribution(X))
    for way in ways:
        with pytest.raises(nk.Breakdown, match=f"{model._learner} broke down in round 301: losses are too large"):
            way()
    assert not file.exists()
    np.testing.assert_array_equal(model.fit(X, y).predict(X), cls().fit(X, y).predict(X))


@pytest.mark.parametrize("page", ["README.md", "../README.md", "../docs/src/python.md"])
def test_the_blocks_of_the_pages_run(page):
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    assert blocks
    exec(compile("\n".join(blocks), page, "exec"), {})


def test_the_example_draws_its_plot(tmp_path):
    command = [sys.executable, "-P", str(ROOT / "examples" / "changing.py"), str(tmp_path / "plot.png")]
    subprocess.run(command, check=True, cwd=tmp_path)
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def settings(model):
    """What it is made of: "scale" is the number that was used."""
    return model.parameters_, [model.get_params().get(name) for name in ("horizon", "random_state", "scaling")]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_what_is_loaded_goes_on_with_the_same_bits(cls, tmp_path):
    X, y = data()
    y = np.sign(y) if issubclass(cls, nk.OnlineClassifier) else y
    model = cls(random_state=5).fit(X[:200], y[:200])
    model.save(tmp_path / "model.safetensors")
    loaded = nk.load(tmp_path / "model.safetensors")
    assert type(loaded) is cls and settings(loaded) == settings(model)
    expected, found = (one.play(X[200:], y[200:]).predictions for one in (model, loaded))
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("cls", [nk.KernelRidge, nk.PkrrNystrom, nk.PkawvNystrom])
def test_what_is_saved_to_predict_is_smaller_predicts_the_same_and_refuses_to_learn(cls, tmp_path):
    X, y = data()
    model = cls(random_state=5).fit(X[:200], y[:200])
    whole, small = tmp_path / "whole.safetensors", tmp_path / "small.safetensors"
    model.save(whole)
    model.save(small, predict_only=True)
    assert small.stat().st_size < 0.8 * whole.stat().st_size
    loaded = nk.load(small)
    assert type(loaded) is cls and settings(loaded) == settings(model)
    np.testing.assert_allclose(loaded.predict(X), model.predict(X), rtol=1e-9, atol=1e-9)
    with pytest.raises(ValueError, match="cannot learn: it was saved to predict"):
        loaded.partial_fit(X[200:], y[200:])
    # Nothing was learnt, so that it predicts as before.
    np.testing.assert_allclose(loaded.predict(X), model.predict(X), rtol=1e-9, atol=1e-9)
    # The learner itself goes on as one that was saved whole.
    expected = nk.load(whole).play(X[200:], y[200:]).predictions
    np.testing.assert_array_equal(model.play(X[200:], y[200:]).predictions, expected)


def test_a_model_that_needs_all_to_predict_is_saved_whole_with_a_warning(tmp_path):
    X, y = data()
    # Over epochs, rows are kept that only learning needs.
    model = nk.PkawvTaylor(scaling="none").fit(X[:200], y[:200])
    with pytest.warns(UserWarning, match="the model is the whole one"):
        model.save(tmp_path / "model.safetensors", predict_only=True)
    loaded = nk.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.play(X[200:], y[200:]).predictions, model.play(X[200:], y[200:]).predictions)


def test_damaged_and_missing_models_are_refused(tmp_path):
    file = tmp_path / "model.safetensors"
    with pytest.raises(OSError, match="cannot read the model"):
        nk.load(file)
    X, y = data()
    nk.PkawvTaylor().fit(X, y).save(file)
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(ValueError, match="no model that can be used"):
        nk.load(file)
