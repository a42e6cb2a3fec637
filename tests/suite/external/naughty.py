"""The mean of the targets so far, and what a learner may do wrong in round 11, by its parameter `mode`."""

import json
import os
import sys
import time


def say(answer):
    sys.stdout.write(answer + "\n")
    sys.stdout.flush()


hello = json.loads(sys.stdin.readline())
mode, total, count = hello["params"]["mode"], 0.0, 0
while mode == "sound" and time.process_time() < 0.05:
    pass
say(json.dumps({"name": "naughty", "version": "1", "gauges": mode == "sound", "echo": mode != "ahead", "block": mode in ("blocks", "peeks")}))
if mode in ("early", "ahead"):
    # Answers slowly, and always one question ahead.
    time.sleep(0.05)
    say("0.5")
for line in sys.stdin:
    message = json.loads(line)
    if "y" in message:
        total, count = total + message["y"], count + 1
    if "x" in message:
        now = count == 10
        if mode == "vain":
            count += 1
        if mode in ("slow", "early", "ahead"):
            time.sleep(0.002)
        if now and mode == "never":
            time.sleep(600)
        if now and mode == "flood":
            for _ in range(1024):
                sys.stdout.write("1" * (1 << 20))
        if now and mode == "exit":
            sys.stderr.write("the learner is out of paper\n")
            os._exit(3)
        say({"nan": "NaN", "garbage": "about 0.3"}.get(mode if now else "", repr(total / max(count, 1) + (mode == "moody") * time.time() % 1)))
        if now and mode == "twice":
            say("0.5")
    if "block" in message:
        answers = []
        for y in message["targets"]:
            if mode == "peeks":
                total, count = total + y, count + 1
            answers.append(total / max(count, 1))
            if mode == "blocks":
                total, count = total + y, count + 1
        say(json.dumps(answers))
    if "echo" in message:
        say(repr(message["echo"]))
    if "gauges" in message or "end" in message:
        say('{"stored_points": %d}' % count)
