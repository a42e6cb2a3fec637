"""The same learner on the same rows, played by the program: NOREGRET names it. Without one, these tests say that they are
skipped."""

import json
import os
import pickle
import shutil
import subprocess

import numpy as np
import pandas as pd
import pytest
from learners import CLASSES

import noregret_kernels as nk

PROGRAM = os.environ.get("NOREGRET") or shutil.which("noregret")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="NOREGRET names no program")


def table(tmp_path):
    """casp, where NOREGRET_MIRROR has it, else rows like it; inputs scaled to [0, 1], with the arithmetic of --scale unit."""
    mirror = os.environ.get("NOREGRET_MIRROR", "")
    file = os.path.join(mirror, "CASP.csv")
    if os.path.exists(file):
        rows = np.loadtxt(file, delimiter=",", skiprows=1)
        names = open(file).readline().strip().split(",")
        X, y, target = rows[:, 1:], rows[:, 0], names[0].strip('"')
    else:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(3000, 9)) * 10.0 ** np.arange(9)
        y, target, file = np.sin(X[:, 0]) + rng.normal(size=3000), "y", tmp_path / "rows.csv"
        np.savetxt(file, np.column_stack([y, X]), "%.17g", ",", header="y,a,b,c,d,e,f,g,h,i", comments="")
    low, high = X.min(axis=0), X.max(axis=0)
    return str(file), target, (X - low) / (high - low), y


def by_program(file, target, learner, settings, folder, *more, scales=("unit", "none")):
    output = folder / "rounds.csv"
    sets = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
    command = [PROGRAM, "stream", "--learner", learner, "--input", file, "--target", target]
    command += ["--scale", scales[0], "--target-scale", scales[1]]
    subprocess.run([*command, *sets, "--output", str(output), *more], check=True, capture_output=True)
    header = output.open().readline().strip().split(",")
    return np.loadtxt(output, delimiter=",", skiprows=1, usecols=[header.index("prediction"), header.index("loss")]).T


def settings(parameters, before=""):
    """The parameters of a model as the program takes them: `kernel.bandwidth`, a number where Python says "scale"."""
    flat = {}
    for name, value in parameters.items():
        value = str(value).lower() if isinstance(value, bool) else value
        flat |= settings(value, f"{before}{name}.") if isinstance(value, dict) else {before + name: value}
    return flat


@pytest.mark.parametrize(
    "model",
    [
        nk.PkawvTaylor(lam=0.1, bandwidth=0.5, scaling="none"),
        nk.Fogd(random_state=7, scaling="none"),
        nk.PkrrFourier(lam=0.5, features=50, random_state=7, scaling="none"),
        nk.PkrrNystrom(kernel=nk.Laplace(), scaling="none"),
        nk.DiscountMixture(scaling="none"),
        nk.Aggregate(experts=[nk.PkawvTaylor(order=1), "running-mean"], rule="ewa", scaling="none"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_predictions_are_those_of_the_program_to_the_bit(model, tmp_path):
    file, target, X, y = table(tmp_path)
    played, seed = model.play(X, y), model.random_state
    if isinstance(model, nk.Aggregate):
        given = {"rule": "ewa", "experts": '[{name = "pkawv-taylor", order = 1, bandwidth = 3}, "running-mean"]'}
    else:
        given = settings(model.parameters_)
    expected = by_program(file, target, model._learner, given, tmp_path, "--seed", str(seed))
    np.testing.assert_array_equal(np.array(played), expected)


@pytest.mark.parametrize("words", [[-1, 1], [0, 1], ["no", "yes"], ["oak", "pine", "birch"]], ids=len)
def test_classes_are_those_of_the_program_to_the_bit(words, tmp_path):
    kinds = np.random.default_rng(0).integers(0, len(words), 400)
    X = np.array([[-1.0, 0.0], [1.0, 0.0], [0.0, 2.0]])[kinds] + 0.5 * np.random.default_rng(1).normal(size=(400, 2))
    file, output, labels = tmp_path / "rows.csv", tmp_path / "out.csv", np.array(words)[kinds]
    pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": labels}).to_csv(file, index=False, float_format="%.17g")
    sets = ["--set", f"kernel.bandwidth={2**0.5!r}"]
    run("stream", "--classes", "--learner", "kernel-awv", *sets, "--input", file, "--target", "y", "--output", output)
    model, told = nk.StreamClassifier("kernel-awv"), pd.read_csv(output, float_precision="round_trip")
    played = model.play(X, labels)
    assert played.predictions[1:].astype(str).tolist() == told["prediction"][1:].astype(type(words[0])).astype(str).tolist()
    own = played.probabilities[np.arange(400), np.searchsorted(model.classes_, labels)]
    seen = ~np.isnan(own)
    np.testing.assert_array_equal(own[seen], told["target_probability"][seen])
    assert seen.sum() >= 400 - len(words)


def test_rows_with_units_are_scaled_as_the_program_scales_a_file(tmp_path):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(700, 3)) * [1e-3, 1.0, 1e6]
    y = 1e4 + 500.0 * np.sin(X[:, 1]) + 1e-4 * X[:, 2]
    file = tmp_path / "units.csv"
    np.savetxt(file, np.column_stack([y, X]), "%.17g", ",", header="y,a,b,c", comments="")
    model = nk.KernelAwv(lam=0.1)
    played = model.play(X, y)
    given = settings(model.parameters_)
    assert given["kernel.bandwidth"] == 3**0.5
    expected = by_program(str(file), "y", "kernel-awv", given, tmp_path, scales=("epochs", "epochs"))
    np.testing.assert_array_equal(np.array(played), expected)
    raw = nk.KernelAwv(lam=0.1, scaling="none").play(X, y)
    assert 100.0 * expected[1, 100:].mean() < raw.losses[100:].mean()
    # Every class that has the argument has these scales by default, except for what cannot be scaled.
    unscaled = {cls._learner for cls in CLASSES if "scaling" not in cls().get_params()}
    assert unscaled == {"auto", "kernel-ridge-low-rank"}
    for cls in CLASSES:
        labels = np.where(y > np.median(y), 1.0, -1.0) if issubclass(cls, nk.OnlineClassifier) else y
        model = cls()
        assert model.get_params().get("scaling", "epochs") == "epochs"
        assert np.isfinite(model.play(X[:60], labels[:60]).predictions).all(), cls
    # Labels have no scale, but their inputs do.
    labels = np.where(y > np.median(y), 1.0, -1.0)
    file = tmp_path / "labels.csv"
    np.savetxt(file, np.column_stack([labels, X]), "%.17g", ",", header="y,a,b,c", comments="")
    model = nk.AioliFourierClassifier()
    played = model.play(X, labels)
    given = settings(model.parameters_)
    expected, squared = by_program(str(file), "y", "aioli-fourier", given, tmp_path, scales=("epochs", "none"))
    np.testing.assert_array_equal(played.predictions, expected)
    # The program writes squared errors of the labels -1 and 1, and Python what is learnt from.
    np.testing.assert_allclose((played.predictions - labels) ** 2, squared, rtol=1e-12)
    np.testing.assert_allclose(played.losses, np.log1p(np.exp(-labels * played.predictions)), rtol=1e-9)
    with pytest.raises(ValueError, match="scaling is 'unit'"):
        nk.KernelAwv(scaling="unit").fit(X, y)
    # A saved one goes on, here and in the program, and scales again where it starts anew.
    halfway = nk.KernelAwv(lam=0.1, horizon=300).fit(X[:300], y[:300])
    halfway.save(tmp_path / "model.safetensors")
    loaded = nk.load(tmp_path / "model.safetensors")
    assert loaded.parameters_ == halfway.parameters_ and loaded.scaling == "epochs"
    np.testing.assert_array_equal(loaded.predict(X[300:]), halfway.predict(X[300:]))
    np.testing.assert_array_equal(loaded.fit(X[:300], y[:300]).predict(X[300:]), halfway.predict(X[300:]))


def test_noise_is_that_of_the_program_to_the_bit(tmp_path):
    file, target, X, y = table(tmp_path)
    settings, noise = {"eta": 0.01}, ["--noise", "laplace", "--noise-std", "0.2", "--target-noise-std", "0.1", "--seed", "3"]
    expected = by_program(file, target, "noisy-linear-two-copy", settings, tmp_path, *noise)
    learner = nk.NoisyLearner("noisy-linear-two-copy", X.shape[1], eta=0.01, seed=3)
    played = learner.play(X, y, nk.Noise("laplace", noise_std=0.2, target_std=0.1, seed=3))
    np.testing.assert_array_equal(np.array(played), expected)


def rows(tmp_path, count=500):
    """A file with the columns a, b, y; and its rows as a frame."""
    frame = pd.DataFrame(np.random.default_rng(0).uniform(-1, 1, (count, 2)), columns=["a", "b"])
    frame["y"] = np.sin(3 * frame["a"]) * frame["b"]
    frame.to_csv(tmp_path / "rows.csv", index=False, float_format="%.17g")
    return tmp_path / "rows.csv", frame


def run(*command):
    subprocess.run([PROGRAM, *map(str, command)], check=True, capture_output=True)


def test_a_model_of_the_program_is_loaded(tmp_path):
    file, frame = rows(tmp_path)
    model, output = tmp_path / "model.safetensors", tmp_path / "out.csv"
    more = ["--set", "kernel=matern", "--set", "kernel.bandwidth=1/2", "--set", "lambda=0.1"]
    run("stream", "--learner", "kernel-awv", "--input", file, "--target", "y", *more, "--save", model, "--output", output)
    run("predict", "--load", model, "--input", file, "--output", output)
    loaded = nk.load(model)
    assert (loaded.lam, loaded.kernel, loaded.kernel_params) == (0.1, "matern", {"bandwidth": "1/2"})
    np.testing.assert_array_equal(loaded.predict(frame[["a", "b"]]), pd.read_csv(output, float_precision="round_trip")["prediction"])


def test_a_model_of_python_is_loaded_by_the_program(tmp_path):
    file, frame = rows(tmp_path)
    model, output = tmp_path / "model.safetensors", tmp_path / "out.csv"
    mine = nk.KernelAwv(lam=0.1, kernel="matern", kernel_params={"bandwidth": 0.5})
    mine.fit(frame[["a", "b"]], frame["y"]).save(model)
    run("predict", "--load", model, "--input", file, "--output", output)
    np.testing.assert_array_equal(mine.predict(frame[["a", "b"]]), pd.read_csv(output, float_precision="round_trip")["prediction"])
    run("stream", "--load", model, "--input", file, "--output", output)
    expected = mine.play(frame[["a", "b"]], frame["y"]).predictions
    np.testing.assert_array_equal(expected, pd.read_csv(output, float_precision="round_trip")["prediction"])


SCALES = ["none", "epochs", "unit", "symmetric", "running"]


@pytest.mark.parametrize("target_scale", ["none", "epochs", "unit", "symmetric", "standardise"])
@pytest.mark.parametrize("scale", SCALES)
def test_scales_go_on_in_both_directions_to_the_bit(scale, target_scale, tmp_path):
    file, frame = rows(tmp_path)
    frame[["a", "y"]] = 100.0 * frame[["a", "y"]] + 1000.0
    frame.to_csv(file, index=False, float_format="%.17g")
    X, y = frame[["a", "b"]], frame["y"]
    model, output = tmp_path / "model.safetensors", tmp_path / "out.csv"
    learner = ["--learner", "pkawv-taylor", "--set", "lambda=0.1", "--seed", 7]
    scales = ["--scale", scale, "--target-scale", target_scale]
    run("stream", *learner, *scales, "--input", file, "--target", "y", "--save", model, "--output", output)

    def agree(loaded):
        run("predict", "--load", model, "--input", file, "--output", output)
        np.testing.assert_array_equal(loaded.predict(X), pd.read_csv(output, float_precision="round_trip")["prediction"])
        run("stream", "--load", model, "--input", file, "--output", output)
        played = pickle.loads(pickle.dumps(loaded)).play(X, y)
        np.testing.assert_array_equal(np.array(played), pd.read_csv(output, float_precision="round_trip")[["prediction", "loss"]].to_numpy().T)

    loaded = nk.load(model)
    agree(loaded)
    loaded.partial_fit(X[:100], y[:100]).save(model)
    agree(loaded)


@pytest.mark.parametrize(
    ("learner", "more"),
    [
        ("noisy-linear-two-copy", ["--set", "eta=0.01"]),
        ("noisy-analytic", []),
        ("pkawv-taylor", ["--copies", "3"]),
        ("fogd", ["--scale", "unit", "--target-scale", "standardise"]),
    ],
)
def test_learners_behind_noise_go_on_in_both_directions_to_the_bit(learner, more, tmp_path):
    file, frame = rows(tmp_path)
    X, y = frame[["a", "b"]], frame["y"]
    model, output = tmp_path / "model.safetensors", tmp_path / "out.csv"
    noise = ["--noise", "laplace", "--noise-std", "0.2", "--target-noise-std", "0.1", "--seed", "3"]
    run("stream", "--learner", learner, *more, *noise, "--input", file, "--target", "y", "--save", model, "--output", output)

    def agree(loaded, noise):
        run("predict", "--load", model, "--input", file, "--output", output)
        np.testing.assert_array_equal(loaded.predict(X), pd.read_csv(output, float_precision="round_trip")["prediction"])
        run("stream", "--load", model, "--input", file, "--output", output)
        played = pickle.loads(pickle.dumps(loaded)).play(X, y, noise)
        np.testing.assert_array_equal(np.array(played), pd.read_csv(output, float_precision="round_trip")[["prediction", "loss"]].to_numpy().T)

    loaded = nk.load(model)
    agree(loaded, loaded.noise)
    loaded.play(X[:100], y[:100], loaded.noise)
    loaded.save(model, noise=loaded.noise)
    agree(loaded, loaded.noise)


def array(model, name):
    """An array of a safetensors file: eight bytes with the length of a header in JSON, the header, the numbers."""
    data = model.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    begin, end = json.loads(data[8:start])[name]["data_offsets"]
    return np.frombuffer(data[start + begin : start + end])


def test_intervals_pass_on_their_recent_misses(tmp_path):
    file, frame = rows(tmp_path)
    model, output = tmp_path / "model.safetensors", tmp_path / "out.csv"
    settings = ["--learner", "intervals", "--set", "base=pkawv-taylor", "--target", "y", "--input", file]
    run("stream", *settings, "--save", model, "--output", output)
    run("stream", "--load", model, "--input", file, "--save", tmp_path / "again.safetensors", "--output", output)
    expected = pd.read_csv(output, float_precision="round_trip")["recent_miss_rate"].iloc[-1]
    mine = nk.load(model)
    mine.play(frame[["a", "b"]], frame["y"])
    mine.save(model)
    for name in ("model.safetensors", "again.safetensors"):
        assert array(tmp_path / name, "misses.recent").mean() == pytest.approx(expected)


def test_models_that_python_cannot_use_are_refused(tmp_path):
    file, _ = rows(tmp_path)
    model = tmp_path / "model.safetensors"
    more = ["--further-targets", "b"]
    run("stream", "--learner", "pkawv-taylor", "--input", file, "--target", "y", *more, "--save", model, "--output", os.devnull)
    with pytest.raises(ValueError, match="further targets.*noregret predict"):
        nk.load(model)


@pytest.mark.parametrize("model", [nk.Fogd(), nk.KernelOgd(), nk.RobustOgd(), nk.LinearOgd()], ids=lambda model: type(model).__name__)
def test_a_model_whose_horizon_doubles_is_one_of_the_program(model, tmp_path):
    X = np.random.default_rng(1).uniform(-1, 1, (300, 2))
    model.partial_fit(X, X[:, 0] * X[:, 1]).save(tmp_path / "model")
    np.savetxt(tmp_path / "rows.csv", X, "%.17g", ",", header="x1,x2", comments="")
    run("predict", "--load", tmp_path / "model", "--input", tmp_path / "rows.csv", "--output", tmp_path / "said.csv")
    assert np.array_equal(pd.read_csv(tmp_path / "said.csv")["prediction"], model.predict(X))
