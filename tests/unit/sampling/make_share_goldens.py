#!/usr/bin/env python3
"""Which calls diffusers' Stable Diffusion XL pipelines take of a schedule for a share of it: make_share_goldens.py OUT.safetensors

Metadata "cases": for each schedule and share the call that the refiner's denoising_start begins with, and how many the base's
denoising_end takes.
"""
import json
import pathlib
import sys
import types
import warnings

import torch
from safetensors.torch import save_file

warnings.filterwarnings("ignore")

import diffusers  # noqa: E402

diffusers.utils.logging.set_verbosity_error()
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden" / "reference"))
from lib.schedulers import SCHEDULERS  # noqa: E402

# As Stable Diffusion XL ships it.
CONFIG = dict(_class_name="EulerDiscreteScheduler", num_train_timesteps=1000, beta_start=0.00085, beta_end=0.012,
              beta_schedule="scaled_linear", clip_sample=False, steps_offset=1, timestep_spacing="leading")
FLOW_MATCH = dict(_class_name="FlowMatchEulerDiscreteScheduler", num_train_timesteps=1000, shift=3.0,
                  flow_spacing="class")  # a setting of ours: as the class places them that is given no levels
FLOW_SOLVER = dict(_class_name="UniPCMultistepScheduler", num_train_timesteps=1000, prediction_type="flow_prediction",
                   use_flow_sigmas=True, flow_shift=3.0)
SAMPLERS = ("ddim", "ddpm", "pndm", "pndm_prk", "lms", "euler", "euler_karras", "euler_a", "dpmpp_2m", "dpmpp_2m_karras", "dpmpp_3m",
            "dpmpp_2m_sde", "dpmpp_single", "deis", "unipc", "heun", "heun_karras", "kdpm2", "kdpm2_a", "lcm", "tcd")
SHARES = (0.05, 0.3, 0.5, 0.599, 0.6, 0.8, 0.95, 0.999)
HALVES = (0.3335, 0.3345, 0.5005, 0.8005)  # of 1000 timesteps: rounded to the even number


def start_of(scheduler, share):
    get_timesteps = diffusers.StableDiffusionXLImg2ImgPipeline.get_timesteps
    _, calls = get_timesteps(types.SimpleNamespace(scheduler=scheduler), None, 1.0, "cpu", denoising_start=share)
    return len(scheduler.timesteps) - calls


def end_of(scheduler, share):
    """As StableDiffusionXLPipeline.__call__ has it, which gives no function for it."""
    count = scheduler.config.num_train_timesteps
    cutoff = int(round(count - (share * count)))
    return len(list(filter(lambda ts: ts >= cutoff, scheduler.timesteps)))


def cases():
    for spacing in ("leading", "trailing", "linspace"):
        for sampler in SAMPLERS:
            if spacing != "leading" and sampler in ("lcm", "tcd"):
                continue  # have timesteps of their own
            for steps in (4, 5, 7, 25):
                yield sampler, {**CONFIG, "timestep_spacing": spacing}, steps, SHARES
    yield "ddim", {**CONFIG, "timestep_spacing": "trailing"}, 1000, SHARES + HALVES
    yield "ddim", {**CONFIG, "num_train_timesteps": 500}, 25, SHARES
    for steps in (4, 25):
        yield "flow_euler", FLOW_MATCH, steps, SHARES
        yield "flow_heun", FLOW_MATCH, steps, SHARES
        yield "flow_unipc", FLOW_SOLVER, steps, SHARES


def main():
    listed = []
    for sampler, config, steps, shares in cases():
        name, overrides, _ = SCHEDULERS[sampler]
        scheduler = getattr(diffusers, name).from_config(config, **overrides)
        scheduler.set_timesteps(steps)
        for share in shares:
            listed.append(dict(sampler=sampler, config={**config, **overrides}, steps=steps, share=share,
                               start=start_of(scheduler, share), end=end_of(scheduler, share), calls=len(scheduler.timesteps)))
    save_file({"none": torch.zeros(1)}, sys.argv[1], metadata={"cases": json.dumps(listed)})


main()
