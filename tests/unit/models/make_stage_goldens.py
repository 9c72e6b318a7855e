#!/usr/bin/env python3
"""Values of the real networks for stages that no case of tests/golden runs: an LCM's guidance, encoding, tiles.

    make_stage_goldens.py REFERENCE CHECKPOINTS FOLDER
"""
import pathlib
import sys


def shares_of_tiles(length, side, overlap, scale):
    """Where tiles of one size begin, evenly spread, and the share of each in every number of the result: in the middle of
    an overlap one tile fades to the next over the least overlap."""
    import torch

    count = -(-(length - overlap) // (side - overlap))
    begins = [i * (length - side) // (count - 1) for i in range(count)]
    shares = torch.zeros((count, length * scale), dtype=torch.float64)
    for i, begin in enumerate(begins):
        shares[i, begin * scale : (begin + side) * scale] = 1
    ramp = (torch.arange(overlap * scale, dtype=torch.float64) + 0.5) / (overlap * scale)
    for i in range(1, count):
        first = (begins[i] + (begins[i - 1] + side - begins[i] - overlap) // 2) * scale
        last = first + overlap * scale
        shares[i, :first] = 0
        shares[i, first:last] = ramp
        shares[i - 1, first:last] = 1 - ramp
        shares[i - 1, last:] = 0
    return begins, shares


def in_tiles(x, shrink, scale, apply):
    """The weighted sum of what `apply` makes of tiles of 64 pixels; diffusers' own tiling ends with smaller ones."""
    import torch

    side, overlap = 8, 2
    height, width = x.shape[-2] // shrink, x.shape[-1] // shrink
    (rows, down), (columns, across) = (shares_of_tiles(n, side, overlap, scale) for n in (height, width))
    result = None
    for row, y in enumerate(rows):
        for column, left in enumerate(columns):
            tile = apply(x[..., y * shrink : (y + side) * shrink, left * shrink : (left + side) * shrink]).double()
            if result is None:
                result = torch.zeros((1, tile.shape[1], height * scale, width * scale), dtype=torch.float64)
            place = (..., slice(y * scale, (y + side) * scale), slice(left * scale, (left + side) * scale))
            share = torch.outer(down[row], across[column])
            result[place] += tile * share[place[1:]]
    return result.float()


def make_tiles(checkpoint, target):
    import torch
    from diffusers import AutoencoderKL
    from safetensors.torch import save_file

    vae = AutoencoderKL.from_pretrained(checkpoint / "vae")
    latents = torch.randn((1, 4, 11, 17), generator=torch.Generator("cpu").manual_seed(0))
    pixels = torch.rand((1, 3, 88, 136), generator=torch.Generator("cpu").manual_seed(1)) * 2 - 1
    with torch.inference_mode():
        save_file({"latents": latents, "decoded": in_tiles(latents, 1, 8, lambda tile: vae.decode(tile).sample),
                   "pixels": pixels,
                   "encoded": in_tiles(pixels, 8, 1, lambda tile: vae.encode(tile).latent_dist.parameters)}, target)


def main():
    reference, checkpoints, folder = map(pathlib.Path, sys.argv[1:4])
    if (folder / "complete").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(reference))
    import golden
    import make_checkpoint

    make_checkpoint.main(["images", str(folder / "images")])
    golden.main([str(checkpoints / "sd15_4"), str(folder / "lcm.safetensors"), "--prompt", "a red car", "--steps", "2",
                 "--cfg", "4.5", "--width", "64", "--height", "64", "--batch", "2"])
    for variant in (0, 3):
        golden.main([str(checkpoints / f"sd15_{variant}"), str(folder / f"encode_{variant}.safetensors"), "--init-image",
                     str(folder / "images" / "odd_size.png"), "--steps", "2", "--strength", "0.5", "--scheduler", "ddim"])
    make_tiles(checkpoints / "sd15_1", folder / "tiles.safetensors")
    (folder / "complete").touch()


main()
