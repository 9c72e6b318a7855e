#!/usr/bin/env python3
"""A checkpoint in one file of the LDM layout, and next to it the same with its denoiser in every encoding that a library or
`lowtide convert` writes.

    make_encoded_files.py REFERENCE CHECKPOINT LOWTIDE MADE FOLDER

CHECKPOINT: a folder in the diffusers layout. FOLDER/exact.safetensors has its numbers in f32; other names are those of encodings. MADE:
what libraries write, once; links lead there.
"""
import pathlib
import shutil
import subprocess
import sys

import gguf
from safetensors.numpy import load_file

from made_once import make_once

DENOISER = "model.diffusion_model."
SHAPE = "comfy.gguf.orig_shape."
BY_LIBRARIES = ("fp8", "int8_rotated", "mxfp8", "nvfp4", "bnb_int8", "bnb_nf4")
BY_LOWTIDE = {"f16": "safetensors", "f8": "safetensors", "int8": "safetensors", "q8_0": "gguf", "q4_k": "gguf"}


def write_exact(ldm_keys, checkpoint, path):
    from make_single_files import read_json, state_settings
    from safetensors.torch import load_file, save_file

    ldm_keys.write_single_file(str(checkpoint), str(path), read_json(checkpoint / "unet" / "config.json")["layers_per_block"])
    state = {key: value.float() if value.is_floating_point() else value for key, value in load_file(path).items()}
    save_file(state, path)
    state_settings(checkpoint, path)
    return state


def write_whole_gguf(path, denoiser, exact):
    """`denoiser`: a GGUF file of it; all else is as in `exact`."""
    reader = gguf.GGUFReader(denoiser)
    writer = gguf.GGUFWriter(str(path), "sd1")
    for key, field in reader.fields.items():
        if key.startswith(SHAPE):
            writer.add_array(SHAPE + DENOISER + key.removeprefix(SHAPE), field.contents())
    for tensor in reader.tensors:
        writer.add_tensor(DENOISER + tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    for key, value in load_file(exact).items():
        if not key.startswith(DENOISER) and value.ndim > 0:
            writer.add_tensor(key, value)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_by_libraries(reference, checkpoint, folder):
    import encoded_weights as ways
    from safetensors.torch import save_file

    sys.path.insert(0, str(reference))
    from lib import ldm_keys

    folder.mkdir()
    exact = folder / "exact.safetensors"
    state = write_exact(ldm_keys, checkpoint, exact)
    denoiser = {key.removeprefix(DENOISER): value for key, value in state.items() if key.startswith(DENOISER)}
    rest = {key: value for key, value in state.items() if not key.startswith(DENOISER) and value.dim() > 0}
    alone = folder / "alone"
    for name in ways.WRITTEN_BY_GGUF:
        ways.write_gguf(denoiser, name, alone)
        write_whole_gguf(folder / f"gguf_{name}.gguf", alone, exact)
    alone.unlink()
    for name in BY_LIBRARIES:
        stored, _ = ways.quantised(denoiser, name)
        named = {DENOISER + key: value.contiguous() for key, value in stored.items()}
        save_file(rest | named, folder / f"{name}.safetensors")


def main():
    reference, checkpoint, lowtide, made, folder = map(pathlib.Path, sys.argv[1:])
    make_once(made, lambda partial: write_by_libraries(reference, checkpoint, partial))
    for file in made.iterdir():
        (folder / file.name).symlink_to(file)
    exact = folder / "exact.safetensors"
    for name, ending in BY_LOWTIDE.items():
        out = folder / f"{name}.{ending}"
        target = folder / "alone.gguf" if ending == "gguf" else out
        subprocess.run([lowtide, "convert", exact, "--storage", name, "--out", target], check=True, stdout=subprocess.DEVNULL)
        if ending == "gguf":
            write_whole_gguf(out, target, exact)
            target.unlink()
    for file in list(folder.glob("*.safetensors")) + list(folder.glob("*.gguf")):
        if file != exact:
            shutil.copy(exact.with_suffix(".lowtide.json"), file.with_suffix(".lowtide.json"))


if __name__ == "__main__":
    main()
