#!/usr/bin/env python3
"""Numbers, and the bytes in which the libraries that define an encoding write them: gguf and comfy-kitchen's eager backend.

    make_written_goldens.py OUT.safetensors

For each encoding NAME.numbers, NAME.blocks and, with scales next to the blocks, NAME.scales. q4_k, which gguf only reads:
q4_k.plain, the numbers as its reader gives them back when scale and minimum of each 32 are those of their range.
"""
import sys

import comfy_kitchen.backends.eager.quantization as eager
import numpy as np
import torch
from gguf import GGMLQuantizationType, quants
from safetensors.torch import save_file

ROWS, COLUMNS = 64, 512


def weights(rng):
    """Rows of many magnitudes; zeros, a row of halves whose places are ties, one of subnormal scales."""
    numbers = rng.standard_normal((ROWS, COLUMNS)).astype(np.float32) * np.exp2(rng.integers(-20, 12, (ROWS, 1))).astype(np.float32)
    numbers[1] = 0
    numbers[2] = rng.integers(-254, 255, COLUMNS) / 2
    numbers[2, ::32] = 127
    numbers[3] *= 1e-30
    numbers[4, 5] = -0.0
    return numbers


def q8_0(rng):
    numbers = weights(rng)
    blocks = quants.quantize(numbers, GGMLQuantizationType.Q8_0)
    return {"q8_0.numbers": torch.from_numpy(numbers), "q8_0.blocks": torch.from_numpy(blocks)}


def f8(rng):
    """Of one scale, also for numbers that it makes subnormal; and of a tensor of zeros."""
    numbers = torch.from_numpy(rng.standard_normal((ROWS, COLUMNS)).astype(np.float32) * 0.02)
    numbers[5] *= 1e-3
    numbers[6] *= 1e-6
    scale = (numbers.abs().max() / 448).float()
    blocks = eager.quantize_per_tensor_fp8(numbers, scale)
    return {"f8_e4m3.numbers": numbers, "f8_e4m3.blocks": blocks.view(torch.uint8), "f8_e4m3.scales": scale.reshape(1)}


def int8(rng):
    numbers = torch.from_numpy(weights(rng))
    rows, scales = eager.quantize_int8_rowwise(numbers)
    out = {"int8_rows.numbers": numbers, "int8_rows.blocks": rows.view(torch.uint8), "int8_rows.scales": scales.reshape(-1).clone()}
    whole, scale = eager.quantize_int8_tensorwise(numbers)
    return out | {"int8.numbers": numbers.clone(), "int8.blocks": whole.view(torch.uint8), "int8.scales": scale.reshape(1)}


def plain_q4_k(numbers):
    """Blocks whose runs reach from their least to their largest number, in the nearest six-bit parts."""
    runs = numbers.reshape(-1, 8, 32).astype(np.float64)
    least = np.maximum(-runs.min(axis=2), 0)
    scale = (runs.max(axis=2) + least) / 15
    blocks = np.zeros((len(runs), 144), dtype=np.uint8)
    units = [(part.max(axis=1) / 63).astype(np.float16) for part in (scale, least)]
    for place, unit in enumerate(units):
        blocks[:, 2 * place:2 * place + 2] = unit.view(np.uint8).reshape(-1, 2)
    halves = [unit.astype(np.float64).reshape(-1, 1) for unit in units]
    s, m = (np.clip(np.rint(part / unit), 0, 63).astype(np.uint8) for part, unit in zip((scale, least), halves))
    blocks[:, 4:8] = s[:, :4] | (s[:, 4:] >> 4) << 6
    blocks[:, 8:12] = m[:, :4] | (m[:, 4:] >> 4) << 6
    blocks[:, 12:16] = (s[:, 4:] & 15) | (m[:, 4:] & 15) << 4
    step, below = ((part * unit)[:, :, None] for part, unit in zip((s, m), halves))
    places = np.clip(np.rint((runs + below) / step), 0, 15).astype(np.uint8)
    blocks[:, 16:] = (places[:, ::2] | places[:, 1::2] << 4).reshape(-1, 128)
    return blocks


def q4_k(rng):
    numbers = rng.standard_normal((ROWS, 4 * COLUMNS)).astype(np.float32) * 0.03
    plain = quants.dequantize(plain_q4_k(numbers), GGMLQuantizationType.Q4_K)
    return {"q4_k.numbers": torch.from_numpy(numbers), "q4_k.plain": torch.from_numpy(plain.reshape(numbers.shape))}


def main():
    rng = np.random.default_rng(31)
    tensors = q8_0(rng) | f8(rng) | int8(rng) | q4_k(rng)
    save_file({key: value.contiguous().clone() for key, value in tensors.items()}, sys.argv[1])


if __name__ == "__main__":
    main()
