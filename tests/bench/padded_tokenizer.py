"""Gives a small tokenizer as many tokens as a network of the published size has rows for them, since no other is taken for it. The tokens
that come are never found in a text."""
import json
import os
import struct

FORMATS = ("spiece.model", "tokenizer.json", "vocab.json")


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def read_varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return number, at


def count_pieces(data):
    """Messages of field 1 of a sentencepiece ModelProto."""
    at = pieces = 0
    while at < len(data):
        tag, at = read_varint(data, at)
        pieces += tag == 0x0A
        if tag & 7 == 0:
            _, at = read_varint(data, at)
        elif tag & 7 == 2:
            size, at = read_varint(data, at)
            at += size
        else:
            at += 4 if tag & 7 == 5 else 8
    return pieces


def padded_pieces(data, rows):
    parts = [bytes(data)]  # joined once: bytes that grow are copied for every piece
    for number in range(count_pieces(data), rows):
        text = f"\ue000{number}".encode()  # of the private use area
        piece = b"\x0a" + varint(len(text)) + text + b"\x15" + struct.pack("<f", -1000.0)
        parts.append(b"\x0a" + varint(len(piece)) + piece)
    return b"".join(parts)


def padded_json(document, rows):
    vocabulary = document["model"]["vocab"]
    if isinstance(vocabulary, list):
        vocabulary += [[f"\ue000{number}", -1000.0] for number in range(len(vocabulary), rows)]
    else:
        known = max([*vocabulary.values(), *(token["id"] for token in document.get("added_tokens", []))]) + 1
        vocabulary.update({f"\ue000{number}": number for number in range(known, rows)})
    return document


def pad(folder, rows):
    for name in FORMATS:
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        if name == "spiece.model":
            with open(path, "rb") as file:
                data = file.read()
            with open(path, "wb") as file:
                file.write(padded_pieces(data, rows))
            continue
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
        if name == "vocab.json":
            document.update({f"\ue000{number}": number for number in range(max(document.values()) + 1, rows)})
        else:
            padded_json(document, rows)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(document, file, ensure_ascii=False)
