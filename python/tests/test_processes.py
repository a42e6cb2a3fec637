"""Threads and processes."""

import multiprocessing
import threading

import joblib
import numpy as np
import pytest

import noregret


def data(rows):
    X = np.random.default_rng(0).uniform(-1, 1, (rows, 3))
    return X, np.sin(3 * X[:, 0]) * X[:, 1]


def losses(seed):
    X, y = data(1500)
    return noregret.KernelAwv(lam=0.1, random_state=seed).play(X, y).losses


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
    learner = noregret.Learner("kernel-awv", {"lambda": 0.1}, 3)
    one = threading.Thread(target=learner.play, args=(X[:4000], y[:4000]))
    one.start()
    seen = set()
    while one.is_alive():
        seen.add(learner.rounds)
    one.join()
    assert learner.rounds == 4000
    assert seen - {0, 4000}
