#!/usr/bin/env python3
"""The networks of HiDream-I1 checkpoints as files of their own, as ComfyUI and llama.cpp have them, and quantised.

    make_hidream_files.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: diffusion_model, clip_l, clip_g, t5 and llama.safetensors, with the tokenizers of the last two
in tokenizer_3 and tokenizer_4, autoencoder.safetensors in LDM's names, llama.gguf with its tokenizer inside, and quantised ones, of which
NAME_decoded.safetensors holds what their numbers stand for. Settings that no shape tells lie beside them.
"""
import json
import shutil
import sys

import gguf
from safetensors.torch import load_file, save_file

import encoded_weights as ways
import made_once
from make_goldens import REFERENCE

sys.path.insert(0, str(REFERENCE))
TRANSFORMER = ("num_attention_heads", "attention_head_dim", "axes_dims_rope", "max_resolution", "llama_layers", "num_activated_experts")
LANGUAGE = ("num_attention_heads", "num_key_value_heads", "head_dim", "rms_norm_eps", "max_position_embeddings", "rope_parameters")


def read_json(path):
    return json.loads(path.read_text())


def save(state, path):
    save_file({key: value.contiguous().clone() for key, value in state.items()}, path)


def state_beside(path, part, settings, tokenizer=None):
    stated = {part: settings} | ({"tokenizer": tokenizer} if tokenizer else {})
    path.with_suffix(".lowtide.json").write_text(json.dumps(stated))


def chosen(config, keys):
    return {key: config[key] for key in keys}


def quantised(state, kind, path, is_large):
    """`state` with its large matrices in an encoding; what they decode to."""
    stored, decoded = dict(state), dict(state)
    for key, value in state.items():
        if value.dim() == 2 and is_large(key):
            parts, decoded[key] = ways.LAYERS[kind](value)
            del stored[key]
            stored |= {key.removesuffix("weight") + part: tensor for part, tensor in parts.items()}
    save(stored, path)
    return decoded


def write_transformer(checkpoint, folder):
    state = load_file(checkpoint / "transformer" / "diffusion_pytorch_model.safetensors")
    config = chosen(read_json(checkpoint / "transformer" / "config.json"), TRANSFORMER)
    save(state, folder / "diffusion_model.safetensors")
    save({"model.diffusion_model." + key: value for key, value in state.items()}, folder / "diffusion_model_prefixed.safetensors")
    save(quantised(state, "fp8", folder / "diffusion_model_fp8.safetensors", lambda key: ".block." in key and "gate" not in key),
         folder / "diffusion_model_fp8_decoded.safetensors")
    save(ways.write_gguf(state, "q8_0", folder / "diffusion_model_q8_0.gguf"), folder / "diffusion_model_q8_0_decoded.safetensors")
    for path in list(folder.iterdir()):
        if path.name.startswith("diffusion_model"):
            state_beside(path, "transformer", config)


def write_clips(checkpoint, folder):
    for name, suffix, padding in (("clip_l", "", "<|endoftext|>"), ("clip_g", "_2", "!")):
        path = folder / (name + ".safetensors")
        shutil.copy(checkpoint / ("text_encoder" + suffix) / "model.safetensors", path)
        config = read_json(checkpoint / ("text_encoder" + suffix) / "config.json")
        state_beside(path, "text_encoder", chosen(config, ("num_attention_heads", "hidden_act")), {"pad_token": padding})


def write_t5(checkpoint, folder):
    state = load_file(checkpoint / "text_encoder_3" / "model.safetensors")
    shutil.copytree(checkpoint / "tokenizer_3", folder / "tokenizer_3")
    save(state, folder / "t5.safetensors")
    save(quantised(state, "fp8", folder / "t5_fp8.safetensors", lambda key: "SelfAttention." in key or "DenseReluDense." in key),
         folder / "t5_fp8_decoded.safetensors")


def turned_together(weight, heads):
    """Rows of queries and keys as llama.cpp's converter orders them: the halves of a head by turns."""
    return weight.reshape(heads, 2, weight.shape[0] // heads // 2, -1).transpose(1, 2).reshape(weight.shape)


def write_llama_gguf(state, config, tokenizer, path):
    table = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config["num_hidden_layers"])
    file = read_json(tokenizer / "tokenizer.json")
    ids = file["model"]["vocab"] | {token["content"]: token["id"] for token in file["added_tokens"]}
    special = {token["id"] for token in file["added_tokens"]}
    texts = sorted(ids, key=ids.get)
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("llama-bpe")
    writer.add_token_list(texts)
    writer.add_token_types([3 if ids[text] in special else 1 for text in texts])
    writer.add_token_merges([" ".join(pair) if isinstance(pair, list) else pair for pair in file["model"]["merges"]])
    writer.add_bos_token_id(ids["<|begin_of_text|>"])
    writer.add_eos_token_id(ids["<|eot_id|>"])
    for key, value in state.items():
        for part, heads in (("q_proj", config["num_attention_heads"]), ("k_proj", config["num_key_value_heads"])):
            if part in key:
                value = turned_together(value, heads)
        writer.add_tensor(table.get_name(key, try_suffixes=(".weight",)), value.contiguous().numpy())
    ways.close_gguf(writer)


def write_llama(checkpoint, folder):
    state = load_file(checkpoint / "text_encoder_4" / "model.safetensors")
    config = read_json(checkpoint / "text_encoder_4" / "config.json")
    shutil.copytree(checkpoint / "tokenizer_4", folder / "tokenizer_4")
    save(state, folder / "llama.safetensors")
    save(quantised(state, "fp8", folder / "llama_fp8.safetensors", lambda key: "proj" in key), folder / "llama_fp8_decoded.safetensors")
    write_llama_gguf(state, config, checkpoint / "tokenizer_4", folder / "llama.gguf")
    for path in list(folder.iterdir()):
        if path.name.startswith("llama"):
            state_beside(path, "text_encoder", chosen(config, LANGUAGE))


def write_autoencoder(checkpoint, folder):
    from lib import ldm_keys

    config = read_json(checkpoint / "vae" / "config.json")
    state = load_file(checkpoint / "vae" / "diffusion_pytorch_model.safetensors")
    save(ldm_keys.vae_state(state), folder / "autoencoder.safetensors")
    save(state, folder / "autoencoder_diffusers.safetensors")
    for name in ("autoencoder", "autoencoder_diffusers"):
        state_beside(folder / (name + ".safetensors"), "vae", chosen(config, ("norm_num_groups",)))


def make(checkpoint, folder):
    folder.mkdir(parents=True)
    write_transformer(checkpoint, folder)
    write_clips(checkpoint, folder)
    write_t5(checkpoint, folder)
    write_llama(checkpoint, folder)
    write_autoencoder(checkpoint, folder)


if __name__ == "__main__":
    made_once.make_each(make)
