#!/usr/bin/env python3
"""Checks that pages say what is there.

    check_pages.py [ROOT]

- links within the project lead to a file, and to a heading of it;
- docs/feature_tests.md names slots of tests that exist: "- studio_viewer: takesADroppedPng, ...".
"""
import collections
import pathlib
import re
import sys

TOP = ("README.md", "docs", "plugin", "nodes", "ui", "resources", "tests", "examples")
LINK = re.compile(r"\]\(([^)\s]+)\)")
FEATURES = "docs/feature_tests.md"
# "- studio_viewer: a, b", also on the lines below it; "journey_studio_at_1.5 and ..." and "..._on_screen" are runs of one source.
ITEM = re.compile(r"^- ((?:studio|journey|models|graph)_\w+)[^:\n]*: (.*(?:\n  .*)*)", re.M)


def pages(root):
    for top in TOP:
        place = root / top
        yield from [place] if place.is_file() else sorted(place.rglob("*.md"))


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


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems = [*dead_links(root), *missing_slots(root)]
    print("\n".join(problems + [f"{len(problems)} untrue references of pages"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
