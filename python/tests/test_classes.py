"""Streams of classes, and causal scales: no prediction owes anything to later rows."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import noregret_kernels as nk


def flowers(rows=300, late=80):
    """Rows around three centres; the third class appears in row ``late``."""
    rng = np.random.default_rng(0)
    kinds = np.where(np.arange(rows) < late, rng.integers(0, 2, rows), rng.integers(0, 3, rows))
    kinds[late] = 2
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])[kinds] + 0.5 * rng.normal(size=(rows, 2))
    return 1000.0 * X, np.array(["setosa", "iris", "virginica"])[kinds]


LEARNERS = [("auto", {"members": "linear"}), ("kernel-awv", {"lambda": 0.1}), ("fogd", {"eta": 0.3})]


@pytest.mark.parametrize(("learner", "parameters"), LEARNERS)
def test_classes_that_appear_late_are_learnt(learner, parameters):
    X, y = flowers()
    model = nk.StreamClassifier(learner, parameters)
    played = model.play(X, y)
    assert played.predictions[0] is None and played.losses[0] == 1.0
    assert "virginica" not in set(played.predictions[:81].tolist())
    assert list(model.classes_) == ["iris", "setosa", "virginica"]
    np.testing.assert_array_equal(played.losses, (played.predictions != y).astype(float))
    assert played.losses[120:].mean() < 0.2
    known = played.probabilities[120:]
    np.testing.assert_allclose(known.sum(axis=1), 1.0)
    assert np.isnan(played.probabilities[:81, 2]).all()
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    assert (model.predict(X) == y).mean() > 0.85
    own = probabilities[np.arange(len(y)), np.searchsorted(model.classes_, y)]
    assert -np.log(own).mean() < 0.6  # ln 3 is 1.1


@pytest.mark.parametrize(("learner", "parameters"), LEARNERS)
def test_no_prediction_owes_anything_to_later_rows(learner, parameters):
    X, y = flowers()
    for cut in (1, 40, 80, 200):
        whole, part = (nk.StreamClassifier(learner, parameters) for _ in range(2))
        other, words = X.copy(), y.copy()
        other[cut:], words[cut:] = 1e6 * other[cut:] + 7.0, "virginica"
        first, second = whole.play(X, y), part.play(other, words)
        np.testing.assert_array_equal(first.predictions[:cut], second.predictions[:cut])
        np.testing.assert_array_equal(first.losses[:cut], second.losses[:cut])
        assert (first.predictions[cut:] != second.predictions[cut:]).any()


def test_it_goes_on_where_it_was_and_from_a_pickle():
    X, y = flowers()
    expected = nk.StreamClassifier("kernel-awv", {"lambda": 0.1}).play(X, y)
    model = nk.StreamClassifier("kernel-awv", {"lambda": 0.1})
    first = model.partial_fit(X[:100], y[:100])
    copy = pickle.loads(pickle.dumps(first))
    for one in (first, copy):
        rest = one.play(X[100:], y[100:])
        np.testing.assert_array_equal(rest.predictions, expected.predictions[100:])
        np.testing.assert_allclose(rest.probabilities, expected.probabilities[100:], atol=1e-9)
    assert clone(model).get_params() == model.get_params()


def test_numbers_two_classes_and_what_is_wrong():
    X, y = flowers(late=299)
    numbers = np.where(y == "setosa", 3, 7)
    model = nk.StreamClassifier("kernel-awv", {"lambda": 0.1}).fit(X, numbers)
    assert set(model.predict(X)) == {3, 7}
    assert model.score(X, numbers) > 0.9
    with pytest.raises(ValueError, match="scaling is 'unit'"):
        nk.StreamClassifier(scaling="unit").fit(X, y)
    with pytest.raises(ValueError, match="tells no classes"):
        nk.Learner("kernel-awv", {"lambda": 0.1}, 2).probabilities(X)
    with pytest.raises(ValueError, match="pickle it"):
        model.learner_.save("model.safetensors", ["a", "b"], "y", False)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_a_missing_class_is_told_by_its_row(missing):
    X, labels = np.eye(4), np.array(["oak", "pine", missing, "oak"], dtype=object)
    known = ["oak", "pine"]
    for model in (nk.StreamClassifier("kernel-awv"), nk.AioliTaylorClassifier()):
        for learn in (model.fit, model.partial_fit, model.play):
            with pytest.raises(ValueError, match="y has .* in row 2, which is no class"):
                learn(X, labels)
            assert not hasattr(model, "classes_")
        with pytest.raises(ValueError, match="classes has .*, which is no class"):
            model.partial_fit(X[:2], labels[:2], classes=[*known, missing])
        with pytest.raises(ValueError, match="classes of the types int, str, which have no common order"):
            model.fit(X, np.array(["oak", 1, "oak", 1], dtype=object))
