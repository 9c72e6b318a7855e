#!/usr/bin/env python3
"""Makes what the tests of HiDream-I1 compare with, once (golden_main.py).

    make_hidream_goldens.py CASES.json FOLDER

FOLDER/checkpoints/hidream_K are the reference's variants.
"""
from unittest.mock import patch

from golden_main import golden_arguments, golden_main, make_of_reference


def without_mu(set_timesteps):
    """The pipeline passes mu to every scheduler, which is of dynamic shifting; Heun's does not take it."""
    return lambda self, count, device=None, mu=None: set_timesteps(self, count, device=device)


def with_extras(timed, case):
    """What golden.py does not know: several images of a prompt, and prompts of their own for the encoders."""

    def run(rec, pipe, call):
        call["num_images_per_prompt"] = case.get("batch", 1)
        for key in ("prompt_2", "prompt_3", "prompt_4", "negative_2", "negative_3", "negative_4"):
            if key in case:
                call[key.replace("negative", "negative_prompt")] = case[key]
        return timed(rec, pipe, call)

    return run


def make(cases, folder):
    for name in sorted({case["checkpoint"] for case in cases}):
        make_of_reference(folder / "checkpoints" / name, "hidream", "--variant", name.rsplit("_", 1)[1])


def run(golden, case, folder):
    from diffusers import FlowMatchHeunDiscreteScheduler as Heun

    arguments = [argument for argument in golden_arguments(case, folder) if not argument.startswith("--batch")]
    with (patch.object(golden, "timed", with_extras(golden.timed, case)),
          patch.object(Heun, "set_timesteps", without_mu(Heun.set_timesteps))):
        golden.main([*arguments, f"--text-length={case.get('length', 128)}"])


if __name__ == "__main__":
    golden_main(make, run)
