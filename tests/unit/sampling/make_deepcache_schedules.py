#!/usr/bin/env python3
"""Full calls of DeepCache's own power-centre schedule: make_deepcache_schedules.py OUT.safetensors"""
import importlib.util
import pathlib
import re
import sys
import warnings

import numpy as np
import torch
from safetensors.torch import save_file

warnings.simplefilter("ignore")
# The module imports parts of older diffusers; the one function is taken out of its text.
package = pathlib.Path(importlib.util.find_spec("DeepCache").origin).parent
text = (package / "sd" / "pipeline_stable_diffusion.py").read_text()
names = {"np": np}
exec(re.search(r"def sample_from_quad_center\(.*?(?=\ndef )", text, re.S).group(0), names)

SETTINGS = [(50, 10, 15, 1.4), (50, 25, 15, 1.4), (50, 17, 10, 1.2), (20, 7, 5, 1.4), (30, 6, 0, 1.3), (100, 20, 40, 1.6)]
tensors = {}
for total, count, center, power in SETTINGS:
    calls, _ = names["sample_from_quad_center"](total, count, center, power)
    tensors[f"{total}.{count}.{center}.{power}"] = torch.tensor(sorted(int(call) for call in calls))
save_file(tensors, sys.argv[1])
