#!/usr/bin/env python3
"""Makes what the test of ControlNets compares with, once.

    make_control_goldens.py CASES.json FOLDER

FOLDER/checkpoints is as make_goldens.py and make_sdxl_goldens.py make it, FOLDER/controlnet/<checkpoint>_<variant> holds the reference's
ControlNet for that checkpoint, FOLDER/images the pictures and hints, FOLDER/<case>.safetensors what the reference's golden.py records of
diffusers' pipeline. The residuals of a first call that is outside of every ControlNet's range, zeros, are left out: here nothing is run then.
The folder's name should hold the hash that --hash prints.
"""
import hashlib
import json
import os
import pathlib
import sys

import make_image_goldens as images
import make_lora_goldens as lora
from make_goldens import REFERENCE, bound_no_latents, content_hash, golden_arguments

sys.path.insert(0, str(REFERENCE))
os.environ.setdefault("OMP_NUM_THREADS", "1")


def make_controlnet(checkpoint, variant, folder):
    import make_checkpoint

    target = folder / "controlnet" / f"{checkpoint}_{variant}"
    if not target.exists():
        partial = target.with_name(target.name + ".partial")
        partial.parent.mkdir(exist_ok=True)
        base = str(folder / "checkpoints" / checkpoint)
        make_checkpoint.main(["controlnet", str(partial), "--base", base, "--variant", str(variant)])
        partial.rename(target)


def make_images(folder):
    from lib.images import edges

    images.make_images(folder)
    edges(64, 64, 11).save(folder / "lines.png")
    edges(150, 203, 12).save(folder / "odd_lines.png")


def control_arguments(case, folder):
    arguments = golden_arguments(case, folder)
    for control in case["controls"]:
        arguments += [f"--controlnet={folder / 'controlnet' / (case['checkpoint'] + '_' + str(control['variant']))}",
                      f"--control-image={folder / 'images' / (control['image'] + '.png')}", f"--controlnet-scale={control.get('strength', 1)}"]
    if "image" in case:
        arguments += [f"--init-image={folder / 'images' / (case['image'] + '.png')}", f"--strength={case['strength']}"]
    return arguments


def run_case(golden, case, folder):
    """golden.py, which knows no range and no guess mode."""
    originals = golden.timed, golden.finish
    controls = case["controls"]
    starts, ends = ([control.get(key, usual) for control in controls] for key, usual in (("start", 0.0), ("end", 1.0)))
    more = dict(control_guidance_start=starts, control_guidance_end=ends, guess_mode=controls[0].get("mode") == "guess")
    if "image" in case:  # else a hint keeps its own size
        more.update(width=case["width"], height=case["height"])

    def finish(rec, pipe, decoded):
        originals[1](rec, pipe, decoded)
        for key in [key for key in rec.tensors if key.startswith("controlnet.")]:
            if min(starts) > 0:
                del rec.tensors[key]

    golden.timed = lambda rec, pipe, call: originals[0](rec, pipe, {**call, **more})
    golden.finish = finish
    try:
        golden.main(control_arguments(case, folder))
    finally:
        golden.timed, golden.finish = originals


def main():
    if sys.argv[1] == "--hash":
        own = hashlib.sha256()
        for module in (__file__, lora.__file__, images.__file__):
            own.update(pathlib.Path(module).read_bytes())
        own.update(content_hash(pathlib.Path(sys.argv[2])).encode())
        print(own.hexdigest()[:16])
        return
    cases, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
    if (folder / "complete").exists():
        return
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    for case in cases:
        lora.make_checkpoint_named(case["checkpoint"], folder)
        for control in case["controls"]:
            make_controlnet(case["checkpoint"], control["variant"], folder)
    if not (folder / "images").exists():
        make_images(folder / "images.partial")
        (folder / "images.partial").rename(folder / "images")
    import golden

    bound_no_latents()
    for case in cases:
        if not (folder / (case["name"] + ".safetensors")).exists():
            run_case(golden, case, folder)
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
