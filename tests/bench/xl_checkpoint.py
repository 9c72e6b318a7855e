#!/usr/bin/env python3
"""Write a random checkpoint of the true sizes of Stable Diffusion XL: one fp16 file in the LDM layout.

    xl_checkpoint.py [hollow] [refiner] REFERENCE MINI_FOLDER OUT_FOLDER

OUT_FOLDER/model.safetensors is the file (6.9 GB, of the refiner 6.1 GB; `hollow`: headers alone, for plans); the folder next to
it has the settings of every part and the mini model's tokenizer, which diffusers wants with such a file. The folder appears
whole or not at all; nothing is written when it is there already.
"""

import os
import shutil
import sys

from big_checkpoint import make_once, write_json, write_weights

os.environ.setdefault("HF_HUB_OFFLINE", "1")

UNET = dict(
    sample_size=128,
    block_out_channels=(320, 640, 1280),
    down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
    layers_per_block=2,
    transformer_layers_per_block=(1, 2, 10),
    attention_head_dim=(5, 10, 20),
    cross_attention_dim=2048,
    use_linear_projection=True,
    addition_embed_type="text_time",
    addition_time_embed_dim=256,
    projection_class_embeddings_input_dim=2816,
)
REFINER_UNET = dict(
    UNET,
    block_out_channels=(384, 768, 1536, 1536),
    down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
    up_block_types=("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
    transformer_layers_per_block=4,
    attention_head_dim=(6, 12, 24, 24),
    cross_attention_dim=1280,
    projection_class_embeddings_input_dim=2560,
)
VAE = dict(
    block_out_channels=(128, 256, 512, 512),
    down_block_types=("DownEncoderBlock2D",) * 4,
    up_block_types=("UpDecoderBlock2D",) * 4,
    layers_per_block=2,
    latent_channels=4,
    sample_size=1024,
    scaling_factor=0.13025,
    force_upcast=True,
)
WORDS = dict(vocab_size=49408, max_position_embeddings=77, bos_token_id=49406, eos_token_id=49407)
TEXT = dict(hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, projection_dim=768)
TEXT_2 = dict(
    hidden_size=1280,
    intermediate_size=5120,
    num_hidden_layers=32,
    num_attention_heads=20,
    projection_dim=1280,
    hidden_act="gelu",
)
SCHEDULER = dict(
    num_train_timesteps=1000, beta_start=0.00085, beta_end=0.012, beta_schedule="scaled_linear", timestep_spacing="leading",
    steps_offset=1,
)
COMPONENTS = {
    "scheduler": ("diffusers", "EulerDiscreteScheduler"),
    "text_encoder": ("transformers", "CLIPTextModel"),
    "text_encoder_2": ("transformers", "CLIPTextModelWithProjection"),
    "tokenizer": ("transformers", "CLIPTokenizer"),
    "tokenizer_2": ("transformers", "CLIPTokenizer"),
    "unet": ("diffusers", "UNet2DConditionModel"),
    "vae": ("diffusers", "AutoencoderKL"),
}


IS_REFINER = "refiner" in sys.argv[1:-3]


def save_settings(folder, mini):
    from diffusers import EulerDiscreteScheduler

    EulerDiscreteScheduler(**SCHEDULER).save_pretrained(os.path.join(folder, "scheduler"))
    absent = ("text_encoder", "tokenizer") if IS_REFINER else ()
    for tokenizer in {"tokenizer", "tokenizer_2"} - set(absent):
        shutil.copytree(os.path.join(mini, "tokenizer"), os.path.join(folder, tokenizer))
    index = {"_class_name": "StableDiffusionXLPipeline", "force_zeros_for_empty_prompt": True, **COMPONENTS}
    if IS_REFINER:
        index.update(_class_name="StableDiffusionXLImg2ImgPipeline", force_zeros_for_empty_prompt=False,
                     requires_aesthetics_score=True, **{name: (None, None) for name in absent})
    write_json(os.path.join(folder, "model_index.json"), index)


def parts_of_file():
    """Networks without weights, by the folder's names."""
    import torch
    from diffusers import AutoencoderKL, UNet2DConditionModel
    from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection

    with torch.device("meta"):
        parts = {"unet": UNet2DConditionModel(**(REFINER_UNET if IS_REFINER else UNET)), "vae": AutoencoderKL(**VAE)}
        if not IS_REFINER:
            parts["text_encoder"] = CLIPTextModel(CLIPTextConfig(**WORDS, **TEXT))
        parts["text_encoder_2"] = CLIPTextModelWithProjection(CLIPTextConfig(**WORDS, **TEXT_2))
    return parts


def shapes_of_file(folder, ldm_keys):
    """Names and shapes in the LDM layout; saves each part's settings in the folder."""
    parts = parts_of_file()
    for name, part in parts.items():
        (part.save_config if hasattr(part, "save_config") else part.config.save_pretrained)(os.path.join(folder, name))
    states = {
        "model.diffusion_model.": ldm_keys.unet_state(parts["unet"].state_dict(), UNET["layers_per_block"]),
        "first_stage_model.": ldm_keys.vae_state(parts["vae"].state_dict()),
    }
    if not IS_REFINER:
        states["conditioner.embedders.0.transformer."] = ldm_keys.clip_state(parts["text_encoder"].state_dict())
    second = f"conditioner.embedders.{0 if IS_REFINER else 1}.model."
    states[second] = ldm_keys.open_clip_state(parts["text_encoder_2"].state_dict())
    return {prefix + key: tuple(value.shape) for prefix, state in states.items() for key, value in state.items()
            if value.is_floating_point()}


def write_file(reference, mini, folder):
    sys.path.insert(0, reference)
    from lib import ldm_keys

    save_settings(folder, mini)
    write_weights(os.path.join(folder, "model.safetensors"), shapes_of_file(folder, ldm_keys))


def main():
    reference, mini, out = sys.argv[-3:]
    make_once(out, lambda folder: write_file(reference, mini, folder))


if __name__ == "__main__":
    main()
