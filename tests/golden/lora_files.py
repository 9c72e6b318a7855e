"""For scripts that write LoRA files of a family in the names of all tools, and checkpoints with the LoRA put into their weights by diffusers."""
import shutil

import torch
from safetensors.torch import load_file, save_file

import made_once

RANK = 4
ALPHA = 2.0  # of kohya's files, whose factors are larger by RANK / ALPHA
STRENGTH = 0.75


def layers_of(state, parts):
    """Shapes of the matrices whose names have one of the parts."""
    keys = (key for key in sorted(state) if key.endswith(".weight") and state[key].dim() == 2 and any(part in key for part in parts))
    return {key.removesuffix(".weight"): state[key].shape for key in keys}


def factors_of(shapes, seed=19, group=lambda layer: None):
    """Layers of one group share what they read."""
    random = torch.Generator().manual_seed(seed)
    factors, shared = {}, {}
    for layer, (rows, columns) in shapes.items():
        down = torch.randn(RANK, columns, generator=random) / columns**0.5
        if group(layer):
            down = shared.setdefault(group(layer), down)
        factors[layer] = (down, torch.randn(rows, RANK, generator=random) / RANK**0.5)
    return factors


def fused(factors):
    downs, ups = zip(*factors)
    assert all(torch.equal(down, downs[0]) for down in downs)
    return downs[0], torch.cat(ups)


def dotted(factors, prefix):
    return {f"{prefix}{layer}.lora_{side}.weight": value for layer, pair in factors.items() for side, value in zip("AB", pair)}


def mangled(factors, prefix="lora_unet_"):
    tensors = {}
    for layer, (down, up) in factors.items():
        name = prefix + layer.replace(".", "_")
        tensors |= {name + ".lora_down.weight": down, name + ".lora_up.weight": up * (RANK / ALPHA), name + ".alpha": torch.tensor(ALPHA)}
    return tensors


def usual_files(theirs, ours):
    """One LoRA, by names of the family's own files and by diffusers'."""
    return {
        "comfyui": dotted(theirs, "diffusion_model."), "bare": dotted(theirs, ""), "kohya": mangled(theirs),
        "diffusers": dotted(ours, "transformer."), "peft": dotted(ours, "base_model.model."),
    }


def make_each(files_of, pipeline_of, read="diffusers"):
    """FOLDER/NAME with files_of(weights of the transformer), and fused/, which diffusers makes of the file `read` at STRENGTH."""

    def make(checkpoint, folder):
        folder.mkdir(parents=True)
        for name, tensors in files_of(load_file(checkpoint / "transformer" / "diffusion_pytorch_model.safetensors")).items():
            save_file({key: value.clone() for key, value in tensors.items()}, folder / (name + ".safetensors"))
        pipe = pipeline_of(checkpoint).from_pretrained(checkpoint)
        pipe.load_lora_weights(load_file(folder / (read + ".safetensors")))
        pipe.fuse_lora(components=["transformer"], lora_scale=STRENGTH)
        pipe.unload_lora_weights()
        shutil.copytree(checkpoint, folder / "fused", ignore=shutil.ignore_patterns("transformer"))
        pipe.transformer.save_pretrained(folder / "fused" / "transformer")

    made_once.make_each(make)
