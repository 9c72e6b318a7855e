#!/usr/bin/env python3
"""Write a checkpoint of the true sizes of WAN.

    wan_checkpoint.py hollow KIND TOKENIZER OUT_FOLDER
    wan_checkpoint.py KIND TOKENIZER OUT_FOLDER
    wan_checkpoint.py files KIND TOKENIZER OUT_FOLDER

The first form writes the diffusers layout with headers alone, for plans; the second with random weights, for runs, and a text encoder
of two layers and the tokenizer's vocabulary. The third writes random weights as ComfyUI has them, a file for each network: the denoiser
in scaled fp8, all else in fp16. write_files() writes headers of those files, for other scripts.

KIND is `i2v_14b` (image to video, 16.4 B weights, with UMT5 XXL in bf16, CLIP ViT-H and the autoencoder in f32), `t2v_14b` (14.3 B),
`t2v_1_3b` (1.4 B), or `i2v_a14b` of WAN 2.2: a high-noise and a low-noise model of 14.3 B that see an image only next to the latents.
TOKENIZER is a folder with a tokenizer of T5. The folder appears whole or not at all; nothing is written when it is there already.
"""

import json
import math
import os
import pathlib
import shutil
import struct
import sys

import padded_tokenizer
from big_checkpoint import IS_HOLLOW, TIED, Noise, distribution, make_once, shapes_of, write_json, write_parts

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import wan_names  # noqa: E402

os.environ.setdefault("HF_HUB_OFFLINE", "1")

TRANSFORMER = dict(
    patch_size=(1, 2, 2),
    attention_head_dim=128,
    in_channels=16,
    out_channels=16,
    text_dim=4096,
    freq_dim=256,
    cross_attn_norm=True,
    qk_norm="rms_norm_across_heads",
    eps=1e-6,
    rope_max_seq_len=1024,
)
KINDS = {
    "i2v_14b": dict(TRANSFORMER, num_attention_heads=40, ffn_dim=13824, num_layers=40, in_channels=36, image_dim=1280, added_kv_proj_dim=5120),
    "t2v_14b": dict(TRANSFORMER, num_attention_heads=40, ffn_dim=13824, num_layers=40),
    "i2v_a14b": dict(TRANSFORMER, num_attention_heads=40, ffn_dim=13824, num_layers=40, in_channels=36),
    "t2v_1_3b": dict(TRANSFORMER, num_attention_heads=12, ffn_dim=8960, num_layers=30),
}
TEXT_TOKENS = 256000  # and 300 that have no pieces
TEXT = dict(vocab_size=256384, d_model=4096, d_kv=64, num_heads=64, d_ff=10240, num_layers=24, feed_forward_proj="gated-gelu")
FEWER_TEXT_LAYERS = 2
VISION = dict(hidden_size=1280, intermediate_size=5120, num_hidden_layers=32, num_attention_heads=16, image_size=224, patch_size=14,
              hidden_act="gelu", projection_dim=1024)
SCHEDULER = dict(num_train_timesteps=1000, prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0)
COMPONENTS = {
    "scheduler": ("diffusers", "UniPCMultistepScheduler"),
    "text_encoder": ("transformers", "UMT5EncoderModel"),
    "tokenizer": ("transformers", "T5TokenizerFast"),
    "transformer": ("diffusers", "WanTransformer3DModel"),
    "vae": ("diffusers", "AutoencoderKLWan"),
}
VISION_COMPONENTS = {"image_encoder": ("transformers", "CLIPVisionModel"), "image_processor": ("transformers", "CLIPImageProcessor")}
HALF_KINDS = ("transformer", "transformer_2", "text_encoder")
SECOND_DENOISER = "transformer_2"


def text_settings(tokenizer):
    """Of the real size in plans; in runs as wide, and small."""
    if IS_HOLLOW:
        return TEXT
    words = json.loads(pathlib.Path(tokenizer, "tokenizer.json").read_text())["model"]["vocab"]
    return dict(TEXT, num_layers=FEWER_TEXT_LAYERS, vocab_size=len(words))


def networks(kind, text=TEXT):
    """Without weights, by the folder's names."""
    import torch
    from diffusers import AutoencoderKLWan, WanTransformer3DModel
    from transformers import CLIPVisionConfig, CLIPVisionModel, UMT5Config, UMT5EncoderModel

    with torch.device("meta"):
        parts = {"transformer": WanTransformer3DModel(**KINDS[kind]), "text_encoder": UMT5EncoderModel(UMT5Config(**text)),
                 "vae": AutoencoderKLWan()}
        if "image_dim" in KINDS[kind]:
            parts["image_encoder"] = CLIPVisionModel(CLIPVisionConfig(**VISION))
        if kind.endswith("a14b"):
            parts[SECOND_DENOISER] = WanTransformer3DModel(**KINDS[kind])
    return parts


def write_tensors(path, tensors, values, fill=None):
    """Headers alone, but for `values`: bytes by name, and what `fill(file, name, type, shape)` writes. `tensors`: type and shape by name."""
    sizes = {"F8_E4M3": 1, "U8": 1, "F16": 2, "BF16": 2, "F32": 4}
    header, end = {}, 0
    for name, (kind, shape) in tensors.items():
        begin, end = end, end + sizes[kind] * math.prod(shape)
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 64)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        begin = file.tell()
        file.truncate(begin + end)
        for name, (kind, shape) in tensors.items():
            file.seek(begin + header[name]["data_offsets"][0])
            if name in values:
                file.write(values[name])
            elif fill:
                fill(file, name, kind, shape)


def scaled_to_fp8(shapes, is_stored_so):
    """As ComfyUI's fp8_scaled files: matrices of layers with a scale next to each, all else in half."""
    tensors, values = {"scaled_fp8": ("F8_E4M3", (2,))}, {}
    for name, shape in shapes.items():
        is_scaled = is_stored_so(name) and len(shape) == 2
        tensors[name] = ("F8_E4M3" if is_scaled else "F16", shape)
        if is_scaled:
            scale = name.removesuffix("weight") + "scale_weight"
            tensors[scale], values[scale] = ("F32", ()), struct.pack("<f", 1)
    return tensors, values


class Filling:
    """Random weights; those in fp8 are multiples of one scale."""

    def __init__(self):
        import torch

        self.half = Noise("F16")
        values = torch.from_numpy(self.half.exact).to(torch.float8_e4m3fn)
        self.eighth = values.view(torch.uint8).numpy()
        self.count = 0

    def __call__(self, file, name, kind, shape):
        left = math.prod(shape)
        if kind == "F16":
            return self.half.write(file, left, *distribution(name, shape))
        while left > 0:
            self.count = (self.count * 5 + 12345) % len(self.eighth)
            part = self.eighth[self.count : self.count + left]
            file.write(part.data)
            left -= len(part)


def write_random_files(kind, folder, tokenizer):
    """Text to video; the denoiser's scales keep activations near 1. Its settings lie next to it, which diffusers wants."""
    os.makedirs(os.path.join(folder, "transformer"))
    parts = {name: {key: shape for key, shape in shapes_of(part).items() if key != TIED}
             for name, part in networks(kind, text_settings(tokenizer)).items()}
    fill = Filling()
    write_json(os.path.join(folder, "transformer", "config.json"), {"_class_name": "WanTransformer3DModel", **KINDS[kind]})
    denoiser = {wan_names.transformer_name(key): shape for key, shape in parts["transformer"].items()}
    tensors, values = scaled_to_fp8(denoiser, lambda name: name.startswith("blocks.") and name.endswith(".weight"))
    for name, value in values.items():
        values[name] = struct.pack("<f", denoiser[name.removesuffix("scale_weight") + "weight"][1] ** -0.5)
    write_tensors(os.path.join(folder, "diffusion_model.safetensors"), tensors, values, fill)
    pieces = pathlib.Path(tokenizer, "spiece.model").read_bytes()
    text = {"spiece_model": ("U8", (len(pieces),)), **{key: ("F16", shape) for key, shape in parts["text_encoder"].items()}}
    write_tensors(os.path.join(folder, "text_encoder.safetensors"), text, {"spiece_model": pieces}, fill)
    autoencoder = {wan_names.autoencoder_name(key, 2): ("F16", shape) for key, shape in parts["vae"].items()}
    write_tensors(os.path.join(folder, "autoencoder.safetensors"), autoencoder, {}, fill)


def write_files(folder, tokenizer):
    """Image to video in the folders of ComfyUI, under the names with which its files are published."""
    parts = {name: shapes_of(part) for kind in ("i2v_a14b", "i2v_14b") for name, part in networks(kind).items()}
    for published, part in (("wan2.1_i2v_480p_14B", "transformer"), ("wan2.2_i2v_high_noise_14B", SECOND_DENOISER),
                            ("wan2.2_i2v_low_noise_14B", SECOND_DENOISER)):
        denoiser = {wan_names.transformer_name(key): shape for key, shape in parts[part].items() if "norm_added_q" not in key}
        write_tensors(os.path.join(folder, "diffusion_models", published + "_fp8_scaled.safetensors"),
                      *scaled_to_fp8(denoiser, lambda name: name.startswith("blocks.") and name.endswith(".weight")))
    pieces = padded_tokenizer.padded_pieces(pathlib.Path(tokenizer, "spiece.model").read_bytes(), TEXT_TOKENS)
    text = {key: shape for key, shape in parts["text_encoder"].items() if key != TIED}
    tensors, values = scaled_to_fp8(text, lambda name: name.endswith(".weight") and "Dense" in name or "Attention.q" in name
                                    or "Attention.k" in name or "Attention.v" in name or "Attention.o" in name)
    tensors["spiece_model"], values["spiece_model"] = ("U8", (len(pieces),)), pieces
    write_tensors(os.path.join(folder, "text_encoders", "umt5_xxl_fp8_e4m3fn_scaled.safetensors"), tensors, values)
    autoencoder = {wan_names.autoencoder_name(key, 2): ("F16", shape) for key, shape in parts["vae"].items()}
    write_tensors(os.path.join(folder, "vae", "wan_2.1_vae.safetensors"), autoencoder, {})
    vision = {"vision_model." + key.removeprefix("vision_model."): ("F16", shape) for key, shape in parts["image_encoder"].items()}
    write_tensors(os.path.join(folder, "clip_vision", "clip_vision_h.safetensors"), vision, {})


def write_folder(kind, partial, tokenizer):
    from diffusers import UniPCMultistepScheduler

    write_parts(partial, networks(kind, text_settings(tokenizer)), lambda name: "BF16" if name in HALF_KINDS else "F32")
    UniPCMultistepScheduler(**SCHEDULER).save_pretrained(os.path.join(partial, "scheduler"))
    shutil.copytree(tokenizer, os.path.join(partial, "tokenizer"))
    padded_tokenizer.pad(os.path.join(partial, "tokenizer"), min(TEXT_TOKENS, text_settings(tokenizer)["vocab_size"]))
    index = {"_class_name": "WanImageToVideoPipeline" if kind.startswith("i2v") else "WanPipeline", **COMPONENTS}
    if "image_dim" in KINDS[kind]:
        index |= VISION_COMPONENTS
    if kind.endswith("a14b"):
        index |= {SECOND_DENOISER: COMPONENTS["transformer"], "boundary_ratio": 0.9}
    write_json(os.path.join(partial, "model_index.json"), index)


def main():
    kind, tokenizer, out = sys.argv[-3:]
    make_once(out, lambda folder: (write_random_files if sys.argv[1] == "files" else write_folder)(kind, folder, tokenizer))


if __name__ == "__main__":
    main()
