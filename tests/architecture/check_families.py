#!/usr/bin/env python3
"""Checks that a family of models is named in its own folder alone.

    check_families.py [ROOT]

Families are the folders of plugin/families. In plugin, nodes and ui the name of one, in letters of any size, stands in that folder and in
its line of plugin/families/CMakeLists.txt. Help pages, presets and tests may name all of them.
"""
import pathlib
import re
import sys

FAMILIES = "plugin/families"
# Names that are parts of other words.
PATTERNS = {"wan": re.compile(r"\bwan(_|[0-9]|\b)|Wan[A-Z0-9]|WAN")}
WHAT_TO_DO = "say it in words that are true of every family, or let the family state it (plugin/checkpoints/family.hpp)"


def families(root):
    """{name: pattern}."""
    names = sorted(folder.name for folder in (root / FAMILIES).glob("*/") if folder.is_dir())
    return {name: PATTERNS.get(name, re.compile(re.escape(name), re.I)) for name in names}


def lines(root):
    """(path, number, line) of all texts."""
    for top in ("plugin", "nodes", "ui"):
        for file in sorted((root / top).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                text = file.read_bytes()
                if b"\0" not in text:
                    for number, line in enumerate(text.decode(errors="replace").splitlines(), 1):
                        yield file.relative_to(root).as_posix(), number, line


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    known, problems = families(root), []
    for path, number, line in lines(root):
        for name, pattern in known.items():
            is_own = path.startswith(f"{FAMILIES}/{name}/") or (
                path == f"{FAMILIES}/CMakeLists.txt" and line == f"lowtide_add(family {name})")
            if not is_own and pattern.search(line):
                problems.append(f"{path}:{number}: names the family {name}: {WHAT_TO_DO}")
    print("\n".join(problems + [f"{len(known)} families, {len(problems)} lines name one elsewhere"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
