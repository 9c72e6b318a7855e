#!/usr/bin/env python3
"""Checks that pages print the measurements of docs/measurements, each with its day, machine and program.

    check_measurements.py [ROOT] [--update]

--update writes the tables between their marks; FILE/TABLE is a table of docs/measurements/FILE.json, and a page may take some of it:

    <!-- measured: large_model/ways -->
    <!-- measured: large_model/ways rows 1 2 columns 1 5 -->
    <!-- end of measured -->

A table has "date" (a day), "machine" (a name of machines.json), "by" (what measures it again), "columns" (names, or a name with a unit)
and "rows". A cell is a number, printed as the file writes it and in the unit of its column, a text, or null.
"""
import json
import pathlib
import re
import sys

FOLDER = "docs/measurements"
PAGES = ("README.md", "docs/performance.md", "docs/memory.md")
KEYS = ["date", "machine", "by", "columns", "rows"]
BLOCK = re.compile(r"(<!-- measured: (\w+/\w+)(?: rows ([\d ]+))?(?: columns ([\d ]+))? -->\n).*?(<!-- end of measured -->)", re.S)


class Number(str):
    """A number as the file writes it: 0.50 keeps its last digit."""


def tables(root):
    """({FILE/TABLE: table}, problems)."""
    files = {file.stem: json.loads(file.read_text(), parse_float=Number, parse_int=Number) for file in sorted((root / FOLDER).glob("*.json"))}
    machines = files.pop("machines", {})
    found, problems = {}, []
    for file, content in files.items():
        for name, table in content.items():
            where = f"{FOLDER}/{file}.json: {name}"
            if list(table) != KEYS or not all(table.values()):
                problems.append(f"{where}: has {', '.join(table)}, wanted {', '.join(KEYS)}")
            elif not re.fullmatch(r"\d{4}-\d\d-\d\d", table["date"]):
                problems.append(f"{where}: {table['date']} is no day")
            elif table["machine"] not in machines:
                problems.append(f"{where}: {FOLDER}/machines.json has no {table['machine']}")
            elif any(len(row) != len(table["columns"]) for row in table["rows"]):
                problems.append(f"{where}: a row has not one cell for each of {len(table['columns'])} columns")
            else:
                found[f"{file}/{name}"] = table | {"machine": machines[table["machine"]]}
    return found, problems


def chosen(items, numbers):
    return [items[int(number) - 1] for number in numbers.split()] if numbers else items


def printed(table, rows, columns):
    """The table in Markdown below a line that states when, where and by what it was measured."""
    heads, cells = [], []
    for number, head in chosen(list(enumerate(table["columns"])), columns):
        name, unit = (head, "") if isinstance(head, str) else (head[0], " " + head[1])
        values = chosen([row[number] for row in table["rows"]], rows)
        is_number = any(isinstance(value, Number) for value in values)
        heads.append((name, "---:" if is_number else "---"))
        cells.append(["" if value is None else value + unit if isinstance(value, Number) else value for value in values])
    lines = [[name for name, _ in heads], *zip(*cells)]
    text = [("| " + " | ".join(line) + " |").replace("|  |", "| |").replace("|  |", "| |") for line in lines]
    text.insert(1, "|" + "|".join(rule for _, rule in heads) + "|")
    return f"*{table['date']}, {table['machine']}; {table['by']}*\n\n" + "\n".join(text) + "\n"


def main():
    root = pathlib.Path(next((name for name in sys.argv[1:] if not name.startswith("--")), "."))
    known, problems = tables(root)
    shown = set()
    for name in PAGES:
        page = root / name
        text = page.read_text() if page.exists() else ""
        missing = [key for _, key, *_ in BLOCK.findall(text) if key not in known]
        problems += [f"{name}: {FOLDER} has no table {key}" for key in missing]
        shown.update(key for _, key, *_ in BLOCK.findall(text))
        fresh = text if missing else BLOCK.sub(lambda block: block[1] + printed(known[block[2]], block[3], block[4]) + block[5], text)
        if fresh != text and "--update" in sys.argv:
            page.write_text(fresh)
        elif fresh != text:
            problems.append(f"{name}: tables are not those of {FOLDER}; check_measurements.py . --update writes them")
    problems += [f"{FOLDER}: no page shows {key}" for key in sorted(set(known) - shown)]
    print("\n".join(problems + [f"{len(known)} measured tables, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
