#!/usr/bin/env python3
"""Makes what the tests of WAN compare with, once (golden_main.py).

    make_wan_goldens.py CASES.json FOLDER

FOLDER/checkpoints/wan_i2v_K are the reference's variants of image to video, wan_t2v_K the same text encoder and autoencoder with a
transformer that sees no image, wan_flf_K those of image to video with one that positions the tokens of two images, wan22_t2v_K and
wan22_i2v_K the same with two noise models, which see an image only next to the latents. FOLDER/images has images.
"""
import json
import shutil
from unittest.mock import patch

from golden_main import golden_arguments, golden_main, make_of_reference
from made_once import make_once


def make_text_to_video(source, target):
    from diffusers import WanTransformer3DModel

    from lib import layout
    from lib.weights import randomise

    shutil.copytree(source, target, ignore=shutil.ignore_patterns("transformer", "image_encoder", "image_processor"))
    config = json.loads((source / "transformer" / "config.json").read_text())
    known = {key: value for key, value in config.items() if not key.startswith("_")}
    known.update(in_channels=16, image_dim=None, added_kv_proj_dim=None)
    layout.save_model(randomise(WanTransformer3DModel(**known), 78), target / "transformer")
    index = json.loads((target / "model_index.json").read_text())
    index = {key: value for key, value in index.items() if not key.startswith("image_")}
    (target / "model_index.json").write_text(json.dumps({**index, "_class_name": "WanPipeline"}))


def make_first_and_last(source, target):
    from diffusers import WanTransformer3DModel

    from lib import layout
    from lib.weights import randomise

    shutil.copytree(source, target, ignore=shutil.ignore_patterns("transformer"))
    config = json.loads((source / "transformer" / "config.json").read_text())
    vision = json.loads((source / "image_encoder" / "config.json").read_text())
    tokens = (vision["image_size"] // vision["patch_size"]) ** 2 + 1
    known = {key: value for key, value in config.items() if not key.startswith("_")}
    known.update(pos_embed_seq_len=2 * tokens)
    layout.save_model(randomise(WanTransformer3DModel(**known), 79), target / "transformer")


def make_two_denoisers(source, target):
    from diffusers import WanTransformer3DModel

    from lib import layout
    from lib.weights import randomise

    shutil.copytree(source, target, ignore=shutil.ignore_patterns("transformer", "image_encoder"))
    config = json.loads((source / "transformer" / "config.json").read_text())
    known = {key: value for key, value in config.items() if not key.startswith("_")}
    known.update(image_dim=None, added_kv_proj_dim=None)
    for folder, seed in (("transformer", 80), ("transformer_2", 81)):
        layout.save_model(randomise(WanTransformer3DModel(**known), seed), target / folder)
    index = json.loads((target / "model_index.json").read_text())
    index.pop("image_encoder", None)  # the processor is kept: golden.py watches it
    index.update(transformer_2=["diffusers", "WanTransformer3DModel"], boundary_ratio=0.9 if known["in_channels"] > 16 else 0.875)
    (target / "model_index.json").write_text(json.dumps(index))


def make_checkpoint_named(name, checkpoints):
    kind, number = name.rsplit("_", 1)
    if kind == "wan_i2v":
        make_of_reference(checkpoints / name, kind, "--variant", number)
    else:
        base = ("wan_t2v_" if kind == "wan22_t2v" else "wan_i2v_") + number
        make_checkpoint_named(base, checkpoints)
        derive = {"wan_t2v": make_text_to_video, "wan_flf": make_first_and_last}.get(kind, make_two_denoisers)
        make_once(checkpoints / name, lambda partial: derive(checkpoints / base, partial))


def run_text_to_video(golden):
    """golden.py knows image to video alone."""

    def run(args, rec):
        import torch
        from diffusers import WanPipeline

        from lib import schedulers

        pipe = WanPipeline.from_pretrained(args.checkpoint)
        if args.scheduler:
            pipe.scheduler = schedulers.build(args.scheduler, pipe.scheduler.config)
        pipe.set_progress_bar_config(disable=True)
        golden.watch_tokenizer(rec, pipe, "tokenizer", "")
        golden.watch_text_encoder(rec, pipe, "text_encoder")
        golden.watch_scheduler(rec, pipe)
        golden.watch_denoiser(rec, pipe, "transformer")
        golden.watch_vae(rec, pipe)
        rec.wrap(pipe, "encode_prompt", lambda a, k, r: [rec.put("embeds." + key, value)
                                                         for key, value in zip(("prompt", "negative"), r)])
        rec.wrap(pipe, "prepare_latents", lambda a, k, r: rec.put("latents.init", r))
        rec.wrap_random_draws()
        call = dict(prompt=args.prompt, negative_prompt=args.negative, height=args.height, width=args.width,
                    num_frames=args.frames, num_inference_steps=args.steps, guidance_scale=args.cfg,
                    generator=torch.Generator("cpu").manual_seed(args.seed), max_sequence_length=512, output_type="pt")
        video = golden.timed(rec, pipe, call).frames
        rec.unwrap()
        golden.finish(rec, pipe, video)

    return run


def give_trailing_levels(scheduler):
    """The levels 1, 1 - 1/N ... before they are shifted, as WAN's own code and its LoRAs of few steps have them; the pipeline gives none."""
    import numpy

    original = scheduler.set_timesteps
    scheduler.set_timesteps = lambda steps, device=None: original(sigmas=numpy.linspace(1.0, 1 / steps, steps), device=device)


def with_extras(golden, timed, case, folder):
    """What golden.py does not know: the last image of a video, a second denoiser, levels that are given, and diffusers' First Block Cache."""

    def run(rec, pipe, call):
        from diffusers import FirstBlockCacheConfig

        if case.get("given") == "trailing":
            give_trailing_levels(pipe.scheduler)

        if "threshold" in case:
            pipe.transformer.enable_cache(FirstBlockCacheConfig(threshold=case["threshold"]))
        if getattr(pipe, "transformer_2", None) is not None:
            golden.watch_denoiser(rec, pipe, "transformer_2")
            call["guidance_scale_2"] = case.get("cfg_2")
        if "last" in case:
            call["last_image"] = golden.load_image(f"{folder}/images/{case['last']}.png")
        return timed(rec, pipe, call)

    return run


def arguments_of(case, folder):
    arguments = [*golden_arguments(case, folder), f"--frames={case['frames']}"]
    if "image" in case:
        arguments.append(f"--init-image={folder}/images/{case['image']}.png")
    return arguments


def make(cases, folder):
    for name in sorted({case["checkpoint"] for case in cases}):
        make_checkpoint_named(name, folder / "checkpoints")
    make_of_reference(folder / "images", "images")


def run(golden, case, folder):
    golden.RUNNERS["WanPipeline"] = run_text_to_video(golden)
    with patch.object(golden, "timed", with_extras(golden, golden.timed, case, folder)):
        golden.main(arguments_of(case, folder))


if __name__ == "__main__":
    golden_main(make, run)
