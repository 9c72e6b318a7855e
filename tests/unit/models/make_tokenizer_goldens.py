#!/usr/bin/env python3
"""Tokenizer folders and what transformers' CLIPTokenizer makes of many texts.

    make_tokenizer_goldens.py REFERENCE FOLDER

FOLDER/<name>/tokenizer is a tokenizer in the layout of checkpoints; FOLDER/tokens.json lists {tokenizer, text, ids, mask}
with padding and truncation as the pipelines ask for them.
"""
import json
import os
import pathlib
import random
import shutil
import sys
import unicodedata

os.environ.setdefault("HF_HUB_OFFLINE", "1")

TEXTS = [
    "",
    "   \t\n  ",
    "a photo of an astronaut riding a horse",
    "A  PHOTO,of\ta\n cat!",
    "don't I'LL we've you're he'd I'm it's 's 'T can''t '' ' s",
    "0 1 22 333 4444 3.14159 1e-5 007 x2y3 \u00b2\u00bd\u2167 \u0664\u0665",
    "hello!!! world??? (((emphasis:1.3))) [brackets] {curly} <lora:x:0.8>",
    "<|endoftext|>",
    "a <|endoftext|> b <|startoftext|> c",
    "a<|endoftext|>b<|startoftext|>c",
    "<|EndOfText|> <|STARTOFTEXT|> !<|EndOfText|>! x<|EndOfText|>y",
    "<|endoftext <|endoftext| > |endoftext|>",
    "&amp; &lt;b&gt; &#39; \u201cquotes\u201d \u2018single\u2019 \u2026 \u2014 \ufb01 \uff21\uff22\uff23",
    "\u00dcn\u00efc\u00f6d\u00e9 \u00df \u0130stanbul I\u0307 \u03a3\u0391\u03a3 \u1e9e \u01c5",
    "e\u0301 o\u0308\u0323 a\u0323\u0308 \u1100\u1161\u11a8 \u212b \u2126 \u0958 \u0344",
    "\u4e00\u53ea\u732b\u5750\u5728\u7ea2\u8272\u7684\u6c99\u53d1\u4e0a\u3002\u30cd\u30b3\u3068\u72ac \ud55c\uad6d\uc5b4",
    "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466 \U0001f1e9\U0001f1ea \U0001f44d\U0001f3fd \u2764\ufe0f",
    "\u0928\u093f \u0939\u093f\u0928\u094d\u0926\u0940 \u0e44\u0e17\u0e22 \u0639\u0631\u0628\u064a \u05e2\u05d1\u05e8\u05d9\u05ea",
    "x\u00a0y\u3000z\u2009w\u200bv\u180eu\u2028t\u0085s\x1cr\x0bq\x0cp\x00o\x7fn",
    "a" * 400,
    "ab" * 200 + "!" * 90,
    "word " * 100,
    "\u65e5" * 90,
    "supercalifragilisticexpialidocious antidisestablishmentarianism",
    "_under_score-hyphen/slash\\back~tilde`tick^caret",
    "\u0345\u03b1 \u1fb3 \U0001d400\U0001d7ce \U00010400 \u2c00 \u10a0 \u13a0",
]
RANGES = [(0x0, 0x3100), (0xA000, 0xAC10), (0xD790, 0xD800), (0xF900, 0xFFFE), (0x1D400, 0x1D800), (0x1F000, 0x1FB00)]


def code_point_texts():
    """Every assigned code point of some ranges between letters, sixteen to a text; others in strides."""
    points = [p for low, high in RANGES for p in range(low, high)] + list(range(0x3100, 0x110000, 997))
    known = [p for p in points if unicodedata.category(chr(p)) not in ("Cn", "Cs", "Co")]
    for i in range(0, len(known), 16):
        yield " ".join(f"a{chr(p)}b1{chr(p)}{chr(p)}" for p in known[i : i + 16])


def mixed_texts(count):
    rng = random.Random(7)
    pool = "aAbBzZ09 '!.,<|>\t\n\u00e9\u0301\u0308\u00df\u0130\u03a3\u4e2d\u6587\u3042\uac00\u1100\u1161\U0001f642\u200d\u2019\u00bd\u0e33"
    for _ in range(count):
        yield "".join(rng.choice(pool) for _ in range(rng.randrange(1, 60)))


def edit(path, change):
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def write_tokenizers(folder):
    from lib import tokenizers

    def write(name, *args, **kwargs):
        target = folder / name / "tokenizer"
        tokenizers.write_clip(str(target), *args, **kwargs)
        (folder / name / "model_index.json").write_text("{}")
        return target

    write("full")
    write("bang", 3000, pad="!")
    write("short", 2000, max_length=24)
    write("long", 3000, max_length=2000)
    strings = write("strings", 1000)
    names = ("bos_token", "eos_token", "unk_token", "pad_token")
    for file in ("tokenizer_config.json", "special_tokens_map.json"):
        edit(strings / file, lambda v: v.update({n: v[n]["content"] if isinstance(v[n], dict) else v[n] for n in names}))
    unlimited = write("unlimited", 1000)
    edit(unlimited / "tokenizer_config.json", lambda v: v.update(model_max_length=int(1e30)))
    decoder = write("decoder", 1000)
    vocab = json.loads((decoder / "vocab.json").read_text(encoding="utf-8"))

    def add_decoder(value):
        value["added_tokens_decoder"] = {
            str(vocab[t]): {"content": t, "lstrip": False, "normalized": n, "rstrip": False, "single_word": False, "special": True}
            for t, n in (("<|startoftext|>", True), ("<|endoftext|>", False))
        }
        value.update({n: v if isinstance(v, str) else v["content"] for n, v in value.items() if n in names})

    edit(decoder / "tokenizer_config.json", add_decoder)
    windows = write("windows", 500)
    merges = windows / "merges.txt"
    merges.write_bytes(merges.read_bytes().replace(b"\n", b"\r\n"))
    written = ["full", "bang", "short", "strings", "unlimited", "decoder", "windows", "long"]
    return written + [save_again(folder, name) for name in written] + [write_lines(folder)]


def save_again(folder, name):
    """As transformers 5 writes it: one tokenizer.json."""
    from transformers import CLIPTokenizer

    saved = folder / (name + "_saved")
    CLIPTokenizer.from_pretrained(folder / name / "tokenizer").save_pretrained(saved / "tokenizer")
    assert not (saved / "tokenizer" / "vocab.json").exists()
    (saved / "model_index.json").write_text("{}")
    return saved.name


def write_lines(folder):
    """Merges as lines, as tokenizers before 0.20 wrote them, and added tokens that are looked for the other way."""
    lines = folder / "lines_saved"
    shutil.copytree(folder / "strings_saved", lines)

    def change(value):
        value["model"]["merges"] = [" ".join(pair) for pair in value["model"]["merges"]]
        for token in value["added_tokens"]:
            token["normalized"] = not token["normalized"]

    edit(lines / "tokenizer" / "tokenizer.json", change)
    return lines.name


def main():
    sys.path.insert(0, sys.argv[1])
    folder = pathlib.Path(sys.argv[2])
    if (folder / "tokens.json").exists():
        return
    from transformers import CLIPTokenizer

    rows = []
    for name in write_tokenizers(folder):
        tokenizer = CLIPTokenizer.from_pretrained(folder / name / "tokenizer")
        length = tokenizer.model_max_length if tokenizer.model_max_length < 1e9 else 77
        texts = list(TEXTS)
        if name in ("full", "bang", "decoder"):
            texts += mixed_texts(300)
        if name == "long":
            texts += code_point_texts()
        for text in texts:
            out = tokenizer(text, padding="max_length", max_length=length, truncation=True)
            used = sum(out["attention_mask"])
            rows.append({"tokenizer": name, "text": text, "length": length, "used": used, "pad": tokenizer.pad_token_id,
                         "ids": out["input_ids"][:used]})
    partial = folder / "tokens.json.partial"
    partial.write_text(json.dumps(rows), encoding="utf-8")
    partial.rename(folder / "tokens.json")


main()
