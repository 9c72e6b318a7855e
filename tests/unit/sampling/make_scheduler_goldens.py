"""Runs the scheduler classes of diffusers 0.42.1 with a fixed model, for the tests of plugin/sampling.

Every case is one loop as the Stable Diffusion pipeline runs it. The file holds per case: timesteps, sigmas (where the
class has them), init_noise_sigma, and latents [calls + 1, B, C, h, w]: the start and the result of every step. Its
metadata lists the cases; the C++ test builds the same sampler from the same settings and runs its own loop.
"""

import itertools
import json
import sys
import warnings

import numpy
import scipy.stats
import torch

warnings.filterwarnings("ignore")

import diffusers  # noqa: E402
from diffusers.pipelines.stable_diffusion.pipeline_stable_diffusion import rescale_noise_cfg  # noqa: E402
from safetensors.torch import save_file  # noqa: E402

diffusers.utils.logging.set_verbosity_error()
torch.set_num_threads(1)

CLASSES = {
    "ddim": "DDIMScheduler",
    "euler": "EulerDiscreteScheduler",
    "euler_a": "EulerAncestralDiscreteScheduler",
    "dpmpp_2m": "DPMSolverMultistepScheduler",
}
SPREADS = {"karras": "use_karras_sigmas", "exponential": "use_exponential_sigmas", "beta": "use_beta_sigmas"}
# As Stable Diffusion 1.5 ships it: a PNDM config without timestep_spacing.
BASE = dict(
    _class_name="PNDMScheduler",
    num_train_timesteps=1000,
    beta_start=0.00085,
    beta_end=0.012,
    beta_schedule="scaled_linear",
    clip_sample=False,
    set_alpha_to_one=False,
    skip_prk_steps=True,
    trained_betas=None,
)
DEFAULTS = dict(sigmas="sampler", spacing="sampler", steps=5, eta=0.0, cfg=1.0, rescale=0.0, batch=1, start=0)


def grid():
    """Everything that changes the schedule, in all combinations."""
    axes = itertools.product(
        CLASSES,
        ("epsilon", "v_prediction"),
        ("sampler", "leading", "trailing", "linspace"),
        ("sampler", *SPREADS),
        (1, 2, 5, 20),
        (False, True),
        (0, 1),
    )
    for sampler, prediction, spacing, sigmas, steps, zero_snr, offset in axes:
        if sigmas != "sampler" and sampler in ("ddim", "euler_a"):
            continue  # those classes do not have them
        if sampler == "ddim" and zero_snr and prediction == "epsilon" and spacing in ("trailing", "linspace"):
            if steps > 1 or spacing == "trailing":
                continue  # divides by zero; the C++ test asks for the error
        config = dict(prediction_type=prediction, steps_offset=offset, rescale_betas_zero_snr=zero_snr)
        yield dict(sampler=sampler, config=config, spacing=spacing, sigmas=sigmas, steps=steps)


def settings():
    """Single settings that a file may hold, one or two at a time."""
    for sampler in CLASSES:
        yield dict(sampler=sampler, config=dict(beta_schedule="linear", beta_start=0.0001, beta_end=0.02))
        yield dict(sampler=sampler, config=dict(beta_schedule="squaredcos_cap_v2"))
        yield dict(sampler=sampler, config=dict(trained_betas=numpy.linspace(0.001, 0.01, 1000).tolist()))
        yield dict(sampler=sampler, config=dict(num_train_timesteps=500))
        yield dict(sampler=sampler, config=dict(timestep_spacing="trailing"))
        yield dict(sampler=sampler, config=dict(timestep_spacing="trailing"), spacing="leading")
        for steps in (3, 7, 30, 50):
            yield dict(sampler=sampler, config={}, steps=steps, spacing="trailing")
        for start, steps in ((1, 5), (3, 5), (12, 20)):
            yield dict(sampler=sampler, config=dict(steps_offset=1), steps=steps, start=start)
            yield dict(sampler=sampler, config=dict(steps_offset=1), steps=steps, start=start, spacing="leading")
        yield dict(sampler=sampler, config={}, cfg=7.5, batch=2)
        yield dict(sampler=sampler, config={}, cfg=7.5, batch=2, rescale=0.7)
        yield dict(sampler=sampler, config={}, cfg=1.0, batch=3)
        if sampler != "euler_a":
            yield dict(sampler=sampler, config=dict(prediction_type="sample"))
    yield dict(sampler="ddim", config=dict(clip_sample=True))
    yield dict(sampler="ddim", config=dict(clip_sample=True, clip_sample_range=2.5))
    yield dict(sampler="ddim", config=dict(clip_sample=None, set_alpha_to_one=None))
    yield dict(sampler="ddim", config=dict(set_alpha_to_one=True))
    for eta, prediction in itertools.product((0.3, 1.0), ("epsilon", "v_prediction")):
        yield dict(sampler="ddim", config=dict(prediction_type=prediction), eta=eta)
    for sampler in ("euler", "dpmpp_2m"):
        for spread in ("sampler", *SPREADS):
            yield dict(sampler=sampler, config=dict(final_sigmas_type="sigma_min"), sigmas=spread)
            yield dict(sampler=sampler, config=dict(sigma_min=0.1, sigma_max=10.0), sigmas=spread)
            yield dict(sampler=sampler, config=dict(beta_schedule="squaredcos_cap_v2"), sigmas=spread)
        yield dict(sampler=sampler, config=dict(use_karras_sigmas=True))
        yield dict(sampler=sampler, config=dict(use_karras_sigmas=True), sigmas="normal")
        yield dict(sampler=sampler, config=dict(use_karras_sigmas=True), sigmas="beta")
        yield dict(sampler=sampler, config={}, sigmas="karras", start=4, steps=10)
    tail = dict(final_sigmas_type="sigma_min")
    for steps in (5, 14, 15, 20):
        yield dict(sampler="dpmpp_2m", config={}, steps=steps)
        yield dict(sampler="dpmpp_2m", config=dict(tail), steps=steps)
        yield dict(sampler="dpmpp_2m", config=dict(tail, lower_order_final=False), steps=steps)
        yield dict(sampler="dpmpp_2m", config=dict(tail, euler_at_final=True), steps=steps)
        yield dict(sampler="dpmpp_2m", config=dict(tail, euler_at_final=True, lower_order_final=False), steps=steps)
    yield dict(sampler="dpmpp_2m", config=dict(solver_order=1))
    for spread in ("exponential", "beta"):  # the first timestep is 998 through numpy's logarithm, 999 through a rounded one
        edge = dict(beta_schedule="linear", beta_start=0.001, beta_end=0.0195)
        yield dict(sampler="dpmpp_2m", config=edge, sigmas=spread)
    yield dict(sampler="dpmpp_2m", config=dict(solver_type="bh2"))
    for spacing in ("leading", "trailing", "linspace"):
        clipped = dict(beta_schedule="squaredcos_cap_v2", lambda_min_clipped=-5.1)
        yield dict(sampler="dpmpp_2m", config=clipped, spacing=spacing)


def build(case):
    config = {k: v for k, v in {**BASE, **case["config"]}.items()}
    overrides = {}
    if case["spacing"] != "sampler":
        overrides["timestep_spacing"] = case["spacing"]
    if case["sigmas"] != "sampler":
        overrides.update({key: name == case["sigmas"] for name, key in SPREADS.items()})
    # a JSON null stands for a missing setting
    config = {k: v for k, v in config.items() if v is not None}
    scheduler = getattr(diffusers, CLASSES[case["sampler"]]).from_config(config, **overrides)
    scheduler.set_timesteps(case["steps"])
    return scheduler


def model(latents, timestep):
    """Smooth in everything, another function for every row of the batch."""
    rows = torch.arange(latents.shape[0], dtype=torch.float32).view(-1, 1, 1, 1)
    return torch.sin(latents * 0.7 + rows * 0.25) + timestep.to(torch.float32) / 1000


def run(case):
    scheduler = build(case)
    generator = torch.Generator("cpu").manual_seed(case["seed"])
    shape = (case["batch"], 4, 5, 6)
    noise = torch.randn(shape, generator=generator)
    if hasattr(scheduler, "set_begin_index"):
        scheduler.set_begin_index(case["start"])  # else it searches the timestep, and trips over repeated ones
    if case["start"]:
        clean = torch.cos(torch.arange(noise.numel(), dtype=torch.float32)).view(shape)
        latents = scheduler.add_noise(clean, noise, scheduler.timesteps[case["start"]].repeat(shape[0]))
    else:
        latents = noise * scheduler.init_noise_sigma
    extra = dict(eta=case["eta"], generator=generator) if case["sampler"] == "ddim" else dict(generator=generator)
    states = [latents]
    for timestep in scheduler.timesteps[case["start"] :]:
        guided = case["cfg"] > 1
        batch = torch.cat([latents] * 2) if guided else latents
        prediction = model(scheduler.scale_model_input(batch, timestep), timestep)
        if guided:
            uncond, cond = prediction.chunk(2)
            prediction = uncond + case["cfg"] * (cond - uncond)
            if case["rescale"] > 0:
                prediction = rescale_noise_cfg(prediction, cond, guidance_rescale=case["rescale"])
        latents = scheduler.step(prediction, timestep, latents, **extra, return_dict=False)[0]
        states.append(latents)
    values = dict(
        timesteps=scheduler.timesteps,
        init_noise_sigma=torch.tensor(float(scheduler.init_noise_sigma)),
        latents=torch.stack(states),
    )
    if getattr(scheduler, "sigmas", None) is not None:
        values["sigmas"] = scheduler.sigmas
    return values


def name_of(case):
    shown = [case["sampler"]] + [f"{k}={v}" for k, v in case["config"].items() if k != "trained_betas"]
    shown += [f"{k}={case[k]}" for k in DEFAULTS if case[k] != DEFAULTS[k] or k == "steps"]
    return " ".join(shown) + (" trained_betas" if case["config"].get("trained_betas") else "")


def beta_quantiles(tensors):
    shapes = [(0.6, 0.6), (0.5, 0.5), (1.0, 1.0), (2.0, 5.0), (5.0, 0.3), (30.0, 40.0)]
    shares = numpy.concatenate([numpy.linspace(0, 1, 101), [1e-9, 1e-4, 0.9999, 1 - 1e-9]])
    rows = [[(p, a, b, scipy.stats.beta.ppf(p, a, b)) for p in shares] for a, b in shapes]
    tensors["beta_quantiles"] = torch.tensor(numpy.array(rows).reshape(-1, 4), dtype=torch.float64)


def float_logarithms(tensors):
    values = numpy.exp(numpy.random.default_rng(5).uniform(-6, 9, 20000)).astype(numpy.float32)
    tensors["log.in"], tensors["log.out"] = torch.from_numpy(values), torch.from_numpy(numpy.log(values))


def signal_shares(tensors):
    for kind, zero_snr in itertools.product(("linear", "scaled_linear", "squaredcos_cap_v2"), (False, True)):
        scheduler = diffusers.DDIMScheduler(
            beta_schedule=kind, beta_start=0.00085, beta_end=0.012, rescale_betas_zero_snr=zero_snr
        )
        tensors[f"shares.{kind}.{int(zero_snr)}"] = scheduler.alphas_cumprod


def main():
    cases, tensors = {}, {}
    for case in itertools.chain(grid(), settings()):
        case = {**DEFAULTS, **case}
        case["name"] = name_of(case)
        case["seed"] = 1000 + len(cases)
        if case["name"] in cases:
            continue
        for key, value in run(case).items():
            if not torch.isfinite(value).all():
                raise SystemExit(f"{case['name']}: {key} is not finite")
            tensors[f"{case['name']}/{key}"] = value.clone().contiguous()
        case["config"] = {**BASE, **case["config"]}
        cases[case["name"]] = case
    beta_quantiles(tensors)
    float_logarithms(tensors)
    signal_shares(tensors)
    save_file(tensors, sys.argv[1], metadata=dict(cases=json.dumps(list(cases.values()))))


main()
