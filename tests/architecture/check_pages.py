#!/usr/bin/env python3
"""Checks that pages describe what is there.

    check_pages.py [ROOT] [--update]

- links within the project lead to a file, and to a heading of it;
- docs/feature_tests.md names slots of tests that exist: "- studio_viewer: takesADroppedPng, ...";
- each image of docs/images is shown by a page, and is one that tests/journey/studio/take_images.py makes, or one of OTHERS;
- all of them together take MOST_BYTES at most;
- docs/tour.md links every file that it names, and its walk names MOST_FILES_OF_TOUR at most;
- docs/decisions/README.md has each page of that folder once, with its title; --update writes the titles;
- docs/building.md has a row for each configure preset of CMakePresets.json;
- docs/calls.md has a row for each call of plugin/module/calls.cpp, with its keys.
"""
import collections
import json
import pathlib
import re
import sys

TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "plugin", "nodes", "ui", "service", "cli", "resources", "tests", "examples")
LINK = re.compile(r"\]\(([^)\s]+)\)")
FEATURES = "docs/feature_tests.md"
# "- studio_viewer: a, b", also on the lines below it; "journey_studio_at_1.5 and ..." and "..._on_screen" are runs of one source.
ITEM = re.compile(r"^- ((?:studio|journey|models|graph)_\w+)[^:\n]*: (.*(?:\n  .*)*)", re.M)

TOUR = "docs/tour.md"
MOST_FILES_OF_TOUR = 20

DECISIONS = "docs/decisions"
DECISION = re.compile(r"\[([^\]]*)\]\((\d{4}-[\w-]+\.md)\)")

IMAGES = "docs/images"
MOST_BYTES = 4 << 20
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)|<img [^>]*src=\"([^\"]+)\"")
SCENES = "tests/journey/studio/scenes_test.cpp"
SLOTS = re.compile(r"private Q_SLOTS:(.*?)private:", re.S)
APPEARANCES = ("", "_dark", "_light_contrast", "_dark_contrast")
PROCESSES = ("", "_at_1.5", "_at_2", "_zh_CN", "_zh_CN_at_1.5", "_zh_CN_at_2")  # as QT_SCALE_FACTOR and LOWTIDE_TEST_LANGUAGE state
OTHERS = {  # made otherwise, and how
    "mini_contact_sheet.png": "judge.py sheet, of images that mini_model_test makes",
    "upscaled.png": "examples/graphs/upscale_esrgan.json with a file of tests/published/upscaler_files.py, next to the same pixels repeated",
    "timeline_leaf_stream.svg": "drawn from the timeline of a run's report; no program makes it again",
}


def pages(root):
    for top in TOP:
        page = root / top
        yield from [page] if page.is_file() else sorted(page.rglob("*.md"))


def prose(page):
    """A page with its blocks of code left empty, so that lines keep their numbers."""
    return re.sub(r"^\s*```.*?^\s*```", lambda block: "\n" * block[0].count("\n"), page.read_text(), flags=re.S | re.M)


def anchors(page):
    """The anchors that a page's headings get: letters, digits, hyphens, in lower case."""
    text = prose(page)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in re.findall(r"^#+ (.*)$", text, re.M)}


def dead_links(root):
    for page in pages(root):
        for number, line in enumerate(prose(page).splitlines(), 1):
            for target in LINK.findall(line):
                path, _, anchor = target.partition("#")
                file = page.parent / path if path else page
                if "://" in target:
                    continue
                if not file.exists() or (anchor and file.suffix == ".md" and anchor not in anchors(file)):
                    yield f"{page.relative_to(root)}:{number}: the link {target} leads nowhere"


def missing_slots(root):
    page = root / FEATURES
    sources = collections.defaultdict(str)
    for file in sorted((root / "tests").rglob("*_test.cpp")):
        sources[file.stem] += file.read_text()
    for program, slots in ITEM.findall(page.read_text()) if page.exists() else []:
        name = re.sub(r"^(journey_studio|[a-z]+)_", "", re.sub(r"(_at_\d+|_on_screen)$", "", program))
        source = sources[name + "_test"]
        if not source:
            yield f"{FEATURES}: there is no test {program}"
            continue
        for slot in re.findall(r"\b[a-z]\w+", re.sub(r"\([^)]*\)|every slot|\..*", "", slots)):
            if not re.search(rf"\b{slot}\(", source):
                yield f"{FEATURES}: {program} has no slot {slot}"


def scene_images(root):
    """The names of all images that the scenes can make, without their ending: {"gallery_dark_zh_CN": "_zh_CN"}, by their process."""
    file = root / SCENES
    block = SLOTS.search(file.read_text()) if file.exists() else None
    slots = re.findall(r"^    void (\w+)\(\);", block[1], re.M) if block else []
    scenes = [slot for slot in slots if slot not in ("initTestCase", "cleanupTestCase")]
    return {scene + look + process: process for scene in scenes for look in APPEARANCES for process in PROCESSES}


def shown_images(root):
    """The images of docs/images that pages show: {name: page}."""
    shown = {}
    for page in pages(root):
        for found in IMAGE.findall(prose(page)):
            file = (page.parent / (found[0] or found[1])).resolve()
            if file.parent == root / IMAGES:
                shown.setdefault(file.name, page.relative_to(root))
    return shown


def untrue_images(root):
    files = {file.name: file.stat().st_size for file in sorted((root / IMAGES).glob("*"))}
    shown = shown_images(root)
    made = {f"{name}.png" for name in scene_images(root)} | set(OTHERS)
    for name, page in sorted(shown.items()):
        if name not in made:
            yield f"{page}: no scene of {SCENES} makes {name}"
        if name not in files:
            yield f"{page}: {IMAGES}/{name} is not there; ./dev screenshots makes it"
    yield from (f"{IMAGES}/{name}: no page shows it" for name in files if name not in shown)
    if sum(files.values()) > MOST_BYTES:
        yield f"{IMAGES}: {sum(files.values())} bytes, at most {MOST_BYTES}"


def untrue_tour(root):
    page = root / TOUR
    text = page.read_text() if page.exists() else ""
    yield from (f"{TOUR}: {name} is not a link" for name in re.findall(r"(?<!\[)`([\w./]+\.(?:[ch]pp|json))`", text))
    linked = set(re.findall(r"\]\(([^)\s]+\.[ch]pp)\)", text.partition("\n## ")[0]))
    if len(linked) > MOST_FILES_OF_TOUR:
        yield f"{TOUR}: the walk of a prompt goes through {len(linked)} files, at most {MOST_FILES_OF_TOUR}"


def untrue_decisions(root, update):
    """Pages that the list of decisions does not have once, with the title of the page."""
    page = root / DECISIONS / "README.md"
    titles = {file.name: file.read_text().splitlines()[0].removeprefix("# ") for file in sorted((root / DECISIONS).glob("[0-9]*.md"))}
    text = page.read_text() if page.exists() else ""
    if update:
        text = DECISION.sub(lambda link: f"[{titles.get(link[2], link[1])}]({link[2]})", text)
        page.write_text(text)
    links = [(name, title) for title, name in DECISION.findall(text)]
    for name, title in titles.items():
        if not title.startswith(name[:4] + " "):
            yield f"{DECISIONS}/{name}: its title does not begin with {name[:4]}"
        if links.count((name, title)) != 1:
            yield f"{DECISIONS}/README.md: wants one line [{title}]({name})"


def untrue_presets(root):
    file, page = root / "CMakePresets.json", root / "docs/building.md"
    if file.exists() and page.exists():
        presets = {preset["name"] for preset in json.loads(file.read_text())["configurePresets"] if not preset.get("hidden")}
        rows = set(re.findall(r"^\| `([\w-]+)` \|.*\| `build/[\w-]*` \|$", page.read_text(), re.M))
        yield from (f"{page.relative_to(root)}: has no row for the preset {name}" for name in sorted(presets - rows))
        yield from (f"{page.relative_to(root)}: {name} is no preset" for name in sorted(rows - presets))


def untrue_calls(root):
    file, page = root / "plugin/module/calls.cpp", root / "docs/calls.md"
    table = re.search(r"std::vector<CallRow> rows = \{(.*?)\};", file.read_text(), re.S) if file.exists() else None
    if table:
        calls = {name: set(re.findall(r'"(\w+)"', keys)) for name, keys in re.findall(r'\{"(\w+)",\s*\{([^}]*)\}', table[1])}
        rows = {name: set(re.findall(r"`(\w+)`", keys)) for name, keys in re.findall(r"^\| `(\w+)` \|([^|]*)\|", page.read_text() if page.exists() else "", re.M)}
        yield from (f"{page.relative_to(root)}: has no row for the call {name}" for name in sorted(calls.keys() - rows.keys()))
        yield from (f"{page.relative_to(root)}: {name} is no call" for name in sorted(rows.keys() - calls.keys()))
        for name in sorted(calls.keys() & rows.keys()):
            if calls[name] != rows[name]:
                yield f"{page.relative_to(root)}: {name} reads {', '.join(sorted(calls[name]))}, the page has {', '.join(sorted(rows[name]))}"


def main():
    root = pathlib.Path(next((name for name in sys.argv[1:] if not name.startswith("--")), ".")).resolve()
    problems = [*untrue_decisions(root, "--update" in sys.argv), *dead_links(root), *missing_slots(root), *untrue_images(root), *untrue_tour(root), *untrue_presets(root), *untrue_calls(root)]
    print("\n".join(problems + [f"{len(problems)} untrue references of pages"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
