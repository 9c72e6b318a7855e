#!/usr/bin/env python3
"""Batches of three images whose generators have the seeds s, s + 1, s + 2, by diffusers.

    make_batch_goldens.py REFERENCE CHECKPOINTS FOLDER

One file for each of five seeds: FOLDER/<seed>.safetensors, with the noise of every draw and the latents. The sampler draws
in every step.
"""
import pathlib
import sys

SEEDS = [0, 7, 2**32 + 1, 2**63 - 1, 2**64 - 3]
BATCH = 3


def main():
    reference, checkpoints, folder = map(pathlib.Path, sys.argv[1:4])
    if (folder / "complete").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(reference))
    import golden  # noqa: F401  settings of the environment: one thread, no network
    import torch
    from diffusers import StableDiffusionPipeline
    from lib import schedulers
    from lib.recorder import Recorder

    torch.set_num_threads(1)
    pipe = StableDiffusionPipeline.from_pretrained(checkpoints / "sd15_1")
    pipe.set_progress_bar_config(disable=True)
    pipe.scheduler = schedulers.build("euler_a", pipe.scheduler.config)
    for seed in SEEDS:
        record = Recorder()
        record.wrap_random_draws()
        latents = pipe("a red car", negative_prompt="blurry", guidance_scale=4.0, num_inference_steps=4, width=64,
                       height=72, num_images_per_prompt=BATCH, output_type="latent",
                       generator=[torch.Generator("cpu").manual_seed(seed + i) for i in range(BATCH)]).images
        record.unwrap()
        record.put("latents", latents)
        record.save(folder / f"{seed}.safetensors")
    (folder / "complete").touch()


main()
