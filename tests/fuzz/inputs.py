#!/usr/bin/env python3
"""The inputs of each fuzz target, in an archive each: inputs/TARGET.zip.

    inputs.py keep TARGET FILE...   adds files that libFuzzer found, as corpus/HASH
    inputs.py seeds                 writes what make_seeds.py makes, as seeds/NAME, in place of the seeds that are there
"""
import hashlib
import pathlib
import sys
import zipfile

ARCHIVES = pathlib.Path(__file__).resolve().parent / "inputs"


def read(target) -> dict:
    """Bytes by name; none of a target without an archive."""
    file = ARCHIVES / f"{target}.zip"
    if not file.exists():
        return {}
    with zipfile.ZipFile(file) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(target, inputs):
    """The same inputs give the same archive: in order, stored as they are, without the time."""
    with zipfile.ZipFile(ARCHIVES / f"{target}.zip", "w") as archive:
        for name, content in sorted(inputs.items()):
            archive.writestr(zipfile.ZipInfo(name), content)


def keep(target, contents):
    """Adds them under the names that libFuzzer would give them."""
    write(target, read(target) | {f"corpus/{hashlib.sha1(content).hexdigest()}": content for content in contents})


def replace_seeds():
    import make_seeds

    for target, seeds in make_seeds.seeds().items():
        found = {name: content for name, content in read(target).items() if not name.startswith("seeds/")}
        write(target, found | {f"seeds/{name}": content for name, content in seeds})


def main() -> int:
    match sys.argv[1:]:
        case ["keep", target, *files] if files and (ARCHIVES / f"{target}.zip").exists():
            keep(target, [pathlib.Path(file).read_bytes() for file in files])
        case ["seeds"]:
            replace_seeds()
        case _:
            known = ", ".join(sorted(file.stem for file in ARCHIVES.glob("*.zip")))
            print(f"{__doc__}\nTargets: {known}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
