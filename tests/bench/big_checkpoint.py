#!/usr/bin/env python3
"""Write a large random checkpoint: a UNet in fp16 beside the small parts of the mini model.

    big_checkpoint.py SIZE MINI_FOLDER OUT_FOLDER

SIZE is `large` (2.6 B parameters: SDXL's UNet without its added embedding), `small` (0.13 B, the same shape with
fewer channels and layers) or `sd15` (Stable Diffusion 1.5: UNet, autoencoder and text encoder; only the tokenizer is
the mini model's). The folder appears whole or not at all; nothing is written when it is there already.
"""

import json
import math
import os
import shutil
import struct
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")

SHAPE = dict(
    sample_size=64,
    down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
    layers_per_block=2,
    use_linear_projection=True,
)
SIZES = {
    "large": dict(
        block_out_channels=(320, 640, 1280),
        transformer_layers_per_block=(1, 2, 10),
        attention_head_dim=(5, 10, 20),
        cross_attention_dim=2048,
    ),
    "small": dict(
        block_out_channels=(128, 256, 512),
        transformer_layers_per_block=(1, 1, 2),
        attention_head_dim=(2, 4, 8),
        cross_attention_dim=512,
    ),
}
COMPONENTS = {
    "scheduler": ("diffusers", "DDIMScheduler"),
    "text_encoder": ("transformers", "CLIPTextModel"),
    "tokenizer": ("transformers", "CLIPTokenizer"),
    "unet": ("diffusers", "UNet2DConditionModel"),
    "vae": ("diffusers", "AutoencoderKL"),
}
NOISE_VALUES = 1 << 22
BYTES_PER_VALUE = 2
SPARE_BYTES = 1 << 30
TOKENS = 77


class Noise:
    """Normal numbers in fp16 of any scale, cheap: windows into one sequence."""

    def __init__(self):
        import numpy

        self.numpy = numpy
        self.exact = numpy.random.default_rng(4).standard_normal(NOISE_VALUES, dtype=numpy.float32)
        self.scaled = {}
        self.start = 0

    def write(self, file, count, mean, scale):
        values = self.scaled.get((mean, scale))
        if values is None:
            values = (mean + scale * self.exact).astype(self.numpy.float16)
            self.scaled[(mean, scale)] = values
        while count > 0:
            self.start = (self.start * 5 + 12345) % NOISE_VALUES
            part = values[self.start : self.start + count]
            file.write(part.data)
            count -= len(part)


def distribution(name, shape):
    """Mean and standard deviation that keep activations near 1."""
    if len(shape) > 1:
        return 0.0, 1 / math.sqrt(math.prod(shape[1:]))
    return (1.0, 0.1) if name.endswith("weight") else (0.0, 0.1)


def write_weights(path, module):
    """Random weights of a module on the meta device, in fp16."""
    shapes = {name: tuple(value.shape) for name, value in module.state_dict().items()}
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in shapes.items():
        begin, end = end, end + BYTES_PER_VALUE * math.prod(shape)
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [begin, end]}
    folder = os.path.dirname(path)
    free = shutil.disk_usage(folder).free
    if free < end + SPARE_BYTES:
        sys.exit(f"{end / 1e9:.1f} GB are needed for the checkpoint, {free / 1e9:.1f} GB are free in {folder}")
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 64)
    noise = Noise()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in shapes.items():
            noise.write(file, math.prod(shape), *distribution(name, shape))


def write_unet(folder, shape):
    import torch
    from diffusers import UNet2DConditionModel

    with torch.device("meta"):
        unet = UNet2DConditionModel(**shape)
    unet.save_config(folder)
    write_weights(os.path.join(folder, "diffusion_pytorch_model.safetensors"), unet)


def text_settings(mini):
    with open(os.path.join(mini, "text_encoder", "config.json")) as file:
        return json.load(file)


def write_text_encoder(mini, folder, width):
    import torch
    from transformers import CLIPTextConfig, CLIPTextModel

    settings = text_settings(mini)
    sizes = dict(hidden_size=width, intermediate_size=width, num_hidden_layers=1, num_attention_heads=width // 64)
    torch.manual_seed(4)
    CLIPTextModel(CLIPTextConfig(**{**settings, **sizes, "dtype": "float16"})).half().save_pretrained(folder)


def write_sd15(mini, partial):
    """Networks of Stable Diffusion 1.5 beside the mini model's scheduler and tokenizer, which takes 77 tokens."""
    import torch
    from diffusers import AutoencoderKL
    from transformers import CLIPTextConfig, CLIPTextModel

    write_unet(os.path.join(partial, "unet"), dict(cross_attention_dim=768))  # the other defaults are SD 1.5's
    vae = dict(
        block_out_channels=(128, 256, 512, 512),
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        layers_per_block=2,
        latent_channels=4,
        sample_size=512,
    )
    text = dict(hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, vocab_size=49408)
    with torch.device("meta"):
        autoencoder = AutoencoderKL(**vae)
        encoder = CLIPTextModel(CLIPTextConfig(**{**text_settings(mini), **text, "max_position_embeddings": TOKENS}))
    for name, module in (("vae", autoencoder), ("text_encoder", encoder)):
        os.makedirs(os.path.join(partial, name))
        config = module.save_config if name == "vae" else module.config.save_pretrained
        config(os.path.join(partial, name))
    write_weights(os.path.join(partial, "vae", "diffusion_pytorch_model.safetensors"), autoencoder)
    write_weights(os.path.join(partial, "text_encoder", "model.safetensors"), encoder)
    path = os.path.join(partial, "tokenizer", "tokenizer_config.json")
    with open(path) as file:
        settings = json.load(file)
    with open(path, "w") as file:
        json.dump({**settings, "model_max_length": TOKENS}, file, indent=2)


def main():
    size, mini, out = sys.argv[1:]
    if os.path.isdir(out):
        return
    partial = f"{out}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    for part in ("scheduler", "tokenizer") if size == "sd15" else ("scheduler", "tokenizer", "vae"):
        shutil.copytree(os.path.join(mini, part), os.path.join(partial, part))
    os.makedirs(os.path.join(partial, "unet"))
    if size == "sd15":
        write_sd15(mini, partial)
    else:
        write_unet(os.path.join(partial, "unet"), {**SHAPE, **SIZES[size]})
        write_text_encoder(mini, os.path.join(partial, "text_encoder"), SIZES[size]["cross_attention_dim"])
    with open(os.path.join(partial, "model_index.json"), "w") as file:
        json.dump({"_class_name": "StableDiffusionPipeline", **COMPONENTS}, file, indent=2)
    os.rename(partial, out)


if __name__ == "__main__":
    main()
