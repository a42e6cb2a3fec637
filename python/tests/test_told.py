"""What is told beside predictions: intervals, weights, losses of classifiers, steps of a stream."""

import copy
import pickle
import sys
import types

import numpy as np
import pytest

import noregret_kernels as nk


def data(rows=600):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (rows, 2))
    return X, 1000.0 + 50.0 * (np.sin(3 * X[:, 0]) + rng.normal(size=rows))


def test_intervals_are_those_that_are_asked_for():
    X, y = data(2000)
    model = nk.Intervals(base=nk.KernelAwv(lam=0.1), alpha=0.2)
    played = model.play(X, y)
    predictions, losses = played
    np.testing.assert_array_equal(np.array(played), [predictions, losses])
    missed = ~((played.lower <= y) & (y <= played.upper))
    # The theorem of aci: the part of misses is within (max(alpha, 1 - alpha) + rate) / (rate n) of alpha, on every sequence.
    assert abs(missed.mean() - 0.2) <= (0.8 + 0.05) / (0.05 * 2000)
    finite = np.isfinite(played.lower) & np.isfinite(played.upper)
    assert finite.mean() > 0.95
    middles = (played.lower[finite] + played.upper[finite]) / 2
    np.testing.assert_allclose(middles, predictions[finite], rtol=1e-9)
    # Nothing is learnt by asking, and what is told now is what is told of the next row when it comes.
    lower, upper = model.predict_interval(X[:1])
    again = model.predict_interval(X[:1])
    coming = copy.deepcopy(model).play(X[:1], y[:1])
    assert (lower[0], upper[0]) == (again[0][0], again[1][0])
    np.testing.assert_allclose([lower[0], upper[0]], [coming.lower[0], coming.upper[0]], rtol=1e-9)
    other = pickle.loads(pickle.dumps(played))
    np.testing.assert_array_equal(other.lower, played.lower)
    np.testing.assert_array_equal(other.losses, losses)


def test_intervals_do_not_depend_on_how_rows_are_cut_nor_on_their_targets():
    X, y = data()
    whole, parts = nk.Intervals().play(X, y), nk.Intervals()
    cut = [parts.play(X[rows], y[rows]) for rows in (slice(0, 7), slice(7, 300), slice(300, None))]
    for name in ("lower", "upper"):
        found = np.concatenate([getattr(one, name) for one in cut])
        np.testing.assert_allclose(found, getattr(whole, name), rtol=1e-9)
    changed = np.where(np.arange(600) >= 400, 5.0, y)
    np.testing.assert_allclose(nk.Intervals().play(X, changed).lower[:401], whole.lower[:401], rtol=1e-9)
    assert not hasattr(nk.KernelAwv(), "predict_interval") and not hasattr(nk.KernelAwv().play(X, y), "lower")
    # The control: an interval that contains nothing has no ends, one without an end is infinite.
    first = nk.Intervals(scaling="none").play(X[:1], y[:1])
    assert (first.lower[0], first.upper[0]) == (-np.inf, np.inf)


def test_a_loaded_model_with_scales_of_the_program_gives_intervals_in_the_units_of_the_file(tmp_path):
    X, y = data()
    model = nk.Intervals().fit(X, y)
    model.save(tmp_path / "model.safetensors")
    loaded = nk.load(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(loaded.predict_interval(X), model.predict_interval(X))
    assert np.median(loaded.predict_interval(X)[0]) > 800.0


def test_weights_are_those_of_the_last_forecast():
    X, y = data()
    mixture = nk.ExpertMixture(grid={"lambda": [1e-3, 1.0, 1e3]})
    assert not hasattr(mixture, "weights_")
    mixture.play(X, y)
    assert mixture.weights_.shape == (3,) and mixture.weights_.sum() == pytest.approx(1.0)
    assert mixture.weights_[2] < mixture.weights_[:2].min() / 2
    forecasts = np.column_stack([y, y + 100.0, y - 300.0])
    aggregate = nk.Aggregate().fit(forecasts, y)
    assert aggregate.weights_[0] > 0.6 and aggregate.weights_.argmax() == 0
    with pytest.raises(AttributeError, match="KernelAwv has no weights"):
        nk.KernelAwv().fit(X, y).weights_  # noqa: B018
    assert nk.Auto(members="linear").fit(X, y).weights_.min() >= 0.0


@pytest.mark.parametrize(
    ("model", "loss"),
    [
        (nk.AioliTaylorClassifier(), lambda s, f: np.log1p(np.exp(-s * f))),
        (nk.CoinKernelClassifier(), lambda s, f: np.log1p(np.exp(-s * f))),
        (nk.CoinKernelClassifier(loss="hinge"), lambda s, f: np.where(s * f < 1, 1 - s * f, 0.0)),
        (nk.CoinTaylorClassifier(loss="absolute"), lambda s, f: abs(s - f)),
        (nk.CoinTaylorClassifier(loss="pinball", tau=0.2), lambda s, f: np.where(s > f, 0.2 * (s - f), 0.8 * (f - s))),
    ],
    ids=str,
)
def test_losses_of_classifiers_are_those_that_they_learn_from(model, loss):
    X, y = data()
    signs = np.where(X[:, 0] * X[:, 1] > 0, 1.0, -1.0)
    played = model.play(X, np.where(signs > 0, "same", "other"))
    np.testing.assert_allclose(played.losses, loss(signs, played.predictions), rtol=1e-9, atol=1e-12)
    assert not np.allclose(played.losses, (signs - played.predictions) ** 2)


@pytest.mark.parametrize("model", [nk.PkawvTaylor(), nk.Intervals(), nk.Fogd(), nk.AioliTaylorClassifier(), nk.StreamClassifier("kernel-awv")], ids=str)
def test_who_watches_changes_no_bit(model):
    X, y = data(3000)
    y = y > 1000.0 if hasattr(model, "decision_function") or hasattr(model, "predict_proba") else y
    expected, steps, history = copy.deepcopy(model).play(X, y), [], nk.History()
    watched = copy.deepcopy(model)

    def both(step):
        steps.append(step)
        history(step)

    played = watched.play(X, y, callback=both)
    for one, other in zip(played, expected, strict=True):
        np.testing.assert_array_equal(one, other)
    assert [step.rounds for step in steps] == history.rounds == [1024, 2048, 3000]
    np.testing.assert_array_equal(np.concatenate([step.losses for step in steps]), played.losses)
    assert history.mean_losses[-1] == played.losses[2048:].mean()
    assert steps[0].model is watched

    def stop(step):
        raise KeyboardInterrupt

    stopped = copy.deepcopy(model)
    with pytest.raises(KeyboardInterrupt):
        stopped.play(X, y, callback=stop)
    assert stopped.learner_.rounds == 1024


def test_progress_is_drawn_by_tqdm_where_it_is(monkeypatch):
    X, y = data(2500)
    drawn = []

    class Bar:
        def __init__(self, total, unit):
            drawn.append((total, unit))

        def update(self, rows):
            drawn.append(rows)

        def close(self):
            drawn.append("closed")

    auto = types.ModuleType("tqdm.auto")
    auto.tqdm = Bar
    monkeypatch.setitem(sys.modules, "tqdm", types.ModuleType("tqdm"))
    monkeypatch.setitem(sys.modules, "tqdm.auto", auto)
    nk.KernelAwv().play(X, y, progress=True)
    assert drawn == [(2500, "rows"), 1024, 1024, 452, "closed"]
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        nk.KernelAwv().play(X, y, progress=True)


def test_notebooks_show_estimators_and_kernels():
    shown = nk.KernelRidge(lam=0.5, kernel=nk.Gaussian(bandwidth=0.25))._repr_html_()
    assert "KernelRidge" in shown and "0.25" in shown and "<" in nk.Gaussian()._repr_html_()
