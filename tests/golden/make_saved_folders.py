#!/usr/bin/env python3
"""The reference checkpoints as DiffusionPipeline.save_pretrained writes them: with tokenizer.json alone.

    make_saved_folders.py CHECKPOINTS FOLDER
"""
import os
import pathlib
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
VARIANTS = 6


def main():
    checkpoints, folder = map(pathlib.Path, sys.argv[1:3])
    from diffusers import DiffusionPipeline

    for variant in range(VARIANTS):
        target = folder / f"sd15_{variant}"
        if target.exists():
            continue
        partial = folder / f"sd15_{variant}.partial"
        DiffusionPipeline.from_pretrained(checkpoints / f"sd15_{variant}").save_pretrained(partial)
        written = sorted(path.name for path in (partial / "tokenizer").iterdir())
        assert written == ["tokenizer.json", "tokenizer_config.json"], written
        partial.rename(target)


main()
