#!/usr/bin/env python3
"""Makes what imported workflows are compared with, once (golden_main.py): diffusers' networks in a loop that samples as ComfyUI's KSampler does.

    make_workflow_goldens.py CASES.json FOLDER

The workflow of a case is one of ComfyUI's editor; its values are read here. Levels and samplers are own code, by the description of ComfyUI 0.33.0's
that docs/coming_from.md states, and by their papers: DPM-Solver++ 2M (arXiv 2211.01095), RES (2308.02157) and UniPC (2302.04867). They were compared
with complete runs of ComfyUI around a function in place of a network; tests/unit/sampling/comfyui_numbers.safetensors.xz has such runs.

FOLDER/<case>.safetensors has what a dump of the run has of the denoiser and the decoder, by the names of reference/README.md.
"""
import math

from golden_main import golden_main
from made_once import make_once

KEPT = 1000  # levels of a trained model
END = 0.001  # where UniPC ends, which takes the logarithm


def values_of(workflow, kind):
    """The values of each node of a class, in the order of the file."""
    return [node["widgets_values"] for node in workflow["nodes"] if node["type"] == kind]


def first_of(workflow, *kinds):
    return next(values for kind in kinds for values in values_of(workflow, kind))


# -- levels ---------------------------------------------------------------------------------------------------------------------------------
def trained_levels(shift=None):
    """Ascending: of Stable Diffusion, or of a flow with a shift."""
    import torch

    if shift:
        times = torch.arange(1, KEPT + 1, dtype=torch.float64) / KEPT
        return shift * times / (1 + (shift - 1) * times)
    betas = torch.linspace(0.00085**0.5, 0.012**0.5, KEPT, dtype=torch.float64) ** 2
    kept = torch.cumprod(1 - betas, 0)
    return ((1 - kept) / kept).sqrt()


def simple(trained, steps):
    return [float(trained[-(1 + k * KEPT // steps)]) for k in range(steps)]


def karras(trained, steps):
    low, high = float(trained[0]) ** (1 / 7), float(trained[-1]) ** (1 / 7)
    return [(high + k / (steps - 1) * (low - high)) ** 7 for k in range(steps)]


def levels_of(sampler, schedule, trained, steps):
    """UniPC schedules a step more and leaves the last level above 0 out."""
    levels = {"simple": simple, "karras": karras}[schedule](trained, steps + (sampler == "uni_pc"))
    return (levels[:-1] if sampler == "uni_pc" else levels) + [0.0]


# -- samplers: clean(x, sigma) asks the network for clean latents -----------------------------------------------------------------------------
def dpmpp_2m(clean, x, levels):
    before = length_before = None
    for now, to in zip(levels, levels[1:]):
        made = clean(x, now)
        if to == 0:
            return made
        length = math.log(now / to)
        guess = made if before is None else made + (made - before) * length / (2 * length_before)
        x = to / now * x - math.expm1(-length) * guess
        before, length_before = made, length


def res_multistep(clean, x, levels):
    before = level_before = None
    for now, to in zip(levels, levels[1:]):
        made = clean(x, now)
        if to == 0:
            return made
        if before is None:
            x = x + (x - made) / now * (to - now)
        else:
            length = math.log(now / to)
            first = math.expm1(-length) / -length
            second = (first - 1) / -length
            ratio = math.log(now / level_before) / length
            x = math.exp(-length) * x + length * ((first - second / ratio) * made + second / ratio * before)
        before, level_before = made, now


def unipc_parts(length, ratios):
    """The system that the weights of differences solve: rows of powers, and what they give."""
    rows, given, phi, factorial = [], [], math.expm1(-length) / -length - 1, 1.0
    for power in range(len(ratios)):
        rows.append([ratio**power for ratio in ratios])
        given.append(phi * factorial / -length)
        factorial *= power + 2
        phi = phi / -length - 1 / factorial
    return rows, given


def uni_pc(clean, x, levels):
    """On latents that keep their variance; B = -h."""
    import numpy

    signal = [1 / math.sqrt(1 + level * level) for level in levels[:-1] + [END]]
    levels = levels[:-1] + [END]
    steps = len(levels) - 1
    x = x * signal[0]
    made = [clean(x / signal[0], levels[0])]  # newest last
    for i in range(1, steps + 1):
        order = min(3, steps - 1, i, steps + 1 - i)
        now, to = levels[i - 1], levels[i]
        length = math.log(now / to)
        ratios = [math.log(now / levels[i - 1 - j]) / length for j in range(1, order)]
        differences = [(made[-1 - j] - made[-1]) / ratio for j, ratio in enumerate(ratios, 1)]
        base = x * (to * signal[i]) / (now * signal[i - 1]) - signal[i] * math.expm1(-length) * made[-1]
        rows, given = unipc_parts(length, ratios + [1.0])
        inner = [row[:-1] for row in rows[:-1]]
        weights = [0.5] if order == 2 else numpy.linalg.solve(inner, given[:-1]) if order > 2 else []
        scale = signal[i] * -length
        x = base - scale * sum((float(w) * d for w, d in zip(weights, differences)), 0 * base)
        if i < steps:
            newest = clean(x / signal[i], to)
            weights = [0.5] if order == 1 else numpy.linalg.solve(rows, given)
            all_of = differences + [newest - made[-1]]
            x = base - scale * sum((float(w) * d for w, d in zip(weights, all_of)), 0 * base)
            made.append(newest)
    return x / signal[-1]


SAMPLERS = {"dpmpp_2m": dpmpp_2m, "res_multistep": res_multistep, "uni_pc": uni_pc}


# -- networks -------------------------------------------------------------------------------------------------------------------------------
class Sdxl:
    pipeline, channels, compression = "StableDiffusionXLPipeline", 4, ()

    def __init__(self, rec, pipe, prompts, size, cfg):
        import torch

        self.rec, self.pipe, self.cfg = rec, pipe, cfg
        self.trained = trained_levels()
        prompt, negative, pooled, negative_pooled = pipe.encode_prompt(prompts[0], negative_prompt=prompts[1])
        ids = torch.tensor([[size[1], size[0], 0, 0, size[1], size[0]]], dtype=torch.float32)
        self.words = torch.cat([negative, prompt])
        self.added = {"text_embeds": torch.cat([negative_pooled, pooled]), "time_ids": ids.repeat(2, 1)}

    def times(self, levels):
        import torch

        return torch.stack([(self.trained.log() - math.log(level)).abs().argmin() for level in levels])

    def begin(self, noise, level):
        return noise * math.sqrt(1 + level * level)

    def clean(self, x, level):
        import torch

        shown, time = torch.cat([x, x]) / math.sqrt(1 + level * level), self.times([level])[0]
        made = self.pipe.unet(shown, time, encoder_hidden_states=self.words, added_cond_kwargs=self.added, return_dict=False)[0]
        for key, value in (("model_in", shown), ("model_t", time), ("model_out", made)):
            self.rec.put_next(key, value)
        uncond, cond = made.chunk(2)
        guided = uncond + self.cfg * (cond - uncond)
        self.rec.put_next("noise_pred", guided)
        return x - level * guided

    def end(self, x, levels):
        return x

    def unscaled(self, latents):
        return latents / self.pipe.vae.config.scaling_factor

    def image_of(self, decoded):
        return self.pipe.image_processor.postprocess(decoded, output_type="pt")


class Flow(Sdxl):
    """One call for each prompt."""

    sign = 1

    def __init__(self, rec, pipe, prompts, size, cfg):
        self.rec, self.pipe, self.cfg = rec, pipe, cfg
        self.words = self.encoded(*prompts)

    def times(self, levels):
        import torch

        return torch.tensor(levels, dtype=torch.float32) * 1000

    def begin(self, noise, level):
        return noise * level

    def clean(self, x, level):
        time = self.times([level]).expand(x.shape[0])
        made = []
        for words in self.words:
            self.rec.put_next("model_in", x)
            self.rec.put_next("model_t", time)
            made.append(self.velocity(x, time, words))
            self.rec.put_next("model_out", made[-1])
        guided = self.sign * (made[1] + self.cfg * (made[0] - made[1]))
        self.rec.put_next("noise_pred", guided)
        return x - level * guided

    def end(self, x, levels):
        return x / (1 - levels[-1])


class ZImage(Flow):
    pipeline, channels, sign = "ZImagePipeline", 16, -1

    def encoded(self, prompt, negative):
        made = self.pipe.encode_prompt(prompt, negative_prompt=negative)
        return [words[0] for words in made]

    def velocity(self, x, time, words):
        import torch

        images = list(x.unsqueeze(2).unbind(0))
        return torch.stack(self.pipe.transformer(images, (1000 - time) / 1000, [words] * len(images), return_dict=False)[0]).squeeze(2)

    def unscaled(self, latents):
        vae = self.pipe.vae.config
        return latents / vae.scaling_factor + vae.shift_factor


class Wan(Flow):
    pipeline, channels = "WanPipeline", 16

    def encoded(self, prompt, negative):
        return self.pipe.encode_prompt(prompt, negative, max_sequence_length=512)

    def velocity(self, x, time, words):
        return self.pipe.transformer(hidden_states=x, timestep=time, encoder_hidden_states=words, return_dict=False)[0]

    def unscaled(self, latents):
        import torch

        vae = self.pipe.vae.config
        mean, deviation = (torch.tensor(values).view(1, -1, 1, 1, 1) for values in (vae.latents_mean, vae.latents_std))
        return latents * deviation + mean

    def image_of(self, decoded):
        return self.pipe.video_processor.postprocess_video(decoded, output_type="pt")


NETWORKS = {"sdxl": Sdxl, "zimage": ZImage, "wan": Wan}


def latent_shape(network, size):
    """`size`: width, height, and a batch, or frames and a batch."""
    width, height, *frames, batch = size
    return [batch, network.channels, *((each - 1) // 4 + 1 for each in frames), height // 8, width // 8]


def sample(rec, network, shape, values):
    import torch

    seed, _, steps, _, sampler, schedule, _ = values
    levels = levels_of(sampler, schedule, network.trained, steps)
    levels = [float(level) for level in torch.tensor(levels, dtype=torch.float32)]
    ends = levels[:-1] + [END if sampler == "uni_pc" else 0.0]
    rec.put("sigmas", torch.tensor(ends))
    rec.put("timesteps", network.times(levels[:-1]))
    noise = torch.randn(shape, generator=torch.Generator("cpu").manual_seed(seed))
    rec.put_next("random", noise)
    x = network.begin(noise, levels[0])
    rec.put("latents.init", x)
    return network.end(SAMPLERS[sampler](network.clean, x, levels), ends)


def run_case(golden, case, folder):
    import diffusers
    import torch

    torch.set_num_threads(1)
    workflow, kind = case["workflow"], NETWORKS[case["name"]]
    values = first_of(workflow, "KSampler")
    size = first_of(workflow, "EmptyLatentImage", "EmptySD3LatentImage", "EmptyHunyuanLatentVideo")
    prompts = [text for text, in values_of(workflow, "CLIPTextEncode")]
    rec = golden.Recorder()
    pipe = getattr(diffusers, kind.pipeline).from_pretrained(folder / "checkpoints" / case["checkpoint"])
    with torch.no_grad():
        network = kind(rec, pipe, prompts, size, values[3])
        if kind is not Sdxl:
            network.trained = trained_levels(first_of(workflow, "ModelSamplingAuraFlow", "ModelSamplingSD3")[0])
        latents = sample(rec, network, latent_shape(kind, size), values)
        rec.put("latents.final", latents)
        golden.watch_vae(rec, pipe)
        decoded = pipe.vae.decode(network.unscaled(latents), return_dict=False)[0]
        rec.unwrap()
        golden.put_image(rec, network.image_of(decoded))
    rec.save(str(folder / (case["name"] + ".safetensors")))


def make(cases, folder):
    import make_sdxl_goldens
    import make_wan_goldens
    import make_zimage_goldens

    checkpoints = folder / "checkpoints"
    make_sdxl_goldens.make_checkpoint_named("sdxl_0", checkpoints)
    make_wan_goldens.make_checkpoint_named("wan_t2v_0", checkpoints)
    make_once(checkpoints / "zimage_0", lambda partial: make_zimage_goldens.make_zimage(str(partial), 0))


if __name__ == "__main__":
    golden_main(make, run_case)
