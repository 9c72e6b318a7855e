#!/usr/bin/env python3
"""Checks rules of the tree that no compiler knows.

    check_tree.py [ROOT] [--figures]

--figures prints the sizes of each part, and which folders and headers are meant.

- the top folder holds what docs/architecture.md lists, and nothing else;
- every library of check_layers.py has a README;
- sizes: the median source file is near 120 lines, 95 % are under 500, none is above MAX_LINES; for each part of PARTS, how many
  folders may hold one source file and how many small headers may have one user;
- host and device are crossed only in plugin/tensor/transfer.cpp and plugin/residency;
- nothing in nn/, checkpoints/, families/, sampling/ or nodes/ keeps a tensor as a member of a network;
- no files of one machine: absolute home or temporary paths, and no work left undone;
- no line of a page is longer than a narrow window and a readable diff take.
"""
import collections
import pathlib
import re
import statistics
import sys
import typing

from check_layers import LAYERS, UI_LAYERS

TOP = {"CMakeLists.txt", "CMakePresets.json", "plugin", "nodes", "ui", "service", "cli", "resources", "tests", "examples", "docs",
       "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "NOTICE", "dev"}
GENERATED = {"build"}
LIBRARIES = ["plugin", "resources", *LAYERS, *(f"ui/{library}" for library in UI_LAYERS)]
SOURCES = ("plugin", "nodes", "ui", "service", "cli", "tests", "examples")
MAX_LINES = {".hpp": 250, ".cpp": 900, ".cu": 900}
SMALL_HEADER = 25  # lines


class Limits(typing.NamedTuple):
    """Of folders and headers today's numbers: they may shrink."""
    tops: tuple[str, ...]
    folders: int
    headers: int
    percentile: tuple[int, int] | None = None
    files: float = float("inf")


# Folders with one file are main() next to a library, and the metadata of the Qt plugin; in tests and examples, one program each.
# Headers of plugin with one user: a table that is made from a standard, rules of ftfy with tables of their own, and streams of CUDA.
PARTS = {"plugin, nodes": Limits(("plugin/", "nodes/"), 0, 3, (300, 500), 800), "ui": Limits(("ui/",), 2, 0),
         "service": Limits(("service/",), 0, 0), "cli": Limits(("cli/",), 1, 0), "tests": Limits(("tests/",), 5, 0), "examples": Limits(("examples/",), 2, 0)}
COUNTED_APART = ("plugin/families/flux/", "plugin/interop/")  # what came after the bound of 800 was set
TRANSFER = re.compile(r"(?<!error)\.(cpu|item|cuda)\s*(<[^>]*>)?\(\s*\)|\.to\([^)]*(device|kCPU|kCUDA|Device)|_local_scalar_dense")
MAY_TRANSFER = re.compile(r"^(plugin/tensor/transfer\.cpp|plugin/residency/|tests/)")
OWNED = re.compile(r"^\s+(at::Tensor|std::vector<at::Tensor>|std::(map|unordered_map)<[^;]*at::Tensor>)\s+\w*(weight|bias)\w*_?;", re.M)
UNDONE_WORDS = ("todo", "fixme", "xxx", "hack", "not implemented", "placeholder implementation")
UNDONE = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b|not implemented|placeholder implementation", re.IGNORECASE)
MACHINE = re.compile(r"(/home/|/root/|/work/|/tmp/[a-z])")
LONGEST_LINE = 150  # characters of a page; a row of a table becomes a list, or its cells shorter
# Tables whose rows tests/unit/memory/combinations_test.cpp writes; titles of pages; tables of the reference's own tensors.
MAY_BE_LONG = {"docs/combinations.md", "docs/decisions/README.md", "tests/golden/reference/README.md"}
TEXT = {".hpp", ".cpp", ".cu", ".cmake", ".txt", ".md", ".json", ".py", ""}


def top_level(root: pathlib.Path) -> list[str]:
    names = {entry.name for entry in root.iterdir() if not entry.name.startswith(".")} - GENERATED
    return [f"{name}: not one of the top folder's entries; remove it, write it into build/, or name it in check_tree.py and docs/architecture.md"
            for name in sorted(names - TOP)] + [
        f"{name}: missing in the top folder" for name in sorted(TOP - names)]


def readmes(root: pathlib.Path) -> list[str]:
    return [f"{library}: has no README.md" for library in LIBRARIES if not (root / library / "README.md").exists()]


def sources(root: pathlib.Path):
    for top in SOURCES:
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".hpp", ".cpp", ".cu"):
                yield file.relative_to(root).as_posix(), file.read_text()


def lines_of(files: dict[str, str]) -> list[int]:
    return sorted(text.count("\n") for text in files.values())


def percentile_95(counts: list[int]) -> int:
    return counts[min(len(counts) - 1, len(counts) * 95 // 100)]


def folders_of_one(files: dict[str, str]) -> list[str]:
    """Folders that hold one source file and no folder with sources."""
    counts = collections.Counter(path.rsplit("/", 1)[0] for path in files)
    return sorted(folder for folder, count in counts.items()
                  if count == 1 and not any(other.startswith(folder + "/") for other in counts))


def users_of_headers(files: dict[str, str]) -> dict[str, set[str]]:
    """Who includes a header, besides the source of its name."""
    users = collections.defaultdict(set)
    for path, text in files.items():
        for header in re.findall(r'^#include "([^"]+)"', text, re.M):
            if path != header.removesuffix(".hpp") + ".cpp":
                users[header].add(path)
    return users


def headers_of_one(files: dict[str, str], users: dict[str, set[str]]) -> list[str]:
    return sorted(path for path, text in files.items()
                  if path.endswith(".hpp") and text.count("\n") < SMALL_HEADER and len(users[path]) < 2)


def parts(root: pathlib.Path):
    """(name, its sources, users of all headers) for each part of PARTS."""
    everything = dict(sources(root))
    users = users_of_headers(everything)
    for part in PARTS:
        yield part, {path: text for path, text in everything.items() if path.startswith(PARTS[part].tops)}, users


def sizes(root: pathlib.Path) -> list[str]:
    problems = []
    for part, files, users in parts(root):
        limits = PARTS[part]
        problems += [f"{path}: {count} lines, limit {limit}" for path, text in files.items()
                     if (count := text.count("\n")) > (limit := MAX_LINES[pathlib.PurePath(path).suffix])]
        for what, found, limit in (("folders with one source file", folders_of_one(files), limits.folders),
                                   (f"headers under {SMALL_HEADER} lines with one user", headers_of_one(files, users), limits.headers)):
            if len(found) > limit:
                problems.append(f"{part}: {len(found)} {what}, at most {limit}: {' '.join(found)}")
        counted = [path for path in files if not path.startswith(COUNTED_APART)]
        if len(counted) > limits.files:
            problems.append(f"{part}: {len(counted)} source files, at most {limits.files}")
        if len(files) > 100 and limits.percentile and not limits.percentile[0] <= percentile_95(lines_of(files)) <= limits.percentile[1]:
            problems.append(f"{part}: 95 % of files have at most {percentile_95(lines_of(files))} lines, "
                            f"wanted {limits.percentile[0]} to {limits.percentile[1]}")
    counts = lines_of(dict(sources(root)))
    if not counts:
        return ["no sources"]
    median, large = statistics.median(counts), sum(count >= 500 for count in counts)
    problems += [f"the median source file has {median:.0f} lines, aim at 120"] if median > 160 else []
    return problems + ([f"{large} of {len(counts)} files have 500 lines or more"] if large > len(counts) * 0.05 else [])


def figures(root: pathlib.Path) -> str:
    text = "| part | files | lines | median | 95th percentile | largest | folders with one source file | small headers with one user |\n"
    text += "|---|--:|--:|--:|--:|--:|--:|--:|\n"
    listed = ""
    for part, files, users in parts(root):
        if not files:
            continue
        for name, some in [(part, files)] + [(top, {path: text for path, text in files.items() if path.startswith(top)})
                                             for top in COUNTED_APART if any(path.startswith(top) for path in files)]:
            counts, alone, small = lines_of(some), folders_of_one(some), headers_of_one(some, users)
            text += (f"| {name} | {len(counts)} | {sum(counts)} | {statistics.median(counts):.0f} | {percentile_95(counts)} | {counts[-1]} "
                     f"| {len(alone)} | {len(small)} |\n")
            if name == part:
                listed += "".join(f"\none source file: {folder}" for folder in alone)
                listed += "".join(f"\none user: {header}" for header in small)
    return text + listed


def code(root: pathlib.Path) -> list[str]:
    problems = []
    for path, text in sources(root):
        lower = text.lower()
        may_be_undone = any(word in lower for word in UNDONE_WORDS)
        may_be_wrong = may_be_undone or TRANSFER.search(text) or OWNED.search(text)
        for number, line in enumerate(text.splitlines() if may_be_wrong else (), 1):
            bare = line.split("//")[0]
            where = f"{path}:{number}: "
            if TRANSFER.search(bare) and not MAY_TRANSFER.match(path):
                problems.append(where + "crosses between host and device outside tensor/transfer")
            if OWNED.match(bare) and path.startswith(("plugin/nn/", "plugin/checkpoints/", "plugin/families/", "plugin/sampling/", "nodes/")):
                problems.append(where + "owns a weight; weights are read through leases only")
            if may_be_undone and UNDONE.search(line):
                problems.append(where + "work left undone")
    return problems


def machine_paths(root: pathlib.Path) -> list[str]:
    problems = []
    for top in sorted(TOP - {"LICENSE"}):
        files = [root / top] if (root / top).is_file() else sorted((root / top).rglob("*"))
        for file in files:
            if file.is_file() and file.suffix in TEXT and file.name != "check_tree.py" and file.stat().st_size < 1 << 20:
                text = file.read_text(errors="replace")
                for number, line in enumerate(text.splitlines() if MACHINE.search(text) else (), 1):
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
    root = pathlib.Path(next((name for name in sys.argv[1:] if not name.startswith("--")), "."))
    if "--figures" in sys.argv:
        print(figures(root))
        return 0
    problems = top_level(root) + readmes(root) + sizes(root) + code(root) + machine_paths(root) + long_lines(root)
    print("\n".join(problems + [f"{len(problems)} broken tree rules"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
