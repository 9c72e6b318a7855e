#!/usr/bin/env python3
"""Write a checkpoint of the true sizes of FLUX.1 dev, headers alone, for plans.

    flux_checkpoint.py hollow REFERENCE OUT_FOLDER

The diffusers layout: 11.9 B weights in the transformer, 4.8 in T5 XXL, CLIP-L and FLUX's autoencoder, all in bf16; tokenizers are small ones of
REFERENCE. write_files() writes headers of the files of dev and schnell, as they were published and as ComfyUI has them, for other scripts. The
folder appears whole or not at all; nothing is written when it is there already.
"""

import os
import sys

import hidream_checkpoint
import wan_checkpoint  # finds flux_names
import flux_names
from big_checkpoint import make_once, shapes_of, write_index, write_parts
from xl_checkpoint import TEXT, WORDS

os.environ.setdefault("HF_HUB_OFFLINE", "1")

DEV = dict(in_channels=64, num_layers=19, num_single_layers=38, attention_head_dim=128, num_attention_heads=24, joint_attention_dim=4096,
           pooled_projection_dim=768, guidance_embeds=True, axes_dims_rope=(16, 56, 56))
SCHNELL = {**DEV, "guidance_embeds": False}
SCHEDULER = dict(_class_name="FlowMatchEulerDiscreteScheduler", num_train_timesteps=1000, shift=3.0, use_dynamic_shifting=True, base_shift=0.5,
                 max_shift=1.15, base_image_seq_len=256, max_image_seq_len=4096)
CLASSES = {
    "scheduler": ("diffusers", "FlowMatchEulerDiscreteScheduler"),
    "text_encoder": ("transformers", "CLIPTextModel"),
    "text_encoder_2": ("transformers", "T5EncoderModel"),
    "tokenizer": ("transformers", "CLIPTokenizer"),
    "tokenizer_2": ("transformers", "T5TokenizerFast"),
    "transformer": ("diffusers", "FluxTransformer2DModel"),
    "vae": ("diffusers", "AutoencoderKL"),
}


def fused(shapes):
    return (sum(shape[0] for shape in shapes), *shapes[0][1:])


def transformer(config):
    """In FLUX's own names."""
    import torch
    from diffusers import FluxTransformer2DModel

    with torch.device("meta"):
        return flux_names.own_names(shapes_of(FluxTransformer2DModel(**config)), fused, lambda shape: shape)


def clip():
    import torch
    from transformers import CLIPTextConfig, CLIPTextModel

    with torch.device("meta"):
        shapes = shapes_of(CLIPTextModel(CLIPTextConfig(**WORDS, **TEXT)))
    return {key if key.startswith("text_model.") else "text_model." + key: shape for key, shape in shapes.items() if "position_ids" not in key}


def write_files(folder):
    """In the folders of ComfyUI, under the names with which its files are published; T5 and the autoencoder are HiDream-I1's."""
    for path, kind, shapes in (("diffusion_models/flux1-dev-fp8", "F8_E4M3", transformer(DEV)),
                               ("diffusion_models/flux1-schnell", "BF16", transformer(SCHNELL)), ("text_encoders/clip_l", "F16", clip())):
        wan_checkpoint.write_tensors(os.path.join(folder, path + ".safetensors"), {key: (kind, shape) for key, shape in shapes.items()}, {})


def networks(vocabulary):
    """Without weights, by the folder's names; CLIP's words are `vocabulary` many."""
    import torch
    from diffusers import AutoencoderKL, FluxTransformer2DModel
    from transformers import CLIPTextConfig, CLIPTextModel, T5Config, T5EncoderModel

    words = {**WORDS, "vocab_size": vocabulary, "bos_token_id": 0, "eos_token_id": 2}
    with torch.device("meta"):
        return {"text_encoder": CLIPTextModel(CLIPTextConfig(**words, **TEXT)), "text_encoder_2": T5EncoderModel(T5Config(**hidream_checkpoint.T5)),
                "transformer": FluxTransformer2DModel(**DEV), "vae": AutoencoderKL(**hidream_checkpoint.VAE)}


def write_folder(tokenizers, folder):
    vocabulary = tokenizers.write_clip(os.path.join(folder, "tokenizer"), pad=tokenizers.EOS, max_length=WORDS["max_position_embeddings"])
    hidream_checkpoint.write_t5(tokenizers, os.path.join(folder, "tokenizer_2"))
    write_parts(folder, networks(vocabulary))
    write_index(folder, "FluxPipeline", CLASSES, SCHEDULER)


def main():
    reference, out = sys.argv[-2:]
    sys.path.insert(0, reference)
    from lib import tokenizers

    make_once(out, lambda folder: write_folder(tokenizers, folder))


if __name__ == "__main__":
    main()
