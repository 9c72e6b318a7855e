#!/usr/bin/env python3
"""Makes what the test of a base with its refiner compares with, once (golden_main.py).

    make_refiner_goldens.py CASES.json FOLDER

A case runs diffusers' StableDiffusionXLPipeline on `checkpoint` with denoising_end, and StableDiffusionXLImg2ImgPipeline on `refiner`
with denoising_start, which goes on with the latents. FOLDER/<case>.safetensors is what the reference's golden.py records of both, by
the names that a dump of base_refiner.json has: values of the refiner's encoder behind `encode_refiner/`, of its denoiser behind `refine/`.
FOLDER/checkpoints is as make_sdxl_goldens.py makes it.
"""
import types
from unittest.mock import patch

import make_sdxl_goldens as sdxl
from golden_main import golden_arguments, golden_main


def run_base(golden, arguments, share):
    """Its recorder and the latents that it leaves."""
    rec = golden.Recorder()

    def timed(_, pipe, call):
        rec.put("latents.final", pipe(**{**call, "denoising_end": share, "output_type": "latent"}).images)
        return types.SimpleNamespace(images=None)

    with patch.multiple(golden, timed=timed, finish=lambda *_: None):
        golden.run_stable_diffusion(arguments, rec, xl=True)
    return rec, rec.tensors["latents.final"]


def run_refiner(golden, arguments, share, latents):
    import diffusers

    rec, timed = golden.Recorder(), golden.timed

    def timed_from_latents(rec, pipe, call):
        for side in ("width", "height"):  # the latents' own
            del call[side]
        return timed(rec, pipe, {**call, "image": latents, "denoising_start": share})

    with patch.multiple(golden, timed=timed_from_latents,
                        stable_diffusion_class=lambda args, xl: diffusers.StableDiffusionXLImg2ImgPipeline):
        golden.run_stable_diffusion(arguments, rec, xl=True)
    return rec


def of_refiner(key):
    """A key as a dump of the graph has it: of a stage's second node, or of the only one."""
    if key.startswith(("vae.", "image")):
        return key
    return ("encode_refiner/" if key.startswith(("tokens", "text_encoder")) else "refine/") + key


def run_case(golden, case, folder):
    of_base = golden.parse_arguments(golden_arguments(case, folder))
    arguments = golden.parse_arguments(golden_arguments({**case, "checkpoint": case["refiner"]}, folder))
    rec, latents = run_base(golden, of_base, case["share"])
    refined = run_refiner(golden, arguments, case["share"], latents)
    for key, value in refined.tensors.items():
        rec.put(of_refiner(key), value)
    rec.save(str(folder / (case["name"] + ".safetensors")))


def make(cases, folder):
    for name in sorted({case[key] for case in cases for key in ("checkpoint", "refiner")}):
        sdxl.make_checkpoint_named(name, folder / "checkpoints")


if __name__ == "__main__":
    golden_main(make, run_case)
