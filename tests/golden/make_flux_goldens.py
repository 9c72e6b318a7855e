#!/usr/bin/env python3
"""Makes what the tests of FLUX.1 compare with, once (golden_main.py).

    make_flux_goldens.py CASES.json FOLDER

golden.py runs with a runner that it lacks.

flux_0 resembles dev: it reads its guidance as a number, and its shift follows the size. flux_1 resembles schnell: it reads no guidance, its
shift is 1, and its heads are rotated otherwise than a single file can express.

The pipeline keeps squares of 2 x 2 latent pixels as tokens; all recorded latents are unpacked, (b, 16, h, w). Recorded are

    embeds.prompt, embeds.negative   (1, length, d): T5's states of all tokens, padding too
    pooled.prompt, pooled.negative   (1, d): CLIP's vector
    model_in.n, model_out.n          with guidance by a negative prompt two for each step, that of the prompt first; before guidance
    model_t.n                        (b): timesteps, 1000 is noise. The pipeline gives a thousandth to the network.

cfg is the pipeline's true_cfg_scale; a case has a negative prompt there where it is above 1. guidance is guidance_scale, length
max_sequence_length. A case with an "image" runs the image-to-image pipeline with its strength, one with a "mask" too the inpainting pipeline.
All else is as reference/README.md describes.
"""
import os

from make_zimage_goldens import make_all

BASE = dict(
    clip=32, t5=40, t5_layers=2, layers=2, singles=2, heads=3, head_dim=32, axes=(4, 14, 14), guidance=True,
    scheduler=dict(shift=3.0, use_dynamic_shifting=True, base_shift=0.5, max_shift=1.15, base_image_seq_len=256, max_image_seq_len=4096),
)
VARIANTS = [
    dict(),
    dict(clip=48, t5=48, t5_layers=3, layers=1, singles=3, heads=4, head_dim=16, axes=(4, 4, 8), guidance=False,
         scheduler=dict(shift=1.0, use_dynamic_shifting=False, base_shift=0.5, max_shift=1.15, base_image_seq_len=256,
                        max_image_seq_len=4096)),
]


def make_texts(folder, spec, seed):
    from transformers import CLIPTextConfig, CLIPTextModel, T5Config, T5EncoderModel

    from lib import layout, tokenizers
    from lib.weights import randomise

    vocab = tokenizers.write_clip(os.path.join(folder, "tokenizer"), 2000, tokenizers.EOS, 77)
    clip = CLIPTextModel(CLIPTextConfig(
        vocab_size=vocab, hidden_size=spec["clip"], intermediate_size=2 * spec["clip"], num_hidden_layers=2, num_attention_heads=4,
        max_position_embeddings=77, hidden_act="quick_gelu", bos_token_id=0, eos_token_id=2, pad_token_id=1,
    ))
    layout.save_text_model(randomise(clip, seed), os.path.join(folder, "text_encoder"))
    vocab = tokenizers.write_t5(os.path.join(folder, "tokenizer_2"))
    t5 = T5EncoderModel(T5Config(
        vocab_size=vocab + 5, d_model=spec["t5"], d_kv=10, num_heads=4, d_ff=80, num_layers=spec["t5_layers"],
        feed_forward_proj="gated-gelu", dropout_rate=0.0,
    ))
    t5 = randomise(t5, seed + 1, gains={"SelfAttention.q.": 10**-0.5})
    layout.save_model(t5, os.path.join(folder, "text_encoder_2"))


def make_flux(folder, variant):
    from diffusers import AutoencoderKL, FluxTransformer2DModel

    from lib import layout
    from lib.weights import randomise

    spec, seed = BASE | VARIANTS[variant], 120
    make_texts(folder, spec, seed)
    transformer = FluxTransformer2DModel(
        patch_size=1, in_channels=64, num_layers=spec["layers"], num_single_layers=spec["singles"], attention_head_dim=spec["head_dim"],
        num_attention_heads=spec["heads"], joint_attention_dim=spec["t5"], pooled_projection_dim=spec["clip"],
        guidance_embeds=spec["guidance"], axes_dims_rope=spec["axes"],
    )
    layout.save_model(randomise(transformer, seed + 2), os.path.join(folder, "transformer"))
    vae = AutoencoderKL(
        in_channels=3, out_channels=3, latent_channels=16, down_block_types=["DownEncoderBlock2D"] * 4,
        up_block_types=["UpDecoderBlock2D"] * 4, block_out_channels=(16, 32, 32, 32), norm_num_groups=8, layers_per_block=1,
        scaling_factor=0.3611, shift_factor=0.1159, use_quant_conv=False, use_post_quant_conv=False, force_upcast=True,
    )
    layout.save_model(randomise(vae, seed + 3), os.path.join(folder, "vae"))
    layout.save_scheduler(folder, "FlowMatchEulerDiscreteScheduler", num_train_timesteps=1000, **spec["scheduler"])
    layout.save_index(folder, "FluxPipeline", {
        "scheduler": ("diffusers", "FlowMatchEulerDiscreteScheduler"),
        "text_encoder": ("transformers", "CLIPTextModel"),
        "text_encoder_2": ("transformers", "T5EncoderModel"),
        "tokenizer": ("transformers", "CLIPTokenizer"),
        "tokenizer_2": ("transformers", "T5TokenizerFast"),
        "transformer": ("diffusers", "FluxTransformer2DModel"),
        "vae": ("diffusers", "AutoencoderKL"),
    })


def unpacked(tokens, size):
    """(b, t, 64) -> (b, 16, h, w) of an image."""
    width, height = size[0] // 16, size[1] // 16
    batch, _, channels = tokens.shape
    return tokens.view(batch, height, width, channels // 4, 2, 2).permute(0, 3, 1, 4, 2, 5).reshape(batch, channels // 4, 2 * height, 2 * width)


def watch(rec, golden, pipe, args, size):
    """golden.py's watchers, of tokens."""
    import torch

    def after_forward(args, kwargs, result):
        rec.put_next("model_in", unpacked(kwargs["hidden_states"], size))
        rec.put_next("model_t", (1000 * kwargs["timestep"].double()).float())
        rec.put_next("model_out", unpacked(golden.first(result), size))

    def after_step(args, kwargs, result):
        rec.put_next("noise_pred", unpacked(args[0], size))
        rec.put_next("latents.step", unpacked(golden.first(result), size))

    def after_timesteps(args, kwargs, result):
        rec.put("timesteps", pipe.scheduler.timesteps)
        rec.put("sigmas", pipe.scheduler.sigmas)
        rec.put("init_noise_sigma", torch.tensor(1.0))

    sides = ["prompt", "negative"]

    def after_prompt(args, kwargs, result):
        side = sides.pop(0)
        rec.put("embeds." + side, result[0][:1])
        rec.put("pooled." + side, result[1][:1])

    golden.watch_tokenizer(rec, pipe, "tokenizer", "")
    golden.watch_tokenizer(rec, pipe, "tokenizer_2", "_2")
    golden.watch_text_encoder(rec, pipe, "text_encoder")
    golden.watch_text_encoder(rec, pipe, "text_encoder_2")
    rec.wrap(pipe.transformer, "forward", after_forward)
    rec.wrap(pipe.scheduler, "step", after_step)
    rec.wrap(pipe.scheduler, "set_timesteps", after_timesteps)
    rec.wrap(pipe, "encode_prompt", after_prompt)
    rec.wrap(pipe, "prepare_latents", lambda a, k, r: rec.put("latents.init", unpacked(r[0], size)))
    golden.watch_vae(rec, pipe)


def call_of(args, case):
    call = dict(guidance_scale=case.get("guidance", 3.5), true_cfg_scale=args.cfg)
    if args.cfg > 1:
        call["negative_prompt"] = args.negative
    names = (("length", "max_sequence_length"), ("prompt_2", "prompt_2"), ("negative_2", "negative_prompt_2"))
    return call | {name: case[key] for key, name in names if key in case}


if __name__ == "__main__":
    make_all(make_flux, "Flux", watch, call_of)
