#!/usr/bin/env python3
"""Join a denoiser's GGUF file, which names no other part, with all else of the checkpoint that it was made from: one GGUF file.

    whole_gguf.py CHECKPOINT.safetensors DENOISER.gguf OUT.gguf

Names are those of CHECKPOINT. Only what is not the denoiser's is taken from it, as it lies there. OUT appears whole or not at all.
"""

import json
import os
import struct
import sys

import gguf
import numpy

DENOISER = "model.diffusion_model."
SHAPE = "comfy.gguf.orig_shape."
TYPES = {"F16": numpy.float16, "F32": numpy.float32}


def other_tensors(path):
    """Name and numbers, mapped."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
    header.pop("__metadata__", None)
    for name, entry in header.items():
        if not name.startswith(DENOISER):
            offset = 8 + length + entry["data_offsets"][0]
            yield name, numpy.memmap(path, TYPES[entry["dtype"]], "r", offset, tuple(entry["shape"]))


def main():
    checkpoint, denoiser, out = sys.argv[1:]
    reader = gguf.GGUFReader(denoiser)
    partial = f"{out}.partial"
    writer = gguf.GGUFWriter(partial, reader.get_field("general.architecture").contents())
    for key, field in reader.fields.items():
        if key.startswith(SHAPE):
            writer.add_array(f"{SHAPE}{DENOISER}{key.removeprefix(SHAPE)}", field.contents())
    for tensor in reader.tensors:
        writer.add_tensor(DENOISER + tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    for name, values in other_tensors(checkpoint):
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    os.rename(partial, out)


if __name__ == "__main__":
    main()
