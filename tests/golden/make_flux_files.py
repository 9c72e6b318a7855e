#!/usr/bin/env python3
"""The networks of FLUX.1 checkpoints as files of their own, as they were published and as ComfyUI has them, and quantised.

    make_flux_files.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: diffusion_model.safetensors in FLUX's own names with fused matrices, the same behind ComfyUI's
prefix and in diffusers' names, clip_l.safetensors, t5.safetensors with its tokenizer in tokenizer/, autoencoder.safetensors in LDM's names, and
quantised ones, of which NAME_decoded.safetensors holds what their numbers stand for. Settings that no shape shows lie next to them.
"""
import inspect
import shutil

import torch
from safetensors.torch import load_file

import encoded_weights as ways
import flux_names
import made_once
from network_files import chosen, read_json, save, write_sidecar, write_autoencoder, write_quantised

KINDS = ("fp8", "int8_rows")


def swapped(value):
    return torch.cat(value.chunk(2)[::-1])


def checked_own_names(state):
    """Checked by diffusers' own converter, given this network's width."""
    from diffusers.loaders import single_file_utils

    named = flux_names.own_names(state, torch.cat, swapped)
    source = inspect.getsource(single_file_utils.convert_flux_transformer_checkpoint_to_diffusers)
    assert source.count("inner_dim = 3072") == 1
    scope = dict(vars(single_file_utils))
    exec(source.replace("inner_dim = 3072", f"inner_dim = {state['x_embedder.weight'].shape[0]}"), scope)
    back = scope["convert_flux_transformer_checkpoint_to_diffusers"](dict(named))
    assert set(back) == set(state) and all(torch.equal(back[key], state[key]) for key in state)
    return named


def is_large(key):
    return "_blocks." in key and key.endswith("weight") and "mod" not in key


def write_transformer(checkpoint, folder):
    state = load_file(checkpoint / "transformer" / "diffusion_pytorch_model.safetensors")
    named = checked_own_names(state)
    save(named, folder / "diffusion_model.safetensors")
    save({"model.diffusion_model." + key: value for key, value in named.items()}, folder / "diffusion_model_prefixed.safetensors")
    save(state, folder / "diffusion_model_diffusers.safetensors")
    for kind in KINDS:
        write_quantised(named, kind, folder / f"diffusion_model_{kind}.safetensors", is_large)
    save(ways.write_gguf(named, "q8_0", folder / "diffusion_model_q8_0.gguf"), folder / "diffusion_model_q8_0_decoded.safetensors")
    config = read_json(checkpoint / "transformer" / "config.json")
    head = config["attention_head_dim"]
    if list(config["axes_dims_rope"]) != [head // 8, 7 * head // 16, 7 * head // 16]:
        for path in list(folder.glob("diffusion_model*")):
            write_sidecar(path, "transformer", chosen(config, ("axes_dims_rope",)))


def write_texts(checkpoint, folder):
    clip = folder / "clip_l.safetensors"
    shutil.copy(checkpoint / "text_encoder" / "model.safetensors", clip)
    config = read_json(checkpoint / "text_encoder" / "config.json")
    write_sidecar(clip, "text_encoder", chosen(config, ("num_attention_heads", "hidden_act")), {"pad_token": "<|endoftext|>"})
    state = load_file(checkpoint / "text_encoder_2" / "model.safetensors")
    shutil.copytree(checkpoint / "tokenizer_2", folder / "tokenizer")
    save(state, folder / "t5.safetensors")
    write_quantised(state, "fp8", folder / "t5_fp8.safetensors", lambda key: "SelfAttention." in key or "DenseReluDense." in key)


def make(checkpoint, folder):
    folder.mkdir(parents=True)
    write_transformer(checkpoint, folder)
    write_texts(checkpoint, folder)
    write_autoencoder(checkpoint, folder)


if __name__ == "__main__":
    made_once.make_each(make)
