#!/usr/bin/env python3
"""The reference checkpoints as single files of the LDM layout, and files that torch.save wrote in other ways.

    make_single_files.py REFERENCE CHECKPOINTS INPAINTING FOLDER

INPAINTING holds checkpoints whose UNet has nine channels.

Settings that a single file cannot express lie next to it (NAME.lowtide.json), but for variant 0, which needs none.
"""
import argparse
import json
import pathlib
import pickle
import sys

STATED = {
    "unet": ("norm_num_groups", "attention_head_dim"),
    "vae": ("norm_num_groups", "scaling_factor"),
    "text_encoder": ("num_attention_heads", "hidden_act", "eos_token_id"),
}


def read_json(path):
    return json.loads(path.read_text())


def state_settings(checkpoint, path):
    parts = {part: {key: read_json(checkpoint / part / "config.json")[key] for key in keys}
             for part, keys in STATED.items()}
    parts["scheduler"] = read_json(checkpoint / "scheduler" / "scheduler_config.json")
    path.with_suffix(".lowtide.json").write_text(json.dumps(parts))


def write_variants(ldm_keys, checkpoints, folder):
    # The key of LCM's guidance projection, which ldm_keys does not have.
    ldm_keys.UNET_ENDS["time_embedding.cond_proj"] = "time_embed.cond_proj"
    endings = {0: ("safetensors", "ckpt"), 1: ("safetensors", "ckpt")}
    for variant in range(6):
        checkpoint = checkpoints / f"sd15_{variant}"
        layers = read_json(checkpoint / "unet" / "config.json")["layers_per_block"]
        names = [f"sd15_{variant}.{ending}" for ending in endings.get(variant, ("safetensors",))]
        for name in names + (["half_1.safetensors", "half_1.ckpt"] if variant == 1 else []):
            path = folder / name
            ldm_keys.write_single_file(str(checkpoint), str(path), layers, name.startswith("half"))
            if variant > 0:
                state_settings(checkpoint, path)


def write_inpainting(ldm_keys, inpainting, folder):
    checkpoint, path = inpainting / "inpaint_1", folder / "inpaint_1.safetensors"
    layers = read_json(checkpoint / "unet" / "config.json")["layers_per_block"]
    ldm_keys.write_single_file(str(checkpoint), str(path), layers, False)
    state_settings(checkpoint, path)


def write_other_keys(ldm_keys, checkpoints, folder):
    """The text encoder as OpenCLIP's, and without text_model. next to averaged weights; tensors that nothing has."""
    import torch
    from safetensors.torch import load_file, save_file

    checkpoint = checkpoints / "sd15_1"
    state = load_file(folder / "sd15_1.safetensors")
    text_keys = [key for key in state if key.startswith("cond_stage_model.")]
    rest = {key: value for key, value in state.items() if key not in text_keys}
    text = {key.removeprefix("cond_stage_model.transformer."): state[key] for key in text_keys}

    bare = {"cond_stage_model.transformer." + key.removeprefix("text_model."): value for key, value in text.items()}
    averaged = {f"model_ema.diffusion_modelweight{i}": torch.zeros(2) for i in range(120)}
    save_file({**rest, **bare, **averaged}, folder / "bare_1.safetensors")
    state_settings(checkpoint, folder / "bare_1.safetensors")

    others = {key: torch.zeros(2) for key in (
        "cond_stage_model.transformer.text_projection.weight", "cond_stage_model.logit_scale",
        "model.diffusion_model.input_blocks.0.more.weight", "first_stage_model.decoder.more.bias")}
    save_file({**state, **others}, folder / "surplus_1.safetensors")
    state_settings(checkpoint, folder / "surplus_1.safetensors")

    open_text = {key: value for key, value in text.items() if not key.endswith("position_ids")}
    last = max(int(key.split(".")[3]) for key in open_text if ".layers." in key)
    for key in [key for key in open_text if f".layers.{last}." in key]:  # a layer that is trained, but never run
        open_text[key.replace(f".layers.{last}.", f".layers.{last + 1}.")] = open_text[key] + 1
    open_text = ldm_keys.open_clip_state(open_text)
    open_text["text_projection"] = torch.zeros(4, 4)
    open_keys = {"cond_stage_model.model." + key: value.contiguous() for key, value in open_text.items()}
    save_file({**rest, **open_keys}, folder / "open_clip_1.safetensors")
    state_settings(checkpoint, folder / "open_clip_1.safetensors")


def write_autoencoders(ldm_keys, checkpoints, folder):
    import torch
    from safetensors.torch import load_file, save_file

    vae = checkpoints / "sd15_1" / "vae"
    state = load_file(vae / "diffusion_pytorch_model.safetensors")
    settings = json.dumps({"vae": {key: read_json(vae / "config.json")[key] for key in STATED["vae"]}})
    ldm = {key: value.contiguous() for key, value in ldm_keys.vae_state(state).items()}
    others = {"loss.logvar": torch.zeros(1), "model_ema.decay": torch.zeros(1)}
    torch.save({"state_dict": {**ldm, **others}}, folder / "vae_ldm.ckpt")
    save_file(state, folder / "vae_diffusers.safetensors")
    save_file({"first_stage_model." + key: value for key, value in ldm.items()}, folder / "vae_prefixed.safetensors")
    for name in ("vae_ldm", "vae_diffusers", "vae_prefixed"):
        (folder / f"{name}.lowtide.json").write_text(settings)


def write_torch_forms(folder):
    """Tensors of every type and views of one storage; the same as plain tensors of a safetensors file."""
    import collections

    import numpy as np
    import torch
    from safetensors.torch import save_file

    generator = torch.Generator().manual_seed(5)
    base = torch.randn((6, 4), generator=generator)
    types = (torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16,
             torch.int8, torch.uint8, torch.bool)
    tensors = {str(kind).removeprefix("torch."): (base * 10).abs().to(kind) for kind in types}
    tensors.update(rows=base[2:4], first=base[0], element=base[3, 2], empty=base[:0], scalar=torch.tensor(2.5),
                   parameter=torch.nn.Parameter(base[1:3]))
    stored = collections.OrderedDict(tensors, transposed=base.t())
    torch.save({"state_dict": stored, "epoch": 3, "lr": 0.5, "note": "text", "list": [1, (2, None)]},
               folder / "forms.ckpt")
    torch.save(stored, folder / "protocol4.pth", pickle_protocol=4)
    plain = {key: value.detach().contiguous().clone() for key, value in tensors.items()}
    save_file(plain, folder / "forms.safetensors")
    # What trainers keep next to weights, in the format of PyTorch before 1.6.
    others = {"args": argparse.Namespace(lr=0.1), "path": pathlib.PosixPath("out/a"), "seen": np.arange(3), "best": np.float64(2)}
    torch.save(stored, folder / "before_1_6.pth", _use_new_zipfile_serialization=False)
    torch.save({**others, "state_dict": stored}, folder / "trained_before_1_6.pth", _use_new_zipfile_serialization=False)
    (folder / "bare.pth").write_bytes(pickle.dumps({"weight": 1}, protocol=2))


def main():
    reference, checkpoints, inpainting, folder = map(pathlib.Path, sys.argv[1:5])
    if (folder / "complete").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(reference))
    from lib import ldm_keys

    write_torch_forms(folder)
    write_variants(ldm_keys, checkpoints, folder)
    write_inpainting(ldm_keys, inpainting, folder)
    write_other_keys(ldm_keys, checkpoints, folder)
    write_autoencoders(ldm_keys, checkpoints, folder)
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
