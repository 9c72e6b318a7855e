"""GGUF files for make_seeds.py: right ones, and one for each way to do harm."""
import struct

UINT32, STRING, ARRAY = 4, 8, 9
Q4_0 = 2


def text(value):
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<Q", len(data)) + data


def key(name, kind, value):
    return text(name) + struct.pack("<I", kind) + value


def array(kind, count, elements=b""):
    return struct.pack("<IQ", kind, count) + elements


def tensor(name="a", sizes=(4,), kind=0, offset=0):
    return text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, kind, offset)


def file(keys=(), tensors=(), data=b"", version=3, counts=None, alignment=32):
    body = b"GGUF" + struct.pack("<IQQ", version, *(counts or (len(tensors), len(keys)))) + b"".join(keys) + b"".join(tensors)
    return body + bytes(-len(body) % alignment) + data


def ggufs():
    aligned = key("general.alignment", UINT32, struct.pack("<I", 8))
    numbers = [key(f"k{kind}", kind, bytes(size)) for kind, size in enumerate((1, 1, 2, 2, 4, 4, 4, 1)) if size]
    nested = array(ARRAY, 2, array(STRING, 2, text("x") + text("")) + array(0, 3, b"abc"))
    right = file([key("general.architecture", STRING, text("sd1")), key("nested", ARRAY, nested), *numbers],
                 [tensor(), tensor("b", (32, 2), Q4_0, 32)], bytes(32 + 36))
    yield "right", right
    yield "right_small", file([aligned], [tensor()], bytes(16), alignment=8)
    yield "version_2", file([], [tensor()], bytes(16), 2)
    yield "scalar", file([], [tensor(sizes=())], bytes(4))
    yield "nothing", file()
    yield "original_shape", file([key("comfy.gguf.orig_shape.a", ARRAY, array(5, 5, struct.pack("<5i", 1, 1, 1, 2, 2)))], [tensor()],
                                 bytes(16))
    yield "version_1", file(version=1)
    yield "version_4", file(version=4)
    yield "big_endian", file(version=3 << 24)
    yield "truncated", right[:-1]
    yield "cut_in_the_header", right[:90]
    yield "claims_2_60_tensors", file(counts=(2**60, 0))
    yield "claims_2_60_keys", file(counts=(0, 2**60))
    yield "claims_a_long_key", file(counts=(0, 1)) + struct.pack("<Q", 2**64 - 1)
    yield "claims_a_long_text", file([key("k", STRING, struct.pack("<Q", 2**63))])
    yield "claims_a_long_array", file([key("k", ARRAY, array(UINT32, 2**62))])
    yield "claims_many_arrays", file([key("k", ARRAY, array(ARRAY, 2**60))])
    yield "deep", file([key("k", ARRAY, array(ARRAY, 1) * 100)])
    yield "duplicate_key", file([aligned, aligned])
    yield "duplicate_tensor", file([], [tensor(), tensor(offset=32)], bytes(48))
    yield "key_is_not_utf8", file([key(b"\xff\xfe", UINT32, bytes(4))])
    yield "name_is_not_utf8", file([], [tensor(b"\xff\xfe")], bytes(16))
    yield "unknown_value_type", file([key("k", 13, bytes(8))])
    yield "unknown_type", file([], [tensor(kind=99)], bytes(16))
    yield "bool_of_2", file([key("k", 7, b"\2")])
    yield "alignment_0", file([key("general.alignment", UINT32, bytes(4))])
    yield "alignment_2_31", file([key("general.alignment", UINT32, struct.pack("<I", 2**31))], [tensor()], bytes(16))
    yield "misaligned", file([], [tensor(offset=16)], bytes(32))
    yield "overlapping", file([], [tensor(sizes=(9,)), tensor("b", offset=32)], bytes(48))
    yield "out_of_bounds", file([], [tensor(offset=2**63 - 32)], bytes(16))
    yield "offset_wraps", file([], [tensor(offset=2**64 - 32)], bytes(64))
    yield "many_axes", file([], [tensor(sizes=(1,) * 60)], bytes(4))
    yield "size_0", file([], [tensor(sizes=(4, 0))])
    yield "negative", file([], [tensor(sizes=(2**64 - 1,))], bytes(16))
    yield "overflow", file([], [tensor(sizes=(2**32, 2**32))], bytes(16))
    yield "part_of_a_block", file([], [tensor(sizes=(16,), kind=Q4_0)], bytes(18))
