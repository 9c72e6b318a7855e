#!/usr/bin/env python3
"""The stages of an image with diffusers in fp32 on the CPU, for the speed bench; a line at each begin and end.

    speed_peer.py CHECKPOINT STEPS
    speed_peer.py measure CHECKPOINT

CHECKPOINT is a folder of Stable Diffusion 1.5 in diffusers' layout, or one that xl_checkpoint.py wrote. The second form prints what the table needs in addition to times: floating-point operations of each stage, and how many of them
a large matrix product does in a second of CPU time.
"""

import os
import sys
import time

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("OMP_NUM_THREADS", str(os.cpu_count()))

import torch  # noqa: E402
from diffusers import (  # noqa: E402
    AutoencoderKL,
    DDIMScheduler,
    EulerDiscreteScheduler,
    StableDiffusionXLPipeline,
    UNet2DConditionModel,
)
from transformers import CLIPTextConfig, CLIPTextModel, CLIPTextModelWithProjection  # noqa: E402

PROMPTS = 2
TOKENS = 77
GUIDANCE = 7.5
GEMM_SIDE = 2048
GEMM_ROUNDS = 8


def report(what):
    print(what, flush=True)


class Sd15:
    """Stable Diffusion 1.5 at 512x512."""

    side = 64

    def settings(self, folder):
        """Its networks without weights."""
        with torch.device("meta"):
            self.encoders = [CLIPTextModel(CLIPTextConfig.from_pretrained(folder, subfolder="text_encoder"))]
            self.settings_of_images(folder)

    def settings_of_images(self, folder):
        self.unet = UNet2DConditionModel.from_config(UNet2DConditionModel.load_config(folder, subfolder="unet"))
        self.vae = AutoencoderKL.from_config(AutoencoderKL.load_config(folder, subfolder="vae"))

    def load(self, folder):
        self.encoders = [CLIPTextModel.from_pretrained(folder, subfolder="text_encoder", dtype=torch.float32)]
        self.unet = UNet2DConditionModel.from_pretrained(folder, subfolder="unet", torch_dtype=torch.float32)
        self.vae = AutoencoderKL.from_pretrained(folder, subfolder="vae", torch_dtype=torch.float32)
        self.scheduler = DDIMScheduler.from_pretrained(folder, subfolder="scheduler")

    def encode(self, tokens):
        return {"encoder_hidden_states": self.encoders[0](tokens).last_hidden_state}


class Sdxl(Sd15):
    """Stable Diffusion XL at 1024x1024."""

    side = 128

    def settings(self, folder):
        with torch.device("meta"):
            kinds = {"text_encoder": CLIPTextModel, "text_encoder_2": CLIPTextModelWithProjection}
            self.encoders = [
                kind(CLIPTextConfig.from_pretrained(folder, subfolder=name)) for name, kind in kinds.items()
            ]
            self.settings_of_images(folder)

    def load(self, folder):
        pipeline = StableDiffusionXLPipeline.from_single_file(
            os.path.join(folder, "model.safetensors"), config=folder, local_files_only=True, torch_dtype=torch.float32
        )
        self.encoders = [pipeline.text_encoder, pipeline.text_encoder_2]
        self.unet, self.vae = pipeline.unet, pipeline.vae
        self.scheduler = EulerDiscreteScheduler.from_config(pipeline.scheduler.config)

    def encode(self, tokens):
        outputs = [encoder(tokens, output_hidden_states=True) for encoder in self.encoders]
        size = 8.0 * self.side
        return {
            "encoder_hidden_states": torch.cat([output.hidden_states[-2] for output in outputs], -1),
            "added_cond_kwargs": {
                "text_embeds": outputs[-1].text_embeds,
                "time_ids": torch.tensor([[size, size, 0, 0, size, size]] * PROMPTS),
            },
        }


def networks_of(folder):
    return Sdxl() if os.path.isdir(os.path.join(folder, "text_encoder_2")) else Sd15()


def measure(folder):
    from torch.utils.flop_counter import FlopCounterMode

    networks = networks_of(folder)
    networks.settings(folder)
    side = networks.side
    with torch.device("meta"):
        with FlopCounterMode(display=False) as encoding:
            prompts = networks.encode(torch.zeros(PROMPTS, TOKENS, dtype=torch.long))
        with FlopCounterMode(display=False) as step:
            networks.unet(torch.zeros(PROMPTS, 4, side, side), 1, **prompts)
        with FlopCounterMode(display=False) as decoding:
            networks.vae.decoder(torch.zeros(1, 4, side, side))
    for stage, counter in (("encode", encoding), ("step", step), ("decode", decoding)):
        report(f"flops {stage} {counter.get_total_flops()}")
    a, b = torch.randn(2, GEMM_SIDE, GEMM_SIDE)
    best = 0.0
    for _ in range(GEMM_ROUNDS):
        start = time.process_time()
        torch.mm(a, b)
        best = max(best, 2 * GEMM_SIDE**3 / (time.process_time() - start))
    report(f"peak {best}")


def run(folder, steps):
    networks = networks_of(folder)
    report("load begin")
    networks.load(folder)
    report("load end")
    report("encode begin")
    prompts = networks.encode(torch.arange(PROMPTS * TOKENS).view(PROMPTS, TOKENS) % 800)
    report("encode end")
    scheduler = networks.scheduler
    scheduler.set_timesteps(steps)
    torch.manual_seed(1)
    latents = torch.randn(1, 4, networks.side, networks.side) * scheduler.init_noise_sigma
    for moment in scheduler.timesteps:
        report("step begin")
        inputs = scheduler.scale_model_input(torch.cat([latents] * 2), moment)
        without, guided = networks.unet(inputs, moment, **prompts).sample.chunk(2)
        latents = scheduler.step(without + GUIDANCE * (guided - without), moment, latents).prev_sample
        report("step end")
    report("decode begin")
    image = networks.vae.decode(latents / networks.vae.config.scaling_factor).sample
    report("decode end")
    if not torch.isfinite(image).all():
        sys.exit("the image is no numbers")


@torch.inference_mode()
def main():
    if sys.argv[1] == "measure":
        measure(sys.argv[2])
    else:
        run(sys.argv[1], int(sys.argv[2]))


if __name__ == "__main__":
    main()
