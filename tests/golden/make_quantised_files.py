#!/usr/bin/env python3
"""A checkpoint in one file, its matrices quantised as people's files have them, and beside each the same file decoded to f32 by
the library that defines the encoding.

    make_quantised_files.py CHECKPOINT.safetensors FOLDER

FOLDER/NAME.gguf or NAME.safetensors, and FOLDER/NAME_decoded.safetensors. Settings beside CHECKPOINT come along. Of unet_NAME the
denoiser alone is in the first, and in the second all of CHECKPOINT with the decoded denoiser.
"""
import json
import pathlib
import shutil
import sys

import comfy_kitchen.backends.eager.quantization as eager
import gguf
import torch
from safetensors.torch import load_file, save_file

ROTATION = 16
UNET = "model.diffusion_model."


def matrices(state, multiple):
    return [key for key, value in state.items()
            if key.endswith(".weight") and value.dim() == 2 and value.shape[1] % multiple == 0 and "ln_" not in key]


def write_gguf(state, kind, path):
    """Matrices, tables and, flattened as ComfyUI-GGUF does it, convolutions; all else in f32."""
    writer = gguf.GGUFWriter(str(path), "sd1")
    decoded = dict(state)
    for key, value in state.items():
        data = value.numpy()
        if value.dim() == 4 and value.numel() % 256 == 0:
            writer.add_array(f"comfy.gguf.orig_shape.{key}", [int(size) for size in value.shape])
            data = data.reshape(-1, 256)
        if data.ndim == 2 and data.shape[-1] % 32 == 0:
            blocks = gguf.quants.quantize(data.astype("float32"), kind)
            decoded[key] = torch.from_numpy(gguf.quants.dequantize(blocks, kind)).reshape(value.shape)
            writer.add_tensor(key, blocks, raw_dtype=kind)
        else:
            writer.add_tensor(key, data)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return decoded


def settings(**values):
    return torch.tensor(list(json.dumps(values).encode()), dtype=torch.uint8)


def fp8(weight):
    scale = (weight.abs().max() / 448).float()
    stored = eager.quantize_per_tensor_fp8(weight, scale)
    return {"weight": stored, "weight_scale": scale, "comfy_quant": settings(format="float8_e4m3fn")}, \
        eager.dequantize_per_tensor_fp8(stored, scale, torch.float32)


def fp8_of_old_files(weight):
    parts, decoded = fp8(weight)
    return {"weight": parts["weight"], "scale_weight": parts["weight_scale"].reshape(1), "scale_input": torch.ones(1)}, decoded


def int8_rotated(weight):
    """Decoded from exact sums, rounded once."""
    stored, scale = eager.quantize_int8_convrot_weight(weight, ROTATION)
    exact = eager._rotate_weight(stored.double(), eager._build_hadamard(ROTATION, dtype=torch.float64), ROTATION)
    said = settings(format="int8_tensorwise", convrot=True, convrot_groupsize=ROTATION)
    return {"weight": stored, "weight_scale": scale, "comfy_quant": said}, (exact * scale.double()).float()


def mxfp8(weight):
    stored, scale = eager.quantize_mxfp8(weight)
    return {"weight": stored, "weight_scale": scale.view(torch.uint8), "comfy_quant": settings(format="mxfp8")}, \
        eager.dequantize_mxfp8(stored, scale, torch.float32)


def nvfp4(weight):
    whole = (weight.abs().max() / (448 * 6)).float()
    stored, scale = eager.quantize_nvfp4(weight, whole)
    parts = {"weight": stored, "weight_scale": scale, "weight_scale_2": whole, "comfy_quant": settings(format="nvfp4")}
    return parts, eager.dequantize_nvfp4(stored, whole, scale, torch.float32)


def quantised(state, way, marker):
    stored, decoded = dict(state), dict(state)
    for key in matrices(state, 32):
        parts, decoded[key] = way(state[key])
        del stored[key]
        layer = key.removesuffix("weight")
        stored |= {layer + name: part for name, part in parts.items()}
    if marker:
        stored["model.diffusion_model.scaled_fp8"] = torch.zeros(0, dtype=torch.float8_e4m3fn)
    return stored, decoded


def denoisers_alone(state, folder):
    """As city96's files have it, without the prefix, and as ComfyUI saves it."""
    unet = {key: value for key, value in state.items() if key.startswith(UNET)}
    bare = {key.removeprefix(UNET): value for key, value in unet.items()}
    decoded = write_gguf(bare, gguf.GGMLQuantizationType.Q8_0, folder / "unet_q8_0.gguf")
    made = {"unet_q8_0": {**state, **{UNET + key: value for key, value in decoded.items()}}}
    stored, decoded = quantised(unet, fp8, False)
    save_file({key: value.contiguous() for key, value in stored.items()}, folder / "unet_fp8.safetensors")
    return made | {"unet_fp8": {**state, **decoded}}


def main():
    source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    partial = folder.with_name(folder.name + ".partial")
    partial.mkdir(parents=True)
    state = {key: value for key, value in load_file(source).items() if value.dtype == torch.float32}
    made = {}
    for name in ("q8_0", "q5_1"):
        made[name] = write_gguf(state, gguf.GGMLQuantizationType[name.upper()], partial / f"{name}.gguf")
    for way in (fp8, fp8_of_old_files, int8_rotated, mxfp8, nvfp4):
        stored, made[way.__name__] = quantised(state, way, way is fp8_of_old_files)
        save_file({key: value.contiguous() for key, value in stored.items()}, partial / f"{way.__name__}.safetensors")
    made |= denoisers_alone(state, partial)
    for name, decoded in made.items():
        save_file({key: value.contiguous().clone() for key, value in decoded.items()}, partial / f"{name}_decoded.safetensors")
        beside = source.with_suffix(".lowtide.json")
        if beside.exists():
            for stem in (name, f"{name}_decoded"):
                shutil.copy(beside, partial / f"{stem}.lowtide.json")
    partial.rename(folder)


if __name__ == "__main__":
    if not pathlib.Path(sys.argv[2]).exists():
        main()
