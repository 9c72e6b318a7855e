"""What the scripts make_*_goldens.py have in common. Each is called as SCRIPT CASES.json FOLDER and fills the folder once.

FOLDER/checkpoints holds small random checkpoints, FOLDER/<case>.safetensors what the reference's golden.py records of diffusers' pipeline
for the case. FOLDER/complete exists when all is there.
"""
import json
import os
import pathlib
import sys

from made_once import make_once

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "reference"))
os.environ.setdefault("OMP_NUM_THREADS", "1")


def golden_arguments(case, folder):
    arguments = [str(folder / "checkpoints" / case["checkpoint"]), str(folder / (case["name"] + ".safetensors"))]
    for key in ("prompt", "negative", "steps", "cfg", "seed", "width", "height", "batch", "scheduler", "eta",
                "clip_skip", "guidance_rescale"):
        if key in case:
            arguments.append(f"--{key.replace('_', '-')}={case[key]}")
    return arguments


def image_arguments(case, folder):
    """Of a case that begins with an image; of others none."""
    return [f"--init-image={folder}/images/{case['image']}.png", f"--strength={case['strength']}"] if "image" in case else []


def make_of_reference(target, kind, *arguments):
    """A folder as the reference's make_checkpoint.py makes it."""
    import make_checkpoint

    make_once(target, lambda partial: make_checkpoint.main([kind, str(partial), *map(str, arguments)]))


def bound_no_latents():
    """docs/decisions/0037: DDIM and DDPM hold no latents between -1 and 1, also where the scheduler's file states nothing of it."""
    from lib import schedulers

    build = schedulers.build
    schedulers.build = lambda name, config: build(name, {"clip_sample": False, **config})


def golden_main(make, run):
    """make(cases, folder) makes what the cases need where it is missing, run(golden, case, folder) records a case with golden.py."""
    cases, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
    if (folder / "complete").exists():
        return
    make(cases, folder)
    import golden

    bound_no_latents()
    for case in cases:
        if not (folder / (case["name"] + ".safetensors")).exists():
            run(golden, case, folder)
    (folder / "complete").touch()
