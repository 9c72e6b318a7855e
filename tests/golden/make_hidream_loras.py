#!/usr/bin/env python3
"""LoRA files for HiDream-I1 in the names of all tools, and the checkpoints with the LoRA put into their weights by diffusers.

    make_hidream_loras.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: comfyui, kohya, peft, bare and diffusers.safetensors hold one LoRA of rank 4 on attentions,
experts and what all tokens share, fused/ is the checkpoint that diffusers makes of diffusers.safetensors at lora_files.STRENGTH.
"""
import lora_files

PARTS = (".attn1.", ".ff_i.experts.", ".ff_i.shared_experts.", ".ff_t.", ".adaLN_modulation.")


def files_of(state):
    factors = lora_files.factors_of(lora_files.layers_of(state, PARTS))
    return lora_files.usual_files(factors, factors)


def pipeline_of(checkpoint):
    from diffusers import HiDreamImagePipeline

    return HiDreamImagePipeline


if __name__ == "__main__":
    lora_files.make_each(files_of, pipeline_of)
