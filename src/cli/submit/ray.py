"""Shards of noregret's cells as tasks on Ray; then one task makes everything else: tables, figures, the report.

`noregret submit --engine ray` writes this file, with its settings, and plays it; by hand, `python3 FILE` does. RAY_ADDRESS names a
cluster; without it, a Ray of this machine begins and ends with this program. All nodes must see the paths in the settings.
"""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

SETTINGS = {}

# Plays its arguments, and ends them when its input ends: that is a pipe from the task, which ends as the task does, in whatever way.
TIED = """
exec 3<&0
"$@" 3<&- </dev/null &
child=$!
{ cat <&3; kill "$child"; } >/dev/null 2>&1 &
wait "$child"
status=$?; kill "$!" 2>/dev/null; exit "$status"
"""


def log(shard):
    """The file of what a task prints; Ray's own is `ray`."""
    return Path(f"{SETTINGS['logs']}_{shard}.log")


def play(shard, variables):
    """A task: plays one shard, or for 0 everything but cells, and returns the status."""
    for path in (SETTINGS["root"], SETTINGS["command"][0]):
        if not Path(path).exists():
            raise FileNotFoundError(f"node {socket.gethostname()} does not see {path}, which all nodes must share under this path")
    part = ["--shard", f"{shard}/{SETTINGS['shards']}", "--batch", SETTINGS["batch"]] if shard else ["--no-cells"]
    # The program heeds this limit as in a job of Slurm.
    memory = {"SLURM_MEM_PER_NODE": str(SETTINGS["memory"] >> 20)} if SETTINGS["memory"] else {}
    with log(shard).open("ab", buffering=0) as out:
        out.write(f"task {shard} on {socket.gethostname()}, process {os.getpid()}\n".encode())
        child = subprocess.Popen(
            ["sh", "-c", TIED, "sh", *SETTINGS["command"], "--jobs", str(SETTINGS["cpus"]), *part],
            cwd=SETTINGS["root"], env={**os.environ, **variables, **memory}, stdin=subprocess.PIPE, stdout=out, stderr=out,
        )
        try:
            # Ray cancels by an exception, which no call of the system may hold up.
            while child.poll() is None:
                time.sleep(0.1)
        finally:
            child.stdin.close()
            child.wait()
    if child.returncode < 0 or child.returncode > 125:
        raise ChildProcessError(f"the program was ended with status {child.returncode}: {log(shard)} says more")
    return child.returncode


def say(text):
    """Tells the user of progress."""
    if "quiet" not in sys.argv:
        print(text, file=sys.stderr, flush=True)


def start(ray):
    """Connects to the cluster, or starts a Ray of this machine."""
    address = os.environ.get("RAY_ADDRESS") or "local"
    host, _, port = address.rpartition("://")[2].rpartition(":")
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        if port.isdigit():  # Ray itself would try for minutes
            socket.create_connection((host.strip("[]"), int(port)), timeout=10).close()
        ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    except Exception as error:
        sys.exit(f"error: Ray at RAY_ADDRESS={address} cannot be used: {error}")
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    cpus, memory = SETTINGS["cpus"], SETTINGS["memory"]
    if not any(node.get("CPU", 0) >= cpus and node.get("memory", 0) >= memory for node in nodes):
        text = f"no node has what a task needs: {cpus} processor(s)" + f", {memory >> 20} MiB of memory" * (memory > 0)
        if address == "local":
            sys.exit(f"error: {text}; --cpus and --mem ask for less")
        say(f"warning: {text}; tasks wait until one has")
    say(f"Ray {ray.__version__}: {len(nodes)} node(s), {sum(node.get('CPU', 0) for node in nodes):.0f} processors")


def follow(ray, task, name, shards, stop):
    """Submits tasks and waits for them. Returns the status of each: None where it has none."""
    variables = {name: value for name, value in os.environ.items() if name.startswith("NOREGRET_")}
    before = {shard: log(shard).stat().st_size if log(shard).exists() else 0 for shard in shards}
    refs = {task.options(name=f"noregret {shard}/{SETTINGS['shards']}").remote(shard, variables): shard for shard in shards}
    ends, told = {}, None
    while refs and not stop:
        for ref in ray.wait(list(refs), num_returns=len(refs), timeout=0.2)[0]:
            shard = refs.pop(ref)
            try:
                ends[shard], why = ray.get(ref), f"see {log(shard)}"
            except Exception as error:
                ends[shard], why = None, getattr(error, "cause", None) or error
            if ends[shard] != 0:
                print(f"task {shard} failed: {why}", file=sys.stderr, flush=True)
        done = sum(status == 0 for status in ends.values())
        running = sum(log(shard).exists() and log(shard).stat().st_size > before[shard] for shard in refs.values())
        text = f"{name}: {done} done, {running} running, {len(refs) - running} waiting, {len(ends) - done} failed"
        if text != told:
            say(told := text)
    if refs:
        say(f"cancelling {len(refs)} task(s)")
    for force in (False, True):
        for ref in refs:
            ray.cancel(ref, force=force)
        refs = refs and ray.wait(list(refs), num_returns=len(refs), timeout=10)[1]
    return ends


def main():
    """Plays all tasks, and returns the status of the last one."""
    signals, stop = (signal.SIGINT, signal.SIGTERM), []
    for number in signals:
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    if "tied" in sys.argv:
        # Whoever began this holds a pipe to it, which ends when this is to end.
        threading.Thread(target=lambda: (os.read(0, 1), os.kill(os.getpid(), signal.SIGTERM)), daemon=True).start()
    try:
        import ray
    except ImportError as error:
        sys.exit(f"error: {error}: `{sys.executable} -m pip install ray` installs it")
    log("ray").parent.mkdir(parents=True, exist_ok=True)
    sys.stdout = log("ray").open("a", buffering=1)  # Ray prints much there when a node dies
    start(ray)
    for number in signals:
        signal.signal(number, lambda number, _: stop.append(number))
    # What dies with a node or a worker, or is killed, is played again: what was finished is in the store.
    again = {"max_retries": 10, "retry_exceptions": [ChildProcessError], "scheduling_strategy": "SPREAD"}
    task = ray.remote(num_cpus=SETTINGS["cpus"], memory=SETTINGS["memory"] or None, **again)(play)
    try:
        follow(ray, task, "tasks", range(1, SETTINGS["shards"] + 1), stop)
        status = None if stop else follow(ray, task, "tables, figures, report", [0], stop).get(0)
    finally:
        ray.shutdown()
    if stop:
        say("cancelled; nothing is lost: to go on, run the same command again")
        return 128 + stop[0]
    say(log(0).read_text(errors="replace") if log(0).exists() else "")
    return 1 if status is None else status


if __name__ == "__main__":
    sys.exit(main())
