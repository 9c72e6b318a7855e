#!/usr/bin/env python3
"""What the tests and measurements of a GPU gave, as one table and one JSON text.

check.py BUILD PROGRAM=STATUS...: the programs that were run and their exit statuses. Reads their
results BUILD/gpu/PROGRAM.xml (Qt Test's) and the measurements BUILD/gpu/*.json, asks the command for
the GPU, prints the table, writes BUILD/gpu/proof.json in the form that resources/cuda/proven.json
keeps. Exit status 1 when a program failed, ended early or skipped something.
"""
import datetime
import json
import pathlib
import subprocess
import sys
import xml.etree.ElementTree as xml


def result(path, status):
    """(program, passed, failed, skipped, seconds); a program that ended badly has at least one failure."""
    try:
        cases = list(xml.parse(path).getroot().iter("testcase"))
    except (OSError, xml.ParseError):
        return (path.stem, 0, 1, 0, 0.0)
    failed = sum(1 for case in cases if case.find("failure") is not None or case.find("error") is not None)
    skipped = sum(1 for case in cases if case.find("skipped") is not None)
    seconds = sum(float(case.get("time") or 0) for case in cases)
    passed = len(cases) - failed - skipped
    return (path.stem, passed, max(failed, 1 if status or not cases else 0), skipped, seconds)


def measurements(folder):
    """{name: figures} of the JSON files that benches wrote."""
    names = {"proof"}
    return {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json")) if path.stem not in names}


def line_of(row):
    """A row of measurements, what was measured first."""
    keys = sorted(row, key=lambda key: (key not in ("model", "way"), key))
    texts = (f"{row[key]:.4g}" if isinstance(row[key], float) else str(row[key]) for key in keys)
    return "  " + ", ".join(f"{key} {text}" for key, text in zip(keys, texts))


def main():
    build = pathlib.Path(sys.argv[1])
    folder = build / "gpu"
    answer = subprocess.run([build / "bin" / "lowtide", "devices", "--json"], check=True, capture_output=True, text=True)
    known = json.loads(answer.stdout)
    cuda = known["cuda"]
    statuses = dict(argument.rsplit("=", 1) for argument in sys.argv[2:])
    rows = [result(folder / f"{program}.xml", int(status)) for program, status in statuses.items()]
    figures = measurements(folder)
    usable = [gpu for gpu in cuda["cards"][:1] if not gpu["problem"]]  # the tests open the first
    gpu = usable[0] if usable else {}
    print(f"\nGPU     {gpu.get('name', 'none')}, compute capability {gpu.get('capability', '-')}")
    print(f"driver  CUDA {cuda['driver'] or '-'}, runtime {cuda['runtime'] or '-'}, cuDNN {cuda['cudnn'] or '-'}")
    print(f"build   {known['numerics'].split(',')[0]}, kernels {cuda['kernels'] or '-'}\n")
    print(f"{'tests':24}{'passed':>8}{'failed':>8}{'skipped':>9}{'seconds':>9}")
    for name, passed, failed, skipped, seconds in rows:
        print(f"{name:24}{passed:8}{failed:8}{skipped:9}{seconds:9.1f}")
    for name, table in figures.items():
        print(f"\n{name}")
        for row in table:
            print(line_of(row))
    isProven = bool(rows) and bool(gpu) and not any(row[2] or row[3] for row in rows)
    proof = {
        "date": datetime.date.today().isoformat(),
        "card": gpu.get("name", ""),
        "capability": gpu.get("capability", ""),
        "driver": cuda["driver"],
        "runtime": cuda["runtime"],
        "cudnn": cuda["cudnn"],
        "kernels": cuda["kernels"],
        "build": known["numerics"].split(",")[0],
        "compute_sanitizer": any(name.endswith("_memcheck") for name in statuses),
        "tests": {name: passed for name, passed, _, _, _ in rows},
        "measured": figures,
    }
    (folder / "proof.json").write_text(json.dumps(proof, indent=2) + "\n")
    print(f"\nwritten to {folder / 'proof.json'}" + ("" if isProven else "; nothing is proven by it"))
    return 0 if isProven else 1


if __name__ == "__main__":
    sys.exit(main())
