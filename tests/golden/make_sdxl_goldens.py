#!/usr/bin/env python3
"""Makes what the tests of Stable Diffusion XL compare with, once.

    make_sdxl_goldens.py CASES.json FOLDER

FOLDER/checkpoints/sdxl_K and playground_K hold the reference's variants, inpaint_K sdxl_K with a UNet of 9 channels, refiner_0 a
refiner: one text encoder, a UNet that is told an aesthetic score. FOLDER/images has pictures and masks, FOLDER/<case>.safetensors
what the reference's golden.py records of diffusers' pipeline for the case. The folder's name should hold the hash that --hash prints.
"""
import hashlib
import json
import os
import pathlib
import shutil
import sys

import make_image_goldens as images
from make_goldens import REFERENCE, bound_no_latents, content_hash, golden_arguments

sys.path.insert(0, str(REFERENCE))
os.environ.setdefault("OMP_NUM_THREADS", "1")

FAMILIES = {"sdxl": "sdxl", "playground": "sdxl_playground"}


def edit_json(path, **settings):
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))


def make_refiner(checkpoints, target):
    """Four levels and the second text encoder alone, as the published refiner; everything else is sdxl_0's."""
    from diffusers import UNet2DConditionModel

    from lib import layout
    from lib.unet_families import SDXL_BASE
    from lib.weights import randomise

    shutil.copytree(checkpoints / "sdxl_0", target, ignore=shutil.ignore_patterns("text_encoder", "tokenizer", "unet"))
    text, width = SDXL_BASE["text_2"], 32
    unet = UNet2DConditionModel(
        sample_size=16, in_channels=4, out_channels=4, block_out_channels=(32, 64, 64, 64), layers_per_block=2,
        norm_num_groups=8, attention_head_dim=(2, 4, 4, 4), transformer_layers_per_block=2, use_linear_projection=True,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D", "DownBlock2D"),
        up_block_types=("UpBlock2D", "CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"),
        cross_attention_dim=text["hidden_size"], addition_embed_type="text_time", addition_time_embed_dim=width,
        projection_class_embeddings_input_dim=5 * width + text["projection_dim"])
    layout.save_model(randomise(unet, 77), target / "unet")
    edit_json(target / "model_index.json", _class_name="StableDiffusionXLImg2ImgPipeline", text_encoder=[None, None],
              tokenizer=[None, None], requires_aesthetics_score=True, force_zeros_for_empty_prompt=False)


def make_inpainting(checkpoints, number, target):
    images.make_inpainting_checkpoint(checkpoints / f"sdxl_{number}", target)
    edit_json(target / "model_index.json", _class_name="StableDiffusionXLInpaintPipeline")


def make_checkpoint_named(name, checkpoints):
    import make_checkpoint

    target, partial = checkpoints / name, checkpoints / (name + ".partial")
    if target.exists():
        return
    kind, number = name.split("_")
    if kind in FAMILIES:
        make_checkpoint.main([FAMILIES[kind], str(partial), "--variant", number])
    else:
        make_checkpoint_named(f"sdxl_{number}", checkpoints)
        if kind == "inpaint":
            make_inpainting(checkpoints, number, partial)
        else:
            make_refiner(checkpoints, partial)
    partial.rename(target)


def arguments_of(case, folder):
    arguments = golden_arguments(case, folder)
    if "image" in case:
        arguments += [f"--init-image={folder}/images/{case['image']}.png", f"--strength={case['strength']}"]
    for key in ("original_size", "crop"):
        if key in case:
            arguments += [f"--{key.replace('_', '-')}", *map(str, case[key])]
    return arguments


def run_case(golden, case, folder):
    """golden.py, which knows no second prompt and no mask."""
    import diffusers
    from PIL import Image

    originals = golden.stable_diffusion_class, golden.timed, golden.finish
    names = {"prompt_2": "prompt_2", "negative_2": "negative_prompt_2"}
    more = {names[key]: case[key] for key in names if key in case}

    def finish(rec, pipe, decoded):
        originals[2](rec, pipe, decoded)
        if "mask" in case:
            images.without_unused(rec.tensors, pipe.unet.config.in_channels, case["strength"])

    if "mask" in case:
        image = Image.open(folder / "images" / (case["image"] + ".png"))
        mask = Image.open(folder / "images" / (case["image"] + "_mask.png"))
        more.update(width=image.width, height=image.height, mask_image=mask)
        golden.stable_diffusion_class = lambda args, xl: diffusers.StableDiffusionXLInpaintPipeline
    golden.timed = lambda rec, pipe, call: originals[1](rec, pipe, {**call, **more})
    golden.finish = finish
    try:
        golden.main(arguments_of(case, folder))
    finally:
        golden.stable_diffusion_class, golden.timed, golden.finish = originals


def main():
    if sys.argv[1] == "--hash":
        own = hashlib.sha256(pathlib.Path(__file__).read_bytes() + pathlib.Path(images.__file__).read_bytes())
        own.update(content_hash(pathlib.Path(sys.argv[2])).encode())
        print(own.hexdigest()[:16])
        return
    cases, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
    if (folder / "complete").exists():
        return
    checkpoints = folder / "checkpoints"
    checkpoints.mkdir(parents=True, exist_ok=True)
    for name in sorted({case["checkpoint"] for case in cases}):
        make_checkpoint_named(name, checkpoints)
    if not (folder / "images").exists():
        images.make_images(folder / "images.partial")
        (folder / "images.partial").rename(folder / "images")
    import golden

    bound_no_latents()
    for pipeline in ("StableDiffusionXLImg2ImgPipeline", "StableDiffusionXLInpaintPipeline"):
        golden.RUNNERS[pipeline] = golden.RUNNERS["StableDiffusionXLPipeline"]
    for case in cases:
        if not (folder / (case["name"] + ".safetensors")).exists():
            run_case(golden, case, folder)
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
