#!/usr/bin/env python3
"""Write a checkpoint of the true sizes of Z-Image-Turbo, headers alone, for plans.

    zimage_checkpoint.py hollow TOKENIZER OUT_FOLDER

The diffusers layout: 6.2 B weights in the transformer, 4.0 in Qwen 3, FLUX's autoencoder, all in bf16; TOKENIZER is the folder of a small one.
write_files() writes headers of ComfyUI's files, for other scripts. The folder appears whole or not at all; nothing is written when it is there
already.
"""

import os
import shutil
import sys

import padded_tokenizer
import wan_checkpoint  # finds zimage_names
import zimage_names
from big_checkpoint import make_once, shapes_of, write_index, write_parts
from hidream_checkpoint import SCHEDULER, VAE

os.environ.setdefault("HF_HUB_OFFLINE", "1")

QWEN = dict(vocab_size=151936, hidden_size=2560, intermediate_size=9728, num_hidden_layers=36, num_attention_heads=32, num_key_value_heads=8, head_dim=128,
            max_position_embeddings=40960, rms_norm_eps=1e-6, tie_word_embeddings=True, rope_parameters=dict(rope_type="default", rope_theta=1000000.0))
TRANSFORMER = dict(in_channels=16, dim=3840, n_layers=30, n_refiner_layers=2, n_heads=30, n_kv_heads=30, cap_feat_dim=2560, rope_theta=256.0,
                   axes_dims=[32, 48, 48], axes_lens=[1536, 512, 512])
HEAD = "lm_head.weight"  # the same as the embedding
CLASSES = {
    "scheduler": ("diffusers", "FlowMatchEulerDiscreteScheduler"),
    "text_encoder": ("transformers", "Qwen3Model"),
    "tokenizer": ("transformers", "Qwen2Tokenizer"),
    "transformer": ("diffusers", "ZImageTransformer2DModel"),
    "vae": ("diffusers", "AutoencoderKL"),
}


def networks():
    """Without weights, by the folder's names."""
    import torch
    from diffusers import AutoencoderKL, ZImageTransformer2DModel
    from transformers import Qwen3Config, Qwen3ForCausalLM

    with torch.device("meta"):
        return {"text_encoder": Qwen3ForCausalLM(Qwen3Config(**QWEN)), "transformer": ZImageTransformer2DModel(**TRANSFORMER), "vae": AutoencoderKL(**VAE)}


def fused(shapes):
    return sum(shape[0] for shape in shapes), shapes[0][1]


def write_files(folder, tokenizer):
    """In the folders of ComfyUI, under the names with which its files are published; the autoencoder is HiDream-I1's."""
    parts = networks()
    text = {key: shape for key, shape in shapes_of(parts["text_encoder"]).items() if key != HEAD}
    for path, shapes in (("diffusion_models/z_image_turbo_bf16", zimage_names.own_names(shapes_of(parts["transformer"]), fused)),
                         ("text_encoders/qwen_3_4b", text)):
        wan_checkpoint.write_tensors(os.path.join(folder, path + ".safetensors"), {key: ("BF16", shape) for key, shape in shapes.items()}, {})
    shutil.copytree(tokenizer, os.path.join(folder, "text_encoders", "tokenizer"))
    padded_tokenizer.pad(os.path.join(folder, "text_encoders", "tokenizer"), QWEN["vocab_size"])


def write_folder(tokenizer, folder):
    shutil.copytree(tokenizer, os.path.join(folder, "tokenizer"))
    padded_tokenizer.pad(os.path.join(folder, "tokenizer"), QWEN["vocab_size"])
    write_parts(folder, networks(), tied=HEAD)
    write_index(folder, "ZImagePipeline", CLASSES, SCHEDULER)


def main():
    tokenizer, out = sys.argv[-2:]
    make_once(out, lambda folder: write_folder(tokenizer, folder))


if __name__ == "__main__":
    main()
