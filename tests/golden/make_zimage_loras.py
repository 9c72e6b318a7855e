#!/usr/bin/env python3
"""LoRA files for Z-Image in the names of all tools, and the checkpoints with the LoRA put into their weights by diffusers.

    make_zimage_loras.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: comfyui, own, kohya, kohya_own, peft, bare and diffusers.safetensors hold one LoRA of rank 4 on
attentions, feed-forward layers and modulations; those called own have Z-Image's names, with one layer for query, key and value. fused/ is the
checkpoint that diffusers makes of diffusers.safetensors at lora_files.STRENGTH.
"""
import lora_files
import zimage_names

PARTS = (".attention.to_", ".feed_forward.", ".adaLN_modulation.")


def group_of(layer):
    """Query, key and value of an attention."""
    return layer[:-1] if layer.endswith((".to_q", ".to_k", ".to_v")) else None


def files_of(state):
    factors = lora_files.factors_of(lora_files.layers_of(state, PARTS), group=group_of)
    own = zimage_names.own_names(factors, lora_files.fused)
    return lora_files.usual_files(factors, factors) | {"own": lora_files.dotted(own, "diffusion_model."), "kohya_own": lora_files.mangled(own)}


def pipeline_of(checkpoint):
    from diffusers import ZImagePipeline

    return ZImagePipeline


if __name__ == "__main__":
    lora_files.make_each(files_of, pipeline_of)
