"""Measures what Python adds: `python -P speed.py NOREGRET`, with the program to compare with. Numbers are of processor time."""

import hashlib
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from sklearn.kernel_ridge import KernelRidge

import noregret_kernels as nk
from noregret_kernels import _core


def least(work, times=5):
    """The least processor time of several calls, in seconds."""
    def clock():
        used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(one.ru_utime + one.ru_stime for one in used)

    spent = []
    for _ in range(times):
        before = clock()
        work()
        spent.append(clock() - before)
    return min(spent)


def main(program):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (100_000, 9))
    y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=len(X))

    def in_blocks():
        model = nk.PkawvTaylor(lam=0.1, bandwidth=1.0)
        for at in range(0, len(X), 1024):
            model.partial_fit(X[at : at + 1024], y[at : at + 1024])

    with tempfile.TemporaryDirectory() as folder:
        rows = os.path.join(folder, "rows.csv")
        np.savetxt(rows, np.column_stack([y, X]), "%.17g", ",", header="y,a,b,c,d,e,f,g,h,i", comments="")
        stream = [program, "stream", "--input", rows, "--target", "y", "--output", "/dev/null", "--learner"]
        with_learner = least(lambda: subprocess.run([*stream, "pkawv-taylor", "--set", "lambda=0.1"], check=True))
        without = least(lambda: subprocess.run([*stream, "constant"], check=True))

    def scores():
        learner = _core.Learner("constant", {}, 9)
        for at in range(0, len(X), 1024):
            learner.play(X[at : at + 1024], y[at : at + 1024])

    # The core: what stream takes of the learner, and losses, which are in both of its times.
    blocks, core = least(in_blocks), with_learner - without + least(scores)
    print(f"partial_fit of pkawv-taylor, 1,024 rows at a time: {blocks:.3f} s, {blocks / core:.2f} times what the core takes")

    columns = [f"x{column}" for column in range(9)]
    dicts = [dict(zip(columns, map(float, row), strict=True)) for row in X[:20_000]]

    def one_by_one():
        learner = _core.Learner("constant", {}, 9)
        for x, target in zip(dicts, y, strict=False):
            learner.learn_one(x, columns, target)

    from noregret_kernels import river

    def through_river():
        model = river.Constant(scaling="none")
        for x, target in zip(dicts, y, strict=False):
            model.learn_one(x, target)

    def predictions_alone():
        model = river.Constant(scaling="none", columns=columns)
        for x in dicts:
            model.predict_one(x)

    calls = {"learn_one of the extension module": one_by_one, "learn_one": through_river, "predict_one": predictions_alone}
    for name, work in calls.items():
        print(f"{name}, of a learner that does nothing, 9 columns: {1e6 * least(work) / len(dicts):.2f} us")


def threads():
    """Two learners on two threads against one after the other, by the clock: 2 where nothing keeps one of them waiting. Hashing,
    during which Python is known to let other threads run, says what the machine gives."""
    rng = np.random.default_rng(2)
    X, data = rng.uniform(-1, 1, (20_000, 9)), bytes(100_000_000)
    y = np.sin(3 * X[:, 0])

    def by_clock(work, together):
        before = time.perf_counter()
        if together:
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(work, range(2)))
        else:
            for one in range(2):
                work(one)
        return time.perf_counter() - before

    ratios = []
    for work in (lambda _: nk.PkawvTaylor(lam=0.1, order=3).play(X, y), lambda _: hashlib.sha256(data).digest()):
        alone, both = (min(by_clock(work, together) for _ in range(5)) for together in (False, True))
        ratios.append(alone / both)
    print(f"two learners on two threads: {ratios[0]:.2f} times as fast as one after the other; hashing: {ratios[1]:.2f} times")


def predictions():
    """Predicting 5,000 rows after 4,000, beside scikit-learn's KernelRidge with the same kernel."""
    rng = np.random.default_rng(1)
    X, new = rng.uniform(-1, 1, (4_000, 9)), rng.uniform(-1, 1, (5_000, 9))
    y = np.sin(3 * X[:, 0])
    theirs = KernelRidge(alpha=0.1, kernel="rbf", gamma=0.5).fit(X, y)
    with_theirs = least(lambda: theirs.predict(new), 3)
    for name, ours in [("KernelRidge", nk.KernelRidge(lam=0.1)), ("KernelAwv", nk.KernelAwv(lam=0.1)),
                       ("PkrrNystrom", nk.PkrrNystrom(lam=0.1)), ("PkawvNystrom", nk.PkawvNystrom(lam=0.1))]:
        ours.fit(X, y)
        ours.predict(new[:1])
        spent = least(lambda ours=ours: ours.predict(new), 3)
        print(f"predict of {name}: {1e6 * spent / len(new):.1f} us a row, {spent / with_theirs:.2f} times scikit-learn's KernelRidge")


if __name__ == "__main__":
    main(*sys.argv[1:])
    predictions()
    threads()
