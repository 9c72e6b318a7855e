"""Animations as other programs write them: make_animations.py FOLDER

A small square moves over an image of noise; frames state where they differ from the one before, in every way that the formats have.
"""
import pathlib
import random
import sys

from PIL import Image

folder = pathlib.Path(sys.argv[1])
dice = random.Random(7)
noise = Image.frombytes("RGB", (40, 30), bytes(dice.randrange(256) for _ in range(40 * 30 * 3)))


def scenes(mode, clear):
    for i in range(6):
        frame = (Image.new(mode, noise.size, (0, 0, 0, 0)) if clear else noise.convert(mode))
        frame.paste((250, 20 * i, 30) + ((255,) if mode == "RGBA" else ()), (3 * i, 2 * i, 3 * i + 9, 2 * i + 7))
        yield frame


for name, mode, clear, options in (
        ("plain", "RGB", False, {}),
        ("cleared", "RGBA", True, {"disposal": 1, "blend": 0}),
        ("restored", "RGBA", True, {"disposal": 2, "blend": 1}),
        ("blended", "RGBA", False, {"disposal": 0, "blend": 1})):
    first, *rest = scenes(mode, clear)
    first.save(folder / (name + ".png"), save_all=True, append_images=rest, duration=[80, 80, 160, 80, 80, 80], **options)
first, *rest = (frame.convert("P", palette=Image.Palette.ADAPTIVE) for frame in scenes("RGB", False))
first.save(folder / "palette.png", save_all=True, append_images=rest, duration=100)
for name, clear in (("whole", False), ("clear", True)):
    first, *rest = scenes("RGBA", clear)
    first.save(folder / (name + ".webp"), save_all=True, append_images=rest, duration=[80, 80, 160, 80, 80, 80], lossless=True,
               exact=True)
noise.save(folder / "single.png")
noise.save(folder / "single.webp", lossless=True)
