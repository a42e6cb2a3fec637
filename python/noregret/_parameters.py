"""From arguments of constructors to parameters of learners."""


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
