#!/usr/bin/env python3
"""Checks that every #include follows the layers below.

    check_layers.py [ROOT] [--print | --update]

--print shows the layers as pages have them; --update writes them between their marks in docs/architecture.md and docs/studio.md.
Exits 1 and prints one line per broken rule, an outdated page too.
"""
import pathlib
import re
import sys

HOST, BASE, FILES, IMAGE, VIDEO, MEMORY = (
    "plugin/host_api", "plugin/base", "plugin/files", "plugin/image", "plugin/video", "plugin/memory")
GRAPH, EXECUTOR, RESIDENCY, TENSOR = "plugin/graph", "plugin/executor", "plugin/residency", "plugin/tensor"
INTEROP = "plugin/interop"
SAMPLING, ENCODINGS = "plugin/sampling", "plugin/encodings"
TEXT, NN, CHECKPOINTS, FAMILIES = "plugin/text", "plugin/nn", "plugin/checkpoints", "plugin/families"
MODULE, NODES, SERVICE, CLI = "plugin/module", "nodes", "service", "cli"
ENGINE = "nodes/engine/"
BELOW_NN = [HOST, BASE, FILES, IMAGE, MEMORY, ENCODINGS, RESIDENCY, TENSOR, SAMPLING, TEXT]
# folder -> what it does, folders that it may include (itself is always allowed; None: all). The one place of this table:
# docs/architecture.md prints it.
LAYERS = {
    HOST: ("what crosses to a host: descriptions, runner, calls by name; standard library only, but for the Qt plugin's header", []),
    BASE: ("errors, units, dtypes, shapes, JSON, hashes, cancel tokens, log", [HOST]),
    FILES: ("reading, mapping, safetensors headers, atomic writes", [HOST, BASE]),
    IMAGE: ("PNG, JPEG and WebP with their texts", [HOST, BASE]),
    VIDEO: ("frames as MP4, WebM, animated WebP and PNG; through the program ffmpeg where that is needed", [HOST, BASE, FILES, IMAGE]),
    TEXT: ("prompts: weights, tokenizers and their files, ftfy", [HOST, BASE]),
    MEMORY: ("**decides**: policies, component trees, the memory plan, the ledger; bytes and ids only", [HOST, BASE]),
    ENCODINGS: ("decodes numbers of quantised files (fp8, int8, GGUF, nvfp4 ...) to f32, writes some", [HOST, BASE, MEMORY]),
    GRAPH: ("documents, validation, snapshots, result keys", [HOST, BASE, FILES, IMAGE, VIDEO, MEMORY]),
    INTEROP: ("workflows and settings of other programs become graphs, and graphs workflows of ComfyUI", [HOST, BASE, FILES, IMAGE, VIDEO, MEMORY, GRAPH]),
    EXECUTOR: ("the run loop, events, cancel, result reuse; has never heard of diffusion", [HOST, BASE, FILES, IMAGE, VIDEO, MEMORY, GRAPH]),
    RESIDENCY: ("**does**: the only code that copies weights; devices, arenas, leases", [HOST, BASE, FILES, MEMORY, ENCODINGS]),
    TENSOR: ("stage values, noise, operators, the host/device crossings, the recorder", [HOST, BASE, FILES, IMAGE, MEMORY, RESIDENCY]),
    SAMPLING: ("schedules, samplers, the denoise loop; knows a `Denoiser`, no model", [HOST, BASE, MEMORY, TENSOR]),
    NN: ("networks that several families have, and their blocks; what stages work with", BELOW_NN),
    CHECKPOINTS: ("files of weights in any layout, adapters, conversion; what a family states", BELOW_NN + [NN]),
    FAMILIES: ("a folder for each kind of models; the models that were opened", BELOW_NN + [NN, CHECKPOINTS]),
    NODES: ("what a user sees on the canvas, each node with its stage; `engine` makes plans, runs and dry runs of stages", BELOW_NN + [NN, CHECKPOINTS, FAMILIES, VIDEO, EXECUTOR]),
    MODULE: ("wires residency, stages, node types, the runner and the C API", None),
    "ui": ("the [studio](studio.md), the Qt plugin, and what the command uses too", [HOST, BASE, FILES, IMAGE, VIDEO, MEMORY, GRAPH, INTEROP]),
    SERVICE: ("[HTTP and WebSocket](serve.md) for other programs, runs that are followed to their end",
              [HOST, BASE, FILES, IMAGE, GRAPH, INTEROP, "ui"]),
    CLI: ("the command `lowtide`", [HOST, BASE, FILES, IMAGE, MEMORY, GRAPH, INTEROP, "ui", SERVICE]),
    "examples": ("graphs, and hosts that use the module as those of other projects do", None),
    "tests": ("tests, benches and what they share", None),
}
MAY_INCLUDE = {folder: seen for folder, (_, seen) in LAYERS.items()}
ATEN_LIBRARIES = {RESIDENCY, TENSOR, SAMPLING, NN, CHECKPOINTS, FAMILIES, NODES, MODULE, "tests"}
QT_LIBRARIES = {"ui", "tests", "examples"}
QT_HEADER = "plugin/host_api/qt_entry.hpp"  # the one Qt file of host_api, for hosts with Qt alone
QT_FREE_FOLDERS = ("ui/loader/", "ui/models/", "ui/vary/", "ui/prompts/", "ui/programs/", "ui/queue/")
# The same for the folders of ui; docs/studio.md prints it. Panels and canvas do not see each other: the window joins them.
UI_LAYERS = {
    "loader": ("opens and starts the module, for every host of ours", []),
    "qt_plugin": ("`liblowtide_qt.so`, which opens the module for hosts with Qt", ["loader"]),
    "theme": ("one token file for light and dark, fonts, icons, colours and shapes of wire types", []),
    "language": ("the language that the program speaks: translators, the module's texts by key", []),
    "access": ("what assistive technology is notified of: sentences spoken aloud, painted widgets in words", []),
    "document": ("the graph being edited: `GraphModel` with undo, edits as pure functions, clipboard, arranging, saving, journal, backups, lock",
                 ["language", "programs"]),
    "painting": ("masks that are painted, the frame of a crop, and their files", ["language", "document"]),
    "models": ("where models lie: kinds of files, folders of ComfyUI and A1111; the command uses it too", []),
    "vary": ("parameters that take several values in turn; the command uses it too", []),
    "prompts": ("prompts before the engine sees them: alternatives, wildcards, styles; the command uses it too", []),
    "programs": ("which programs of ours live, and locks that end with them; the command uses it too", []),
    "queue": ("runs that wait, run or have ended, in a file of SQLite; the command uses it too", []),
    "history": ("every run and its images: the file of `queue` in Qt's types", ["queue"]),
    "bridge": ("what the module reports, for the GUI thread: `Engine`, `RunQueue`, `Planning`, `NodeStatuses`, memory, log; settings, presets",
               ["language", "document", "models", "vary", "prompts", "programs", "queue", "history"]),
    "editors": ("one value: numbers, choices, texts, seeds, files; memory policy, precision",
                ["theme", "language", "access", "document", "prompts", "programs", "queue", "history", "bridge"]),
    "canvas": ("`GraphView`: nodes, wires, frames, notes, search, minimap", ["theme", "language", "access", "document", "bridge", "editors"]),
    "panels": ("inspector, memory, queue, issues, viewer, presets, form, models, first start",
               ["theme", "language", "access", "document", "painting", "models", "vary", "prompts", "programs", "queue", "history", "bridge", "editors"]),
    "widgets": ("`GraphEditor`: canvas, inspector and memory panel for other Qt programs ([embedding.md](embedding.md))",
                ["theme", "language", "document", "bridge", "editors", "canvas", "panels"]),
    "studio": ("the window, its actions and keys, recovery, `main`",
               ["loader", "theme", "language", "access", "document", "painting", "models", "vary", "prompts", "programs", "queue", "history", "bridge", "editors", "canvas", "panels"]),
}
UI_LIBRARIES = {folder: seen for folder, (_, seen) in UI_LAYERS.items()}
# What a library may see of another one, where that is not all of it: files and folders.
ENTRIES = {
    (NODES, EXECUTOR): ("plugin/executor/node.hpp",),
    (CLI, "ui"): QT_FREE_FOLDERS,
    (SERVICE, "ui"): ("ui/loader/", "ui/models/"),
}
TORCH_FREE_FILES = {
    "plugin/nn/blocks/network_builder.hpp",
    "plugin/nn/conditioning/conditioning_spec.hpp",
    "nodes/denoise/regional_entries.hpp", "plugin/tensor/conditioning_scope.hpp", "plugin/nn/model.hpp",
    "plugin/nn/component_source.hpp", "plugin/checkpoints/family.hpp", "plugin/checkpoints/network.hpp"}
FMT_FILES = re.compile(r"^plugin/base/.*\.cpp$")  # torch ships another fmt than Debian
HEAVY = ("torch/torch.h", "torch/extension.h", "torch/all.h", "torch/nn.h")

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
ATEN = re.compile(r"^(ATen|c10|torch)/")
QT = re.compile(r"^(Q[A-Z]|Qt[A-Z]|QtNodes)")
FMT = re.compile(r"^(fmt|spdlog)/")


def library_of(path: str) -> str:
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "plugin" else parts[0]


def family_of(path: str) -> str:
    parts = path.split("/")
    return parts[2] if path.startswith(FAMILIES + "/") and len(parts) > 3 else ""


def check_include(path: str, library: str, quote: str, target: str) -> list[str]:
    if ATEN.match(target):
        if target in HEAVY:
            return [f"<{target}> costs 24 s a file; use <ATen/ATen.h>"]
        if library not in ATEN_LIBRARIES or path in TORCH_FREE_FILES:
            return [f"{library} is torch-free here, but includes <{target}>"]
    elif FMT.match(target) and not FMT_FILES.match(path):
        return [f"<{target}> may be included in plugin/base/*.cpp only"]
    elif (QT.match(target) or target == QT_HEADER) and path != QT_HEADER and (
            library not in QT_LIBRARIES or path.startswith(QT_FREE_FOLDERS)):
        return [f"{library} is Qt-free here, but includes <{target}>"]
    elif quote == '"':
        other, allowed = library_of(target), MAY_INCLUDE.get(library, [])
        if other not in MAY_INCLUDE:
            return [] if target.endswith((".inc", ".moc")) else [f'"{target}" is not rooted at the top folder']
        if allowed is not None and other != library and other not in allowed:
            return [f"{library} may not include {other}"]
        if library == other == FAMILIES and family_of(path) and family_of(target) not in ("", family_of(path)):
            return [f"a family may not include another one: {target}"]
        if path.startswith(ENGINE) and other == NODES and not target.startswith(ENGINE):
            return [f"{ENGINE} knows no category of nodes: {target}"]
        if library == NODES and other == FAMILIES and family_of(target):
            return [f"nodes ask families, and see none of them: {target}"]
        if library == other == "ui":
            mine, theirs = path.split("/")[1], target.split("/")[1]
            if mine != theirs and theirs not in UI_LIBRARIES.get(mine, ()):
                return [f"ui/{mine} may not include ui/{theirs}"]
        entry = ENTRIES.get((library, other))
        if entry is not None and not target.startswith(entry):
            return [f"{library} may see only {', '.join(sorted(entry)) or 'nothing'} of {other}, not {target}"]
    return []


def check(path: str, lines: list[str]) -> list[str]:
    library, problems = library_of(path), []
    if library not in MAY_INCLUDE:
        return [f"{path}: there is no library {library}"]
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}: "
        match = INCLUDE.match(line)
        if match:
            problems += [where + text for text in check_include(path, library, match.group(1), match.group(2))]
        elif path.endswith(".hpp") and re.match(r"\s*using namespace ", line):
            problems.append(where + "using namespace in a header")
    return problems


def layer(folder: str, table: dict) -> int:
    """How many layers are below the folder; one that sees everything is above all others."""
    seen = table[folder][1]
    if seen is None:
        return 1 + max(layer(other, table) for other, (_, below) in table.items() if below is not None)
    return 1 + max((layer(other, table) for other in seen), default=-1)


def printed(table: dict, prefix: str) -> str:
    """The table as a page has it: what each folder does, then what it sees."""
    rows = sorted(table, key=lambda folder: layer(folder, table))
    short = {folder: folder.removeprefix("plugin/") for folder in table}
    text = "| layer | folder | what it does |\n|---|---|---|\n"
    for folder in rows:
        is_aten = " (ATen)" if folder in ATEN_LIBRARIES else ""
        text += f"| {layer(folder, table)} | `{prefix}{folder}`{is_aten} | {table[folder][0]} |\n"
    text += "\n```\n"
    for folder in rows:
        entries = {other: sorted(entry) for (who, other), entry in ENTRIES.items() if who == folder}
        seen = [short[other] + (f" ({', '.join(path.rstrip('/').rsplit('/', 1)[1] for path in entries[other])})" if other in entries else "")
                for other in table[folder][1] or ()]
        text += f"{short[folder]:12}{'everything' if table[folder][1] is None else ', '.join(seen) or '-'}\n"
    return text + "```\n"


PAGES = {"docs/architecture.md": (LAYERS, ""), "docs/studio.md": (UI_LAYERS, "ui/")}
BLOCK = re.compile(r"(<!-- layers: written by tests/architecture/check_layers.py --update -->\n).*?(<!-- end of the layers -->)", re.S)


def outdated_pages(root: pathlib.Path, update: bool) -> list[str]:
    problems = []
    for name, (table, prefix) in PAGES.items():
        page = root / name
        text = page.read_text() if page.exists() else None
        if text is None:
            continue
        fresh, count = BLOCK.subn(lambda block: block[1] + printed(table, prefix) + block[2], text)
        if update:
            page.write_text(fresh)
        elif count != 1 or fresh != text:
            problems.append(f"{name}: the layers are not those of check_layers.py; check_layers.py . --update writes them")
    return problems


def main() -> int:
    options = [option for option in sys.argv[1:] if option.startswith("--")]
    root = pathlib.Path(next((name for name in sys.argv[1:] if not name.startswith("--")), "."))
    if "--print" in options:
        print("\n".join(printed(table, prefix) for table, prefix in PAGES.values()), end="")
        return 0
    problems, count = outdated_pages(root, "--update" in options), 0
    for top in ("plugin", "nodes", "ui", "service", "cli", "tests", "examples"):
        for file in sorted((root / top).rglob("*")):
            if file.suffix in (".hpp", ".cpp", ".cu", ".cuh"):
                count += 1
                problems += check(file.relative_to(root).as_posix(), file.read_text().splitlines())
    print("\n".join(problems + [f"{count} files, {len(problems)} broken layer rules"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
