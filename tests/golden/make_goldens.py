#!/usr/bin/env python3
"""Makes what the golden tests compare with, once: reference checkpoints and the values that the real pipeline computes.

    make_goldens.py CASES.json FOLDER

FOLDER/checkpoints/sd15_K holds variant K, FOLDER/<case>.safetensors a case's recorded values. A folder is complete when
FOLDER/complete exists.
"""
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
REFERENCE = HERE / "reference"


def golden_arguments(case: dict, folder: pathlib.Path) -> list[str]:
    arguments = [str(folder / "checkpoints" / case["checkpoint"]), str(folder / (case["name"] + ".safetensors"))]
    for key in ("prompt", "negative", "steps", "cfg", "seed", "width", "height", "batch", "scheduler", "eta",
                "clip_skip", "guidance_rescale"):
        if key in case:
            arguments.append(f"--{key.replace('_', '-')}={case[key]}")
    return arguments


def make_checkpoints(names, folder: pathlib.Path) -> None:
    import make_checkpoint

    for name in sorted(names):
        target = folder / "checkpoints" / name
        if not target.exists():
            partial = folder / "checkpoints" / (name + ".partial")
            make_checkpoint.main(["sd15", str(partial), "--variant", name.rsplit("_", 1)[1]])
            partial.rename(target)


def add_other_layouts(folder: pathlib.Path) -> None:
    """The same weights in shards, and as *.fp16.safetensors files: what published folders look like."""
    import shutil

    from safetensors.torch import load_file, save_file

    source = folder / "checkpoints" / "sd15_1"
    for name in ("sharded_1", "half_1"):
        target = folder / "checkpoints" / name
        if target.exists():
            continue
        shutil.copytree(source, target)
        for part, stem in (("unet", "diffusion_pytorch_model"), ("vae", "diffusion_pytorch_model"),
                           ("text_encoder", "model")):
            path = target / part / (stem + ".safetensors")
            tensors = load_file(path)
            path.unlink()
            if name == "half_1":
                save_file({k: v.half() for k, v in tensors.items()}, target / part / (stem + ".fp16.safetensors"))
                continue
            keys, files = sorted(tensors), {}
            for shard in range(2):
                file = f"{stem}-0000{shard + 1}-of-00002.safetensors"
                part_keys = keys[shard::2]
                save_file({k: tensors[k] for k in part_keys}, target / part / file)
                files.update({k: file for k in part_keys})
            index = {"metadata": {"total_size": sum(v.nbytes for v in tensors.values())}, "weight_map": files}
            (target / part / (stem + ".safetensors.index.json")).write_text(json.dumps(index))
    full = folder / "checkpoints" / "half_1_as_float"
    if not full.exists():  # what the reference reads: the same rounded weights in 32 bit
        shutil.copytree(source, full)
        for part, stem in (("unet", "diffusion_pytorch_model"), ("vae", "diffusion_pytorch_model"),
                           ("text_encoder", "model")):
            path = full / part / (stem + ".safetensors")
            save_file({k: v.half().float() for k, v in load_file(path).items()}, path, metadata={"format": "pt"})


def bound_no_latents() -> None:
    """docs/decisions/0037: DDIM and DDPM hold no latents between -1 and 1, also where the scheduler's file says nothing of it."""
    from lib import schedulers

    build = schedulers.build
    schedulers.build = lambda name, config: build(name, {"clip_sample": False, **config})


def main() -> int:
    folder = pathlib.Path(sys.argv[2]).resolve()
    if (folder / "complete").exists():
        return 0
    sys.path.insert(0, str(REFERENCE))
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    cases = json.loads(pathlib.Path(sys.argv[1]).read_text())
    make_checkpoints({"sd15_0", "sd15_1", "sd15_2", "sd15_3", "sd15_4", "sd15_5"}, folder)
    add_other_layouts(folder)

    import golden

    bound_no_latents()
    for case in cases:
        if not (folder / (case["name"] + ".safetensors")).exists():
            golden.main(golden_arguments(case, folder))
    (folder / "complete").touch()
    return 0


if __name__ == "__main__":
    sys.exit(main())
