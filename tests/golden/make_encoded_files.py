#!/usr/bin/env python3
"""A checkpoint in one file of the LDM layout, and beside it the same with its denoiser in every encoding that a library or
`lowtide convert` writes.

    make_encoded_files.py REFERENCE CHECKPOINT LOWTIDE FOLDER

CHECKPOINT: a folder in the diffusers layout. FOLDER/exact.safetensors has its numbers in f32; other names are those of encodings.
"""
import json
import pathlib
import shutil
import subprocess
import sys

import gguf
import torch
from bitsandbytes import functional as bitsandbytes
from safetensors.torch import load_file, save_file

import make_quantised_files as ways
from make_single_files import read_json, state_settings

DENOISER = "model.diffusion_model."
BY_GGUF = ("q4_0", "q4_1", "q5_0", "q5_1", "q8_0")
BY_LOWTIDE = {"f16": "safetensors", "f8": "safetensors", "int8": "safetensors", "q8_0": "gguf", "q4_k": "gguf"}
SHAPE = "comfy.gguf.orig_shape."


def bnb_int8(weight):
    stored, largest, _ = bitsandbytes.int8_vectorwise_quant(weight.half())
    return {"weight": stored, "SCB": largest, "weight_format": torch.tensor(0, dtype=torch.uint8)}, None


def bnb_nf4(weight):
    stored, state = bitsandbytes.quantize_4bit(weight, blocksize=64, quant_type="nf4")
    return {"weight": stored} | {"weight." + name: value for name, value in state.as_dict(packed=True).items()}, None


def write_exact(ldm_keys, checkpoint, path):
    ldm_keys.write_single_file(str(checkpoint), str(path), read_json(checkpoint / "unet" / "config.json")["layers_per_block"])
    state = {key: value.float() if value.is_floating_point() else value for key, value in load_file(path).items()}
    save_file(state, path)
    state_settings(checkpoint, path)
    return state


def write_whole_gguf(path, denoiser, rest):
    """`denoiser`: what a GGUF file of it holds, `rest`: all else, as it is."""
    writer = gguf.GGUFWriter(str(path), "sd1")
    for key, field in denoiser.fields.items():
        if key.startswith(SHAPE):
            writer.add_array(SHAPE + DENOISER + key.removeprefix(SHAPE), field.contents())
    for tensor in denoiser.tensors:
        writer.add_tensor(DENOISER + tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    for key, value in rest.items():
        writer.add_tensor(key, value.numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    reference, checkpoint, lowtide, folder = map(pathlib.Path, sys.argv[1:])
    sys.path.insert(0, str(reference))
    from lib import ldm_keys

    exact = folder / "exact.safetensors"
    state = write_exact(ldm_keys, checkpoint, exact)
    denoiser = {key.removeprefix(DENOISER): value for key, value in state.items() if key.startswith(DENOISER)}
    rest = {key: value for key, value in state.items() if not key.startswith(DENOISER) and value.dim() > 0}

    def whole(name, path):
        write_whole_gguf(folder / f"{name}.gguf", gguf.GGUFReader(path), rest)

    alone = folder / "alone.gguf"
    for name in BY_GGUF:
        ways.write_gguf(denoiser, gguf.GGMLQuantizationType[name.upper()], alone)
        whole(f"gguf_{name}", alone)
    for way in (ways.fp8, ways.int8_rotated, ways.mxfp8, ways.nvfp4, bnb_int8, bnb_nf4):
        stored, _ = ways.quantised(denoiser, way, False)
        named = {DENOISER + key: value.contiguous() for key, value in stored.items()}
        save_file(rest | named, folder / f"{way.__name__}.safetensors")
    for name, ending in BY_LOWTIDE.items():
        out = alone if ending == "gguf" else folder / f"{name}.{ending}"
        subprocess.run([lowtide, "convert", exact, "--storage", name, "--out", out], check=True, stdout=subprocess.DEVNULL)
        if ending == "gguf":
            whole(name, out)
    alone.unlink()
    for made in list(folder.glob("*.safetensors")) + list(folder.glob("*.gguf")):
        if made != exact:
            shutil.copy(exact.with_suffix(".lowtide.json"), made.with_suffix(".lowtide.json"))


if __name__ == "__main__":
    main()
