#!/usr/bin/env python3
"""Decodes a latent of 64x64 with diffusers' autoencoder in fp32, for the decode bench; a line at each begin and end.

    decode_peer.py CHECKPOINT TIMES
"""

import os
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))

import torch  # noqa: E402
from diffusers import AutoencoderKL  # noqa: E402


@torch.inference_mode()
def main():
    vae = AutoencoderKL.from_pretrained(sys.argv[1], subfolder="vae", torch_dtype=torch.float32)
    torch.manual_seed(1)
    latents = torch.randn(1, vae.config.latent_channels, 64, 64)
    for _ in range(int(sys.argv[2])):
        print("begin", flush=True)
        image = vae.decode(latents / vae.config.scaling_factor).sample
        print("end", flush=True)
        if not torch.isfinite(image).all():
            sys.exit("the image is no numbers")
        del image


if __name__ == "__main__":
    main()
