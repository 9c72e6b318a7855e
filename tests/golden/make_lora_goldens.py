#!/usr/bin/env python3
"""Makes what the test of LoRA compares with, once.

    make_lora_goldens.py CASES.json FOLDER

FOLDER/checkpoints is as make_goldens.py and make_sdxl_goldens.py make it, FOLDER/lora/<checkpoint>_<variant> holds the reference's files
for that checkpoint, FOLDER/<case>.safetensors what the reference's golden.py records of diffusers' pipeline with the case's `truth`: the file
whose change is that of `lora`, where diffusers reads `lora` itself wrongly (alphas that differ from layer to layer).
"""
import json
import os
import pathlib
import sys

import make_goldens
import make_image_goldens as images
import make_sdxl_goldens as sdxl
from make_goldens import REFERENCE, bound_no_latents, golden_arguments

sys.path.insert(0, str(REFERENCE))
os.environ.setdefault("OMP_NUM_THREADS", "1")


def make_checkpoint_named(name, folder):
    if name.startswith("sd15_"):
        make_goldens.make_checkpoints([name], folder)
    else:
        sdxl.make_checkpoint_named(name, folder / "checkpoints")


def make_loras(checkpoint, variant, folder):
    import make_checkpoint

    target = folder / "lora" / f"{checkpoint}_{variant}"
    if not target.exists():
        partial = target.with_name(target.name + ".partial")
        base = str(folder / "checkpoints" / checkpoint)
        partial.parent.mkdir(exist_ok=True)
        make_checkpoint.main(["lora", str(partial), "--base", base, "--variant", str(variant)])
        partial.rename(target)


def lora_arguments(case, folder):
    arguments = golden_arguments(case, folder)
    for lora in case["loras"]:
        file = folder / "lora" / f"{case['checkpoint']}_{lora['variant']}" / (lora.get("truth", lora["file"]) + ".safetensors")
        arguments += [f"--lora={file}", f"--lora-scale={lora['strength']}"]
    if "image" in case:
        arguments += [f"--init-image={folder / 'images' / (case['image'] + '.png')}", f"--strength={case['strength']}"]
    return arguments


def main():
    cases, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
    if (folder / "complete").exists():
        return
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    for case in cases:
        make_checkpoint_named(case["checkpoint"], folder)
        for lora in case["loras"]:
            make_loras(case["checkpoint"], lora["variant"], folder)
    if not (folder / "images").exists():
        images.make_images(folder / "images.partial")
        (folder / "images.partial").rename(folder / "images")
    import golden

    bound_no_latents()
    for case in cases:
        if not (folder / (case["name"] + ".safetensors")).exists():
            golden.main(lora_arguments(case, folder))
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
