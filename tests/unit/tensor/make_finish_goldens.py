"""Images that Pillow sharpens and scikit-image matches in colour, for the tests of plugin/tensor."""

import json
import sys

import numpy
import torch
from PIL import Image, ImageFilter
from safetensors.torch import save_file
from skimage.color import lab2rgb, rgb2lab
from skimage.exposure import match_histograms

# radius, percent, threshold: Pillow's own, none, below a pixel, wide, beyond the image, strong
MASKS = [(2, 150, 3), (0, 150, 0), (0.4, 200, 0), (7.3, 80, 10), (40, 100, 0), (1, 500, 0), (2, 150, 255)]
SIZES = [(67, 45), (64, 64), (5, 90), (1, 1)]


def test_image(kind, width, height, seed=0):
    random = numpy.random.default_rng(width * 1000 + height + seed)
    if kind == "noise":
        return random.integers(0, 256, (height, width, 3)).astype(numpy.uint8)
    y, x = numpy.mgrid[0:height, 0:width].astype(numpy.float64)
    waves = [numpy.sin(x / 9 + c + seed) * numpy.cos(y / 7 - c) * (60 + 25 * c) + 90 + 30 * c for c in range(3)]
    return (numpy.stack(waves, axis=-1) + random.normal(0, 3, (height, width, 3))).round().clip(0, 255).astype(numpy.uint8)


def sharpened():
    tensors, cases = {}, []
    for kind in ("smooth", "noise"):
        for size in SIZES:
            pixels = test_image(kind, *size)
            for mask in MASKS:
                name = f"sharpen.{kind}.{size[0]}x{size[1]}.{'.'.join(map(str, mask))}"
                tensors[name + ".in"] = pixels
                tensors[name + ".out"] = numpy.array(Image.fromarray(pixels).filter(ImageFilter.UnsharpMask(*mask)))
                cases.append({"name": name, "radius": mask[0], "percent": mask[1], "threshold": mask[2]})
    return tensors, cases


def statistics(source, reference):
    """Reinhard et al. 2001 in L*a*b*; a flat channel is moved only."""
    lab, wanted = rgb2lab(source / 255), rgb2lab(reference / 255)
    mean, spread = lab.mean(axis=(0, 1)), lab.std(axis=(0, 1))
    factor = numpy.where(spread > 0.01, wanted.std(axis=(0, 1)) / numpy.maximum(spread, 0.01), 1)
    return lab2rgb((lab - mean) * factor + wanted.mean(axis=(0, 1)))


def matched():
    dark = (test_image("smooth", 50, 70, 5) * 0.5 + [0, 20, 60]).round().astype(numpy.uint8)
    few = (test_image("smooth", 33, 47) // 64 * 64).astype(numpy.uint8)
    flat = numpy.full((20, 30, 3), (10, 120, 200), dtype=numpy.uint8)
    sources = {"smooth": test_image("smooth", 67, 45), "noise": test_image("noise", 40, 40), "few": few, "flat": flat}
    references = {"smooth": test_image("smooth", 60, 52, 3), "dark": dark, "few": few[::-1, :20], "flat": flat}
    tensors, names = {}, []
    for first, source in sources.items():
        for second, reference in references.items():
            name = f"match.{first}.{second}"
            names.append(name)
            tensors[name + ".in"], tensors[name + ".reference"] = source, reference
            tensors[name + ".histogram"] = match_histograms(source, reference, channel_axis=-1)
            tensors[name + ".statistics"] = (statistics(source, reference) * 255).round().astype(numpy.uint8)
    return tensors, names


def main():
    images, cases = sharpened()
    matches, names = matched()
    tensors = {key: torch.from_numpy(numpy.array(value)) for key, value in {**images, **matches}.items()}
    save_file(tensors, sys.argv[1], {"sharpen": json.dumps(cases), "match": json.dumps(names)})


main()
