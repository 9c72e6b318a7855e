#!/usr/bin/env python3
"""Packs the published files of tokenizers that Lowtide comes with.

    $LOWTIDE_PYTHON resources/tokenizers/make_tokenizers.py

Takes the files from tests/published (packed there, or in the packages of its requirements.txt), compares each with its SHA-256 and writes it,
compressed, next to this script: "gzip -dc FILE.gz | sha256sum" gives that sum again.
"""
import gzip
import hashlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tests" / "published"))

from published_data import blob  # noqa: E402

FILES = {
    "clip/merges.txt": "9fd691f7c8039210e0fced15865466c65820d09b63988b0174bfe25de299051a",
    "qwen/merges.txt": "8831e4f1a044471340f7c0a83d7bd71306a5b867e95fd870f74d0c5308a904d5",
    "qwen/tokenizer_config.json": "d5d09f07b48c3086c508b30d1c9114bd1189145b74e982a265350c923acd8101",
    "t5/spiece.model": "d60acb128cf7b7f2536e8f38a5b18a05535c9e14c7a355904270e15b0945ea86",
    "umt5/spiece.model": "e3909a67b780650b35cf529ac782ad2b6b26e6d1f849d3fbb6a872905f452458",
    "umt5/tokenizer_config.json": "1d8d2a216bf8e70ac15b7ddcea566c4dd0433c024b39a58ca5e4c66bd78defbd",
}
NAME_DIGITS = 16  # of a SHA-256, by which tests/published names its files


def main():
    for name, sha256 in FILES.items():
        data = blob(sha256[:NAME_DIGITS])
        if hashlib.sha256(data).hexdigest() != sha256:
            sys.exit(f"{name} is another file than the published one")
        (HERE / f"{name}.gz").write_bytes(gzip.compress(data, compresslevel=9, mtime=0))


if __name__ == "__main__":
    main()
