"""Streams as frames, leaderboards and plots."""

import datetime
import io
import os
import shutil
import subprocess
from decimal import Decimal

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import SGDRegressor

import noregret_kernels as nk

matplotlib.use("Agg")
PROGRAM = os.environ.get("NOREGRET") or shutil.which("noregret")


def data(rows=400):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (rows, 2))
    return X, np.sin(3 * X[:, 0]) * X[:, 1] + 0.1 * rng.normal(size=rows)


def test_a_stream_is_a_frame_of_the_same_kind():
    X, y = data()
    frame = pd.DataFrame(X, columns=["a", "b"], index=np.arange(400) + 1000).assign(y=y)[["a", "y", "b"]]
    told = nk.stream(frame, "y", nk.Intervals())
    expected = nk.Intervals().play(X, y)
    assert list(told.columns) == ["prediction", "loss", "lower", "upper"] and (told.index == frame.index).all()
    for name, column in zip(told.columns, [*expected, expected.lower, expected.upper], strict=True):
        np.testing.assert_array_equal(told[name], column)
    other = nk.stream(pl.DataFrame(frame), "y", nk.Intervals())
    assert isinstance(other, pl.DataFrame)
    np.testing.assert_array_equal(other.to_numpy(), told.to_numpy())
    np.testing.assert_array_equal(nk.stream(frame, "y")["prediction"], nk.Auto().play(X, y).predictions)
    with pytest.raises(ValueError, match="no column 'z'.*'a', 'y', 'b'"):
        nk.stream(frame, "z")


@pytest.mark.parametrize("kind", [float, Decimal])
def test_numbers_that_are_objects_are_numbers(kind):
    X, y = data(60)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=pd.Series([kind(one) for one in y], dtype=object))
    np.testing.assert_array_equal(nk.stream(frame, "y")["prediction"], nk.Auto().play(X, y).predictions)
    models = {"mean": nk.RunningMean()}
    assert nk.compare(X, frame["y"], models=models)["mean_loss"][0] == nk.compare(X, y, models=models)["mean_loss"][0]


def test_a_stream_is_any_table_that_offers_arrow():
    class Table:
        def __init__(self, frame):
            self.frame = frame

        def __arrow_c_stream__(self, requested_schema=None):
            return self.frame.__arrow_c_stream__(requested_schema)

    X, y = data()
    frame = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y})
    told = nk.stream(Table(frame), "y", nk.KernelAwv())
    assert told.equals(nk.stream(frame, "y", nk.KernelAwv()))
    with pytest.raises(TypeError, match="a list is none"):
        nk.stream([1.0], "y")


DATES = [datetime.datetime(2024, 3, 25, 6)] * 60


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_a_column_that_is_no_number_is_named(library):
    X, y = data(60)
    frame = library.DataFrame({"a": X[:, 0], "b": X[:, 1]})
    fitted = nk.KernelAwv().fit(frame, y)
    for name, column, said in [("b", ["oak"] * 60, "X has 'oak' in row 0"), ("b", DATES, "X has dates"), ("c", DATES, "X has dates")]:
        other = library.DataFrame({**{one: frame[one].to_list() for one in frame.columns}, name: column})
        ways = [
            lambda: nk.stream(library.DataFrame({**{one: other[one].to_list() for one in other.columns}, "y": y}), "y"),  # noqa: B023
            lambda: nk.compare(other, y, {"mine": nk.KernelAwv()}),  # noqa: B023
            lambda: nk.StreamClassifier("kernel-awv").fit(other, y > 0),  # noqa: B023
            lambda: fitted.predict(other),  # noqa: B023
        ]
        for way in ways:
            with pytest.raises(ValueError, match=f"{said}.* the column '{name}', and inputs are numbers: encode it"):
                way()
    digits = library.DataFrame({"a": X[:, 0], "b": [str(one) for one in X[:, 1]]})
    np.testing.assert_array_equal(fitted.predict(digits), fitted.predict(frame))
    with pytest.raises(ValueError, match="the target 'y' holds dates or times, and must hold numbers or classes"):
        nk.stream(library.DataFrame({"a": X[:, 0], "y": DATES}), "y")
    gap = pd.DataFrame({"a": X[:, 0], "b": pd.array([pd.NA, *map(str, X[1:, 1])], dtype="string")})
    with pytest.raises(ValueError, match="X has <NA> in row 0 of the column 'b'"):
        fitted.predict(gap)
    with pytest.raises(ValueError, match="y holds dates or times"):
        nk.compare(X, DATES, {"mine": nk.KernelAwv()})


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_times_of_the_day_are_hours(library):
    X, y = data(60)
    times = [datetime.time(at % 24, 7 * at % 60, 13 * at % 60, 123456 * at % 10**6) for at in range(60)]
    hours = [one.hour + one.minute / 60 + (one.second + one.microsecond / 1e6) / 3600 for one in times]
    frame, plain = (library.DataFrame({"a": X[:, 0], "at": column, "b": X[:, 1]}) for column in (times, hours))
    told, expected = (nk.LinearRidge(scaling="none").play(one, y).predictions for one in (frame, plain))
    np.testing.assert_allclose(told, expected, rtol=1e-9)
    assert frame["at"][1] == times[1]
    with pytest.raises(ValueError, match="NaN"):
        nk.LinearRidge().fit(library.DataFrame({"a": X[:, 0], "at": [None, *times[1:]]}), y)


def test_dates_and_durations_are_no_counts():
    X, y = data(20)
    days = np.datetime64("2024-01-01") + np.arange(20)
    model = nk.LinearRidge().fit(X, y)
    with pytest.raises(ValueError, match="in the column 'a', and inputs are numbers"):
        model.predict(pl.DataFrame({"a": [datetime.timedelta(days=1)] * 20, "b": X[:, 0]}))
    with pytest.raises(ValueError, match="dates or durations"):
        model.predict(np.stack([days, days], axis=1))
    for targets in (days, pd.date_range("2024", periods=20), pd.Series(days)):
        with pytest.raises(ValueError, match="y holds dates or times"):
            nk.LinearRidge().fit(X, targets)


def test_a_table_of_arrow_has_numbers():
    pa = pytest.importorskip("pyarrow")
    X, y = data(20)
    model = nk.LinearRidge().fit(X, y)
    for bad in (pa.array(np.datetime64("2024-01-01") + np.arange(20)), pa.array(["u"] * 20)):
        with pytest.raises(ValueError, match="in the column 'a', and inputs are numbers"):
            model.predict(pa.table({"a": bad, "b": X[:, 0]}))
    np.testing.assert_array_equal(model.predict(pa.table({"a": X[:, 0], "b": X[:, 1]})), model.predict(X))


def test_what_is_no_model_and_no_input_is_told_with_the_remedy():
    X, y = data(60)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(y=y)
    for model, said in [
        ("pkawv-taylor", r"`model` is 'pkawv-taylor', and must be an estimator of this package such as nk.PkawvTaylor\(\)"),
        (nk.Fogd, r"`model` is .*Fogd'>, and must be .* such as nk.Fogd\(\)"),
        (SGDRegressor(), "`model` is a SGDRegressor, .*`nk.serve`"),
    ]:
        with pytest.raises(TypeError, match=said):
            nk.stream(frame, "y", model)
    with pytest.raises(ValueError, match="no columns beside 'y'"):
        nk.stream(frame[["y"]], "y")
    with pytest.raises(TypeError, match="`models` is a list, and must be a dictionary of estimators by name"):
        nk.compare(X, y, [nk.Auto()])
    with pytest.raises(TypeError, match=r"`models\['m'\]` is a SGDRegressor"):
        nk.compare(X, y, {"m": SGDRegressor()})


@pytest.mark.parametrize("library", [pd, pl])
def test_a_stream_of_words_has_their_probabilities(library):
    X, y = data()
    frame = library.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": np.where(y > 0, "up", "down").tolist()})
    told = nk.stream(frame, "y")
    assert isinstance(told, library.DataFrame)
    assert list(told.columns) == ["prediction", "loss", "probability_down", "probability_up"]
    assert pd.isna(told["prediction"][0]) and told["prediction"][399] in ("up", "down")
    assert 0.0 < told["loss"].mean() < 0.4
    going_on = nk.StreamClassifier("kernel-awv")
    nk.stream(frame[:200], "y", going_on)
    nk.stream(frame[200:], "y", going_on)
    assert going_on.learner_.rounds == 400


def test_a_leaderboard_is_what_each_would_have_lost_alone():
    X, y = data()
    models = {"wide": nk.KernelAwv(lam=0.1), "mean": nk.RunningMean(scaling="none")}
    models["wide"].fit(X, y)
    board = nk.compare(X, y, models)
    assert board["model"].tolist() == ["wide", "mean"]
    for name, loss in zip(board["model"], board["mean_loss"], strict=True):
        assert loss == models[name].play(X, y, fresh=True).losses.mean()
    assert board["skill"][1] == 0.0 and board["skill"][0] == 1 - board["mean_loss"][0] / board["mean_loss"][1]
    assert board["estimator"][0] is not models["wide"] and board["estimator"][0].learner_.rounds == 400
    everyone = nk.compare(pl.DataFrame(X), y)
    assert isinstance(everyone, pl.DataFrame) and set(everyone["model"]) >= {"auto", "linear", "running-mean", "last-value"}
    assert everyone["mean_loss"].is_sorted() and everyone["skill"][0] > 0.5
    with pytest.raises(ValueError, match="learners of one kind"):
        nk.compare(X, y, {"a": nk.Auto(), "b": nk.AutoClassifier()})
    with pytest.raises(ValueError, match="no model"):
        nk.compare(X, y, {})


def test_a_leaderboard_of_classes_counts_wrong_ones():
    X, y = data()
    board = nk.compare(X, np.where(y > 0, "up", "down")).set_index("model")
    assert board.loc["majority", "skill"] == 0.0 and board["skill"].iloc[0] > 0.3
    wrong = 400 * board["mean_loss"]
    np.testing.assert_allclose(wrong, wrong.round(), atol=1e-9)
    two = {"logits": nk.AioliFourierClassifier(), "margins": nk.StreamClassifier("kernel-awv")}
    board = nk.compare(X, y > 0, two).set_index("model")
    forecasts = nk.AioliFourierClassifier().play(X, y > 0).predictions
    assert board.loc["logits", "mean_loss"] == ((forecasts > 0) != (y > 0)).mean()
    assert set(nk.compare(X[:60], (y > 0)[:60])["model"]) >= {"auto", "majority"}


def test_regret_and_weights_are_drawn():
    X, y = data(3000)
    history, mixture, alone = nk.History(), nk.ExpertMixture(grid={"lambda": [0.01, 100.0]}), nk.KernelAwv()
    mixed, losses = mixture.play(X, y, callback=history).losses, alone.play(X, y).losses
    ax = nk.plot_regret({"mixture": mixed}, losses)
    drawn = ax.lines[0].get_ydata()
    np.testing.assert_allclose(drawn, np.cumsum(mixed - losses))
    assert ax.get_legend() is not None
    ax = nk.plot_regret(mixed, 30.0)
    np.testing.assert_allclose(ax.lines[0].get_ydata()[-1], mixed.sum() - 30.0)
    ax = nk.plot_weights(history, ["small", "large"])
    top = ax.collections[-1].get_paths()[0].vertices[:, 1].max()
    assert len(ax.collections) == 2 and top == pytest.approx(1.0)
    with pytest.raises(ValueError, match="3 names for 2 forecasts"):
        nk.plot_weights(history, ["a", "b", "c"])
    nothing = nk.History()
    alone.play(X[:10], y[:10], callback=nothing)
    with pytest.raises(ValueError, match="`play` of a mixture"):
        nk.plot_weights(nothing)
    with pytest.raises(ValueError, match="3000 losses, and the reference has 10"):
        nk.plot_regret(mixed, losses[:10])


@pytest.mark.skipif(PROGRAM is None, reason="NOREGRET names no program")
def test_results_of_a_project_are_frames(tmp_path):
    def run(*command):
        return subprocess.run([PROGRAM, *command], check=True, capture_output=True, cwd=tmp_path, text=True).stdout

    run("init", "mine")
    run("run", "--profile", "quick", "--offline", "--project", "mine")
    by_polars, by_pandas = nk.results(project=tmp_path / "mine"), nk.results("runs", tmp_path / "mine", library="pandas")
    assert isinstance(by_polars, pl.DataFrame) and isinstance(by_pandas, pd.DataFrame)
    told = pd.read_csv(io.StringIO(run("query", "runs", "--columns", "all", "--format", "csv", "--project", "mine")))
    assert list(by_polars.columns) == list(by_pandas.columns) == list(told.columns) and len(told) == len(by_polars) > 5
    for mine in (by_polars, by_pandas):
        assert sorted(mine["run_id"]) == sorted(told["run_id"])
        np.testing.assert_allclose(np.sort(mine["average_loss"]), np.sort(told["average_loss"]), rtol=1e-9)
    traces = nk.results("traces/learners", tmp_path / "mine")
    assert set(traces["run_id"]) <= set(by_polars["run_id"]) and traces["t"].max() > 100
    assert nk.results("timings", tmp_path / "mine").height == traces.height
    with pytest.raises(FileNotFoundError, match="has no table 'rums'; it has runs, runs/learners, timings, traces/learners"):
        nk.results("rums", tmp_path / "mine")
    with pytest.raises(FileNotFoundError, match="noregret run"):
        nk.results(project=tmp_path)
    with pytest.raises(ValueError, match="'pandas' or 'polars'"):
        nk.results(project=tmp_path / "mine", library="arrow")
