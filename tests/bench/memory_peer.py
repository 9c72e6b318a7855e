#!/usr/bin/env python3
"""Denoising steps of diffusers' UNet on the CPU, for the memory bench; prints a line after each step.

    memory_peer.py MODE CHECKPOINT STEPS

MODE: `f32` and `bf16` hold the whole network in that type; `accelerate-disk` reads each layer's weights from the fp16
file as f32 when it is used; `group-disk` is diffusers' group offload, leaf by leaf, through files in a temporary folder.
"""

import os
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))

import torch  # noqa: E402
from diffusers import DDIMScheduler, UNet2DConditionModel  # noqa: E402

PROMPT_TOKENS = 32
LATENT_SIDE = 64


def whole(folder, dtype):
    return UNet2DConditionModel.from_pretrained(folder, subfolder="unet", torch_dtype=dtype)


def from_disk(folder, scratch):
    from accelerate import dispatch_model, init_empty_weights

    with init_empty_weights():
        unet = UNet2DConditionModel.from_config(UNet2DConditionModel.load_config(folder, subfolder="unet"))
    file = os.path.join(folder, "unet", "diffusion_pytorch_model.safetensors")
    index = {
        name: {"safetensors_file": file, "weight_name": name, "dtype": "float32"} for name in unet.state_dict()
    }
    return dispatch_model(
        unet, {"": "disk"}, main_device="cpu", offload_index=index, offload_dir=scratch, force_hooks=True
    )


def in_groups(folder, scratch):
    unet = whole(folder, torch.float32)
    unet.enable_group_offload(
        onload_device=torch.device("cpu"), offload_type="leaf_level", offload_to_disk_path=scratch
    )
    return unet


def load(mode, folder, scratch):
    if mode in ("f32", "bf16"):
        return whole(folder, torch.float32 if mode == "f32" else torch.bfloat16)
    return {"accelerate-disk": from_disk, "group-disk": in_groups}[mode](folder, scratch)


@torch.inference_mode()
def main():
    mode, folder, steps = sys.argv[1], sys.argv[2], int(sys.argv[3])
    dtype = torch.bfloat16 if mode == "bf16" else torch.float32
    with tempfile.TemporaryDirectory(dir=os.path.dirname(folder)) as scratch:
        unet = load(mode, folder, scratch).eval()
        scheduler = DDIMScheduler.from_pretrained(folder, subfolder="scheduler")
        scheduler.set_timesteps(steps)
        torch.manual_seed(1)
        latents = torch.randn(1, unet.config.in_channels, LATENT_SIDE, LATENT_SIDE, dtype=dtype)
        prompt = torch.randn(1, PROMPT_TOKENS, unet.config.cross_attention_dim, dtype=dtype)
        print("begin", flush=True)
        for time in scheduler.timesteps:
            noise = unet(latents, time, encoder_hidden_states=prompt).sample
            latents = scheduler.step(noise, time, latents).prev_sample
            print("step", flush=True)
        if not torch.isfinite(latents.float()).all():
            sys.exit("the latents are no numbers")


if __name__ == "__main__":
    main()
