#!/usr/bin/env python3
"""Whether the program gives what it gave: plans, reports, dumps, images and messages of all runs of the tests.

    compare_recordings.py BEFORE AGAIN AFTER

Three folders that LOWTIDE_RECORD named in three runs of the tests: two of the program as it was, one as it is. What the
first two do not share (times, memory that was free, names of temporary folders) is not compared. Prints each value that
differs, and each run that one of them lacks; the exit status is 1 then.
"""
import json
import pathlib
import re
import sys

MOST_PRINTED = 200
LONGEST = 160
TEMPORARY = re.compile(r"/tmp/[^\s\"':,]*|/dev/shm/[^\s\"':,]*")


def values(position, value, found):
    """Leaves of a JSON value by their position; texts that are JSON are opened, others are taken by lines."""
    if isinstance(value, dict):
        for key, item in value.items():
            values(f"{position}.{TEMPORARY.sub('TMP', key)}", item, found)
    elif isinstance(value, list):
        found[f"{position}.length"] = len(value)
        for index, item in enumerate(value):
            values(f"{position}[{index}]", item, found)
    elif isinstance(value, str) and value[:1] in "{[":
        try:
            values(position, json.loads(value), found)
        except ValueError:
            found[position] = TEMPORARY.sub("TMP", value)
    elif isinstance(value, str) and "\n" in value:
        values(position, value.split("\n"), found)
    else:
        found[position] = TEMPORARY.sub("TMP", value) if isinstance(value, str) else value


def recorded(folder):
    runs = {}
    for file in sorted(pathlib.Path(folder).glob("*.jsonl")):
        for line in file.read_text(errors="replace").splitlines():
            record = json.loads(line)
            # A test that was run twice in one recording, as with --all, counts from its last process.
            runs[record["run"]] = record["given"]
    return runs


def main():
    before, again, after = (recorded(folder) for folder in sys.argv[1:4])
    problems = [f"{run}: not run any more" for run in before if run not in after and run in again]
    compared = 0
    for run, given in before.items():
        if run not in again or run not in after:
            continue
        leaves = [{}, {}, {}]
        for found, one in zip(leaves, (given, again[run], after[run])):
            values("", one, found)
        absent = object()
        for position, value in leaves[0].items():
            if leaves[1].get(position, absent) != value:
                continue
            compared += 1
            now = leaves[2].get(position, absent)
            if now != value:
                problems.append(f"{run}{position}: {value!s:.{LONGEST}} -> "
                                f"{'nothing' if now is absent else str(now)[:LONGEST]}")
        problems += [f"{run}{position}: nothing -> {value!s:.{LONGEST}}" for position, value in leaves[2].items()
                     if position not in leaves[0] and position not in leaves[1]]
    print("\n".join(problems[:MOST_PRINTED]))
    new = sum(run not in before for run in after)
    print(f"{len(before)} runs, {compared} values compared, {len(problems)} differ; {new} runs are new")
    return bool(problems)


sys.exit(main())
