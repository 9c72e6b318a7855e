#!/usr/bin/env python3
"""LoRA files for FLUX.1 in the names of all tools, and the checkpoints with the LoRA put into their weights by diffusers.

    make_flux_loras.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: comfyui, own, kohya, kohya_own, onetrainer, peft, bare and diffusers.safetensors hold one LoRA
of rank 4 on attentions, feed-forward layers and modulations; those called own have FLUX's names, with one layer for what is fused there. xlabs
and attentions hold those of its layers that XLabs' trainers change, in their names and in diffusers'. fused/ is the checkpoint that diffusers makes of
diffusers.safetensors at STRENGTH.
"""
import shutil

import torch
from safetensors.torch import load_file, save_file

import flux_names
import made_once

RANK = 4
ALPHA = 2.0  # of kohya's files, whose factors are larger by RANK / ALPHA
STRENGTH = 0.75
PARTS = (".attn.", ".ff.", ".ff_context.", ".proj_mlp", ".proj_out", ".linear.", "norm_out.linear")
TOGETHER = (*flux_names.IMAGE, ".proj_mlp")


def factors_of(state):
    """What is fused in FLUX's names shares what it reads."""
    random = torch.Generator().manual_seed(19)
    factors, shared = {}, {}
    for key in sorted(state):
        layer = key.removesuffix(".weight")
        if layer == key or state[key].dim() != 2 or not any(part in key for part in PARTS):
            continue
        rows, columns = state[key].shape
        down = torch.randn(RANK, columns, generator=random) / columns**0.5
        for group in (TOGETHER, flux_names.TEXT):
            if layer.endswith(group):
                down = shared.setdefault((layer.rsplit("." if layer.endswith(".proj_mlp") else ".attn.", 1)[0], group), down)
        factors[layer] = (down, torch.randn(rows, RANK, generator=random) / RANK**0.5)
    return factors


def fused(factors):
    downs, ups = zip(*factors)
    assert all(torch.equal(down, downs[0]) for down in downs)
    return downs[0], torch.cat(ups)


def swapped(factors):
    return factors[0], torch.cat(factors[1].chunk(2)[::-1])


def dotted(factors, prefix):
    return {f"{prefix}{layer}.lora_{side}.weight": value for layer, pair in factors.items() for side, value in zip("AB", pair)}


def mangled(factors, prefix="lora_unet_"):
    tensors = {}
    for layer, (down, up) in factors.items():
        name = prefix + layer.replace(".", "_")
        tensors |= {name + ".lora_down.weight": down, name + ".lora_up.weight": up * (RANK / ALPHA), name + ".alpha": torch.tensor(ALPHA)}
    return tensors


def checked_xlabs(factors, attentions):
    """In XLabs' names; checked by diffusers' own converter."""
    from diffusers.loaders.lora_conversion_utils import _convert_xlabs_flux_lora_to_diffusers

    xlabs = {f"{layer}.{side}.weight": value for layer, pair in flux_names.xlabs_names(factors, fused).items() for side, value in zip(("down", "up"), pair)}
    back, expected = _convert_xlabs_flux_lora_to_diffusers(dict(xlabs)), dotted(attentions, "transformer.")
    assert set(back) == set(expected) and all(torch.equal(back[key], expected[key]) for key in expected)
    return xlabs


def write_files(state, folder):
    factors = factors_of(state)
    own = flux_names.own_names(factors, fused, swapped)
    attentions = {name: factors[name] for name in factors if "transformer_blocks." in name and name.endswith(flux_names.XLABS_PARTS)}
    xlabs = checked_xlabs(factors, attentions)
    files = {
        "comfyui": dotted(factors, "diffusion_model."), "own": dotted(own, "diffusion_model."), "kohya": mangled(factors),
        "kohya_own": mangled(own), "onetrainer": mangled(factors, "lora_transformer_"), "peft": dotted(factors, "base_model.model."),
        "bare": dotted(factors, ""), "diffusers": dotted(factors, "transformer."), "attentions": dotted(attentions, "diffusion_model."),
        "xlabs": xlabs,
    }
    for name, tensors in files.items():
        save_file({key: value.clone() for key, value in tensors.items()}, folder / (name + ".safetensors"))


def write_fused(checkpoint, folder):
    from diffusers import FluxPipeline

    pipe = FluxPipeline.from_pretrained(checkpoint)
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
