#!/usr/bin/env python3
"""What the real UNet predicts under DeepCacheSDHelper, for every depth, with and without residuals of adapters.

    make_deepcache_goldens.py REFERENCE CHECKPOINTS FOLDER

The latents of each step are given, so that a difference in one step does not grow in the next. In one thing the helper is
not followed: with a T2I-Adapter's residual for the middle block it adds to the very tensor that it keeps, so that residuals
pile up. Here the middle block's result is copied first.
"""
import pathlib
import sys
from types import SimpleNamespace

STEPS = 6
TIMESTEPS = [901, 751, 601, 451, 301, 151]
INTERVALS = (2, 3, 5)
# Variant, latents [N, C, h, w]: even and odd sizes, a batch of three, one to three resnets a block.
SEEDED = {"sd15_0": (2, 4, 8, 8), "sd15_1": (1, 4, 12, 8), "sd15_2": (1, 4, 9, 13), "sd15_3": (3, 4, 7, 10),
          "sd15_4": (1, 4, 8, 8), "sd15_5": (1, 4, 8, 8)}
WITHOUT_RESIDUALS = ("sd15_4", "sd15_5")


def guidance_embedding(unet, count):
    """What the pipeline gives a network whose guidance is an input, for a guidance of 1: sines and cosines of 0."""
    import torch

    width = unet.config.time_cond_proj_dim
    return None if width is None else torch.cat([torch.zeros(count, width // 2), torch.ones(count, width // 2)], 1)


def run(unet, latents, context, interval, depth, residuals, timesteps=TIMESTEPS, added=None):
    """Predictions of all steps, and in which of them the middle block was evaluated."""
    import torch
    from DeepCache import DeepCacheSDHelper

    evaluated = []
    times = torch.tensor(timesteps)
    hook = unet.mid_block.resnets[0].register_forward_hook(lambda m, i, out: evaluated.append(True))
    helper = DeepCacheSDHelper(pipe=SimpleNamespace(unet=unet, scheduler=SimpleNamespace(timesteps=times)))
    helper.set_params(cache_interval=interval, cache_branch_id=depth)
    helper.enable()
    kept = unet.mid_block.forward
    unet.mid_block.forward = lambda *args, **kwargs: kept(*args, **kwargs).clone()
    outputs, full = [], []
    for step in range(STEPS):
        before = len(evaluated)
        outputs.append(unet(latents[step].clone(), times[step], encoder_hidden_states=context, added_cond_kwargs=added,
                            timestep_cond=guidance_embedding(unet, latents.shape[1]), **residuals()).sample)
        full.append(len(evaluated) > before)
    unet.mid_block.forward = kept
    helper.disable()
    hook.remove()
    return torch.stack(outputs), torch.tensor(full, dtype=torch.int64)


def residual_rows(unet, start, context, draw, added=None):
    """Arguments of the network by row, and the tensors in them."""
    from make_residual_goldens import observed_shapes

    skips, middle, blocks = observed_shapes(unet, start, context, added)
    down, mid = [draw(shape) for shape in skips], draw(middle)
    inner, extra = [draw(shape) for shape in blocks], draw(middle)
    control = lambda: dict(down_block_additional_residuals=down, mid_block_additional_residual=mid)
    intra = lambda more: dict(down_intrablock_additional_residuals=[x.clone() for x in inner + more])
    rows = {"control": control, "blocks": lambda: intra([]), "all": lambda: {**control(), **intra([extra])}}
    tensors = {f"skip.{i}": x for i, x in enumerate(down)} | {f"block.{i}": x for i, x in enumerate(inner)}
    return rows, tensors | {"middle": mid, "extra": extra}


def make_variant(checkpoints, name, size, seed):
    import torch
    from diffusers import UNet2DConditionModel

    unet = UNet2DConditionModel.from_pretrained(checkpoints / name / "unet")
    generator = torch.Generator("cpu").manual_seed(seed)
    draw = lambda shape: torch.randn(tuple(shape), generator=generator)
    start, prompt = draw(size), draw((1, 24, unet.config.cross_attention_dim))
    context = prompt.expand(size[0], -1, -1)
    latents = torch.stack([start + 0.3 * draw(size) for _ in range(STEPS)])
    tensors = {f"{name}.latents": latents, f"{name}.context": prompt}
    with torch.inference_mode():
        if name in WITHOUT_RESIDUALS:
            rows = {}
        else:
            rows, residuals = residual_rows(unet, start, context, draw)
            tensors.update({f"{name}.{key}": value for key, value in residuals.items()})
        levels = len(unet.down_blocks)
        for depth in range(3 * levels + 1):
            for interval in INTERVALS:
                out, full = run(unet, latents, context, interval, depth, dict)
                tensors[f"{name}.plain.{interval}.{depth}"] = out
                tensors[f"{name}.full.{interval}"] = full
            for row, residuals in rows.items():
                tensors[f"{name}.{row}.3.{depth}"] = run(unet, latents, context, 3, depth, residuals)[0]
    return tensors


def main():
    reference, checkpoints, folder = map(pathlib.Path, sys.argv[1:4])
    if (folder / "complete").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(reference))
    from safetensors.torch import save_file

    tensors = {}
    for name, size in SEEDED.items():
        tensors.update(make_variant(checkpoints, name, size, len(tensors) + 11))
    save_file({key: value.contiguous() for key, value in tensors.items()}, folder / "seeded.safetensors")
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
