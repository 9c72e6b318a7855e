"""Digests of converted files as the packages read them that define their encodings, in f32: read_converted.py OUT.json NAME FILE ...

Of .gguf the shapes as ComfyUI-GGUF's loader takes them, with its refusals; of .safetensors layers with "comfy_quant" decoded by
comfy-kitchen, in the layouts that ComfyUI asks for.
"""
import hashlib
import json
import pathlib
import sys

import comfy_kitchen.backends.eager.quantization as eager
import gguf
import torch
from safetensors import safe_open


def from_gguf(path):
    reader = gguf.GGUFReader(path)
    architecture = reader.get_field("general.architecture")
    assert architecture.types == [gguf.GGUFValueType.STRING] and architecture.contents() in ("sd1", "sdxl", "wan", "hidream", "lumina2", "flux")
    assert reader.get_field("general.quantization_version").contents() == gguf.GGML_QUANT_VERSION
    out = {}
    for tensor in reader.tensors:
        shape = [int(size) for size in reversed(tensor.shape)]
        field = reader.get_field(f"comfy.gguf.orig_shape.{tensor.name}")
        if field is not None:
            assert field.types == [gguf.GGUFValueType.ARRAY, gguf.GGUFValueType.INT32]
            shape = field.contents()
        numbers = gguf.quants.dequantize(tensor.data, tensor.tensor_type)
        out[tensor.name] = torch.from_numpy(numbers.astype("float32")).reshape(shape)
    return out


def decoded(layer):
    settings = json.loads(layer["comfy_quant"].numpy().tobytes())
    weight, scale = layer["weight"], layer["weight_scale"]
    if settings == {"format": "float8_e4m3fn"}:
        assert weight.dtype == torch.float8_e4m3fn and scale.shape == ()
        return eager.dequantize_per_tensor_fp8(weight, scale, torch.float32)
    assert settings == {"format": "int8_tensorwise"}
    assert weight.dtype == torch.int8 and scale.shape == (weight.shape[0], 1)
    return eager.dequantize_int8_simple(weight, scale)


def from_safetensors(path):
    with safe_open(path, "pt") as file:
        assert file.metadata()["format"] == "pt"
        stored = {key: file.get_tensor(key) for key in file.keys()}
    out = {}
    for key, value in stored.items():
        layer, _, part = key.rpartition(".")
        if layer + ".comfy_quant" not in stored or part == "bias":
            out[key] = value.float()
        elif part == "weight":
            out[key] = decoded({name: stored[f"{layer}.{name}"] for name in ("weight", "weight_scale", "comfy_quant")})
    return out


def main():
    target = pathlib.Path(sys.argv[1])
    digests = {}
    for name, path in zip(sys.argv[2::2], sys.argv[3::2]):
        tensors = from_gguf(path) if path.endswith(".gguf") else from_safetensors(path)
        digests[name] = {key: {"shape": list(value.shape), "sha256": hashlib.sha256(value.contiguous().numpy()).hexdigest()}
                         for key, value in tensors.items()}
    partial = target.with_suffix(".partial")
    partial.write_text(json.dumps(digests))
    partial.rename(target)


main()
