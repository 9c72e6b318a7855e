#!/usr/bin/env python3
"""A checkpoint in one file of the LDM layout, and next to it the same with its denoiser in every encoding that a library or
`lowtide convert` writes.

    make_encoded_files.py REFERENCE CHECKPOINT LOWTIDE FOLDER

CHECKPOINT: a folder in the diffusers layout. FOLDER/exact.safetensors has its numbers in f32; other names are those of encodings.
"""
import pathlib
import shutil
import subprocess
import sys

import gguf
from safetensors.torch import load_file, save_file

import encoded_weights as ways
from encoded_weights import DENOISER, SHAPE
from make_single_files import read_json, state_settings

BY_LIBRARIES = ("fp8", "int8_rotated", "mxfp8", "nvfp4", "bnb_int8", "bnb_nf4")
BY_LOWTIDE = {"f16": "safetensors", "f8": "safetensors", "int8": "safetensors", "q8_0": "gguf", "q4_k": "gguf"}


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
    ways.close_gguf(writer)


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
    for name in ways.WRITTEN_BY_GGUF:
        ways.write_gguf(denoiser, name, alone)
        whole(f"gguf_{name}", alone)
    for name in BY_LIBRARIES:
        stored, _ = ways.quantised(denoiser, name)
        named = {DENOISER + key: value.contiguous() for key, value in stored.items()}
        save_file(rest | named, folder / f"{name}.safetensors")
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
