#!/usr/bin/env python3
"""Makes what the test of IP-Adapters compares with, once (golden_main.py).

    make_ip_goldens.py CASES.json FOLDER

FOLDER/checkpoints is as make_goldens.py and make_sdxl_goldens.py make it, FOLDER/ip/<checkpoint>_<variant> holds the reference's IP-Adapter
for that checkpoint with its image encoder, FOLDER/images the images. Weights of single images are scales of masks that cover everything,
which is how diffusers has them. ip.embeds.i is [uncond, cond] of the images once, whatever the batch and the guidance (added.image_embeds,
the same again, is left out); values of the second IP-Adapter stand under "ip_1/", where a dump of our graph has them.
"""
from unittest.mock import patch

import make_image_goldens as images
import make_lora_goldens as lora
from golden_main import golden_arguments, golden_main, image_arguments, make_of_reference
from made_once import make_once

FILES = ("ip-adapter_sd15", "ip-adapter-plus_sd15")


def make_adapter(checkpoint, variant, folder):
    base = folder / "checkpoints" / checkpoint
    make_of_reference(folder / "ip" / f"{checkpoint}_{variant}", "ip_adapter", "--base", base, "--variant", variant)


def make_images(folder):
    from lib.images import test_image
    from PIL import Image

    images.make_images(folder)
    test_image(180, 260, 21).save(folder / "portrait.png")
    test_image(203, 150, 22).save(folder / "odd.png")
    test_image(40, 30, 23).save(folder / "small.png")
    left = Image.new("L", (64, 64))
    left.paste(255, (0, 0, 40, 64))
    left.save(folder / "left.png")


def adapter_file(case, adapter, folder):
    name = FILES[adapter["variant"]] + "." + adapter.get("file", "safetensors")
    return folder / "ip" / f"{case['checkpoint']}_{adapter['variant']}" / name


def opened_images(adapter, folder):
    from PIL import Image

    return [Image.open(folder / "images" / (name + ".png")).convert("RGB") for name in adapter["images"]]


def masks(case, adapters, folder):
    """One for each image of each IP-Adapter."""
    import torch
    from diffusers.image_processor import IPAdapterMaskProcessor
    from PIL import Image

    size = dict(height=case["height"], width=case["width"])
    all_of = []
    for adapter in adapters:
        count = len(adapter["images"])
        if "mask" in adapter:
            mask = IPAdapterMaskProcessor().preprocess(Image.open(folder / "images" / (adapter["mask"] + ".png")), **size)
        else:
            mask = torch.ones(1, 1, case["height"], case["width"])
        all_of.append(mask.repeat(1, count, 1, 1))
    return all_of


def run_case(golden, case, folder):
    """golden.py, which knows one IP-Adapter with one image."""
    import torch

    timed, finish = golden.timed, golden.finish
    adapters, own = case["adapters"], {}
    paths = [adapter_file(case, adapter, folder) for adapter in adapters]

    def load_addons(args, pipe):
        from transformers import CLIPImageProcessor, CLIPVisionModelWithProjection

        encoder = CLIPVisionModelWithProjection.from_pretrained(paths[0].parent / "image_encoder")
        size = encoder.config.image_size
        pipe.register_modules(image_encoder=encoder, feature_extractor=CLIPImageProcessor(size=size, crop_size=size))
        pipe.load_ip_adapter([str(path.parent) for path in paths], subfolder=[""] * len(paths),
                             weight_name=[path.name for path in paths], image_encoder_folder=None)
        pipe.set_ip_adapter_scale([[adapter["strength"] * weight for weight in adapter["weights"]] if "weights" in adapter
                                   else adapter["strength"] for adapter in adapters])

    def timed_with_images(rec, pipe, call):
        def encoded(arguments, named, result):
            index = len(own) // 2
            prefix = "" if index == 0 else f"ip_{index}/"
            own[prefix + "ip.pixels"] = rec.tensors.pop("ip.pixels")
            cond, uncond = result
            own[prefix + f"ip.embeds.{index}"] = torch.stack([uncond, cond]).clone()

        rec.wrap(pipe, "encode_image", encoded)
        more = dict(ip_adapter_image=[opened_images(adapter, folder) for adapter in adapters])
        if any("mask" in adapter or "weights" in adapter for adapter in adapters):
            more["cross_attention_kwargs"] = dict(ip_adapter_masks=masks(case, adapters, folder))
        return timed(rec, pipe, {**call, **more})

    def finish_with_own(rec, pipe, decoded):
        finish(rec, pipe, decoded)
        for key in [key for key in rec.tensors if "ip.embeds" in key or "image_embeds" in key]:
            del rec.tensors[key]
        rec.tensors.update(own)

    arguments = golden_arguments(case, folder) + [f"--ip-adapter={paths[0]}", f"--ip-image={folder / 'images' / (adapters[0]['images'][0] + '.png')}"]
    with patch.multiple(golden, timed=timed_with_images, finish=finish_with_own, load_addons=load_addons):
        golden.main(arguments + image_arguments(case, folder))


def make(cases, folder):
    for case in cases:
        lora.make_checkpoint_named(case["checkpoint"], folder)
        for adapter in case["adapters"]:
            make_adapter(case["checkpoint"], adapter["variant"], folder)
    make_once(folder / "images", make_images)


if __name__ == "__main__":
    golden_main(make, run_case)
