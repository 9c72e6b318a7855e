#!/usr/bin/env python3
"""LoRA files for FLUX.1 in the names of all tools, and the checkpoints with the LoRA put into their weights by diffusers.

    make_flux_loras.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: comfyui, own, kohya, kohya_own, onetrainer, peft, bare and diffusers.safetensors hold one LoRA
of rank 4 on attentions, feed-forward layers and modulations; those called own have FLUX's names, with one layer for what is fused there. xlabs
and attentions hold those of its layers that XLabs' trainers train, in their names and in diffusers'. fused/ is the checkpoint that diffusers makes of
diffusers.safetensors at lora_files.STRENGTH.
"""
import torch

import flux_names
import lora_files

PARTS = (".attn.", ".ff.", ".ff_context.", ".proj_mlp", ".proj_out", ".linear.", "norm_out.linear")
TOGETHER = (*flux_names.IMAGE, ".proj_mlp")


def group_of(layer):
    """What is fused in FLUX's names."""
    group = next((group for group in (TOGETHER, flux_names.TEXT) if layer.endswith(group)), None)
    return group and (layer.rsplit("." if layer.endswith(".proj_mlp") else ".attn.", 1)[0], group)


def swapped(factors):
    return factors[0], torch.cat(factors[1].chunk(2)[::-1])


def checked_xlabs(factors, attentions):
    """In XLabs' names; checked by diffusers' own converter."""
    from diffusers.loaders.lora_conversion_utils import _convert_xlabs_flux_lora_to_diffusers

    named = flux_names.xlabs_names(factors, lora_files.fused)
    xlabs = {f"{layer}.{side}.weight": value for layer, pair in named.items() for side, value in zip(("down", "up"), pair)}
    back, expected = _convert_xlabs_flux_lora_to_diffusers(dict(xlabs)), lora_files.dotted(attentions, "transformer.")
    assert set(back) == set(expected) and all(torch.equal(back[key], expected[key]) for key in expected)
    return xlabs


def files_of(state):
    factors = lora_files.factors_of(lora_files.layers_of(state, PARTS), group=group_of)
    own = flux_names.own_names(factors, lora_files.fused, swapped)
    attentions = {name: factors[name] for name in factors if "transformer_blocks." in name and name.endswith(flux_names.XLABS_PARTS)}
    return lora_files.usual_files(factors, factors) | {
        "own": lora_files.dotted(own, "diffusion_model."), "kohya_own": lora_files.mangled(own),
        "onetrainer": lora_files.mangled(factors, "lora_transformer_"), "attentions": lora_files.dotted(attentions, "diffusion_model."),
        "xlabs": checked_xlabs(factors, attentions),
    }


def pipeline_of(checkpoint):
    from diffusers import FluxPipeline

    return FluxPipeline


if __name__ == "__main__":
    lora_files.make_each(files_of, pipeline_of)
