#!/usr/bin/env python3
"""Checkpoints of SDXL's construction as folders and as single files of the LDM layout.

    make_xl_files.py REFERENCE FOLDER

NAME/ is a folder of the diffusers layout, NAME.safetensors the same as one file. Settings that a single file cannot express
lie next to it (NAME.lowtide.json), but for variant 0, which needs none.
"""
import json
import pathlib
import sys

VARIANTS = range(3)
STATED = {
    "unet": ("norm_num_groups", "attention_head_dim"),
    "vae": ("norm_num_groups", "force_upcast"),
    "text_encoder": ("num_attention_heads",),
    "text_encoder_2": ("num_attention_heads",),
    "model_index": ("force_zeros_for_empty_prompt",),
}
SECOND = "conditioner.embedders.1."
LABELS = "model.diffusion_model.label_emb.0.0.weight"


def read_json(path):
    return json.loads(path.read_text())


def state_settings(checkpoint, path):
    parts = {}
    for part, keys in STATED.items():
        file = checkpoint / "model_index.json" if part == "model_index" else checkpoint / part / "config.json"
        parts[part] = {key: read_json(file)[key] for key in keys}
    path.with_suffix(".lowtide.json").write_text(json.dumps(parts))


def save(state, path, source):
    from safetensors.torch import save_file

    save_file(state, path)
    if source.with_suffix(".lowtide.json").exists():
        path.with_suffix(".lowtide.json").write_text(source.with_suffix(".lowtide.json").read_text())


def write_single(ldm_keys, checkpoint, half=False):
    path = checkpoint.with_name(checkpoint.name + ("_half" if half else "") + ".safetensors")
    ldm_keys.write_single_file(str(checkpoint), str(path), read_json(checkpoint / "unet" / "config.json")["layers_per_block"], half)
    if not checkpoint.name.endswith("_0"):
        state_settings(checkpoint, path)
    return path


def write_playground(ldm_keys, checkpoint):
    """With the keys in which such a file carries what its latents are normalised by."""
    import torch
    from safetensors.torch import load_file, save_file

    path = write_single(ldm_keys, checkpoint)
    vae = read_json(checkpoint / "vae" / "config.json")
    state = load_file(path)
    state["edm_mean"] = torch.tensor(vae["latents_mean"]).reshape(1, 4, 1, 1)
    state["edm_std"] = torch.tensor(vae["latents_std"]).reshape(1, 4, 1, 1)
    save_file(state, path)


def write_kinds(folder):
    """Of sdxl_1: the refiner's, one that fills masks, one without autoencoder, one that predicts velocity."""
    import torch
    from safetensors.torch import load_file

    source = folder / "sdxl_1.safetensors"
    state = load_file(source)

    refiner = {key.replace(SECOND, "conditioner.embedders.0."): value for key, value in state.items()
               if not key.startswith("conditioner.embedders.0.")}
    pooled = state[SECOND + "model.text_projection"].shape[1]
    width = (state[LABELS].shape[1] - pooled) // 6
    refiner[LABELS] = state[LABELS][:, : pooled + 5 * width].contiguous()
    save(refiner, folder / "refiner.safetensors", folder / "none")

    entry = "model.diffusion_model.input_blocks.0.0.weight"
    wide = torch.cat([state[entry], state[entry], state[entry][:, :1]], 1)
    save({**state, entry: wide}, folder / "inpaint.safetensors", source)
    save({key: value for key, value in state.items() if not key.startswith("first_stage_model.")},
         folder / "without_vae.safetensors", source)
    keys = {key: torch.zeros(0) for key in ("v_pred", "ztsnr")}
    save({**state, **keys}, folder / "velocity.safetensors", source)


def write_small(ldm_keys, weights, folder):
    """A UNet of SSD-1B's kind: fewer transformer layers on one side, a middle of one resnet."""
    from diffusers import UNet2DConditionModel
    from safetensors.torch import load_file

    unet = UNet2DConditionModel(
        block_out_channels=(64, 64, 128), layers_per_block=2, attention_head_dim=(1, 1, 2), use_linear_projection=True,
        down_block_types=("DownBlock2D", "CrossAttnDownBlock2D", "CrossAttnDownBlock2D"),
        up_block_types=("CrossAttnUpBlock2D", "CrossAttnUpBlock2D", "UpBlock2D"), mid_block_type="UNetMidBlock2D",
        transformer_layers_per_block=[1, [2, 2], [2, 1]], reverse_transformer_layers_per_block=[[2, 2, 3], [2, 1, 1], 1],
        cross_attention_dim=192, addition_embed_type="text_time", addition_time_embed_dim=16,
        projection_class_embeddings_input_dim=6 * 16 + 80)
    unet = weights.randomise(unet, 5)
    unet.save_pretrained(folder / "small" / "unet")
    state = load_file(folder / "sdxl_1.safetensors")
    rest = {key: value for key, value in state.items() if not key.startswith("model.diffusion_model.")}
    own = {"model.diffusion_model." + key: value.contiguous() for key, value in ldm_keys.unet_state(unet.state_dict(), 2).items()}
    save({**rest, **own}, folder / "small.safetensors", folder / "none")


def main():
    reference, folder = map(pathlib.Path, sys.argv[1:3])
    if (folder / "complete").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    sys.path.insert(0, str(reference))
    from lib import ldm_keys, unet_families, weights

    for variant in VARIANTS:
        checkpoint = folder / f"sdxl_{variant}"
        unet_families.make_sdxl(str(checkpoint), 0, variant)
        write_single(ldm_keys, checkpoint)
        checkpoint = folder / f"playground_{variant}"
        unet_families.make_playground(str(checkpoint), 0, variant)
        write_playground(ldm_keys, checkpoint)
    write_single(ldm_keys, folder / "sdxl_1", half=True)
    write_kinds(folder)
    write_small(ldm_keys, weights, folder)
    (folder / "complete").touch()


main()
