#!/usr/bin/env python3
"""Write a large random checkpoint: a UNet in fp16 beside the small parts of the mini model.

    big_checkpoint.py SIZE MINI_FOLDER OUT_FOLDER

SIZE is `large` (2.6 B parameters: SDXL's UNet without its added embedding) or `small` (0.13 B, the same shape with
fewer channels and layers). The folder appears whole or not at all; nothing is written when it is there already.
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


def write_unet(folder, size):
    import torch
    from diffusers import UNet2DConditionModel

    with torch.device("meta"):
        unet = UNet2DConditionModel(**SHAPE, **SIZES[size])
    unet.save_config(folder)
    shapes = {name: tuple(value.shape) for name, value in unet.state_dict().items()}
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in shapes.items():
        begin, end = end, end + BYTES_PER_VALUE * math.prod(shape)
        header[name] = {"dtype": "F16", "shape": shape, "data_offsets": [begin, end]}
    free = shutil.disk_usage(folder).free
    if free < end + SPARE_BYTES:
        sys.exit(f"{end / 1e9:.1f} GB are needed for the checkpoint, {free / 1e9:.1f} GB are free in {folder}")
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 64)
    noise = Noise()
    with open(os.path.join(folder, "diffusion_pytorch_model.safetensors"), "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for name, shape in shapes.items():
            noise.write(file, math.prod(shape), *distribution(name, shape))


def write_text_encoder(mini, folder, width):
    import torch
    from transformers import CLIPTextConfig, CLIPTextModel

    with open(os.path.join(mini, "text_encoder", "config.json")) as file:
        settings = json.load(file)
    sizes = dict(hidden_size=width, intermediate_size=width, num_hidden_layers=1, num_attention_heads=width // 64)
    torch.manual_seed(4)
    CLIPTextModel(CLIPTextConfig(**{**settings, **sizes, "dtype": "float16"})).half().save_pretrained(folder)


def main():
    size, mini, out = sys.argv[1:]
    if os.path.isdir(out):
        return
    partial = f"{out}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    for part in ("scheduler", "tokenizer", "vae"):
        shutil.copytree(os.path.join(mini, part), os.path.join(partial, part))
    os.makedirs(os.path.join(partial, "unet"))
    write_unet(os.path.join(partial, "unet"), size)
    write_text_encoder(mini, os.path.join(partial, "text_encoder"), SIZES[size]["cross_attention_dim"])
    with open(os.path.join(partial, "model_index.json"), "w") as file:
        json.dump({"_class_name": "StableDiffusionPipeline", **COMPONENTS}, file, indent=2)
    os.rename(partial, out)


if __name__ == "__main__":
    main()
