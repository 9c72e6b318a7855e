#!/usr/bin/env python3
"""Makes what the tests of HiDream-I1 compare with, once.

    make_hidream_goldens.py CASES.json FOLDER

FOLDER/checkpoints/hidream_K are the reference's variants, FOLDER/<case>.safetensors what the reference's golden.py records of diffusers'
pipeline for the case.
"""
import json
import os
import pathlib
import sys

from make_goldens import REFERENCE, golden_arguments

sys.path.insert(0, str(REFERENCE))
os.environ.setdefault("OMP_NUM_THREADS", "1")


def let_heun_ignore_mu():
    """The pipeline tells every scheduler mu, which is of dynamic shifting; this class does not take it."""
    from diffusers import FlowMatchHeunDiscreteScheduler as Heun

    plain = Heun.set_timesteps
    Heun.set_timesteps = lambda self, count, device=None, mu=None: plain(self, count, device=device)


def with_extras(timed, case):
    """What golden.py does not know: several pictures of a prompt, and prompts of their own for the encoders."""

    def run(rec, pipe, call):
        call["num_images_per_prompt"] = case.get("batch", 1)
        for key in ("prompt_2", "prompt_3", "prompt_4", "negative_2", "negative_3", "negative_4"):
            if key in case:
                call[key.replace("negative", "negative_prompt")] = case[key]
        return timed(rec, pipe, call)

    return run


def main():
    cases, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
    if (folder / "complete").exists():
        return
    import golden
    import make_checkpoint

    checkpoints = folder / "checkpoints"
    checkpoints.mkdir(parents=True, exist_ok=True)
    for name in sorted({case["checkpoint"] for case in cases}):
        if not (checkpoints / name).exists():
            partial = checkpoints / (name + ".partial")
            make_checkpoint.main(["hidream", str(partial), "--variant", name.rsplit("_", 1)[1]])
            partial.rename(checkpoints / name)
    let_heun_ignore_mu()
    timed = golden.timed
    for case in cases:
        if not (folder / (case["name"] + ".safetensors")).exists():
            golden.timed = with_extras(timed, case)
            arguments = [a for a in golden_arguments(case, folder) if not a.startswith("--batch")]
            golden.main([*arguments, f"--text-length={case.get('length', 128)}"])
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
