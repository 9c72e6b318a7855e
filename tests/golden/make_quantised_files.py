#!/usr/bin/env python3
"""A checkpoint in one file, its matrices quantised as users' files have them, and next to each the same file decoded to f32 by
the library that defines the encoding.

    make_quantised_files.py CHECKPOINT.safetensors FOLDER FILE...

FILE: NAME.gguf or NAME.safetensors, with a NAME of encoded_weights.py. Makes FOLDER/FILE and FOLDER/NAME_decoded.safetensors where
they are not there. Of unet_NAME the denoiser alone is in the first, and in the second all of CHECKPOINT with the decoded denoiser.
Settings next to CHECKPOINT come along.
"""
import json
import pathlib
import sys


def save(state, path):
    from safetensors.torch import save_file

    save_file({key: value.contiguous().clone() for key, value in state.items()}, path)


def write_denoiser(state, name, path):
    """As city96's files have it, without the prefix, or as ComfyUI saves it."""
    import encoded_weights as ways

    unet = {key: value for key, value in state.items() if key.startswith(ways.DENOISER)}
    if name not in ways.GGUF:
        stored, decoded = ways.quantised(unet, name)
        save(stored, path)
        return state | decoded
    decoded = ways.write_gguf({key.removeprefix(ways.DENOISER): value for key, value in unet.items()}, name, path)
    return state | {ways.DENOISER + key: value for key, value in decoded.items()}


def write_whole(state, name, path):
    import encoded_weights as ways

    if name in ways.GGUF:
        return ways.write_gguf(state, name, path)
    stored, decoded = ways.quantised(state, name)
    save(stored, path)
    return decoded


def copy_sidecar(source, path, parts=None):
    sidecar = source.with_suffix(".lowtide.json")
    if sidecar.exists():
        stated = json.loads(sidecar.read_text())
        path.with_suffix(".lowtide.json").write_text(json.dumps({part: stated[part] for part in parts or stated}))


def make(source, files, folder):
    import torch
    from safetensors.torch import load_file

    state = {key: value for key, value in load_file(source).items() if value.dtype == torch.float32 and value.dim() > 0}
    for file in files:
        is_alone = file.stem.startswith("unet_")
        write = write_denoiser if is_alone else write_whole
        decoded = write(state, file.stem.removeprefix("unet_"), folder / file)
        save(decoded, folder / f"{file.stem}_decoded.safetensors")
        copy_sidecar(source, folder / f"{file.stem}_decoded.safetensors")
        copy_sidecar(source, folder / file, ["unet"] if is_alone else None)


def main():
    """Libraries are imported, which takes seconds, where something is to be made."""
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    missing = [pathlib.Path(name) for name in sys.argv[3:] if not (folder / name).exists()]
    if not missing:
        return
    partial = folder / "new.partial"
    partial.mkdir(parents=True)
    make(source, missing, partial)
    for made in sorted(partial.iterdir(), key=lambda path: path.name in sys.argv[3:]):
        made.rename(folder / made.name)
    partial.rmdir()


main()
