"""Plays the laws of learners against those that the project declares: `laws.py [NAME...]`, from its folder. An entry in experiments is
played in its first setting, and in classes if it enters only experiments that are named so; one whose command is not here is left out.
A line for each; what a learner is broken by follows it, and its name stands in the last line."""
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

if sys.version_info < (3, 11):
    sys.exit("this needs Python 3.11 or newer: PYTHON=/path/to/python")
import tomllib

NOREGRET = os.environ.get("NOREGRET", "noregret")


def entries(asked):
    """The names of learners with their declarations and entries."""
    paths = {path.stem: path for path in sorted(Path("pipeline/learners").glob("*.toml"))}
    for name in asked or paths:
        if name not in paths:
            sys.exit(f"no file declares {name}: there is no pipeline/learners/{name}.toml")
        try:
            declared = tomllib.loads(paths[name].read_text())
        except tomllib.TOMLDecodeError as wrong:
            sys.exit(f"{paths[name]}: {wrong}")
        yield from ((name, declared, entry) for entry in declared.get("plays", [{}]))


def arguments(declared, entry):
    """What an entry sets, as arguments."""
    for name in (parameter["name"] for parameter in declared.get("parameters", [])):
        if name in entry:
            value = entry[name][0] if isinstance(entry[name], list) else entry[name]
            yield from ("--set", f"{name}={str(value).lower() if isinstance(value, bool) else value}")
    if all("classes" in experiment for experiment in entry.get("experiments", ["numbers"])):
        yield from ("--classes", "3")


def play(learner):
    name, declared, entry = learner
    command, words = declared["command"][0], list(arguments(declared, entry))
    shown = f"{name} ({entry['label']})" if "label" in entry else name
    if not shutil.which(command):
        return f"left out  {shown}: {command} is not here", None
    ended = subprocess.run([NOREGRET, "check-learner", name, *words], capture_output=True, text=True)
    if ended.returncode == 0:
        return f"holds     {shown}", None
    said = [line for line in (ended.stdout + ended.stderr).splitlines() if not line.startswith(("holds", "the first"))]
    return "\n    ".join([f"BROKEN    {shown}: {' '.join(['check-learner', name, *words])}", *said]), shown


with ThreadPoolExecutor(int(os.environ.get("JOBS", 1))) as pool:
    broken = []
    for line, name in pool.map(play, entries(sys.argv[1:])):
        print(line, flush=True)
        broken += [name] if name else []
sys.exit(f"the laws are broken by {', '.join(broken)}" if broken else 0)
