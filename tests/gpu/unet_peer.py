#!/usr/bin/env python3
"""The UNet of unet_bench.cpp with diffusers, offloaded as users do it today (offload_ways.py); prints one JSON list.

    unet_peer.py CHECKPOINT PIXELS FORWARDS DEVICE

First it loads the network, makes one step and prints "step" when it is done; with 0 FORWARDS that is all. A forward is one
step of the denoiser on a pair of latents, as guidance asks for it, in fp16, and resident in fp32 too. On "cpu" everything is
resident and in fp32 (a check of this file).
"""

import json
import os
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")

import torch  # noqa: E402
from offload_ways import RESIDENT, WAYS, finish, measure, measure_all, refusal  # noqa: E402

PIXELS_OF_A_LATENT = 8
SIDES = 2


def load(folder, dtype):
    from diffusers import UNet2DConditionModel

    return UNet2DConditionModel.from_pretrained(folder, subfolder="unet", torch_dtype=dtype)


class Step:
    """One prediction; the inputs are drawn on the cpu and brought over once."""

    def __init__(self, folder, pixels, device, dtype):
        settings = {}
        for part in ("unet", "text_encoder"):
            with open(os.path.join(folder, part, "config.json")) as file:
                settings[part] = json.load(file)
        side = pixels // PIXELS_OF_A_LATENT
        tokens = settings["text_encoder"]["max_position_embeddings"]
        width = settings["unet"]["cross_attention_dim"]
        generator = torch.Generator().manual_seed(1)
        self.latents = torch.randn(SIDES, 4, side, side, generator=generator).to(device, dtype)
        self.prompts = torch.randn(SIDES, tokens, width, generator=generator).to(device, dtype)
        self.time = torch.tensor(500, device=device)

    def __call__(self, unet):
        return unet(self.latents, self.time, encoder_hidden_states=self.prompts).sample


def load_and_step(folder, pixels, device):
    dtype = torch.float16 if device.type == "cuda" else torch.float32
    unet = load(folder, dtype)
    WAYS[RESIDENT](unet, device)
    with torch.no_grad():
        Step(folder, pixels, device, dtype)(unet)
    finish(device)
    print("step", flush=True)


def forget(device):
    if device.type == "cuda":
        torch.cuda.empty_cache()


def rows(folder, pixels, forwards, device):
    whole = Step(folder, pixels, device, torch.float32)
    exact = f"{RESIDENT}, f32"
    try:
        row, _ = measure(RESIDENT, load(folder, torch.float32), whole, device, forwards)
        yield {**row, "way": exact}
    except Exception as error:  # noqa: BLE001 - a peer that cannot is a row, not the end
        yield refusal(exact, error)
    forget(device)
    if device.type == "cuda":
        half = Step(folder, pixels, device, torch.float16)
        yield from measure_all(lambda: load(folder, torch.float16), half, device, forwards)


def main():
    folder, device = sys.argv[1], torch.device(sys.argv[4])
    pixels, forwards = int(sys.argv[2]), int(sys.argv[3])
    load_and_step(folder, pixels, device)
    if forwards:
        forget(device)
        print(json.dumps(list(rows(folder, pixels, forwards, device))))


if __name__ == "__main__":
    main()
