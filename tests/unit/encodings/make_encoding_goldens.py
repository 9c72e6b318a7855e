#!/usr/bin/env python3
"""Numbers in every encoding, as the libraries that define them decode them to f32: gguf, comfy-kitchen's eager backend,
bitsandbytes' CPU code.

    make_encoding_goldens.py OUT.safetensors

For each encoding NAME.blocks (bytes), NAME.0, NAME.1, ... (companions) and NAME.numbers.
"""
import sys

import comfy_kitchen.backends.eager.quantization as eager
import numpy as np
import torch
from bitsandbytes import functional as bnb
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, quants
from safetensors.torch import save_file

COUNT = 1 << 18  # numbers of GGUF encodings
ROWS, COLUMNS = 200, 512  # of the others; the rows fill no whole number of tiles
HALVES = {"Q4_0": [0], "Q4_1": [0, 2], "Q5_0": [0], "Q5_1": [0, 2], "Q8_0": [0], "Q2_K": [80, 82], "Q3_K": [108], "Q4_K": [0, 2],
          "Q5_K": [0, 2], "Q6_K": [208]}


def gguf_blocks(rng):
    """Random bits; the half numbers among them finite, subnormal ones too."""
    out = {}
    for name, places in HALVES.items():
        kind = GGMLQuantizationType[name]
        elements, size = GGML_QUANT_SIZES[kind]
        blocks = rng.integers(0, 256, (COUNT // elements, size), dtype=np.uint8)
        for place in places:
            halves = rng.integers(0, 0x7C00, len(blocks), dtype=np.uint16) | rng.integers(0, 2, len(blocks), dtype=np.uint16) << 15
            blocks[:, place:place + 2] = halves.view(np.uint8).reshape(-1, 2)
        out[name.lower() + ".blocks"] = torch.from_numpy(blocks)
        out[name.lower() + ".numbers"] = torch.from_numpy(quants.dequantize(blocks, kind).reshape(-1))
    return out


def random_bytes(rng, rows=ROWS, columns=COLUMNS):
    return torch.from_numpy(rng.integers(0, 256, (rows, columns), dtype=np.uint8))


def scaled(rng):
    """Every bit pattern but NaN and infinity, by a scale of the tensor and by one of each row."""
    out = {}
    one = torch.tensor(0.0123, dtype=torch.float32)
    each = torch.from_numpy(rng.uniform(0.001, 2, (ROWS, 1)).astype(np.float32))
    for name, kind in (("f8_e4m3", torch.float8_e4m3fn), ("f8_e5m2", torch.float8_e5m2), ("int8", torch.int8)):
        stored = random_bytes(rng)
        stored[~torch.isfinite(stored.view(kind).float())] = 1
        numbers = stored.view(kind)
        decode = eager.dequantize_int8_simple if kind == torch.int8 else lambda x, scale: x.float() * scale
        whole = decode(numbers, one) if kind == torch.int8 else eager.dequantize_per_tensor_fp8(numbers, one, torch.float32)
        out |= {name + ".blocks": stored, name + ".0": one.reshape(1), name + ".numbers": whole}
        rows = name + "_rows"
        out |= {rows + ".blocks": stored.clone(), rows + ".0": each.reshape(-1).clone(), rows + ".numbers": decode(numbers, each)}
    return out


def rotated(rng):
    """Rounded once from the exact sums, which is what f64 gives here; and the reference's own sums in f32."""
    out = {}
    scales = torch.from_numpy(rng.uniform(0.001, 2, (ROWS, 1)).astype(np.float32))
    for size in (16, 64, 256):
        stored = random_bytes(rng).view(torch.int8)
        hadamard = eager._build_hadamard(size, dtype=torch.float64)
        exact = eager._rotate_weight(stored.double(), hadamard, size)
        name = f"int8_convrot_{size}"
        out |= {name + ".blocks": stored.view(torch.uint8), name + ".0": scales.reshape(-1).clone(),
                name + ".numbers": (exact * scales.double()).float(),
                name + ".reference": eager.dequantize_int8_convrot_weight(stored, scales, size)}
    return out


def blocks_with_scales(rng):
    weights = torch.from_numpy(rng.standard_normal((ROWS, COLUMNS)).astype(np.float32))
    weights[3] = 0
    whole = torch.tensor(0.0007, dtype=torch.float32)
    packed, scales = eager.quantize_nvfp4(weights, whole)
    out = {"nvfp4.blocks": packed, "nvfp4.0": scales.view(torch.uint8), "nvfp4.1": whole.reshape(1),
           "nvfp4.numbers": eager.dequantize_nvfp4(packed, whole, scales, torch.float32)}
    packed, scales = eager.quantize_mxfp8(weights)
    out |= {"mxfp8.blocks": packed.view(torch.uint8), "mxfp8.0": scales.view(torch.uint8),
            "mxfp8.numbers": eager.dequantize_mxfp8(packed, scales, torch.float32)}
    return out


def bitsandbytes(rng):
    weights = torch.from_numpy(rng.standard_normal((ROWS, COLUMNS)).astype(np.float32))
    stored, largest, _ = bnb.int8_vectorwise_quant(weights.half())
    out = {"bnb_int8.blocks": stored.view(torch.uint8), "bnb_int8.0": largest,
           "bnb_int8.numbers": bnb.int8_vectorwise_dequant(stored, largest)}
    for name, nested in (("bnb_nf4", False), ("bnb_nf4_nested", True)):
        stored, state = bnb.quantize_4bit(weights, blocksize=64, quant_type="nf4", compress_statistics=nested)
        out |= {name + ".blocks": stored.reshape(-1), name + ".0": state.absmax, name + ".numbers": bnb.dequantize_4bit(stored, state)}
        if nested:
            out |= {name + ".1": state.state2.absmax, name + ".2": state.state2.code, name + ".offset": state.offset.reshape(1)}
    return out


def main():
    rng = np.random.default_rng(24)
    tensors = gguf_blocks(rng) | scaled(rng) | rotated(rng) | blocks_with_scales(rng) | bitsandbytes(rng)
    save_file({key: value.contiguous().clone() for key, value in tensors.items()}, sys.argv[1])


if __name__ == "__main__":
    main()
