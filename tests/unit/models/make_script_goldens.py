#!/usr/bin/env python3
"""Ten thousand texts in nine scripts, and the ids that the packages tokenizers and transformers give them.

    make_script_goldens.py REFERENCE FOLDER

FOLDER/<name>/tokenizer is a tokenizer for each name of KINDS, made of words in all scripts. FOLDER/texts.json is the list of texts,
FOLDER/<name>.ids the list of their ids with what the tokenizer puts around them, neither cut nor padded.
"""
import json
import os
import pathlib
import random
import shutil
import sys
import unicodedata

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

COUNT = 10000
KINDS = ("t5", "umt5", "llama", "clip", "qwen")
QWEN_SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)

# What syllables are made of, one of each list; _ is nothing.
SYLLABLES = {
    "latin": ["b c d f g h k l m n p r s t v w z st br ch sh th tr B K S", "a e i o u a e i o ai ea ou é ö ü ø ą ñ", "_ _ _ n r s t l ng"],
    "cyrillic": ["б в г д ж з к л м н п р с т ф х ц ч ш щ Б К С", "а е и о у а е и о ы э ю я ё і ї є й", "_ _ _ н р с т ь ў"],
    "greek": ["β γ δ ζ θ κ λ μ ν ξ π ρ σ τ φ χ ψ Β Κ Σ", "α ε η ι ο υ ω ά έ ή ί ό ύ ώ ϊ ΐ ᾳ ῆ", "_ _ _ ς ν ρ"],
    "arabic": ["ا ب ت ث ج ح خ د ذ ر ز س ش ص ض ط ظ ع غ ف ق ك ل م ن ه و ي ء آ أ ؤ إ ئ ة ى پ چ گ ی ک",
               "_ _ _ _ _ ا و ي \u064e \u064f \u0650 \u0651\u064e \u064b \u0652"],
    "hebrew": ["א ב ג ד ה ו ז ח ט י כ ל מ נ ס ע פ צ ק ר ש ת ם ן ץ", "_ _ _ _ _ ו י \u05b0 \u05b7 \u05b8 \u05bc\u05b6 \u05c1\u05b4"],
    "devanagari": ["क ख ग घ च छ ज ट ड त थ द ध न प फ ब भ म य र ल व श ष स ह क्ष त्र ज्ञ ड़", "_ ा ि ी ु ू े ै ो ौ ्", "_ _ _ _ ं ँ ः"],
    "thai": ["_ _ _ _ เ แ โ ใ ไ", "ก ข ค ง จ ช ซ ญ ด ต ท น บ ป พ ฟ ม ย ร ล ว ส ห อ", "_ ะ า ิ ี ึ ื ุ ู ั ำ", "_ _ _ ่ ้ ๊ ์"],
    "han": [" ".join("的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起"
                     "還成事只作當想看文無開手十用主行方又如前所本見經頭面公同三已老從動兩長知民樣現分將外但身些與高意進把法此實回二理美點月明其種聲全工"
                     "猫犬赤写真夜空雪森町駅。、")
            + " " + " ".join("あいうえおかがきくけこさしすせそたちつてとなにのはひまみもやよらりるれをんっゃょアイウエオカキクコサシスタチテトナニノハヒフマミ"
                             "ムメモラリルレロンーッャ")],
    "hangul": [" ".join(chr(0xAC00 + (first * 21 + vowel) * 28 + last) for first in range(0, 19, 2) for vowel in (0, 4, 8, 13, 18, 20)
                        for last in (0, 0, 0, 4, 8, 21))],
}
RANGES = {
    "latin": [(0x41, 0x5B), (0x61, 0x7B), (0xC0, 0x250), (0x1E00, 0x1F00), (0x2C60, 0x2C80), (0xA722, 0xA788)],
    "cyrillic": [(0x400, 0x530), (0x1C80, 0x1C89), (0x2DE0, 0x2E00), (0xA640, 0xA6A0)],
    "greek": [(0x370, 0x400), (0x1F00, 0x2000)],
    "arabic": [(0x600, 0x700), (0x750, 0x780), (0x8A0, 0x900), (0x1EE00, 0x1EEF2)],
    "hebrew": [(0x591, 0x5F5), (0xFB1D, 0xFB50)],
    "devanagari": [(0x900, 0x980), (0xA8E0, 0xA900), (0x1CD0, 0x1CFB)],
    "thai": [(0xE01, 0xE5C)],
    "han": [(0x3005, 0x3008), (0x3041, 0x3100), (0x31F0, 0x3200), (0x3400, 0x3500), (0x4E00, 0x5E00), (0x20000, 0x20100)],
    "hangul": [(0x1100, 0x1200), (0x3131, 0x318F), (0xA960, 0xA97D), (0xAC00, 0xB400), (0xD780, 0xD7FC)],
}
FORM_RANGES = [(0xA8, 0xC0), (0x132, 0x134), (0x1C4, 0x1CD), (0x2070, 0x20A0), (0x2100, 0x2190), (0x2460, 0x2500), (0x2F00, 0x2FD6),
               (0x3131, 0x318F), (0x3200, 0x3400), (0xF900, 0xFAD9), (0xFB00, 0xFE00), (0xFE10, 0xFE70), (0xFE70, 0xFF00), (0xFF01, 0xFFF0),
               (0x1D400, 0x1D800), (0x1F100, 0x1F1AE), (0x1F200, 0x1F252), (0x2F800, 0x2FA1E)]

SENTENCES = [
    "The quick brown fox jumps over the lazy dog, doesn't it?", "Zażółć gęślą jaźń; Příliš žluťoučký kůň. Tiếng Việt có dấu: ặ ữ ở",
    "Съешь ещё этих мягких французских булок, да выпей чаю!", "Їжак їсть ґанок, єдність", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. ΟΔΥΣΣΕΥΣ",
    "ἐν ἀρχῇ ἦν ὁ λόγος, καὶ ὁ λόγος ἦν πρὸς τὸν θεόν", "مرحبا بالعالم، كيف حالك؟ السَّلَامُ عَلَيْكُمْ", "یک گربهٔ سیاه روی مبل می\u200cنشیند",
    "שלום עולם, בְּרֵאשִׁית בָּרָא אֱלֹהִים", "नमस्ते दुनिया, क्षि त्र ज्ञ श्री। हिन्दी में लिखा है॥", "สวัสดีชาวโลก น้ำเปล่า กำลังเล่นกีต้าร์ๆ",
    "我能吞下玻璃而不伤身体。一只猫坐在红色的沙发上！", "いろはにほへと ちりぬるを。カタカナとﾊﾝｶｸも「書く」。", "키스의 고유조건은 입술끼리 만나야 하고", "각 한글 낱자 ㅎㅏㄴ",
]
SPECIALS = [
    "</s>", "<pad>", "<unk>", "<extra_id_0>", "<extra_id_7>", "<extra_id_99>", "<extra_id_100>", "<|begin_of_text|>", "<|eot_id|>",
    "<|start_header_id|>", "<|end_header_id|>", "<|startoftext|>", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<0x41>", "<0xE3>", "<s>",
    "\u2581", "\u2581\u2581", "\u0120", "</w>", "\u010a",
]
FIXED = [
    "", " ", "  ", "\n", "\r\n", "\t", "\u3000", "\u2581", "\u0000", "a\u0000b", "\u0000" * 9, "\ufeff", "\u200b", "\u200d", "\u0301",
    "\u0301\u0301a", "\ufffd", "\ufffc", "'", "''", "'S", "'\u017f", "'\u017ft", "don't DON'T don\u2019t", "I'LL'VE'RE", "<", "<|", "<|>", "|>",
    "</", "</s", "/s>", "\u0130", "I\u0307", "\u0131", "\u1e9e\u00df", "\u03a3\u03a3", "\u01c5\u01c8", "\u0345\u0391", "\u0344",
    "\u0340\u0341\u0343", "\u0958\u095b", "\u09cb", "\u0e33", "a\u0e33", "\u0e01\u0e33", "\u0eb3", "\ufdfa", "\ufdfb\u0301", "\u00bd\u0301",
    "\u3300\u3099", "\u304b\u3099", "\uff76\uff9e", "\u30cf\u309a", "\u1100\u1161\u11a8", "\u1100\u1161\u11a7", "\uac00\u11a8", "\uac01\u11a8",
    "\u1112\u1161\u11ab\u1100", "\u0915\u094d\u0958\u0301", "\u212b\u2126\u212a", "\u2f00\u4e00", "\U0001d15e\U0001d165",
    "\U0001f1e9\U0001f1ea\U0001f1eb", "\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f44d\U0001f3fd\U0001f3fd", "1\ufe0f\u20e3",
    "\u2764\ufe0f\u200d\U0001f525", "\u0661\u0662\u0663", "\u0967\u0968\u0969", "\u00b2\u00bd\u2167\u2460", "1,234.5e-6", "0x1F 1_000",
]
INVISIBLE = [
    "\u200b", "\u200c", "\u200d", "\u200e", "\u200f", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2060", "\u2061", "\u2062", "\u2063",
    "\u2064", "\u2066", "\u2067", "\u2068", "\u2069", "\u206a", "\u206f", "\ufeff", "\u00ad", "\u034f", "\u061c", "\u180b", "\u180e", "\ufe00",
    "\ufe0e", "\ufe0f", "\U000e0001", "\U000e0067", "\U000e007f", "\U000e0100", "\u115f", "\u1160", "\u3164", "\uffa0", "\ufff9", "\ufffb",
]
SPACES = [
    " ", " ", " ", "  ", "\t", "\n", "\r", "\r\n", "\n\n", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\u00a0", "\u1680", "\u2000",
    "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006", "\u2007", "\u2008", "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f",
    "\u3000",
]
MARKS = (
    "\u0300\u0301\u0302\u0303\u0308\u030a\u0304\u0306\u0307\u030c\u031b\u0323\u0327\u0328\u0331\u0338\u0345\u0334\u035c\u0360\u0315\u0344\u0340"
    "\u0341\u0343\u20d2\u20dd\u3099\u309a\u093c\u094d\u0951\u0e38\u0e48\u0e4d\u0e33\u05b0\u05b7\u05bc\u05c1\u05c2\u05bf\u064b\u064e\u0651\u0652"
    "\u0653\u0654\u0655\u0670\u1dc4\u0f71\u0f74\u0f80\u1161\u11a8\u11ab\u302a\ufe20\U0001d165\U0001d16e\U0001e944"
)
EMOJI = [
    "\U0001f600", "\U0001f525", "\u2764\ufe0f", "\u2764", "\u263a\ufe0e", "\u270c", "\U0001f44d", "\U0001f468", "\U0001f469", "\U0001f467",
    "\U0001f9d1", "\U0001f3f3\ufe0f\u200d\U0001f308", "\U0001f3f4\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f", "\U0001f1e9",
    "\U0001f1ea", "\U0001f1eb\U0001f1f7", "\U0001f1ef\U0001f1f5", "1\ufe0f\u20e3", "#\u20e3", "\u2640\ufe0f", "\u2695", "\u00a9\ufe0f",
    "\u3297\ufe0f", "\U0001f004", "\U0001f408\u200d\u2b1b", "\U0001f9b0",
]
JOINTS = ["\u200d", "\U0001f3fb", "\U0001f3fd", "\U0001f3ff", "\ufe0f", "\ufe0e", "\u20e3", "", "", "", " "]
PUNCTUATION = [
    "'", "'s", "'S", "'t", "'RE", "'ve", "'M", "'ll", "'d", "\u2019s", "''", "\"", "!", "!!", "?", "...", "\u2026", ",", ";", ":", "(", ")", "((",
    "))", "[", "]", "{", "}", "<", ">", "<|", "|>", "|", "/", "\\", "#", "@", "&amp;", "&", "_", "__", "-", "--", "\u2014", "~", "^", "`", "```",
    "*", "**", "+", "=", "==", "$", "%", "\u20ac", "\u00ab", "\u00bb", "\u201c", "\u201d", "\u3001", "\u3002", "\uff01", "\uff0c", "\u060c",
    "\u061f", "\u0964", "\u00bf", "\u00b7", "1", "22", "333", "4444", "a", "B", "Word", "x1", "\n", " ", "  ", "(word:1.3)", "<lora:x:0.8>",
]


def known(ranges):
    """What Python's Unicode has assigned, but for marks that the packages' NFC does not know: it is older."""
    from tokenizers import normalizers

    def is_settled(letter):
        row = "a\u0345" + unicodedata.normalize("NFD", letter) + "\u0334"
        return normalizers.NFC().normalize_str(row) == unicodedata.normalize("NFC", row)

    letters = (chr(point) for low, high in ranges for point in range(low, high))
    return [each for each in letters if unicodedata.category(each) not in ("Cn", "Cs", "Co") and is_settled(each)]


class Writer:
    """Texts of each sort, by its random numbers."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.names = list(SYLLABLES)
        rest = [(0, 0x3400), (0xA000, 0xAC00), (0xD7B0, 0x17000), (0x1B000, 0x20000), (0xE0000, 0xE01F0)]
        self.all = known(rest)
        self.letters = {name: known(ranges) for name, ranges in RANGES.items()}
        self.forms = [known([each]) for each in FORM_RANGES]
        self.numbers = [c for c in self.all if unicodedata.category(c) in ("Nd", "Nl", "No")]
        self.cased = [c for c in self.all if c.lower() != c or c.upper() != c]
        self.composed = [c for c in self.all if unicodedata.decomposition(c)]
        self.words = {name: [self.new_word(name) for _ in range(300)] for name in self.names}

    def new_word(self, name):
        parts = [part.split() for part in SYLLABLES[name]]
        count = self.rng.choice((1, 2, 2, 3, 4))
        return "".join(self.rng.choice(part) for _ in range(count) for part in parts).replace("_", "")

    def word(self, name=None):
        """The first words of a script are frequent, as in a language."""
        words = self.words[name or self.rng.choice(self.names)]
        return words[int(len(words) * self.rng.random() ** 3)]

    def some(self, options, low, high):
        return [self.rng.choice(options) for _ in range(self.rng.randint(low, high))]

    def sentence(self, name=None):
        name = name or self.rng.choice(self.names)
        space = self.rng.choice(("", " ")) if name in ("thai", "han") else " "
        words = [self.word(name) for _ in range(self.rng.randint(1, 14))]
        return space.join(words) + self.rng.choice(("", "", ".", "!", ", 12", "\u3002", "\u061f", "\u0964"))

    def any_letters(self):
        letters = self.letters[self.rng.choice(self.names)] + [" "] * 12
        return "".join(self.some(letters, 1, 40))

    def mixed_scripts(self):
        joint = self.rng.choice(("", " ", "-", "'", "_", "\u200b"))
        return joint.join(self.word() if self.rng.random() < 0.8 else self.any_letters() for _ in range(self.rng.randint(2, 8)))

    def marked(self):
        bases = [*"aeiouAOsnIi k1 '", *self.word(), "\u00e4", "\u1ea5", "\u01d7", *"\uac00\u1100\u0e01\u0915\u0627\u05e9\u4e2d"]
        return "".join(self.rng.choice(bases) + "".join(self.some(MARKS, 0, 4)) for _ in range(self.rng.randint(1, 16)))

    def decomposed(self):
        text = "".join(self.some(self.composed, 3, 20)) + self.sentence()
        letters = list(unicodedata.normalize(self.rng.choice(("NFD", "NFKD", "NFC", "NFKC")), text))
        for _ in range(self.rng.randrange(4)):
            i, j = self.rng.randrange(len(letters)), self.rng.randrange(len(letters))
            letters[i], letters[j] = letters[j], letters[i]
        return "".join(letters)

    def invisible(self):
        hidden = self.rng.choices(INVISIBLE, k=4)
        return "".join(letter + (self.rng.choice(hidden) if self.rng.random() < 0.3 else "") for letter in self.sentence()[:60])

    def emoji(self):
        parts = [self.rng.choice(EMOJI) + self.rng.choice(JOINTS) for _ in range(self.rng.randint(1, 10))]
        return "".join(parts) + (self.word() if self.rng.random() < 0.4 else "")

    def spaced(self):
        return "".join("".join(self.some(SPACES, 0, 4)) + self.rng.choice((self.word(), "a", "1", "!", "'s", "")) for _ in range(8))

    def numbered(self):
        joints = ["", "", "", ".", ",", " ", "/", "a", "e-"]
        digit = ord(self.rng.choice([c for c in self.numbers if unicodedata.category(c) == "Nd" and unicodedata.digit(c) == 0]))
        row = [chr(digit + i) for i in range(10)] + self.some(self.numbers, 1, 6) + list("0123456789")
        return "".join(self.rng.choice(row) + self.rng.choice(joints) for _ in range(self.rng.randint(1, 24)))

    def formed(self):
        options = self.rng.choice(self.forms) + self.rng.choice(self.forms) + list("ab1 ")
        return "".join(self.some(options, 1, 24))

    def run(self):
        unit = self.rng.choice((self.word(), self.rng.choice(self.all), self.rng.choice(SPACES), self.rng.choice(MARKS), self.rng.choice(EMOJI),
                                self.rng.choice(SPECIALS), self.rng.choice(PUNCTUATION), self.sentence(), "ab", "1", "a\u0301\u0323"))
        length = self.rng.randint(20, self.rng.choice((200, 400, 400, 2000)))
        return self.rng.choice(("", "x", " ")) + unit * (1 + length // max(1, len(unit))) + self.rng.choice(("", "y", " z"))

    def special(self):
        parts = []
        for token in self.some(SPECIALS, 1, 5):
            cut = self.rng.randrange(len(token) + 1)
            hidden = self.rng.choice((" ", "\u200b", "\u0301", "\u200d", token))
            wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in token)
            parts.append(self.rng.choice((token, token, token, token[:cut], token[cut:], token[:cut] + hidden + token[cut:], token.upper(),
                                          token.title(), token + token, wide)))
            parts.append(self.rng.choice(("", "", " ", "\n", self.word(), "a", "\u0301", "\u0338", "\t ")))
        return "".join(parts)

    def controlled(self):
        controls = [chr(c) for c in (*range(0x20), *range(0x7F, 0xA0))] + ["\x00", "\ufffd", "\ufffc", "\ufff9"]
        return "".join(letter + (self.rng.choice(controls) if self.rng.random() < 0.25 else "") for letter in self.sentence()[:50])

    def anything(self):
        return "".join(self.some(self.all, 10, 40))

    def punctuated(self):
        return "".join(self.some(PUNCTUATION, 2, 20))

    def cases(self):
        words = [self.rng.choice((str.upper, str.lower, str.title, str.swapcase))(self.word()) for _ in range(3)]
        return " ".join(words) + "".join(self.some(self.cased + [" "] * 200, 2, 20))

    def damaged(self):
        letters = list(self.rng.choice(SENTENCES))
        for _ in range(self.rng.randint(1, 5)):
            i = self.rng.randrange(len(letters))
            change = self.rng.randrange(4)
            letters[i : i + (change > 0)] = [[self.rng.choice(self.all)], [], [letters[i]] * 3, [letters[i].swapcase()]][change]
            letters = letters or [" "]
        return "".join(letters)

    def lines(self, count):
        """What vocabularies are made of: the same number of sentences in every script."""
        return SENTENCES + [self.sentence(name) for _ in range(count) for name in self.names]

    def texts(self):
        sorts = [self.sentence, self.sentence, self.any_letters, self.any_letters, self.mixed_scripts, self.marked, self.decomposed, self.invisible,
                 self.emoji, self.spaced, self.numbered, self.formed, self.run, self.special, self.controlled, self.anything, self.punctuated,
                 self.cases, self.damaged]
        texts = dict.fromkeys([*FIXED, *SPECIALS, *SENTENCES])  # each once, in order
        while len(texts) < COUNT:
            for sort in sorts:
                texts[sort()] = None
        return list(texts)[:COUNT]


def edit(path, change):
    value = json.loads(path.read_text(encoding="utf-8"))
    change(value)
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")


def write_umt5(reference, target):
    """No sentinels, and byte tokens that are used, as tokenizer.json states: pieces, which state no such thing, do not lie with it."""
    from transformers import T5Tokenizer

    reference.write_t5(str(target), 4000)
    file = target / "tokenizer.json"
    file.unlink()
    edit(target / "tokenizer_config.json", lambda v: v.update(extra_ids=0))
    T5Tokenizer.from_pretrained(str(target)).backend_tokenizer.save(str(file))
    edit(file, lambda v: v["model"].update(byte_fallback=True))
    (target / "spiece.model").unlink()


def write_qwen(target, lines):
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(QWEN_SPLIT), behavior="isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    trainer = trainers.BpeTrainer(vocab_size=6000, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.add_special_tokens(["<|endoftext|>", "<|im_start|>", "<|im_end|>"])
    target.mkdir(parents=True)
    tokenizer.save(str(target / "tokenizer.json"))


def write_tokenizers(folder, writer):
    from lib import tokenizers as reference

    places = {name: folder / name / "tokenizer" for name in KINDS}
    reference.CORPUS = writer.lines(200)
    reference.write_t5(str(places["t5"]), 5000)
    reference.CORPUS = writer.lines(200)
    write_umt5(reference, places["umt5"])
    reference.CORPUS = writer.lines(400)
    reference.write_llama(str(places["llama"]), 6000)
    reference.write_clip(str(places["clip"]))
    write_qwen(places["qwen"], writer.lines(400))
    for name in KINDS:
        (folder / name / "model_index.json").write_text("{}")


def open_tokenizer(name, folder):
    from transformers import CLIPTokenizer, PreTrainedTokenizerFast, T5Tokenizer

    if name in ("t5", "clip"):
        return {"t5": T5Tokenizer, "clip": CLIPTokenizer}[name].from_pretrained(str(folder))
    return PreTrainedTokenizerFast(tokenizer_file=str(folder / "tokenizer.json"))


def main():
    sys.path.insert(0, sys.argv[1])
    folder = pathlib.Path(sys.argv[2])
    if folder.exists():
        return
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    writer = Writer(23)
    write_tokenizers(partial, writer)
    texts = writer.texts()
    (partial / "texts.json").write_text(json.dumps(texts, ensure_ascii=False, separators=(",", ":")), encoding="utf-8")
    for name in KINDS:
        ids = open_tokenizer(name, partial / name / "tokenizer")(texts)["input_ids"]
        (partial / f"{name}.ids").write_text(json.dumps(ids, separators=(",", ":")), encoding="utf-8")
    partial.rename(folder)


if __name__ == "__main__":
    main()
