"""Latents at other sizes: four methods by torch itself, bislerp from its definition in float64."""

import json
import sys

import numpy
import torch
from safetensors.torch import save_file

# (height, width) before and after: up, mixed, down, one axis only, from and to one pixel, centres between two pixels.
SIZES = [
    ((8, 8), (16, 16)),
    ((9, 7), (12, 20)),
    ((16, 12), (11, 5)),
    ((8, 8), (8, 13)),
    ((5, 6), (1, 1)),
    ((1, 1), (4, 3)),
    ((10, 10), (3, 5)),
    ((64, 48), (96, 72)),
]
METHODS = ("nearest-exact", "bilinear", "bicubic", "area")


def latents(height, width):
    x = torch.randn((2, 4, height, width), generator=torch.Generator("cpu").manual_seed(height * 1000 + width))
    if height > 2 and width > 2:  # vectors of channels with one direction, with opposite and nearly opposite ones, and none
        x[0, :, 0, 1] = 2 * x[0, :, 0, 0]
        x[1, :, 1, 1] = -0.5 * x[1, :, 1, 0]
        x[1, :, 2, 2] = 0
        x[0, :, 2, 2] = -x[0, :, 2, 1]
        x[0, :2, 2, 2] += 8e-3 * torch.stack((x[0, 1, 2, 1], -x[0, 0, 2, 1]))
    return x


def between(a, b, share):
    """On the arc from a to b, with the length that lies linearly between theirs."""
    length_a, length_b = numpy.linalg.norm(a), numpy.linalg.norm(b)
    unit_a = a / length_a if length_a else numpy.zeros_like(a)
    unit_b = b / length_b if length_b else numpy.zeros_like(b)
    cosine = float(unit_a @ unit_b)
    if cosine > 1 - 1e-5:
        return a
    if cosine < 1e-5 - 1:
        return a * (1 - share) + b * share
    angle = numpy.arccos(cosine)
    arc = (numpy.sin((1 - share) * angle) * unit_a + numpy.sin(share * angle) * unit_b) / numpy.sin(angle)
    return arc * (length_a * (1 - share) + length_b * share)


def along_last(x, size):
    """x [B, C, H, W] with `size` columns."""
    result = numpy.zeros((*x.shape[:3], size))
    last = x.shape[3] - 1
    for column in range(size):
        place = max((column + 0.5) * x.shape[3] / size - 0.5, 0)
        first = min(int(place), last)
        for batch in range(x.shape[0]):
            for row in range(x.shape[2]):
                result[batch, :, row, column] = between(
                    x[batch, :, row, first], x[batch, :, row, min(first + 1, last)], place - first)
    return result


def bislerp(x, height, width):
    wide = along_last(x.double().numpy(), width)
    tall = along_last(wide.transpose(0, 1, 3, 2), height).transpose(0, 1, 3, 2)
    return torch.from_numpy(tall.copy()).float()


def main():
    tensors, cases = {}, []
    for source, target in SIZES:
        x = latents(*source)
        for method in (*METHODS, "bislerp"):
            name = f"{source[0]}x{source[1]}.{target[0]}x{target[1]}.{method}"
            result = bislerp(x, *target) if method == "bislerp" else torch.nn.functional.interpolate(
                x, size=target, mode=method)
            tensors[name + ".in"], tensors[name + ".out"] = x.clone(), result.contiguous()
            cases.append(dict(name=name, method=method, height=target[0], width=target[1]))
    save_file(tensors, sys.argv[1], metadata=dict(cases=json.dumps(cases)))


main()
