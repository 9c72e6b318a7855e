#!/usr/bin/env python3
"""Makes what the golden tests compare with, once (golden_main.py).

    make_goldens.py CASES.json FOLDER

FOLDER/checkpoints/sd15_K holds variant K of the reference, and sd15_1 in the layouts of published folders.
"""
import json
import shutil

from golden_main import golden_arguments, golden_main, make_of_reference
from made_once import make_once


def make_checkpoints(names, folder):
    for name in sorted(names):
        make_of_reference(folder / "checkpoints" / name, "sd15", "--variant", name.rsplit("_", 1)[1])


FILES = (("unet", "diffusion_pytorch_model"), ("vae", "diffusion_pytorch_model"), ("text_encoder", "model"))


def copy_with(write, source, target):
    """A copy of a folder in which write(folder, stem, tensors) writes the weights."""
    from safetensors.torch import load_file

    shutil.copytree(source, target)
    for part, stem in FILES:
        path = target / part / (stem + ".safetensors")
        tensors = load_file(path)
        path.unlink()
        write(target / part, stem, tensors)


def write_shards(folder, stem, tensors):
    from safetensors.torch import save_file

    keys, files = sorted(tensors), {}
    for shard in range(2):
        file = f"{stem}-0000{shard + 1}-of-00002.safetensors"
        part_keys = keys[shard::2]
        save_file({k: tensors[k] for k in part_keys}, folder / file)
        files.update({k: file for k in part_keys})
    index = {"metadata": {"total_size": sum(v.nbytes for v in tensors.values())}, "weight_map": files}
    (folder / (stem + ".safetensors.index.json")).write_text(json.dumps(index))


def write_half(folder, stem, tensors):
    from safetensors.torch import save_file

    save_file({k: v.half() for k, v in tensors.items()}, folder / (stem + ".fp16.safetensors"))


def write_rounded(folder, stem, tensors):
    """What the reference reads in place of the halves: the same values in 32 bit."""
    from safetensors.torch import save_file

    save_file({k: v.half().float() for k, v in tensors.items()}, folder / (stem + ".safetensors"), metadata={"format": "pt"})


LAYOUTS = {"sharded_1": write_shards, "half_1": write_half, "half_1_as_float": write_rounded}  # of the weights of sd15_1


def make(cases, folder):
    checkpoints = folder / "checkpoints"
    make_checkpoints({f"sd15_{variant}" for variant in range(6)}, folder)
    for name, write in LAYOUTS.items():
        make_once(checkpoints / name, lambda partial, write=write: copy_with(write, checkpoints / "sd15_1", partial))


def run(golden, case, folder):
    golden.main(golden_arguments(case, folder))


if __name__ == "__main__":
    golden_main(make, run)
