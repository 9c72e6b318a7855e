#!/usr/bin/env python3
"""LoRA files for Z-Image in the names of all tools, and the checkpoints with the LoRA put into their weights by diffusers.

    make_zimage_loras.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: comfyui, own, kohya, kohya_own, peft, bare and diffusers.safetensors hold one LoRA of rank 4 on
attentions, feed-forward layers and modulations; those called own have Z-Image's names, with one layer for query, key and value. fused/ is the
checkpoint that diffusers makes of diffusers.safetensors at STRENGTH.
"""
import shutil

import torch
from safetensors.torch import load_file, save_file

import made_once
import zimage_names

RANK = 4
ALPHA = 2.0  # of kohya's files, whose factors are larger by RANK / ALPHA
STRENGTH = 0.75
PARTS = (".attention.to_", ".feed_forward.", ".adaLN_modulation.")


def factors_of(state):
    """Query, key and value of an attention share what they read."""
    random = torch.Generator().manual_seed(19)
    factors, shared = {}, {}
    for key in sorted(state):
        layer = key.removesuffix(".weight")
        if layer == key or state[key].dim() != 2 or not any(part in key for part in PARTS):
            continue
        rows, columns = state[key].shape
        down = torch.randn(RANK, columns, generator=random) / columns**0.5
        if layer.endswith((".to_q", ".to_k", ".to_v")):
            down = shared.setdefault(layer[:-1], down)
        factors[layer] = (down, torch.randn(rows, RANK, generator=random) / RANK**0.5)
    return factors


def fused(factors):
    downs, ups = zip(*factors)
    return downs[0], torch.cat(ups)


def dotted(factors, prefix):
    return {f"{prefix}{layer}.lora_{side}.weight": value for layer, pair in factors.items() for side, value in zip("AB", pair)}


def mangled(factors):
    tensors = {}
    for layer, (down, up) in factors.items():
        name = "lora_unet_" + layer.replace(".", "_")
        tensors |= {name + ".lora_down.weight": down, name + ".lora_up.weight": up * (RANK / ALPHA), name + ".alpha": torch.tensor(ALPHA)}
    return tensors


def write_files(state, folder):
    factors = factors_of(state)
    own = zimage_names.own_names(factors, fused)
    files = {
        "comfyui": dotted(factors, "diffusion_model."), "own": dotted(own, "diffusion_model."), "kohya": mangled(factors),
        "kohya_own": mangled(own), "peft": dotted(factors, "base_model.model."), "bare": dotted(factors, ""),
        "diffusers": dotted(factors, "transformer."),
    }
    for name, tensors in files.items():
        save_file({key: value.clone() for key, value in tensors.items()}, folder / (name + ".safetensors"))


def write_fused(checkpoint, folder):
    from diffusers import ZImagePipeline

    pipe = ZImagePipeline.from_pretrained(checkpoint)
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
