#!/usr/bin/env python3
"""Checks rules of the tree that no compiler knows.

    check_tree.py [ROOT]

- the top folder holds what docs/architecture.md lists, and nothing else;
- every room has a README;
- sizes: the median source file is near 120 lines, 95 % are under 400;
- host and device are crossed only in plugin/tensor/crossing.cpp and plugin/residency;
- nothing in nn/, checkpoints/, families/, sampling/ or nodes/ keeps a tensor as a member of a network;
- no files of one machine: absolute home or temporary paths, and no work left undone;
- no line of a page is longer than a narrow window and a readable diff take.
"""
import pathlib
import re
import statistics
import sys

TOP = {"CMakeLists.txt", "CMakePresets.json", "plugin", "nodes", "ui", "resources", "tests", "examples", "docs",
       "README.md", "LICENSE", "NOTICE", "dev"}
GENERATED = {"build"}
ROOMS = ["plugin"] + [f"plugin/{room}" for room in (
    "host_api", "base", "files", "image", "video", "memory", "encodings", "graph", "executor", "residency", "tensor", "text", "sampling", "nn", "checkpoints",
    "families",
    "module")] + ["nodes", "ui", "tests", "resources", "examples"] + [f"ui/{room}" for room in (
        "door", "qt_door", "theme", "language", "document", "painting", "bridge", "editors", "canvas", "panels", "widgets",
        "studio")]
SOURCES = ("plugin", "nodes", "ui", "tests", "examples")
CROSSING = re.compile(r"(?<!error)\.(cpu|item|cuda)\s*(<[^>]*>)?\(\s*\)|\.to\([^)]*(device|kCPU|kCUDA|Device)|_local_scalar_dense")
MAY_CROSS = re.compile(r"^(plugin/tensor/crossing\.cpp|plugin/residency/|tests/)")
OWNED = re.compile(r"^\s+(at::Tensor|std::vector<at::Tensor>|std::(map|unordered_map)<[^;]*at::Tensor>)\s+\w*(weight|bias)\w*_?;")
UNDONE = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|not implemented|placeholder implementation", re.IGNORECASE)
MACHINE = re.compile(r"(/home/|/root/|/work/|/tmp/[a-z])")
LONGEST_LINE = 150  # characters of a page; a row of a table becomes a list, or its cells shorter
# Tables whose rows tests/unit/memory/combinations_test.cpp writes; tables of the reference's own tensors.
MAY_BE_LONG = {"docs/combinations.md", "tests/golden/reference/README.md"}
TEXT = {".hpp", ".cpp", ".cu", ".cmake", ".txt", ".md", ".json", ".py", ""}


def top_level(root: pathlib.Path) -> list[str]:
    names = {entry.name for entry in root.iterdir() if not entry.name.startswith(".")} - GENERATED
    return [f"{name}: not one of the top folder's entries" for name in sorted(names - TOP)] + [
        f"{name}: missing in the top folder" for name in sorted(TOP - names)]


def readmes(root: pathlib.Path) -> list[str]:
    return [f"{room}: has no README.md" for room in ROOMS if not (root / room / "README.md").exists()]


def sources(root: pathlib.Path):
    for top in SOURCES:
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".hpp", ".cpp", ".cu"):
                yield file.relative_to(root).as_posix(), file.read_text()


def sizes(root: pathlib.Path) -> list[str]:
    counts = sorted(text.count("\n") for _, text in sources(root))
    if not counts:
        return ["no sources"]
    median, large = statistics.median(counts), sum(count >= 400 for count in counts)
    print(f"{len(counts)} source files, median {median:.0f} lines, largest {counts[-1]}")
    problems = [f"the median source file has {median:.0f} lines, aim at 120"] if median > 160 else []
    return problems + ([f"{large} of {len(counts)} files have 400 lines or more"] if large > len(counts) * 0.05 else [])


def code(root: pathlib.Path) -> list[str]:
    problems = []
    for path, text in sources(root):
        for number, line in enumerate(text.splitlines(), 1):
            bare = line.split("//")[0]
            where = f"{path}:{number}: "
            if CROSSING.search(bare) and not MAY_CROSS.match(path):
                problems.append(where + "crosses between host and device outside tensor/crossing")
            if OWNED.match(bare) and path.startswith(("plugin/nn/", "plugin/checkpoints/", "plugin/families/", "plugin/sampling/", "nodes/")):
                problems.append(where + "owns a weight; weights are read through leases only")
            if UNDONE.search(line):
                problems.append(where + "work left undone")
    return problems


def machine_paths(root: pathlib.Path) -> list[str]:
    problems = []
    for top in sorted(TOP - {"LICENSE"}):
        files = [root / top] if (root / top).is_file() else sorted((root / top).rglob("*"))
        for file in files:
            if file.is_file() and file.suffix in TEXT and file.name != "check_tree.py" and file.stat().st_size < 1 << 20:
                for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
                    if MACHINE.search(line):
                        problems.append(f"{file.relative_to(root).as_posix()}:{number}: a path of one machine")
    return problems


def long_lines(root: pathlib.Path) -> list[str]:
    problems = []
    for top in sorted(TOP):
        for page in [root / top] if (root / top).is_file() else sorted((root / top).rglob("*")):
            path = page.relative_to(root).as_posix()
            if page.suffix == ".md" and page.is_file() and path not in MAY_BE_LONG:
                for number, line in enumerate(page.read_text(errors="replace").splitlines(), 1):
                    if len(line) > LONGEST_LINE:
                        problems.append(f"{path}:{number}: {len(line)} characters, at most {LONGEST_LINE} in a line of a page")
    return problems


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    problems = top_level(root) + readmes(root) + sizes(root) + code(root) + machine_paths(root) + long_lines(root)
    print("\n".join(problems + [f"{len(problems)} broken tree rules"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
