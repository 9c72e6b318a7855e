#!/usr/bin/env python3
"""The networks of HiDream-I1 checkpoints as files of their own, as ComfyUI and llama.cpp have them, and quantised.

    make_hidream_files.py CHECKPOINTS FOLDER NAME...

FOLDER/NAME/ is made for each NAME of CHECKPOINTS: diffusion_model, clip_l, clip_g, t5 and llama.safetensors, with the tokenizers of the last two
in tokenizer_3 and tokenizer_4, autoencoder.safetensors in LDM's names, llama.gguf with its tokenizer inside, and quantised ones, of which
NAME_decoded.safetensors holds what their numbers stand for. Settings that no shape shows lie next to them.
"""
import shutil

import gguf
from safetensors.torch import load_file

import encoded_weights as ways
import made_once
from network_files import chosen, read_json, save, write_sidecar, write_autoencoder, write_byte_pairs, write_quantised

TRANSFORMER = ("num_attention_heads", "attention_head_dim", "axes_dims_rope", "max_resolution", "llama_layers", "num_activated_experts")
LANGUAGE = ("num_attention_heads", "num_key_value_heads", "head_dim", "rms_norm_eps", "max_position_embeddings", "rope_parameters")


def write_transformer(checkpoint, folder):
    state = load_file(checkpoint / "transformer" / "diffusion_pytorch_model.safetensors")
    config = chosen(read_json(checkpoint / "transformer" / "config.json"), TRANSFORMER)
    save(state, folder / "diffusion_model.safetensors")
    save({"model.diffusion_model." + key: value for key, value in state.items()}, folder / "diffusion_model_prefixed.safetensors")
    write_quantised(state, "fp8", folder / "diffusion_model_fp8.safetensors", lambda key: ".block." in key and "gate" not in key)
    save(ways.write_gguf(state, "q8_0", folder / "diffusion_model_q8_0.gguf"), folder / "diffusion_model_q8_0_decoded.safetensors")
    for path in list(folder.iterdir()):
        if path.name.startswith("diffusion_model"):
            write_sidecar(path, "transformer", config)


def write_clips(checkpoint, folder):
    for name, suffix, padding in (("clip_l", "", "<|endoftext|>"), ("clip_g", "_2", "!")):
        path = folder / (name + ".safetensors")
        shutil.copy(checkpoint / ("text_encoder" + suffix) / "model.safetensors", path)
        config = read_json(checkpoint / ("text_encoder" + suffix) / "config.json")
        write_sidecar(path, "text_encoder", chosen(config, ("num_attention_heads", "hidden_act")), {"pad_token": padding})


def write_t5(checkpoint, folder):
    state = load_file(checkpoint / "text_encoder_3" / "model.safetensors")
    shutil.copytree(checkpoint / "tokenizer_3", folder / "tokenizer_3")
    save(state, folder / "t5.safetensors")
    write_quantised(state, "fp8", folder / "t5_fp8.safetensors", lambda key: "SelfAttention." in key or "DenseReluDense." in key)


def rotated_together(weight, heads):
    """Rows of queries and keys as llama.cpp's converter orders them: the halves of a head by turns."""
    return weight.reshape(heads, 2, weight.shape[0] // heads // 2, -1).transpose(1, 2).reshape(weight.shape)


def write_llama_gguf(state, config, tokenizer, path):
    table = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA, config["num_hidden_layers"])
    writer = gguf.GGUFWriter(str(path), "llama")
    ids = write_byte_pairs(writer, "llama-bpe", tokenizer)
    writer.add_bos_token_id(ids["<|begin_of_text|>"])
    writer.add_eos_token_id(ids["<|eot_id|>"])
    for key, value in state.items():
        for part, heads in (("q_proj", config["num_attention_heads"]), ("k_proj", config["num_key_value_heads"])):
            if part in key:
                value = rotated_together(value, heads)
        writer.add_tensor(table.get_name(key, try_suffixes=(".weight",)), value.contiguous().numpy())
    ways.close_gguf(writer)


def write_llama(checkpoint, folder):
    state = load_file(checkpoint / "text_encoder_4" / "model.safetensors")
    config = read_json(checkpoint / "text_encoder_4" / "config.json")
    shutil.copytree(checkpoint / "tokenizer_4", folder / "tokenizer_4")
    save(state, folder / "llama.safetensors")
    write_quantised(state, "fp8", folder / "llama_fp8.safetensors", lambda key: "proj" in key)
    write_llama_gguf(state, config, checkpoint / "tokenizer_4", folder / "llama.gguf")
    for path in list(folder.iterdir()):
        if path.name.startswith("llama"):
            write_sidecar(path, "text_encoder", chosen(config, LANGUAGE))


def make(checkpoint, folder):
    folder.mkdir(parents=True)
    write_transformer(checkpoint, folder)
    write_clips(checkpoint, folder)
    write_t5(checkpoint, folder)
    write_llama(checkpoint, folder)
    write_autoencoder(checkpoint, folder)


if __name__ == "__main__":
    made_once.make_each(make)
