#!/usr/bin/env python3
"""The reference's LoRA files for its checkpoints, and the same change in names that it does not write.

    make_adapter_files.py REFERENCE SD15 XL FOLDER

SD15 and XL hold the checkpoints sd15_K and sdxl_K. FOLDER/<checkpoint>_<variant> gets the eight files of the reference, and:
kohya_sgm (kohya's names on LDM's UNet, as sd-scripts trains SDXL), dotted_sgm (ComfyUI's), peft_wrapped (as peft saves a UNet alone,
its alpha in adapter_config.json), peft_metadata (as diffusers saves with the adapter's config), kohya.pt (as torch.save writes it).
FOLDER/code.pt would run code where a pickle is loaded.
"""
import json
import pathlib
import re
import sys

BASES = ("sd15_0", "sd15_1", "sdxl_0", "sdxl_1")
VARIANTS = (0, 1)


def read_json(path):
    return json.loads(path.read_text())


def ldm_module(ldm_keys, name, base):
    """The LDM name of a module of diffusers' UNet."""
    config = read_json(base / "unet" / "config.json")
    with_attention = {i for i, kind in enumerate(config["up_block_types"]) if kind.startswith("CrossAttn")}
    return ldm_keys.unet_key(name + ".weight", config["layers_per_block"], with_attention).removesuffix(".weight")


def write_other_names(ldm_keys, base, folder):
    import torch
    from safetensors.torch import load_file, save_file

    peft, kohya = load_file(folder / "peft.safetensors"), load_file(folder / "kohya.safetensors")
    rank = next(value for key, value in peft.items() if ".lora_A." in key).shape[0]
    mangled, dotted, wrapped = {}, {}, {}
    for key, value in peft.items():
        part, module, factor = re.fullmatch(r"(\w+)\.(.+)\.(lora_[AB])\.weight", key).groups()
        new = {"lora_A": "lora_down", "lora_B": "lora_up"}[factor]
        if part != "unet":
            clip = {"text_encoder": "clip_l", "text_encoder_2": "clip_g"}[part]
            dotted[f"text_encoders.{clip}.transformer.{module}.{new}.weight"] = value
            continue
        sgm = ldm_module(ldm_keys, module, base)
        mangled[f"lora_unet_{sgm.replace('.', '_')}.{new}.weight"] = value
        mangled[f"lora_unet_{sgm.replace('.', '_')}.alpha"] = torch.tensor(rank / 2)
        dotted[f"diffusion_model.{sgm}.{new}.weight"] = value
        wrapped[f"base_model.model.{module}.{factor}.default.weight"] = value
    save_file(mangled, folder / "kohya_sgm.safetensors")
    save_file(dotted, folder / "dotted_sgm.safetensors")
    config = {"peft_type": "LORA", "r": rank, "lora_alpha": 3 * rank, "alpha_pattern": {}, "rank_pattern": {}}
    (folder / "wrapped").mkdir()
    save_file(wrapped, folder / "wrapped" / "adapter_model.safetensors")
    (folder / "wrapped" / "adapter_config.json").write_text(json.dumps(config))
    config["alpha_pattern"] = {"^mid_block.attentions.0.proj_in": rank}
    metadata = {"unet." + key: value for key, value in config.items()}
    metadata.update({"text_encoder.r": rank, "text_encoder.lora_alpha": 8 * rank})
    save_file(peft, folder / "peft_metadata.safetensors", {"format": "pt", "lora_adapter_metadata": json.dumps(metadata)})
    torch.save(kohya, folder / "kohya.pt")


class Code:
    def __reduce__(self):
        return print, ("this would have been run",)


def main():
    reference, sd15, xl, folder = map(pathlib.Path, sys.argv[1:5])
    if (folder / "complete").exists():
        return
    sys.path.insert(0, str(reference))
    from lib import addons, ldm_keys

    for name in BASES:
        base = (sd15 if name.startswith("sd15") else xl) / name
        for variant in VARIANTS:
            target = folder / f"{name}_{variant}"
            target.mkdir(parents=True, exist_ok=True)
            addons.make_lora(str(target), 0, variant, str(base))
            write_other_names(ldm_keys, base, target)
    import torch

    torch.save({"lora_unet_x.lora_down.weight": Code()}, folder / "code.pt")
    (folder / "complete").touch()


main()
