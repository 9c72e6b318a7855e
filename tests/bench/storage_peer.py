#!/usr/bin/env python3
"""Denoising steps of diffusers' XL UNet on the CPU, for the storage bench; prints a line after each step.

    storage_peer.py MODE FILE FOLDER PIXELS STEPS SECONDS

MODE: `group-disk-f32` and `group-disk-bf16` are diffusers' group offload of the fp16 file, leaf by leaf, through files in a
temporary folder (10 and 5 GB); `gguf` is its loader of GGUF files, in bf16. FOLDER has the settings of xl_checkpoint.py. Ends
with an error after SECONDS.
"""

import os
import signal
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))

import torch  # noqa: E402
from diffusers import EulerDiscreteScheduler, GGUFQuantizationConfig, UNet2DConditionModel  # noqa: E402

PROMPTS = 2
TOKENS = 77
GUIDANCE = 7.5


def load(mode, dtype, file, folder, scratch):
    settings = dict(config=folder, subfolder="unet", torch_dtype=dtype, local_files_only=True)
    if mode == "gguf":
        quantised = GGUFQuantizationConfig(compute_dtype=dtype)
        return UNet2DConditionModel.from_single_file(file, quantization_config=quantised, **settings)
    unet = UNet2DConditionModel.from_single_file(file, **settings)
    unet.enable_group_offload(
        onload_device=torch.device("cpu"), offload_type="leaf_level", offload_to_disk_path=scratch
    )
    return unet


@torch.inference_mode()
def steps(unet, dtype, scheduler, pixels, count):
    scheduler.set_timesteps(count)
    torch.manual_seed(1)
    latents = torch.randn(1, 4, pixels // 8, pixels // 8, dtype=dtype) * scheduler.init_noise_sigma
    prompts = {
        "encoder_hidden_states": torch.randn(PROMPTS, TOKENS, unet.config.cross_attention_dim, dtype=dtype),
        "added_cond_kwargs": {
            "text_embeds": torch.randn(PROMPTS, 1280, dtype=dtype),
            "time_ids": torch.tensor([[pixels, pixels, 0, 0, pixels, pixels]] * PROMPTS, dtype=dtype),
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
    dtype = torch.float32 if mode.endswith("f32") else torch.bfloat16
    signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"it was not done after {limit} s"))
    signal.alarm(limit)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        unet = load(mode, dtype, file, folder, scratch).eval()
        steps(unet, dtype, EulerDiscreteScheduler.from_pretrained(folder, subfolder="scheduler"), pixels, count)


if __name__ == "__main__":
    main()
