#!/usr/bin/env python3
"""Values of the real networks for stages that no case of tests/golden runs: an LCM's guidance, encoding, tiles.

    make_stage_goldens.py REFERENCE CHECKPOINTS FOLDER
"""
import pathlib
import sys


def make_tiles(checkpoint, target):
    import torch
    from diffusers import AutoencoderKL
    from safetensors.torch import save_file

    vae = AutoencoderKL.from_pretrained(checkpoint / "vae")
    vae.enable_tiling()
    vae.tile_sample_min_size, vae.tile_latent_min_size = 64, 8
    latents = torch.randn((1, 4, 11, 17), generator=torch.Generator("cpu").manual_seed(0))
    pixels = torch.rand((1, 3, 88, 136), generator=torch.Generator("cpu").manual_seed(1)) * 2 - 1
    with torch.inference_mode():
        save_file({"latents": latents, "decoded": vae.decode(latents).sample.contiguous(), "pixels": pixels,
                   "encoded": vae.encode(pixels).latent_dist.parameters.contiguous()}, target)


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
