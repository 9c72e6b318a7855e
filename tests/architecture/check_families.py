#!/usr/bin/env python3
"""Checks that a family of models is named in its own folder alone, and that one table of pages lists all of them.

    check_families.py [ROOT] [--update]

Families are the folders of plugin/families. In plugin, nodes, ui and cli the name of one, in letters of any size, stands in that folder and in
its line of plugin/families/CMakeLists.txt. Help pages, presets and tests may name all of them.

The table in docs/models.md has rows for each folder, and for no other. Other pages for users link to it: a line that names more
than MOST_NAMED of them is a list that the next family would leave behind. The README's sentence is made of the table; --update writes it.
"""
import pathlib
import re
import sys
import textwrap

FAMILIES = "plugin/families"
# Names that are parts of other words.
PATTERNS = {"wan": re.compile(r"\bwan(_|[0-9]|\b)|Wan[A-Z0-9]|WAN")}
TABLE = re.compile(r"<!-- families -->\n(.*?)<!-- end of families -->", re.S)
ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \|.*\|$", re.M)
SENTENCE = re.compile(r"(<!-- families: written by \S+ --update -->\n)(.*?)(> <!-- end of families -->)", re.S)
MOST_NAMED = 2
WHAT_TO_DO = "put it in words that are true of every family, or let the family state it (plugin/checkpoints/family.hpp)"


def families(root):
    """{name: pattern}."""
    names = sorted(folder.name for folder in (root / FAMILIES).glob("*/") if folder.is_dir())
    return {name: PATTERNS.get(name, re.compile(re.escape(name), re.I)) for name in names}


def texts(root):
    """(path, text) of all files that are one."""
    for top in ("plugin", "nodes", "ui", "service", "cli"):
        for file in sorted((root / top).rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                text = file.read_bytes()
                if b"\0" not in text:
                    yield file.relative_to(root).as_posix(), text.decode(errors="replace")


def rows(root):
    """[(folder, models)] of the table of docs/models.md."""
    page = root / "docs/models.md"
    table = TABLE.search(page.read_text()) if page.exists() else None
    return ROW.findall(table[1]) if table else []


def table_problems(root, known):
    if not (root / "docs/models.md").exists():
        return
    folders = {folder for folder, _ in rows(root)}
    yield from (f"docs/models.md: the table has no row for the family {name}" for name in sorted(set(known) - folders))
    yield from (f"docs/models.md: {name} is no folder of {FAMILIES}" for name in sorted(folders - set(known)))


def list_problems(root):
    """Lines of pages that list families by the first word of each one's first row: "FLUX.1", "Z-Image"."""
    first = {folder: models for folder, models in reversed(rows(root))}
    words = {re.split("[ ,]", models)[0] for models in first.values()}
    named = [re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])") for word in words]
    for page in sorted((root / "docs").glob("*.md")):
        for number, line in enumerate(page.read_text().splitlines(), 1):
            if page.name != "models.md" and sum(bool(pattern.search(line)) for pattern in named) > MOST_NAMED:
                yield f"docs/{page.name}:{number}: lists families; link to the table of docs/models.md"


def sentence_problems(root, update):
    """The README's names of all models, from the table."""
    page = root / "README.md"
    text = page.read_text() if page.exists() else ""
    lines = textwrap.wrap("; ".join(models for _, models in rows(root)) + ".", 140, break_on_hyphens=False)
    fresh = SENTENCE.sub(lambda block: block[1] + "".join(f"> {line}\n" for line in lines) + block[3], text)
    if fresh != text and update:
        page.write_text(fresh)
    elif fresh != text:
        yield "README.md: the names are not those of docs/models.md; check_families.py . --update writes them"


def main():
    root = pathlib.Path(next((name for name in sys.argv[1:] if not name.startswith("--")), "."))
    known = families(root)
    problems = [*table_problems(root, known), *list_problems(root), *sentence_problems(root, "--update" in sys.argv)]
    for path, text in texts(root):
        named = {name: pattern for name, pattern in known.items()
                 if not path.startswith(f"{FAMILIES}/{name}/") and pattern.search(text)}
        for number, line in enumerate(text.splitlines() if named else (), 1):
            for name, pattern in named.items():
                is_entry = path == f"{FAMILIES}/CMakeLists.txt" and line == f"lowtide_add(family {name})"
                if pattern.search(line) and not is_entry:
                    problems.append(f"{path}:{number}: names the family {name}: {WHAT_TO_DO}")
    print("\n".join(problems + [f"{len(known)} families, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
