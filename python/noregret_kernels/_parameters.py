"""From arguments of constructors to parameters of learners."""

from __future__ import annotations

import operator
from typing import Any


#: The experts of a mixture whose `grid` is None.
GRID = {"lambda": [0.01, 0.1, 1.0, 10.0]}


def of_learner(arguments: dict[str, Any]) -> dict[str, Any]:
    """The parameters that these arguments stand for: `kernel` and `kernel_params` describe one parameter, the core's `lambda` is
    called `lam`, and objects stand for their names and parameters."""
    parameters = {}
    for name, value in arguments.items():
        part = name.removesuffix("_params")
        if part == name or part not in arguments:
            parameters["lambda" if name == "lam" else name] = GRID if (name, value) == ("grid", None) else of_value(value)
    for name, value in arguments.items():
        part = name.removesuffix("_params")
        if part == name or part not in arguments or value is None:
            continue
        if not isinstance(arguments[part], str):
            raise ValueError(f"`{part}` is an object, which has its own parameters: leave `{name}` out")
        parameters[part] = {"name": arguments[part], **of_value(value)}
    return parameters


def of_value(value: Any) -> Any:
    """A kernel or an estimator as its name and parameters, also within lists and dictionaries; anything else as it is."""
    if hasattr(value, "_as_part") and not isinstance(value, type):
        return value._as_part()
    if isinstance(value, dict):
        return {name: of_value(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [of_value(one) for one in value]
    return value


def of_part(name: str, arguments: dict[str, Any], outer: dict[str, Any]) -> dict[str, Any]:
    """A learner inside of another one. The other one sets `outer`, such as its horizon: the names with their defaults."""
    arguments = dict(arguments)
    for argument, default in outer.items():
        if arguments.pop(argument, default) != default:
            raise ValueError(f"{name} is inside of another learner, whose `{argument}` holds for it: set `{argument}` there")
    return {"name": name, **of_learner(arguments)}


def plain(value: Any) -> Any:
    """The value with lists in the place of arrays, so that two values can be compared."""
    if isinstance(value, dict):
        return {name: plain(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value.tolist() if hasattr(value, "tolist") else value


def over_epochs(scaling: str) -> bool:
    """Whether inputs and targets are scaled over epochs."""
    if scaling not in ("epochs", "none"):
        raise ValueError(f"scaling is {scaling!r}, and must be 'epochs' or 'none'")
    return scaling == "epochs"


def whole(name: str, value: Any, least: int) -> int | None:
    """The argument ``name`` as a whole number of at least ``least`` that fits into 64 bits; None stays."""
    if value is None:
        return None
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"`{name}` must be a whole number, and is {value!r}") from None
    if not least <= number < 2**64:
        raise ValueError(f"`{name}` = {number} is not allowed; it takes whole numbers from {least} to 2^64 - 1")
    return number
