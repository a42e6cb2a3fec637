"""Writes the classes of the package from what the learners declare. A build does it first (backend.py); by hand, for
`maturin develop` or an editor: `python generate.py`."""

import json
import subprocess
import textwrap
from pathlib import Path

HEAD = '"""{}, one class each; written by generate.py from the declarations of their parameters."""\n'
TYPES = {
    "real": "float",
    "integer": "int",
    "choice": "str",
    "flag": "bool",
    "covariance": "float | Sequence[float] | Sequence[Sequence[float]]",
    "rows": "dict[str, Any]",
    "part": {"kernel": "str | Kernel", "learner": "str | BaseEstimator"},
    "grid": "dict[str, list[Any]]",
    "parts": "str | Sequence[str | dict[str, Any] | BaseEstimator]",
}
#: Defaults for parameters that have none in the core, or another one: with nothing set, inputs and targets have variance about 1.
DEFAULTS = {
    "bandwidth": ("scale", '; "scale" is the square root of the number of inputs, for inputs of variance 1'),
    "bound": (4.0, "; 4 is four standard deviations of targets that are scaled"),
    "grid": (None, "; None: lambda is 0.01, 0.1, 1 and 10"),
}
ROUNDS = "number of rounds n in formulas such as 1/sqrt(n)"
DRAWS = "seed of the learner's own random draws, that of `noregret stream --seed`"
SCALING = (
    "scaling",
    "str",
    "epochs",
    "what scales inputs and targets: epochs (causally, by the rows before the present epoch; labels have no scale) or none,"
    ' for rows that have the scales of the learner ("epochs" or "none")',
)
#: The arguments of all classes of a module besides the parameters: name, type, default and meaning.
SCIKIT_LEARN = [
    SCALING,
    ("horizon", "int | None", None, ROUNDS + "; None: the number of rows of `fit` or of the first `play`, else 256, which doubles as rounds go on"),
    ("random_state", "int | RandomState | None", 0, DRAWS),
]
RIVER = [
    SCALING,
    ("horizon", "int | None", None, ROUNDS + "; None: 256, which doubles as rounds go on"),
    ("columns", "Sequence[Hashable] | None", None, "the inputs; None: those of what is learnt from first, sorted by name"),
    ("seed", "int", 0, DRAWS),
]


def class_name(name):
    """PkawvTaylor for pkawv-taylor."""
    return "".join(word.capitalize() for word in name.split("-"))


def arguments(parameters, default, common):
    """Name, type, default and meaning of each argument."""
    for one in parameters:
        kind, value, doc = TYPES[one["kind"]], one["default"], one["doc"]
        kind = kind.get(one["of"], "str") if one["kind"] == "part" else kind
        if one["words"] and one["kind"] not in ("choice", "parts"):
            kind += " | str"
        if one["name"] == "bandwidth" or value is None and one["name"] in DEFAULTS:
            value, more = DEFAULTS[one["name"]]
            doc, kind = doc + more, kind + (" | str" if value == "scale" else "")
        value = default.get(one["name"], value)
        required = ". Must be given" if value is None and one["name"] not in DEFAULTS else ""
        allowed = "" if one["kind"] == "part" else f" ({one['allowed']})"
        yield one["python"], kind + (" | None" if value is None else ""), value, doc + allowed + required
        if one["kind"] == "part":
            yield f"{one['python']}_params", "dict[str, Any] | None", None, f"parameters of `{one['python']}`, by name"
    yield from common


def wrapped(text, indent):
    return textwrap.fill(text, 110, initial_indent=indent, subsequent_indent=indent)


def sentence(text):
    return text[0].upper() + text[1:].rstrip(".") + "."


def classes(learner):
    """The classes of a learner: name, base, defaults of their own."""
    name = class_name(learner["name"])
    choices = {one["name"]: one["words"] for one in learner["parameters"]}
    if not learner["labels"]:
        bases = {"IntervalRegressor": learner["intervals"], "DistributionRegressor": learner["distributions"]}
        yield name, next((base for base, given in bases.items() if given), "OnlineRegressor"), {}
    if learner["labels"]:
        yield f"{name}Classifier", "OnlineClassifier", {}
    elif "logistic" in choices.get("loss", []):
        yield f"{name}Classifier", "OnlineClassifier", {"loss": "logistic"}


def example(name, place):
    """Lines of a docstring that run."""
    labels = name.endswith("Classifier")
    if place == "river":
        run = [f"model.learn_one({{'a': 0.5, 'b': 1.0}}, {labels or 1.0})", "model.predict_one({'a': 0.5}) is not None", "True"]
        lines = [f">>> from noregret_kernels.river import {name}", f">>> model = {name}()", *(f">>> {one}" for one in run[:2])]
        return ["", "    Examples", "    --------", *(f"    {one}" for one in [*lines, run[2]])]
    y = '["a", "b", "b", "a"]' if labels else "[0.5, -1.0, 1.0, 0.0]"
    lines = [
        f">>> from noregret_kernels import {name}",
        f">>> X, y = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]], {y}",
        f">>> {name}().fit(X, y).predict(X).shape",
        "(4,)",
    ]
    return ["", "    Examples", "    --------", *(f"    {one}" for one in lines)]


def constructor(given):
    """The lines of `__init__`, and of its stub."""
    lines = ["    def __init__(", *(["        self,", "        *,"] if given else ["        self,"])]
    code = [*lines, *(f"        {argument}={value!r}," for argument, _, value, _ in given), "    ):"]
    code += [f"        self.{argument} = {argument}" for argument, *_ in given] or ["        pass"]
    stub = [*lines, *(f"        {argument}: {kind} = {value!r}," for argument, kind, value, _ in given), "    ) -> None: ..."]
    return code, [*(f"    {argument}: {kind}" for argument, kind, *_ in given), *stub]


def described(name, base, summary, given, examples):
    """The lines of a class up to the end of its docstring."""
    lines = [f"class {name}({base}):", f'    """{sentence(summary)}'.replace("\\", "\\\\")]
    lines[-1:] = wrapped(lines[-1].strip(), "    ").split("\n")
    lines += ["", "    Parameters", "    ----------"] if given else []
    for argument, kind, value, doc in given:
        lines += [f"    {argument} : {kind}, default {value!r}", wrapped(sentence(doc), "        ")]
    return [*lines, *examples, '    """']


def source(learner, name, base, default, common, place):
    """The class, and its stub."""
    common = [one for one in common if learner["scales"] or one is not SCALING]
    given = list(arguments(learner["parameters"], default, common))
    lines = described(name, base, learner["summary"], given, example(name, place))
    lines += ["", f'    _learner = "{learner["name"]}"']
    lines += ["    _nan = True"] if learner["absent"] else []
    lines += ["    _foresees = True"] if learner["foresees"] else []
    code, stub = constructor(given)
    return "\n".join([*lines, "", *code]), "\n".join([f"class {name}({base}):", *stub])


def joined(made, head, imports, types):
    """The text of a module with these classes, and of its stub."""
    names = ["__all__ = [", *(f'    "{name}",' for name, *_ in made), "]"]
    code = [HEAD.format(head), imports, "", *names, *(f"\n\n{text}" for _, text, _ in made)]
    stub = [*types, "", imports, "", *names, *(f"\n{text}" for _, _, text in made)]
    return "\n".join(code) + "\n", "\n".join(stub) + "\n"


def module(learners, summary, place, types, common):
    """The text of a module of learners, and of its stub."""
    made = []
    for one in learners:
        for name, base, own in classes(one):
            made.append((name, *source(one, name, base, own, common, place)))
    two_classes = "river" if place == "river" else "two_classes"
    rooms = {place: ["DistributionRegressor", "IntervalRegressor", "OnlineRegressor"]}
    rooms.setdefault(two_classes, []).append("OnlineClassifier")
    imports = "\n".join(f"from noregret_kernels._{room} import {', '.join(sorted(names))}" for room, names in rooms.items())
    return joined(made, summary, imports, types)


def kernels(declared):
    """The text of the module of kernels, and of its stub."""
    made = []
    for kernel in declared:
        name, given = class_name(kernel["name"]), list(arguments(kernel["parameters"], {}, []))
        examples = ["", "    Examples", "    --------"]
        examples += [f"    >>> from noregret_kernels import {name}", f"    >>> {name}()([[0.0]], [[0.5]]).shape", "    (1, 1)"]
        code, stub = constructor(given)
        lines = described(name, "Kernel", kernel["summary"], given, examples)
        text = "\n".join([*lines, "", f'    _kernel = "{kernel["name"]}"', "", *code])
        made.append((name, text, "\n".join([f"class {name}(Kernel):", *stub])))
    return joined(made, "Kernels", "from noregret_kernels._kernels import Kernel", ["from typing import Any"])


def modules(declared):
    """The text of each file by its name."""
    learners = [one for one in declared["learners"] if not one["noisy"]]
    types = ["from collections.abc import {}Sequence", "from typing import Any", "", "{}from sklearn.base import BaseEstimator"]
    types = "\n".join([*types, "", "from noregret_kernels._kernels import Kernel"])
    numpy = "from numpy.random import RandomState\n"
    first = module(learners, "The learners", "base", [types.format("", numpy)], SCIKIT_LEARN)
    # River's models see one row after another.
    learners = [one for one in learners if not one["foresees"]]
    second = module(learners, "The learners for River", "river", [types.format("Hashable, ", "")], RIVER)
    texts = [*first, *second, *kernels(declared["kernels"])]
    files = [f"{module}.{kind}" for module in ("learners", "river", "kernels") for kind in ("py", "pyi")]
    return dict(zip(files, texts, strict=True))


def write(env=None):
    """Writes the files beside those that are written by hand."""
    here = Path(__file__).parent
    command = ["cargo", "run", "--quiet", "--release", "--locked", "--example", "declarations"]
    try:
        declared = subprocess.run(command, cwd=here, env=env, check=True, stdout=subprocess.PIPE).stdout
    except FileNotFoundError:
        raise SystemExit("cargo is not on the PATH: install Rust from https://rustup.rs") from None
    for name, text in modules(json.loads(declared)).items():
        (here / "noregret_kernels" / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
