#!/usr/bin/env python3
"""Operations of a full and of a partial step under DeepCache, for the caches bench.

    cached_flops.py CHECKPOINT DEPTH...

Runs the published DeepCacheSDHelper around diffusers' UNet on shapes alone (meta tensors) and counts what convolutions,
products and attention do: 512x512, guidance on (a batch of 2). Prints "full N", then "DEPTH N" for each depth.
"""

import os
import sys
from types import SimpleNamespace

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
from DeepCache import DeepCacheSDHelper  # noqa: E402
from diffusers import UNet2DConditionModel  # noqa: E402
from torch.utils.flop_counter import FlopCounterMode  # noqa: E402

TIMESTEPS = [901, 801]  # a full step, then a partial one
LATENTS = (2, 4, 64, 64)
PROMPTS = (2, 77, 768)


def operations(unet, timestep):
    latents, prompts = torch.zeros(LATENTS, device="meta"), torch.zeros(PROMPTS, device="meta")
    with FlopCounterMode(display=False) as counter:
        unet(latents, torch.tensor(timestep), encoder_hidden_states=prompts)
    return counter.get_total_flops()


def main():
    folder, *depths = sys.argv[1:]
    with torch.device("meta"):
        unet = UNet2DConditionModel.from_config(UNet2DConditionModel.load_config(folder, subfolder="unet"))
    print("full", operations(unet, TIMESTEPS[0]))
    scheduler = SimpleNamespace(timesteps=torch.tensor(TIMESTEPS))
    for depth in depths:
        helper = DeepCacheSDHelper(pipe=SimpleNamespace(unet=unet, scheduler=scheduler))
        helper.set_params(cache_interval=2, cache_branch_id=int(depth))
        helper.enable()
        operations(unet, TIMESTEPS[0])
        print(depth, operations(unet, TIMESTEPS[1]))
        helper.disable()


main()
