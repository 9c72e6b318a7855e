#!/usr/bin/env python3
"""A small UNet2DConditionModel without a middle block, whose units have depths of their own, and what it gives with what a
ControlNet adds: weights by their names, and the tensors of two calls.

    make_no_middle_goldens.py OUT.safetensors
"""
import os
import sys

os.environ.setdefault("HF_HUB_OFFLINE", "1")


def main():
    import torch
    from diffusers import UNet2DConditionModel
    from safetensors.torch import save_file

    torch.manual_seed(5)
    unet = UNet2DConditionModel(
        block_out_channels=(32, 64), layers_per_block=2, norm_num_groups=8, attention_head_dim=(2, 4), cross_attention_dim=16,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"),
        mid_block_type=None, transformer_layers_per_block=[1, [2, 1]], reverse_transformer_layers_per_block=[[1, 3, 2], 1])
    latents, context = torch.randn(1, 4, 8, 12), torch.randn(1, 5, 16)
    shapes = [(32, 8, 12)] * 3 + [(32, 4, 6)] + [(64, 4, 6)] * 2
    skips, middle = [torch.randn(1, *shape) for shape in shapes], torch.randn(1, 64, 4, 6)
    with torch.inference_mode():
        plain = unet(latents, 301, context).sample
        added = unet(latents, 301, context, down_block_additional_residuals=skips, mid_block_additional_residual=middle).sample
    tensors = {"in.latents": latents, "in.context": context, "in.middle": middle, "out.plain": plain, "out.added": added}
    tensors.update({f"in.skip.{i}": skip for i, skip in enumerate(skips)})
    save_file({**unet.state_dict(), **tensors}, sys.argv[1])


main()
