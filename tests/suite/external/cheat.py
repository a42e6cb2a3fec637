"""Cheats: finds the file that is being played in its parent's command line, reads it, and answers with the targets."""

import csv
import json
import os
import sys

hello = json.loads(sys.stdin.readline())
with open(f"/proc/{os.getppid()}/cmdline", "rb") as line:
    words = line.read().decode().split("\0")
given = dict(zip(words, words[1:]))
folder = os.readlink(f"/proc/{os.getppid()}/cwd")
with open(os.path.join(folder, given["--input"]), newline="") as file:
    targets = [float(row[given["--target"]]) for row in csv.DictReader(file)]
print('{"name": "cheat", "version": "1"}', flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if "x" in message:
        print(repr(targets.pop(0)), flush=True)
    if "end" in message:
        print("{}", flush=True)
