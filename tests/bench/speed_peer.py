#!/usr/bin/env python3
"""The stages of a picture with diffusers in fp32 on the CPU, for the speed bench; a line at each begin and end.

    speed_peer.py CHECKPOINT STEPS
    speed_peer.py measure CHECKPOINT

The second form prints what the table needs beside times: floating-point operations of each stage, and how many of them
a large matrix product does in a second of CPU time.
"""

import os
import sys
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))

import torch  # noqa: E402
from diffusers import AutoencoderKL, DDIMScheduler, UNet2DConditionModel  # noqa: E402
from transformers import CLIPTextConfig, CLIPTextModel  # noqa: E402

PROMPTS = 2
TOKENS = 77
LATENT_SIDE = 64
GUIDANCE = 7.5
GEMM_SIDE = 2048
GEMM_ROUNDS = 8


def say(what):
    print(what, flush=True)


def on_meta(folder):
    with torch.device("meta"):
        yield "encode", CLIPTextModel(CLIPTextConfig.from_pretrained(folder, subfolder="text_encoder"))
        yield "step", UNet2DConditionModel.from_config(UNet2DConditionModel.load_config(folder, subfolder="unet"))
        yield "decode", AutoencoderKL.from_config(AutoencoderKL.load_config(folder, subfolder="vae")).decoder


def measure(folder):
    from torch.utils.flop_counter import FlopCounterMode

    for stage, network in on_meta(folder):
        with torch.device("meta"), FlopCounterMode(display=False) as counter:
            if stage == "encode":
                network(torch.zeros(PROMPTS, TOKENS, dtype=torch.long))
            elif stage == "step":
                latents = torch.zeros(PROMPTS, 4, LATENT_SIDE, LATENT_SIDE)
                network(latents, 1, encoder_hidden_states=torch.zeros(PROMPTS, TOKENS, 768))
            else:
                network(torch.zeros(1, 4, LATENT_SIDE, LATENT_SIDE))
        say(f"flops {stage} {counter.get_total_flops()}")
    a, b = torch.randn(2, GEMM_SIDE, GEMM_SIDE)
    best = 0.0
    for _ in range(GEMM_ROUNDS):
        start = time.process_time()
        torch.mm(a, b)
        best = max(best, 2 * GEMM_SIDE**3 / (time.process_time() - start))
    say(f"peak {best}")


def run(folder, steps):
    say("load begin")
    encoder = CLIPTextModel.from_pretrained(folder, subfolder="text_encoder", dtype=torch.float32)
    unet = UNet2DConditionModel.from_pretrained(folder, subfolder="unet", torch_dtype=torch.float32)
    vae = AutoencoderKL.from_pretrained(folder, subfolder="vae", torch_dtype=torch.float32)
    say("load end")
    say("encode begin")
    prompts = encoder(torch.arange(PROMPTS * TOKENS).view(PROMPTS, TOKENS) % 800).last_hidden_state
    say("encode end")
    scheduler = DDIMScheduler.from_pretrained(folder, subfolder="scheduler")
    scheduler.set_timesteps(steps)
    torch.manual_seed(1)
    latents = torch.randn(1, 4, LATENT_SIDE, LATENT_SIDE)
    for moment in scheduler.timesteps:
        say("step begin")
        without, guided = unet(torch.cat([latents] * 2), moment, encoder_hidden_states=prompts).sample.chunk(2)
        latents = scheduler.step(without + GUIDANCE * (guided - without), moment, latents).prev_sample
        say("step end")
    say("decode begin")
    image = vae.decode(latents / vae.config.scaling_factor).sample
    say("decode end")
    if not torch.isfinite(image).all():
        sys.exit("the picture is no numbers")


@torch.inference_mode()
def main():
    if sys.argv[1] == "measure":
        measure(sys.argv[2])
    else:
        run(sys.argv[1], int(sys.argv[2]))


if __name__ == "__main__":
    main()
