#!/usr/bin/env python3
"""Runs the checks of this folder in one process, for architecture_test.cpp.

    run_checks.py

A line of the input is JSON, ["check_tree.py", "ROOT", ...]; its answer is a line, [exit status, what the check printed].
"""
import contextlib
import io
import json
import pathlib
import runpy
import sys
import traceback

FOLDER = pathlib.Path(__file__).parent


def run(arguments):
    sys.argv = arguments
    try:
        runpy.run_path(str(FOLDER / arguments[0]), run_name="__main__")
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code)
        return 1 if isinstance(end.code, str) else end.code or 0
    except Exception:  # noqa: BLE001 - the next check is run whatever this one does
        traceback.print_exc()
        return 1
    return 0


def main():
    for line in sys.stdin:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            status = run(json.loads(line))
        print(json.dumps([status, printed.getvalue()]), flush=True)


if __name__ == "__main__":
    main()
