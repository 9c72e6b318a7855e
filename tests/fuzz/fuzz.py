#!/usr/bin/env python3
"""Runs the fuzz targets of a build and keeps what they find.

    fuzz.py BUILD MINUTES [TARGET ...]

BUILD is the folder that cmake -DLOWTIDE_FUZZ=ON built. The minutes are shared by the targets, one process for each core.
Each starts from its archive in inputs/ and from what earlier runs in BUILD/grown found. Afterwards inputs that reach new
code are added to the archive. A finding ends its target: the input is kept in BUILD/findings, and the exit status is 1.
Figures of each target are added up in BUILD/executions.json.
"""
import concurrent.futures
import dataclasses
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import inputs

HERE = pathlib.Path(__file__).resolve().parent
SECONDS_FOR_AN_INPUT = 60  # by the clock: readers need milliseconds, but other programs may run
MEGABYTES = 1024
LONGEST_INPUT = 4096
# Short inputs are read many times as often: long ones get a tenth of the time.
LEAST_SHORT_INPUT = 256
LARGEST_CORPUS, MOST_KEPT = 16 * 1024, 100  # bytes and files of one target's kept inputs
# Short stacks of allocations: the input is read again with whole ones when it is looked at.
FAST = {"ASAN_OPTIONS": "malloc_context_size=1:quarantine_size_mb=8"}


@dataclasses.dataclass
class Result:
    target: str
    executions: int = 0
    seconds: float = 0
    coverage: int = 0
    findings: list = dataclasses.field(default_factory=list)

    def add(self, log: str, seconds: float):
        executions = re.findall(r"stat::number_of_executed_units:\s*(\d+)", log)
        self.executions += int(executions[-1]) if executions else 0
        self.coverage = max([self.coverage] + [int(n) for n in re.findall(r" cov: (\d+) ", log)])
        self.seconds += seconds


def arguments(build, target, options, folders):
    words = HERE / "dictionaries" / target
    return [str(build / "bin" / f"fuzz_{target}"), f"-timeout={SECONDS_FOR_AN_INPUT}", f"-rss_limit_mb={MEGABYTES}",
            "-print_final_stats=1", *([f"-dict={words}"] if words.exists() else []), *options, *map(str, folders)]


def short_input(target):
    """A little longer than the smallest seed that is right."""
    sizes = [len(content) for name, content in inputs.read(target).items() if name.startswith("seeds/right")]
    return max(LEAST_SHORT_INPUT, *(size * 5 // 4 for size in sorted(sizes)[:1]), 0)


def unpack(target, folder):
    """The inputs that are kept, as files of the folder."""
    folder = pathlib.Path(folder)
    for name, content in inputs.read(target).items():
        (folder / name.replace("/", "-")).write_bytes(content)
    return folder


def run_once(build, target, seconds, longest, result):
    """One process; False when it found something."""
    grown, findings = build / "grown" / target, build / "findings"
    grown.mkdir(parents=True, exist_ok=True)
    findings.mkdir(exist_ok=True)
    options = [f"-max_total_time={max(int(seconds), 1)}", f"-max_len={longest}", "-entropic=0",
               f"-artifact_prefix={findings}/{target}-"]
    with tempfile.TemporaryDirectory() as folder:
        command = arguments(build, target, options, [grown, unpack(target, folder)])
        start = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=os.environ | FAST)
        result.add(done.stderr, time.monotonic() - start)
    if done.returncode != 0:
        kept = re.findall(r"Test unit written to (\S+)", done.stderr) or ["(no input was written)"]
        log = findings / f"{target}-{int(time.time())}.log"
        log.write_text(done.stderr[-20000:])
        result.findings.append(f"{kept[-1]}, log {log}")
    return done.returncode == 0


def fuzz(build, target, seconds):
    result = Result(target)
    if run_once(build, target, seconds * 0.1, LONGEST_INPUT, result):
        run_once(build, target, seconds * 0.9, short_input(target), result)
    return result


def keep_new_inputs(build, target):
    """Adds to the archive what reaches code that its inputs do not, small inputs first; says how many."""
    with tempfile.TemporaryDirectory() as folder:
        merged = unpack(target, folder)
        known = set(merged.iterdir())
        subprocess.run(arguments(build, target, ["-set_cover_merge=1", "-use_counters=0", f"-max_len={LONGEST_INPUT}"], [merged, build / "grown" / target]),
                       capture_output=True, env=os.environ | FAST, check=False)
        found = sorted((file.read_bytes() for file in set(merged.iterdir()) - known), key=lambda content: (len(content), content))
    corpus = [content for name, content in inputs.read(target).items() if name.startswith("corpus/")]
    left, new = LARGEST_CORPUS - sum(map(len, corpus)), []
    for content in found[:max(MOST_KEPT - len(corpus), 0)]:
        left -= len(content)
        if left < 0:
            break
        new.append(content)
    if new:
        inputs.keep(target, new)
    return len(new)


def add_up(build, results):
    file = build / "executions.json"
    sums = json.loads(file.read_text()) if file.exists() else {}
    for result in results:
        of_target = sums.setdefault(result.target, {"executions": 0, "seconds": 0.0, "findings": 0})
        of_target["executions"] += result.executions
        of_target["seconds"] = round(of_target["seconds"] + result.seconds, 1)
        of_target["findings"] += len(result.findings)
    file.write_text(json.dumps(sums, indent=1) + "\n")


def print_table(results, kept):
    print(f"{'target':16} {'executions':>12} {'per second':>10} {'seconds':>8} {'coverage':>8} {'kept':>5} {'findings':>8}")
    for result in results:
        print(f"{result.target:16} {result.executions:12} {result.executions / max(result.seconds, 1e-9):10.0f} "
              f"{result.seconds:8.0f} {result.coverage:8} {kept[result.target]:5} {len(result.findings):8}")
    print(f"{'all':16} {sum(result.executions for result in results):12}")


def main() -> int:
    build, minutes, chosen = pathlib.Path(sys.argv[1]).resolve(), float(sys.argv[2]), sys.argv[3:]
    known = sorted(file.name.removeprefix("fuzz_") for file in (build / "bin").glob("fuzz_*"))
    unknown = [target for target in chosen if target not in known]
    if unknown or not known:
        print(f"there is no target {', '.join(unknown)}; there are: {', '.join(known)}", file=sys.stderr)
        return 2
    targets = chosen or known
    workers = min(int(os.environ.get("LOWTIDE_JOBS", os.cpu_count() or 1)), len(targets))
    seconds = minutes * 60 * workers / len(targets)
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        results = list(pool.map(lambda target: fuzz(build, target, seconds), targets))
        kept = dict(zip(targets, pool.map(lambda target: keep_new_inputs(build, target), targets)))
    add_up(build, results)
    print_table(results, kept)
    findings = [(result.target, finding) for result in results for finding in result.findings]
    for target, finding in findings:
        print(f"FINDING in {target}: {finding}\n  look at it: {build}/bin/fuzz_{target} INPUT")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
