"""Images and masks at other sizes, on each other, and grown: make_fit_goldens.py OUT.safetensors

Cropped as ComfyUI's common_upscale does (its formula, below), padded by ImageOps.pad, resized by Pillow in float; composed pixel by
pixel; grown and blurred by SciPy. The cases are the metadata "cases", a JSON list; NAME.KIND are their tensors.
"""
import json
import sys

import numpy
import torch
from PIL import Image, ImageOps
from safetensors.torch import save_file
from scipy import ndimage

FILTERS = {"lanczos": Image.Resampling.LANCZOS, "bicubic": Image.Resampling.BICUBIC, "area": Image.Resampling.BOX}
LEVELS = {"grey": 0.5, "black": 0.0, "white": 1.0}
tensors, cases = {}, []


def waves(height, width, channels):
    """Smooth and away from 0 and 1, so that no filter goes beyond them."""
    y, x = numpy.mgrid[0:height, 0:width]
    planes = [0.5 + 0.2 * numpy.sin(x / (3 + c)) * numpy.cos(y / (5 - c)) for c in range(channels)]
    return numpy.stack(planes).astype(numpy.float32)


def tensor(planes):
    return torch.tensor(numpy.asarray(planes, dtype=numpy.float32))[None]


def resized(plane, size, method):
    return Image.fromarray(plane).resize(size, FILTERS[method]) if plane.shape[::-1] != size else Image.fromarray(plane)


def cropped(plane, width, height, method):
    old_height, old_width = plane.shape
    x = y = 0
    old, new = old_width / old_height, width / height
    if old > new:
        x = round((old_width - old_width * (new / old)) / 2)
    elif old < new:
        y = round((old_height - old_height * (old / new)) / 2)
    return numpy.array(resized(plane[y:old_height - y, x:old_width - x].copy(), (width, height), method))


def padded(plane, width, height, method, level):
    return numpy.array(ImageOps.pad(Image.fromarray(plane), (width, height), FILTERS[method], color=level))


def fit(name, size, target, mode, method="lanczos", fill="grey"):
    source, mask = waves(*size[::-1], 3), waves(*size[::-1], 1)
    width, height = target
    made = {"crop": lambda plane, how, level: cropped(plane, width, height, how),
            "pad": lambda plane, how, level: padded(plane, width, height, how, level),
            "stretch": lambda plane, how, level: numpy.array(resized(plane, (width, height), how))}[mode]
    tensors[f"{name}.in"], tensors[f"{name}.mask"] = tensor(source), tensor(mask)
    tensors[f"{name}.out"] = tensor(numpy.stack([made(plane, method, LEVELS[fill]) for plane in source]))
    tensors[f"{name}.mask_out"] = tensor(numpy.stack([made(plane, "area", 1.0) for plane in mask]))
    cases.append({"kind": "fit", "name": name, "width": width, "height": height, "mode": mode, "method": method, "fill": fill})


def composite(name, below, above, x, y, mask_size=None, resize=False):
    destination, source = waves(*below, 3), 1 - waves(*above, 3)
    mask = None if mask_size is None else numpy.random.default_rng(5).random((1, *mask_size), dtype=numpy.float32)
    tensors[f"{name}.destination"], tensors[f"{name}.source"] = tensor(destination), tensor(source)

    def bilinear(planes, size):
        return torch.nn.functional.interpolate(torch.from_numpy(planes)[None], size=size, mode="bilinear")[0].numpy()

    if mask is not None:
        tensors[f"{name}.mask"] = tensor(mask)
    if resize:
        source = bilinear(source, below)
    share = numpy.ones((1, *source.shape[1:]), numpy.float32) if mask is None else bilinear(mask, source.shape[1:])
    out = destination.copy()
    for row in range(source.shape[1]):
        for column in range(source.shape[2]):
            if 0 <= row + y < below[0] and 0 <= column + x < below[1]:
                part = share[0, row, column]
                out[:, row + y, column + x] = part * source[:, row, column] + (1 - part) * out[:, row + y, column + x]
    tensors[f"{name}.out"] = tensor(out)
    cases.append({"kind": "composite", "name": name, "x": x, "y": y, "resize": resize})


def grow(name, pixels, corners, feather):
    mask = numpy.random.default_rng(abs(pixels) + 1).random((29, 37), dtype=numpy.float32)
    mask[8:20, 10:25] = 1
    corner = 0 if corners == "tapered" else 1
    footprint = numpy.array([[corner, 1, corner], [1, 1, 1], [corner, 1, corner]])
    grown = mask
    for _ in range(abs(pixels)):
        change = ndimage.grey_erosion if pixels < 0 else ndimage.grey_dilation
        grown = change(grown, footprint=footprint)
    if feather:
        grown = ndimage.gaussian_filter(grown.astype(numpy.float64), feather, mode="nearest", truncate=3)
    tensors[f"{name}.in"], tensors[f"{name}.out"] = tensor(mask[None]), tensor(numpy.asarray(grown)[None])
    cases.append({"kind": "grow", "name": name, "pixels": pixels, "corners": corners, "feather": feather})


fit("crop_wide", (100, 60), (64, 64), "crop")
fit("crop_high", (60, 100), (64, 40), "crop", "bicubic")
fit("crop_odd", (101, 67), (40, 40), "crop", "area")
fit("crop_larger", (30, 20), (64, 48), "crop", "bicubic")
fit("crop_same_shape", (96, 64), (48, 32), "crop")
fit("crop_part_alone", (50, 40), (40, 40), "crop")
fit("pad_wide", (100, 40), (64, 64), "pad")
fit("pad_high", (40, 101), (64, 64), "pad", "area", "black")
fit("pad_odd", (37, 50), (48, 40), "pad", "bicubic", "white")
fit("pad_same_shape", (64, 32), (32, 16), "pad")
fit("stretch", (50, 70), (64, 40), "stretch", "bicubic")
composite("plain", (20, 30), (8, 12), 5, 4)
composite("masked", (20, 30), (8, 12), 5, 4, (8, 12))
composite("mask_of_another_size", (20, 30), (8, 12), 5, 4, (4, 5))
composite("standing_out", (20, 30), (12, 16), 22, 14, (12, 16))
composite("before_the_edge", (20, 30), (12, 16), -5, -3, (12, 16))
composite("outside", (20, 30), (8, 8), 40, 4, (8, 8))
composite("resized", (20, 30), (10, 10), 0, 0, (20, 30), True)
for pixels in (0, 1, 5, -1, -4):
    for corners in ("tapered", "square"):
        grow(f"grow_{pixels}_{corners}", pixels, corners, 0)
grow("feather", 0, "tapered", 2.0)
grow("feather_wide", 3, "square", 7.5)
save_file(tensors, sys.argv[1], metadata={"cases": json.dumps(cases)})
