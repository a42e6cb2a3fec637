"""Results of the pipeline as frames."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path
from typing import Any


def results(table: str = "runs", project: str | os.PathLike[str] = ".", *, library: str | None = None) -> Any:
    """A table of a project's results as a frame, with the columns of `noregret query --columns all`.

    Parameters
    ----------
    table : str
        As of `noregret query`: ``runs`` (all experiments, one row for each run, as `noregret run summarise/all` left them), ``runs/EXPERIMENT``, ``traces/EXPERIMENT`` (one row for
        each recorded round) or ``timings``.
    project : path
        The project folder, which has a folder ``results``.
    library : {"pandas", "polars"}, optional
        None: polars where it is installed, else pandas, which needs pyarrow to read Parquet.

    Raises a FileNotFoundError with the tables that are there, and an ImportError where no library can read them.
    """
    folder = Path(project) / "results"
    path = folder / ("log/timings.parquet" if table == "timings" else f"{table}.parquet")
    if not path.is_file():
        there = [one.relative_to(folder).with_suffix("").as_posix() for one in sorted(folder.rglob("*.parquet"))]
        known = sorted(one.removeprefix("log/") for one in there if not one.startswith("store/"))
        raise FileNotFoundError(f"{folder} has no table {table!r}; it has {', '.join(known) or 'none: `noregret run` makes them'}")
    if library not in (None, "pandas", "polars"):
        raise ValueError(f"`library` is {library!r}, and must be 'pandas' or 'polars'")
    found = importlib.util.find_spec("polars") is not None
    if found and library != "pandas":
        import polars as pl

        return pl.read_parquet(path)
    if library == "polars":
        raise ImportError("polars is not here: pip install polars")
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("tables of results need polars or pandas: pip install polars") from None
    if found and importlib.util.find_spec("pyarrow") is None:
        import polars as pl

        return pd.DataFrame(pl.read_parquet(path).to_dict(as_series=False))
    return pd.read_parquet(path)
