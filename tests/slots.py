#!/usr/bin/env python3
"""Every slot of every test, as "ctest name, slot": slots.py BUILD > FILE

Two builds are compared with diff: what a change of the tests' layout must not lose.
"""
import json
import os
import subprocess
import sys


def slots(test):
    """The slots that a test's program has, as Qt Test lists them."""
    command = [word for word in test["command"] if word not in ("-maxwarnings", "0")]
    values = next((entry["value"] for entry in test["properties"] if entry["name"] == "ENVIRONMENT"), [])
    environment = {**os.environ, **dict(value.split("=", 1) for value in values)}
    answer = subprocess.run([*command, "-functions"], capture_output=True, text=True, env=environment, timeout=60)
    listed = [line.removesuffix("()") for line in answer.stdout.splitlines() if line.endswith("()")]
    chosen = [word for word in command[1:] if word in listed]
    if answer.returncode or not listed:
        raise SystemExit(f"{test['name']}: {' '.join(command)} lists no slots\n{answer.stderr}")
    return chosen or listed


def main():
    answer = subprocess.run(["ctest", "--show-only=json-v1"], cwd=sys.argv[1], check=True, capture_output=True, text=True)
    lines = (f"{test['name']}, {slot}" for test in json.loads(answer.stdout)["tests"] for slot in slots(test))
    print("\n".join(sorted(lines)))


if __name__ == "__main__":
    main()
