#!/usr/bin/env python3
"""Runs clang-tidy on the lines of C++ that differ from a commit.

    tidy_changes.py ROOT COMMIT                prints the sources to read
    tidy_changes.py ROOT COMMIT DATABASE JOBS  reads them with DATABASE/compile_commands.json

Where COMMIT is empty it is the one at which this branch left origin/main, else main. What is not committed counts too. A header is
read through the source of its name. Exits 1 where clang-tidy found something in a changed line (.clang-tidy has the checks).
"""
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys

CPP = ("*.cpp", "*.hpp")
# Against a user's settings of git: diff.noprefix, diff.mnemonicPrefix, color.diff, diff.external.
AS_PARSED = ("--dst-prefix=b/", "--no-color", "--no-ext-diff")
HUNK = re.compile(r"^@@ \S+ \+(\d+)(?:,(\d+))? @@", re.M)


def git(root, *arguments, check=True):
    return subprocess.run(["git", "-C", root, *arguments], stdout=subprocess.PIPE, stderr=None if check else subprocess.DEVNULL, text=True,
                          check=check).stdout


def changed_lines(root, commit):
    """{path: [[first, last], ...]} of C++ that is not as in the commit."""
    bases = (git(root, "merge-base", "HEAD", branch, check=False).strip() for branch in ("origin/main", "main"))
    base = commit or next(filter(None, bases), "HEAD")
    lines = {}
    for part in git(root, "diff", "-U0", *AS_PARSED, "--diff-filter=d", base, "--", *CPP).split("\ndiff --git "):
        path = re.search(r"^\+\+\+ b/(.*)$", part, re.M)
        hunks = [[int(start), int(start) + int(count or 1) - 1] for start, count in HUNK.findall(part) if count != "0"]
        if path and hunks:
            lines[path[1]] = hunks
    for path in git(root, "ls-files", "--others", "--exclude-standard", "--", *CPP).splitlines():
        lines[path] = [[1, 1000000]]
    return lines


def sources(root, lines):
    """The changed sources, and those of the names of changed headers."""
    candidates = {path.removesuffix(".hpp") + ".cpp" if path.endswith(".hpp") else path for path in lines}
    return sorted(path for path in candidates if (pathlib.Path(root) / path).exists())


def read(root, lines, database, jobs):
    known = {entry["file"] for entry in json.loads((pathlib.Path(database) / "compile_commands.json").read_text())}
    wanted = [path for path in sources(root, lines) if str((pathlib.Path(root) / path).resolve()) in known]
    filter_ = json.dumps([{"name": path, "lines": hunks} for path, hunks in lines.items()])

    # Errors are reported in every line, so clang's own warnings, which GCC's -Werror makes errors, would be too.
    def tidy(path):
        return subprocess.run(["clang-tidy-14", "-p", database, "--quiet", "--extra-arg=-Wno-error", f"--line-filter={filter_}", path], cwd=root,
                              capture_output=True, text=True)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = list(pool.map(tidy, wanted))
    found = [result.stdout for result in results if result.returncode != 0]
    print("\n".join(found + [f"{len(wanted)} changed sources read by clang-tidy, {len(found)} with findings"]))
    return 1 if found else 0


def main():
    root, commit, *database = sys.argv[1:]
    lines = changed_lines(root, commit)
    if database:
        return read(root, lines, database[0], int(database[1]))
    print("\n".join(sources(root, lines)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
