"""GGUF files as the Python package gguf writes them, with what its reader sees in them: make_gguf_files.py OUT.safetensors

NAME.file are the bytes of a file, NAME.seen what seen() says of it, as JSON.
"""
import json
import pathlib
import sys
import tempfile

import gguf
import numpy
from gguf import GGMLQuantizationType, GGUFValueType

# The package gives it the 40 bytes of two floats; ggml has two halves. Files do not hold it.
OTHER_SIZE_IN_GGML = {GGMLQuantizationType.Q8_1}
ENDS = {GGUFValueType.UINT8: (0, 255), GGUFValueType.INT8: (-128, 127), GGUFValueType.UINT16: (0, 65535),
        GGUFValueType.INT16: (-32768, 32767), GGUFValueType.UINT32: (0, 2**32 - 1), GGUFValueType.INT32: (-2**31, 2**31 - 1),
        GGUFValueType.UINT64: (0, 2**64 - 1), GGUFValueType.INT64: (-2**63, 2**63 - 1), GGUFValueType.FLOAT32: (-0.1, 3e38),
        GGUFValueType.FLOAT64: (-0.1, 1e300), GGUFValueType.BOOL: (False, True), GGUFValueType.STRING: ("a", "\u20ac\nb")}


def seen(path):
    reader = gguf.GGUFReader(path)
    keys = [field for name, field in reader.fields.items() if not name.startswith("GGUF.")]
    return {
        "version": int(reader.fields["GGUF.version"].contents()),
        "alignment": int(reader.alignment),
        "keys": [[field.name, field.types[0].name, field.contents()] for field in keys],
        "tensors": [[tensor.name, tensor.tensor_type.name, tensor.shape.tolist()[::-1], int(tensor.data_offset), int(tensor.n_bytes)]
                    for tensor in reader.tensors]}


def keys_of_each_type(writer):
    for kind, values in ENDS.items():
        for end, value in zip(("first", "last"), values):
            writer.add_key_value(f"{kind.name.lower()}.{end}", value, kind)
        writer.add_key_value(f"{kind.name.lower()}.array", list(values), GGUFValueType.ARRAY, sub_type=kind)
    writer.add_key_value("nested", [[1, 2], [3]], GGUFValueType.ARRAY)


def tensors_of_each_type(writer):
    for kind in GGMLQuantizationType:
        if kind not in OTHER_SIZE_IN_GGML:
            size = gguf.GGML_QUANT_SIZES[kind][1]
            writer.add_tensor(kind.name, numpy.arange(3 * 2 * size).astype(numpy.uint8).reshape(3, 2 * size), raw_dtype=kind)


def shapes(writer):
    for shape in ((), (1,), (7,), (2, 3), (2, 3, 4), (2, 3, 4, 5)):
        writer.add_tensor(f"shape{len(shape)}.{shape}", numpy.full(shape, 0.5, numpy.float32))


def halves(writer):
    writer.add_tensor("a", numpy.arange(5, dtype=numpy.float16))
    writer.add_tensor("b", numpy.arange(9, dtype=numpy.int64))


def quantised(writer):
    values = numpy.linspace(-3, 3, 512, dtype=numpy.float32).reshape(2, 256)
    for kind in (GGMLQuantizationType.Q8_0, GGMLQuantizationType.Q4_0, GGMLQuantizationType.BF16):
        writer.add_tensor(f"blocks.0.{kind.name}.weight", gguf.quants.quantize(values, kind), raw_dtype=kind)
    writer.add_array("comfy.gguf.orig_shape.blocks.0.Q8_0.weight", [2, 4, 4, 4, 4])


def written(fill, alignment=None):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "m.gguf")
        writer = gguf.GGUFWriter(path, "sd1")
        if alignment:
            writer.add_custom_alignment(alignment)
        fill(writer)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path.read_bytes()


def files():
    for fill in (keys_of_each_type, tensors_of_each_type, shapes, halves, quantised):
        yield fill.__name__, written(fill)
    for alignment in (8, 16, 64, 4096):
        yield f"alignment_{alignment}", written(halves, alignment)
    three = written(quantised)
    yield "version_2", three[:4] + b"\2" + three[5:]


def main():
    from safetensors.numpy import save_file
    tensors = {}
    for name, data in files():
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            tensors[f"{name}.seen"] = numpy.frombuffer(json.dumps(seen(file.name)).encode(), numpy.uint8)
        tensors[f"{name}.file"] = numpy.frombuffer(data, numpy.uint8)
    save_file(tensors, sys.argv[1])


if __name__ == "__main__":
    main()
