#!/usr/bin/env python3
"""Write a large random checkpoint: a UNet in fp16 with the small parts of the mini model.

    big_checkpoint.py SIZE MINI_FOLDER OUT_FOLDER
    big_checkpoint.py hollow SIZE MINI_FOLDER OUT_FOLDER
    big_checkpoint.py check MINI_FOLDER

SIZE is `large` (2.6 B parameters: SDXL's UNet without its added embedding), `small` (0.13 B, the same shape with
fewer channels and layers), `sd15-unet` (0.86 B: the UNet of Stable Diffusion 1.5), `sd15` (that with its autoencoder
and text encoder; only the tokenizer is the mini model's) or `sd15-vae` (its autoencoder; all else is the mini model's). The
folder appears whole or not at all; nothing is written when it is there already. All but the last two need numpy alone.
The second form writes headers alone: files of the true sizes that take no disk space, for plans. The third compares layouts
with the real libraries'.
"""

import json
import math
import os
import pathlib
import shutil
import struct
import sys

import padded_tokenizer

from layouts import UNET_DEFAULTS, text_encoder_shapes, unet_shapes

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "golden"))

import made_once  # noqa: E402 - found there

os.environ.setdefault("HF_HUB_OFFLINE", "1")

SHAPE = dict(
    sample_size=64,
    down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
    up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
    layers_per_block=2,
    use_linear_projection=True,
)
SD15 = dict(cross_attention_dim=768)  # the other settings are the defaults
UNETS = {
    "large": dict(
        **SHAPE,
        block_out_channels=(320, 640, 1280),
        transformer_layers_per_block=(1, 2, 10),
        attention_head_dim=(5, 10, 20),
        cross_attention_dim=2048,
    ),
    "small": dict(
        **SHAPE,
        block_out_channels=(128, 256, 512),
        transformer_layers_per_block=(1, 1, 2),
        attention_head_dim=(2, 4, 8),
        cross_attention_dim=512,
    ),
    "sd15-unet": SD15,
    "sd15": SD15,
}
COMPONENTS = {
    "scheduler": ("diffusers", "DDIMScheduler"),
    "text_encoder": ("transformers", "CLIPTextModel"),
    "tokenizer": ("transformers", "CLIPTokenizer"),
    "unet": ("diffusers", "UNet2DConditionModel"),
    "vae": ("diffusers", "AutoencoderKL"),
}
NOISE_VALUES = 1 << 22
TYPE_BYTES = {"F16": 2, "BF16": 2, "F32": 4}
SPARE_BYTES = 1 << 30
TOKENS = 77
TIED = "encoder.embed_tokens.weight"  # of T5; published files have it once
IS_HOLLOW = sys.argv[1:2] == ["hollow"]


class Noise:
    """Normal numbers of one type and any scale, cheap: windows into one sequence."""

    def __init__(self, kind):
        import numpy

        self.numpy = numpy
        self.kind = kind
        self.exact = numpy.random.default_rng(4).standard_normal(NOISE_VALUES, dtype=numpy.float32)
        self.scaled = {}
        self.start = 0

    def write(self, file, count, mean, scale):
        values = self.scaled.get((mean, scale))
        if values is None:
            values = self.rounded((mean + scale * self.exact).astype(self.numpy.float32))
            self.scaled[(mean, scale)] = values
        while count > 0:
            self.start = (self.start * 5 + 12345) % NOISE_VALUES
            part = values[self.start : self.start + count]
            file.write(part.data)
            count -= len(part)

    def rounded(self, values):
        if self.kind == "BF16":
            return (values.view(self.numpy.uint32) >> 16).astype(self.numpy.uint16)
        return values.astype({"F16": self.numpy.float16, "F32": self.numpy.float32}[self.kind])


def distribution(name, shape):
    """Mean and standard deviation that keep activations near 1."""
    if len(shape) > 1:
        return 0.0, 1 / math.sqrt(math.prod(shape[1:]))
    return (1.0, 0.1) if name.endswith("weight") else (0.0, 0.1)


def shapes_of(module):
    return {name: tuple(value.shape) for name, value in module.state_dict().items()}


def write_weights(path, shapes, kind="F16"):
    """Random weights of a type."""
    header, end = {"__metadata__": {"format": "pt"}}, 0
    for name, shape in shapes.items():
        begin, end = end, end + TYPE_BYTES[kind] * math.prod(shape)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}
    folder = os.path.dirname(path)
    free = shutil.disk_usage(folder).free
    if not IS_HOLLOW and free < end + SPARE_BYTES:
        sys.exit(f"{end / 1e9:.1f} GB are needed for the checkpoint, {free / 1e9:.1f} GB are free in {folder}")
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 64)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        if IS_HOLLOW:
            file.truncate(file.tell() + end)
            return
        noise = Noise(kind)
        for name, shape in shapes.items():
            noise.write(file, math.prod(shape), *distribution(name, shape))


def write_json(path, value):
    with open(path, "w") as file:
        json.dump(value, file, indent=2)


def make_once(out, write):
    """As made_once.make_once(), for names as texts: write(folder) finds the folder empty."""

    def make(partial):
        partial.mkdir()
        write(str(partial))

    made_once.make_once(pathlib.Path(out), make)


def write_parts(folder, parts, kind_of=lambda name: "BF16", tied=TIED):
    """Settings and weights of networks, by the names of their folders, as save_pretrained writes them."""
    for name, part in parts.items():
        (part.save_config if hasattr(part, "save_config") else part.config.save_pretrained)(os.path.join(folder, name))
        stem = "diffusion_pytorch_model" if hasattr(part, "save_config") else "model"
        shapes = {key: shape for key, shape in shapes_of(part).items() if key != tied}
        write_weights(os.path.join(folder, name, stem + ".safetensors"), shapes, kind_of(name))


def write_index(folder, pipeline, components, scheduler):
    os.makedirs(os.path.join(folder, "scheduler"))
    write_json(os.path.join(folder, "scheduler", "scheduler_config.json"), scheduler)
    write_json(os.path.join(folder, "model_index.json"), {"_class_name": pipeline, **components})


def write_unet(folder, settings):
    os.makedirs(folder)
    config = {"_class_name": "UNet2DConditionModel", **UNET_DEFAULTS, **settings}
    write_json(os.path.join(folder, "config.json"), config)
    write_weights(os.path.join(folder, "diffusion_pytorch_model.safetensors"), unet_shapes(settings))


def text_settings(mini, **changed):
    with open(os.path.join(mini, "text_encoder", "config.json")) as file:
        return {**json.load(file), **changed}


def small_text_encoder(mini, width):
    """Settings of one layer as wide as a UNet's prompts."""
    return text_settings(
        mini, hidden_size=width, intermediate_size=width, num_hidden_layers=1, num_attention_heads=width // 64
    )


def write_text_encoder(folder, settings):
    os.makedirs(folder)
    write_json(os.path.join(folder, "config.json"), settings)
    write_weights(os.path.join(folder, "model.safetensors"), text_encoder_shapes(settings))


def write_autoencoder(folder):
    """The one of Stable Diffusion 1.5."""
    import torch
    from diffusers import AutoencoderKL

    settings = dict(
        block_out_channels=(128, 256, 512, 512),
        down_block_types=("DownEncoderBlock2D",) * 4,
        up_block_types=("UpDecoderBlock2D",) * 4,
        layers_per_block=2,
        latent_channels=4,
        sample_size=512,
    )
    with torch.device("meta"):
        autoencoder = AutoencoderKL(**settings)
    autoencoder.save_config(folder)
    write_weights(os.path.join(folder, "diffusion_pytorch_model.safetensors"), shapes_of(autoencoder))


def write_sd15(mini, partial):
    """Networks of Stable Diffusion 1.5 with the mini model's scheduler and tokenizer, which takes 77 tokens."""
    write_unet(os.path.join(partial, "unet"), SD15)
    text = dict(hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, vocab_size=49408)
    write_text_encoder(
        os.path.join(partial, "text_encoder"), text_settings(mini, **text, max_position_embeddings=TOKENS)
    )
    write_autoencoder(os.path.join(partial, "vae"))
    path = os.path.join(partial, "tokenizer", "tokenizer_config.json")
    with open(path) as file:
        settings = json.load(file)
    write_json(path, {**settings, "model_max_length": TOKENS})
    padded_tokenizer.pad(os.path.join(partial, "tokenizer"), text["vocab_size"])


def write_folder(size, mini, folder):
    mine = {"sd15": (), "sd15-vae": ("unet", "text_encoder")}.get(size, ("vae",))
    for part in ("scheduler", "tokenizer", *mine):
        shutil.copytree(os.path.join(mini, part), os.path.join(folder, part))
    if size == "sd15":
        write_sd15(mini, folder)
    elif size == "sd15-vae":
        write_autoencoder(os.path.join(folder, "vae"))
    else:
        unet = UNETS[size]
        write_unet(os.path.join(folder, "unet"), unet)
        text = small_text_encoder(mini, unet["cross_attention_dim"])
        write_text_encoder(os.path.join(folder, "text_encoder"), text)
    write_json(os.path.join(folder, "model_index.json"), {"_class_name": "StableDiffusionPipeline", **COMPONENTS})


def check(mini):
    """Ends with an error where a layout is not the real library's; with 3 where there is none to ask."""
    try:
        import torch
        from diffusers import UNet2DConditionModel
        from transformers import CLIPTextConfig, CLIPTextModel
    except Exception as error:  # noqa: BLE001 - libraries that do not fit each other raise anything
        print(f"the real libraries cannot be asked: {error}", file=sys.stderr)
        sys.exit(3)

    for size, settings in UNETS.items():
        text = small_text_encoder(mini, settings["cross_attention_dim"])
        with torch.device("meta"):
            unet = UNet2DConditionModel(**settings)
            encoder = CLIPTextModel(CLIPTextConfig(**text))
        # Files have a prefix that the class lost.
        texts = {name.removeprefix("text_model."): shape for name, shape in text_encoder_shapes(text).items()}
        for module, shapes in ((unet, unet_shapes(settings)), (encoder, texts)):
            if shapes_of(module) != shapes:
                sys.exit(f"{size}: the layout of {type(module).__name__} is not the library's")


def main():
    if sys.argv[1] == "check":
        return check(sys.argv[2])
    size, mini, out = sys.argv[-3:]
    make_once(out, lambda folder: write_folder(size, mini, folder))


if __name__ == "__main__":
    main()
