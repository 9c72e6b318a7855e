#!/usr/bin/env python3
"""Denoising steps of diffusers' XL UNet on the CPU in bfloat16, for the storage bench; prints a line after each step.

    storage_peer.py MODE FILE FOLDER PIXELS STEPS SECONDS

MODE: `group-disk` is diffusers' group offload of the fp16 file, leaf by leaf, through files in a temporary folder; `gguf` its
loader of GGUF files. FOLDER has the settings of xl_checkpoint.py. Ends with an error after SECONDS.
"""

import os
import signal
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))

import torch  # noqa: E402
from diffusers import EulerDiscreteScheduler, GGUFQuantizationConfig, UNet2DConditionModel  # noqa: E402

TYPE = torch.bfloat16
PROMPTS = 2
TOKENS = 77
GUIDANCE = 7.5


def load(mode, file, folder, scratch):
    settings = dict(config=folder, subfolder="unet", torch_dtype=TYPE, local_files_only=True)
    if mode == "gguf":
        quantised = GGUFQuantizationConfig(compute_dtype=TYPE)
        return UNet2DConditionModel.from_single_file(file, quantization_config=quantised, **settings)
    unet = UNet2DConditionModel.from_single_file(file, **settings)
    unet.enable_group_offload(
        onload_device=torch.device("cpu"), offload_type="leaf_level", offload_to_disk_path=scratch
    )
    return unet


@torch.inference_mode()
def steps(unet, scheduler, pixels, count):
    scheduler.set_timesteps(count)
    torch.manual_seed(1)
    latents = torch.randn(1, 4, pixels // 8, pixels // 8, dtype=TYPE) * scheduler.init_noise_sigma
    prompts = {
        "encoder_hidden_states": torch.randn(PROMPTS, TOKENS, unet.config.cross_attention_dim, dtype=TYPE),
        "added_cond_kwargs": {
            "text_embeds": torch.randn(PROMPTS, 1280, dtype=TYPE),
            "time_ids": torch.tensor([[pixels, pixels, 0, 0, pixels, pixels]] * PROMPTS, dtype=TYPE),
        },
    }
    print("begin", flush=True)
    for moment in scheduler.timesteps:
        inputs = scheduler.scale_model_input(torch.cat([latents] * 2), moment)
        without, guided = unet(inputs, moment, **prompts).sample.chunk(2)
        latents = scheduler.step(without + GUIDANCE * (guided - without), moment, latents).prev_sample
        print("step", flush=True)
    if not torch.isfinite(latents.float()).all():
        sys.exit("the latents are no numbers")


def main():
    mode, file, folder = sys.argv[1:4]
    pixels, count, limit = map(int, sys.argv[4:])
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"it was not done after {limit} s"))
    signal.alarm(limit)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        unet = load(mode, file, folder, scratch).eval()
        steps(unet, EulerDiscreteScheduler.from_pretrained(folder, subfolder="scheduler"), pixels, count)


if __name__ == "__main__":
    main()
