#!/usr/bin/env python3
"""Makes what the tests of image to image and inpainting compare with, once (golden_main.py).

    make_image_goldens.py CASES.json FOLDER

FOLDER/checkpoints/sd15_K holds variant K, inpaint_K the same with a UNet of 9 channels, lcm_K the same as
LatentConsistencyModelPipeline saves it and LatentConsistencyModelImg2ImgPipeline runs it, FOLDER/images the images and masks,
FOLDER/<case>.safetensors what diffusers' image-to-image pipeline computes or, for a case with a "mask", its inpainting pipeline.

Values of the masked image's encoder stand under "encode_masked/", where a dump of the example graph has them. Left out is
what the pipeline computes and does not use: the masked image for a UNet of 4 channels, and the last latents before the
mask is applied.
"""
import json
import shutil
from unittest.mock import patch

from golden_main import golden_arguments, golden_main, image_arguments
from made_once import make_once
from make_goldens import make_checkpoints

ENCODER_VALUES = ("vae.encode_in", "vae.moments")
MASK_CHANNELS = 5  # the mask and the masked image
BLOCK = 8  # pixels of a latent pixel to a side


def make_inpainting_checkpoint(source, target):
    """The same weights, but an input layer that takes a mask and a masked image too."""
    import torch
    from safetensors.torch import load_file, save_file

    shutil.copytree(source, target)
    config_path, weights_path = target / "unet" / "config.json", target / "unet" / "diffusion_pytorch_model.safetensors"
    config, weights = json.loads(config_path.read_text()), load_file(weights_path)
    old = weights["conv_in.weight"]
    config["in_channels"] = old.shape[1] + MASK_CHANNELS
    shape = (old.shape[0], config["in_channels"], *old.shape[2:])
    fan_in = shape[1] * shape[2] * shape[3]
    weights["conv_in.weight"] = torch.randn(shape, generator=torch.Generator("cpu").manual_seed(9)) / fan_in**0.5
    save_file(weights, weights_path, metadata={"format": "pt"})
    config_path.write_text(json.dumps(config))
    index_path = target / "model_index.json"
    index = json.loads(index_path.read_text())
    index_path.write_text(json.dumps({**index, "_class_name": "StableDiffusionInpaintPipeline"}))


def make_consistency_checkpoint(source, target):
    """The same folder, but for the pipeline's class."""
    shutil.copytree(source, target)
    index = json.loads((target / "model_index.json").read_text())
    (target / "model_index.json").write_text(json.dumps({**index, "_class_name": "LatentConsistencyModelPipeline"}))


CHECKPOINTS = {"inpaint": make_inpainting_checkpoint, "lcm": make_consistency_checkpoint}


def source_of(checkpoint):
    return "sd15_" + checkpoint.split("_")[1]


def in_blocks(mask):
    """The mask in blocks of a latent pixel's size, so that it does not matter which pixel of a block is taken (decision 0071)."""
    import numpy
    from PIL import Image

    levels = numpy.asarray(mask)
    height, width = levels.shape
    most = levels.reshape(height // BLOCK, BLOCK, width // BLOCK, BLOCK).max((1, 3))
    return Image.fromarray(most.repeat(BLOCK, 0).repeat(BLOCK, 1))


def make_images(folder):
    from lib.images import test_image
    from PIL import Image, ImageDraw

    folder.mkdir(parents=True)
    for name, size, seed in (("square", (64, 64), 5), ("wide", (96, 64), 6), ("large", (128, 128), 7)):
        image, mask = test_image(*size, seed), Image.new("L", size, 0)
        draw = ImageDraw.Draw(mask)
        draw.ellipse((size[0] * 0.15, size[1] * 0.3, size[0] * 0.7, size[1] * 0.9), fill=255)
        draw.rectangle((size[0] * 0.6, 0, size[0] * 0.8, size[1] * 0.2), fill=160)
        draw.rectangle((0, 0, size[0] * 0.2, size[1] * 0.2), fill=90)
        mask = in_blocks(mask)
        hole = image.copy()
        hole.putalpha(mask.point(lambda level: 0 if level >= 128 else 255))
        image.save(folder / f"{name}.png")
        mask.save(folder / f"{name}_mask.png")
        hole.save(folder / f"{name}_hole.png")


def without_unused(tensors, channels, strength):
    if channels == 4:
        del tensors["latents.final"], tensors["vae.encode_in.001"], tensors["vae.moments.001"]
    else:
        # At full strength the whole image is not encoded.
        call = 0 if strength == 1 else 1
        for name in ENCODER_VALUES:
            tensors[f"encode_masked/{name}.000"] = tensors.pop(f"{name}.{call:03d}")


def run_inpainting(golden, case, arguments, image, mask):
    """golden.py on the inpainting pipeline, which takes a mask and its size besides."""
    import diffusers

    timed, finish = golden.timed, golden.finish
    size = {"width": image.width, "height": image.height, "mask_image": mask}

    def finish_without_unused(rec, pipe, decoded):
        finish(rec, pipe, decoded)
        without_unused(rec.tensors, pipe.unet.config.in_channels, case["strength"])

    golden.RUNNERS["StableDiffusionInpaintPipeline"] = golden.RUNNERS["StableDiffusionPipeline"]
    with patch.multiple(golden, stable_diffusion_class=lambda args, xl: diffusers.StableDiffusionInpaintPipeline,
                        timed=lambda rec, pipe, call: timed(rec, pipe, {**call, **size}), finish=finish_without_unused):
        golden.main(arguments)


def run_consistency(golden, arguments):
    """golden.py on the pipeline for latent consistency models, which has neither negative prompts nor eta."""
    import diffusers

    timed = golden.timed

    def timed_with_less(rec, pipe, call):
        return timed(rec, pipe, {k: v for k, v in call.items() if k not in ("negative_prompt", "eta")})

    golden.RUNNERS["LatentConsistencyModelPipeline"] = golden.RUNNERS["StableDiffusionPipeline"]
    with patch.multiple(golden, stable_diffusion_class=lambda args, xl: diffusers.LatentConsistencyModelImg2ImgPipeline,
                        timed=timed_with_less):
        golden.main(arguments)


def run_case(golden, case, folder):
    from PIL import Image

    image = folder / "images" / (case["image"] + ".png")
    arguments = golden_arguments(case, folder) + image_arguments(case, folder)
    if case.get("mask"):
        mask = folder / "images" / (case["image"] + "_mask.png")
        run_inpainting(golden, case, arguments, Image.open(image), Image.open(mask))
    elif case["checkpoint"].startswith("lcm_"):
        run_consistency(golden, arguments)
    else:
        golden.main(arguments)


def make(cases, folder):
    names, checkpoints = {case["checkpoint"] for case in cases}, folder / "checkpoints"
    sources = {source_of(name) for name in names}
    make_checkpoints(sources, folder)
    for name in sorted(names - sources):
        derive = CHECKPOINTS[name.split("_")[0]]
        make_once(checkpoints / name, lambda partial, name=name: derive(checkpoints / source_of(name), partial))
    make_once(folder / "images", make_images)


if __name__ == "__main__":
    golden_main(make, run_case)
