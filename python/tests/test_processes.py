"""Threads and processes."""

import multiprocessing
import os
import pickle
import select
import signal
import threading

import joblib
import numpy as np
import pytest

import noregret_kernels as nk


def data(rows):
    X = np.random.default_rng(0).uniform(-1, 1, (rows, 3))
    return X, np.sin(3 * X[:, 0]) * X[:, 1]


def losses(seed):
    X, y = data(1500)
    return nk.KernelAwv(lam=0.1, random_state=seed).play(X, y).losses


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork here")
def test_forked_processes_play_as_their_parent_did():
    # The parent has started rayon's threads, which its children do not have.
    expected = losses(0)
    with multiprocessing.get_context("fork").Pool(2) as pool:
        # A child that waited for threads would wait forever.
        for found in pool.map_async(losses, range(4)).get(timeout=300):
            np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("backend", ["multiprocessing", "threading"])
def test_two_workers_of_joblib(backend):
    expected = losses(0)
    for found in joblib.Parallel(n_jobs=2, backend=backend, timeout=300)(joblib.delayed(losses)(0) for _ in range(4)):
        np.testing.assert_array_equal(found, expected)


def test_other_threads_run_while_a_learner_plays():
    X, y = data(20_000)
    learner = nk.Learner("kernel-awv", {"lambda": 0.1}, 3)
    one = threading.Thread(target=learner.play, args=(X[:4000], y[:4000]))
    one.start()
    seen = set()
    while one.is_alive():
        seen.add(learner.rounds)
    one.join()
    assert learner.rounds == 4000
    assert seen - {0, 4000}


def in_a_fork(work):
    """What a forked process returns, or the message of what it raises; it is killed if it waits for ever."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = str(work())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    if not select.select([read], [], [], 60)[0]:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(read) as answer:
        return answer.read()


NO_FORK = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
WHILE_IN_USE = "RuntimeError: another thread was using this {} when the process was forked"


@NO_FORK
def test_a_fork_refuses_a_noisy_learner_that_a_thread_of_its_parent_holds():
    learner, idle = (nk.NoisyLearner("noisy-linear-two-copy", 1, eta=0.1) for _ in range(2))
    inside, go = threading.Event(), threading.Event()

    class Oracle:
        def x(self):
            inside.set()
            assert go.wait(300)
            return [1.0]

        def y(self):
            return 1.0

        def covariance_times(self, w):
            return [0.0]

    one = threading.Thread(target=learner.learn, args=(Oracle(),))
    one.start()
    try:
        assert inside.wait(300)
        for work in (lambda: learner.rounds, lambda: learner.predict(np.ones((1, 1))), lambda: pickle.dumps(learner)):
            assert in_a_fork(work).startswith(WHILE_IN_USE.format("noisy-linear-two-copy"))
            assert in_a_fork(lambda: in_a_fork(work)).startswith(WHILE_IN_USE.format("noisy-linear-two-copy"))
        # What no thread holds is used as ever, in the child and in its own child.
        assert in_a_fork(lambda: idle.rounds) == in_a_fork(lambda: in_a_fork(lambda: idle.rounds)) == "0"
    finally:
        go.set()
        one.join()
    assert learner.rounds == 1
    assert in_a_fork(lambda: learner.rounds) == "1"


@NO_FORK
def test_forks_while_a_learner_plays_end():
    X, y = data(5000)
    learner = nk.Learner("kernel-awv", {"lambda": 0.1}, 3)
    one = threading.Thread(target=learner.play, args=(X, y))
    one.start()
    # Between two blocks no thread has the lock; all of these forks being there has a chance below 1e-6.
    found = [in_a_fork(lambda: learner.rounds) for _ in range(20)]
    one.join()
    message = WHILE_IN_USE.format("kernel-awv")
    assert any(said.startswith(message) for said in found), found
    assert all(said.startswith(message) or int(said) % 256 in (0, 5000 % 256) for said in found), found
    assert learner.rounds == 5000
