#!/usr/bin/env python3
"""Makes what the test of LoRA compares with, once (golden_main.py).

    make_lora_goldens.py CASES.json FOLDER

FOLDER/checkpoints is as make_goldens.py and make_sdxl_goldens.py make it, FOLDER/lora/<checkpoint>_<variant> holds the reference's files
for that checkpoint. Diffusers' pipeline runs with the case's `truth`: the file whose delta is that of `lora`, where diffusers reads `lora`
itself wrongly (alphas that differ from layer to layer).
"""
import make_goldens
import make_image_goldens as images
import make_sdxl_goldens as sdxl
from golden_main import golden_arguments, golden_main, image_arguments, make_of_reference
from made_once import make_once


def make_checkpoint_named(name, folder):
    if name.startswith("sd15_"):
        make_goldens.make_checkpoints([name], folder)
    else:
        sdxl.make_checkpoint_named(name, folder / "checkpoints")


def make_loras(checkpoint, variant, folder):
    base = folder / "checkpoints" / checkpoint
    make_of_reference(folder / "lora" / f"{checkpoint}_{variant}", "lora", "--base", base, "--variant", variant)


def lora_arguments(case, folder):
    arguments = golden_arguments(case, folder)
    for lora in case["loras"]:
        file = folder / "lora" / f"{case['checkpoint']}_{lora['variant']}" / (lora.get("truth", lora["file"]) + ".safetensors")
        arguments += [f"--lora={file}", f"--lora-scale={lora['strength']}"]
    return arguments + image_arguments(case, folder)


def make(cases, folder):
    for case in cases:
        make_checkpoint_named(case["checkpoint"], folder)
        for lora in case["loras"]:
            make_loras(case["checkpoint"], lora["variant"], folder)
    make_once(folder / "images", images.make_images)


def run(golden, case, folder):
    golden.main(lora_arguments(case, folder))


if __name__ == "__main__":
    golden_main(make, run)
