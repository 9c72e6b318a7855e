"""Noise of torch's CPU generator and images resized by Pillow, for the tests of plugin/tensor."""

import itertools
import json
import sys

import numpy
import torch
from PIL import Image
from safetensors.torch import save_file

SEEDS = [0, 1, 42, 2**32 - 1, 2**32 + 5, 2**63 + 3, 2**64 - 1]
SHAPES = [(1, 4, 8, 8), (3, 5), (15,), (16,), (17,), (1,), (2, 4, 9, 7)]
FILTERS = {
    "area": Image.Resampling.BOX,
    "bicubic": Image.Resampling.BICUBIC,
    "lanczos": Image.Resampling.LANCZOS,
}
# (width, height) before and after: up, down, mixed, odd, one axis only, to one pixel. Pillow 13 turns its passes round
# where the height shrinks much more than the width, which no stage asks for.
SIZES = [
    ((64, 48), (128, 96)),
    ((67, 45), (201, 135)),
    ((64, 48), (31, 17)),
    ((53, 37), (20, 97)),
    ((40, 40), (40, 77)),
    ((40, 40), (13, 40)),
    ((33, 21), (1, 1)),
    ((5, 3), (64, 64)),
]


def noise_streams():
    streams = {}
    for seed in SEEDS:
        generator = torch.Generator("cpu").manual_seed(seed)
        for i, shape in enumerate(SHAPES):
            streams[f"noise.{seed}.{i}"] = torch.randn(shape, generator=generator)
    return streams


def test_image(kind, width, height):
    """One with smooth colours, one with the hardest edges there are."""
    if kind == "smooth":
        y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float64)
        waves = [numpy.sin(x / 9 + c) * numpy.cos(y / 7 - c) for c in range(3)]
        return (numpy.stack(waves, axis=-1) * 127.5 + 127.5).round().astype(numpy.uint8)
    random = numpy.random.default_rng(width * 1000 + height)
    return (random.integers(0, 2, (height, width, 3)) * 255).astype(numpy.uint8)


def resized():
    tensors, cases = {}, []
    for kind, (size, target), name in itertools.product(("smooth", "edges"), SIZES, FILTERS):
        pixels = test_image(kind, *size)
        result = Image.fromarray(pixels).resize(target, FILTERS[name])
        case = f"{kind}.{size[0]}x{size[1]}.{target[0]}x{target[1]}.{name}"
        tensors[case + ".in"] = torch.from_numpy(pixels)
        tensors[case + ".out"] = torch.from_numpy(numpy.array(result))
        cases.append(dict(name=case, filter=name, width=target[0], height=target[1]))
    return tensors, cases


def main():
    tensors, cases = resized()
    tensors.update(noise_streams())
    halves = (torch.arange(0, 4096, dtype=torch.float32) - 600) / 2550
    tensors["levels.in"] = halves
    levels = (halves.clamp(0, 1).numpy() * 255).round().astype("uint8")
    tensors["levels.out"] = torch.from_numpy(levels)
    meta = dict(
        cases=json.dumps(cases),
        seeds=json.dumps([str(seed) for seed in SEEDS]),
        shapes=json.dumps(SHAPES),
    )
    save_file(tensors, sys.argv[1], metadata=meta)


main()
