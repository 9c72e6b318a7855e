"""Hollow checkpoints: names, types and shapes of published weights at their published length, no numbers, hardly any disk.

A hollow file has the header of the published file and its length, and is sparse. Only the few tensors that readers look
at have numbers: alphas, scales, pieces of tokenizers.
"""
import json
import os
import re
import struct

from published_data import HERE, blob, packed

BYTES = {"F64": 8, "I64": 8, "F32": 4, "I32": 4, "F16": 2, "BF16": 2, "I16": 2, "U8": 1, "I8": 1, "BOOL": 1, "F8_E4M3": 1, "F8_E5M2": 1}
FLOATS = ("F32", "F16", "BF16")
# Type number, numbers of a block, bytes of a block.
GGML = {"F32": (0, 1, 4), "F16": (1, 1, 2), "q8_0": (8, 32, 34), "q4_k": (12, 256, 144)}
# vae/config.json of playground v2.5.
EDM = {"edm_mean": (-1.6574, 1.886, -1.383, 2.5155), "edm_std": (8.4927, 5.9022, 6.5498, 5.2299)}
UMT5_PIECES = "e3909a67b780650b"
ALPHA = {"F32": struct.pack("<f", 16.0), "F16": struct.pack("<e", 16.0), "BF16": b"\x80\x41", "I64": struct.pack("<q", 16)}
SCALES = ("scale_weight", "weight_scale", "scale_input", "input_scale")
# Forms in which matrices of blocks are stored, with what states them: reconstructions, a hundredth from the published lengths.
FORMS = {
    "int8_convrot": ("I8", lambda rows: [rows, 1], '{"format": "int8_tensorwise", "convrot": true, "convrot_groupsize": 256}'),
    "fp8_mixed": ("F8_E4M3", lambda rows: [], '{"format": "float8_e4m3fn"}'),
}
BLOCKS = re.compile(r"\b(layers|noise_refiner|context_refiner)\.\d+\.")
MIXED = 24  # of the 36 layers of qwen_3_4b_fp8_mixed, by its length


def read_keys(name, dtype=None):
    """-> (record, {tensor: (type, shape)}) of a key list; `dtype` in place of every floating type of 16 or 32 bits."""
    lines = packed()[f"keys/{name}.txt"].decode().splitlines()
    tensors = {}
    for line in lines[1:]:
        key, kind, shape = line.split("\t")
        sides = [int(side) for side in shape.split(",")] if shape else []
        tensors[key] = (dtype if dtype and kind in FLOATS else kind, sides)
    return json.loads(lines[0][2:]), tensors


def elements(shape):
    count = 1
    for side in shape:
        count *= side
    return count


def size_of(kind, shape):
    return elements(shape) * BYTES[kind]


def header_of(tensors, metadata):
    """As safetensors writes it: wide types first, then by name; padded to 8."""
    table = {} if metadata is None else {"__metadata__": metadata}
    at = 0
    for key, (kind, shape) in sorted(tensors.items(), key=lambda item: (-BYTES[item[1][0]], item[0])):
        size = size_of(kind, shape)
        table[key] = {"dtype": kind, "shape": shape, "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(table, separators=(",", ":"), ensure_ascii=False).encode()
    return text + b" " * (-len(text) % 8), table, at


def numbers_of(key, kind, shape):
    """Of the tensors whose numbers matter; nothing for others."""
    if key.endswith("spiece_model") and shape == [len(blob(UMT5_PIECES))]:
        return blob(UMT5_PIECES)
    if key in EDM:
        return struct.pack("<4f", *EDM[key])
    if key.endswith(".alpha") and elements(shape) == 1:
        return ALPHA[kind]
    if key.endswith(SCALES) and (kind, elements(shape)) == ("F32", 1):
        return struct.pack("<f", 1.0)
    if key.endswith(".comfy_quant"):
        return next((stated.encode() for _, _, stated in FORMS.values() if shape == [len(stated)]), None)
    return None


def is_stored_so(key, shape, form):
    """Whether a tensor is a matrix that a file of such a form has so."""
    layer = re.search(r"layers\.(\d+)\.", key)
    is_block = key.endswith(".weight") and len(shape) == 2 and BLOCKS.search(key)
    return bool(is_block) and shape[1] % 256 == 0 and (form != "fp8_mixed" or int(layer[1]) < MIXED)


def stored_as(form, tensors):
    """The same tensors with matrices in one of FORMS."""
    kind, scale, stated = FORMS[form]
    stored = {}
    for key, (own, shape) in tensors.items():
        if is_stored_so(key, shape, form):
            layer = key.removesuffix("weight")
            stored.update({key: (kind, shape), layer + "weight_scale": ("F32", scale(shape[0])), layer + "comfy_quant": ("U8", [len(stated)])})
        else:
            stored[key] = (own, shape)
    return stored


def write_hollow(path, tensors, metadata=None):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    text, table, size = header_of(tensors, metadata)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        out.truncate(8 + len(text) + size)
        for key, (kind, shape) in tensors.items():
            numbers = numbers_of(key, kind, shape)
            if numbers:
                out.seek(8 + len(text) + table[key]["data_offsets"][0])
                out.write(numbers)


def write_file(keys, path, form=None):
    """`form`: one of FORMS, or a type in place of every floating type."""
    record, tensors = read_keys(keys, None if form in FORMS else form)
    write_hollow(path, stored_as(form, tensors) if form in FORMS else tensors, record.get("metadata"))


def shards_of(tensors, most):
    shards, now, full = [], [], 0
    for key in tensors:
        size = size_of(*tensors[key])
        if now and full + size > most:
            shards.append(now)
            now, full = [], 0
        now.append(key)
        full += size
    return shards + [now]


def write_sharded(path, entry):
    """The weights of a folder: one file, or shards with their index."""
    _, tensors = read_keys(entry["keys"], entry.get("dtype"))
    shards = shards_of(tensors, entry["shard"]) if entry.get("shard") else [list(tensors)]
    if len(shards) == 1:
        return write_hollow(path, tensors, {"format": "pt"})
    stem, files = path[: -len(".safetensors")], {}
    for number, shard in enumerate(shards):
        name = f"{stem}-{number + 1:05d}-of-{len(shards):05d}.safetensors"
        write_hollow(name, {key: tensors[key] for key in shard}, {"format": "pt"})
        files.update({key: os.path.basename(name) for key in shard})
    index = {"metadata": {"total_size": sum(size_of(*tensor) for tensor in tensors.values())}, "weight_map": files}
    with open(path + ".index.json", "w") as out:
        out.write(json.dumps(index, indent=2, sort_keys=True) + "\n")


def gguf_type(kind, shape):
    """Matrices as asked, whatever has one side in F32, as city96's convert.py and llama-quantize leave them."""
    chosen = "F32" if len(shape) == 1 or elements(shape) <= 1024 else kind
    return chosen if shape[-1] % GGML[chosen][1] == 0 else "F16"


def write_gguf(keys, path, architecture, kind):
    def text(words):
        return struct.pack("<Q", len(words.encode())) + words.encode()

    _, tensors = read_keys(keys)
    infos, at = b"", 0
    for key, (_, shape) in tensors.items():
        sides = shape or [1]
        number, block, size = GGML[gguf_type(kind, sides)]
        infos += text(key) + struct.pack(f"<I{len(sides)}QIQ", len(sides), *reversed(sides), number, at)
        at += (elements(sides) // block * size + 31) // 32 * 32
    fields = text("general.architecture") + struct.pack("<I", 8) + text(architecture)
    for key, value in (("general.quantization_version", 2), ("general.file_type", 15)):
        fields += text(key) + struct.pack("<II", 4, value)
    start = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), 3) + fields + infos
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as out:
        out.write(start)
        out.truncate((len(start) + 31) // 32 * 32 + at)


def rows_of(table):
    """Rows of a table of this folder, without its remarks."""
    for line in (HERE / table).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            yield line.split("\t")
