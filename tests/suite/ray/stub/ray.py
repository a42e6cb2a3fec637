"""A stand-in for Ray, for tests: two nodes of one processor, on this machine. A task is a process, and what it needs of `ray` is here.

NO_RAY_KILLS=N: the workers of the first N tasks are killed as soon as these play the program, as if their nodes had died.
"""

import multiprocessing
import os
import signal
import time

__version__ = "stub"
NODES = 2
_fork = multiprocessing.get_context("fork")
_tasks = []


def init(address, **_):
    if address not in ("local", "stub"):
        raise ConnectionError(f"nothing answers at {address}")


def nodes():
    return [{"Alive": True, "Resources": {"CPU": 1.0, "memory": float(4 << 30)}}] * NODES


class TaskCancelledError(Exception):
    pass


class _Task:
    """A task, and the process that plays it: a new one after each that dies."""

    def __init__(self, function, options, arguments):
        self.function, self.options, self.arguments = function, options, arguments
        self.worker, self.end, self.starts = None, None, 0

    def start(self):
        self.starts += 1
        self.ours, theirs = _fork.Pipe(duplex=False)
        self.worker = _fork.Process(target=self.work, args=(theirs,))
        self.worker.start()
        theirs.close()

    def work(self, pipe):
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        try:
            pipe.send((self.function(*self.arguments), None))
        except BaseException as error:
            pipe.send((None, error))

    def look(self):
        """Notes how the process ended, if it has."""
        if self.worker is None or self.worker.is_alive():
            return
        try:
            value, error = self.ours.recv()
        except EOFError:
            value, error = None, RuntimeError("the worker died")
        self.worker = None
        again = isinstance(error, (RuntimeError, KeyboardInterrupt, *self.options["retry_exceptions"]))
        if error is None or not again or self.starts > self.options["max_retries"]:
            self.end = (value, error)


class remote:
    """The decorator with options, what it makes, and what `options` of that gives."""

    def __init__(self, **options):
        self.given = options

    def __call__(self, function):
        self.function = function
        return self

    def options(self, **_):
        return self

    def remote(self, *arguments):
        _tasks.append(_Task(self.function, self.given, arguments))
        return _tasks[-1]


_kills = int(os.environ.get("NO_RAY_KILLS", "0"))


def _round():
    """Starts what waits where there is room, kills what is to be killed, and sees what has ended."""
    global _kills
    for task in _tasks:
        task.look()
    for task in _tasks:
        if task.end is None and task.worker is None and sum(task.worker is not None for task in _tasks) < NODES:
            task.start()
        elif task.worker is not None and task.starts == 1 and _kills > 0 and task.arguments[0] > 0 and _has_begun(task):
            _kills -= 1
            task.worker.kill()


def _has_begun(task):
    """Whether the program that a worker plays is there."""
    children = f"/proc/{task.worker.pid}/task/{task.worker.pid}/children"
    return os.path.exists(children) and open(children).read().strip() != ""


def wait(tasks, num_returns, timeout):
    end = time.monotonic() + timeout
    while True:
        _round()
        ready = [task for task in tasks if task.end is not None]
        if len(ready) >= num_returns or time.monotonic() > end:
            return ready, [task for task in tasks if task.end is None]
        time.sleep(0.02)


def get(task):
    value, error = task.end
    if error is not None:
        raise error
    return value


def cancel(task, force):
    task.options = {"max_retries": 0, "retry_exceptions": []}
    if task.worker is None:
        task.end = task.end or (None, TaskCancelledError())
    elif force:
        task.worker.kill()
    else:
        os.kill(task.worker.pid, signal.SIGINT)


def shutdown():
    for task in _tasks:
        if task.worker is not None:
            task.worker.kill()
