#!/usr/bin/env python3
"""Makes tokenizers of T5's kind, and the ids that transformers gives with them.

    make_unigram_goldens.py REFERENCE FOLDER

FOLDER/both/tokenizer has spiece.model and the tokenizer.json converted from it, FOLDER/pieces/tokenizer spiece.model alone,
FOLDER/bytes/tokenizer a tokenizer.json with byte fallback, FOLDER/added/tokenizer one with a token that is looked for in normalized
text. FOLDER/tokens.json: [{"tokenizer", "text", "ids", "mask"}], padded and
cut to 24 places.
"""
import json
import pathlib
import shutil
import sys

sys.path.insert(0, sys.argv[1])

FORMS = ("both", "pieces", "bytes", "added")
TEXTS = [
    "", " ", "cat", "A photo of a cat sitting on a red sofa, high quality", "  two   spaces\tand\na line ", "ﬁne ligatures Ⅷ ½ ㎏",
    "fullwidth ＡＢＣ１２３", "e\u0301tude café", "日本語の文章", "emoji 😀👩‍👩‍👧 done", "unknown ☃☃ snow ☃", "</s> ends <pad> in <extra_id_3>x",
    "the<unk>dog", "soft\u00adhyphen zero\u200bwidth nbsp\u00a0space", "Ein kleines Haus im Wald, una casa pequeña",
    "a long text " * 12, "▁mark ▁▁ marks", "0123456789.,;:!?", "\u3000ideographic space\u3000", "ﷺ one grapheme, eighteen letters",
    "क्षि न्दी", "\u0001control\u007f", "x" * 60,
]


def main():
    folder = pathlib.Path(sys.argv[2])
    if folder.exists():
        return
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    from transformers import T5Tokenizer

    from lib import tokenizers

    both = partial / "both" / "tokenizer"
    tokenizers.write_t5(str(both))
    pieces = partial / "pieces" / "tokenizer"
    shutil.copytree(both, pieces, ignore=shutil.ignore_patterns("tokenizer.json"))
    with_bytes = partial / "bytes" / "tokenizer"
    shutil.copytree(both, with_bytes, ignore=shutil.ignore_patterns("spiece.model"))
    settings = json.loads((with_bytes / "tokenizer.json").read_text())
    settings["model"]["byte_fallback"] = True
    (with_bytes / "tokenizer.json").write_text(json.dumps(settings, ensure_ascii=False))
    with_added = partial / "added" / "tokenizer"
    shutil.copytree(both, with_added, ignore=shutil.ignore_patterns("spiece.model"))
    settings = json.loads((with_added / "tokenizer.json").read_text())
    settings["added_tokens"].append({"id": len(settings["model"]["vocab"]), "content": "ｒed ", "single_word": False, "lstrip": False,
                                     "rstrip": False, "normalized": True, "special": False})
    (with_added / "tokenizer.json").write_text(json.dumps(settings, ensure_ascii=False))
    for name in FORMS:
        (partial / name / "model_index.json").write_text("{}")
    rows = []
    for name in FORMS:
        tokenizer = T5Tokenizer.from_pretrained(str(partial / name / "tokenizer"))
        if name in ("bytes", "added"):
            from tokenizers import Tokenizer

            tokenizer._tokenizer = Tokenizer.from_file(str(partial / name / "tokenizer" / "tokenizer.json"))
        for text in TEXTS:
            got = tokenizer(text, padding="max_length", max_length=24, truncation=True)
            rows.append({"tokenizer": name, "text": text, "ids": got["input_ids"], "mask": got["attention_mask"]})
    (partial / "tokens.json").write_text(json.dumps(rows))
    partial.rename(folder)


if __name__ == "__main__":
    main()
