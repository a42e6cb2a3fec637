"""Plays a learner by the protocol of docs/src/protocol.md, in numbers of 64 bits."""
import json
import os
import struct
import sys
from importlib import import_module
from importlib.metadata import version
from types import ModuleType

# Read when numpy, polars and LightGBM are imported: all learners are compared on one thread.
POOLS = ["OMP_NUM", "OPENBLAS_NUM", "MKL_NUM", "POLARS_MAX", "POLARS_ONLINE_MAX"]
os.environ.update({f"{pool}_THREADS": "1" for pool in POOLS})
# The semaphores that joblib looks for are not there for an isolated process, which has one thread anyway.
os.environ["JOBLIB_MULTIPROCESSING"] = "0"


def later(*names):
    """Puts off the imports of modules until something of them is called or looked into: naming them imports nothing."""
    for name in names:
        put_off(name)


def put_off(name):
    module = ModuleType(name)

    def imported():
        if sys.modules[name] is module:
            del sys.modules[name]
        return import_module(name)

    class Member:
        def __init__(self, word):
            self._word = word

        def __call__(self, *given, **named):
            return getattr(imported(), self._word)(*given, **named)

        def __getattr__(self, word):
            return getattr(getattr(imported(), self._word), word)

    def member(word):
        if word.startswith("__"):
            raise AttributeError(word)
        return Member(word)

    module.__getattr__ = member
    sys.modules[name] = module


# River and scikit-learn import it for what no learner here uses: half a second of each run.
later("scipy.stats")


def serve(package, make):
    """Plays the learner `make(params, seed, dim, classes)` of a package: its `predict(x)`, `learn(x, y)`, and `size()`,
    the length of its saved state in bytes, which is asked for once, at the end: saving takes time. `classes` is 0 where
    targets are numbers; else targets and predictions are the numbers of classes, from 0 on."""
    # An isolated process cannot read /proc/self/maps, from which threadpoolctl knows the libraries; the loader knows them, too.
    if hasattr(sys.modules.get("threadpoolctl"), "_HAS_PROCFS"):
        sys.modules["threadpoolctl"]._HAS_PROCFS = False
    source, sink = sys.stdin.buffer, sys.stdout.buffer
    hello = json.loads(source.readline())
    greeting = {"name": package, "version": version(package), "encodings": ["f64"], "gauges": True}
    sink.write(json.dumps(greeting).encode() + b"\n")
    sink.flush()
    source.readline()  # {"encoding":"f64"}
    learner = make(hello["params"], int(hello["seed"]) % 2**32, hello["dim"], hello.get("classes") or 0)
    message, number = struct.Struct(f"<{hello['dim'] + 2}d"), struct.Struct("<d")
    x, rounds = None, 0
    while len(received := source.read(message.size)) == message.size:
        kind, y, *asked = message.unpack(received)
        kind = int(kind)
        if kind & 1:
            learner.learn(x, y)
            rounds += 1
        if kind & 2:
            x = asked
            sink.write(number.pack(learner.predict(x)))
        if kind & 4:
            gauges = {"state_bytes": learner.size()} if rounds == hello["horizon"] else {}
            sink.write(json.dumps(gauges).encode() + b"\n")
        if kind & 8:
            sink.write(b"{}\n")
        sink.flush()
