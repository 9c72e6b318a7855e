#!/usr/bin/env python3
"""The networks of WAN checkpoints as files of their own, in WAN's, ComfyUI's and llama.cpp's names, and quantised.

    make_split_files.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: diffusion_model (and diffusion_model_low_noise), text_encoder, autoencoder and image_encoder as .safetensors, the
same in other forms (see write_...), and where numbers are quantised NAME_decoded.safetensors with what they stand for. Settings that
no shape shows lie next to them. Names are put back by diffusers' and gguf's own tables before a file is written.
"""
import json
import shutil

import gguf
import torch
from diffusers.loaders import single_file_utils
from safetensors.torch import load_file, save_file

import encoded_weights as ways
import made_once
import wan_names

STATED = {"transformer": ("num_attention_heads", "attention_head_dim"), "image_encoder": ("num_attention_heads", "hidden_act")}


def read_json(path):
    return json.loads(path.read_text())


def save(state, path):
    save_file({key: value.contiguous().clone() for key, value in state.items()}, path)


def transformer_in_wan_names(state):
    named = {wan_names.transformer_name(key): value for key, value in state.items() if "norm_added_q" not in key}
    back = single_file_utils.convert_wan_transformer_to_diffusers(dict(named))
    assert set(back) == {key for key in state if "norm_added_q" not in key}, set(back) ^ set(state)
    return named


def autoencoder_in_wan_names(state, layers):
    named = {wan_names.autoencoder_name(key, layers): value for key, value in state.items()}
    assert len(named) == len(state)
    if layers == 2:  # all that diffusers' table knows
        back = single_file_utils.convert_wan_vae_to_diffusers(dict(named))
        missing = {key for key in set(back) ^ set(state) if "up_blocks" not in key or "conv_shortcut" not in key}
        assert not missing, missing
    return named


def text_in_gguf_names(state, layers):
    table = gguf.get_tensor_name_map(gguf.MODEL_ARCH.T5ENCODER, layers)
    return {table.get_name(key, try_suffixes=(".weight",)): value for key, value in state.items()}


def write_gguf_with_tokenizer(state, tokenizer, path):
    """In f32, with the metadata that llama.cpp's converter writes for T5, filled up to the table's rows."""
    from sentencepiece import sentencepiece_model_pb2

    model = sentencepiece_model_pb2.ModelProto()
    model.ParseFromString((tokenizer / "spiece.model").read_bytes())
    extra = read_json(tokenizer / "tokenizer_config.json")["extra_ids"]
    tokens = [(piece.piece, piece.score, piece.type) for piece in model.pieces]
    tokens += [(f"<extra_id_{i}>", 0.0, 3) for i in reversed(range(extra))]
    tokens += [(f"[PAD{i}]", -1e4, 5) for i in range(len(tokens), state["token_embd.weight"].shape[0])]
    texts, scores, types = map(list, zip(*tokens))
    writer = gguf.GGUFWriter(str(path), "t5encoder")
    writer.add_tokenizer_model("t5")
    writer.add_token_list(texts)
    writer.add_token_scores(scores)
    writer.add_token_types(types)
    writer.add_unk_token_id(model.trainer_spec.unk_id)
    if model.normalizer_spec.precompiled_charsmap:
        writer.add_precompiled_charsmap(model.normalizer_spec.precompiled_charsmap)
    for key, value in state.items():
        writer.add_tensor(key, value.numpy())
    ways.close_gguf(writer)


def encoded(state, name, path):
    """`state` with its larger matrices in an encoding; what they decode to lies next to it."""
    if name in ways.GGUF:
        decoded = ways.write_gguf(state, name, path)
    else:
        matrices = {key: value for key, value in state.items() if value.dim() == 2 and "blocks." in key.replace("block.", "blocks.")}
        stored, decoded = ways.quantised(matrices, name)
        save({**{key: value for key, value in state.items() if key not in matrices}, **stored}, path)
        decoded = {**state, **decoded}
    return decoded


def write_transformer(checkpoint, folder):
    state = load_file(checkpoint / "transformer" / "diffusion_pytorch_model.safetensors")
    named = transformer_in_wan_names(state)
    save(named, folder / "diffusion_model.safetensors")
    save({"model.diffusion_model." + key: value for key, value in named.items()}, folder / "diffusion_model_prefixed.safetensors")
    save(state, folder / "diffusion_model_diffusers.safetensors")
    plain = gguf.GGUFWriter(str(folder / "diffusion_model_f32.gguf"), "wan")  # with its five sizes, as ComfyUI-GGUF's files
    for key, value in named.items():
        plain.add_tensor(key, value.numpy())
    ways.close_gguf(plain)
    for kind in ("fp8", "q8_0", "q4_k"):
        path = folder / f"diffusion_model_{kind}.{'gguf' if kind in ways.GGUF else 'safetensors'}"
        save(encoded(named, kind, path), folder / f"diffusion_model_{kind}_decoded.safetensors")


def write_second_denoiser(checkpoint, folder):
    named = transformer_in_wan_names(load_file(checkpoint / "transformer_2" / "diffusion_pytorch_model.safetensors"))
    save(named, folder / "diffusion_model_low_noise.safetensors")


def write_text_encoder(checkpoint, folder):
    state = load_file(checkpoint / "text_encoder" / "model.safetensors")
    state.pop("encoder.embed_tokens.weight", None)
    pieces = (checkpoint / "tokenizer" / "spiece.model").read_bytes()
    tokenizer = {"spiece_model": torch.frombuffer(bytearray(pieces), dtype=torch.uint8)}
    save({**state, **tokenizer}, folder / "text_encoder.safetensors")
    alone = folder / "original"
    shutil.copytree(checkpoint / "tokenizer", alone / "google" / "umt5-xxl")
    torch.save({wan_names.text_name(key): value for key, value in state.items()}, alone / "text_encoder.pth")
    decoded = encoded(state, "fp8", folder / "text_encoder_fp8.safetensors")
    stored = load_file(folder / "text_encoder_fp8.safetensors")
    save({**stored, **tokenizer}, folder / "text_encoder_fp8.safetensors")
    save({**decoded, **tokenizer}, folder / "text_encoder_fp8_decoded.safetensors")
    layers = read_json(checkpoint / "text_encoder" / "config.json")["num_layers"]
    ways.write_gguf(text_in_gguf_names(state, layers), "f16", alone / "text_encoder.gguf")
    write_gguf_with_tokenizer(text_in_gguf_names(state, layers), checkpoint / "tokenizer", folder / "text_encoder_alone.gguf")
    halved = {key: value.half().float() if value.dim() > 1 else value for key, value in state.items()}
    save({**halved, **tokenizer}, folder / "text_encoder_half.safetensors")


def write_autoencoder(checkpoint, folder):
    config = read_json(checkpoint / "vae" / "config.json")
    state = load_file(checkpoint / "vae" / "diffusion_pytorch_model.safetensors")
    named = autoencoder_in_wan_names(state, config["num_res_blocks"])
    save(named, folder / "autoencoder.safetensors")
    torch.save(named, folder / "original" / "autoencoder.pth")
    save(state, folder / "autoencoder_diffusers.safetensors")


def write_settings(checkpoint, folder):
    parts = {part: {key: read_json(checkpoint / part / "config.json")[key] for key in keys}
             for part, keys in STATED.items() if (checkpoint / part).exists()}
    parts["scheduler"] = read_json(checkpoint / "scheduler" / "scheduler_config.json")
    for path in folder.iterdir():
        if path.name.startswith("diffusion_model"):
            stated = {key: parts[key] for key in ("transformer", "scheduler")}
        elif path.name.startswith("image_encoder"):
            stated = {"image_encoder": parts["image_encoder"]}
        else:
            continue
        path.with_suffix(".lowtide.json").write_text(json.dumps(stated))


def make(checkpoint, folder):
    folder.mkdir(parents=True)
    write_transformer(checkpoint, folder)
    if (checkpoint / "transformer_2").exists():
        write_second_denoiser(checkpoint, folder)
    write_text_encoder(checkpoint, folder)
    write_autoencoder(checkpoint, folder)
    if (checkpoint / "image_encoder").exists():
        shutil.copy(checkpoint / "image_encoder" / "model.safetensors", folder / "image_encoder.safetensors")
    write_settings(checkpoint, folder)


if __name__ == "__main__":
    made_once.make_each(make)
