#!/usr/bin/env python3
"""Makes what the test of textual inversions compares with, once (golden_main.py).

    make_embedding_goldens.py CASES.json FOLDER

FOLDER/checkpoints is as make_goldens.py and make_sdxl_goldens.py make it, FOLDER/embeddings/<case> holds the case's files in the formats of
their trainers, which diffusers' pipeline loads by load_textual_inversion. Pooled states are those at the end token: transformers takes the
largest id for configs that state eos_token_id 2 (all published ones), which with a vector in the text is the vector; its own comment states that
such configs cannot work.
"""
import json
from unittest.mock import patch

import make_image_goldens as images
from golden_main import golden_main
from made_once import make_once
from make_lora_goldens import lora_arguments, make_checkpoint_named

ENDINGS = {"a1111": ".pt", "ldm": ".pt", "concept": ".bin"}


def vectors(width, count, seed):
    """Of the size of the encoders' own rows."""
    import torch

    return torch.randn(count, width, generator=torch.Generator().manual_seed(seed)) * 0.05


def save_old_parameters(tensor, path):
    """As the first trainers saved it: until PyTorch 1.11 a ParameterDict was a module."""
    import torch
    from torch.nn.modules import container

    today = container.ParameterDict
    container.ParameterDict = type("ParameterDict", (torch.nn.Module,), {"__module__": container.__name__})
    try:
        parameters = container.ParameterDict()
        parameters.register_parameter("*", torch.nn.Parameter(tensor))
        torch.save({"string_to_token": {"*": torch.tensor(265)}, "string_to_param": parameters}, path)
    finally:
        container.ParameterDict = today


def write(embedding, widths, path):
    """One file as A1111, diffusers' training script, kohya or an SDXL trainer writes it."""
    import torch
    from safetensors.torch import save_file

    sets = [vectors(width, embedding["vectors"], embedding["seed"] + i) for i, width in enumerate(widths)]
    kind = embedding["format"]
    if kind == "a1111":
        torch.save({"string_to_token": {"*": 265}, "string_to_param": {"*": torch.nn.Parameter(sets[0])}, "name": embedding["name"],
                    "step": 4999, "sd_checkpoint": "0123abcd", "sd_checkpoint_name": "base"}, path)
    elif kind == "ldm":
        save_old_parameters(sets[0], path)
    elif kind == "concept":
        torch.save({f"<{embedding['name']}>": sets[0] if embedding["vectors"] > 1 else sets[0][0]}, path)
    elif kind == "half":
        save_file({"emb_params": sets[0].half()}, path)
    elif kind == "sdxl":
        save_file({"clip_l": sets[0], "clip_g": sets[1]}, path)
    else:
        save_file({"emb_params": sets[0]}, path)


def path_of(embedding, case, folder):
    return folder / "embeddings" / case["name"] / (embedding["name"] + ENDINGS.get(embedding["format"], ".safetensors"))


def write_all(case, folder):
    checkpoint = folder / "checkpoints" / case["checkpoint"]
    encoders = [part for part in ("text_encoder", "text_encoder_2") if (checkpoint / part).exists()]
    widths = [json.loads((checkpoint / part / "config.json").read_text())["hidden_size"] for part in encoders]
    for embedding in case["embeddings"]:
        path = path_of(embedding, case, folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        write(embedding, widths, path)


def load_all(case, folder, pipe):
    """In the order in which the texts name them: diffusers numbers the tokens so."""
    from safetensors.torch import load_file

    for encoder in filter(None, (pipe.text_encoder, getattr(pipe, "text_encoder_2", None))):
        getattr(encoder, "text_model", encoder).eos_token_id = pipe.tokenizer.eos_token_id
    for embedding in case["embeddings"]:
        path = path_of(embedding, case, folder)
        if embedding["format"] == "ldm":
            width = pipe.text_encoder.config.hidden_size
            pipe.load_textual_inversion(vectors(width, embedding["vectors"], embedding["seed"]), token=embedding["name"])
            continue
        if embedding["format"] != "sdxl":
            pipe.load_textual_inversion(str(path.parent), weight_name=path.name, token=embedding["name"])
            continue
        sets = load_file(path)
        for key, suffix in (("clip_l", ""), ("clip_g", "_2")):
            pipe.load_textual_inversion(sets[key], token=embedding["name"], text_encoder=getattr(pipe, "text_encoder" + suffix),
                                        tokenizer=getattr(pipe, "tokenizer" + suffix))


def make(cases, folder):
    for case in cases:
        make_checkpoint_named(case["checkpoint"], folder)
        write_all(case, folder)
    make_once(folder / "images", images.make_images)


def run(golden, case, folder):
    with patch.object(golden, "load_addons", lambda _, pipe: load_all(case, folder, pipe)):
        golden.main(lora_arguments({**case, "loras": []}, folder))


if __name__ == "__main__":
    golden_main(make, run)
