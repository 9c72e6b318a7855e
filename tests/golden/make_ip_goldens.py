#!/usr/bin/env python3
"""Makes what the test of IP-Adapters compares with, once.

    make_ip_goldens.py CASES.json FOLDER

FOLDER/checkpoints is as make_goldens.py and make_sdxl_goldens.py make it, FOLDER/ip/<checkpoint>_<variant> holds the reference's IP-Adapter
for that checkpoint with its image encoder, FOLDER/images the pictures, FOLDER/<case>.safetensors what the reference's golden.py records of
diffusers' pipeline. Weights of single pictures are scales of masks that cover everything, which is how diffusers has them. ip.embeds.i is
[uncond, cond] of the pictures once, whatever the batch and the guidance (added.image_embeds, the same again, is left out); values of the second IP-Adapter stand under "ip_1/", where a dump
of our graph has them.
"""
import json
import os
import pathlib
import sys

import make_image_goldens as images
import make_lora_goldens as lora
from make_goldens import REFERENCE, bound_no_latents, golden_arguments

sys.path.insert(0, str(REFERENCE))
os.environ.setdefault("OMP_NUM_THREADS", "1")

FILES = ("ip-adapter_sd15", "ip-adapter-plus_sd15")


def make_adapter(checkpoint, variant, folder):
    import make_checkpoint

    target = folder / "ip" / f"{checkpoint}_{variant}"
    if not target.exists():
        partial = target.with_name(target.name + ".partial")
        partial.parent.mkdir(exist_ok=True)
        base = str(folder / "checkpoints" / checkpoint)
        make_checkpoint.main(["ip_adapter", str(partial), "--base", base, "--variant", str(variant)])
        partial.rename(target)


def make_images(folder):
    from lib.images import picture
    from PIL import Image

    images.make_images(folder)
    picture(180, 260, 21).save(folder / "portrait.png")
    picture(203, 150, 22).save(folder / "odd.png")
    picture(40, 30, 23).save(folder / "small.png")
    left = Image.new("L", (64, 64))
    left.paste(255, (0, 0, 40, 64))
    left.save(folder / "left.png")


def adapter_file(case, adapter, folder):
    name = FILES[adapter["variant"]] + "." + adapter.get("file", "safetensors")
    return folder / "ip" / f"{case['checkpoint']}_{adapter['variant']}" / name


def pictures(adapter, folder):
    from PIL import Image

    return [Image.open(folder / "images" / (name + ".png")).convert("RGB") for name in adapter["images"]]


def masks(case, adapters, folder):
    """One for each picture of each IP-Adapter."""
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
    """golden.py, which knows one IP-Adapter with one picture."""
    import torch

    originals = golden.timed, golden.finish, golden.load_addons
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

    def timed(rec, pipe, call):
        def encoded(arguments, named, result):
            index = len(own) // 2
            prefix = "" if index == 0 else f"ip_{index}/"
            own[prefix + "ip.pixels"] = rec.tensors.pop("ip.pixels")
            cond, uncond = result
            own[prefix + f"ip.embeds.{index}"] = torch.stack([uncond, cond]).clone()

        rec.wrap(pipe, "encode_image", encoded)
        more = dict(ip_adapter_image=[pictures(adapter, folder) for adapter in adapters])
        if any("mask" in adapter or "weights" in adapter for adapter in adapters):
            more["cross_attention_kwargs"] = dict(ip_adapter_masks=masks(case, adapters, folder))
        return originals[0](rec, pipe, {**call, **more})

    def finish(rec, pipe, decoded):
        originals[1](rec, pipe, decoded)
        for key in [key for key in rec.tensors if "ip.embeds" in key or "image_embeds" in key]:
            del rec.tensors[key]
        rec.tensors.update(own)

    arguments = golden_arguments(case, folder) + [f"--ip-adapter={paths[0]}", f"--ip-image={folder / 'images' / (adapters[0]['images'][0] + '.png')}"]
    if "image" in case:
        arguments += [f"--init-image={folder / 'images' / (case['image'] + '.png')}", f"--strength={case['strength']}"]
    golden.timed, golden.finish, golden.load_addons = timed, finish, load_addons
    try:
        golden.main(arguments)
    finally:
        golden.timed, golden.finish, golden.load_addons = originals


def main():
    cases, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
    if (folder / "complete").exists():
        return
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    for case in cases:
        lora.make_checkpoint_named(case["checkpoint"], folder)
        for adapter in case["adapters"]:
            make_adapter(case["checkpoint"], adapter["variant"], folder)
    if not (folder / "images").exists():
        make_images(folder / "images.partial")
        (folder / "images.partial").rename(folder / "images")
    import golden

    bound_no_latents()
    for case in cases:
        if not (folder / (case["name"] + ".safetensors")).exists():
            run_case(golden, case, folder)
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
