"""Columns of words, dates and gaps as numbers, as the program has learnt to encode them."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from copy import deepcopy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from noregret_kernels._arguments import OwnCopy
from noregret_kernels._frames import values

#: Words for a missing value, in lower case.
MISSING = {"", "na", "n/a", "nan", "null", "none", "nil", "?", "-", "#n/a"}
#: Longer words are known by their hash and their length.
LONGEST = 256
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)


class ColumnEncoder(OwnCopy, TransformerMixin, BaseEstimator):  # type: ignore[misc, unused-ignore]
    """What `noregret stream` makes of the columns of a file: the first step of the pipeline that `load` returns for such a model.

    X is a frame of pandas or polars, or a dictionary of columns, with the columns of the file. Categories are words, or numbers as they are
    written; dates are dates and times, or text in ISO 8601, in UTC unless they name an offset.

    Parameters
    ----------
    plan : dict
        The plan of columns in a model.
    names : sequence of str
        The names of the encoded columns.

    Attributes
    ----------
    plan_ : dict
        The plan with what was learnt: words in their order of appearance, first dates, means of columns.
    """

    def __init__(self, plan: dict[str, Any], names: Sequence[str]) -> None:
        self.plan = plan
        self.names = names

    def fit(self, X: Any, y: Any = None) -> Self:
        """Forgets words, first dates and means, and learns those of the rows of X."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> NDArray[np.float64]:
        """As `fit`, and returns the encoded rows, shape (rows, columns), each by those before it."""
        self.plan_ = deepcopy(self.plan)
        for column in self.plan_["columns"]:
            column |= {"rows": 0, "encoder": _forgetful(column["encoder"])}
            if "means" in column:
                column["means"] = [0.0] * len(column["means"])
        return self.learn(X)

    def learn(self, X: Any) -> NDArray[np.float64]:
        """Encodes rows that come next, each by those before it, and learns their words, first dates and means; shape (rows, columns)."""
        return self._rows(X, True)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Encodes rows without learning from them, shape (rows, columns). Words that are not known are the next new word."""
        return self._rows(X, False)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The names of the encoded columns."""
        return np.array(self.names, dtype=object)

    def _rows(self, X: Any, learn: bool) -> NDArray[np.float64]:
        columns = self.plan_["columns"]
        wanted = [column["name"] for column in columns]
        if not isinstance(X, dict) and (isinstance(X, np.ndarray) or not hasattr(X, "columns")):
            raise TypeError(f"X must be a frame with the columns {wanted}, or a dictionary of them, and is a {type(X).__name__}")
        known = set(X.keys() if isinstance(X, dict) else X.columns)
        if absent := [name for name in wanted if name not in known]:
            raise ValueError(f"X has no column {absent[0]!r}; the model was learnt from {wanted}")
        return np.column_stack([self._encoded(column, values(X, column["name"]), learn) for column in columns])

    def _encoded(self, column: dict[str, Any], cells: list[Any], learn: bool) -> NDArray[np.float64]:
        means, rows = column.get("means"), []
        for row, value in enumerate(cells):
            if _is_missing(value):
                if means is None:
                    raise ValueError(f"row {row}, column {column['name']!r}: the value is missing, and the model knows no mean of the column")
                rows.append([*means, 1.0] if column["indicator"] else list(means))
                continue
            try:
                encoder = _settled(column["encoder"], value)
                numbers = _numbers(encoder, value, learn)
            except (ValueError, TypeError, OverflowError) as error:
                raise ValueError(f"row {row}, column {column['name']!r}: {value!r} cannot be encoded: {error}") from None
            if learn:
                _keep(column, encoder)
                if means is not None:
                    column["rows"] += 1
                    for at, number in enumerate(numbers):
                        means[at] += (number - means[at]) / column["rows"]
            rows.append([*numbers, 0.0] if column["indicator"] else numbers)
        return np.array(rows, dtype=np.float64).reshape(len(cells), -1)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "plan_")


def _forgetful(encoder: Any) -> Any:
    """The encoder as it was before the first row."""
    match encoder:
        case {"category": category}:
            return {"category": category | {"seen": []}}
        case {"date": date}:
            return {"date": {name: value for name, value in date.items() if name != "origin"}}
        case {"later": later}:
            return {"later": {name: value for name, value in later.items() if name != "found"}}
    return encoder


def _settled(encoder: Any, value: Any) -> Any:
    """The encoder of a value; that of a column whose first values were missing follows from the first one that is not."""
    if not isinstance(encoder, dict) or "later" not in encoder:
        return encoder
    later = encoder["later"]
    if "found" in later:
        return later["found"]
    if isinstance(value, bool | np.bool_):
        raise ValueError("the column was empty so far, and may hold words or numbers; give words as text, or 1 and 0")
    if isinstance(value, datetime.date | np.datetime64):
        return {"date": {"how": "elapsed", "order": "day-first", "clock": False}}
    try:
        float(value)
    except ValueError:
        return {"category": {"how": "codes", "width": later["limit"], "seen": []}}
    return "number"


def _keep(column: dict[str, Any], encoder: Any) -> None:
    """Remembers what a column holds that was empty so far."""
    if encoder is not column["encoder"]:
        column["encoder"]["later"]["found"] = encoder


def _is_missing(value: Any) -> bool:
    if value is None or (isinstance(value, str) and value.strip().lower() in MISSING):
        return True
    if isinstance(value, str):
        return False
    # NaN and NaT differ from themselves; of pandas' NA, nobody knows.
    differs = value != value
    return bool(differs) if isinstance(differs, bool | np.bool_) else True


def _numbers(encoder: Any, value: Any, learn: bool) -> list[float]:
    """The columns of a value that is not missing."""
    match encoder:
        case {"category": category}:
            word = _truth(category, bool(value), learn) if isinstance(value, bool | np.bool_) else _word(category, value)
            return _category(category, word, learn)
        case {"date": date}:
            return _date(date, _seconds(value), learn)
    try:
        number = float(value)
    except ValueError:
        raise ValueError(
            "it is no number; give numbers, or use `noregret predict`, which reads them as people write them (2,800 or $5 or 12% or 13:45)"
        ) from None
    if not math.isfinite(number):
        raise ValueError("it is not finite")
    return [number]


def _word(category: dict[str, Any], value: Any) -> str:
    """A category as the program reads it: whole numbers as they were written, dates as 2024-01-31 or 2024-01-31T14:05:06.7."""
    if isinstance(value, float | np.floating) and float(value).is_integer():
        whole = str(int(value))
        return whole if whole in category["seen"] or f"{whole}.0" not in category["seen"] else f"{whole}.0"
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, datetime.datetime):
        moment = (value if value.tzinfo else value.replace(tzinfo=datetime.UTC)).astimezone(datetime.UTC)
        parts = f"{moment:%Y-%m-%d}", f"{moment:T%H:%M:%S}", f".{moment.microsecond:06}".rstrip("0.")
        return parts[0] if parts[1:] == ("T00:00:00", "") else "".join(parts)
    return str(value).strip()


def _truth(category: dict[str, Any], value: bool, learn: bool) -> str:
    """The word of a truth value, which frames hold where the file has `true` or `TRUE`: the program knows the words of the file."""
    seen, word = category["seen"], str(value)
    found = [one for one in seen if one.lower() == word.lower()]
    if learn and not found and category["how"] != "hash":
        # The first of the two is written as in Python, the other one as the first.
        other = next((one for one in seen if one.lower() == str(not value).lower()), None if seen else "False")
        found = [] if other is None else [word.upper() if other.isupper() else word.lower() if other.islower() else word]
    if len(found) != 1:
        known = "hashes" if category["how"] == "hash" else f"{seen[:8]}"
        raise ValueError(f"which word of the column it stands for is not known ({known}); give the words of the file as text")
    return found[0]


def _category(category: dict[str, Any], word: str, learn: bool) -> list[float]:
    """The columns, or the code, of a word: a new one takes the next that is free, and the last is shared."""
    how, width, seen = category["how"], category["width"], category["seen"]
    data = word.encode()
    if how == "hash":
        slot = _hash(data) % width
    else:
        key = word if len(data) <= LONGEST else f"{_hash(data):016x}, {len(data)} bytes"
        slot = seen.index(key) if key in seen else len(seen)
        if slot == len(seen) and slot + 1 < width and learn:
            seen.append(key)
    if how == "codes":
        return [float(slot)]
    return [float(at == slot) for at in range(width)]


def _hash(data: bytes) -> int:
    """FNV-1a, with its bits mixed."""
    found, most = 0xCBF29CE484222325, 2**64 - 1
    for byte in data:
        found = ((found ^ byte) * 0x100000001B3) & most
    return (((found ^ (found >> 32)) * 0x9E3779B97F4A7C15) & most) >> 16


def _seconds(value: Any) -> float:
    """A date in seconds since 1970."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, str):
        try:
            value = datetime.datetime.fromisoformat(value.strip())
        except ValueError:
            raise ValueError(
                "it is no date in ISO 8601; give dates, or text such as 2024-03-25, or use `noregret predict`, which reads 25/03/2024"
            ) from None
    if not isinstance(value, datetime.datetime) and isinstance(value, datetime.date):
        value = datetime.datetime.combine(value, datetime.time())
    if not isinstance(value, datetime.datetime):
        raise TypeError("it is no date")
    return float(((value if value.tzinfo else value.replace(tzinfo=datetime.UTC)) - EPOCH).total_seconds())


def _date(date: dict[str, Any], seconds: float, learn: bool) -> list[float]:
    """Places on the circles of the year of 365.2425 days, the week from Monday and the day, days since the first date, weekday, hour."""
    days, numbers = seconds / 86_400.0, []
    turns = [days / 365.2425, (math.floor(days) + 3.0) / 7.0, *([days] if date["clock"] else [])]
    if date["how"] != "elapsed":
        for turn in turns:
            angle = 2.0 * math.pi * (turn - math.floor(turn))
            numbers += [math.sin(angle), math.cos(angle)]
    origin = date.get("origin", seconds)
    if learn:
        date["origin"] = origin
    if date["how"] != "parts":
        numbers.append((seconds - origin) / 86_400.0)
    if date["how"] == "calendar":
        numbers.append((math.floor(days) + 3.0) % 7.0)
        if date["clock"]:
            numbers.append(float(math.floor(seconds % 86_400.0 / 3600.0)))
    return numbers
