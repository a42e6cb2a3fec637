"""Models of scikit-learn and River as learners of the program; NOREGRET names it."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from river import linear_model as river_models
from river import preprocessing
from sklearn.linear_model import LinearRegression, SGDRegressor
from sklearn.naive_bayes import BernoulliNB

import noregret_kernels as nk

PROGRAM = os.environ.get("NOREGRET") or shutil.which("noregret")
needs_program = pytest.mark.skipif(PROGRAM is None, reason="NOREGRET names no program")

DECLARATION = """summary = "a model of another library"
version = "{version}"
command = ["{python}", "-P", "learners/served.py"]
files = ["learners/served.py"]
"""
PARAMETER = """
[[parameters]]
name = "{parameter}"
doc = "A parameter of the model."
kind = "real"
range = [0, 10]
default = {default}
"""


def served(folder, script, parameter, default, version, *stream):
    """Predictions of the program for rows.csv with the learner that the script serves."""
    learners = folder / "pipeline" / "learners"
    learners.mkdir(parents=True, exist_ok=True)
    (folder / "pipeline" / "profiles.toml").touch()
    (folder / "learners").mkdir(exist_ok=True)
    (folder / "learners" / "served.py").write_text(script)
    declaration = DECLARATION.format(version=version, python=sys.executable)
    declaration += PARAMETER.format(parameter=parameter, default=default) if parameter else ""
    (learners / "served.toml").write_text(declaration)

    def run(*command):
        ended = subprocess.run([PROGRAM, *command], cwd=folder, capture_output=True, text=True)
        assert ended.returncode == 0, ended.stderr

    run("stream", "--learner", "served", "--input", "rows.csv", "--target", "y", "--output", "out.csv", "--scale", "none",
        "--target-scale", "none", *stream)
    return pd.read_csv(folder / "out.csv")["prediction"].to_numpy()


def rows(folder, classes=False):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=300)
    y = np.where(y > 0, 1.0, -1.0) if classes else y
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y)
    frame.to_csv(folder / "rows.csv", index=False, float_format="%.17g")
    return X, y


@needs_program
def test_a_model_of_scikit_learn_is_served_in_one_line(tmp_path):
    X, y = rows(tmp_path)
    script = "from sklearn.linear_model import SGDRegressor\nfrom noregret_kernels import serve\n\nserve(SGDRegressor(), version='1')\n"
    found = served(tmp_path, script, "eta0", 0.02, "1")
    model, expected = SGDRegressor(eta0=0.02), [0.0]
    for x, target, coming in zip(X, y, X[1:], strict=False):
        expected.append(model.partial_fit([x], [target]).predict([coming])[0])
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    # Its parameters are those of the declaration: another step is another model.
    other = served(tmp_path, script, "eta0", 0.02, "1", "--set", "eta0=0.05")
    assert np.abs(other - expected).max() > 0.01


@needs_program
@pytest.mark.parametrize("model", ["SGDClassifier(loss='log_loss')", "BernoulliNB()"])
def test_a_classifier_of_scikit_learn_is_served(model, tmp_path):
    X, y = rows(tmp_path, classes=True)
    script = (
        "from sklearn.linear_model import SGDClassifier\nfrom sklearn.naive_bayes import BernoulliNB\n"
        f"from noregret_kernels import serve\n\nserve({model}, version='1')\n"
    )
    found = served(tmp_path, script, "alpha", 0.001, "1")
    own = BernoulliNB(alpha=0.001)
    for x, target in zip(X[:100], y, strict=False):
        own.partial_fit([x], [target], classes=[-1.0, 1.0])
    if model == "BernoulliNB()":
        assert found[100] == pytest.approx(own.predict_proba(X[100:101])[0] @ [-1.0, 1.0], rel=1e-9)
    assert ((found > 0) == (y > 0))[100:].mean() > 0.8


@needs_program
def test_a_model_of_river_is_served(tmp_path):
    X, y = rows(tmp_path)
    script = (
        "from river import linear_model\nfrom noregret_kernels import serve\n\n\n"
        "class Talking(linear_model.BayesianLinearRegression):\n    def learn_one(self, x, y):\n        print('learning')\n"
        "        super().learn_one(x, y)\n\n\nserve(Talking(), name='bayes', version='2')\n"
    )
    found = served(tmp_path, script, "alpha", 0.5, "2")
    model, expected = river_models.BayesianLinearRegression(alpha=0.5), []
    for x, target in zip(X, y, strict=True):
        row = {f"x{column}": value for column, value in enumerate(x, 1)}
        expected.append(model.predict_one(row))
        model.learn_one(row, target)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@needs_program
def test_a_classifier_of_river_is_served(tmp_path):
    _, y = rows(tmp_path, classes=True)
    script = (
        "from river import linear_model, preprocessing\nfrom noregret_kernels import serve\n\n"
        "serve(preprocessing.StandardScaler() | linear_model.LogisticRegression(), version='1')\n"
    )
    found = served(tmp_path, script, None, None, "1")
    assert ((found > 0) == (y > 0))[100:].mean() > 0.85 and np.abs(found).max() <= 1.0


def test_the_version_is_that_of_the_package_and_what_cannot_learn_row_by_row_is_refused(tmp_path):
    import sklearn

    script = tmp_path / "served.py"
    script.write_text("from sklearn.linear_model import SGDRegressor\nfrom noregret_kernels import serve\nserve(SGDRegressor())\n")
    hello = b'{"noregret":1,"dim":1,"seed":"1","params":{},"horizon":null}\n'
    ended = subprocess.run([sys.executable, "-P", str(script)], input=hello, capture_output=True)
    assert f'"version": "{sklearn.__version__}"'.encode() in ended.stdout
    for model in (LinearRegression(), preprocessing.StandardScaler()):
        with pytest.raises(TypeError, match="cannot learn row by row: it has neither"):
            nk.serve(model)
