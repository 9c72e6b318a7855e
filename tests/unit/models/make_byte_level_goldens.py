#!/usr/bin/env python3
"""Byte-level tokenizers and what the packages tokenizers and transformers make of texts.

    make_byte_level_goldens.py REFERENCE FOLDER

FOLDER/<name>/tokenizer holds a tokenizer.json; FOLDER/tokens.json lists {tokenizer, text, ids, padded, mask}: the ids with what
the file puts around them, and the same cut and padded to 24 places as pipelines ask for it.
"""
import json
import os
import pathlib
import random
import sys
import unicodedata

os.environ.setdefault("HF_HUB_OFFLINE", "1")

LENGTH = 24
TEXTS = [
    "", " ", "   \t\n  ", "\n\n\r\n x \r\n\r\n", "a photo of an astronaut riding a horse", "A  PHOTO,of\ta\n cat!  ",
    "don't I'LL we've you're he'd I'm it's 's 'T can''t '' ' s 'S 'Ve", "0 1 22 333 4444 55555 3.14159 1e-5 007 x2y3 \u00b2\u00bd\u2167 \u0664\u0665",
    "hello!!! world??? (((emphasis:1.3)))\r\n\r\n[brackets] {curly} <lora:x:0.8>", "<|begin_of_text|>", "a <|eot_id|> b <|begin_of_text|> c",
    "a<|eot_id|>b<|begin_of_text|>c", "<|eot_id <|eot_id| > |eot_id|>", "&amp; &lt;b&gt; \u201cquotes\u201d \u2018single\u2019 \u2026 \u2014 \ufb01 \uff21",
    "\u00dcn\u00efc\u00f6d\u00e9 \u00df \u0130stanbul I\u0307 \u03a3\u0391\u03a3 \u1e9e", "e\u0301 o\u0308\u0323 a\u0323\u0308 \u1100\u1161\u11a8 \u212b \u2126 \u0958",
    "\u4e00\u53ea\u732b\u5750\u5728\u7ea2\u8272\u7684\u6c99\u53d1\u4e0a\u3002\u30cd\u30b3\u3068\u72ac \ud55c\uad6d\uc5b4", "\U0001f600\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f",
    "\u0939\u093f\u0928\u094d\u0926\u0940 \u0e44\u0e17\u0e22 \u0639\u0631\u0628\u064a", "x\u00a0y\u3000z\u2009w\u200bv\u180eu\u2028t\u0085s\x1cr\x0bq\x0cp\x00o\x7fn",
    "a" * 200, "word " * 60, "_under_score-hyphen/slash\\back~tilde`tick^caret", "'\u017f 'K 'L\u017f",
]
EDGES = "aAbzs019'!.\u0120\u010a\u0109"  # the last three are a space, a line feed and a tab
RANGES = [(0x0, 0x3100), (0xA000, 0xA800), (0xFB00, 0xFFFE), (0x1F000, 0x1F700)]


def mixed_texts(count):
    rng = random.Random(7)
    pool = "aAbBzZ019 '!.,<|>\t\r\n\u00e9\u0301\u00df\u0130\u03a3\u4e2d\u6587\uac00\U0001f642\u200d\u2019\u00bd\u00a0"
    for _ in range(count):
        yield "".join(rng.choice(pool) for _ in range(rng.randrange(1, 60)))


def code_point_texts():
    points = [p for low, high in RANGES for p in range(low, high)] + list(range(0x3100, 0x110000, 1997))
    known = [p for p in points if unicodedata.category(chr(p)) not in ("Cn", "Cs", "Co")]
    for i in range(0, len(known), 16):
        yield " ".join(f"a{chr(p)}b1{chr(p)} {chr(p)}" for p in known[i : i + 16])


def joining(tokenizer):
    """With merges over every boundary, so that ids show where a text was split."""
    from tokenizers import Tokenizer

    file = json.loads(tokenizer.to_str())
    model = file["model"]
    pairs = [[a, b] for a in EDGES for b in EDGES if a + b not in model["vocab"]]
    first = 1 + max([*model["vocab"].values(), *(token["id"] for token in file["added_tokens"])])
    model["vocab"].update({a + b: first + i for i, (a, b) in enumerate(pairs)})
    model["merges"] = pairs + model["merges"]
    return Tokenizer.from_str(json.dumps(file))


def write_tokenizers(folder):
    from lib import tokenizers as reference
    from tokenizers import AddedToken, Regex, Tokenizer, normalizers, pre_tokenizers, processors

    def save(name, tokenizer):
        target = folder / name / "tokenizer"
        target.mkdir(parents=True, exist_ok=True)
        (folder / name / "model_index.json").write_text("{}")
        tokenizer.save(str(target / "tokenizer.json"))

    reference.write_llama(str(folder / "llama" / "tokenizer"))
    (folder / "llama" / "model_index.json").write_text("{}")
    source = str(folder / "llama" / "tokenizer" / "tokenizer.json")

    save("joined", joining(Tokenizer.from_file(source)))

    gpt = joining(Tokenizer.from_file(source))  # the expression is GPT-2's own, nothing stands around a text
    gpt.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    gpt.post_processor = processors.ByteLevel(trim_offsets=False)
    save("gpt", gpt)
    path = folder / "gpt" / "tokenizer" / "tokenizer.json"
    file = json.loads(path.read_text(encoding="utf-8"))
    del file["pre_tokenizer"]["use_regex"]  # as files were written before tokenizers 0.12
    path.write_text(json.dumps(file, ensure_ascii=False), encoding="utf-8")

    cut = joining(Tokenizer.from_file(source))  # most of a text lies before, between and behind the matches
    cut.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(r"\d|[aeiou]\s"), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    save("cut", cut)

    composed = Tokenizer.from_file(source)  # as Qwen's, with tokens behind the text and one that is looked for in composed text
    composed.normalizer = normalizers.NFC()
    composed.add_tokens([AddedToken("caf\u00e9", normalized=True), AddedToken("<|raw|>", normalized=False)])
    ends = [("<|begin_of_text|>", composed.token_to_id("<|begin_of_text|>")), ("<|eot_id|>", composed.token_to_id("<|eot_id|>"))]
    composed.post_processor = processors.Sequence([
        processors.ByteLevel(trim_offsets=False),
        processors.TemplateProcessing(single="<|begin_of_text|> $A <|eot_id|>", special_tokens=ends)])
    save("composed", composed)

    plain = json.loads(pathlib.Path(source).read_text(encoding="utf-8"))
    plain["model"]["ignore_merges"] = False
    plain["model"]["merges"] = plain["model"]["merges"][::2]  # whole words are tokens that merges do not reach
    target = folder / "merged" / "tokenizer"
    target.mkdir(parents=True, exist_ok=True)
    (folder / "merged" / "model_index.json").write_text("{}")
    usable = set("".join(pair) for pair in plain["model"]["merges"])
    usable |= {token for token in plain["model"]["vocab"] if len(token) == 1}
    plain["model"]["merges"] = [pair for pair in plain["model"]["merges"] if all(part in usable for part in pair)]
    (target / "tokenizer.json").write_text(json.dumps(plain, ensure_ascii=False), encoding="utf-8")
    whole = json.loads(json.dumps(plain))
    whole["model"]["ignore_merges"] = True
    target = folder / "whole" / "tokenizer"
    target.mkdir(parents=True, exist_ok=True)
    (folder / "whole" / "model_index.json").write_text("{}")
    (target / "tokenizer.json").write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")
    return ["llama", "joined", "gpt", "composed", "cut", "merged", "whole"]


def main():
    sys.path.insert(0, sys.argv[1])
    folder = pathlib.Path(sys.argv[2])
    if (folder / "tokens.json").exists():
        return
    from transformers import PreTrainedTokenizerFast

    rows = []
    for name in write_tokenizers(folder):
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(folder / name / "tokenizer" / "tokenizer.json"), pad_token="<|eot_id|>")
        texts = TEXTS + ["caf\u00e9 cafe\u0301 <|raw|>x", *mixed_texts(300)]
        if name in ("llama", "joined", "gpt"):
            texts += code_point_texts()
        for text in texts:
            padded = tokenizer(text, padding="max_length", max_length=LENGTH, truncation=True)
            rows.append({"tokenizer": name, "text": text, "ids": tokenizer(text)["input_ids"], "padded": padded["input_ids"],
                         "mask": padded["attention_mask"]})
    partial = folder / "tokens.json.partial"
    partial.write_text(json.dumps(rows), encoding="utf-8")
    partial.rename(folder / "tokens.json")


main()
