#!/usr/bin/env python3
"""A video of WAN with diffusers on the CPU, for its bench; a line at each begin and end of a stage.

    wan_peer.py run FOLDER STEPS WIDTH HEIGHT FRAMES
    wan_peer.py MODE FOLDER STEPS WIDTH HEIGHT FRAMES SECONDS GIB

The first form makes a video in f32 from a folder of wan_checkpoint.py. The second takes steps of a denoiser in scaled fp8 by diffusers' group
offload, leaf by leaf, through files in a temporary folder of the disk: MODE is `group-disk-bf16`, or `group-disk-fp8`, which casts layers
when they run. It ends with an error after SECONDS, or where it wants more than GIB of memory that is no file's.
"""

import os
import resource
import signal
import sys
import tempfile

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))

import torch  # noqa: E402
from diffusers import WanPipeline, WanTransformer3DModel  # noqa: E402

PROMPT = "a fox runs through the snow"
GUIDANCE = 5.0
TOKENS = 512
SPACE, TIME = 8, 4


def report(what):
    print(what, flush=True)


def latents_of(transformer, width, height, frames, dtype):
    torch.manual_seed(1)
    return torch.randn(1, transformer.config.in_channels, (frames - 1) // TIME + 1, height // SPACE, width // SPACE, dtype=dtype)


def steps(transformer, scheduler, latents, prompts, count):
    scheduler.set_timesteps(count)
    for moment in scheduler.timesteps:
        report("step begin")
        guided, without = (transformer(latents, moment[None], encoder_hidden_states=prompt).sample for prompt in prompts)
        latents = scheduler.step(without + GUIDANCE * (guided - without), moment, latents).prev_sample
        report("step end")
    if not torch.isfinite(latents.float()).all():
        sys.exit("the latents are no numbers")
    return latents


def run(folder, count, width, height, frames):
    report("load begin")
    pipeline = WanPipeline.from_pretrained(folder, torch_dtype=torch.float32)
    report("load end")
    report("encode begin")
    prompts = pipeline.encode_prompt(PROMPT, "", max_sequence_length=TOKENS)
    report("encode end")
    latents = latents_of(pipeline.transformer, width, height, frames, torch.float32)
    latents = steps(pipeline.transformer, pipeline.scheduler, latents, prompts, count)
    report("decode begin")
    config = pipeline.vae.config
    deviation, mean = (torch.tensor(values).view(1, -1, 1, 1, 1) for values in (config.latents_std, config.latents_mean))
    video = pipeline.vae.decode(latents * deviation + mean).sample
    report("decode end")
    if not torch.isfinite(video).all():
        sys.exit("the video is no numbers")


def in_groups(mode, folder, scratch, dtype):
    stored = torch.float8_e4m3fn if mode.endswith("fp8") else dtype
    file = os.path.join(folder, "diffusion_model.safetensors")
    transformer = WanTransformer3DModel.from_single_file(file, config=os.path.join(folder, "transformer"), torch_dtype=stored)
    if stored != dtype:
        transformer.enable_layerwise_casting(storage_dtype=stored, compute_dtype=dtype)
    transformer.enable_group_offload(onload_device=torch.device("cpu"), offload_type="leaf_level", offload_to_disk_path=scratch)
    return transformer


def main():
    mode, folder = sys.argv[1:3]
    count, width, height, frames = map(int, sys.argv[3:7])
    with torch.inference_mode():
        if mode == "run":
            return run(folder, count, width, height, frames)
        from diffusers import UniPCMultistepScheduler

        limit, memory = map(int, sys.argv[7:])
        signal.signal(signal.SIGALRM, lambda *_: sys.exit(f"it was not done after {limit} s"))
        signal.alarm(limit)
        resource.setrlimit(resource.RLIMIT_DATA, (memory << 30, memory << 30))
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            transformer = in_groups(mode, folder, scratch, torch.bfloat16)
            latents = latents_of(transformer, width, height, frames, torch.bfloat16)
            prompts = torch.randn(2, 1, TOKENS, transformer.config.text_dim, dtype=torch.bfloat16)
            scheduler = UniPCMultistepScheduler(prediction_type="flow_prediction", use_flow_sigmas=True, flow_shift=3.0)
            steps(transformer, scheduler, latents, prompts, count)


if __name__ == "__main__":
    main()
