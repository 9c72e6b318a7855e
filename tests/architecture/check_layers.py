#!/usr/bin/env python3
"""Checks that every #include follows the layer table of docs/architecture.md, and that files stay readable.

    check_layers.py [ROOT]

Exits 1 and prints one line per broken rule.
"""
import pathlib
import re
import sys

# room -> rooms it may include (itself is always allowed)
HOST, BASE, FILES, IMAGE, VIDEO, MEMORY = (
    "plugin/host_api", "plugin/base", "plugin/files", "plugin/image", "plugin/video", "plugin/memory")
GRAPH, EXECUTOR, RESIDENCY, TENSOR = "plugin/graph", "plugin/executor", "plugin/residency", "plugin/tensor"
SAMPLING, MODELS, ENCODINGS = "plugin/sampling", "plugin/models", "plugin/encodings"
TEXT, NN, CHECKPOINTS, FAMILIES = "plugin/text", "plugin/nn", "plugin/checkpoints", "plugin/families"
BELOW_NN = [HOST, BASE, FILES, IMAGE, MEMORY, ENCODINGS, RESIDENCY, TENSOR, SAMPLING, TEXT]
MAY_INCLUDE = {
    HOST: [],
    BASE: [HOST],
    FILES: [HOST, BASE],
    IMAGE: [HOST, BASE],
    VIDEO: [HOST, BASE, FILES, IMAGE],
    MEMORY: [HOST, BASE],
    ENCODINGS: [HOST, BASE, MEMORY],
    GRAPH: [HOST, BASE, FILES, IMAGE, VIDEO, MEMORY],
    EXECUTOR: [HOST, BASE, FILES, IMAGE, VIDEO, MEMORY, GRAPH],
    RESIDENCY: [HOST, BASE, FILES, MEMORY, ENCODINGS],
    TENSOR: [HOST, BASE, FILES, IMAGE, MEMORY, RESIDENCY],
    SAMPLING: [HOST, BASE, MEMORY, TENSOR],
    TEXT: [HOST, BASE],
    NN: BELOW_NN,
    CHECKPOINTS: BELOW_NN + [NN],
    FAMILIES: BELOW_NN + [NN, CHECKPOINTS],
    MODELS: BELOW_NN + [NN, CHECKPOINTS, FAMILIES],
    "nodes": [HOST, BASE, FILES, IMAGE, VIDEO, MEMORY, EXECUTOR, MODELS],
    "ui": [HOST, BASE, FILES, IMAGE, VIDEO, MEMORY, GRAPH],
    "plugin/module": None,  # composition root and tests: anything
    "tests": None,
    "examples": None,
}
ATEN_ROOMS = {RESIDENCY, TENSOR, SAMPLING, NN, CHECKPOINTS, FAMILIES, MODELS, "plugin/module", "tests"}
QT_ROOMS = {"ui", "tests", "examples"}
QT_HEADER = "plugin/host_api/qt_entry.hpp"  # the one Qt file of host_api, for hosts with Qt alone
QT_FREE_FOLDERS = ("ui/cli/", "ui/door/", "ui/models/", "ui/vary/", "ui/prompts/")
# Rooms of the studio, lowest first: each sees those before it, panels and canvas not each other.
UI_ROOMS = {
    "access": (), "theme": (), "language": (), "document": ("language",), "models": (), "vary": (), "prompts": (), "history": ("document",), "painting": ("language", "document"), "bridge": ("language", "document", "models", "vary", "prompts", "history"), "editors": ("access", "theme", "language", "document", "prompts", "history", "bridge"),
    "canvas": ("access", "theme", "language", "document", "bridge", "editors"), "panels": ("access", "theme", "language", "document", "models", "vary", "prompts", "history", "painting", "bridge", "editors"),
    "studio": ("access", "theme", "language", "document", "models", "vary", "prompts", "history", "painting", "bridge", "editors", "canvas", "panels", "door"), "widgets": ("theme", "language", "document", "bridge", "editors", "canvas", "panels"), "cli": ("door", "models", "vary", "prompts"), "door": (),
    "qt_door": ("door",)}
# What a room may see of another one, where that is not all of it.
DOORS = {
    ("nodes", MODELS): {"plugin/models/stages.hpp"},
    ("nodes", EXECUTOR): {"plugin/executor/node.hpp"},
    (SAMPLING, MODELS): set(),
}
TORCH_FREE_FILES = {
    "plugin/models/stages.hpp", "plugin/nn/blocks/network_builder.hpp",
    "plugin/models/conditioning/conditioning_edit.hpp", "plugin/nn/conditioning/conditioning_outline.hpp",
    "plugin/models/conditioning/placed_entries.hpp", "plugin/tensor/conditioning_scope.hpp", "plugin/nn/model.hpp",
    "plugin/nn/component_source.hpp", "plugin/checkpoints/family.hpp", "plugin/checkpoints/network.hpp"}
FMT_FILES = re.compile(r"^plugin/base/.*\.cpp$")  # torch ships another fmt than Debian
MAX_LINES = {".hpp": 250, ".cpp": 600, ".cu": 600}
HEAVY = ("torch/torch.h", "torch/extension.h", "torch/all.h", "torch/nn.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ATEN = re.compile(r"^(ATen|c10|torch)/")
QT = re.compile(r"^(Q[A-Z]|Qt[A-Z]|QtNodes)")
FMT = re.compile(r"^(fmt|spdlog)/")


def room_of(path: str) -> str:
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "plugin" else parts[0]


def family_of(path: str) -> str:
    parts = path.split("/")
    return parts[2] if path.startswith(FAMILIES + "/") and len(parts) > 3 else ""


def check_include(path: str, room: str, quote: str, target: str) -> list[str]:
    if ATEN.match(target):
        if target in HEAVY:
            return [f"<{target}> costs 24 s a file; use <ATen/ATen.h>"]
        if room not in ATEN_ROOMS or path in TORCH_FREE_FILES:
            return [f"{room} is torch-free here, but includes <{target}>"]
    elif FMT.match(target) and not FMT_FILES.match(path):
        return [f"<{target}> may be included in plugin/base/*.cpp only"]
    elif (QT.match(target) or target == QT_HEADER) and path != QT_HEADER and (
            room not in QT_ROOMS or path.startswith(QT_FREE_FOLDERS)):
        return [f"{room} is Qt-free here, but includes <{target}>"]
    elif quote == '"':
        other, allowed = room_of(target), MAY_INCLUDE.get(room, [])
        if other not in MAY_INCLUDE:
            return [] if target.endswith((".inc", ".moc")) else [f'"{target}" is not rooted at the top folder']
        if allowed is not None and other != room and other not in allowed:
            return [f"{room} may not include {other}"]
        if room == other == FAMILIES and family_of(path) and family_of(target) not in ("", family_of(path)):
            return [f"a family may not include another one: {target}"]
        if room == other == "ui":
            mine, theirs = path.split("/")[1], target.split("/")[1]
            if mine != theirs and theirs not in UI_ROOMS.get(mine, ()):
                return [f"ui/{mine} may not include ui/{theirs}"]
        door = DOORS.get((room, other))
        if door is not None and target not in door:
            return [f"{room} may see only {', '.join(sorted(door)) or 'nothing'} of {other}, not {target}"]
    return []


def check(path: str, lines: list[str]) -> list[str]:
    room, problems = room_of(path), []
    if room not in MAY_INCLUDE:
        return [f"{path}: there is no room {room}"]
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}: "
        match = INCLUDE.match(line)
        if match:
            problems += [where + text for text in check_include(path, room, match.group(1), match.group(2))]
        elif path.endswith(".hpp") and re.match(r"\s*using namespace ", line):
            problems.append(where + "using namespace in a header")
    limit = MAX_LINES.get(pathlib.PurePath(path).suffix)
    if limit and len(lines) > limit:
        problems.append(f"{path}: {len(lines)} lines, limit {limit}")
    return problems


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    problems, count = [], 0
    for top in ("plugin", "nodes", "ui", "tests", "examples"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".hpp", ".cpp", ".cu", ".cuh"):
                count += 1
                problems += check(file.relative_to(root).as_posix(), file.read_text().splitlines())
    print("\n".join(problems + [f"{count} files, {len(problems)} broken layer rules"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
