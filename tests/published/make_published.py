#!/usr/bin/env python3
"""Makes hollow checkpoints of the published world.

    make_published.py FOLDER        models/ (as ComfyUI has them), folders/ (as repositories have them), pictures/
    make_published.py --verify      checks names, shapes and sizes of the key lists, and every small file, by hash
    make_published.py --site        the folder of the installed packages
"""
import hashlib
import json
import os
import pathlib
import sys
import sysconfig

import hollow
from published_data import HERE, blob, packed


def folders():
    return json.loads((HERE / "folders.json").read_text())


class SmallFiles:
    """Each is written once and linked into the folders that have it."""

    def __init__(self, store):
        self.store = store
        store.mkdir(parents=True)

    def write(self, name, path):
        stored = self.store / name
        if not stored.exists():
            stored.write_bytes(blob(name))
        path.parent.mkdir(parents=True, exist_ok=True)
        os.link(stored, path)


def make(target):
    if target.exists():
        return
    partial = target.with_name(target.name + ".partial")
    small = SmallFiles(partial / "small_files")
    for name, folder in folders().items():
        for path, entry in folder["files"].items():
            file = partial / "folders" / name / path
            if "blob" in entry:
                small.write(entry["blob"], file)
            else:
                hollow.write_sharded(str(file), entry)
    for name, keys, *rest in hollow.rows_of("split_files.tsv"):
        path = partial / "models" / name
        form = rest[0] if rest else ""
        if path.suffix == ".gguf":
            hollow.write_gguf(keys, str(path), *form.split(","))
        else:
            hollow.write_file(keys, str(path), form or None)
    (partial / "pictures").mkdir()
    for name, data in packed().items():
        if name.startswith("pictures/"):
            (partial / name).write_bytes(data)
    partial.rename(target)


def verify():
    problems = []
    for entry in packed():
        if entry.startswith("keys/"):
            record, tensors = hollow.read_keys(pathlib.Path(entry).stem)
            words = []
            for key, (_, shape) in tensors.items():
                words += [key + ":" + "_".join(map(str, shape)), key]
            md5 = hashlib.md5(",".join(sorted(words)).encode()).hexdigest()
            text, _, data = hollow.header_of(tensors, record["metadata"])
            if md5 != record["key_md5"] or 8 + len(text) + data != record["file_bytes"]:
                problems.append(entry)
    for folder, path, size, sha256, *_ in list(hollow.rows_of("SOURCES.tsv"))[1:]:
        data = blob(sha256[:16])
        if hashlib.sha256(data).hexdigest() != sha256 or len(data) != int(size):
            problems.append(f"{folder}/{path}")
    sys.exit("not as published: " + ", ".join(problems) if problems else 0)


def main():
    words = sys.argv[1:]
    if words == ["--site"]:
        print(sysconfig.get_paths()["purelib"])
    elif words == ["--verify"]:
        verify()
    elif len(words) == 1 and not words[0].startswith("-"):
        make(pathlib.Path(words[0]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
