#!/usr/bin/env python3
"""Published tokenizers, ten thousand texts in every script, and the ids that transformers gives them.

    make_tokenizer_ids.py FOLDER

FOLDER/<name>/tokenizer has the published files of each name of TOKENIZERS, FOLDER/texts.json the texts, FOLDER/<kind>.ids their ids, neither
cut nor padded, for each key of TOKENIZERS: the forms of one tokenizer have the same ids, which is checked here.
"""
import json
import os
import pathlib
import shutil
import sys
import unicodedata

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "unit" / "models"))

import make_script_goldens  # noqa: E402
from published_data import blob  # noqa: E402

SEED, WRITTEN, DRAWN = 48, 7000, 3000

UMT5 = {"tokenizer_config.json": "1d8d2a216bf8e70a", "special_tokens_map.json": "456b58fd240a06c7"}
T5 = {"tokenizer_config.json": "c1aaab7805b1b4df", "special_tokens_map.json": "7a1985a994c41886"}
QWEN_25 = {"tokenizer_config.json": "543eb62a932fd0f6", "added_tokens.json": "d89ac873da1d3a78"}
QWEN_3 = {"tokenizer_config.json": "d5d09f07b48c3086"}
PAIR = {"vocab.json": "ca10d7e9fb3ed185", "merges.txt": "8831e4f1a0444713"}
CLIP = {"vocab.json": "e089ad92ba36837a", "merges.txt": "9fd691f7c8039210"}
# Kind of ids -> name -> file -> beginning of its sha256.
TOKENIZERS = {
    "umt5": {
        "umt5_diffusers": {"tokenizer.json": "20a46ac256746594", **UMT5},
        "umt5_original": {"tokenizer.json": "6e197b4d3dbd71da", "tokenizer_config.json": "ed9a3a8b0faa71a7",
                          "special_tokens_map.json": "7b8a9f5040adb67b"},
        "umt5_pieces": {"spiece.model": "e3909a67b780650b", **UMT5},
        "umt5_all": {"tokenizer.json": "20a46ac256746594", "spiece.model": "e3909a67b780650b", **UMT5},
    },
    "t5": {
        "t5_flux": {"tokenizer.json": "f5dfec163765e18e", **T5},
        "t5_schnell": {"tokenizer.json": "6cd1badb7467cdab", **T5},
        "t5_sd3": {"tokenizer.json": "652ffdfc379606ba", "tokenizer_config.json": "83b3e7737eef754e"},
        "t5_json_alone": {"tokenizer.json": "f5dfec163765e18e"},
        "t5_pieces": {"spiece.model": "d60acb128cf7b7f2", **T5},
        "t5_pieces_alone": {"spiece.model": "d60acb128cf7b7f2"},
        "t5_chroma": {"spiece.model": "d60acb128cf7b7f2", "tokenizer_config.json": "1a3d2db64215ed77", "added_tokens.json": "ea5a91a3234f66ea"},
    },
    "qwen25": {"qwen25_json": {"tokenizer.json": "9c5ae00e602b8860", **QWEN_25}, "qwen25_pair": {**PAIR, **QWEN_25}},
    "qwen3": {"qwen3_json": {"tokenizer.json": "aeb13307a71acd8f", **QWEN_3}, "qwen3_pair": {**PAIR, **QWEN_3}},
    "clip_l": {"clip_l": {**CLIP, "tokenizer_config.json": "00439066fcba73de", "special_tokens_map.json": "c4864a9376a84019"}},
    "clip_g": {"clip_g": {**CLIP, "tokenizer_config.json": "c9d23941f76a41cb", "special_tokens_map.json": "f118ab3a983206e4"}},
    "clip_json": {"clip_json": {"tokenizer.json": "f7f3b7af117d467b"}},
}


def texts():
    """Half of them sentences, damage and runs; half stretches of the code charts, so that every script has its turn."""
    make_script_goldens.COUNT = WRITTEN
    writer = make_script_goldens.Writer(SEED)
    found = dict.fromkeys(writer.texts())
    letters = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c))[0] in "LM" and not 0x4E00 <= c < 0xD7A4]
    while len(found) < WRITTEN + DRAWN:
        first = writer.rng.randrange(len(letters))
        stretch = letters[first : first + 48] + [" ", " ", "\u200d", "\u200c"]
        found["".join(writer.rng.choice(stretch) for _ in range(writer.rng.randint(4, 60)))] = None
    return list(found)


def write(folder, files):
    folder.mkdir(parents=True)
    for name, sha256 in files.items():
        (folder / name).write_bytes(blob(sha256))


def ids_of(kind, folder, every):
    """transformers' own. Its T5Tokenizer gives unknown text the id 2, whatever the file says; UMT5's file says 3."""
    from tokenizers.models import Unigram
    from transformers import CLIPTokenizer, Qwen2Tokenizer, T5Tokenizer

    tokenizer = (T5Tokenizer if "t5" in kind else CLIPTokenizer if "clip" in kind else Qwen2Tokenizer).from_pretrained(str(folder))
    rows = tokenizer(every)["input_ids"]
    if "t5" not in kind or tokenizer.unk_token_id == 2:
        return rows
    tokenizer._tokenizer.model = Unigram(tokenizer._vocab_scores, unk_id=tokenizer.unk_token_id, byte_fallback=False)
    stated = tokenizer(every)["input_ids"]
    for text, row, other in zip(every, rows, stated):
        if tokenizer.unk_token not in text and row != [2 if each == tokenizer.unk_token_id else each for each in other]:
            sys.exit(f"transformers gives {text!r} other ids for another reason than its unknown id")
    return stated


def main():
    folder = pathlib.Path(sys.argv[1])
    if folder.exists():
        return
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    every = texts()
    for kind, forms in TOKENIZERS.items():
        rows = None
        for name, files in forms.items():
            write(partial / name / "tokenizer", files)
            (partial / name / "model_index.json").write_text("{}")
            seen = ids_of(kind, partial / name / "tokenizer", every)
            if rows is not None and seen != rows:
                sys.exit(f"transformers gives {name} other ids than its kin")
            rows = seen
        (partial / f"{kind}.ids").write_text(json.dumps(rows, separators=(",", ":")))
    (partial / "texts.json").write_text(json.dumps(every, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    partial.rename(folder)


if __name__ == "__main__":
    main()
