#!/usr/bin/env python3
"""Makes what the test of ControlNets and T2I-Adapters compares with, once.

    make_control_goldens.py CASES.json FOLDER

FOLDER/checkpoints is as make_goldens.py and make_sdxl_goldens.py make it, FOLDER/controlnet/<checkpoint>_<variant> holds the reference's
ControlNet for that checkpoint or a T2I-Adapter of random weights (the variant is its type), FOLDER/images the pictures and hints, FOLDER/<case>.safetensors what the reference's golden.py records of
diffusers' pipeline. FOLDER/files has networks of FOLDER/controlnet in other layouts: see write_files(). The residuals of a first call that is outside of every ControlNet's range, zeros, are left out: here nothing is run then.
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


def make_controlnet(checkpoint, variant, folder):
    import make_checkpoint

    target = folder / "controlnet" / f"{checkpoint}_{variant}"
    if not target.exists():
        partial = target.with_name(target.name + ".partial")
        partial.parent.mkdir(exist_ok=True)
        base = str(folder / "checkpoints" / checkpoint)
        make_checkpoint.main(["controlnet", str(partial), "--base", base, "--variant", str(variant)])
        partial.rename(target)


def make_adapter(checkpoint, kind, folder):
    from diffusers import T2IAdapter

    from lib import layout
    from lib.weights import randomise

    target = folder / "controlnet" / f"{checkpoint}_{kind}"
    if target.exists():
        return
    widths = json.loads((folder / "checkpoints" / checkpoint / "unet" / "config.json").read_text())["block_out_channels"]
    channels = {"full_adapter": widths, "full_adapter_xl": [*widths, widths[-1]], "light_adapter": widths[:-1]}[kind]
    adapter = T2IAdapter(channels=channels, downscale_factor=16 if kind == "full_adapter_xl" else 8, adapter_type=kind)
    partial = target.with_name(target.name + ".partial")
    layout.save_model(randomise(adapter, 31), partial)
    partial.rename(target)


def is_adapter(control):
    return isinstance(control["variant"], str)


def make_images(folder):
    from lib.images import edges

    images.make_images(folder)
    edges(64, 64, 11).save(folder / "lines.png")
    edges(150, 203, 12).save(folder / "odd_lines.png")


def cldm_names(checkpoint, folder, net):
    """The network's names as the original program writes them, by the reference's own table; diffusers' reader is the witness."""
    from diffusers.loaders.single_file_utils import convert_controlnet_checkpoint
    from lib import ldm_keys

    config = json.loads((folder / "checkpoints" / checkpoint / "unet" / "config.json").read_text())
    hints = sum(key.startswith("controlnet_cond_embedding.blocks.") and key.endswith(".weight") for key in net)

    def name(key):
        module, leaf = key.rsplit(".", 1)
        if module.startswith("controlnet_cond_embedding."):
            part = module.split(".", 1)[1]
            place = {"conv_in": 0, "conv_out": hints + 1}.get(part)
            place = int(part.split(".")[1]) + 1 if place is None else place
            return f"input_hint_block.{2 * place}.{leaf}"
        if module.startswith("controlnet_down_blocks."):
            return f"zero_convs.{module.split('.')[1]}.0.{leaf}"
        if module == "controlnet_mid_block":
            return f"middle_block_out.0.{leaf}"
        return ldm_keys.unet_key(key, config["layers_per_block"], set())

    named = {name(key): value for key, value in net.items()}
    own = json.loads((folder / "controlnet" / f"{checkpoint}_0" / "config.json").read_text())
    back = convert_controlnet_checkpoint(dict(named), own)
    known = {key: value for key, value in net.items() if not key.startswith("add_embedding.")}  # which that reader leaves out
    assert back.keys() == known.keys() and all((back[key] == known[key]).all() for key in known)
    return named


def write_files(files, folder):
    """<net>/: cldm.safetensors (the original names), control_model.pth (below that prefix, beside another tensor), diffusers.safetensors
    (one file of the folder's names), half (the folder as fp16 variant), rounded (the same values in f32); T2I-Adapters under the names of
    TencentARC: tencent.safetensors."""
    import shutil

    import torch
    from safetensors.torch import load_file, save_file

    for checkpoint in ("sd15_0", "sdxl_0"):
        source, target = folder / "controlnet" / f"{checkpoint}_0", files / f"{checkpoint}_0"
        stem = "diffusion_pytorch_model"
        net = load_file(source / (stem + ".safetensors"))
        target.mkdir(parents=True)
        names = cldm_names(checkpoint, folder, net)
        save_file(names, target / "cldm.safetensors")
        torch.save({**{"control_model." + key: value for key, value in names.items()}, "model.diffusion_model.out.2.bias": torch.zeros(4)},
                   target / "control_model.pth")
        save_file(net, target / "diffusers.safetensors")
        for kind, values, file in (("half", {key: value.half() for key, value in net.items()}, stem + ".fp16.safetensors"),
                                   ("rounded", {key: value.half().float() for key, value in net.items()}, stem + ".safetensors")):
            (target / kind).mkdir()
            shutil.copy(source / "config.json", target / kind)
            save_file(values, target / kind / file)
    for kind in ("full_adapter", "light_adapter"):
        adapter = load_file(folder / "controlnet" / f"sd15_0_{kind}" / "diffusion_pytorch_model.safetensors")
        named = {}
        for key, value in adapter.items():
            parts = key.removeprefix("adapter.").split(".")
            if parts[0] == "body" and kind == "full_adapter":
                block, rest = 2 * int(parts[1]), parts[2:]
                if rest[0] == "resnets":
                    block, rest = block + int(rest[1]), rest[2:]
                parts = ["body", str(block), *rest]
            elif parts[0] == "body" and parts[2] == "resnets":
                parts[2] = "body"
            named[".".join(parts)] = value
        (files / f"sd15_0_{kind}").mkdir()
        save_file(named, files / f"sd15_0_{kind}" / "tencent.safetensors")


def control_arguments(case, folder):
    arguments = golden_arguments(case, folder)
    for control in (control for control in case["controls"] if not is_adapter(control)):
        arguments += [f"--controlnet={folder / 'controlnet' / (case['checkpoint'] + '_' + str(control['variant']))}",
                      f"--control-image={folder / 'images' / (control['image'] + '.png')}", f"--controlnet-scale={control.get('strength', 1)}"]
    if "image" in case:
        arguments += [f"--init-image={folder / 'images' / (case['image'] + '.png')}", f"--strength={case['strength']}"]
    return arguments


def run_adapter_case(golden, case, folder):
    """golden.py, which knows no T2I-Adapter."""
    import inspect

    import diffusers
    import torch
    from PIL import Image

    control, = case["controls"]
    path = folder / "controlnet" / f"{case['checkpoint']}_{control['variant']}"
    adapter = diffusers.T2IAdapter.from_pretrained(path, torch_dtype=torch.float32)
    originals = golden.timed, golden.stable_diffusion_class

    class Pipeline:
        @staticmethod
        def from_pretrained(*arguments, **named):
            name = "StableDiffusion" + ("XL" if control["variant"].endswith("_xl") else "") + "AdapterPipeline"
            return getattr(diffusers, name).from_pretrained(*arguments, adapter=adapter, **named)

    def timed(rec, pipe, call):
        known = inspect.signature(pipe.__call__).parameters
        more = dict(image=Image.open(folder / "images" / (control["image"] + ".png")).convert("RGB"),
                    adapter_conditioning_scale=control.get("strength", 1), adapter_conditioning_factor=control.get("end", 1))
        out = originals[0](rec, pipe, {key: value for key, value in {**call, **more}.items() if key in known})
        if not torch.is_tensor(out.images):  # the pipeline of SD 1.x gives arrays whatever is asked
            out.images = torch.from_numpy(out.images).permute(0, 3, 1, 2)
        return out

    golden.timed, golden.stable_diffusion_class = timed, lambda args, xl: Pipeline
    try:
        golden.main(control_arguments(case, folder))
    finally:
        golden.timed, golden.stable_diffusion_class = originals


def run_case(golden, case, folder):
    """golden.py, which knows no range and no guess mode."""
    originals = golden.timed, golden.finish
    controls = case["controls"]
    starts, ends = ([control.get(key, usual) for control in controls] for key, usual in (("start", 0.0), ("end", 1.0)))
    more = dict(control_guidance_start=starts, control_guidance_end=ends, guess_mode=controls[0].get("mode") == "guess")
    if "image" in case:  # else a hint keeps its own size
        more.update(width=case["width"], height=case["height"])

    def finish(rec, pipe, decoded):
        originals[1](rec, pipe, decoded)
        for key in [key for key in rec.tensors if key.startswith("controlnet.")]:
            if min(starts) > 0:
                del rec.tensors[key]

    golden.timed = lambda rec, pipe, call: originals[0](rec, pipe, {**call, **more})
    golden.finish = finish
    try:
        golden.main(control_arguments(case, folder))
    finally:
        golden.timed, golden.finish = originals


def main():
    cases, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
    if (folder / "complete").exists():
        return
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    for case in cases:
        lora.make_checkpoint_named(case["checkpoint"], folder)
        for control in case["controls"]:
            make = make_adapter if is_adapter(control) else make_controlnet
            make(case["checkpoint"], control["variant"], folder)
    if not (folder / "images").exists():
        make_images(folder / "images.partial")
        (folder / "images.partial").rename(folder / "images")
    if not (folder / "files").exists():
        write_files(folder / "files.partial", folder)
        (folder / "files.partial").rename(folder / "files")
    import golden

    bound_no_latents()
    for case in cases:
        if not (folder / (case["name"] + ".safetensors")).exists():
            run = run_adapter_case if is_adapter(case["controls"][0]) else run_case
            run(golden, case, folder)
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
