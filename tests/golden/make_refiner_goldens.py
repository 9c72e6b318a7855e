#!/usr/bin/env python3
"""Makes what the test of a base with its refiner compares with, once.

    make_refiner_goldens.py CASES.json FOLDER

A case runs diffusers' StableDiffusionXLPipeline on `checkpoint` with denoising_end, and StableDiffusionXLImg2ImgPipeline on `refiner`
with denoising_start, which goes on with the latents. FOLDER/<case>.safetensors is what the reference's golden.py records of both, by
the names that a dump of base_refiner.json has: values of the refiner's encoder behind `encode_refiner/`, of its denoiser behind `refine/`.
FOLDER/checkpoints is as make_sdxl_goldens.py makes it.
"""
import json
import os
import pathlib
import sys
import types

import make_sdxl_goldens as sdxl
from make_goldens import REFERENCE, bound_no_latents, golden_arguments

sys.path.insert(0, str(REFERENCE))
os.environ.setdefault("OMP_NUM_THREADS", "1")


def run_base(golden, arguments, share):
    """Its recorder and the latents that it leaves."""
    rec = golden.Recorder()

    def timed(_, pipe, call):
        rec.put("latents.final", pipe(**{**call, "denoising_end": share, "output_type": "latent"}).images)
        return types.SimpleNamespace(images=None)

    golden.timed, golden.finish = timed, lambda *_: None
    golden.run_stable_diffusion(arguments, rec, xl=True)
    return rec, rec.tensors["latents.final"]


def run_refiner(golden, arguments, share, latents, originals):
    import diffusers

    rec = golden.Recorder()

    def timed(rec, pipe, call):
        for side in ("width", "height"):  # the latents' own
            del call[side]
        return originals[0](rec, pipe, {**call, "image": latents, "denoising_start": share})

    golden.timed, golden.finish = timed, originals[1]
    golden.stable_diffusion_class = lambda args, xl: diffusers.StableDiffusionXLImg2ImgPipeline
    golden.run_stable_diffusion(arguments, rec, xl=True)
    return rec


def of_refiner(key):
    """A key as a dump of the graph has it: of a stage's second node, or of the only one."""
    if key.startswith(("vae.", "image")):
        return key
    return ("encode_refiner/" if key.startswith(("tokens", "text_encoder")) else "refine/") + key


def run_case(golden, case, folder):
    originals = golden.timed, golden.finish, golden.stable_diffusion_class
    of_base = golden.parse_arguments(golden_arguments(case, folder))
    arguments = golden.parse_arguments(golden_arguments({**case, "checkpoint": case["refiner"]}, folder))
    try:
        rec, latents = run_base(golden, of_base, case["share"])
        refined = run_refiner(golden, arguments, case["share"], latents, originals)
    finally:
        golden.timed, golden.finish, golden.stable_diffusion_class = originals
    for key, value in refined.tensors.items():
        rec.put(of_refiner(key), value)
    rec.save(str(folder / (case["name"] + ".safetensors")))


def main():
    cases, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
    if (folder / "complete").exists():
        return
    checkpoints = folder / "checkpoints"
    checkpoints.mkdir(parents=True, exist_ok=True)
    for name in sorted({case[key] for case in cases for key in ("checkpoint", "refiner")}):
        sdxl.make_checkpoint_named(name, checkpoints)
    import golden

    bound_no_latents()
    for case in cases:
        if not (folder / (case["name"] + ".safetensors")).exists():
            run_case(golden, case, folder)
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
