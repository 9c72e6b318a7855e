"""How the mini model's latents look, as a linear guess: ../model/vae/latent_to_rgb.json, for previews.

    lowtide run demo --set encode.prompt="a cat on a blue background" --dump 0.safetensors ...   # many prompts
    fit_preview.py 0.safetensors 1.safetensors ... > latent_to_rgb.json

Least squares of the decoded images, averaged over 8 x 8 pixels in -1..1, over their latents and a constant.
"""
import json
import sys

import numpy as np
from safetensors.numpy import load_file


def rows(path):
    dump = load_file(path)
    latents = dump["latents.final"]
    batch, channels, height, width = latents.shape
    image = dump["image"].reshape(batch, 3, height, 8, width, 8).mean((3, 5)) * 2 - 1
    x = latents.transpose(0, 2, 3, 1).reshape(-1, channels)
    return np.hstack([x, np.ones((len(x), 1), x.dtype)]), image.transpose(0, 2, 3, 1).reshape(-1, 3)


def main():
    parts = [rows(path) for path in sys.argv[1:]]
    x, y = (np.concatenate([part[i] for part in parts]).astype(np.float64) for i in (0, 1))
    found = np.linalg.lstsq(x, y, rcond=None)[0]
    explained = 1 - ((y - x @ found) ** 2).sum(0) / ((y - y.mean(0)) ** 2).sum(0)
    print(f"fraction of the variance explained (r, g, b): {explained.round(3).tolist()}", file=sys.stderr)
    listed = found.round(4).tolist()
    lines = ",\n".join("    " + json.dumps(colour) for colour in listed[:-1])
    print(f'{{\n  "channels": [\n{lines}\n  ],\n  "zero": {json.dumps(listed[-1])}\n}}')


if __name__ == "__main__":
    main()
