"""JPEG and WebP seeds: small files that Pillow wrote, and what was made of them to do harm."""
import base64
import struct

JPEG_COLOUR = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71////m8H///"
    "/6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj/wAARCAAL"
    "ABIDASIAAhEBAxEB/8QAFwAAAwEAAAAAAAAAAAAAAAAAAAMEBf/EAB4QAAICAgIDAAAAAAAAAAAAAAABAhEDIQQSFDJS/8QAFgEBAQEAAAAAAA"
    "AAAAAAAAAAAwIE/8QAHBEAAgEFAQAAAAAAAAAAAAAAAAEDAhESExRh/9oADAMBAAIRAxEAPwCbHxkvVWx8OMr2tlijFLSofjjHrdbJqkd8Q4Z2"
    "Q+NL5QGhQAdXrNu5n//Z")
JPEG_PROGRESSIVE = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71////m8H///"
    "/6/+b9//j/wgALCAALABIBAREA/8QAFQABAQAAAAAAAAAAAAAAAAAABAX/2gAIAQEAAAABOxEtiP/EABYQAQEBAAAAAAAAAAAAAAAAAAIAEP/a"
    "AAgBAQABBQIxwxz/xAAUEAEAAAAAAAAAAAAAAAAAAAAg/9oACAEBAAY/Al//xAAUEAEAAAAAAAAAAAAAAAAAAAAg/9oACAEBAAE/IV//2gAIAQ"
    "EAAAAQ/wD/xAAXEAEBAQEAAAAAAAAAAAAAAAAAQQEx/9oACAEBAAE/EIQziEM4/9k=")
JPEG_RESTARTS = base64.b64decode(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDACgcHiMeGSgjISMtKygwPGRBPDc3PHtYXUlkkYCZlo+AjIqgtObDoKrarYqMyP/L2u71////m8H///"
    "/6/+b9//j/2wBDASstLTw1PHZBQXb4pYyl+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj4+Pj/wAARCAAL"
    "ABIDASIAAhEBAxEB/8QAGAAAAwEBAAAAAAAAAAAAAAAAAAMEAgX/xAAeEAACAgICAwAAAAAAAAAAAAAAAQIRAyEEEhQyUv/EABYBAQEBAAAAAA"
    "AAAAAAAAAAAAQCA//EABwRAAIBBQEAAAAAAAAAAAAAAAABAwIREhMUYf/dAAQAAf/aAAwDAQACEQMRAD8Amx8ZL1VsfDjK9rZYoxS0qH44x63W"
    "yapHfEzhnZ//0N+NL5QHQoA3V6xO5n//2Q==")
JPEG_CMYK = base64.b64decode(
    "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwBQNzxGPDJQRkFGWlVQX3jIgnhubnj1r7mRyP////////////////////////////////////////////"
    "///////8AAFAgACwASBEMRAE0RAFkRAEsRAP/EABkAAQEAAwEAAAAAAAAAAAAAAAAEAQIFA//EACcQAAIBAgMHBQAAAAAAAAAAAAABAgMRBBJR"
    "ExQxQVJh8CFTgZGh/9oADgRDAE0AWQBLAAA/AJ6R57v2MQUYu+HbnPmpafhaWUhu/YNRc8021W6Vwvy8uCkbv2N8+J9uPnyDlUjoZVoYxKVOmn"
    "BKLva8fQFlIZVoIJPDObSc7N5nxBSMq0JtrU65fYP/2Q==")
WEBP_LOSSY = base64.b64decode(
    "UklGRnAAAABXRUJQVlA4IGQAAABwBACdASoSAAsAP3Ggxlk0q6ejsAgCkC4JbACdMoKOPsqu5tgQFunlGM1VoAD+u6Yv3vZldvRSK9Mzh+74gn"
    "ozHZBcJDsQQnQrZCBUMaG6fVgcE2xvBRNzeriQlNYQqRDIAAAA")
WEBP_LOSSLESS = base64.b64decode(
    "UklGRkoAAABXRUJQVlA4TD0AAAAvCIABALkyRPQ/dhHR/wCBpI15/v4JzzsIBFKYyRtmI6kQuy7n/1qIg4kJIGJmnpkF3PJiQwGU2fDqhgcAAA"
    "==")
WEBP_ALPHA = base64.b64decode(
    "UklGRpgAAABXRUJQVlA4WAoAAAAQAAAACAAABgAAQUxQSDoAAAABdyAmTfqHHp5WiIjMQFVs29TvfWBUUEEFFVRQQQUVVFBBBRWk2Ski+t+EXP"
    "uU0sZStA0dRzegF9FPVlA4IDgAAACwAQCdASoJAAcAB0CWJbACdADcDPRoAP7AYnt+IIpP3SWiAQJOO6ZGD+Dkk99XPfgm6Y0vlYAAAA==")
WEBP_EXIF = base64.b64decode(
    "UklGRmgBAABXRUJQVlA4WAoAAAAoAAAAEQAACgAASUNDUJ8AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
    "AAAAAAFkZXNjAAAAkAAAABRkZXNjAAAAAAAAAANQMwAAVlA4IGQAAABwBACdASoSAAsAP3Ggxlk0q6ejsAgCkC4JbACdMoKOPsqu5tgQFunlGM"
    "1VoAD+u6Yv3vZldvRSK9Mzh+74gnozHZBcJDsQQnQrZCBUMaG6fVgcE2xvBRNzeriQlNYQqRDIAAAARVhJRjYAAABNTQAqAAAACAACAQ8AAgAA"
    "AA8AAAAmARIAAwAAAAEABgAAAAAAAHByb21wdDp7ImEiOjF9AAA=")
WEBP_ANIMATION = base64.b64decode(
    "UklGRsgBAABXRUJQVlA4WAoAAAASAAAACAAABgAAQU5JTQYAAAAAAAAAAABBTk1GygAAAAAAAAAAAAgAAAYAAAAAAAJWUDhMsQAAAC8IgAEQ98"
    "GgbRtBh+cez+H5x3N43qEzGgxqawcT5bua0IQmNKGJNdmSjDDbqFjzfx3EwQhIEqH/8/oT8//1ijx3kXD2IgG+KQiQub2YBDKgFhNIBsIoJkCA"
    "MKVkAiRM+JsKkEDmDgkJhHetEgjnSAj7UWF9AsMAAItml23btl1E/+P/nnMdqth572Ppy8hWr33uitBS+G1q88CUOWpsMt+QWBKrU08XGQKFE1"
    "cTaByBAABBTk1GygAAAAAAAAAAAAgAAAYAAAAAAAJWUDhMsQAAAC8IgAEQ98GgbRtBh+cez+H5x3N43qEzGgxqawcT5bua0IQmNKGJNdmSjDDb"
    "qFjzfx3EwQhIEqH/8/oT8//1ijx3kXD2IgG+KQiQub2YBDKgFhNIBsIoJkCAMKVkAiRM+JsKkEDmDgkJhHetEgjnSAj7UWF9AsMAAItml23btl"
    "1E/8OJq2E9n+9X7ajsl+N+ecUKi27eL4qTzSBvpw0jWcnws2aEUYIRdS+tAYTgtKC5CQA=")


def segment(marker, data):
    return b"\xff" + bytes([marker]) + struct.pack(">H", len(data) + 2) + data


def entry(tag, kind, count, value):
    return struct.pack(">HHI", tag, kind, count) + value


def exif_of(*entries, rest=b""):
    return b"MM\0*" + struct.pack(">IH", 8, len(entries)) + b"".join(entries) + bytes(4) + rest


ORIENTED = entry(0x0112, 3, 1, b"\0\6\0\0")
COMMENT = b"UNICODE\0" + "a cat\nSteps: 20".encode("utf-16-be")


def commented(order=">"):
    text = COMMENT if order == ">" else b"UNICODE\0" + "a cat\nSteps: 20".encode("utf-16-le")
    first = struct.pack(order + "HHII", 0x8769, 4, 1, 26)
    second = struct.pack(order + "HHHIII", 1, 0x9286, 7, len(text), 44, 0)
    return (b"MM\0*" if order == ">" else b"II*\0") + struct.pack(order + "IH", 8, 1) + first + bytes(4) + second + text


def profile(description=b"desc\0\0\0\0\0\0\0\x0bDisplay P3\0"):
    return bytes(128) + struct.pack(">I4sII", 1, b"desc", 144, len(description)) + description


def with_segments(*segments):
    return JPEG_COLOUR[:2] + b"".join(segments) + JPEG_COLOUR[2:]


def jpegs():
    frame = JPEG_COLOUR.index(b"\xff\xc0")

    def sized(height, width):
        return JPEG_COLOUR[:frame + 5] + struct.pack(">HH", height, width) + JPEG_COLOUR[frame + 9:]

    yield "colour", JPEG_COLOUR
    yield "progressive_grey", JPEG_PROGRESSIVE
    yield "restarts", JPEG_RESTARTS
    yield "cmyk", JPEG_CMYK
    yield "oriented", with_segments(segment(0xE1, b"Exif\0\0" + exif_of(ORIENTED)))
    yield "comment", with_segments(segment(0xE1, b"Exif\0\0" + commented()))
    yield "exif_in_two_segments", with_segments(*(segment(0xE1, b"Exif\0\0" + half) for half in (commented()[:50], commented()[50:])))
    yield "profile", with_segments(segment(0xE2, b"ICC_PROFILE\0\1\1" + profile()))
    yield "cut", JPEG_COLOUR[:-40]
    yield "no_end", JPEG_COLOUR[:-2]
    yield "rubbish_between", with_segments(b"\0\0rubbish")
    yield "two_frames", JPEG_COLOUR[:frame] + JPEG_COLOUR[frame:frame + 19] + JPEG_COLOUR[frame:]
    yield "no_width", sized(11, 0)
    yield "no_height", sized(0, 18)
    yield "claims_65500", sized(65500, 65500)
    yield "claims_too_much", sized(4000, 4000)
    yield "twelve_bits", JPEG_COLOUR[:frame + 4] + b"\x0c" + JPEG_COLOUR[frame + 5:]
    yield "arithmetic", JPEG_COLOUR.replace(b"\xff\xc0", b"\xff\xc9")
    yield "lossless", JPEG_COLOUR.replace(b"\xff\xc0", b"\xff\xc3")
    yield "segment_of_one_byte", with_segments(b"\xff\xe1\0\1")
    yield "segment_behind_the_end", with_segments(b"\xff\xe1\xff\xff")
    scan = JPEG_PROGRESSIVE.rindex(b"\xff\xda")
    yield "many_scans", JPEG_PROGRESSIVE[:-2] + JPEG_PROGRESSIVE[scan:-2] * 150 + b"\xff\xd9"
    yield "bad_codes", JPEG_COLOUR[:-30] + b"\xff\0" * 14 + b"\xff\xd9"


def chunked(*chunks):
    body = b"WEBP" + b"".join(kind + struct.pack("<I", len(data)) + data + bytes(len(data) % 2) for kind, data in chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def webps():
    lossy, lossless = WEBP_LOSSY[20:], WEBP_LOSSLESS[20:]
    extended = struct.pack("<I", 0x08) + (17).to_bytes(3, "little") + (10).to_bytes(3, "little")
    yield "lossy", WEBP_LOSSY
    yield "lossless", WEBP_LOSSLESS
    yield "alpha", WEBP_ALPHA
    yield "exif_and_profile", WEBP_EXIF
    yield "animation", WEBP_ANIMATION
    yield "comment", chunked((b"VP8X", extended), (b"VP8 ", lossy), (b"EXIF", commented()))
    yield "exif_as_in_jpeg", chunked((b"VP8X", extended), (b"VP8 ", lossy), (b"EXIF", b"Exif\0\0" + exif_of(ORIENTED)))
    yield "two_sizes", chunked((b"VP8X", extended), (b"VP8L", lossless))
    yield "no_picture", chunked((b"VP8X", extended))
    yield "claims_16384", chunked((b"VP8L", b"\x2f\xff\xff\xff\x0f" + lossless[5:]))
    yield "lossy_claims_16383", chunked((b"VP8 ", lossy[:6] + b"\xff\x3f\xff\x3f" + lossy[10:]))
    yield "no_width", chunked((b"VP8 ", lossy[:6] + bytes(4) + lossy[10:]))
    yield "cut", WEBP_LOSSY[:-20]
    yield "riff_is_longer", WEBP_LOSSY[:4] + b"\xff\xff\0\0" + WEBP_LOSSY[8:]
    yield "chunk_behind_the_end", WEBP_LOSSY[:16] + b"\xff\xff\xff\xff" + WEBP_LOSSY[20:]
    yield "alpha_of_another_size", chunked((b"VP8X", struct.pack("<I", 0x10) + extended[4:]), (b"ALPH", b"\0abc"), (b"VP8 ", lossy))


def exifs():
    yield "oriented", exif_of(ORIENTED)
    yield "comment", commented()
    yield "comment_low_bytes_first", commented("<")
    yield "comfy", exif_of(entry(0x010F, 2, 12, struct.pack(">I", 38)), entry(0x0110, 2, 10, struct.pack(">I", 50)),
                           rest=b"workflow:{}\0prompt:{}\0")
    yield "camera", exif_of(entry(0x010F, 2, 4, b"Ace\0"))
    yield "many_entries", exif_of(ORIENTED)[:8] + b"\xff\xff" + ORIENTED * 40
    yield "own_directory", exif_of(entry(0x8769, 4, 1, struct.pack(">I", 8)))
    yield "behind_the_end", b"II*\0\xff\xff\xff\xff"
    yield "half_a_pair", commented()[:52] + b"\xd8\x3d\0x"
    yield "profile", profile()
    yield "profile_of_version_4", profile(b"mluc\0\0\0\0\0\0\0\1\0\0\0\x0cenUS\0\0\0\x04\0\0\0\x1c\0P\0003")
    yield "profile_of_many_tags", bytes(128) + b"\xff\xff\xff\xff" + b"desc\0\0\0\x80\xff\xff\xff\xff" * 20
