"""From arguments of constructors to parameters of learners."""

import operator


def of_learner(arguments):
    """The parameters that these arguments stand for: `kernel` and `kernel_params` describe one parameter, and the core's
    `lambda` is called `lam`."""
    parameters = {}
    for name, value in arguments.items():
        part = name.removesuffix("_params")
        if part == name or part not in arguments:
            parameters["lambda" if name == "lam" else name] = value
    for name, value in arguments.items():
        part = name.removesuffix("_params")
        if part != name and part in arguments and value is not None:
            parameters[part] = {"name": arguments[part], **value}
    return parameters


def over_epochs(scaling):
    """Whether inputs and targets are scaled over epochs."""
    if scaling not in ("epochs", "none"):
        raise ValueError(f"scaling is {scaling!r}, and must be 'epochs' or 'none'")
    return scaling == "epochs"


def whole(name, value, least):
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
