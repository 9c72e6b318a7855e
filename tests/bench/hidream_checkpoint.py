#!/usr/bin/env python3
"""Write a checkpoint of the true sizes of HiDream-I1.

    hidream_checkpoint.py hollow REFERENCE OUT_FOLDER
    hidream_checkpoint.py llama REFERENCE OUT_FOLDER

The first form writes the diffusers layout with headers alone, for plans; the second ComfyUI's file of Llama with random weights in scaled fp8
and a tokenizer, for runs. write_files() writes headers of ComfyUI's files, for other scripts.

17.1 B weights in the transformer, 8.0 in Llama 3.1, 4.8 in T5 XXL, both long CLIPs and FLUX's autoencoder, all in bf16; tokenizers are
small ones of REFERENCE. The folder appears whole or not at all; nothing is written when it is there already.
"""

import os
import struct
import sys

import padded_tokenizer
import wan_checkpoint
from big_checkpoint import TIED, make_once, shapes_of, write_index, write_parts

os.environ.setdefault("HF_HUB_OFFLINE", "1")

CLIP_LENGTH = 248
WORDS = 49408
LLAMA_FILE = "text_encoders/llama_3.1_8b_instruct_fp8_scaled"
CLIPS = {
    "text_encoder": dict(hidden_size=768, intermediate_size=3072, num_hidden_layers=12, num_attention_heads=12, projection_dim=768, hidden_act="quick_gelu"),
    "text_encoder_2": dict(hidden_size=1280, intermediate_size=5120, num_hidden_layers=32, num_attention_heads=20, projection_dim=1280, hidden_act="gelu"),
}
T5_TOKENS = 32000  # and 100 that have no pieces
T5 = dict(vocab_size=32128, d_model=4096, d_kv=64, num_heads=64, d_ff=10240, num_layers=24, feed_forward_proj="gated-gelu")
LLAMA = dict(vocab_size=128256, hidden_size=4096, intermediate_size=14336, num_hidden_layers=32, num_attention_heads=32, num_key_value_heads=8,
             max_position_embeddings=131072, rms_norm_eps=1e-5, tie_word_embeddings=False,
             rope_parameters=dict(rope_type="llama3", rope_theta=500000.0, factor=8.0, low_freq_factor=1.0, high_freq_factor=4.0,
                                  original_max_position_embeddings=8192))
TRANSFORMER = dict(patch_size=2, in_channels=16, out_channels=16, num_layers=16, num_single_layers=32, attention_head_dim=128, num_attention_heads=20,
                   caption_channels=[4096, 4096], text_emb_dim=2048, num_routed_experts=4, num_activated_experts=2, axes_dims_rope=(64, 32, 32),
                   max_resolution=(128, 128), llama_layers=[min(i, 31) for i in range(48)])
VAE = dict(in_channels=3, out_channels=3, latent_channels=16, down_block_types=["DownEncoderBlock2D"] * 4, up_block_types=["UpDecoderBlock2D"] * 4,
           block_out_channels=(128, 256, 512, 512), layers_per_block=2, norm_num_groups=32, scaling_factor=0.3611, shift_factor=0.1159,
           use_quant_conv=False, use_post_quant_conv=False, force_upcast=True)
SCHEDULER = dict(_class_name="FlowMatchEulerDiscreteScheduler", num_train_timesteps=1000, shift=3.0, use_dynamic_shifting=False)
CLASSES = {
    "scheduler": ("diffusers", "FlowMatchEulerDiscreteScheduler"),
    "text_encoder": ("transformers", "CLIPTextModelWithProjection"),
    "text_encoder_2": ("transformers", "CLIPTextModelWithProjection"),
    "text_encoder_3": ("transformers", "T5EncoderModel"),
    "text_encoder_4": ("transformers", "LlamaForCausalLM"),
    "tokenizer": ("transformers", "CLIPTokenizer"),
    "tokenizer_2": ("transformers", "CLIPTokenizer"),
    "tokenizer_3": ("transformers", "T5Tokenizer"),
    "tokenizer_4": ("transformers", "PreTrainedTokenizerFast"),
    "transformer": ("diffusers", "HiDreamImageTransformer2DModel"),
    "vae": ("diffusers", "AutoencoderKL"),
}


def networks(vocabulary):
    """Without weights, by the folder's names; CLIP's words are `vocabulary` many."""
    import torch
    from diffusers import AutoencoderKL, HiDreamImageTransformer2DModel
    from transformers import CLIPTextConfig, CLIPTextModelWithProjection, LlamaConfig, LlamaForCausalLM, T5Config, T5EncoderModel

    with torch.device("meta"):
        parts = {name: CLIPTextModelWithProjection(CLIPTextConfig(vocab_size=vocabulary, max_position_embeddings=CLIP_LENGTH, eos_token_id=2, **config))
                 for name, config in CLIPS.items()}
        parts["text_encoder_3"] = T5EncoderModel(T5Config(**T5))
        parts["text_encoder_4"] = LlamaForCausalLM(LlamaConfig(**LLAMA))
        parts["transformer"] = HiDreamImageTransformer2DModel(**TRANSFORMER)
        parts["vae"] = AutoencoderKL(**VAE)
    return parts


def llama_in_fp8(shapes):
    """Types and shapes, and the scales' bytes, by name; of the model without its head."""
    return wan_checkpoint.scaled_to_fp8({key: shape for key, shape in shapes.items() if key != "lm_head.weight"}, lambda name: "proj" in name)


def write_files(folder, tokenizers, ldm_keys):
    """In the folders of ComfyUI, under the names with which its files are published."""
    parts = {name: part.state_dict() for name, part in networks(WORDS).items()}
    shapes = {name: {key: tuple(value.shape) for key, value in state.items()} for name, state in parts.items()}

    def write(path, tensors, values=None):
        wan_checkpoint.write_tensors(os.path.join(folder, path + ".safetensors"), tensors, values or {})

    transformer = {key: ("F8_E4M3" if len(shape) == 2 and ".block." in key else "F16", shape) for key, shape in shapes["transformer"].items()}
    for variant in ("full", "dev", "fast"):
        write(f"diffusion_models/hidream_i1_{variant}_fp8", transformer)
    for name, part in (("clip_l_hidream", "text_encoder"), ("clip_g_hidream", "text_encoder_2")):
        write("text_encoders/" + name, {key: ("F16", shape) for key, shape in shapes[part].items()})
    t5 = {key: shape for key, shape in shapes["text_encoder_3"].items() if key != TIED}
    write("text_encoders/t5xxl_fp8_e4m3fn_scaled", *wan_checkpoint.scaled_to_fp8(t5, lambda name: "Dense" in name or "SelfAttention.relative" not in name
                                                                                  and "SelfAttention." in name))
    write(LLAMA_FILE, *llama_in_fp8(shapes["text_encoder_4"]))
    write("vae/ae", {key: ("F32", tuple(value.shape)) for key, value in ldm_keys.vae_state(parts["vae"]).items()})
    write_t5(tokenizers, os.path.join(folder, "text_encoders", "tokenizer_3"))
    write_llama_tokenizer(tokenizers, os.path.join(folder, "text_encoders", "tokenizer_4"))


def write_t5(tokenizers, folder):
    tokenizers.write_t5(folder)
    padded_tokenizer.pad(folder, T5_TOKENS)


def write_llama_tokenizer(tokenizers, folder):
    tokenizers.write_llama(folder)
    padded_tokenizer.pad(folder, LLAMA["vocab_size"])


def write_llama(tokenizers, folder):
    """Random weights; their scales keep activations near 1."""
    shapes = shapes_of(networks(WORDS)["text_encoder_4"])
    tensors, values = llama_in_fp8(shapes)
    for name in values:
        values[name] = struct.pack("<f", shapes[name.removesuffix("scale_weight") + "weight"][1] ** -0.5)
    wan_checkpoint.write_tensors(os.path.join(folder, LLAMA_FILE + ".safetensors"), tensors, values, wan_checkpoint.Filling())
    write_llama_tokenizer(tokenizers, os.path.join(folder, "text_encoders", "tokenizer_4"))


def write_folder(tokenizers, folder):
    for name, padding in (("tokenizer", tokenizers.EOS), ("tokenizer_2", "!")):
        vocabulary = tokenizers.write_clip(os.path.join(folder, name), pad=padding, max_length=CLIP_LENGTH)
    write_t5(tokenizers, os.path.join(folder, "tokenizer_3"))
    write_llama_tokenizer(tokenizers, os.path.join(folder, "tokenizer_4"))
    write_parts(folder, networks(vocabulary))
    write_index(folder, "HiDreamImagePipeline", CLASSES, SCHEDULER)


def main():
    kind, reference, out = sys.argv[-3:]
    sys.path.insert(0, reference)
    from lib import tokenizers

    make_once(out, lambda folder: (write_llama if kind == "llama" else write_folder)(tokenizers, folder))


if __name__ == "__main__":
    main()
