#!/usr/bin/env python3
"""Two-pass images by diffusers: text to latents, the latents at another size, image to image from there.

    make_hires_goldens.py REFERENCE CHECKPOINTS FOLDER

Bislerp is the definition in tests/unit/tensor/make_interpolation_goldens.py; the other methods are torch's own.
"""
import json
import pathlib
import sys

PROMPT, NEGATIVE, CFG = "a red car", "blurry", 4.0
# The first pass makes width x height pixels; the second takes the last steps - start steps over new_width x new_height.
CASES = [
    dict(name="bislerp", checkpoint="sd15_1", scheduler="euler", method="bislerp", width=64, height=64, new_width=128,
         new_height=128, steps=4, start=2, seed=3, seed2=4),
    dict(name="bilinear", checkpoint="sd15_2", scheduler="ddim", method="bilinear", width=72, height=88, new_width=112,
         new_height=136, steps=5, start=3, seed=0, seed2=0),
    dict(name="bicubic", checkpoint="sd15_0", scheduler="dpmpp_2m", method="bicubic", width=64, height=96, new_width=96,
         new_height=144, steps=5, start=1, seed=9, seed2=2**63 + 5),
    dict(name="four pixels a latent", checkpoint="sd15_3", scheduler="euler_a", method="nearest-exact", width=64,
         height=48, new_width=100, new_height=76, steps=4, start=1, seed=1, seed2=6),
]


def upscaled(latents, case, factor):
    import torch

    size = (case["new_height"] // factor, case["new_width"] // factor)
    if case["method"] != "bislerp":
        return torch.nn.functional.interpolate(latents, size=size, mode=case["method"])
    here = pathlib.Path(__file__).resolve().parent
    definition = (here.parent / "tensor" / "make_interpolation_goldens.py").read_text().rsplit("\nmain()", 1)[0]
    names = {}
    exec(compile(definition, "make_interpolation_goldens.py", "exec"), names)
    return names["bislerp"](latents, *size)


def run(checkpoints, case):
    import torch
    from diffusers import StableDiffusionImg2ImgPipeline, StableDiffusionPipeline
    from lib import schedulers

    pipe = StableDiffusionPipeline.from_pretrained(checkpoints / case["checkpoint"])
    pipe.set_progress_bar_config(disable=True)
    pipe.unet.register_to_config(sample_size=64)  # a pair of sizes is more than the second pipeline reads
    pipe.scheduler = schedulers.build(case["scheduler"], pipe.scheduler.config)
    common = dict(prompt=PROMPT, negative_prompt=NEGATIVE, guidance_scale=CFG, num_inference_steps=case["steps"],
                  output_type="latent")
    seeded = lambda seed: torch.Generator("cpu").manual_seed(seed)
    first = pipe(width=case["width"], height=case["height"], generator=seeded(case["seed"]), **common).images
    larger = upscaled(first, case, pipe.vae_scale_factor)
    again = StableDiffusionImg2ImgPipeline(**pipe.components, requires_safety_checker=False)
    again.set_progress_bar_config(disable=True)
    strength = (case["steps"] - case["start"] + 0.001) / case["steps"]
    second = again(image=larger, strength=strength, generator=seeded(case["seed2"]), **common).images
    decoded = pipe.vae.decode(second / pipe.vae.config.scaling_factor).sample
    return dict(first=first, larger=larger, second=second, picture=(decoded / 2 + 0.5).clamp(0, 1))


def main():
    reference, checkpoints, folder = map(pathlib.Path, sys.argv[1:4])
    target = folder / "hires.safetensors"
    if target.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(reference))
    import golden  # noqa: F401  settings of the environment: one thread, no network
    import torch
    from safetensors.torch import save_file

    torch.set_num_threads(1)
    tensors = {}
    with torch.inference_mode():
        for case in CASES:
            for key, value in run(checkpoints, case).items():
                tensors[f"{case['name']}.{key}"] = value.contiguous()
    (folder / "cases.json").write_text(json.dumps(CASES))
    partial = target.with_suffix(".partial")
    save_file(tensors, partial)
    partial.rename(target)


main()
