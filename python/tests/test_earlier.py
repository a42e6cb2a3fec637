"""Models that earlier versions of the program saved are read, and go on as they would have there."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import noregret_kernels as nk

FOLDER = Path(__file__).parents[2] / "tests/suite/stream/earlier"
VERSIONS = sorted(path.parent for path in FOLDER.glob("*/predictions.csv"))
# Models of columns with words or gaps are pipelines, those that predict words are refused, and lags and copies are made by the program.
OTHERS = {"aggregate", "words", "classes", "labels", "lags-and-periods", "two-copies"}


@pytest.mark.parametrize("version", VERSIONS, ids=[path.name for path in VERSIONS])
def test_models_of_earlier_versions_go_on(version):
    rows = pd.read_csv(version / "rows.csv")[30:]
    models = [line.split(",") for line in (version / "predictions.csv").read_text().splitlines()]
    models = [(name, expected) for name, *expected in models if name not in OTHERS]
    assert len(models) > 30
    for name, expected in models:
        found = nk.load(version / f"{name}.safetensors").play(rows[["a", "b"]], rows["y"]).predictions
        np.testing.assert_allclose(found, np.array(expected, float), rtol=1e-9, atol=1e-9, err_msg=name)


def test_there_are_earlier_versions():
    assert VERSIONS
