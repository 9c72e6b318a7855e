#!/usr/bin/env python3
"""Makes what the golden test of DeepCache compares with, once: golden.py --deepcache on every case.

    make_deepcache_goldens.py CASES.json FOLDER

FOLDER/checkpoints/sd15_K holds variant K, FOLDER/images the pictures, FOLDER/<case>.safetensors what diffusers' pipeline computes
with DeepCacheSDHelper.
"""
import json
import os
import pathlib
import sys

from make_goldens import REFERENCE, bound_no_latents, golden_arguments, make_checkpoints
from make_image_goldens import make_images

sys.path.insert(0, str(REFERENCE))
os.environ.setdefault("OMP_NUM_THREADS", "1")


def arguments_of(case, folder):
    arguments = golden_arguments(case, folder) + [f"--deepcache={case['interval']},{case['depth']}"]
    if "image" in case:
        arguments += [f"--init-image={folder / 'images' / (case['image'] + '.png')}", f"--strength={case['strength']}"]
    return arguments


def main():
    cases, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
    if (folder / "complete").exists():
        return
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    make_checkpoints({case["checkpoint"] for case in cases}, folder)
    if not (folder / "images").exists():
        make_images(folder / "images.partial")
        (folder / "images.partial").rename(folder / "images")
    import golden

    bound_no_latents()
    for case in cases:
        if not (folder / (case["name"] + ".safetensors")).exists():
            golden.main(arguments_of(case, folder))
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
