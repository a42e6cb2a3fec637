"""Columns of frames that are no numbers: times of the day become hours, and others are refused by their names."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: What may be done with a column that is refused.
REMEDY = "encode it as numbers or leave it out; `noregret stream` reads words and dates, and `noregret_kernels.load` its models"


#: How the types of columns of numbers begin in Arrow.
ARROW_NUMBERS = ("int", "uint", "float", "double", "halffloat", "decimal", "bool", "null")


def refuse_dates(y: Any) -> None:
    """Refuses targets that are dates or durations, which would become counts of their unit."""
    if getattr(np.asarray(y).dtype, "kind", "O") in "mM":
        raise ValueError("y holds dates or times, and targets are numbers: subtract a date and divide by a unit")


def sorted_classes(name: str, labels: Any) -> NDArray[Any]:
    """The classes among labels in their order, which labels that are missing or of several types do not have."""
    found = np.asarray(labels).ravel()
    # Among words of a list, numpy makes a word of NaN.
    each = found if hasattr(labels, "dtype") else np.asarray(labels, dtype=object).ravel()
    if each.dtype == object:
        missing = [row for row, label in enumerate(each) if label is None or type(label).__name__ == "NAType" or label != label]
    else:
        missing = np.flatnonzero(each != each).tolist()
    if missing:
        where = f" in row {missing[0]}" if name == "y" else ""
        raise ValueError(f"{name} has {each[missing[0]]}{where}, which is no class; leave it out")
    try:
        return np.unique(found)
    except TypeError:
        types = ", ".join(sorted({type(label).__name__ for label in found.tolist()}))
        raise ValueError(f"{name} has classes of the types {types}, which have no common order; give classes of one type") from None


def hours(time: datetime.time) -> float:
    """A time of the day in hours, with the arithmetic of the program, so that it has the same bits."""
    return time.hour + time.minute / 60 + (time.second * 10**6 + time.microsecond) / 10**6 / 3600


def values(X: Any, name: Any) -> list[Any]:
    """The values of a column, with hours for times of the day."""
    column = X[name]
    if _library(X) == "polars" and str(column.dtype) == "Time":
        return _hours(column).tolist()
    return [hours(value) if isinstance(value, datetime.time) else value for value in column]


@contextmanager
def numbers_of(X: Any) -> Iterator[Any]:
    """X, where a frame has hours for times of the day. If it is refused in here, the error names the column that is no number."""
    rows = _with_hours(X)
    try:
        yield rows
    except (ValueError, TypeError) as error:
        if (said := _no_number(rows)) is None:
            raise
        raise ValueError(said) from error


def _library(X: Any) -> str | None:
    """The library of a frame; None for other rows."""
    library = type(X).__module__.partition(".")[0] if hasattr(X, "columns") else ""
    return library if library in ("pandas", "polars") else None


def _hours(column: Any) -> NDArray[np.float64]:
    """Times of polars, which are nanoseconds, in hours; NaN where there is none."""
    counts = column.to_physical().to_numpy().astype(np.float64)
    whole = np.floor(counts / (3600.0 * 1e9))
    rest = counts - whole * 3600.0 * 1e9
    minutes = np.floor(rest / (60.0 * 1e9))
    told: NDArray[np.float64] = whole + minutes / 60.0 + (rest - minutes * 60.0 * 1e9) / 1e9 / 3600.0
    return told


def _with_hours(X: Any) -> Any:
    """The same frame with hours for times of the day. Dates are refused: they would become counts of their unit."""
    library = _library(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
        raise ValueError(f"X has dates or durations, and inputs are numbers: {REMEDY}")
    if type(X).__module__.startswith("pyarrow.") and hasattr(X, "schema"):
        for field in X.schema:
            if not str(field.type).startswith(ARROW_NUMBERS):
                raise ValueError(f"X has {field.type} in the column {field.name!r}, and inputs are numbers: {REMEDY}")
    if library == "polars":
        kinds = {name: str(kind).partition("(")[0] for name, kind in X.schema.items()}
        if dates := [name for name, kind in kinds.items() if kind in ("Date", "Datetime", "Duration")]:
            raise ValueError(f"X has dates in the column {dates[0]!r}, and inputs are numbers: {REMEDY}")
        times = [X[name] for name, kind in kinds.items() if kind == "Time"]
        return X.with_columns([type(one)(one.name, _hours(one)) for one in times]) if times else X
    if library != "pandas":
        return X
    rows = X
    for at, kind in enumerate(X.dtypes):
        first = next(iter(X.iloc[:, at].dropna()), None) if kind.kind == "O" else None
        if kind.kind == "M" or isinstance(first, datetime.date):
            raise ValueError(f"X has dates in the column {X.columns[at]!r}, and inputs are numbers: {REMEDY}")
        if isinstance(first, datetime.time):
            rows = X.copy() if rows is X else rows
            rows.isetitem(at, values(X.iloc[:, [at]], X.columns[at]))
    return rows


def _no_number(X: Any) -> str | None:
    """What is said of the first column of a frame that holds something else than numbers."""
    for at, name in enumerate(X.columns if _library(X) else ()):
        column = X.iloc[:, at] if hasattr(X, "iloc") else X[name]
        if getattr(column.dtype, "kind", "O") in "biuf":
            continue
        for row, value in enumerate(column):
            try:
                float(0.0 if value is None else value)
            except (ValueError, TypeError):
                return f"X has {value!r} in row {row} of the column {name!r}, and inputs are numbers: {REMEDY}"
    return None
