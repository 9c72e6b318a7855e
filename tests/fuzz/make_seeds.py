"""Inputs that were made by hand: files that are right, and files that were made to do harm. ./dev fuzz seeds keeps them."""
import base64
import io
import json
import pathlib
import pickle
import struct
import zipfile
import zlib

import gguf_seeds
import image_seeds

SEPARATOR = "\x1e"


def header(tensors, data=b"", length=None):
    text = tensors if isinstance(tensors, bytes) else json.dumps(tensors, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def tensor(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def safetensors():
    right = {"__metadata__": {"format": "pt"}, "a": tensor("F32", [2, 1], 0, 8), "b": tensor("F16", [0], 8, 8),
             "c": tensor("U8", [7], 8, 15)}
    yield "right", header(right, bytes(15))
    yield "empty", header({})
    yield "truncated", header(right, bytes(14))
    yield "oversized", header(right, bytes(16))
    yield "cut_in_the_header", header(right)[:60]
    yield "overlapping", header({"a": tensor("F32", [2], 0, 8), "b": tensor("F32", [2], 4, 12)}, bytes(12))
    yield "same_bytes_twice", header({"a": tensor("F32", [2], 0, 8), "b": tensor("F32", [2], 0, 8)}, bytes(8))
    yield "hole", header({"a": tensor("U8", [2], 0, 2), "b": tensor("U8", [2], 3, 5)}, bytes(5))
    yield "out_of_bounds", header({"a": tensor("F32", [4], 0, 16)}, bytes(8))
    yield "negative", header({"a": tensor("U8", [-1], -1, 0)}, bytes(8))
    yield "backwards", header({"a": tensor("U8", [1], 8, 7)}, bytes(8))
    yield "overflow", header({"a": tensor("F32", [2**32, 2**32], 0, 0)})
    yield "overflow_to_right_size", header({"a": tensor("F32", [2**62 + 1, 4], 0, 16)}, bytes(16))
    yield "huge_and_empty", header({"a": tensor("F64", [2**62, 0], 0, 0)})
    yield "size_2_64", header(b'{"a":{"dtype":"U8","shape":[18446744073709551616],"data_offsets":[0,0]}}')
    yield "size_as_real", header(b'{"a":{"dtype":"U8","shape":[1.0],"data_offsets":[0,1]}}', b"x")
    yield "duplicate", header(b'{"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},'
                              b'"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}')
    yield "unknown_type", header({"a": tensor("F8_E5M2", [1], 0, 1)}, b"x")
    yield "many_axes", header({"a": tensor("U8", [1] * 300, 0, 1)}, b"x")
    yield "long_name", header({"n" * 3000: tensor("U8", [1], 0, 1)}, b"x")
    yield "claims_2_63", header({}, length=2**63)
    yield "claims_100_mb", header({}, length=100_000_000)
    yield "metadata_of_numbers", header({"__metadata__": {"step": 1}})
    yield "deep", header(b'{"a":' * 200 + b"1" + b"}" * 200)
    yield "text", b"version https://git-lfs.github.com/spec/v1\n"


def storage(kind="FloatStorage", key="0", elements=6):
    return (b"((X\x07\x00\x00\x00storagectorch\n" + kind.encode() + b"\n" + unicode(key) + unicode("cpu") +
            integer(elements) + b"tQ")


def unicode(text):
    return b"X" + struct.pack("<I", len(text)) + text.encode()


def integer(value):
    return b"\x8a\x08" + struct.pack("<q", value)


def numbers(values):
    return b"(" + b"".join(map(integer, values)) + b"t"


def torch_tensor(first=0, shape=(2, 3), strides=(3, 1), **of_storage):
    return (b"ctorch._utils\n_rebuild_tensor_v2\n" + storage(**of_storage) + integer(first) + numbers(shape) +
            numbers(strides) + b"\x89ccollections\nOrderedDict\n)RtR")


def dict_of(**entries):
    return b"}(" + b"".join(unicode(name) + value for name, value in entries.items()) + b"u"


def program(body):
    return b"\x80\x02" + body + b"."


class Shell:
    def __reduce__(self):
        return print, ("this would have been run",)


def pickles():
    two = dict_of(a=torch_tensor(), b=torch_tensor(kind="HalfStorage", key="1", elements=4, first=1, shape=(3,),
                                                   strides=(1,)))
    yield "right", program(two)
    yield "wrapped", program(dict_of(state_dict=two, global_step=b"K\x05"))
    yield "params_ema", program(dict_of(params_ema=two))
    yield "parameter", program(dict_of(a=b"ctorch._utils\n_rebuild_parameter\n(" + torch_tensor() +
                                       b"\x88ccollections\nOrderedDict\n)RtR"))
    yield "ordered_dict_of_pairs", program(b"ccollections\nOrderedDict\n(](](" + unicode("a") + torch_tensor() +
                                           b"eetR")
    yield "transposed", program(dict_of(a=torch_tensor(shape=(3, 2), strides=(1, 3))))
    yield "nothing", program(b"}")
    yield "protocol_4", pickle.dumps({"state_dict": {}, "step": 3, "name": "n"}, 4)
    yield "protocol_0", pickle.dumps({"a": 1}, 0)
    yield "code", pickle.dumps(Shell(), 2)
    yield "code_protocol_4", pickle.dumps({"state_dict": Shell()}, 4)
    yield "code_in_state", program(b"}cos\nsystem\nb")
    yield "eval", program(b"c__builtin__\neval\n(" + unicode("1") + b"tR")
    yield "negative_stride", program(dict_of(a=torch_tensor(strides=(-3, 1))))
    yield "out_of_storage", program(dict_of(a=torch_tensor(first=1)))
    yield "overflowing_strides", program(dict_of(a=torch_tensor(strides=(2**62, 2**62))))
    yield "overflowing_shape", program(dict_of(a=torch_tensor(shape=(2**62, 8))))
    yield "storage_too_large", program(dict_of(a=torch_tensor(elements=2**61)))
    yield "storage_of_another", program(dict_of(a=torch_tensor(key="../data.pkl")))
    yield "twice", program(b"}(" + (unicode("a") + torch_tensor()) * 2 + b"u")
    yield "metadata_is_no_text", program(dict_of(a=torch_tensor(), format=b"X\x02\x00\x00\x00\xff\xfe"))
    yield "name_is_no_text", program(b"}(X\x02\x00\x00\x00\xff\xfe" + torch_tensor() + b"u")
    yield "name_is_a_number", program(b"}(K\x01" + torch_tensor() + b"u")
    yield "contains_itself", program(b"}q\x00(" + unicode("state_dict") + b"h\x00u")
    yield "list_in_itself", program(b"]q\x00h\x00a0")
    yield "tuple_in_itself", program(b"(]q\x00tq\x01h\x00h\x01a")
    yield "deep_tuples", program(b"N" + b"\x85" * 1500)
    yield "marks_without_end", program(b"(" * 1500)
    yield "doubling", program(b"N" + b"q\x00h\x00\x86" * 200)
    yield "memo_far_out", program(b"Nr\xff\xff\xff\xff")
    yield "recalls_nothing", program(b"j\x07\x00\x00\x00")
    yield "empty_stack", program(b"u")
    yield "mark_under", program(b"(}a")
    yield "claims_4_gb", program(b"X\xff\xff\xff\xffa")
    yield "long_of_255", program(b"\x8a\xff" + bytes(255))
    yield "cut", program(two)[:70]
    yield "two_results", program(b"NN")
    yield "no_stop", b"\x80\x02N"


def zip_of(files, **changed):
    """Stored files; torch's layout."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", changed.get("method", zipfile.ZIP_STORED)) as archive:
        for name, content in files:
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content,
                             changed.get("method", zipfile.ZIP_STORED))
    return buffer.getvalue()


def legacy(body=None, keys=("0",), storages=((6, bytes(range(24))),), version=1001, little=True, magic=0x1950a86a20f9469cfc6c):
    """As PyTorch before 1.6 saved: pickles in a row, then counts and elements."""
    machine = {"protocol_version": 1001, "little_endian": little, "type_sizes": {"short": 2, "int": 4, "long": 4}}
    pickles = [pickle.dumps(value, protocol=2) for value in (magic, version, machine)]
    value = program(dict_of(a=legacy_tensor())) if body is None else body
    pickles += [value, pickle.dumps(list(keys), protocol=2)]
    return b"".join(pickles) + b"".join(struct.pack("<q", count) + data for count, data in storages)


def legacy_tensor(view=b"N", **settings):
    """A tensor whose storage has the sixth part of old files."""
    return torch_tensor(**settings).replace(b"tQ", view + b"tQ", 1)


def legacy_files():
    two = dict_of(a=legacy_tensor(), b=legacy_tensor(kind="HalfStorage", key="1", elements=4, shape=(4,), strides=(1,)))
    view = b"(" + unicode("v") + integer(2) + integer(4) + b"t"
    yield "legacy", legacy()
    yield "legacy_two", legacy(program(two), ("1", "0"), ((4, bytes(8)), (6, bytes(24))))
    yield "legacy_view", legacy(program(dict_of(a=legacy_tensor(view, shape=(2, 2), strides=(2, 1)))))
    yield "legacy_view_outside", legacy(program(dict_of(a=legacy_tensor(b"(" + unicode("v") + integer(4) + integer(4) + b"t"))))
    yield "legacy_first_rebuild", legacy(program(dict_of(a=legacy_tensor())).replace(b"_rebuild_tensor_v2", b"_rebuild_tensor"))
    yield "legacy_cut", legacy()[:-4]
    yield "legacy_cut_in_the_pickle", legacy()[:150]
    yield "legacy_count", legacy(storages=((7, bytes(28)),))
    yield "legacy_negative_count", legacy(storages=((-1, b""),))
    yield "legacy_huge_count", legacy(storages=((2**61, b""),))
    yield "legacy_no_storage", legacy(keys=(), storages=())
    yield "legacy_key_of_none", legacy(keys=("0", "9"), storages=((6, bytes(24)), (1, bytes(4))))
    yield "legacy_keys_are_numbers", legacy(keys=(0,))
    yield "legacy_version", legacy(version=1000)
    yield "legacy_big_endian", legacy(little=False)
    yield "legacy_magic", legacy(magic=0x1950a86a20f9469cfc6d)
    yield "legacy_module", legacy(program(b"((X\x06\x00\x00\x00modulecos\nsystem\n" + unicode("x") + unicode("y") + b"tQ"))


def torch_files():
    yield from legacy_files()
    body = program(dict_of(state_dict=dict_of(a=torch_tensor()), global_step=b"K\x05"))
    files = [("m/data.pkl", body), ("m/byteorder", b"little"), ("m/data/0", bytes(range(24))), ("m/version", b"3\n")]
    right = zip_of(files)
    end = right.rfind(b"PK\x05\x06")
    directory = right.find(b"PK\x01\x02")

    def patched(at, form, value):
        return right[:at] + struct.pack(form, value) + right[at + struct.calcsize(form):]

    yield "right", right
    yield "right_small", zip_of([("m/data.pkl", program(dict_of(a=torch_tensor(elements=1, shape=(1,), strides=(1,))))),
                                 ("m/data/0", b"abcd")])
    yield "only_a_pickle", zip_of(files[:1])
    yield "no_pickle", zip_of(files[1:])
    yield "two_pickles", zip_of(files + [("n/data.pkl", body)])
    yield "big_endian", zip_of([files[0], ("m/byteorder", b"big"), files[2]])
    yield "compressed", zip_of(files, method=zipfile.ZIP_DEFLATED)
    yield "bomb", zip_of([("m/data.pkl", bytes(1 << 20))], method=zipfile.ZIP_DEFLATED)
    yield "leads_elsewhere", zip_of(files + [("../../etc/x", b"")])
    yield "absolute", zip_of(files + [("/x", b"")])
    yield "cut", right[:-30]
    yield "cut_in_the_middle", right[:directory + 10]
    yield "with_a_comment", right[:-2] + b"\x05\x00hello"
    yield "comment_like_an_end", right[:-2] + b"\x16\x00" + right[end:-2] + b"\x00\x00"
    yield "many_entries", right[:end + 8] + b"\xfe\xff\xfe\xff" + right[end + 12:]
    yield "directory_out_of_bounds", patched(end + 16, "<I", 0x7FFFFFFF)
    yield "directory_too_large", patched(end + 12, "<I", 0xFFFFFFF0)
    yield "asks_for_zip64", patched(end + 16, "<I", 0xFFFFFFFF)
    yield "entry_out_of_bounds", patched(directory + 42, "<I", 0x7FFFFFFF)
    yield "entry_too_large", patched(directory + 20, "<I", 0x7FFFFFFF)
    yield "encrypted", patched(directory + 8, "<H", 1)
    second = right.find(b"PK\x01\x02", directory + 4)
    yield "overlapping", right[:second + 42] + right[directory + 42:directory + 46] + right[second + 46:]
    yield "local_name_differs", right.replace(b"m/data.pkl", b"m/data.pkx", 1)
    end64 = (b"PK\x06\x06" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, 4, 4, end - directory, directory) +
             b"PK\x06\x07" + struct.pack("<IQI", 0, end, 1))
    yield "zip64", right[:end] + end64 + right[end:]
    yield "zip64_contradicts", right[:end] + end64.replace(struct.pack("<Q", directory), struct.pack("<Q", 3)) + right[end:]
    yield "zip64_far_out", right[:end] + end64[:56] + b"PK\x06\x07" + struct.pack("<IQI", 0, 2**63, 1) + right[end:]


def jsons():
    yield "right", b'{"a": [1, -2, 3.5, 1e-7], "b": {"c": null, "d": true}, "e": "\\u00e9\\ud83d\\ude00"}'
    yield "python_numbers", b'{"a": NaN, "b": [Infinity, -Infinity], "c": "NaN \\" Infinity"}'
    yield "texts", b'{"names": ["a", "b"], "one": "a", "mixed": ["a", 1]}'
    yield "lists_of_numbers", b'{"a": [1, 2], "b": [1.5, 2], "c": 7, "d": 18446744073709551615, "e": -9223372036854775808}'
    yield "deep_lists", b"[" * 1000 + b"]" * 1000
    yield "deep_objects", b'{"a":' * 1000
    yield "depth_64", b"[" * 64 + b"]" * 64
    yield "duplicate", b'{"a": 1, "a": 2}'
    yield "too_large_number", b'{"a": 1e400}'
    yield "too_large_integer", b'{"a": 123456789012345678901234567890}'
    yield "not_utf8", b'{"a": "\xff\xfe"}'
    yield "lone_surrogate", b'{"a": "\\ud800"}'
    yield "nul", b'{"a": 1}\x00{"b": 2}'
    yield "escaped_nul", b'{"a\\u0000b": "\\u0000"}'
    yield "mark_of_order", b'\xef\xbb\xbf{"a": 1}'
    yield "two", b'{} {}'
    yield "comment", b'{"a": 1} // no'
    yield "cut", b'{"a": ["b", '
    yield "empty", b''


def graphs(root):
    text_to_image = json.loads((root / "examples/graphs/text_to_image.json").read_text())
    sample = {
        "format": 1,
        "nodes": {
            "load": {"type": "load.checkpoint", "params": {"checkpoint": "m"}},
            "encode": {"type": "prompt.encode", "params": {"prompt": "a"}, "memory": "leaf+stream"},
            "latent": {"type": "latent.empty", "params": {"width": 64}},
            "denoise": {"type": "denoise.sample", "v": 2, "params": {"steps": 4, "sampler": "ddim"}},
            "decode": {"type": "decode.image", "params": {}, "title": "t", "position": [1, 2.5]},
            "save": {"type": "save.image"}},
        "links": [{"from": ["load", "model"], "to": [node, "model"]} for node in ("encode", "denoise", "decode")] + [
            {"from": ["encode", "positive"], "to": ["denoise", "positive"]},
            {"from": ["latent", "latent"], "to": ["denoise", "latent"]},
            {"from": ["denoise", "latent"], "to": ["decode", "latent"]},
            {"from": ["decode", "image"], "to": ["save", "image"]}],
        "exposed": [{"node": "encode", "param": "prompt", "label": "Prompt"}],
        "memory_budget": "1GiB", "device": "fake:1GiB", "gc_threshold": 70, "low_memory": "auto"}

    def changed(**keys):
        return json.dumps(sample | keys, separators=(",", ":")).encode()

    def node(**keys):
        return changed(nodes=sample["nodes"] | {"save": {"type": "save.image"} | keys})

    yield "right", changed()
    yield "example", json.dumps(text_to_image, separators=(",", ":")).encode()
    yield "muted", node(mode="muted")
    yield "bypassed", changed(nodes=sample["nodes"] | {"decode": {"type": "decode.image", "mode": "bypassed"}})
    yield "no_nodes", b'{"format": 1}'
    yield "no_format", b'{"nodes": {}}'
    yield "newer", changed(format=2)
    yield "format_2_63", changed(format=2**63)
    yield "unknown_type", node(type="x.y")
    yield "long_type", node(type="x" * 2500)
    yield "unknown_parameter", node(params={"x": 1})
    yield "wrong_parameter", changed(nodes=sample["nodes"] | {"latent": {"type": "latent.empty", "params": {"width": "x"}}})
    yield "large_number", changed(nodes=sample["nodes"] | {"latent": {"type": "latent.empty", "params": {"width": 2**64 - 1}}})
    yield "circle", changed(links=sample["links"] + [{"from": ["denoise", "latent"], "to": ["denoise", "latent"]}])
    yield "link_from_nowhere", changed(links=[{"from": ["x", "y"], "to": ["save", "image"]}])
    yield "two_into_one", changed(links=sample["links"] + [{"from": ["load", "model"], "to": ["save", "image"]}])
    yield "policy_for_nothing", node(memory={"policy": "leaf"})
    yield "wrong_policy", changed(nodes=sample["nodes"] | {"encode": sample["nodes"]["encode"] | {"memory": {"policy": 3}}})
    yield "budget", changed(memory_budget="lots")
    yield "device", changed(device="tpu")
    yield "links_are_no_list", changed(links={})
    yield "empty_id", changed(nodes={"": {"type": "save.image"}})


def policies():
    for number, text in enumerate([
            "auto", "none", "leaf+stream", "block:3,budget=2GiB,after=drop,pin=1MiB@cuda:1", "model,after=keep",
            "sequential", "block:2+stream@fake:8GiB,spill=16GiB", "cpu", "cuda:7", "fake:256MiB,fail=arena:3", "1.5GiB",
            "9000000000000000000"]):
        yield f"right_{number:02}", text.encode()
    yield "object", b'{"policy":"block","stream":true,"blocks_per_group":2,"budget":"1GiB","after":"keep","pin_cap":5,"device":"fake"}'
    yield "components", b'{"components":{"text_encoder":"none","denoiser":{"policy":"leaf","stream":true}}}'
    yield "nested_components", b'{"components":{"a":{"components":{"b":"none"}}}}'
    yield "number_that_wraps", b'{"policy":"block","blocks_per_group":4294967298}'
    yield "number_too_large", b'{"policy":"block","blocks_per_group":9223372036854775808}'
    yield "long_name", b"x" * 2500
    yield "not_utf8", b"leaf\xff\xfe,budget=1"
    yield "cannot_stream", b"none+stream"
    yield "no_size", b"leaf,budget=1e999GiB"
    yield "negative", b"leaf,budget=-1"
    yield "block_0", b"block:0"
    yield "wrong_type", b'{"policy":7}'
    yield "list", b"[]"


def profiles():
    right = {"device": "cpu", "name": "n", "processor": "p", "numerics": "t", "version": "0.1.0", "measured_on": "2026-11-21",
             "speeds": {"copy_bytes_per_second": 2e9, "converted_bytes_per_second": 1e9, "mapped_bytes_per_second": 0,
                        "pinned_bytes_per_second": 0, "copy_overhead_seconds": 2e-5, "compute_of_copies": 0.5, "flops_per_second": 1e11,
                        "leaf_overhead_seconds": 5e-5}}

    def changed(**speeds):
        return json.dumps(right | {"speeds": right["speeds"] | speeds}).encode()

    yield "right", changed()
    yield "zero", changed(flops_per_second=0)
    yield "negative", changed(copy_overhead_seconds=-1)
    yield "infinite", changed(copy_bytes_per_second=1e300)
    yield "text", changed(copy_bytes_per_second="fast")
    yield "day", json.dumps(right | {"measured_on": "20\n26-1-1"}).encode()
    yield "missing", b"{}"
    yield "list", b"[]"


def chunk(kind, data, crc=None):
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body) if crc is None else crc)


def png(width=2, height=2, depth=8, color=0, interlace=0, rows=b"\x00\x01\x02\x00\x03\x04", before=b"", after=b""):
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, interlace)) +
            before + chunk(b"IDAT", zlib.compress(rows, 9)) + after + chunk(b"IEND", b""))


def pngs():
    texts = (chunk(b"tEXt", b"a\0text") + chunk(b"zTXt", b"b\0\0" + zlib.compress(b"packed")) +
             chunk(b"iTXt", b"c\0\0\0\0\0\xe2\x82\xac") + chunk(b"iTXt", b"d\0\1\0en\0D\0" + zlib.compress(b"\xe2\x82\xac")))
    palette = chunk(b"PLTE", bytes.fromhex("102030405060708090a0b0c0"))
    yield "right", png()
    yield "colour", png(1, 2, color=2, rows=b"\x00abc\x01def", before=texts)
    yield "palette", png(4, 2, 2, 3, rows=b"\x00\x1b\x00\xb1", before=palette + chunk(b"tRNS", b"\x00\xff\x80"), after=texts)
    yield "grey_alpha_16", png(2, 1, 16, 4, rows=bytes(9), before=chunk(b"gAMA", struct.pack(">I", 45455)))
    yield "interlaced", png(3, 3, interlace=1, rows=bytes.fromhex("000100020003040005000600070800090a0b"))
    yield "alpha", png(1, 1, color=6, rows=bytes(5))
    yield "transparent_grey", png(before=chunk(b"tRNS", b"\x00\x01"))
    yield "generation_text", png(before=chunk(b"tEXt", b"parameters\0a cat\nSteps: 20, Sampler: Euler"))
    yield "cut", png()[:-20]
    yield "wrong_checksum", png(before=chunk(b"tEXt", b"a\0b", crc=1))
    yield "pixel_bomb", png(1 << 14, 1 << 14, rows=b"")
    yield "wide_bomb", png(1 << 20, 1 << 8, rows=b"")
    yield "too_wide", png((1 << 20) + 1, 1, rows=b"")
    yield "side_2_31", png(2**31 - 1, 2**31 - 1, rows=b"")
    yield "text_bomb", png(before=chunk(b"zTXt", b"a\0\0" + zlib.compress(bytes(1 << 20), 9)))
    yield "too_few_rows", png(2, 3)
    yield "too_many_rows", png(2, 1)
    yield "no_palette", png(color=3)
    yield "index_behind_the_palette", png(2, 1, 8, 3, rows=b"\x00\x01\xff", before=palette)
    yield "two_headers", png(before=chunk(b"IHDR", bytes(13)))
    yield "text_without_a_key", png(before=chunk(b"tEXt", b"\0x"))
    yield "long_key", png(before=chunk(b"tEXt", b"k" * 80 + b"\0x"))
    yield "key_with_control", png(before=chunk(b"tEXt", b"a\x01b\0x"))
    yield "text_is_no_utf8", png(before=chunk(b"iTXt", b"a\0\0\0\0\0\xff\xfe"))
    yield "profile", png(before=chunk(b"iCCP", b"p\0\0" + zlib.compress(bytes(128))))
    yield "chunk_claims_2_31", png()[:33] + struct.pack(">I", 2**31 - 1) + b"tEXt"
    yield "oriented", png(before=chunk(b"eXIf", image_seeds.exif_of(image_seeds.ORIENTED)))
    yield "oriented_behind_the_pixels", png(after=chunk(b"eXIf", image_seeds.exif_of(image_seeds.ORIENTED)))
    yield "named_profile", png(before=chunk(b"iCCP", b"p\0\0" + zlib.compress(image_seeds.profile())))
    yield "profile_bomb", png(before=chunk(b"iCCP", b"p\0\0" + zlib.compress(bytes(1 << 22), 9)))
    yield "deep", png(1, 1, 16, 2, rows=bytes(range(7)))
    yield "unknown_critical", png(before=chunk(b"XXXX", b"?"))


def model_configs(root):
    unet = json.loads((root / "resources/mini/model/unet/config.json").read_text())
    vae = json.loads((root / "resources/mini/model/vae/config.json").read_text())

    def text(settings, **keys):
        return json.dumps(settings | keys, separators=(",", ":")).encode()

    yield "right_unet", text(unet)
    yield "right_autoencoder", text(vae)
    yield "no_channels", text(unet, block_out_channels=[])
    yield "many_levels", text(unet, block_out_channels=[32] * 1000)
    yield "no_groups", text(unet, norm_num_groups=0)
    yield "negative_groups", text(unet, norm_num_groups=-1)
    yield "layers_without_end", text(unet, layers_per_block=2**62)
    yield "many_layers", text(unet, layers_per_block=1000, transformer_layers_per_block=1000)
    yield "overflowing", text(unet, time_embedding_dim=2**63)
    yield "heads", text(unet, attention_head_dim=7)
    yield "scaling", text(vae, scaling_factor=0)
    yield "scaling_huge", text(vae, scaling_factor=1e308)
    yield "not_a_number", text(vae)[:-1] + b',"shift_factor":NaN}'
    yield "levels", text(vae, block_out_channels=[32] * 64, down_block_types=["DownEncoderBlock2D"] * 64,
                         up_block_types=["UpDecoderBlock2D"] * 64)
    yield "another_class", text(unet, _class_name="x" * 3000)
    yield "long_setting", text(unet, act_fn="x" * 3000)
    yield "wrong_types", text(unet, in_channels="4", down_block_types=[1])


UNET = """Uinput_blocks.0.0.weight 32,4,3,3
Uinput_blocks.1.0.in_layers.2.weight 32,32,3,3
Uinput_blocks.1.1.transformer_blocks.0.norm1.weight 32
Uinput_blocks.2.0.op.weight 32,32,3,3
Uinput_blocks.3.0.in_layers.2.weight 64,32,3,3
Umiddle_block.1.proj_in.weight 64,64,1,1
Umiddle_block.1.transformer_blocks.0.norm1.weight 64
Umiddle_block.1.transformer_blocks.0.attn2.to_k.weight 64,32
Uout.2.weight 4,32,3,3
Utime_embed.0.weight 128,32
"""
VAE = """Vencoder.down.0.block.0.conv1.weight 32,32,3,3
Vencoder.down.1.block.0.conv1.weight 64,32,3,3
Vencoder.mid.attn_1.norm.weight 64
Vencoder.mid.attn_1.q.weight 64,64,1,1
Vdecoder.conv_in.weight 64,4,3,3
Vquant_conv.weight 8,8,1,1
Vpost_quant_conv.weight 4,4,1,1
"""
TEXT = """Ttext_model.embeddings.token_embedding.weight 1000,32
Ttext_model.embeddings.position_embedding.weight 77,32
Ttext_model.encoder.layers.0.mlp.fc1.weight 64,32
"""
OPEN_CLIP = """Otoken_embedding.weight 1000,1024
Opositional_embedding 77,1024
Otransformer.resblocks.0.ln_1.weight 1024
Otransformer.resblocks.0.attn.in_proj_weight 3072,1024
Otransformer.resblocks.0.mlp.c_fc.weight 4096,1024
Otransformer.resblocks.1.ln_1.weight 1024
Otext_projection 1024,1024
"""
XL_UNET = UNET.replace("64,32\n", "64,1056\n").replace("64,64,1,1", "64,64") + "Ulabel_emb.0.0.weight 128,1120\n"
XL_FIRST = TEXT.replace("Ttext_model", "C0.transformer.text_model")
XL_SECOND = OPEN_CLIP.replace("Otext_projection", "C1.model.text_projection").replace("\nO", "\nC1.model.").replace("Otoken", "C1.model.token")

WAN = """=patch_embedding.weight 256,36,1,2,2
=head.head.weight 64,256
=head.modulation 1,2,256
=text_embedding.0.weight 256,4096
=time_embedding.0.weight 256,256
=blocks.0.self_attn.q.weight 256,256
=blocks.0.self_attn.norm_q.weight 256
=blocks.0.cross_attn.q.weight 256,256
=blocks.0.cross_attn.k_img.weight 256,256
=blocks.0.norm3.weight 256
=blocks.0.ffn.0.weight 512,256
=img_emb.proj.0.weight 1280
"""
WAN_AUTOENCODER = """=encoder.conv1.weight 96,3,3,3,3
=encoder.downsamples.0.residual.2.weight 96,96,3,3,3
=encoder.downsamples.1.resample.1.weight 96,96,3,3
=encoder.downsamples.2.residual.2.weight 192,96,3,3,3
=encoder.downsamples.3.resample.1.weight 192,192,3,3
=encoder.downsamples.3.time_conv.weight 192,192,3,1,1
=encoder.downsamples.4.residual.2.weight 384,192,3,3,3
=decoder.middle.0.residual.0.gamma 384,1,1,1
=decoder.head.2.weight 3,96,3,3,3
=conv2.weight 16,16,1,1,1
"""
T5 = """=shared.weight 256384,4096
=encoder.block.0.layer.0.SelfAttention.q.weight 4096,4096
=encoder.block.0.layer.0.SelfAttention.relative_attention_bias.weight 32,64
=encoder.block.0.layer.1.DenseReluDense.wi_0.weight 10240,4096
"""
VISION = """=vision_model.embeddings.patch_embedding.weight 1280,3,14,14
=vision_model.embeddings.position_embedding.weight 257,1280
=vision_model.encoder.layers.0.mlp.fc1.weight 5120,1280
=vision_model.encoder.layers.0.layer_norm1.weight 1280
=visual_projection.weight 1024,1280
"""


def split_files():
    yield "wan", WAN.encode()
    yield "wan_prefixed", WAN.replace("=", "U").encode()
    yield "wan_narrow", WAN.replace("256", "48").encode()
    yield "wan_heads_stated", (WAN.replace("256", "48") + '{"transformer":{"num_attention_heads":2,"attention_head_dim":"x"}}').encode()
    yield "wan_huge_patch", WAN.replace("36,1,2,2", "36,4294967296,4294967296,4294967296").encode()
    yield "wan_no_axes", WAN.replace("256,36,1,2,2", "256").encode()
    yield "wan_autoencoder", WAN_AUTOENCODER.encode()
    yield "wan_autoencoder_zeros", WAN_AUTOENCODER.replace("96", "0").encode()
    yield "wan_autoencoder_of_2_2", (WAN_AUTOENCODER + "=encoder.downsamples.0.downsamples.0.residual.2.weight 1\n").encode()
    yield "t5", T5.encode()
    yield "t5_no_heads", T5.replace("32,64", "32,0").encode()
    yield "t5_of_wan", (b"=token_embedding.weight 100,64\n=blocks.0.attn.q.weight 64,64\n=blocks.0.pos_embedding.embedding.weight 32,4\n"
                        b"=blocks.0.ffn.gate.0.weight 128,64\n")
    yield "t5_of_llama_cpp", (b"=token_embd.weight 100,64\n=enc.blk.0.attn_q.weight 64,64\n=enc.blk.0.attn_rel_b.weight 32,4\n"
                              b"=enc.blk.0.ffn_gate.weight 128,64\n")
    yield "t5_with_pieces", (T5 + "=spiece_model 7\n").encode()
    yield "vision", VISION.encode()
    yield "vision_of_other_width", VISION.replace("1280", "40").encode()
    yield "vision_stated", (VISION.replace("1280", "40") + '{"image_encoder":{"num_attention_heads":4,"hidden_size":"x"}}').encode()
    yield "vision_huge", VISION.replace("257", "9223372036854775807").replace("14,14", "14,9223372036854775807").encode()


def single_files():
    def upscaler(names):
        return "".join(f"={name} {shape}\n" for name, shape in names).encode()

    right = UNET + VAE + TEXT
    yield "right", right.encode()
    yield "open_clip", (UNET.replace("64,32\n", "64,1024\n").replace("64,64,1,1", "64,64") + VAE + OPEN_CLIP).encode()
    yield "lcm", (right + "Utime_embed.cond_proj.weight 32,256\n").encode()
    yield "stated", (right + "#global_step 875000\n#modelspec.prediction_type v\n").encode()
    yield "settings", (right + '{"unet":{"norm_num_groups":8,"attention_head_dim":4},"vae":{"norm_num_groups":8}}').encode()
    yield "settings_of_everything", (right + '{"text_encoder":{"num_attention_heads":4},"tokenizer":{"model_max_length":1e30},'
                                   '"scheduler":{"beta_start":"x"}}').encode()
    yield "settings_unknown_part", (right + '{"lora":{}}').encode()
    yield "settings_no_object", (right + '{"unet":7}').encode()
    yield "settings_wrong_type", (right + '{"unet":{"block_out_channels":"x"}}').encode()
    yield "xl", (right + "=conditioner.embedders.0.x 1\n").encode()
    xl = XL_UNET + VAE + XL_FIRST + XL_SECOND
    yield "xl_base", xl.encode()
    yield "xl_refiner", (XL_UNET.replace("1120", "1104") + VAE + XL_SECOND.replace("C1.", "C0.")).encode()
    yield "xl_one_encoder", (XL_UNET + VAE + XL_SECOND).encode()
    yield "xl_wrong_projection", xl.replace("text_projection 1024,1024", "text_projection 1024,768").encode()
    yield "xl_projection_of_one_axis", xl.replace("text_projection 1024,1024", "text_projection 1024").encode()
    yield "xl_edm", (xl + "=edm_mean 1,4,1,1\n=edm_std 1,4,1,1\n").encode()
    yield "xl_edm_velocity", (xl + "=edm_vpred.sigma_max 1\n").encode()
    yield "xl_small_middle", (XL_UNET.replace("Umiddle_block.1.proj_in.weight 64,64\n", "Umiddle_block.0.in_layers.2.weight 64,64,3,3\n")
                              + VAE + XL_FIRST + XL_SECOND).encode()
    yield "unet_only", UNET.encode()
    bare = UNET.replace("U", "=") + "=output_blocks.0.0.in_layers.2.weight 64,64,3,3\n"
    yield "bare_unet", bare.encode()
    yield "bare_unet_with_zero_snr", (bare + '=v_pred 0\n=ztsnr 0\n{"unet":{"cross_attention_dim":[]}}').encode()
    yield "diffusers_unet", b"".join(b"=%s.weight 32,4,3,3\n" % name for name in (
        b"conv_in", b"conv_out", b"time_embedding.linear_1", b"up_blocks.0.resnets.0.conv1",
        b"mid_block.attentions.0.transformer_blocks.0.attn2.to_k"))
    yield "no_text_encoder", (UNET + VAE).encode()
    yield "huge_shapes", right.replace("32,4,3,3", "4611686018427387904,0,3,3").replace("77,32", "9223372036854775807,0").encode()
    yield "no_axes", right.replace("64,64,1,1", "").encode()
    yield "zeros", right.replace("64", "0").encode()
    yield "fused_of_nothing", (UNET + OPEN_CLIP.replace("3072,1024", "0,9223372036854775807")).encode()
    yield "levels_differ", (right + "Uinput_blocks.4.0.in_layers.2.weight 64,64,3,3\n").encode()
    yield "upscaler", upscaler([("conv_first.weight", "8,3,3,3"), ("conv_first.bias", "8")] + [
        (f"body.0.rdb{rdb}.conv{conv}.weight", f"{8 if conv == 5 else 4},{8 + 4 * (conv - 1)},3,3")
        for rdb in (1, 2, 3) for conv in (1, 2, 3, 4, 5)] + [
            ("conv_body.weight", "8,8,3,3"), ("conv_up1.weight", "8,8,3,3"), ("conv_up2.weight", "8,8,3,3"),
            ("conv_hr.weight", "8,8,3,3"), ("conv_last.weight", "3,8,3,3")])
    yield "upscaler_of_9999_blocks", upscaler([("conv_first.weight", "8,3,3,3"), ("body.9999.rdb1.conv1.weight", "4,8,3,3")])
    yield "lora", b"=lora_unet_down_blocks_0.lora_down.weight 4,320\n"
    yield "nothing", b""
    yield from split_files()


def tokenizers(root):
    alphabet = [chr(b) for b in range(33, 127)] + [chr(b) for b in range(161, 173)] + [chr(b) for b in range(174, 256)]
    alphabet += [chr(0x100 + n) for n in range(256 - len(alphabet))]
    tokens = ["a", "b", "t", "a</w>", "t</w>", "c", "ca", "cat</w>", "<|startoftext|>", "<|endoftext|>"]
    vocabulary = json.dumps({token: n for n, token in enumerate(tokens)}, separators=(",", ":"))
    merges = "#version: 0.2\nc a\nca t</w>\n"
    config = '{"model_max_length":77}'

    def files(*parts):
        return SEPARATOR.join(parts).encode()

    yield "right", files(merges, vocabulary, config)
    yield "all_files", files(merges, vocabulary, config, '{"pad_token":{"content":"<|endoftext|>","lstrip":false}}',
                             '{"cat</w>":7}')
    yield "decoder", files(merges, vocabulary, '{"added_tokens_decoder":{"8":{"content":"<|startoftext|>","normalized":true},'
                           '"9":{"content":"<|endoftext|>"}}}')
    yield "no_merges", files("", vocabulary)
    yield "no_vocabulary", files(merges)
    yield "merge_outside", files("x y\n", vocabulary)
    yield "merge_not_utf8", files("x", vocabulary).replace(b"x", b"\xff\xfe a")
    yield "long_merge", files("x" * 3000 + " y\n", vocabulary)
    yield "long_token", files(merges, json.dumps({"t" * 3000: -1}))
    yield "negative_id", files(merges, vocabulary.replace(":0", ":-1"))
    yield "huge_id", files(merges, vocabulary.replace(":0", ":18446744073709551615"))
    yield "id_2_24", files(merges, vocabulary.replace(":0", ":16777217"))
    yield "same_id", files(merges, vocabulary.replace(":9", ":8"))
    yield "no_end", files(merges, vocabulary.replace("endoftext", "x"))
    yield "length_1e30", files(merges, vocabulary, '{"model_max_length":1e30}')
    yield "length_minus_1e300", files(merges, vocabulary, '{"model_max_length":-1e300}')
    yield "length_2", files(merges, vocabulary, '{"model_max_length":2}')
    yield "length_not_a_number", files(merges, vocabulary, '{"model_max_length":NaN}')
    yield "stripping", files(merges, vocabulary, '{"pad_token":{"content":"a","lstrip":true}}')
    yield "added_outside", files(merges, vocabulary, config, "", '{"x":99}')
    yield "config_is_a_list", files(merges, vocabulary, "[]")
    yield "empty_special", files(merges, vocabulary.replace('"a"', '""'), '{"pad_token":""}')
    bytes_ = json.dumps({token: n for n, token in enumerate([*alphabet, "at"])}, separators=(",", ":"))
    decoder = '{"tokenizer_class":"Qwen2Tokenizer","added_tokens_decoder":{"257":{"content":"<|endoftext|>"}}}'
    yield "qwen", files("a t\n", bytes_, decoder)
    yield "qwen_without_settings", files("a t\n", bytes_)
    yield "qwen_with_a_list", files("a t\n", bytes_, "", "", '{"<|im_end|>":257}')
    yield "qwen_of_gpt", files("a t\n", bytes_, decoder.replace("Qwen2", "GPT2"))
    yield "qwen_decoder_of_words", files("a t\n", bytes_, decoder.replace("257", "x"))
    yield "qwen_decoder_of_numbers", files("a t\n", bytes_, '{"added_tokens_decoder":{"257":1}}')
    yield "qwen_decoder_is_a_list", files("a t\n", bytes_, '{"added_tokens_decoder":[1]}')


def tokenizer_jsons():
    tokens = ["a", "b", "t", "a</w>", "t</w>", "c", "ca", "cat</w>", "<|startoftext|>", "<|endoftext|>"]
    added = [{"id": 8, "content": "<|startoftext|>", "single_word": False, "lstrip": False, "rstrip": False,
              "normalized": True, "special": True}, {"id": 9, "content": "<|endoftext|>", "normalized": False}]

    def file(model=(), **changed):
        whole = {"version": "1.0", "added_tokens": added,
                 "model": {"type": "BPE", "unk_token": "<|endoftext|>", "end_of_word_suffix": "</w>",
                           "vocab": {token: n for n, token in enumerate(tokens)},
                           "merges": [["c", "a"], ["ca", "t</w>"]], **dict(model)}, **changed}
        return json.dumps(whole, separators=(",", ":")).encode()

    yield "right", file()
    yield "merges_as_lines", file({"merges": ["c a", "ca t</w>"]})
    yield "no_type", file({"type": None})
    yield "unigram", file({"type": "Unigram", "vocab": [["a", -1.5]]})
    yield "other_word_end", file({"end_of_word_suffix": "@"})
    yield "no_merges", file({"merges": []})
    yield "merges_null", file({"merges": None})
    yield "merge_of_one", file({"merges": ["c"]})
    yield "merge_of_three", file({"merges": [["c", "a", "t"]]})
    yield "merge_of_numbers", file({"merges": [[1, 2]]})
    yield "merge_outside", file({"merges": [["c", "zzz"]]})
    yield "merge_of_nothing", file({"merges": [["", ""], " "]})
    yield "long_merge", file({"merges": [["x" * 3000, "y"]]})
    yield "vocab_is_a_list", file({"vocab": tokens})
    yield "vocab_is_empty", file({"vocab": {}})
    yield "id_2_24", file({"vocab": {token: n + (1 << 24) for n, token in enumerate(tokens)}})
    yield "huge_id", file({"vocab": {"a": 18446744073709551615}})
    yield "same_id", file({"vocab": {token: 0 for token in tokens}})
    yield "no_added_tokens", file(added_tokens=None)
    yield "added_is_an_object", file(added_tokens={"a": 1})
    yield "added_is_a_number", file(added_tokens=[3])
    yield "added_is_a_text", file(added_tokens=["a"])
    yield "added_outside", file(added_tokens=[{"id": 99, "content": "x"}])
    yield "added_id_minus_1", file(added_tokens=[{"id": -1, "content": "x"}])
    yield "added_twice", file(added_tokens=added + added)
    yield "added_empty", file({"vocab": {**{t: n for n, t in enumerate(tokens)}, "": 10}}, added_tokens=[{"id": 10, "content": ""}])
    yield "added_id_2_40", file(added_tokens=[{"id": 1 << 40, "content": "a"}])
    yield "model_is_a_list", b'{"model":[]}'
    yield "nothing", b""
    yield from byte_level_jsons()
    yield from unigram_jsons()


def character_map():
    """One that replaces nothing."""
    return struct.pack("<I", 4) + bytes(4)


def unigram_jsons():
    pieces = [["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0], ["\u2581", -2.0], ["\u2581a", -3.0], ["t", -4.0]]
    metaspace = {"type": "Metaspace", "replacement": "\u2581"}
    replaced = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    mapped = {"type": "Precompiled", "precompiled_charsmap": base64.b64encode(character_map()).decode()}

    def file(model=(), **changed):
        whole = {"added_tokens": [{"id": 1, "content": "</s>", "normalized": False}], "normalizer": None,
                 "pre_tokenizer": {**metaspace, "prepend_scheme": "always", "split": True},
                 "model": {"type": "Unigram", "unk_id": 2, "vocab": pieces, **dict(model)}, **changed}
        return json.dumps(whole, separators=(",", ":")).encode()

    yield "unigram_newer", file()
    yield "unigram_older", file(pre_tokenizer={**metaspace, "add_prefix_space": True}, normalizer={"type": "Sequence", "normalizers": [replaced]})
    yield "unigram_of_t5", file(normalizer={"type": "Sequence", "normalizers": [
        mapped, {"type": "Strip", "strip_left": False, "strip_right": True}, {**replaced, "content": "\u2581"}]})
    yield "unigram_in_a_sequence", file(pre_tokenizer={"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, metaspace]})
    yield "unigram_two_maps", file(normalizer={"type": "Sequence", "normalizers": [mapped, mapped]})
    yield "unigram_replace_letters", file(normalizer={**replaced, "pattern": {"String": "a"}})
    yield "unigram_without_marks", file(pre_tokenizer=None)
    yield "unigram_stripping", file(added_tokens=[{"id": 3, "content": "\u2581", "lstrip": True, "rstrip": True}])
    yield "unigram_bytes", file({"byte_fallback": True})
    yield "unigram_score_of_1e308", file({"vocab": [*pieces, ["x", -1e308], ["xx", 1e308]]})
    yield "unigram_unknown_outside", file({"unk_id": 6})
    yield "unigram_twice", file({"vocab": [*pieces, ["t", -1.0]]})
    yield "unigram_empty_piece", file({"vocab": [*pieces, ["", -1.0]]})


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    """Of protocol buffers: a whole number, a text or message, or a real number."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def pieces_files():
    words = ["<pad>", "</s>", "<unk>", "\u2581", "\u2581a", "t", "\u00e4"]

    def file(names, kind=1, unknown=2, mapped=character_map(), more=b""):
        listed = b"".join(field(1, field(1, name.encode()) + field(2, -1.0 * n)) for n, name in enumerate(names))
        return listed + field(2, field(3, kind) + field(40, unknown)) + field(3, field(2, mapped)) + more

    yield "right", file(words)
    yield "without_a_map", file(words, mapped=b"")
    yield "cut_map", file(words, mapped=b"\x08\0\0\0" + bytes(4))
    yield "map_out_of_itself", file(words, mapped=struct.pack("<I", 8) + b"\xff" * 8 + b"x\0")
    yield "byte_pairs", file(words, kind=2)
    yield "no_unknown", file(words, unknown=99)
    yield "unknown_2_63", file(words, unknown=1 << 63)
    yield "twice", file([*words, "t"])
    yield "no_end", file([word for word in words if word != "</s>"])
    yield "sentinel", file([*words, "<extra_id_0>"])
    yield "cut", file(words)[:-3]
    yield "long_length", file(words) + b"\x0a" + b"\xff" * 9 + b"\x01"
    yield "endless_number", file(words) + b"\x08" + b"\xff" * 20
    yield "group", file(words) + b"\x0b"
    yield "pointer", b"version https://git-lfs.github.com/spec/v1\n"
    yield "nothing", b""


def byte_level_jsons():
    keep = list(range(33, 127)) + list(range(161, 173)) + list(range(174, 256))
    tokens = [chr(b) for b in keep] + [chr(256 + n) for n in range(256 - len(keep))] + ["at", "\u0120c", "\u0120cat"]
    begin, end = {"id": 300, "content": "<s>", "normalized": False}, {"id": 301, "content": "</s>", "normalized": True}
    split = {"type": "Split", "pattern": {"Regex": "(?i:'s|'t)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}|\\s+(?!\\S)|\\s+"}, "behavior": "Isolated"}
    bytes_ = {"type": "ByteLevel", "add_prefix_space": False, "use_regex": False}
    template = {"type": "TemplateProcessing", "special_tokens": {"<s>": {"id": "<s>", "ids": [300]}},
                "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}]}

    def file(model=(), **changed):
        whole = {"added_tokens": [begin, end], "normalizer": {"type": "NFC"}, "post_processor": template,
                 "pre_tokenizer": {"type": "Sequence", "pretokenizers": [split, bytes_]},
                 "model": {"type": "BPE", "ignore_merges": True, "vocab": {token: n for n, token in enumerate(tokens)},
                           "merges": [["a", "t"], ["\u0120", "c"], ["\u0120c", "at"]], **dict(model)}, **changed}
        return json.dumps(whole, separators=(",", ":")).encode()

    def split_by(expression):
        return {"type": "Sequence", "pretokenizers": [{**split, "pattern": {"Regex": expression}}, bytes_]}

    yield "byte_level", file()
    yield "byte_level_of_gpt", file(pre_tokenizer={"type": "ByteLevel", "add_prefix_space": False}, post_processor=None)
    yield "byte_level_without_a_byte", file({"vocab": {token: n for n, token in enumerate(tokens) if token != "a"}, "merges": []})
    yield "byte_level_that_backtracks", file(pre_tokenizer=split_by("(a+)+$|(\\w*)*!{9}"))
    yield "byte_level_of_nothing", file(pre_tokenizer=split_by(""))
    yield "byte_level_open_class", file(pre_tokenizer=split_by("[^\\s"))
    yield "byte_level_last_slash", file(pre_tokenizer=split_by("a\\"))
    yield "byte_level_huge_repeat", file(pre_tokenizer=split_by("((a{999}){999}){999}"))
    yield "byte_level_template_of_numbers", file(post_processor={**template, "single": [3, {"SpecialToken": 4}]})


def texts():
    for number, text in enumerate([
            "a photo of an astronaut riding a horse", "don't I'LL we've 3.14 x2", "<|endoftext|> a <|startoftext|>",
            "<|EndOfText|>!<|endoftext", "e\u0301 \u0130 \u1e9e \ufb01 \uff21", "\u4e00\u732b \U0001f468\u200d\U0001f469 \u0928\u093f",
            "x\u00a0y\u3000z\u200b\u180e\u2028", "a" * 400, "!" * 300, "\U0001f600" * 60, "\x00\x01\x7f", "   \t\n", ""]):
        yield f"text_{number:02}", text.encode()
    yield "not_utf8", b"a \xff\xfe b"
    yield "overlong", b"\xc0\x80"
    yield "surrogate", b"\xed\xa0\x80"
    yield "cut", "\u4e00".encode()[:2]
    yield "many_marks", ("a" + "\u0301" * 600).encode()


def prompts():
    for number, text in enumerate([
            "a (red:1.3) [small] ((cat))", "a BREAK b BREAK", "\\(a\\) \\\\ \\x", "(a:1.2.3) (b:) (c:-1)", "word++ (two words)-- (x)1.5",
            '"quoted"++ (a).attend(1.2) b--', "(a, b).blend(0.5, 0.5)", "(a).and()", "a.swap(b)", "withLora(x, 1)",
            "a, b, " * 40, "(" * 200 + "a", ")" * 50, "(a:99999)", "(a:1e999)", "+" * 500, "a" + "+" * 3000, "((a)++ (b--)1.1)0.5",
            "a <lora:ink:0.8> b <lyco:x:te=0.5:unet=1>", "<lora::1><lora:a:b><lora:a:1:2:3><hypernet:h:1> <a <: >", "<lora:" * 30 + ">"]):
        yield f"prompt_{number:02}", text.encode()
    yield "not_utf8", b"(a \xff:1.2)"
    yield "deep", b"(" * 1000 + b"a" + b")" * 1000
    yield "long_weight", b"(a:" + b"9" * 400 + b")"


def dirty_texts():
    for number, text in enumerate([
            "a cat &amp; a dog, &eacute;t&eacute; &#233; &#xE9 &notit; &CounterClockwiseContourIntegral; &NTILDE; &SZLIG;", "sch\u00c3\u00b6n, \u00e2\u0153\u201d",
            "\u00c3\u0192\u00c2\u00a9t\u00c3\u0192\u00c2\u00a9", "\u00c3 la mode, \u00c3 quela", "\u00e2\u20ac\u0153like this\u00e2\u20ac\ufffd, \u00c2?", "\ufb03 \uff21\uff76\uff9e\u3000\u201cq\u201d",
            "\x1b[31mred\x1b[0m\x1b[3", "a\r\nb\rc\u2028d\x85", "\u00ed\u00a0\u00bd\u00ed\u00b8\u0080 \u00c0\u0080 \u00c3\u00a9", "caf\u00c3\u00a9 \u00c0\n", "<b>&amp;</b>\n&amp;", "<\u0338",
            "\u0420\u00bf\u0421\u0402\u0420\u0451\u0420\u0406\u0420\u00b5\u0421\u201a", "\u251c\u2310 \u221a\u00a9", "&" + "amp;" * 60, "\u00c3" + "\u0192" * 60,
            "&#0;&#1;&#13;&#128;&#xD800;&#x110000;&#" + "9" * 300 + ";", "&#59;&semi;&amp;semi;", "a" + "\u0301\u0327" * 60, "\u1112\u1161\u11ab", " \x1c\t ", ""]):
        yield f"text_{number:02}", text.encode()
    yield "not_utf8", b"&amp; \xff"


def adapters():
    lora = "P{0}.lora_A.weight 2,8\nP{0}.lora_B.weight 8,2\n"
    conv = "K.lora_down.weight 4,8,1,1\nK.lora_up.weight 8,4,1,1\n"
    loha = "".join(f"K.hada_{name} {shape}\n" for name, shape in
                   (("w1_a", "8,4"), ("w1_b", "4,8"), ("w2_a", "8,4"), ("w2_b", "4,8")))
    context = "S.lora_down.weight 4,{0}\nS.lora_up.weight 8,4\n"
    fused = "O{0}.lora_down.weight 2,4\nO{0}.lora_up.weight 12,2\n"
    for name, text in {
            "right": conv + "K.alpha\n", "right_peft": lora.format("to_q") + lora.format("to_out.0") + "Pto_q.lora_magnitude_vector 8\n",
            "right_dora": conv + "K.dora_scale 8,1,1,1\n", "right_text": "Tq_proj.lora_linear_layer.down.weight 2,4\nTq_proj.lora_linear_layer.up.weight 4,2\n",
            "right_bias": lora.format("to_q") + "Tv_proj.diff_b 4\nK.diff 8,8\nK.diff_b 8\n", "right_context": context.format(6), "fused": fused.format("in_proj"),
            "fused_qkv": "Pto_qkv.lora_A.weight 2,8\nPto_qkv.lora_B.weight 24,2\n", "fused_kronecker": "Oin_proj.lokr_w1 3,1\nOin_proj.lokr_w2 4,4\n",
            "fused_scale": "Oin_proj.weight 12\nOin_proj.on_input\n", "fused_dora": fused.format("in_proj") + "Oin_proj.dora_scale 12,1\n",
            "loha": loha, "loha_tucker": "".join(f"K.hada_{part} 4,{8 if part[0] == 'w' else '4,1,1'}\n" for part in ("w1_a", "w1_b", "w2_a", "w2_b", "t1", "t2")),
            "lokr": "K.lokr_w1 2,2\nK.lokr_w2 4,4,1,1\nK.alpha\n", "lokr_factors": "K.lokr_w1_a 2,3\nK.lokr_w1_b 3,2\nK.lokr_w2_a 4,2\nK.lokr_w2_b 2,4\n",
            "lokr_tucker": "K.lokr_w1 2,2\nK.lokr_t2 2,2,1,1\nK.lokr_w2_a 2,4\nK.lokr_w2_b 2,4\n", "scale": "K.weight 1,8,1,1\nK.on_input\n",
            "scale_without_flag": "K.weight 1,8,1,1\n", "flag_of_another_kind": conv + "K.on_input\n", "norm": "=lora_unet_x.w_norm 8\n=lora_unet_x.b_norm 8\n",
            "config": lora.format("to_q") + '#lora_adapter_metadata {"unet.lora_alpha":4,"unet.use_rslora":true,"unet.alpha_pattern":{"^attn1.to_q":2}}\n',
            "config_rank_0": lora.format("to_q") + '#lora_adapter_metadata {"unet.r":0}\n', "config_expression": lora.format("to_q") +
            '#lora_adapter_metadata {"unet.rank_pattern":{".*":2}}\n', "config_huge": lora.format("to_q") + '#lora_adapter_metadata {"unet.lora_alpha":1e308}\n',
            "config_of_a_list": lora.format("to_q") + "#lora_adapter_metadata [1]\n", "down_alone": "K.lora_down.weight 4,8\n", "rank_0": "K.lora_down.weight 0,8\nK.lora_up.weight 8,0\n",
            "no_axes": "K.lora_down.weight\nK.lora_up.weight\n", "ranks_differ": "K.lora_down.weight 4,8\nK.lora_up.weight 8,2\n", "two_spellings": conv + "=lora_unet_input_blocks_1_1_proj_in.lora_down.weight 4,8\n"
            "=lora_unet_input_blocks_1_1_proj_in.lora_up.weight 8,4\n", "two_kinds": conv + "K.diff 8,8\n", "two_parts": lora.format("to_q") + "Pto_q.lora_A.default.weight 2,8\n",
            "another_family": context.format(2048), "flux": "=lora_unet_double_blocks_0_img_attn_qkv.lora_down.weight 4,8\n=lora_unet_double_blocks_0_img_attn_qkv.lora_up.weight 8,4\n",
            "checkpoint": "=model.diffusion_model.input_blocks.0.0.weight 8,4,3,3\n", "control_lora": conv + "=lora_controlnet 1\n", "oft": "K.oft_blocks 2,4,4\n", "embedding": "=emb_params 4,8\n",
            "kron_overflows": "K.lokr_w1 1125899906842623,1\nK.lokr_w2 1125899906842623,1\n", "alpha_alone": "K.alpha\n", "difference_of_one_number": "K.diff\n", "nothing": "\n"}.items():
        yield name, text.encode()


def embeddings():
    for name, text in {
            "kohya": "emb_params f2,768\n", "concept": "<cat> f768\n", "a1111": "* h4,768\n", "xl": "clip_l f2,768\nclip_g f2,1280\n",
            "xl_lengths_differ": "clip_l f2,768\nclip_g f3,1280\n", "no_vector": "emb_params f0,768\n", "no_width": "emb_params f2,0\n",
            "one_number": "emb_params f\n", "three_axes": "emb_params f1,2,3\n", "strides": "emb_params ~f2,768\n", "whole_numbers": "emb_params i2,768\n",
            "two_terms": "a f768\nb f768\n", "lora": "lora_unet_x.lora_down.weight f4,8\nlora_unet_x.lora_up.weight f8,4\n", "nothing": "\n"}.items():
        yield name, text.encode()


def workflows():
    node = '{"id":%d,"type":"%s","inputs":[%s],"outputs":[{"type":"%s"}],"widgets_values":[%s]}'
    wire = '{"name":"%s","type":"%s","link":%s}'
    editor = '{"nodes":[%s],"links":[%s],"last_node_id":9}'
    api = ('{"4":{"class_type":"CheckpointLoaderSimple","inputs":{"ckpt_name":"a.pt"}},"5":{"class_type":"EmptyLatentImage","inputs":{"width":512}},'
           '"6":{"class_type":"CLIPTextEncode","inputs":{"text":"cat","clip":["4",1]}},"3":{"class_type":"KSampler","inputs":{"seed":7,"steps":4,"cfg":1,'
           '"sampler_name":"euler","scheduler":"simple","model":["4",0],"positive":["6",0],"latent_image":["5",0]}},'
           '"8":{"class_type":"VAEDecode","inputs":{"samples":["3",0],"vae":["4",2]}},"9":{"class_type":"SaveImage","inputs":{"images":["8",0]}}}')
    loader = node % (1, "CheckpointLoaderSimple", "", "MODEL", '"a.pt"')
    encode = node % (2, "CLIPTextEncode", wire % ("clip", "CLIP", 1), "CONDITIONING", '"cat"')
    inner = ('{"id":"s","name":"S","inputs":[{"name":"text","type":"STRING"}],"outputs":[{"type":"CONDITIONING"}],"nodes":[{"id":7,"type":"CLIPTextEncode",'
             '"inputs":[{"name":"text","type":"STRING","widget":{"name":"text"},"link":2}],"widgets_values":["x"]}],'
             '"links":[{"id":2,"origin_id":-10,"origin_slot":0,"target_id":7,"target_slot":0},[3,7,0,-20,0]]}')
    use = '{"id":3,"type":"s","inputs":[{"name":"text","type":"STRING","widget":{"name":"text"},"link":null}],%s}'
    subgraph = '{"nodes":[%s],"links":[],"last_node_id":3,"definitions":{"subgraphs":[%s]}}'
    folds = ('{"a":{"class_type":"ComfyMathExpression","inputs":{"expression":"max(a // 2, 3) if a > 1 else ~a & 7","values.a":9}},'
             '"b":{"class_type":"ComfySwitchNode","inputs":{"switch":["a",2],"on_true":"x","on_false":["c",0]}},"c":{"class_type":"StringReplace",'
             '"inputs":{"string":"aa","find":"a","replace":"aa"}},"d":{"class_type":"CLIPTextEncode","inputs":{"text":["b",0]}}}')
    for name, text in {
            "api": api, "editor": editor % (loader + "," + encode, '[1,1,1,2,0,"CLIP"]'), "wrapped": '{"prompt":%s}' % api, "folds": folds,
            "older_promoted": subgraph % (use % '"properties":{"proxyWidgets":[["7","text"]]},"widgets_values":["y"]', inner),
            "newer_promoted": subgraph % (use % '"widgets_values":["y"]', inner), "in_itself": subgraph % (use % '"mode":0', inner.replace("CLIPTextEncode", "s")),
            "bypassed": editor % (loader + "," + encode.replace('"type":"CLIPTextEncode"', '"type":"CLIPTextEncode","mode":4'), "[1,1,1,2,0]"),
            "circle": '{"1":{"class_type":"VAEDecode","inputs":{"samples":["1",0]}}}', "reroutes": editor % (node % (1, "Reroute", wire % ("", "*", 1), "*", "") + "," + encode, "[1,1,0,1,0]"),
            "twice": editor % (loader + "," + loader, ""), "unknown": api.replace("VAEDecode", "Odd"), "nan": api.replace("512", "NaN"), "out_of_the_folder": api.replace("a.pt", "../a.pt"),
            "a1111": "cat\nNegative prompt: dog\nSteps: 5, Sampler: DPM++ 2M Karras, Seed: 3, Size: 8x8, Model: a, Lora hashes: \"a: 1, b: 2\"",
            "invokeai": '{"positive_prompt":"a","seed":1,"scheduler":"euler_a","model":{"name":"a"},"loras":[{"model":{"name":"l"},"weight":0.5}]}',
            "fooocus": '{"prompt":"a","base_model":"m","resolution":"(8, 9)","lora_combined_1":"l : 0.5"}',
            "swarmui": '{"sui_image_params":{"prompt":"a","loras":["l"],"loraweights":["0.5"]},"sui_models":[{"param":"model","hash":"0xab"}]}',
            "clipboard": '<span data-metadata="%s">' % base64.b64encode(api.encode()).decode(), "half": api[:100], "nothing": ""}.items():
        yield name, text.encode()


def seeds() -> dict:
    """Names and bytes by target."""
    root = pathlib.Path(__file__).resolve().parents[2]
    return {
        "adapter": adapters(), "embedding": embeddings(), "safetensors": safetensors(), "gguf": gguf_seeds.ggufs(),
        "pickle": pickles(), "torch_file": torch_files(), "json": jsons(), "graph": graphs(root),
        "policy": policies(), "profile": profiles(), "png": pngs(), "jpeg": image_seeds.jpegs(),
        "webp": image_seeds.webps(), "exif": image_seeds.exifs(), "model_config": model_configs(root),
        "single_file": single_files(), "tokenizer_files": tokenizers(root),
        "tokenizer_json": tokenizer_jsons(), "tokenizer_pieces": pieces_files(), "tokenizer_text": texts(),
        "prompt": prompts(), "cleaned_text": dirty_texts(), "workflow": workflows()}
