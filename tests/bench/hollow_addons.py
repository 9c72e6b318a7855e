#!/usr/bin/env python3
"""Write what users add to Stable Diffusion 1.5 and XL, and files of WAN, HiDream-I1, Z-Image and FLUX.1, at true sizes, headers alone, for plans.

    hollow_addons.py hollow REFERENCE TOKENIZER QWEN IMAGES OUT_FOLDER

Files lie in the folders that ComfyUI has for them, under the names with which they are published; the checkpoint is one fp16
file in the LDM layout. TOKENIZER is a folder with a tokenizer of T5, for WAN, QWEN one with Qwen's. IMAGES is copied to OUT_FOLDER/pictures. The
folder appears whole or not at all; nothing is written when it is there already.
"""

import os
import shutil
import sys

import flux_checkpoint
import hidream_checkpoint
import wan_checkpoint
import zimage_checkpoint
from big_checkpoint import SD15, make_once, shapes_of, write_weights
from xl_checkpoint import TEXT, UNET, VAE, WORDS

LORA_RANK = 32
VIT_H = dict(
    hidden_size=1280,
    intermediate_size=5120,
    num_hidden_layers=32,
    num_attention_heads=16,
    image_size=224,
    patch_size=14,
    projection_dim=1024,
    hidden_act="gelu",
)
IP_TOKENS = 4


def checkpoint_shapes(ldm_keys, unet):
    from diffusers import AutoencoderKL
    from transformers import CLIPTextConfig, CLIPTextModel

    vae = AutoencoderKL(**{**VAE, "sample_size": 512, "scaling_factor": 0.18215})
    text = CLIPTextModel(CLIPTextConfig(**WORDS, **TEXT))
    states = {
        "model.diffusion_model.": ldm_keys.unet_state(unet.state_dict(), unet.config.layers_per_block),
        "first_stage_model.": ldm_keys.vae_state(vae.state_dict()),
        "cond_stage_model.transformer.": ldm_keys.clip_state(text.state_dict()),
    }
    return {prefix + key: tuple(value.shape) for prefix, state in states.items() for key, value in state.items()
            if value.is_floating_point()}


def control_shapes(unet):
    from diffusers import ControlNetModel

    return shapes_of(ControlNetModel.from_unet(unet))


def ip_adapter_shapes(unet):
    """The tensors of IP-Adapter with ViT-H: four tokens of the projected image, pairs for every cross attention."""
    seen, width = VIT_H["projection_dim"], unet.config.cross_attention_dim
    shapes = {
        "image_proj.proj.weight": (IP_TOKENS * width, seen),
        "image_proj.proj.bias": (IP_TOKENS * width,),
        "image_proj.norm.weight": (width,),
        "image_proj.norm.bias": (width,),
    }
    for number, name in enumerate(unet.attn_processors):
        if name.endswith("attn2.processor"):
            inner = unet.get_submodule(name.removesuffix(".processor")).to_k.out_features
            for part in ("to_k_ip", "to_v_ip"):
                shapes[f"ip_adapter.{number}.{part}.weight"] = (inner, width)
    return shapes


def vision_shapes():
    from transformers import CLIPVisionConfig, CLIPVisionModelWithProjection

    return {name: shape for name, shape in shapes_of(CLIPVisionModelWithProjection(CLIPVisionConfig(**VIT_H))).items()
            if not name.endswith("position_ids")}


def lora_shapes(unet):
    """As kohya's trainer does by default: every linear layer of every transformer."""
    import torch

    shapes = {}
    for name, module in unet.named_modules():
        if isinstance(module, torch.nn.Linear) and ".transformer_blocks." in name:
            key = "lora_unet_" + name.replace(".", "_")
            shapes[key + ".alpha"] = ()
            shapes[key + ".lora_down.weight"] = (LORA_RANK, module.in_features)
            shapes[key + ".lora_up.weight"] = (module.out_features, LORA_RANK)
    return shapes


def write_upscaler(path):
    """As Real-ESRGAN publishes it: saved by PyTorch, in full."""
    import torch
    from lib.esrgan import RRDBNet

    os.makedirs(os.path.dirname(path), exist_ok=True)
    state = RRDBNet(width=64, growth=32, blocks=23).state_dict()
    torch.save({"params_ema": {name: torch.zeros_like(value) for name, value in state.items()}}, path)


def write_folder(reference, tokenizer, qwen, images, folder):
    sys.path.insert(0, reference)
    import torch
    from diffusers import UNet2DConditionModel
    from lib import ldm_keys, tokenizers

    with torch.device("meta"):
        small, large = UNet2DConditionModel(**SD15), UNet2DConditionModel(**UNET)
        files = {
            "checkpoints/v1-5-pruned-emaonly": checkpoint_shapes(ldm_keys, small),
            "controlnet/control_v11p_sd15_canny_fp16": control_shapes(small),
            "controlnet/diffusers_xl_canny_full": control_shapes(large),
            "ipadapter/ip-adapter_sdxl_vit-h": ip_adapter_shapes(large),
            "clip_vision/CLIP-ViT-H-14-laion2B-s32B-b79K": vision_shapes(),
            "loras/sd_xl_offset_example-lora_1.0": lora_shapes(large),
            "loras/add_detail": lora_shapes(small),
        }
    for name, shapes in files.items():
        path = os.path.join(folder, name + ".safetensors")
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_weights(path, shapes)
    write_upscaler(os.path.join(folder, "upscale_models", "RealESRGAN_x4plus.pth"))
    wan_checkpoint.write_files(folder, tokenizer)
    hidream_checkpoint.write_files(folder, tokenizers, ldm_keys)
    zimage_checkpoint.write_files(folder, qwen)
    flux_checkpoint.write_files(folder)
    shutil.copytree(images, os.path.join(folder, "pictures"))


def main():
    *given, out = sys.argv[-5:]
    make_once(out, lambda folder: write_folder(*given, folder))


if __name__ == "__main__":
    main()
