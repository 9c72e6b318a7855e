#!/usr/bin/env python3
"""make_comfyui_numbers.py OUT.safetensors: unpacks comfyui_numbers.safetensors.xz, which lies next to this script.

Numbers that the nodes of ComfyUI 0.33.0 (commit 783545f6) gave on the CPU around a function in place of a network; no code of ComfyUI. Levels of 20
models, whole passes of every sampler, passes of KSampler and KSamplerAdvanced, RescaleCFG, Brownian noise. Licence of the file: Apache-2.0.
"""
import hashlib
import lzma
import os
import sys

SHA256 = "2b68970ffe58e8feb2b862ca22a20c372709c43aef11e64a6b8d56a57452985c"  # a file that was changed is another golden

packed = os.path.join(os.path.dirname(os.path.abspath(__file__)), "comfyui_numbers.safetensors.xz")
with open(packed, "rb") as source:
    data = source.read()
if hashlib.sha256(data).hexdigest() != SHA256:
    sys.exit("comfyui_numbers.safetensors.xz is not the file that this script states")
with open(sys.argv[1], "wb") as out:
    out.write(lzma.decompress(data))
