"""Runs the scheduler classes of diffusers 0.42.1 with a fixed model, for the tests of plugin/sampling.

Every case is one loop as the Stable Diffusion pipeline runs it. The file holds per case: timesteps, sigmas (where the
class has them), init_noise_sigma, and latents [calls + 1, B, C, h, w]: the start and the result of every step. Its
metadata lists the cases; the C++ test builds the same sampler from the same settings and runs its own loop.
Names, classes and their settings are those of tests/golden/reference/lib/schedulers.py.
"""

import inspect
import itertools
import json
import pathlib
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

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "golden" / "reference"))
from lib.schedulers import SCHEDULERS  # noqa: E402

SCHEDULERS["sigma_lcm"] = ("FlowMatchLCMScheduler", {}, True)

FIRST = ("ddim", "euler", "euler_a", "dpmpp_2m")  # the grid takes every combination
LATER = ("dpmpp_2m_sde", "dpmpp_3m", "dpmpp_single", "pndm", "pndm_prk", "heun", "lms", "unipc", "deis", "kdpm2",
         "kdpm2_a", "ddpm", "lcm", "tcd")
ALL = FIRST + LATER
SPREADS = {"karras": "use_karras_sigmas", "exponential": "use_exponential_sigmas", "beta": "use_beta_sigmas",
           "lu": "use_lu_lambdas"}
SPACINGS = ("leading", "trailing", "linspace")
NO_SAMPLE = ("euler_a", "pndm", "pndm_prk", "kdpm2", "kdpm2_a")  # do not take prediction_type "sample"
OWN_TIMESTEPS = ("lcm", "tcd")  # have timestep_spacing and do not read it
SLOW_TO_BUILD = ("heun", "lms", "kdpm2", "kdpm2_a")  # prepare 1000 steps first; set_timesteps resets all else
SIGNAL = ("ddim", "ddpm", "lcm", "tcd")  # divide by the signal, which may be 0
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
# As playground-v2.5 ships it.
EDM = dict(
    _class_name="EDMDPMSolverMultistepScheduler",
    num_train_timesteps=1000,
    sigma_min=0.002,
    sigma_max=80.0,
    sigma_data=0.5,
    rho=7.0,
    prediction_type="epsilon",
)
EDM_CLASSES = (("edm_euler", "euler"), ("edm_dpmpp_2m", "dpmpp_2m"), ("edm_dpmpp_2m_sde", "dpmpp_2m_sde"))
# As Wan 2.1 ships it, and as the flow class of Euler and Heun has it.
FLOW_SOLVER = dict(
    _class_name="UniPCMultistepScheduler",
    num_train_timesteps=1000,
    prediction_type="flow_prediction",
    use_flow_sigmas=True,
    flow_shift=3.0,
)
FLOW_MATCH = dict(_class_name="FlowMatchEulerDiscreteScheduler", num_train_timesteps=1000, shift=3.0)
BUILT = {}
DEFAULTS = dict(reference=None, base="trained", sigmas="sampler", spacing="sampler", steps=5, eta=0.0, cfg=1.0, rescale=0.0, batch=1, start=0)


def class_of(sampler):
    return getattr(diffusers, SCHEDULERS[sampler][0])


def knows(sampler, setting):
    return setting in inspect.signature(class_of(sampler).__init__).parameters


def spreads_of(sampler):
    return [name for name, key in SPREADS.items() if knows(sampler, key)]


def spacings_of(sampler):
    return SPACINGS if knows(sampler, "timestep_spacing") and sampler not in OWN_TIMESTEPS else ()


def grid():
    """Everything that changes the schedule, in all combinations."""
    axes = itertools.product(
        FIRST,
        ("epsilon", "v_prediction"),
        ("sampler", "leading", "trailing", "linspace"),
        ("sampler", "karras", "exponential", "beta"),
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


def later_grid():
    """The same for the other samplers, less of what has no influence on each other."""
    for sampler in LATER:
        axes = itertools.product(
            ("epsilon", "v_prediction"),
            ("sampler", *spacings_of(sampler)),
            ("sampler", *spreads_of(sampler)),
            (4, 6, 20) if sampler == "pndm_prk" else (1, 2, 6, 20),
            (False, True) if knows(sampler, "rescale_betas_zero_snr") else (False,),
            (0, 1),
        )
        for prediction, spacing, sigmas, steps, zero_snr, offset in axes:
            if offset and spacing not in ("sampler", "leading"):
                continue  # has no influence there
            if sigmas != "sampler" and steps in (2, 20):
                continue
            if zero_snr and prediction == "epsilon" and sampler in SIGNAL and spacing != "leading":
                if sampler in OWN_TIMESTEPS or spacing == "trailing" or (spacing == "linspace" and steps > 1):
                    continue  # divides by zero; the C++ test asks for the error
            config = dict(prediction_type=prediction, steps_offset=offset, rescale_betas_zero_snr=zero_snr)
            yield dict(sampler=sampler, config=config, spacing=spacing, sigmas=sigmas, steps=steps)


def common_settings():
    """Single settings that a file may hold, one or two at a time."""
    for sampler in ALL:
        yield dict(sampler=sampler, config=dict(beta_schedule="linear", beta_start=0.0001, beta_end=0.02))
        if sampler != "kdpm2_a":  # is not finite there; the C++ test asks for the error
            yield dict(sampler=sampler, config=dict(beta_schedule="squaredcos_cap_v2"))
        yield dict(sampler=sampler, config=dict(trained_betas=numpy.linspace(0.001, 0.01, 1000).tolist()))
        yield dict(sampler=sampler, config=dict(num_train_timesteps=500))
        yield dict(sampler=sampler, config=dict(timestep_spacing="trailing"))
        if spacings_of(sampler):
            yield dict(sampler=sampler, config=dict(timestep_spacing="trailing"), spacing="leading")
            for steps in (7, 30, 50) if sampler == "pndm_prk" else (3, 7, 30, 50):
                yield dict(sampler=sampler, config={}, steps=steps, spacing="trailing")
        for start, steps in () if sampler == "pndm_prk" else ((1, 5), (2, 5), (3, 5), (12, 20)):
            for spacing in ("sampler", "leading") if spacings_of(sampler) else ("sampler",):
                yield dict(sampler=sampler, config=dict(steps_offset=1), steps=steps, start=start, spacing=spacing)
        yield dict(sampler=sampler, config={}, cfg=7.5, batch=2)
        yield dict(sampler=sampler, config={}, cfg=7.5, batch=2, rescale=0.7)
        yield dict(sampler=sampler, config={}, cfg=1.0, batch=3)
        if sampler not in NO_SAMPLE:
            yield dict(sampler=sampler, config=dict(prediction_type="sample"))
    for sampler in ALL:
        for spread in ("sampler", *spreads_of(sampler)) if spreads_of(sampler) else ():
            yield dict(sampler=sampler, config=dict(sigma_min=0.1, sigma_max=10.0), sigmas=spread)
            if sampler != "kdpm2_a":
                yield dict(sampler=sampler, config=dict(beta_schedule="squaredcos_cap_v2"), sigmas=spread)
            if knows(sampler, "final_sigmas_type"):
                yield dict(sampler=sampler, config=dict(final_sigmas_type="sigma_min"), sigmas=spread)
            yield dict(sampler=sampler, config=dict(use_karras_sigmas=True), sigmas=spread)
            yield dict(sampler=sampler, config={}, sigmas=spread, start=4, steps=10)
        if spreads_of(sampler):
            yield dict(sampler=sampler, config=dict(use_karras_sigmas=True), sigmas="normal")


def settings():
    """Settings of single classes."""
    yield dict(sampler="ddim", config=dict(clip_sample=True))
    yield dict(sampler="ddim", config=dict(clip_sample=True, clip_sample_range=2.5))
    yield dict(sampler="ddim", config=dict(clip_sample=None, set_alpha_to_one=None))
    yield dict(sampler="ddim", config=dict(set_alpha_to_one=True))
    for eta, prediction in itertools.product((0.3, 1.0), ("epsilon", "v_prediction")):
        yield dict(sampler="ddim", config=dict(prediction_type=prediction), eta=eta)
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
    for sampler in ("heun", "lcm", "ddpm"):
        yield dict(sampler=sampler, config=dict(clip_sample=True))
        yield dict(sampler=sampler, config=dict(clip_sample=True, clip_sample_range=2.5))
    yield dict(sampler="ddpm", config=dict(clip_sample=None))
    for variance in ("fixed_small", "fixed_small_log", "fixed_large"):
        yield dict(sampler="ddpm", config=dict(variance_type=variance))
        yield dict(sampler="ddpm", config=dict(variance_type=variance, steps_offset=1), steps=20)
    for sampler in ("pndm", "pndm_prk"):
        yield dict(sampler=sampler, config=dict(set_alpha_to_one=True))
        yield dict(sampler=sampler, config=dict(set_alpha_to_one=None, prediction_type="v_prediction"))
        yield dict(sampler=sampler, config=dict(skip_prk_steps=None), steps=7)
    for sampler in ("lcm", "tcd"):
        yield dict(sampler=sampler, config=dict(original_inference_steps=25), steps=4)
        yield dict(sampler=sampler, config=dict(original_inference_steps=100), steps=60)
        yield dict(sampler=sampler, config={}, steps=50)
    yield dict(sampler="lcm", config=dict(timestep_scaling=0.05))
    for eta, prediction in itertools.product((0.3, 1.0), ("epsilon", "v_prediction", "sample")):
        yield dict(sampler="tcd", config=dict(prediction_type=prediction), eta=eta)
        yield dict(sampler="tcd", config=dict(prediction_type=prediction), eta=eta, steps=10, start=3)
    yield from dpm_settings()
    yield from other_solver_settings()


def dpm_settings():
    tail = dict(final_sigmas_type="sigma_min")
    algorithms, solvers = ("dpmsolver++", "sde-dpmsolver++"), ("midpoint", "heun")
    for order, algorithm, solver, steps in itertools.product((1, 2, 3), algorithms, solvers, (5, 6, 7, 20)):
        config = dict(solver_order=order, algorithm_type=algorithm, solver_type=solver)
        yield dict(sampler="dpmpp_2m", config=config, steps=steps)
        for lower, final in itertools.product((False, True), ("zero", "sigma_min")):
            ends = dict(config, lower_order_final=lower, final_sigmas_type=final)
            yield dict(sampler="dpmpp_single", config=ends, steps=steps)
    for sampler in ("dpmpp_2m_sde", "dpmpp_3m"):
        for steps in (14, 15):
            yield dict(sampler=sampler, config={}, steps=steps)
            yield dict(sampler=sampler, config=dict(final_sigmas_type="sigma_min"), steps=steps)
            yield dict(sampler=sampler, config=dict(lower_order_final=False), steps=steps)
            yield dict(sampler=sampler, config=dict(final_sigmas_type="sigma_min", euler_at_final=True), steps=steps)
    yield dict(sampler="dpmpp_3m", config=dict(algorithm_type="sde-dpmsolver++"), start=2)
    yield dict(sampler="dpmpp_single", config=dict(solver_order=3), steps=9, start=2)
    yield dict(sampler="dpmpp_2m", config=dict(tail, algorithm_type="deis", solver_type="logrho"))
    yield dict(sampler="dpmpp_2m", config=dict(use_lu_lambdas=True))
    yield dict(sampler="dpmpp_2m", config=dict(use_lu_lambdas=True, use_karras_sigmas=True))
    yield dict(sampler="dpmpp_2m", config=dict(use_lu_lambdas=True), sigmas="normal")
    yield dict(sampler="dpmpp_2m", config={}, sigmas="lu", steps=20)
    yield dict(sampler="dpmpp_single", config=dict(beta_schedule="squaredcos_cap_v2", lambda_min_clipped=-5.1))


def other_solver_settings():
    for order, lower, steps in itertools.product((1, 2, 3), (False, True), (3, 5, 14, 15, 20)):
        config = dict(solver_order=order, lower_order_final=lower)
        yield dict(sampler="deis", config=config, steps=steps)
        for solver in ("bh1", "bh2"):
            # with zero noise at the end bh1 is 0 * infinity, and so is full order
            final = "sigma_min" if solver == "bh1" or not lower else "zero"
            ends = dict(config, solver_type=solver, final_sigmas_type=final)
            yield dict(sampler="unipc", config=ends, steps=steps)
    yield dict(sampler="unipc", config=dict(solver_order=3), steps=9, start=3)
    yield dict(sampler="deis", config=dict(solver_order=3), steps=9, start=3)
    yield dict(sampler="unipc", config=dict(disable_corrector=[0, 2]))
    yield dict(sampler="unipc", config=dict(solver_type="midpoint"))
    yield dict(sampler="deis", config=dict(algorithm_type="dpmsolver++", solver_type="midpoint"))


def edm_settings():
    axes = itertools.product(
        EDM_CLASSES, ("epsilon", "v_prediction"), ("karras", "exponential"), ("zero", "sigma_min"), (1, 2, 5, 20)
    )
    for (reference, sampler), prediction, schedule, final, steps in axes:
        config = dict(prediction_type=prediction, sigma_schedule=schedule, final_sigmas_type=final)
        yield dict(sampler=sampler, reference=reference, base="edm", config=config, steps=steps)
    for reference, sampler in EDM_CLASSES:
        edm = dict(sampler=sampler, reference=reference, base="edm")
        yield dict(edm, config=dict(sigma_data=1.0, sigma_max=120.0, sigma_min=0.01))
        yield dict(edm, config=dict(rho=5.0))
        yield dict(edm, config={}, cfg=3.0, batch=2)
        for start, steps in ((1, 5), (3, 5), (12, 20)):
            yield dict(edm, config={}, steps=steps, start=start)
    for order, steps in itertools.product((1, 3), (5, 14, 15, 20)):
        config = dict(solver_order=order)
        yield dict(sampler="dpmpp_2m", reference="edm_dpmpp_2m", base="edm", config=config, steps=steps)
    for solver, ends in itertools.product(("midpoint", "heun"), (False, True)):
        config = dict(solver_type=solver, lower_order_final=ends)
        for reference, sampler in EDM_CLASSES[1:]:
            yield dict(sampler=sampler, reference=reference, base="edm", config=config, steps=14)


def flow_settings():
    for shift, steps in itertools.product((1.0, 3.0, 5.0), (1, 2, 5, 20)):
        # Classes that are given no levels: linspace, which they do not call so.
        flow = dict(base="flow_match", config=dict(shift=shift), steps=steps, spacing="linspace")
        yield dict(flow, sampler="euler", reference="flow_euler")
        yield dict(flow, sampler="heun", reference="flow_heun")
        yield dict(flow, sampler="sigma_lcm")
        config = dict(flow_shift=shift)
        for sampler in ("unipc", "dpmpp_2m", "dpmpp_2m_sde"):
            yield dict(sampler=sampler, base="flow_solver", config=config, steps=steps)
    for sampler in ("unipc", "dpmpp_2m"):
        yield dict(sampler=sampler, base="flow_solver", config=dict(solver_order=3), steps=20)
        yield dict(sampler=sampler, base="flow_solver", config={}, cfg=5.0, batch=2)
        for start, steps in ((1, 5), (12, 20)):
            yield dict(sampler=sampler, base="flow_solver", config={}, steps=steps, start=start)


BASES = dict(trained=BASE, edm=EDM, flow_solver=FLOW_SOLVER, flow_match=FLOW_MATCH)


def build(case):
    config = {**BASES[case["base"]], **case["config"]}
    overrides = dict(SCHEDULERS[case["reference"] or case["sampler"]][1])
    if case["spacing"] != "sampler":
        overrides["timestep_spacing"] = case["spacing"]
    if case["sigmas"] != "sampler":
        overrides.update({SPREADS[name]: name == case["sigmas"] for name in spreads_of(case["sampler"])})
    # a JSON null stands for a missing setting
    config = {k: v for k, v in config.items() if v is not None}
    key = (case["sampler"], json.dumps([config, overrides]))
    scheduler = BUILT.get(key) or class_of(case["reference"] or case["sampler"]).from_config(config, **overrides)
    if case["sampler"] in SLOW_TO_BUILD:
        BUILT[key] = scheduler
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
    begin = case["start"] * scheduler.order  # as img2img pipelines count
    if hasattr(scheduler, "set_begin_index"):
        scheduler.set_begin_index(begin)  # else it searches the timestep, and trips over repeated ones
    if case["start"]:
        clean = torch.cos(torch.arange(noise.numel(), dtype=torch.float32)).view(shape)
        latents = scheduler.add_noise(clean, noise, scheduler.timesteps[begin].repeat(shape[0]))
    else:
        latents = noise * getattr(scheduler, "init_noise_sigma", 1.0)
    scaled = getattr(scheduler, "scale_model_input", lambda sample, _: sample)
    given = dict(eta=case["eta"], generator=generator)
    extra = {key: given[key] for key in inspect.signature(scheduler.step).parameters if key in given}
    states = [latents]
    for timestep in scheduler.timesteps[begin:]:
        guided = case["cfg"] > 1
        batch = torch.cat([latents] * 2) if guided else latents
        prediction = model(scaled(batch, timestep), timestep)
        if guided:
            uncond, cond = prediction.chunk(2)
            prediction = uncond + case["cfg"] * (cond - uncond)
            if case["rescale"] > 0:
                prediction = rescale_noise_cfg(prediction, cond, guidance_rescale=case["rescale"])
        latents = scheduler.step(prediction, timestep, latents, **extra, return_dict=False)[0]
        states.append(latents)
    timesteps = scheduler.timesteps
    values = dict(
        # KDPM2 has float64 with a spread of sigmas; networks make float32 of it
        timesteps=timesteps.float() if timesteps.is_floating_point() else timesteps,
        init_noise_sigma=torch.tensor(float(getattr(scheduler, "init_noise_sigma", 1.0))),
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
    for case in itertools.chain(
        grid(), later_grid(), common_settings(), settings(), edm_settings(), flow_settings()
    ):
        case = {**DEFAULTS, **case}
        case["name"] = name_of(case)
        case["seed"] = 1000 + len(cases)
        if case["name"] in cases:
            continue
        for key, value in run(case).items():
            if not torch.isfinite(value).all():
                raise SystemExit(f"{case['name']}: {key} is not finite")
            tensors[f"{case['name']}/{key}"] = value.clone().contiguous()
        case["config"] = {**BASES[case["base"]], **case["config"]}
        cases[case["name"]] = case
    beta_quantiles(tensors)
    float_logarithms(tensors)
    signal_shares(tensors)
    save_file(tensors, sys.argv[1], metadata=dict(cases=json.dumps(list(cases.values()))))


main()
