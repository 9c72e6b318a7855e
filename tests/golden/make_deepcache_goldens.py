#!/usr/bin/env python3
"""Makes what the golden test of DeepCache compares with, once (golden_main.py): golden.py --deepcache on every case.

    make_deepcache_goldens.py CASES.json FOLDER

FOLDER/checkpoints/sd15_K holds variant K of the reference, FOLDER/images the images, FOLDER/<case>.safetensors what diffusers' pipeline
computes with DeepCacheSDHelper.
"""
from golden_main import golden_arguments, golden_main, image_arguments
from made_once import make_once
from make_goldens import make_checkpoints
from make_image_goldens import make_images


def make(cases, folder):
    make_checkpoints({case["checkpoint"] for case in cases}, folder)
    make_once(folder / "images", make_images)


def run(golden, case, folder):
    golden.main([*golden_arguments(case, folder), f"--deepcache={case['interval']},{case['depth']}", *image_arguments(case, folder)])


if __name__ == "__main__":
    golden_main(make, run)
