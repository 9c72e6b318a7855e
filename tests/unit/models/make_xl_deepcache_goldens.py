#!/usr/bin/env python3
"""What the UNets of Stable Diffusion XL predict under DeepCacheSDHelper, for every depth that they have.

    make_xl_deepcache_goldens.py REFERENCE CHECKPOINTS FOLDER covering|whole

FOLDER/whole.safetensors: each depth with each row of ROWS; FOLDER/covering.safetensors: each depth with one row, in turn.
Time ids are those of an image of the latents' size. In one thing the helper is not asked as it is: it fails where a UNet has no
middle block, so such a UNet gets one that hands on what it is given. Another fault is fixed as in make_deepcache_goldens.py.
"""
import pathlib
import sys

# Residuals and interval.
ROWS = (("plain", 2), ("plain", 3), ("plain", 5), ("control", 3), ("blocks", 3), ("all", 3))
# Checkpoint, latents [N, C, h, w]: even and odd sizes, a batch of three, one and two resnets a block; attention in level 0
# (sdxl_2), the times of EDM (playground_1), four levels (refiner_0), no middle (ssd_1).
SHAPES = {"sdxl_0": (2, 4, 8, 8), "sdxl_1": (1, 4, 9, 13), "sdxl_2": (3, 4, 7, 10), "playground_1": (1, 4, 12, 8),
          "refiner_0": (1, 4, 8, 8), "ssd_1": (2, 4, 8, 12)}
EDM_TIMES = [1.0955, 0.75, 0.4, 0.1, -0.5, -1.25]  # 0.25 log sigma
FACTOR = 8  # pixels of a side for one of the latent


def stand_in_for_the_middle():
    import torch

    class Handing(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.resnets = torch.nn.ModuleList([torch.nn.Identity()])

        def forward(self, sample, emb=None):
            return self.resnets[0](sample)

    return Handing()


def depth_count(unet, has_middle):
    """The last depths of a UNet without a middle leave nothing out."""
    levels = len(unet.down_blocks)
    layers = len(unet.down_blocks[-1].resnets)
    return 3 * levels + 1 if has_middle else 3 * (levels - 1) + min(layers, 3)


def added_conditions(unet, size, pooled):
    """As the pipeline gives them: pooled texts, and original size, crop and target size, or a refiner's score."""
    import torch

    height, width = size[2] * FACTOR, size[3] * FACTOR
    count = (unet.config.projection_class_embeddings_input_dim - pooled.shape[1]) // unet.config.addition_time_embed_dim
    numbers = [height, width, 0, 0] + ([height, width] if count == 6 else [6.0])
    return {"text_embeds": pooled.expand(size[0], -1), "time_ids": torch.tensor([numbers] * size[0], dtype=torch.float32)}


def make_checkpoint(checkpoints, name, size, seed, is_whole):
    import torch
    from diffusers import UNet2DConditionModel
    from make_deepcache_goldens import STEPS, TIMESTEPS, residual_rows, run

    unet = UNet2DConditionModel.from_pretrained(checkpoints / name / "unet")
    has_middle = unet.mid_block is not None
    if not has_middle:
        unet.mid_block = stand_in_for_the_middle()
    generator = torch.Generator("cpu").manual_seed(seed)
    draw = lambda shape: torch.randn(tuple(shape), generator=generator)
    start, prompt = draw(size), draw((1, 24, unet.config.cross_attention_dim))
    numbers = 5 if name.startswith("refiner") else 6
    pooled = draw((1, unet.config.projection_class_embeddings_input_dim - numbers * unet.config.addition_time_embed_dim))
    context, added = prompt.expand(size[0], -1, -1), added_conditions(unet, size, pooled)
    latents = torch.stack([start + 0.3 * draw(size) for _ in range(STEPS)])
    times = EDM_TIMES if name.startswith("playground") else TIMESTEPS
    tensors = {f"{name}.latents": latents, f"{name}.context": prompt, f"{name}.pooled": pooled,
               f"{name}.times": torch.tensor(times)}
    with torch.inference_mode():
        with_residuals, residuals = residual_rows(unet, start, context, draw, added)
        if not has_middle:  # to whose middle diffusers adds no block's residual
            with_residuals["all"] = lambda: {**with_residuals["control"](), **with_residuals["blocks"]()}
            del residuals["extra"]
        tensors.update({f"{name}.{key}": value for key, value in residuals.items()})
        for depth in range(depth_count(unet, has_middle)):
            rows = ROWS if is_whole else [ROWS[(depth + seed) % len(ROWS)]]
            for row, interval in rows:
                out, full = run(unet, latents, context, interval, depth, with_residuals.get(row, dict), times, added)
                tensors[f"{name}.{row}.{interval}.{depth}"] = out
                tensors[f"{name}.full.{interval}"] = full
    return tensors


def main():
    reference, checkpoints, folder = map(pathlib.Path, sys.argv[1:4])
    target = folder / (sys.argv[4] + ".safetensors")
    if target.exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(reference))
    from safetensors.torch import save_file

    tensors = {}
    for seed, (name, size) in enumerate(SHAPES.items()):
        tensors.update(make_checkpoint(checkpoints, name, size, seed, sys.argv[4] == "whole"))
    partial = target.with_suffix(".partial")
    save_file({key: value.contiguous() for key, value in tensors.items()}, partial)
    partial.rename(target)


main()
