#!/usr/bin/env python3
"""Makes what the tests of Stable Diffusion XL compare with, once (golden_main.py).

    make_sdxl_goldens.py CASES.json FOLDER

FOLDER/checkpoints/sdxl_K and playground_K hold the reference's variants, and what is made of sdxl_K: inpaint_K with a UNet of 9
channels, refiner_K with one text encoder and a UNet that takes an aesthetic score, ssd_K with a UNet without a middle and other
depths on each way (as SSD-1B), lcm_K with a UNet that embeds guidance, turbo_K and lightning_K with their schedulers.
FOLDER/images has images and masks.
"""
import json
import shutil
from unittest.mock import patch

import make_image_goldens as images
from golden_main import golden_arguments, golden_main, image_arguments, make_of_reference
from made_once import make_once

FAMILIES = {"sdxl": "sdxl", "playground": "sdxl_playground"}


def edit_json(path, **settings):
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))


def with_unet(source, target, left_out=(), **settings):
    """The same folder with a UNet of its own."""
    from diffusers import UNet2DConditionModel

    from lib import layout
    from lib.unet_families import SDXL_BASE
    from lib.weights import randomise

    shutil.copytree(source, target, ignore=shutil.ignore_patterns("unet", *left_out))
    base = {**SDXL_BASE["unet"], "in_channels": 4, "out_channels": 4, "addition_embed_type": "text_time"}
    layout.save_model(randomise(UNet2DConditionModel(**{**base, **settings}), 77), target / "unet")


def widths(source, numbers=6, number_width=32):
    """What the UNet reads of the folder's text encoders."""
    texts = [json.loads((source / name / "config.json").read_text()) for name in ("text_encoder", "text_encoder_2")]
    return {"cross_attention_dim": sum(text["hidden_size"] for text in texts), "addition_time_embed_dim": number_width,
            "projection_class_embeddings_input_dim": numbers * number_width + texts[1]["projection_dim"]}


def make_refiner(source, target):
    text = json.loads((source / "text_encoder_2" / "config.json").read_text())
    with_unet(source, target, ("text_encoder", "tokenizer"), **{
        **widths(source, numbers=5), "cross_attention_dim": text["hidden_size"], "block_out_channels": (32, 64, 64, 64),
        "norm_num_groups": 8, "attention_head_dim": (2, 4, 4, 4), "transformer_layers_per_block": 2,
        "down_block_types": ("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
        "up_block_types": ("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D")})
    edit_json(target / "model_index.json", _class_name="StableDiffusionXLImg2ImgPipeline", text_encoder=[None, None],
              tokenizer=[None, None], requires_aesthetics_score=True, force_zeros_for_empty_prompt=False)


def make_ssd(source, target):
    with_unet(source, target, **widths(source), mid_block_type=None, norm_num_groups=8,
              transformer_layers_per_block=[1, [2, 1], [1, 3]], reverse_transformer_layers_per_block=[[1, 2, 3], [2, 1, 1], 1])


def make_lcm(source, target):
    with_unet(source, target, **widths(source), time_cond_proj_dim=32, norm_num_groups=8)


def make_inpainting(source, target):
    images.make_inpainting_checkpoint(source, target)
    edit_json(target / "model_index.json", _class_name="StableDiffusionXLInpaintPipeline")


def with_scheduler(name, **settings):
    def make(source, target):
        shutil.copytree(source, target)
        edit_json(target / "scheduler" / "scheduler_config.json", _class_name=name, **settings)
        index = json.loads((target / "model_index.json").read_text())
        edit_json(target / "model_index.json", scheduler=[index["scheduler"][0], name])

    return make


MADE_OF_SDXL = {
    "refiner": make_refiner, "ssd": make_ssd, "lcm": make_lcm, "inpaint": make_inpainting,
    "turbo": with_scheduler("EulerAncestralDiscreteScheduler", timestep_spacing="trailing"),
    "lightning": with_scheduler("EulerDiscreteScheduler", timestep_spacing="trailing", prediction_type="sample"),
}


def make_checkpoint_named(name, checkpoints):
    kind, number = name.split("_")
    if kind in FAMILIES:
        make_of_reference(checkpoints / name, FAMILIES[kind], "--variant", number)
    else:
        make_checkpoint_named(f"sdxl_{number}", checkpoints)
        make_once(checkpoints / name, lambda partial: MADE_OF_SDXL[kind](checkpoints / f"sdxl_{number}", partial))


def arguments_of(case, folder):
    arguments = golden_arguments(case, folder) + image_arguments(case, folder)
    for key in ("original_size", "crop"):
        if key in case:
            arguments += [f"--{key.replace('_', '-')}", *map(str, case[key])]
    if "depth" in case:
        arguments.append(f"--deepcache={case['interval']},{case['depth']}")
    return arguments


def run_case(golden, case, folder):
    """golden.py, which knows no second prompt and no mask."""
    import diffusers
    from PIL import Image

    timed, finish = golden.timed, golden.finish
    names = {"prompt_2": "prompt_2", "negative_2": "negative_prompt_2"}
    more = {names[key]: case[key] for key in names if key in case}

    def finish_without_unused(rec, pipe, decoded):
        finish(rec, pipe, decoded)
        if "mask" in case:
            images.without_unused(rec.tensors, pipe.unet.config.in_channels, case["strength"])

    pipelines = {}
    if "mask" in case:
        image = Image.open(folder / "images" / (case["image"] + ".png"))
        mask = Image.open(folder / "images" / (case["image"] + "_mask.png"))
        more.update(width=image.width, height=image.height, mask_image=mask)
        pipelines["stable_diffusion_class"] = lambda args, xl: diffusers.StableDiffusionXLInpaintPipeline
    for pipeline in ("StableDiffusionXLImg2ImgPipeline", "StableDiffusionXLInpaintPipeline"):
        golden.RUNNERS[pipeline] = golden.RUNNERS["StableDiffusionXLPipeline"]
    with patch.multiple(golden, timed=lambda rec, pipe, call: timed(rec, pipe, {**call, **more}), finish=finish_without_unused,
                        **pipelines):
        golden.main(arguments_of(case, folder))


def make(cases, folder):
    for name in sorted({case["checkpoint"] for case in cases}):
        make_checkpoint_named(name, folder / "checkpoints")
    make_once(folder / "images", images.make_images)


if __name__ == "__main__":
    golden_main(make, run_case)
