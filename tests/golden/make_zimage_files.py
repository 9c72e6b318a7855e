#!/usr/bin/env python3
"""The networks of Z-Image checkpoints as files of their own, as ComfyUI and llama.cpp have them, and quantised.

    make_zimage_files.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: diffusion_model.safetensors in Z-Image's own names with one matrix for query, key and value, the
same behind ComfyUI's prefix and in diffusers' names, qwen.safetensors with its tokenizer in tokenizer/, qwen.gguf with its tokenizer inside,
autoencoder.safetensors in LDM's names, and quantised ones, of which NAME_decoded.safetensors holds what their numbers stand for. Settings that no
shape shows lie next to them.
"""
import shutil

import gguf
import torch
from safetensors.torch import load_file

import encoded_weights as ways
import made_once
import zimage_names
from network_files import chosen, read_json, save, write_sidecar, write_autoencoder, write_byte_pairs, write_quantised

TRANSFORMER = ("axes_dims", "rope_theta")
LANGUAGE = ("rope_parameters",)
PADS = ("x_pad_token", "cap_pad_token")


def checked_own_names(state):
    """Checked by diffusers' own converter."""
    from diffusers.loaders.single_file_utils import convert_z_image_transformer_checkpoint_to_diffusers

    named = zimage_names.own_names(state, torch.cat)
    back = convert_z_image_transformer_checkpoint_to_diffusers(dict(named))
    assert set(back) == set(state) and all(torch.equal(back[key], state[key]) for key in state)
    return named


def is_large(key):
    return ("layers." in key or "refiner." in key) and key.endswith("weight") and "adaLN" not in key


def write_transformer(checkpoint, folder):
    state = load_file(checkpoint / "transformer" / "diffusion_pytorch_model.safetensors")
    named = checked_own_names(state)
    unused = {"norm_final.weight": torch.ones(state["x_pad_token"].shape[1])}
    save(named, folder / "diffusion_model.safetensors")
    save({"model.diffusion_model." + key: value for key, value in (named | unused).items()}, folder / "diffusion_model_prefixed.safetensors")
    save(state, folder / "diffusion_model_diffusers.safetensors")
    for kind in ("fp8", "int8_rows", "nvfp4"):
        write_quantised(named, kind, folder / f"diffusion_model_{kind}.safetensors", is_large)
    in_gguf = named | {key: named[key].reshape(-1) for key in PADS}
    decoded = ways.write_gguf(in_gguf, "q8_0", folder / "diffusion_model_q8_0.gguf")
    save(decoded | {key: named[key] for key in PADS}, folder / "diffusion_model_q8_0_decoded.safetensors")
    config = read_json(checkpoint / "transformer" / "config.json")
    if config["rope_theta"] != 256:
        for path in list(folder.glob("diffusion_model*")):
            write_sidecar(path, "transformer", chosen(config, TRANSFORMER))


def write_qwen(checkpoint, folder):
    state = load_file(checkpoint / "text_encoder" / "model.safetensors")
    config = read_json(checkpoint / "text_encoder" / "config.json")
    shutil.copytree(checkpoint / "tokenizer", folder / "tokenizer")
    save(state, folder / "qwen.safetensors")
    write_quantised(state, "fp8", folder / "qwen_fp8.safetensors", lambda key: "proj" in key)
    table = gguf.get_tensor_name_map(gguf.MODEL_ARCH.QWEN3, config["num_hidden_layers"])
    writer = gguf.GGUFWriter(str(folder / "qwen.gguf"), "qwen3")
    ids = write_byte_pairs(writer, "qwen2", checkpoint / "tokenizer")
    writer.add_eos_token_id(ids["<|im_end|>"])
    writer.add_pad_token_id(ids["<|endoftext|>"])
    for key, value in state.items():
        writer.add_tensor(table.get_name(key, try_suffixes=(".weight",)), value.contiguous().numpy())
    ways.close_gguf(writer)
    if "rope_parameters" in config:
        for path in list(folder.glob("qwen*")):
            write_sidecar(path, "text_encoder", chosen(config, LANGUAGE))


def make(checkpoint, folder):
    folder.mkdir(parents=True)
    write_transformer(checkpoint, folder)
    write_qwen(checkpoint, folder)
    write_autoencoder(checkpoint, folder)


if __name__ == "__main__":
    made_once.make_each(make)
