"""Files of one network each, and what lies next to them, for scripts that take checkpoints apart."""
import json

from safetensors.torch import load_file, save_file

import encoded_weights as ways
import golden_main  # noqa: F401  where the reference's modules are found

SPECIAL = 3  # llama.cpp's type of a token


def read_json(path):
    return json.loads(path.read_text())


def save(state, path):
    save_file({key: value.contiguous().clone() for key, value in state.items()}, path)


def write_sidecar(path, part, settings, tokenizer=None):
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


def write_quantised(state, kind, path, is_large):
    """The same, and what they decode to as PATH_decoded.safetensors."""
    save(quantised(state, kind, path, is_large), path.with_name(path.stem + "_decoded.safetensors"))


def write_autoencoder(checkpoint, folder):
    """In LDM's names and in diffusers'."""
    from lib import ldm_keys

    config = read_json(checkpoint / "vae" / "config.json")
    state = load_file(checkpoint / "vae" / "diffusion_pytorch_model.safetensors")
    save(ldm_keys.vae_state(state), folder / "autoencoder.safetensors")
    save(state, folder / "autoencoder_diffusers.safetensors")
    for name in ("autoencoder", "autoencoder_diffusers"):
        write_sidecar(folder / (name + ".safetensors"), "vae", chosen(config, ("norm_num_groups",)))


def write_byte_pairs(writer, pre, tokenizer):
    """Into a GGUF file; the numbers of its tokens."""
    file = read_json(tokenizer / "tokenizer.json")
    ids = file["model"]["vocab"] | {token["content"]: token["id"] for token in file["added_tokens"]}
    special = {token["id"] for token in file["added_tokens"]}
    texts = sorted(ids, key=ids.get)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(texts)
    writer.add_token_types([SPECIAL if ids[text] in special else 1 for text in texts])
    writer.add_token_merges([" ".join(pair) if isinstance(pair, list) else pair for pair in file["model"]["merges"]])
    return ids
