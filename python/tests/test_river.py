"""River's own checks, for every learner, and its tools over ours."""

import copy
from functools import partial

import numpy as np
import pandas as pd
import pytest
from river import checks, compose, datasets, evaluate, metrics, preprocessing

import noregret_kernels as nk
from noregret_kernels import river

CLASSES = [getattr(river, name) for name in river.__all__]

#: On inputs of its size, the data of River's checks, it would draw thousands of neurons in each round.
FEWER_DRAWS = {"shrinking-gradient": {"draws": 8.0}}


def every_check():
    for cls in CLASSES:
        model = cls(**FEWER_DRAWS.get(cls._learner, {}))
        for check in checks.yield_checks(model):
            yield pytest.param(model, check, id=f"{cls.__name__}-{check.__name__}")


@pytest.mark.parametrize(("model", "check"), list(every_check()))
def test_every_learner_is_a_model_of_river(model, check):
    assert check.__name__ not in model._unit_test_skips()
    check(model.clone())


def rows(count=200):
    inputs = np.random.default_rng(0).uniform(-1, 1, (count, 3))
    frame = pd.DataFrame(inputs, columns=["b", "a", "c"])
    return frame, pd.Series(np.sin(3 * frame["a"]) * frame["b"])


def test_columns_are_those_of_the_first_row_in_the_order_of_their_names():
    frame, targets = rows()
    model, given = river.PkawvTaylor(), river.PkawvTaylor(columns=["a", "b", "c"])
    assert model.predict_one({"a": 1.0}) == given.predict_one({"a": 1.0}) == 0.0
    for x, y in zip(frame.to_dict("records"), targets, strict=True):
        model.learn_one(x, y)
        given.learn_one(dict(reversed(x.items())), y)
    x = {"a": 0.3, "c": 0.1}
    expected = given.predict_one({**x, "b": 0.0})
    assert expected != 0.0
    assert model.predict_one(x) == model.predict_one({**x, "unknown": 9.0}) == expected
    assert model.predict_many(pd.DataFrame([{**x, "unknown": 9.0}])).tolist() == [expected]


def test_a_frame_is_played_as_its_rows_are():
    frame, targets = rows()
    one, many = river.KernelAwv(), river.KernelAwv()
    for x, y in zip(frame.to_dict("records"), targets, strict=True):
        one.learn_one(x, y)
    many.learn_many(frame, targets)
    np.testing.assert_allclose(one.predict_many(frame), many.predict_many(frame), rtol=1e-9, atol=1e-12)


def test_intervals_are_those_of_the_estimator():
    frame, targets = rows()
    model, estimator = river.Intervals(alpha=0.2), nk.Intervals(alpha=0.2)
    assert model.predict_interval_one({"a": 0.0}) == (-np.inf, np.inf)
    for x, y in zip(frame.to_dict("records"), targets, strict=True):
        model.learn_one(x, y)
    # River's columns are in the order of their names.
    estimator.partial_fit(frame[["a", "b", "c"]], targets)
    lower, upper = estimator.predict_interval(frame[["a", "b", "c"]][:1])
    x = frame.to_dict("records")[0]
    np.testing.assert_allclose(model.predict_interval_one(x), (lower[0], upper[0]), rtol=1e-9)
    assert lower[0] < model.predict_one(x) < upper[0]


def test_a_row_of_weight_two_is_the_row_twice():
    frame, targets = rows(50)
    weights = pd.Series(np.arange(50) % 3, dtype=float)
    one, many, often = (river.LinearRidge(scaling="none") for _ in range(3))
    many.learn_many(frame, targets, weights)
    for x, y, w in zip(frame.to_dict("records"), targets, weights, strict=True):
        one.learn_one(x, y, w)
        for _ in range(int(w)):
            often.learn_one(x, y)
    for model in (one, many):
        np.testing.assert_allclose(model.predict_many(frame), often.predict_many(frame), rtol=1e-9)
    halves = river.LinearRidge(scaling="none")
    halves.learn_many(frame, targets, 0.5)
    halves.learn_many(frame, targets, 0.5)
    alike = river.LinearRidge(scaling="none")
    alike.learn_many(frame, targets)
    np.testing.assert_allclose(halves.predict_many(frame), alike.predict_many(frame), rtol=1e-9)
    with pytest.raises(ValueError, match="sample_weight has -1 in row 0"):
        one.learn_one({"a": 1.0}, 1.0, w=-1.0)
    labels = river.CoinLinearClassifier()
    labels.learn_one({"a": 1.0}, True, w=2.0)
    assert labels.predict_proba_one({"a": 1.0})[True] > 0.5


def test_rows_learnt_one_by_one_leave_nothing_behind():
    frame, targets = rows(50)
    intervals, ridge = river.Intervals(), river.LinearRidge()
    for x, y in zip(frame.to_dict("records"), targets, strict=True):
        intervals.learn_one(x, y)
        ridge.learn_one(x, y)
    told = [*intervals._core.last_intervals(), *nk._core.last_predictive(ridge._core, np.array([y]), None)]
    assert [len(part) for part in told] == [1] * 5


@pytest.mark.parametrize(
    "refused", [({"z": float("nan")}, 1.0, 1.0), ({"z": "word"}, 1.0, 1.0), ({"z": 1.0}, float("inf"), 1.0), ({"z": 1.0}, 1.0, -1.0)]
)
def test_a_first_row_that_is_refused_fixes_no_columns(refused):
    model, fresh = river.KernelAwv(), river.KernelAwv()
    with pytest.raises((ValueError, TypeError)):
        model.learn_one(*refused)
    for one in (model, fresh):
        for t in range(20):
            one.learn_one({"a": t % 3, "b": -t % 5}, float(t % 2))
    assert model.predict_one({"a": 1, "b": 2}) == fresh.predict_one({"a": 1, "b": 2}) != 0.0
    assert model._columns == ["a", "b"]


def test_what_cannot_be_learnt_is_refused():
    model = river.AioliTaylorClassifier()
    with pytest.raises(ValueError, match="False and True"):
        model.learn_one({"a": 0.0}, "yes")
    with pytest.raises(ValueError, match="column a"):
        model.learn_one({"a": float("nan")}, True)
    for model in (river.KernelAwv(), river.KernelAwv(columns=[])):
        with pytest.raises(ValueError, match="there are no columns"):
            model.learn_one({}, 1.0)
        with pytest.raises(ValueError, match="there are no columns"):
            model.learn_many(pd.DataFrame(index=[0]), pd.Series([1.0]))
    model = river.KernelAwv()
    assert model.predict_one({}) == 0.0
    model.learn_one({"a": 1.0}, 1.0)
    assert model.predict_one({"a": 1.0}) > 0.0
    with pytest.raises(NotImplementedError, match="hinge"):
        river.CoinKernelClassifier(loss="hinge").predict_proba_one({"a": 0.0})


def test_columns_are_a_list_of_names_each_of_them_once():
    with pytest.raises(TypeError, match=r"`columns` is 'price'; give a list of names, \['price'\]"):
        river.KernelAwv(columns="price").learn_one({"price": 1.0}, 1.0)
    with pytest.raises(TypeError, match="`columns` is 3"):
        river.KernelAwv(columns=3).predict_one({"a": 1.0})
    for model in (river.KernelAwv(columns=["a", "b", "a"]), river.KernelAwv()):
        with pytest.raises(ValueError, match="the column 'a' is there twice"):
            model.learn_many(pd.DataFrame([[1.0, 2.0, 3.0]], columns=["a", "b", "a"]), pd.Series([1.0]))


def test_rows_and_targets_are_equally_many_and_inputs_numbers():
    frame, targets = rows(3)
    for model, said in [(river.LinearRidge(), targets), (river.CoinLinearClassifier(), targets > 0)]:
        with pytest.raises(ValueError, match="X has 3 rows and y has 2"):
            model.learn_many(frame, said[:2])
    model = river.LinearRidge()
    model.learn_many(frame, targets)
    for ask in (model.predict_one, model.predict_distribution_one, partial(model.learn_one, y=1.0)):
        for wrong in (None, "x"):
            with pytest.raises(TypeError, match=f"x has {wrong!r} in column a; inputs are numbers"):
                ask({"a": wrong})
    with pytest.raises(ValueError, match="X has 'x' in row 1 of the column 'a'"):
        model.predict_many(pd.DataFrame({"a": [1.0, "x"]}))


def test_a_shallow_copy_learns_by_itself():
    model = river.LinearRidge()
    model.learn_one({"a": 1.0}, 1.0)
    before, other = model.predict_one({"a": 1.0}), copy.copy(model)
    other.learn_one({"a": 1.0}, 100.0)
    assert model.predict_one({"a": 1.0}) == before != other.predict_one({"a": 1.0})


def test_a_model_that_broke_down_tells_nothing():
    for model, told in [(river.KernelAwv(), "predict_one"), (river.Intervals(), "predict_interval_one"), (river.LinearRidge(), "predict_distribution_one")]:
        model.learn_one({"a": 1.0}, 1.0)
        for way in (partial(model.learn_one, {"a": 1.0}, 1e300), partial(getattr(model, told), {"a": 1.0})):
            with pytest.raises(nk.Breakdown, match="broke down in round 2"):
                way()


def test_a_pipeline_runs():
    model = river.PkrrFourier(lam=0.01, bandwidth=3.0)
    assert evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE()).get() < 0.6
    learner = preprocessing.TargetStandardScaler(regressor=river.PkrrFourier(lam=0.01, bandwidth=3.0, scaling="none"))
    model = compose.Pipeline(preprocessing.StandardScaler(), learner)
    assert evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE()).get() < 0.6
    model = preprocessing.StandardScaler() | river.AioliFourierClassifier(bandwidth=3.0)
    assert evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy()).get() > 0.85
