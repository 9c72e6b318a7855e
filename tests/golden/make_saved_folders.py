#!/usr/bin/env python3
"""The reference checkpoints as DiffusionPipeline.save_pretrained writes them: with tokenizer.json alone.

    make_saved_folders.py CHECKPOINTS FOLDER
"""
import os
import pathlib
import sys

from made_once import make_once

os.environ.setdefault("HF_HUB_OFFLINE", "1")
VARIANTS = 6


def save_again(checkpoint, folder):
    from diffusers import DiffusionPipeline

    DiffusionPipeline.from_pretrained(checkpoint).save_pretrained(folder)
    written = sorted(path.name for path in (folder / "tokenizer").iterdir())
    assert written == ["tokenizer.json", "tokenizer_config.json"], written


def main():
    checkpoints, folder = map(pathlib.Path, sys.argv[1:3])
    for name in (f"sd15_{variant}" for variant in range(VARIANTS)):
        make_once(folder / name, lambda partial, name=name: save_again(checkpoints / name, partial))


main()
