#!/usr/bin/env python3
"""LoRA files for WAN checkpoints in the names of all tools, and the checkpoints with the LoRA put into their weights by diffusers.

    make_wan_loras.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: comfyui, kohya, peft, bare and diffusers.safetensors hold one LoRA of rank 4 on all
attentions and feed-forwards, fused/ is the checkpoint that diffusers makes of comfyui.safetensors at STRENGTH.
"""
import shutil

import torch
from safetensors.torch import load_file, save_file

import made_once

RANK = 4
ALPHA = 2.0  # of kohya's file, whose factors are larger by RANK / ALPHA
STRENGTH = 0.75
PARTS = {"self_attn.q": "attn1.to_q", "self_attn.k": "attn1.to_k", "self_attn.v": "attn1.to_v", "self_attn.o": "attn1.to_out.0",
         "cross_attn.q": "attn2.to_q", "cross_attn.k": "attn2.to_k", "cross_attn.v": "attn2.to_v", "cross_attn.o": "attn2.to_out.0",
         "cross_attn.k_img": "attn2.add_k_proj", "cross_attn.v_img": "attn2.add_v_proj", "ffn.0": "ffn.net.0.proj", "ffn.2": "ffn.net.2"}


def layers_of(state):
    """Theirs, ours and the shape of each layer that is there."""
    for block in range(sum(key.endswith("attn1.to_q.weight") for key in state)):
        for theirs, ours in PARTS.items():
            key = f"blocks.{block}.{ours}"
            if key + ".weight" in state:
                yield f"blocks.{block}.{theirs}", key, state[key + ".weight"].shape


def write_files(state, folder):
    random = torch.Generator().manual_seed(9)
    files = {name: {} for name in ("comfyui", "kohya", "peft", "bare", "diffusers")}
    for theirs, ours, (rows, columns) in layers_of(state):
        down = torch.randn(RANK, columns, generator=random) / columns**0.5
        up = torch.randn(rows, RANK, generator=random) / RANK**0.5
        for name, layer in (("comfyui", "diffusion_model." + theirs), ("bare", theirs), ("diffusers", "transformer." + ours),
                            ("peft", "base_model.model." + ours)):
            files[name] |= {layer + ".lora_A.weight": down, layer + ".lora_B.weight": up}
        layer = "lora_unet_" + theirs.replace(".", "_")
        files["kohya"] |= {layer + ".lora_down.weight": down, layer + ".lora_up.weight": up * (RANK / ALPHA),
                           layer + ".alpha": torch.tensor(ALPHA)}
    for name, tensors in files.items():
        save_file({key: value.clone() for key, value in tensors.items()}, folder / (name + ".safetensors"))


def write_fused(checkpoint, folder):
    from diffusers import WanImageToVideoPipeline, WanPipeline

    kind = WanImageToVideoPipeline if (checkpoint / "image_encoder").exists() else WanPipeline
    pipe = kind.from_pretrained(checkpoint)
    pipe.load_lora_weights(load_file(folder / "comfyui.safetensors"))
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
