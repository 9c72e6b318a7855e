"""Weights in the encodings that files have, and the same decoded to f32 by the library that defines the encoding: gguf,
comfy-kitchen's eager backend, bitsandbytes' CPU code.

GGUF: names of types of a GGUF file. LAYERS: by name what turns a matrix into the tensors of its layer and its decoded numbers.
"""
import json

import comfy_kitchen.backends.eager.quantization as eager
import gguf
import numpy as np
import torch
from bitsandbytes import functional as bitsandbytes

DENOISER = "model.diffusion_model."
SHAPE = "comfy.gguf.orig_shape."
ROTATION = 16
# Which gguf only reads: where the scale lies, the largest code of a number, and whether a minimum follows the scale.
K_QUANTS = {"q2_k": (80, 3, True), "q3_k": (108, 3, False), "q4_k": (0, 15, True), "q5_k": (0, 31, True), "q6_k": (208, 31, False)}
WRITTEN_BY_GGUF = ("q4_0", "q4_1", "q5_0", "q5_1", "q8_0")
GGUF = ("f16", "bf16", *WRITTEN_BY_GGUF, *K_QUANTS)


def random_blocks(weight, name, random):
    """Bytes at random, which decode to numbers as large as those of `weight`."""
    kind = gguf.GGMLQuantizationType[name.upper()]
    elements, size = gguf.GGML_QUANT_SIZES[kind]
    offset, largest, has_minimum = K_QUANTS[name]
    blocks = random.integers(0, 256, (weight.size // elements, size), dtype=np.uint8)
    scales = random.uniform(0.5, 1.5, len(blocks))

    def scaled_by(factor):
        for at, share in [(offset, 1)] + [(offset + 2, largest / 2)] * has_minimum:
            blocks[:, at:at + 2] = (scales * factor * share).astype(np.float16).view(np.uint8).reshape(-1, 2)
        return blocks

    spread = gguf.quants.dequantize(scaled_by(1), kind).std()
    return scaled_by(weight.std() / spread).reshape(*weight.shape[:-1], -1)


def write_gguf(state, name, path):
    """Matrices, tables and convolutions, all else in f32; reshaped as ComfyUI-GGUF does it where rows are no whole blocks. What
    the file decodes to."""
    kind = gguf.GGMLQuantizationType[name.upper()]
    block, random = gguf.GGML_QUANT_SIZES[kind][0], np.random.default_rng(17)
    writer = gguf.GGUFWriter(str(path), "sd1")
    decoded = dict(state)
    for key, value in state.items():
        data = value.numpy()
        if value.dim() > 1 and value.shape[-1] % block != 0 and value.numel() % 256 == 0:
            writer.add_array(SHAPE + key, [int(size) for size in value.shape])
            data = data.reshape(-1, 256)
        if data.ndim > 1 and data.shape[-1] % block == 0:
            blocks = random_blocks(data, name, random) if name in K_QUANTS else gguf.quants.quantize(data, kind)
            decoded[key] = torch.from_numpy(gguf.quants.dequantize(blocks, kind)).reshape(value.shape)
            writer.add_tensor(key, blocks, raw_dtype=kind)
        else:
            writer.add_tensor(key, data)
    close_gguf(writer)
    return decoded


def close_gguf(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def settings(**values):
    return torch.tensor(list(json.dumps(values).encode()), dtype=torch.uint8)


def scaled_fp8(weight, kind, largest):
    scale = (weight.abs().max() / largest).float()
    stored = eager.quantize_per_tensor_fp8(weight, scale, kind)
    stated = settings(format="float8_e4m3fn" if kind == torch.float8_e4m3fn else "float8_e5m2")
    return {"weight": stored, "weight_scale": scale, "comfy_quant": stated}, \
        eager.dequantize_per_tensor_fp8(stored, scale, torch.float32)


def fp8(weight):
    return scaled_fp8(weight, torch.float8_e4m3fn, 448)


def fp8_e5m2(weight):
    return scaled_fp8(weight, torch.float8_e5m2, 57344)


def fp8_of_old_files(weight):
    parts, decoded = fp8(weight)
    return {"weight": parts["weight"], "scale_weight": parts["weight_scale"].reshape(1), "scale_input": torch.ones(1)}, decoded


def fp8_plain(weight):
    stored = weight.to(torch.float8_e4m3fn)
    return {"weight": stored}, stored.float()


def fp8_e5m2_plain(weight):
    stored = weight.to(torch.float8_e5m2)
    return {"weight": stored}, stored.float()


def scaled_int8(stored, scale):
    return {"weight": stored, "weight_scale": scale, "comfy_quant": settings(format="int8_tensorwise")}, \
        eager.dequantize_int8_simple(stored, scale)


def int8(weight):
    return scaled_int8(*eager.quantize_int8_tensorwise(weight))


def int8_rows(weight):
    return scaled_int8(*eager.quantize_int8_rowwise(weight))


def int8_rotated(weight):
    """Decoded from exact sums, rounded once."""
    stored, scale = eager.quantize_int8_convrot_weight(weight, ROTATION)
    exact = eager._rotate_weight(stored.double(), eager._build_hadamard(ROTATION, dtype=torch.float64), ROTATION)
    stated = settings(format="int8_tensorwise", convrot=True, convrot_groupsize=ROTATION)
    return {"weight": stored, "weight_scale": scale, "comfy_quant": stated}, (exact * scale.double()).float()


def mxfp8(weight):
    stored, scale = eager.quantize_mxfp8(weight)
    return {"weight": stored, "weight_scale": scale.view(torch.uint8), "comfy_quant": settings(format="mxfp8")}, \
        eager.dequantize_mxfp8(stored, scale, torch.float32)


def nvfp4(weight):
    whole = (weight.abs().max() / (448 * 6)).float()
    stored, scale = eager.quantize_nvfp4(weight, whole)
    parts = {"weight": stored, "weight_scale": scale, "weight_scale_2": whole, "comfy_quant": settings(format="nvfp4")}
    return parts, eager.dequantize_nvfp4(stored, whole, scale, torch.float32)


def bnb_int8(weight):
    stored, largest, _ = bitsandbytes.int8_vectorwise_quant(weight.half())
    return {"weight": stored, "SCB": largest, "weight_format": torch.tensor(0, dtype=torch.uint8)}, \
        bitsandbytes.int8_vectorwise_dequant(stored, largest)


def nf4(weight, **choices):
    """Blocks go on from row to row, which bitsandbytes' CPU code decodes wrongly where rows are no whole blocks: by rows that are."""
    stored, state = bitsandbytes.quantize_4bit(weight.reshape(-1, 64), blocksize=64, quant_type="nf4", **choices)
    decoded = bitsandbytes.dequantize_4bit(stored, state).reshape(weight.shape)
    state.shape = weight.shape
    return {"weight": stored} | {"weight." + name: value for name, value in state.as_dict(packed=True).items()}, decoded


def bnb_nf4(weight):
    return nf4(weight)


def bnb_nf4_nested(weight):
    return nf4(weight, compress_statistics=True)


LAYERS = {each.__name__: each for each in (
    fp8, fp8_e5m2, fp8_of_old_files, fp8_plain, fp8_e5m2_plain, int8, int8_rows, int8_rotated, mxfp8, nvfp4, bnb_int8, bnb_nf4,
    bnb_nf4_nested)}


def quantised(state, name):
    """Matrices and tables, where they are whole blocks in each of LAYERS: what a file holds, and what it decodes to."""
    stored, decoded = dict(state), dict(state)
    for key, value in state.items():
        if not key.endswith(".weight") or value.dim() != 2 or value.shape[1] % 32 != 0 or value.numel() % 64 != 0:
            continue
        parts, decoded[key] = LAYERS[name](value)
        del stored[key]
        layer = key.removesuffix("weight")
        stored |= {layer + part: tensor for part, tensor in parts.items()}
    if name == "fp8_of_old_files":
        stored[DENOISER + "scaled_fp8"] = torch.zeros(0, dtype=torch.float8_e4m3fn)
    return stored, decoded
