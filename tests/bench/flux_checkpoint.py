"""Headers of the files of FLUX.1 at their true sizes, as they were published and as ComfyUI has them, for plans."""

import os

import wan_checkpoint  # finds flux_names
import flux_names
from xl_checkpoint import TEXT, WORDS

DEV = dict(in_channels=64, num_layers=19, num_single_layers=38, attention_head_dim=128, num_attention_heads=24, joint_attention_dim=4096,
           pooled_projection_dim=768, guidance_embeds=True, axes_dims_rope=(16, 56, 56))
SCHNELL = {**DEV, "guidance_embeds": False}


def shapes_of(part):
    return {key: tuple(value.shape) for key, value in part.state_dict().items()}


def fused(shapes):
    return (sum(shape[0] for shape in shapes), *shapes[0][1:])


def transformer(config):
    """In FLUX's own names."""
    import torch
    from diffusers import FluxTransformer2DModel

    with torch.device("meta"):
        return flux_names.own_names(shapes_of(FluxTransformer2DModel(**config)), fused, lambda shape: shape)


def clip():
    import torch
    from transformers import CLIPTextConfig, CLIPTextModel

    with torch.device("meta"):
        shapes = shapes_of(CLIPTextModel(CLIPTextConfig(**WORDS, **TEXT)))
    return {key if key.startswith("text_model.") else "text_model." + key: shape for key, shape in shapes.items() if "position_ids" not in key}


def write_files(folder):
    """In the folders of ComfyUI, under the names with which its files are published; T5 and the autoencoder are HiDream-I1's."""
    for path, kind, shapes in (("diffusion_models/flux1-dev-fp8", "F8_E4M3", transformer(DEV)),
                               ("diffusion_models/flux1-schnell", "BF16", transformer(SCHNELL)), ("text_encoders/clip_l", "F16", clip())):
        wan_checkpoint.write_tensors(os.path.join(folder, path + ".safetensors"), {key: (kind, shape) for key, shape in shapes.items()}, {})
