#!/usr/bin/env python3
"""Makes what the test of adapters of several kinds on one checkpoint compares with, once (golden_main.py).

    make_combined_goldens.py CASES.json FOLDER

FOLDER has what make_lora_goldens.py, make_control_goldens.py, make_ip_goldens.py and make_embedding_goldens.py make for their parts of the
cases. The script of the kind that is hardest to load runs the case; the others' files are loaded before its own.
"""
import argparse
from unittest.mock import patch

import make_control_goldens as control
import make_embedding_goldens as embedding
import make_ip_goldens as ip
import make_lora_goldens as lora
from golden_main import golden_arguments, golden_main
from made_once import make_once

KINDS = ("loras", "controls", "adapters", "embeddings")


def with_all_kinds(case):
    return {**{kind: [] for kind in KINDS}, **case}


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
    others = folder / "others"
    ip.make_images(others)
    for path in others.iterdir():
        path.replace(folder / path.name)
    others.rmdir()


def run_case(golden, case, folder):
    case = with_all_kinds(case)
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

        with patch.object(golden, "load_addons", load):
            main(arguments[:plain] + more + arguments[plain:])

    with patch.object(golden, "main", main_with_others):
        if case["adapters"]:
            ip.run_case(golden, case, folder)
        else:
            golden.main(golden_arguments(case, folder))


def make(cases, folder):
    for case in cases:
        make_files(with_all_kinds(case), folder)
    make_once(folder / "images", make_images)


if __name__ == "__main__":
    golden_main(make, run_case)
