#!/usr/bin/env python3
"""Write a checkpoint of the true sizes of WAN 2.1, in the diffusers layout, with headers alone: for plans.

    wan_checkpoint.py hollow KIND TOKENIZER OUT_FOLDER

KIND is `i2v_14b` (image to video, 16.4 B weights, with UMT5 XXL in bf16, CLIP ViT-H and the autoencoder in f32) or `t2v_1_3b`.
TOKENIZER is a folder with a tokenizer of T5. The folder appears whole or not at all; nothing is written when it is there already.
"""

import os
import shutil
import sys

from big_checkpoint import write_json, write_weights

os.environ.setdefault("HF_HUB_OFFLINE", "1")

TRANSFORMER = dict(
    patch_size=(1, 2, 2),
    attention_head_dim=128,
    in_channels=16,
    out_channels=16,
    text_dim=4096,
    freq_dim=256,
    cross_attn_norm=True,
    qk_norm="rms_norm_across_heads",
    eps=1e-6,
    rope_max_seq_len=1024,
)
KINDS = {
    "i2v_14b": dict(TRANSFORMER, num_attention_heads=40, ffn_dim=13824, num_layers=40, in_channels=36, image_dim=1280, added_kv_proj_dim=5120),
    "t2v_1_3b": dict(TRANSFORMER, num_attention_heads=12, ffn_dim=8960, num_layers=30),
}
TEXT = dict(vocab_size=256384, d_model=4096, d_kv=64, num_heads=64, d_ff=10240, num_layers=24, feed_forward_proj="gated-gelu")
VISION = dict(hidden_size=1280, intermediate_size=5120, num_hidden_layers=32, num_attention_heads=16, image_size=224, patch_size=14,
              hidden_act="gelu", projection_dim=1024)
SCHEDULER = dict(num_train_timesteps=1000, prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0)
COMPONENTS = {
    "scheduler": ("diffusers", "UniPCMultistepScheduler"),
    "text_encoder": ("transformers", "UMT5EncoderModel"),
    "tokenizer": ("transformers", "T5TokenizerFast"),
    "transformer": ("diffusers", "WanTransformer3DModel"),
    "vae": ("diffusers", "AutoencoderKLWan"),
}
VISION_COMPONENTS = {"image_encoder": ("transformers", "CLIPVisionModel"), "image_processor": ("transformers", "CLIPImageProcessor")}
TIED = "encoder.embed_tokens.weight"  # published files have it once
HALF_KINDS = ("transformer", "text_encoder")


def networks(kind):
    """Without weights, by the folder's names."""
    import torch
    from diffusers import AutoencoderKLWan, WanTransformer3DModel
    from transformers import CLIPVisionConfig, CLIPVisionModel, UMT5Config, UMT5EncoderModel

    with torch.device("meta"):
        parts = {"transformer": WanTransformer3DModel(**KINDS[kind]), "text_encoder": UMT5EncoderModel(UMT5Config(**TEXT)),
                 "vae": AutoencoderKLWan()}
        if kind.startswith("i2v"):
            parts["image_encoder"] = CLIPVisionModel(CLIPVisionConfig(**VISION))
    return parts


def write_parts(kind, folder):
    for name, part in networks(kind).items():
        (part.save_config if hasattr(part, "save_config") else part.config.save_pretrained)(os.path.join(folder, name))
        stem = "diffusion_pytorch_model" if hasattr(part, "save_config") else "model"
        shapes = {key: tuple(value.shape) for key, value in part.state_dict().items() if key != TIED}
        write_weights(os.path.join(folder, name, stem + ".safetensors"), shapes, "BF16" if name in HALF_KINDS else "F32")


def main():
    kind, tokenizer, out = sys.argv[-3:]
    if os.path.isdir(out):
        return
    from diffusers import UniPCMultistepScheduler

    partial = f"{out}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    os.makedirs(partial)
    write_parts(kind, partial)
    UniPCMultistepScheduler(**SCHEDULER).save_pretrained(os.path.join(partial, "scheduler"))
    shutil.copytree(tokenizer, os.path.join(partial, "tokenizer"))
    is_image = kind.startswith("i2v")
    index = {"_class_name": "WanImageToVideoPipeline" if is_image else "WanPipeline", **COMPONENTS}
    write_json(os.path.join(partial, "model_index.json"), {**index, **(VISION_COMPONENTS if is_image else {})})
    os.rename(partial, out)


if __name__ == "__main__":
    main()
