#!/usr/bin/env python3
"""LoRA files for HiDream-I1 in the names of all tools, and the checkpoints with the LoRA put into their weights by diffusers.

    make_hidream_loras.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: comfyui, kohya, peft, bare and diffusers.safetensors hold one LoRA of rank 4 on attentions,
experts and what all tokens share, fused/ is the checkpoint that diffusers makes of diffusers.safetensors at STRENGTH.
"""
import shutil

import torch
from safetensors.torch import load_file, save_file

import made_once

RANK = 4
ALPHA = 2.0  # of kohya's file, whose factors are larger by RANK / ALPHA
STRENGTH = 0.75
PARTS = (".attn1.", ".ff_i.experts.", ".ff_i.shared_experts.", ".ff_t.", ".adaLN_modulation.")


def write_files(state, folder):
    random = torch.Generator().manual_seed(19)
    files = {name: {} for name in ("comfyui", "kohya", "peft", "bare", "diffusers")}
    for key in sorted(state):
        layer = key.removesuffix(".weight")
        if layer == key or state[key].dim() != 2 or not any(part in key for part in PARTS):
            continue
        rows, columns = state[key].shape
        down = torch.randn(RANK, columns, generator=random) / columns**0.5
        up = torch.randn(rows, RANK, generator=random) / RANK**0.5
        for name, prefix in (("comfyui", "diffusion_model."), ("bare", ""), ("diffusers", "transformer."), ("peft", "base_model.model.")):
            files[name] |= {f"{prefix}{layer}.lora_A.weight": down, f"{prefix}{layer}.lora_B.weight": up}
        mangled = "lora_unet_" + layer.replace(".", "_")
        files["kohya"] |= {mangled + ".lora_down.weight": down, mangled + ".lora_up.weight": up * (RANK / ALPHA),
                           mangled + ".alpha": torch.tensor(ALPHA)}
    for name, tensors in files.items():
        save_file({key: value.clone() for key, value in tensors.items()}, folder / (name + ".safetensors"))


def write_fused(checkpoint, folder):
    from diffusers import HiDreamImagePipeline

    pipe = HiDreamImagePipeline.from_pretrained(checkpoint)
    pipe.load_lora_weights(load_file(folder / "diffusers.safetensors"))
    pipe.fuse_lora(components=["transformer"], lora_scale=STRENGTH)
    pipe.unload_lora_weights()
    shutil.copytree(checkpoint, folder / "fused", ignore=shutil.ignore_patterns("transformer"))
    pipe.transformer.save_pretrained(folder / "fused" / "transformer")


def make(checkpoint, folder):
    folder.mkdir(parents=True)
    write_files(load_file(checkpoint / "transformer" / "diffusion_pytorch_model.safetensors"), folder)
    write_fused(checkpoint, folder)


if __name__ == "__main__":
    made_once.make_each(make)
