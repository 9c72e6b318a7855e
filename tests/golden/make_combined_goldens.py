#!/usr/bin/env python3
"""Makes what the test of adapters of several kinds on one checkpoint compares with, once.

    make_combined_goldens.py CASES.json FOLDER

FOLDER has what make_lora_goldens.py, make_control_goldens.py, make_ip_goldens.py and make_embedding_goldens.py make for their parts of the
cases, and FOLDER/<case>.safetensors, what the reference's golden.py records of diffusers' pipeline with all of them. The script of the kind
that is hardest to load runs the case; the others' files are loaded before its own.
"""
import argparse
import json
import os
import pathlib
import sys

import make_control_goldens as control
import make_embedding_goldens as embedding
import make_ip_goldens as ip
import make_lora_goldens as lora
from make_goldens import REFERENCE, bound_no_latents, golden_arguments

sys.path.insert(0, str(REFERENCE))
os.environ.setdefault("OMP_NUM_THREADS", "1")

KINDS = ("loras", "controls", "adapters", "embeddings")


def make_files(case, folder):
    checkpoint = case["checkpoint"]
    lora.make_checkpoint_named(checkpoint, folder)
    for each in case["loras"]:
        lora.make_loras(checkpoint, each["variant"], folder)
    for each in case["controls"]:
        control.make_controlnet(checkpoint, each["variant"], folder)
    for each in case["adapters"]:
        ip.make_adapter(checkpoint, each["variant"], folder)
    embedding.write_all(case, folder)


def make_images(folder):
    """Those of both scripts, each of which begins with a folder of its own."""
    control.make_images(folder)
    others = folder.with_name("images.others.partial")
    ip.make_images(others)
    for path in others.iterdir():
        path.replace(folder / path.name)
    others.rmdir()


def run_case(golden, case, folder):
    main, addons = golden.main, golden.load_addons
    plain = len(golden_arguments(case, folder))
    more = lora.lora_arguments(case, folder)[plain:] + control.control_arguments(case, folder)[plain:]

    def main_with_others(arguments):
        own = golden.load_addons

        def load(args, pipe):
            if case["embeddings"]:
                embedding.load_all(case, folder, pipe)
            addons(argparse.Namespace(**{**vars(args), "ip_adapter": None}), pipe)
            if case["adapters"]:
                own(args, pipe)

        golden.load_addons = load
        main(arguments[:plain] + more + arguments[plain:])

    golden.main = main_with_others
    try:
        if case["adapters"]:
            ip.run_case(golden, case, folder)
        else:
            golden.main(golden_arguments(case, folder))
    finally:
        golden.main, golden.load_addons = main, addons


def main():
    cases, folder = json.loads(pathlib.Path(sys.argv[1]).read_text()), pathlib.Path(sys.argv[2]).resolve()
    if (folder / "complete").exists():
        return
    (folder / "checkpoints").mkdir(parents=True, exist_ok=True)
    cases = [{**{kind: [] for kind in KINDS}, **case} for case in cases]
    for case in cases:
        make_files(case, folder)
    if not (folder / "images").exists():
        make_images(folder / "images.partial")
        (folder / "images.partial").rename(folder / "images")
    import golden

    bound_no_latents()
    for case in cases:
        if not (folder / (case["name"] + ".safetensors")).exists():
            run_case(golden, case, folder)
    (folder / "complete").touch()


if __name__ == "__main__":
    main()
