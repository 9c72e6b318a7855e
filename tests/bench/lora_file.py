#!/usr/bin/env python3
"""Write a LoRA of random values over every product and convolution of a UNet and its text encoders, with kohya's names, in fp16.

    lora_file.py [hollow] CHECKPOINT_FOLDER RANK OUT.safetensors

The folder is one of big_checkpoint.py or xl_checkpoint.py. `hollow`: the header alone, in a file of the true size that takes no disk space.
Nothing is written when the file is there already.
"""

import json
import os
import sys

from big_checkpoint import write_weights
from layouts import text_encoder_shapes, unet_shapes


def settings_of(folder, part):
    with open(os.path.join(folder, part, "config.json")) as file:
        return json.load(file)


def layers_of(prefix, shapes):
    """{kohya's name: shape} of what a product or a convolution takes."""
    return {
        prefix + name.removesuffix(".weight").replace(".", "_"): shape
        for name, shape in shapes.items()
        if len(shape) > 1 and ".embeddings." not in name
    }


def lora_shapes(layers, rank):
    shapes = {}
    for name, (outputs, inputs, *kernel) in layers.items():
        shapes[f"{name}.alpha"] = ()  # a small number, as all that is no matrix
        shapes[f"{name}.lora_down.weight"] = (rank, inputs, *kernel)
        shapes[f"{name}.lora_up.weight"] = (outputs, rank, *(1 for _ in kernel))
    return shapes


def main():
    folder, rank, out = sys.argv[-3:]
    if os.path.exists(out):
        return
    layers = layers_of("lora_unet_", unet_shapes(settings_of(folder, "unet")))
    is_xl = os.path.isdir(os.path.join(folder, "text_encoder_2"))
    encoders = {"lora_te1_": "text_encoder", "lora_te2_": "text_encoder_2"} if is_xl else {"lora_te_": "text_encoder"}
    for prefix, part in encoders.items():
        layers.update(layers_of(prefix, text_encoder_shapes(settings_of(folder, part))))
    partial = f"{out}.partial"
    write_weights(partial, lora_shapes(layers, int(rank)))
    os.rename(partial, out)


if __name__ == "__main__":
    main()
