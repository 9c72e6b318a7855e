#!/usr/bin/env python3
"""Makes what the test of ControlNets and T2I-Adapters compares with, once (golden_main.py).

    make_control_goldens.py CASES.json FOLDER

FOLDER/checkpoints is as make_goldens.py and make_sdxl_goldens.py make it, FOLDER/controlnet/<checkpoint>_<variant> holds the reference's
ControlNet for that checkpoint or a T2I-Adapter of random weights (the variant is its type), FOLDER/images the images and hints. FOLDER/files
has networks of FOLDER/controlnet in other layouts: see write_files(). The residuals of a first call that is outside of every ControlNet's
range, zeros, are left out: here nothing is run then.
"""
import json
from unittest.mock import patch

import make_image_goldens as images
import make_lora_goldens as lora
from golden_main import golden_arguments, golden_main, image_arguments, make_of_reference
from made_once import make_once


def make_controlnet(checkpoint, variant, folder):
    base = folder / "checkpoints" / checkpoint
    make_of_reference(folder / "controlnet" / f"{checkpoint}_{variant}", "controlnet", "--base", base, "--variant", variant)


def make_adapter(checkpoint, kind, folder):
    from diffusers import T2IAdapter

    from lib import layout
    from lib.weights import randomise

    widths = json.loads((folder / "checkpoints" / checkpoint / "unet" / "config.json").read_text())["block_out_channels"]
    channels = {"full_adapter": widths, "full_adapter_xl": [*widths, widths[-1]], "light_adapter": widths[:-1]}[kind]
    adapter = T2IAdapter(channels=channels, downscale_factor=16 if kind == "full_adapter_xl" else 8, adapter_type=kind)
    make_once(folder / "controlnet" / f"{checkpoint}_{kind}", lambda partial: layout.save_model(randomise(adapter, 31), partial))


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
            index = {"conv_in": 0, "conv_out": hints + 1}.get(part)
            index = int(part.split(".")[1]) + 1 if index is None else index
            return f"input_hint_block.{2 * index}.{leaf}"
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
    """<net>/: cldm.safetensors (the original names), control_model.pth (below that prefix, next to another tensor), diffusers.safetensors
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
    return arguments + image_arguments(case, folder)


def run_adapter_case(golden, case, folder):
    """golden.py, which knows no T2I-Adapter."""
    import inspect

    import diffusers
    import torch
    from PIL import Image

    control, = case["controls"]
    path = folder / "controlnet" / f"{case['checkpoint']}_{control['variant']}"
    adapter = diffusers.T2IAdapter.from_pretrained(path, torch_dtype=torch.float32)
    timed = golden.timed

    class Pipeline:
        @staticmethod
        def from_pretrained(*arguments, **named):
            name = "StableDiffusion" + ("XL" if control["variant"].endswith("_xl") else "") + "AdapterPipeline"
            return getattr(diffusers, name).from_pretrained(*arguments, adapter=adapter, **named)

    def timed_with_hint(rec, pipe, call):
        known = inspect.signature(pipe.__call__).parameters
        more = dict(image=Image.open(folder / "images" / (control["image"] + ".png")).convert("RGB"),
                    adapter_conditioning_scale=control.get("strength", 1), adapter_conditioning_factor=control.get("end", 1))
        out = timed(rec, pipe, {key: value for key, value in {**call, **more}.items() if key in known})
        if not torch.is_tensor(out.images):  # the pipeline of SD 1.x gives arrays whatever is asked
            out.images = torch.from_numpy(out.images).permute(0, 3, 1, 2)
        return out

    with patch.multiple(golden, timed=timed_with_hint, stable_diffusion_class=lambda args, xl: Pipeline):
        golden.main(control_arguments(case, folder))


def run_control_case(golden, case, folder):
    """golden.py, which knows no range and no guess mode."""
    timed, finish = golden.timed, golden.finish
    controls = case["controls"]
    starts, ends = ([control.get(key, usual) for control in controls] for key, usual in (("start", 0.0), ("end", 1.0)))
    more = dict(control_guidance_start=starts, control_guidance_end=ends, guess_mode=controls[0].get("mode") == "guess")
    if "image" in case:  # else a hint keeps its own size
        more.update(width=case["width"], height=case["height"])

    def finish_without_zeros(rec, pipe, decoded):
        finish(rec, pipe, decoded)
        for key in [key for key in rec.tensors if key.startswith("controlnet.")]:
            if min(starts) > 0:
                del rec.tensors[key]

    with patch.multiple(golden, timed=lambda rec, pipe, call: timed(rec, pipe, {**call, **more}), finish=finish_without_zeros):
        golden.main(control_arguments(case, folder))


def make(cases, folder):
    for case in cases:
        lora.make_checkpoint_named(case["checkpoint"], folder)
        for control in case["controls"]:
            make_network = make_adapter if is_adapter(control) else make_controlnet
            make_network(case["checkpoint"], control["variant"], folder)
    make_once(folder / "images", make_images)
    make_once(folder / "files", lambda files: write_files(files, folder))


def run_case(golden, case, folder):
    run = run_adapter_case if is_adapter(case["controls"][0]) else run_control_case
    run(golden, case, folder)


if __name__ == "__main__":
    golden_main(make, run_case)
