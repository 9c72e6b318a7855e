#!/usr/bin/env python3
"""What the real UNet predicts with residuals of adapters: seeded ones, and those of a ControlNet.

    make_residual_goldens.py REFERENCE CHECKPOINTS FOLDER
"""
import pathlib
import sys

# Variant, latents [N, C, h, w]: even and odd sizes, guided batches, one to three resnets a block.
SEEDED = {"sd15_0": (2, 4, 8, 8), "sd15_1": (1, 4, 12, 8), "sd15_2": (1, 4, 9, 13), "sd15_3": (2, 4, 7, 10)}


def observed_shapes(unet, sample, context, added=None):
    """Of everything that residuals are added to, read off a run without any."""
    skips, blocks, middle = [], [], []
    hooks = [unet.conv_in.register_forward_hook(lambda m, i, out: skips.append(out.shape))]
    for block in unet.down_blocks:
        def seen(m, i, out):
            skips.extend(x.shape for x in out[1])
            shrinks = m.downsamplers is not None and getattr(m, "has_cross_attention", False)
            blocks.append((out[1][-2] if shrinks else out[0]).shape)
        hooks.append(block.register_forward_hook(seen))
    hooks.append(unet.mid_block.register_forward_hook(lambda m, i, out: middle.append(out.shape)))
    unet(sample, 301, encoder_hidden_states=context, added_cond_kwargs=added)
    for hook in hooks:
        hook.remove()
    return skips, middle[0], blocks


def make_seeded(checkpoints, target):
    import torch
    from diffusers import UNet2DConditionModel
    from safetensors.torch import save_file

    tensors = {}
    for name, size in SEEDED.items():
        unet = UNet2DConditionModel.from_pretrained(checkpoints / name / "unet")
        generator = torch.Generator("cpu").manual_seed(len(tensors) + 7)
        draw = lambda shape: torch.randn(tuple(shape), generator=generator)
        sample, prompt = draw(size), draw((1, 24, unet.config.cross_attention_dim))
        context = prompt.expand(size[0], -1, -1)
        with torch.inference_mode():
            skips, middle, blocks = observed_shapes(unet, sample, context)
            down, mid = [draw(shape) for shape in skips], draw(middle)
            inner, extra = [draw(shape) for shape in blocks], draw(middle)

            def predict(**more):
                return unet(sample.clone(), 301, encoder_hidden_states=context, **more).sample

            control = dict(down_block_additional_residuals=down, mid_block_additional_residual=mid)
            copies = lambda more=(): [x.clone() for x in [*inner, *more]]
            tensors.update({
                f"{name}.sample": sample, f"{name}.context": prompt, f"{name}.middle": mid, f"{name}.extra": extra,
                f"{name}.out.none": predict(), f"{name}.out.control": predict(**control),
                f"{name}.out.blocks": predict(down_intrablock_additional_residuals=copies()),
                f"{name}.out.all": predict(**control, down_intrablock_additional_residuals=copies([extra]))})
        tensors.update({f"{name}.skip.{i}": x for i, x in enumerate(down)})
        tensors.update({f"{name}.block.{i}": x for i, x in enumerate(inner)})
    save_file({key: value.contiguous() for key, value in tensors.items()}, target)


def main():
    reference, checkpoints, folder = map(pathlib.Path, sys.argv[1:4])
    if (folder / "complete").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(reference))
    import golden
    import make_checkpoint

    make_seeded(checkpoints, folder / "seeded.safetensors")
    make_checkpoint.main(["images", str(folder / "images")])
    for variant in ("0", "2"):
        base, net = str(checkpoints / f"sd15_{variant}"), str(folder / f"controlnet_{variant}")
        make_checkpoint.main(["controlnet", net, "--base", base])
        golden.main([base, str(folder / f"control_{variant}.safetensors"), "--prompt", "a red car", "--negative", "dark",
                     "--steps", "2", "--width", "64", "--height", "64", "--scheduler", "ddim", "--controlnet", net,
                     "--control-image", str(folder / "images" / "control.png")])
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
