"""Models that the program learnt from words, dates and gaps."""

import datetime
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from test_command_line import PROGRAM, run

import noregret_kernels as nk

pytestmark = pytest.mark.skipif(PROGRAM is None, reason="NOREGRET names no program")


def frame(rows=400):
    """Dates with times, words of which new ones go on appearing, one of them long, and gaps."""
    rng = np.random.default_rng(0)
    words = np.array(["oak", "pine", "birch", "yew", "x" * 300])
    late = np.minimum(rng.integers(0, 5, rows), 1 + np.arange(rows) // 100)
    made = pd.DataFrame({
        "when": pd.date_range("2025-11-03 05:00", periods=rows, freq="7h"),
        "kind": words[late],
        "size": np.where(rng.uniform(size=rows) < 0.1, np.nan, rng.uniform(1, 9, rows).round(3)),
        "width": rng.uniform(-1, 1, rows),
        "late": [None] * 20 + list(rng.choice(["north", "south"], rows - 20)),
    })
    made["price"] = (late + np.nan_to_num(made["size"]) + np.sin(made["width"])).round(6)
    return made


def learnt(tmp_path, made, *options):
    """The model of 300 rows, and what the program predicts of all."""
    file, output, model = tmp_path / "rows.csv", tmp_path / "said.csv", tmp_path / "model"
    made.to_csv(file, index=False, date_format="%Y-%m-%dT%H:%M:%S", float_format="%.17g")
    given = ["stream", "--input", file, "--target", "price", *options, "--output", output]
    run(*given, "--limit", "300", "--save", model)
    run(*given)
    return nk.load(model), pd.read_csv(output)["prediction"].to_numpy()


OPTIONS = {
    "auto": ("--missing", "mean"),
    "indicators": ("--learner", "kernel-awv", "--missing", "indicator"),
    "hashes": ("--learner", "linear-ridge", "--missing", "mean", "--category-as", "hash", "--date-as", "both"),
    "codes": ("--learner", "pkawv-fourier", "--missing", "mean", "--category-as", "codes", "--date-as", "calendar"),
    "views": ("--learner", "linear-ridge", "--missing", "mean", "--category-as", "codes", "--views", "categories"),
}


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_a_model_goes_on_as_in_the_program(options, tmp_path):
    made = frame()
    model, expected = learnt(tmp_path, made, *options)
    rest = made[300:]
    for rows in (rest, pl.DataFrame(rest.to_dict("list")), rest.to_dict("list")):
        going_on = pickle.loads(pickle.dumps(model))
        told = going_on["learner"].play(going_on["columns"].learn(rows), rest["price"]).predictions
        # The parts of dates are those of another library of mathematics.
        np.testing.assert_allclose(told, expected[300:], rtol=1e-9)
    assert list(model["columns"].get_feature_names_out()) == list(model["columns"].names)
    # Of a row as it comes next, `predict` says the same, and teaches nothing.
    before = model.predict(rest[:1])
    np.testing.assert_allclose(before, expected[300:301], rtol=1e-9)
    np.testing.assert_array_equal(model.predict(rest)[:1], before)


def test_rows_are_encoded_by_those_before_them(tmp_path):
    made = frame(120)
    model = clone(learnt(tmp_path, frame(), *OPTIONS["indicators"])[0])
    whole = model["columns"].fit_transform(made)
    changed = made.copy()
    changed.loc[60:, ["kind", "size", "width"]] = ["elm", 1e6, 7.0]
    np.testing.assert_array_equal(model["columns"].fit_transform(changed)[:60], whole[:60])
    # The control: an encoder that knows all rows beforehand.
    ahead = model["columns"].fit(changed).transform(made)
    assert np.abs(ahead - whole).max() > 1.0
    assert model.fit(made, made["price"]).score(made, made["price"]) > 0.5


def test_what_cannot_be_encoded_is_refused_with_the_row_and_column(tmp_path):
    made = frame().assign(size=1.0, late="north")
    model, _ = learnt(tmp_path, made, "--learner", "linear-ridge")
    for column, value, why in [
        ("size", np.nan, "row 2, column 'size': the value is missing"),
        ("size", "wide", "row 2, column 'size': 'wide' cannot be encoded"),
        ("size", np.inf, "it is not finite"),
        ("when", 3.5, "it is no date"),
        ("when", "31.12.2025", "row 2, column 'when': '31.12.2025' cannot be encoded"),
    ]:
        rows = made[:4].astype(object)
        rows.loc[2, column] = value
        with pytest.raises(ValueError, match=why):
            model.predict(rows)
    with pytest.raises(ValueError, match="X has no column 'kind'"):
        model.predict(made.drop(columns="kind"))
    day = made[:1].assign(when=datetime.datetime(2025, 11, 3, 6, tzinfo=datetime.timezone(datetime.timedelta(hours=1))))
    np.testing.assert_array_equal(model.predict(day), model.predict(made[:1]))
    np.testing.assert_array_equal(model.predict(made[:1].assign(when="2025-11-03T05:00")), model.predict(made[:1]))
    classes = tmp_path / "classes"
    run("stream", "--input", tmp_path / "rows.csv", "--target", "kind", "--classes", "--save", classes)
    with pytest.raises(ValueError, match="its targets are words"):
        nk.load(classes)
    run("stream", "--input", tmp_path / "rows.csv", "--target", "size", "--classes", "--save", classes)
    with pytest.raises(ValueError, match="learnt with `--classes`, and its targets are classes"):
        nk.load(classes)


def test_numbers_of_any_type_are_there(tmp_path):
    made = frame()
    model, _ = learnt(tmp_path, made, "--learner", "kernel-awv", "--missing", "indicator")
    expected = model.predict(made)
    of_numpy = made.assign(width=pd.Series(list(made["width"].to_numpy()), dtype=object))
    assert isinstance(of_numpy["width"][0], float)
    assert np.array_equal(model.predict(of_numpy), expected)
    assert np.array_equal(model.predict(made.convert_dtypes()), expected)
    assert np.array_equal(model.predict({name: made[name].to_numpy() for name in made}), expected)


@pytest.mark.parametrize("words", [("true", "false"), ("TRUE", "FALSE"), ("True", "False")], ids="/".join)
@pytest.mark.parametrize("how", ["one-hot", "codes"])
def test_truth_values_are_the_words_of_the_file(words, how, tmp_path):
    made = frame().assign(kind=np.array(words)[np.random.default_rng(1).integers(0, 2, 400)], size=1.0, late="north")
    made["price"] = 3.0 * (made["kind"] == words[0]) + made["width"]
    model, expected = learnt(tmp_path, made, "--learner", "linear-ridge", "--category-as", how)
    of_text = pd.read_csv(tmp_path / "rows.csv", dtype={"kind": str})
    read = pd.read_csv(tmp_path / "rows.csv")
    assert read["kind"].dtype == bool and of_text["kind"][0] in words
    np.testing.assert_array_equal(model.predict(read), model.predict(of_text))
    going_on = model["learner"].play(model["columns"].learn(read[300:]), read["price"][300:]).predictions
    np.testing.assert_allclose(going_on, expected[300:], rtol=1e-9)
    # Learnt anew, the words are those of Python.
    np.testing.assert_array_equal(model.fit(read, read["price"]).predict(read), model.fit(of_text, of_text["price"]).predict(of_text))


def test_dates_and_whole_numbers_are_the_words_of_the_file(tmp_path):
    rng = np.random.default_rng(1)
    days = pd.to_datetime(np.array(["2024-01-31", "2024-02-01", "2024-02-02"]))[rng.integers(0, 3, 400)]
    times = pd.to_datetime(np.array(["2024-01-31T00:00:00", "2024-02-01T14:05:06.7", "1969-02-01T14:00:06"]), format="ISO8601")[rng.integers(0, 3, 400)]
    made = pd.DataFrame({"day": days, "time": times, "whole": rng.integers(0, 3, 400).astype(float)})
    made["price"] = made["day"].dt.day + 2.0 * made["time"].dt.hour + made["whole"]
    words = {"day": "%Y-%m-%d", "time": "%Y-%m-%dT%H:%M:%S.%f"}
    text = made.assign(**{name: made[name].dt.strftime(form) for name, form in words.items()})
    text["time"] = text["time"].str.replace("T00:00:00.000000", "").str.replace(".000000", "").str.replace("700000", "7")
    text["whole"] = text["whole"].astype(str)
    model, expected = learnt(tmp_path, text, "--learner", "linear-ridge", "--categories", "day,time,whole")
    assert text["whole"][0].endswith(".0")
    typed = model.predict(made)
    np.testing.assert_array_equal(typed, model.predict(text))
    assert len(set(typed.round(6))) == 27, "no word is a new one"
    assert np.isfinite(expected).all()


@pytest.mark.parametrize("how", ["one-hot", "hash"])
def test_truth_values_that_stand_for_no_known_word_are_refused(how, tmp_path):
    made = frame().assign(size=1.0, late="north")
    model, _ = learnt(tmp_path, made, "--learner", "linear-ridge", "--category-as", how)
    for ask in (model.predict, model["columns"].learn):
        with pytest.raises(ValueError, match="row 0, column 'kind': True cannot be encoded: .* give the words of the file as text"):
            ask(made.assign(kind=True))
    model, _ = learnt(tmp_path, frame().assign(size=1.0, late=None), "--learner", "linear-ridge", "--missing", "mean")
    with pytest.raises(ValueError, match="row 0, column 'late': True cannot be encoded: the column was empty so far"):
        model.predict(made.assign(late=True))


def test_what_people_write_is_left_to_the_program(tmp_path):
    made = frame().assign(size=1.0, late="north")
    made["day"], made["cost"] = made["when"].dt.strftime("%d/%m/%Y"), ["2,800", "$5", "12%", "13:45"] * 100
    model, _ = learnt(tmp_path, made, "--learner", "linear-ridge")
    for column, why in [("cost", "it is no number; give numbers, or use `noregret predict`"), ("day", "it is no date in ISO 8601; give dates, .*`noregret predict`")]:
        ready = {"cost": 5.0, "day": made["when"].dt.floor("D")}
        with pytest.raises(ValueError, match=f"row 0, column '{column}': .* cannot be encoded: {why}"):
            model.predict(made.assign(**ready).assign(**{column: made[column]}))
        assert np.isfinite(model.predict(made.assign(**ready))).all()


@pytest.mark.parametrize("more", [{}, {"kind": ["oak", "pine"] * 100}], ids=["numbers", "words"])
def test_times_of_the_day_are_those_of_the_program(more, tmp_path):
    rng, file, said = np.random.default_rng(3), tmp_path / "rows.parquet", tmp_path / "said.csv"
    made = pl.DataFrame({"at": pl.Series(rng.integers(0, 86_400 * 10**9, 200)).cast(pl.Time), "b": rng.normal(size=200), **more})
    made = made.with_columns(price=pl.col("at").cast(pl.Int64) / 1e13 + pl.col("b"))
    made.write_parquet(file)
    given = ["stream", "--input", file, "--target", "price", "--learner", "linear-ridge", "--output", said]
    run(*given, "--limit", "150", "--save", tmp_path / "model")
    run(*given)
    model, rest = nk.load(tmp_path / "model"), pl.read_parquet(file)[150:]
    columns, learner = (None, model) if not more else (model["columns"], model["learner"])
    encoded = rest.drop("price") if columns is None else columns.learn(rest)
    told = learner.play(encoded, rest["price"]).predictions
    np.testing.assert_array_equal(told, pd.read_csv(said)["prediction"][150:])
    # Those of Python have microseconds.
    short = rest.with_columns((pl.col("at").cast(pl.Int64) // 1000 * 1000).cast(pl.Time)).drop("price")
    np.testing.assert_array_equal(model.predict(pd.DataFrame(short.to_dict(as_series=False))), model.predict(short))


def test_rows_without_names_are_refused_with_the_columns(tmp_path):
    model, _ = learnt(tmp_path, frame().assign(size=1.0, late="north"), "--learner", "linear-ridge")
    for rows in (np.zeros((2, 5)), [[0.0] * 5]):
        with pytest.raises(TypeError, match=r"X must be a frame with the columns \['when', 'kind', 'size', 'width', 'late'\]"):
            model.predict(rows)


def test_a_model_over_earlier_targets_is_refused_with_what_reads_it(tmp_path):
    made = frame(100)[["width", "price"]]
    made.to_csv(tmp_path / "rows.csv", index=False)
    for options in (("--lags", "1,2"), ("--means", "3"), ("--periods", "7")):
        run("stream", "--input", tmp_path / "rows.csv", "--target", "price", *options, "--save", tmp_path / "model", "--output", tmp_path / "said.csv")
        with pytest.raises(ValueError, match="its inputs are made of earlier targets"):
            nk.load(tmp_path / "model")
