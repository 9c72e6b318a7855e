"""Noise levels of flows as diffusers 0.42.1 computes them: make_flow_goldens.py OUT.safetensors

Every case is a scheduler_config.json, a sampler and a number of steps; the file holds "<index>/sigmas" and "<index>/timesteps".
"given" is what a pipeline hands to the scheduler: "trailing", numpy.linspace(1, 1 / N, N), or null: nothing. "tokens" and "mu" are
of a config with use_dynamic_shifting. The configs are those of published models.
"""

import itertools
import json
import sys
import warnings

import numpy
import torch
from safetensors.torch import save_file

warnings.filterwarnings("ignore")

import diffusers  # noqa: E402
from diffusers.pipelines.flux.pipeline_flux import calculate_shift  # noqa: E402
from diffusers.pipelines.flux2.pipeline_flux2_klein import compute_empirical_mu  # noqa: E402

diffusers.utils.logging.set_verbosity_error()

MATCH = dict(_class_name="FlowMatchEulerDiscreteScheduler", num_train_timesteps=1000)
OFF = dict(invert_sigmas=False, stochastic_sampling=False, use_beta_sigmas=False, use_exponential_sigmas=False, use_karras_sigmas=False)
DYNAMIC = dict(use_dynamic_shifting=True, base_image_seq_len=256, base_shift=0.5, max_image_seq_len=4096, max_shift=1.15)
PUBLISHED = {
    "flux1_schnell": dict(MATCH, **{**DYNAMIC, "use_dynamic_shifting": False}, shift=1.0),
    "flux1_dev": dict(MATCH, **DYNAMIC, shift=3.0),
    "chroma": dict(MATCH, **OFF, **DYNAMIC, shift=3.0, shift_terminal=None, time_shift_type="exponential"),
    "qwen_image": dict(MATCH, **OFF, **{**DYNAMIC, "max_image_seq_len": 8192, "max_shift": 0.9}, shift=1.0, shift_terminal=0.02,
                       time_shift_type="exponential"),
    "sd35": dict(MATCH, shift=3.0),
    "sd35_dynamic": dict(MATCH, **DYNAMIC, shift=3.0),
    "flux2_klein": dict(MATCH, shift=3.0, use_dynamic_shifting=True),
    "zimage": dict(MATCH, shift=6.0, use_dynamic_shifting=False),
    "hidream_dev": dict(MATCH, _class_name="FlowMatchLCMScheduler", shift=6.0),
    "wan22": dict(_class_name="UniPCMultistepScheduler", num_train_timesteps=1000, prediction_type="flow_prediction",
                  use_flow_sigmas=True, flow_shift=5.0, use_dynamic_shifting=False, time_shift_type="exponential",
                  final_sigmas_type="zero", timestep_spacing="linspace"),
}
GIVEN = {"sd35": None, "sd35_dynamic": None, "hidream_dev": None, "wan22": None}
OPTIONS = (dict(use_karras_sigmas=True), dict(use_exponential_sigmas=True), dict(use_beta_sigmas=True), dict(shift_terminal=0.1),
           dict(shift_terminal=0.1, use_beta_sigmas=True), dict(num_train_timesteps=500))
SAMPLERS = {"FlowMatchEulerDiscreteScheduler": "euler", "FlowMatchLCMScheduler": "sigma_lcm", "UniPCMultistepScheduler": "unipc"}


def cases():
    for (name, config), steps in itertools.product(PUBLISHED.items(), (1, 2, 3, 4, 8, 9, 28, 50)):
        if steps == 1 and config.get("shift_terminal"):
            continue  # one level that is all noise cannot be stretched: NaN there, and 1 here
        for tokens in (256, 1024, 4096, 6144) if config.get("use_dynamic_shifting") else (None,):
            yield dict(name=name, config=config, steps=steps, tokens=tokens, given=GIVEN.get(name, "trailing"))
    for options, name, steps in itertools.product(OPTIONS, ("sd35", "zimage", "flux1_dev", "hidream_dev"), (2, 5, 20)):
        yield dict(name=name, config={**PUBLISHED[name], **options}, steps=steps, given=GIVEN.get(name, "trailing"),
                   tokens=1350 if PUBLISHED[name].get("use_dynamic_shifting") else None)
    for kind, given, steps in itertools.product(("linear", "exponential"), (None, "trailing"), (2, 5, 20)):
        config = {**PUBLISHED["flux1_dev"], "time_shift_type": kind}
        yield dict(name="flux1_dev", config=config, steps=steps, tokens=2304, given=given)
    for terminal, steps in itertools.product((0.02, 0.1), (2, 5, 20)):
        config = {**PUBLISHED["wan22"], "shift_terminal": terminal}
        yield dict(name="wan22", config=config, steps=steps, tokens=None, given=None)


def run(case, tensors, key):
    config = {k: v for k, v in case["config"].items() if v is not None}
    scheduler = getattr(diffusers, config["_class_name"]).from_config(config)
    arguments = {}
    if case["tokens"]:
        if case["name"] == "flux2_klein":
            case["mu"] = compute_empirical_mu(image_seq_len=case["tokens"], num_steps=case["steps"])
        else:
            keys = ("base_image_seq_len", "max_image_seq_len", "base_shift", "max_shift")
            case["mu"] = calculate_shift(case["tokens"], *(scheduler.config.get(each) for each in keys))
        arguments["mu"] = case["mu"]
    if case["given"]:
        arguments["sigmas"] = numpy.linspace(1.0, 1 / case["steps"], case["steps"])
        scheduler.set_timesteps(**arguments)
    else:
        scheduler.set_timesteps(case["steps"], **arguments)
    tensors[key + "/sigmas"] = scheduler.sigmas.clone()
    tensors[key + "/timesteps"] = scheduler.timesteps.clone()


def main():
    listed, tensors = [], {}
    for case in cases():
        case["sampler"] = SAMPLERS[case["config"]["_class_name"]]
        run(case, tensors, str(len(listed)))
        listed.append(case)
    for key, value in tensors.items():
        if not torch.isfinite(value).all():
            raise SystemExit(f"{listed[int(key.split('/')[0])]}: {key} is not finite")
    save_file(tensors, sys.argv[1], metadata=dict(cases=json.dumps(listed)))


main()
