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
    "part": "str",
    "grid": "dict[str, list[Any]]",
    "parts": "str | Sequence[str | dict[str, Any]]",
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
    ("horizon", "int | None", None, ROUNDS + "; None: the number of rows of `fit` or `play`"),
    ("random_state", "int | RandomState | None", 0, DRAWS),
]
RIVER = [
    SCALING,
    ("horizon", "int | None", None, ROUNDS + ", which need it"),
    ("columns", "Sequence[Hashable] | None", None, "the inputs; None: those of what is learnt from first, sorted by name"),
    ("seed", "int", 0, DRAWS),
]


def class_name(name):
    """PkawvTaylor for pkawv-taylor."""
    return "".join(word.capitalize() for word in name.split("-"))


def arguments(parameters, default, common):
    """Name, type, default and meaning of each argument."""
    for one in parameters:
        kind = TYPES[one["kind"]]
        if one["words"] and one["kind"] not in ("choice", "parts"):
            kind += " | str"
        value = default.get(one["name"], one["default"])
        required = ". Must be given" if one["default"] is None else ""
        allowed = "" if one["kind"] == "part" else f" ({one['allowed']})"
        yield one["python"], kind + (" | None" if required else ""), value, one["doc"] + allowed + required
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
        yield name, "OnlineRegressor", {}
    if learner["labels"]:
        yield f"{name}Classifier", "OnlineClassifier", {}
    elif "logistic" in choices.get("loss", []):
        yield f"{name}Classifier", "OnlineClassifier", {"loss": "logistic"}


def source(learner, name, base, default, common):
    """The class, and its stub."""
    common = [one for one in common if learner["scales"] or one is not SCALING]
    given = list(arguments(learner["parameters"], default, common))
    lines = [f"class {name}({base}):", f'    """{sentence(learner["summary"])}'.replace("\\", "\\\\")]
    lines[-1:] = wrapped(lines[-1].strip(), "    ").split("\n")
    lines += ["", "    Parameters", "    ----------"]
    for argument, kind, value, doc in given:
        lines += [f"    {argument} : {kind}, default {value!r}", wrapped(sentence(doc), "        ")]
    lines += ['    """', "", f'    _learner = "{learner["name"]}"']
    lines += ["    _nan = True"] if learner["absent"] else []
    lines += ["    _foresees = True"] if learner["foresees"] else []
    lines += ["", "    def __init__(", "        self,", "        *,"]
    lines += [f"        {argument}={value!r}," for argument, _, value, _ in given]
    lines += ["    ):", *(f"        self.{argument} = {argument}" for argument, *_ in given)]
    stub = [f"class {name}({base}):"]
    stub += [f"    {argument}: {kind}" for argument, kind, *_ in given]
    stub += ["    def __init__(", "        self,", "        *,"]
    stub += [f"        {argument}: {kind} = {value!r}," for argument, kind, value, _ in given]
    return "\n".join(lines), "\n".join([*stub, "    ) -> None: ..."])


def module(learners, summary, bases, types, common):
    """The text of a module, and of its stub."""
    made = [(name, *source(one, name, base, own, common)) for one in learners for name, base, own in classes(one)]
    names = ["__all__ = [", *(f'    "{name}",' for name, *_ in made), "]"]
    bases = f"from noregret_kernels.{bases} import OnlineClassifier, OnlineRegressor"
    code = [HEAD.format(summary), bases, "", *names, *(f"\n\n{text}" for _, text, _ in made)]
    stub = [*types, "", bases, "", *names, *(f"\n{text}" for _, _, text in made)]
    return "\n".join(code) + "\n", "\n".join(stub) + "\n"


def modules(declared):
    """The text of each file by its name."""
    learners = [one for one in declared if not one["noisy"]]
    types = ["from collections.abc import Sequence", "from typing import Any", "", "from numpy.random import RandomState"]
    first = module(learners, "The learners", "_base", types, SCIKIT_LEARN)
    # River's models see one row after another.
    learners = [one for one in learners if not one["foresees"]]
    types = ["from collections.abc import Hashable, Sequence", "from typing import Any"]
    second = module(learners, "The learners for River", "_river", types, RIVER)
    return dict(zip(["learners.py", "learners.pyi", "river.py", "river.pyi"], [*first, *second], strict=True))


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
