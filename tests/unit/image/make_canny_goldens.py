#!/usr/bin/env python3
"""Images and the edges that OpenCV finds in them.

    make_canny_goldens.py OUT.safetensors

"<image>": uint8 [H, W, 3]; "<image>.<low>.<high>": uint8 [H, W], as cv2.Canny gives them for the image of three channels.
"""
import sys

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFilter
from safetensors.numpy import save_file


def drawing():
    image = Image.new("RGB", (97, 64), (30, 60, 200))
    draw = ImageDraw.Draw(image)
    draw.ellipse((10, 8, 60, 50), fill=(220, 180, 40), outline=(10, 10, 10))
    draw.polygon([(50, 60), (90, 5), (95, 55)], fill=(200, 40, 60))
    draw.line((0, 63, 96, 0), fill=(255, 255, 255), width=2)
    return image.filter(ImageFilter.GaussianBlur(0.8))


def main():
    random = np.random.default_rng(5)
    smooth = np.asarray(Image.fromarray(random.integers(0, 256, (16, 20, 3), np.uint8)).resize((80, 61), Image.BICUBIC))
    images = {
        "drawing": np.asarray(drawing()),
        "smooth": smooth,
        "noise": random.integers(0, 256, (40, 33, 3), np.uint8),
        "one_row": random.integers(0, 256, (1, 50, 3), np.uint8),
        "one_pixel": np.full((1, 1, 3), 128, np.uint8),
        "flat": np.full((9, 12, 3), 77, np.uint8),
    }
    tensors = dict(images)
    for name, image in images.items():
        for low, high in ((100, 200), (50, 80), (0, 0), (300, 900), (200, 2040)):
            tensors[f"{name}.{low}.{high}"] = cv2.Canny(np.ascontiguousarray(image), low, high)
    save_file({key: np.ascontiguousarray(value) for key, value in tensors.items()}, sys.argv[1])


if __name__ == "__main__":
    main()
