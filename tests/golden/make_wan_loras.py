#!/usr/bin/env python3
"""LoRA files for WAN checkpoints in the names of all tools, and the checkpoints with the LoRA put into their weights by diffusers.

    make_wan_loras.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: comfyui, kohya, peft, bare and diffusers.safetensors hold one LoRA of rank 4 on all
attentions and feed-forwards, fused/ is the checkpoint that diffusers makes of comfyui.safetensors at lora_files.STRENGTH.
"""
import lora_files

PARTS = {"self_attn.q": "attn1.to_q", "self_attn.k": "attn1.to_k", "self_attn.v": "attn1.to_v", "self_attn.o": "attn1.to_out.0",
         "cross_attn.q": "attn2.to_q", "cross_attn.k": "attn2.to_k", "cross_attn.v": "attn2.to_v", "cross_attn.o": "attn2.to_out.0",
         "cross_attn.k_img": "attn2.add_k_proj", "cross_attn.v_img": "attn2.add_v_proj", "ffn.0": "ffn.net.0.proj", "ffn.2": "ffn.net.2"}


def layers_of(state):
    """Theirs and ours of each layer that is there."""
    for block in range(sum(key.endswith("attn1.to_q.weight") for key in state)):
        for theirs, ours in PARTS.items():
            key = f"blocks.{block}.{ours}"
            if key + ".weight" in state:
                yield f"blocks.{block}.{theirs}", key


def files_of(state):
    layers = dict(layers_of(state))
    factors = lora_files.factors_of({ours: state[ours + ".weight"].shape for ours in layers.values()}, seed=9)
    return lora_files.usual_files({theirs: factors[ours] for theirs, ours in layers.items()}, factors)


def pipeline_of(checkpoint):
    from diffusers import WanImageToVideoPipeline, WanPipeline

    return WanImageToVideoPipeline if (checkpoint / "image_encoder").exists() else WanPipeline


if __name__ == "__main__":
    lora_files.make_each(files_of, pipeline_of, "comfyui")
