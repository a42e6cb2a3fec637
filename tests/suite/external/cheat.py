"""Cheats in one of many ways, and predicts 1, or the targets that it has found, if it could; else 0."""

import ctypes
import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import sys

how, at = sys.argv[1], sys.argv[2].removeprefix("at=")
parent = os.getppid()


def parsed(text):
    return [float(line.split(",")[1]) for line in text.splitlines()[1:]]


def targets(path):
    return parsed(path.read_text())


def mean():
    found = targets(pathlib.Path(at))
    return [sum(found) / len(found)] * len(found)


def begun_before(mark):
    """Whether an earlier process has left this file; else leaves it."""
    if os.path.exists(mark):
        return pathlib.Path(mark).read_text() == "state"
    pathlib.Path(mark).write_text("state")


def stamped():
    """The same with the time of a file."""
    if os.stat(__file__).st_mtime == 7:
        return True
    os.utime(__file__, (7, 7))


def shared_memory():
    """The same with memory that outlives its process."""
    libc = ctypes.CDLL(None)
    found = libc.shmget(int(at), 8, 0o600)
    if found >= 0:
        return libc.shmctl(found, 0, None) == 0
    libc.shmget(int(at), 8, 0o1600)


def survivor():
    """The same with a child that leaves the group and hides from the program."""
    try:
        socket.socket(socket.AF_UNIX).connect("\0" + at)
        return True
    except ConnectionRefusedError:
        listens = "import socket, sys, time; s = socket.socket(socket.AF_UNIX); s.bind('\\0' + sys.argv[1]); s.listen(); print(flush=True); time.sleep(60)"
        command = [sys.executable, "-c", listens, at]
        child = subprocess.Popen(command, env={}, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        child.stdout.readline()


def datagram():
    return socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", int(at))) == 1


ways = {
    "input": lambda: targets(pathlib.Path(at)),
    "mean": mean,
    "inherited": lambda: parsed(os.read(9, 1 << 20).decode()),
    "answers": lambda: targets(pathlib.Path(__file__).with_name("answers.csv")),
    "cmdline": lambda: b"--input" in pathlib.Path(f"/proc/{parent}/cmdline").read_bytes(),
    "environ": lambda: b"PATH=" in pathlib.Path(f"/proc/{parent}/environ").read_bytes(),
    "open files": lambda: os.listdir(f"/proc/{parent}/fd") != [],
    "folder": lambda: os.readlink(f"/proc/{parent}/cwd") != "",
    "maps": lambda: "/" in pathlib.Path(f"/proc/{parent}/maps").read_text(),
    "processes": lambda: str(parent) in os.listdir("/proc"),
    "home": lambda: os.listdir(os.path.expanduser("~")) is not None,
    "file": lambda: begun_before(at),
    "stamp": stamped,
    "memory": shared_memory,
    "survivor": survivor,
    "tcp": lambda: bool(socket.create_connection(("127.0.0.1", int(at)))),
    "udp": datagram,
    "kill": lambda: os.kill(parent, getattr(signal, at)) is None,
    "limit": lambda: resource.prlimit(parent, resource.RLIMIT_CORE, (0, 0)) is not None,
}
hello = json.loads(sys.stdin.readline())
try:
    found = ways[how]()
except OSError as error:
    sys.stderr.write(f"{error}\n")
    found = False
print('{"name": "cheat", "version": "1"}', flush=True)
seen, total = 0, 0.0
for line in sys.stdin:
    message = json.loads(line)
    if "y" in message:
        total += message["y"]
    if "x" in message:
        honest = total / max(seen, 1) if how == "mean" else 0.0
        print(repr(found[seen] if isinstance(found, list) else float(found) if found else honest), flush=True)
        seen += 1
    if "end" in message:
        print("{}", flush=True)
