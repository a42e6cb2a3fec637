"""Models of other libraries as learners of the program: a process that it asks row by row."""

from __future__ import annotations

import copy
import json
import os
import pickle
import struct
import sys
from typing import Any, BinaryIO

import numpy as np
import threadpoolctl
from sklearn.base import is_classifier


def _libraries_by_the_loader() -> None:
    """An isolated process cannot read the file from which threadpoolctl knows the libraries; the loader knows them, too."""
    try:
        with open("/proc/self/maps", "rb"):
            return
    except OSError:
        if hasattr(threadpoolctl, "_HAS_PROCFS"):
            # Its own switch, for systems that have no such file.
            setattr(threadpoolctl, "_HAS_PROCFS", False)  # noqa: B010


class _Rows:
    """A model with `partial_fit`, of scikit-learn's kind."""

    def __init__(self, model: Any, given: dict[str, Any], seed: int) -> None:
        self.model, self.started, self.classes = copy.deepcopy(model), False, is_classifier(model)
        known = self.model.get_params()
        self.model.set_params(**given, **{name: seed % 2**32 for name in known if name.split("__")[-1] == "random_state"})

    def predict(self, x: tuple[float, ...]) -> float:
        if not self.started:
            return 0.0
        if not self.classes:
            return float(self.model.predict([x])[0])
        if hasattr(self.model, "decision_function"):
            return float(self.model.decision_function([x])[0])
        if hasattr(self.model, "predict_proba"):
            return float(self.model.predict_proba([x])[0] @ [-1.0, 1.0])
        return float(self.model.predict([x])[0])

    def learn(self, x: tuple[float, ...], y: float) -> None:
        more = {} if self.started or not self.classes else {"classes": np.array([-1.0, 1.0])}
        self.model.partial_fit([x], [y], **more)
        self.started = True


class _Dictionaries:
    """A model with `learn_one`, of River's kind: its inputs are x1, x2, ..., its labels False and True."""

    def __init__(self, model: Any, given: dict[str, Any], seed: int) -> None:
        seeds = {"seed": seed % 2**32} if "seed" in model._get_params() else {}
        self.model, self.classes = model.clone({**given, **seeds}), _tells_classes(model)

    def predict(self, x: tuple[float, ...]) -> float:
        row = {f"x{column}": value for column, value in enumerate(x, 1)}
        if not self.classes:
            return float(self.model.predict_one(row) or 0.0)
        odds = self.model.predict_proba_one(row)
        return float(odds.get(True, 0.0) - odds.get(False, 0.0))

    def learn(self, x: tuple[float, ...], y: float) -> None:
        row = {f"x{column}": value for column, value in enumerate(x, 1)}
        self.model.learn_one(row, y > 0.0 if self.classes else y)


def _tells_classes(model: Any) -> bool:
    """Whether a model of River, or the last step of a pipeline, is a classifier."""
    from river import base

    while hasattr(model, "steps"):
        model = list(model.steps.values())[-1]
    return isinstance(model, base.Classifier)


def serve(model: Any, *, name: str | None = None, version: str | None = None) -> None:
    """Plays a model of scikit-learn or River as a learner of the program, in the process that the program has started.

    The script of a learner is `serve(SGDRegressor())`, and its declaration names it (see the book, *From Python*). ``name`` is the
    model's class by default, ``version`` that of its package; the declaration must have the same version. Parameters of the
    declaration are parameters of the model, and the seed is its `random_state` or `seed`. Before its first row, a model of
    scikit-learn's kind predicts 0. Labels are -1 and 1 (False and True to River); what is predicted of them is the decision
    function, or P(1) - P(-1). It needs `partial_fit` and `predict`, or `learn_one` and `predict_one`, and ends with its input.

    Raises a TypeError for a model that cannot learn row by row.
    """
    kind = _Dictionaries if hasattr(model, "learn_one") else _Rows
    needed = ("predict_one", "learn_one") if kind is _Dictionaries else ("predict", "partial_fit")
    if not all(hasattr(model, method) for method in needed):
        raise TypeError(
            f"{type(model).__name__} cannot learn row by row: it has neither `partial_fit` and `predict` nor `learn_one` and"
            " `predict_one`"
        )
    package = sys.modules.get(type(model).__module__.partition(".")[0])
    greeting = {
        "name": name or type(model).__name__,
        "version": version or getattr(package, "__version__", "1"),
        "encodings": ["f64"],
        "gauges": True,
        "echo": True,
    }
    _libraries_by_the_loader()
    # What the model prints goes to standard error: standard output has the answers only.
    answers = os.dup(1)
    os.dup2(2, 1)
    with threadpoolctl.threadpool_limits(1), os.fdopen(answers, "wb") as sink:
        hello = json.loads(sys.stdin.buffer.readline())
        _say(sink, json.dumps(greeting).encode() + b"\n")
        sys.stdin.buffer.readline()  # {"encoding":"f64"}
        _answer(kind(model, hello["params"], int(hello["seed"])), hello["dim"], hello["horizon"], sink)


def _answer(learner: _Rows | _Dictionaries, dim: int, horizon: int | None, sink: BinaryIO) -> None:
    """Answers messages in numbers of 64 bits until there is none."""
    message, number, source = struct.Struct(f"<{dim + 2}d"), struct.Struct("<d"), sys.stdin.buffer
    x: tuple[float, ...] = ()
    rounds = 0
    while len(received := source.read(message.size)) == message.size:
        first, y, *asked = message.unpack(received)
        kind, answer = int(first), b""
        if kind & 1:
            learner.learn(x, y)
            rounds += 1
        if kind & 2:
            x = tuple(asked)
            answer += number.pack(learner.predict(x))
        if kind & 4:
            # Pickling takes time, so the size is measured once.
            gauges = {"state_bytes": len(pickle.dumps(learner.model))} if rounds == horizon else {}
            answer += json.dumps(gauges).encode() + b"\n"
        if kind & 8:
            answer += b"{}\n"
        if kind & 16:
            answer += number.pack(y)
        _say(sink, answer)


def _say(sink: BinaryIO, answer: bytes) -> None:
    sink.write(answer)
    sink.flush()
