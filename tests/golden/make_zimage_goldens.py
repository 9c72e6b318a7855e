#!/usr/bin/env python3
"""Makes what the tests of Z-Image compare with, once (golden_main.py).

    make_zimage_goldens.py CASES.json FOLDER

golden.py runs with a runner that it lacks.

zimage_0 resembles the Turbo model: it agrees with the constants that a single file cannot express (the axes of a head in the ratio 2:3:3,
theta 256), and the text encoder's config is as published, with rope_theta at the top. zimage_1 resembles the base model: shift 6, a width
above the 256 that modulation is capped at, and a config as transformers 5 writes it.

The transformer takes and gives lists of (16, 1, h, w) and captions of different lengths. Recorded are

    embeds.prompt, embeds.negative   (1, n, d): the n tokens of the prompt without padding, what the layer before the last one makes;
                                     nothing for the negative prompt where guidance is off (cfg 0). All images of a batch have the same.
    model_in.n, model_out.n          (b, 16, h, w), stacked, without the axis of frames. With guidance the pipeline computes both
                                     prompts in one call; they are recorded as two, that of the prompt first. model_out is before
                                     guidance and before the pipeline negates it, noise_pred after both.
    model_t.n                        (b): timesteps, 1000 is noise. The pipeline gives (1000 - t) / 1000 to the network.

A case with an "image" runs the image-to-image pipeline with its strength, one with a "mask" too the inpainting pipeline. Left out there is
what the pipeline computes and does not use: the masked image, and the last latents before the mask is applied. Masks are made of whole
latent pixels.

All else is as reference/README.md describes. cfg is the pipeline's guidance_scale: prompt + cfg * (prompt - negative), off at 0 and not at 1.
"""
import json
import os
import pathlib

from golden_main import golden_arguments, golden_main
from made_once import make_once

END, START, STOP = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
PLAIN = ("<think>", "</think>")  # whole tokens, though not special ones

SPLIT = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
         r"|\s*[\r\n]+|\s+(?!\S)|\s+")

# renders what Qwen3's own does for messages that are text alone
TEMPLATE = ("{%- for message in messages %}{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{%- endfor %}"
            "{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}"
            "{%- if enable_thinking is defined and enable_thinking is false %}{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}{%- endif %}")

BASE = dict(
    merges=600, hidden=64, ff=160, text_layers=4, text_heads=4, text_kv_heads=2, head_dim=32, theta=1000000.0, published=True,
    dim=96, heads=3, layers=3, refiners=2, axes_dims=[8, 12, 12], axes_lens=[1536, 512, 512], rope_theta=256.0, shift=3.0,
)
VARIANTS = [
    dict(),
    dict(merges=450, hidden=96, ff=128, text_layers=3, text_heads=4, text_kv_heads=4, head_dim=16, theta=10000.0, published=False,
         dim=288, heads=6, layers=2, refiners=1, axes_dims=[16, 20, 12], axes_lens=[1024, 512, 512], rope_theta=1000.0, shift=6.0),
]


def write_qwen(folder, vocab_size):
    """The files of a Qwen2 tokenizer with Qwen3's special tokens; returns the number of ids."""
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

    from lib.layout import write_json
    from lib.tokenizers import CORPUS

    os.makedirs(folder, exist_ok=True)
    tok = Tokenizer(models.BPE())
    tok.normalizer = normalizers.NFC()
    tok.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLIT), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    tok.decoder = decoders.ByteLevel()
    tok.train_from_iterator(CORPUS, trainers.BpeTrainer(
        vocab_size=vocab_size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False))
    tok.model.save(folder)  # vocab.json and merges.txt
    tok.add_special_tokens([END, START, STOP])
    tok.add_tokens([AddedToken(text, normalized=False) for text in PLAIN])
    tok.save(os.path.join(folder, "tokenizer.json"))
    added = {
        str(tok.token_to_id(text)): dict(content=text, lstrip=False, normalized=False, rstrip=False, single_word=False,
                                         special=text not in PLAIN)
        for text in (END, START, STOP, *PLAIN)
    }
    write_json(os.path.join(folder, "tokenizer_config.json"), {
        "add_bos_token": False, "add_prefix_space": False, "added_tokens_decoder": added,
        "additional_special_tokens": [START, STOP], "bos_token": None, "chat_template": TEMPLATE,
        "clean_up_tokenization_spaces": False, "eos_token": STOP, "errors": "replace", "model_max_length": 131072, "pad_token": END,
        "split_special_tokens": False, "tokenizer_class": "Qwen2Tokenizer", "unk_token": None,
    })
    return tok.get_vocab_size()


def make_text_encoder(folder, spec, vocab, seed):
    from transformers import Qwen3Config, Qwen3ForCausalLM

    from lib import layout
    from lib.weights import randomise

    model = Qwen3ForCausalLM(Qwen3Config(
        vocab_size=(vocab + 63) // 64 * 64, hidden_size=spec["hidden"], intermediate_size=spec["ff"],
        num_hidden_layers=spec["text_layers"], num_attention_heads=spec["text_heads"], num_key_value_heads=spec["text_kv_heads"],
        head_dim=spec["head_dim"], max_position_embeddings=40960, rms_norm_eps=1e-6, tie_word_embeddings=True,
        rope_parameters={"rope_type": "default", "rope_theta": spec["theta"]},
    ))
    layout.save_model(randomise(model, seed), folder)
    if spec["published"]:
        path = pathlib.Path(folder) / "config.json"
        config = json.loads(path.read_text())
        theta = config.pop("rope_parameters")["rope_theta"]
        config.pop("layer_types")
        layout.write_json(str(path), {**config, "rope_scaling": None, "rope_theta": theta})


def make_zimage(folder, variant):
    from diffusers import AutoencoderKL, ZImageTransformer2DModel

    from lib import layout
    from lib.weights import randomise

    spec, seed = BASE | VARIANTS[variant], 90
    vocab = write_qwen(os.path.join(folder, "tokenizer"), spec["merges"])
    make_text_encoder(os.path.join(folder, "text_encoder"), spec, vocab, seed)
    transformer = ZImageTransformer2DModel(
        in_channels=16, dim=spec["dim"], n_layers=spec["layers"], n_refiner_layers=spec["refiners"], n_heads=spec["heads"],
        n_kv_heads=spec["heads"], cap_feat_dim=spec["hidden"], rope_theta=spec["rope_theta"], axes_dims=spec["axes_dims"],
        axes_lens=spec["axes_lens"],
    )
    layout.save_model(randomise(transformer, seed + 1), os.path.join(folder, "transformer"))
    vae = AutoencoderKL(
        in_channels=3, out_channels=3, latent_channels=16, down_block_types=["DownEncoderBlock2D"] * 4,
        up_block_types=["UpDecoderBlock2D"] * 4, block_out_channels=(16, 32, 32, 32), norm_num_groups=8, layers_per_block=1,
        scaling_factor=0.3611, shift_factor=0.1159, use_quant_conv=False, use_post_quant_conv=False, force_upcast=True,
    )
    layout.save_model(randomise(vae, seed + 2), os.path.join(folder, "vae"))
    layout.save_scheduler(
        folder, "FlowMatchEulerDiscreteScheduler", num_train_timesteps=1000, shift=spec["shift"], use_dynamic_shifting=False
    )
    layout.save_index(folder, "ZImagePipeline", {
        "scheduler": ("diffusers", "FlowMatchEulerDiscreteScheduler"),
        "text_encoder": ("transformers", "Qwen3Model"),
        "tokenizer": ("transformers", "Qwen2Tokenizer"),
        "transformer": ("diffusers", "ZImageTransformer2DModel"),
        "vae": ("diffusers", "AutoencoderKL"),
    })


def watch_transformer(rec, transformer, batch):
    """golden.py's watch_denoiser, for lists of images."""
    import torch

    def after(args, kwargs, result):
        seen, made = (torch.stack(images).squeeze(2) for images in (args[0], result[0]))
        for side in range(0, len(seen), batch):
            part = slice(side, side + batch)
            rec.put_next("model_in", seen[part])
            rec.put_next("model_t", (1000 - 1000 * args[1].double()[part]).float())
            rec.put_next("model_out", made[part])

    rec.wrap(transformer, "forward", after)


def make_images(folder):
    from PIL import Image, ImageDraw

    from lib.images import test_image

    folder.mkdir(parents=True)
    for name, size, seed in (("square", (64, 64), 11), ("wide", (96, 64), 12)):
        mask = Image.new("L", size, 0)
        draw = ImageDraw.Draw(mask)
        draw.rectangle((16, 24, 47, 55), fill=255)
        draw.rectangle((size[0] - 16, 0, size[0] - 1, 15), fill=255)
        test_image(*size, seed).save(folder / f"{name}.png")
        mask.save(folder / f"{name}_mask.png")


def images_of(golden, case, folder):
    """What the pipelines take that begin with an image."""
    if "image" not in case:
        return {}
    images = {"image": golden.load_image(f"{folder}/images/{case['image']}.png"), "strength": case["strength"]}
    if case.get("mask"):
        from PIL import Image

        images["mask_image"] = Image.open(f"{folder}/images/{case['image']}_mask.png")
    return images


def run_pipeline(golden, case, folder, pipelines, watch, call_of):
    """A runner: with the pipeline that the case wants of those called `pipelines`, watched by watch(rec, golden, pipe, args, size)."""

    def run(args, rec):
        import diffusers
        import torch

        from lib import schedulers

        images = images_of(golden, case, folder)
        kind = "Inpaint" if "mask_image" in images else "Img2Img" if images else ""
        pipe = getattr(diffusers, f"{pipelines}{kind}Pipeline").from_pretrained(args.checkpoint)
        if args.scheduler:
            pipe.scheduler = schedulers.build(args.scheduler, pipe.scheduler.config)
        pipe.set_progress_bar_config(disable=True)
        size = images["image"].size if images else (args.width, args.height)
        watch(rec, golden, pipe, args, size)
        rec.wrap_random_draws()
        call = dict(prompt=args.prompt, num_inference_steps=args.steps, num_images_per_prompt=args.batch,
                    generator=torch.Generator("cpu").manual_seed(args.seed), output_type="pt", width=size[0], height=size[1], **images)
        image = golden.timed(rec, pipe, call | call_of(args, case)).images
        rec.unwrap()
        golden.finish(rec, pipe, image)
        if kind == "Inpaint":
            for key in ("latents.final", "vae.encode_in.001", "vae.moments.001"):
                del rec.tensors[key]

    return run


def make_all(make_checkpoint, pipelines, watch, call_of):
    """What a script with this module does: make_checkpoint(folder, variant) makes a checkpoint, run_pipeline() runs the cases."""

    def make(cases, folder):
        for name in sorted({case["checkpoint"] for case in cases}):
            make_once(folder / "checkpoints" / name,
                      lambda partial, name=name: make_checkpoint(str(partial), int(name.rsplit("_", 1)[1])))
        make_once(folder / "images", make_images)

    def run(golden, case, folder):
        golden.RUNNERS[pipelines + "Pipeline"] = run_pipeline(golden, case, folder, pipelines, watch, call_of)
        golden.main(golden_arguments(case, folder))

    golden_main(make, run)


def watch(rec, golden, pipe, args, size):
    golden.watch_tokenizer(rec, pipe, "tokenizer", "")
    golden.watch_scheduler(rec, pipe)
    watch_transformer(rec, pipe.transformer, args.batch)
    golden.watch_vae(rec, pipe)
    rec.wrap(pipe, "encode_prompt", lambda a, k, r: [rec.put("embeds." + key, value[0][None])
                                                     for key, value in zip(("prompt", "negative"), r) if value])
    rec.wrap(pipe, "prepare_latents", lambda a, k, r: rec.put("latents.init", r[0] if isinstance(r, tuple) else r))


def call_of(args, case):
    return dict(negative_prompt=args.negative, guidance_scale=args.cfg)


if __name__ == "__main__":
    make_all(make_zimage, "ZImage", watch, call_of)
