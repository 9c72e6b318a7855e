#!/usr/bin/env python3
"""Cleans texts as the reference does.

    make_cleaned_text_goldens.py FOLDER fixed|whole

FOLDER/texts.bin: for each text four strings, its own, html.unescape's, ftfy.fix_text's and prompt_clean's of diffusers' WAN pipeline,
each a length (u32, little-endian) and UTF-8. `fixed` are some thirty thousand, `whole` 750 000.
"""
import html
import html.entities
import itertools
import pathlib
import random
import shutil
import struct
import sys
import unicodedata

import ftfy
from ftfy import badness, chardata

CODECS = chardata.CHARMAP_ENCODINGS
LANGUAGES = [
    "the cat's “whiskers” – naïve café, 5 € … done", "Der Ärger über süße Öfen in Köln, große Straße", "à la mode, où l'été s'achève : «déjà vu»",
    "El niño comió piñas, ¿verdad? ¡Sí!", "às vezes, àquela hora, não há ação à noite", "Zażółć gęślą jaźń",
    "Příliš žluťoučký kůň úpěl ďábelské ódy",
    "Árvíztűrő tükörfúrógép", "ȘȚ și ț: fără înțeles", "Şu köşe yaz köşesi, ığdır", "Ąžuolas, šėnas žūvis",
    "Съешь ещё этих мягких французских булок",
    "Їжак їсть ґанок, єдність", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία", "שלום עולם", "مرحبا بالعالم، كيف حالك؟", "नमस्ते दुनिया क्षि",
    "สวัสดีชาวโลก", "日本語の文章、カタカナ。",
    "中文的猫，坐在沙发上", "한국어 문장입니다", "Tiếng Việt có dấu: ặ ữ ở", "emoji 😀👩‍👩‍👧🏳️‍🌈 ✔ ☃",
    "Wales 🏴\U000e0067\U000e0062\U000e0077\U000e006c\U000e0073\U000e007f", "½ × 3² ± µ ° ™ ® © § ¶", "Å ångström, fjörður, þú", "x",
    "a\u00a0b\u00a0c",
    "‘single’ “double” ‚low‘ „low“ ‹a› «b»", "ﬁne ﬂuﬃeﬆ Ǆ ĳ ŉ", "ＬＯＵＤ　ＮＯＩＳＥＳ ﾊﾝｶｸ ￦ ￣ ﾡ",
]
FTFY_SAYS = [  # the examples of its documentation (Apache-2.0)
    "âœ” No problems", "&macr;\\_(ã\x83\x84)_/&macr;", "Broken text&hellip; it&#x2019;s ﬂubberiﬁc!", "ＬＯＵＤ　ＮＯＩＳＥＳ", "sÃ³", "voilÃ le travail",
    "Ã³",
    "&ATILDE;&SUP3;", "schÃ¶n", "&lt;tag&gt;", "&Jscr;ohn &HilbertSpace;ancock", "&checkmark;", "P&eacute;rez", "P&EACUTE;REZ",
    "BUNDESSTRA&SZLIG;E",
    "&ntilde; &Ntilde; &NTILDE; &nTILDE;", "\033[36;44mI'm blue, da ba dee da ba doo...\033[0m", "\u201chere\u2019s a test\u201d", "ﬂuﬃeﬆ",
    "Ｕﾀｰﾝ",
    "This string is made of two things:\u2029 1. Unicode\u2028 2. Spite", "Content-type: text/plain\r\n\r\nHi.",
    "This is how Microsoft \r trolls Mac users",
    "What is this \x85 I don't even", "\ufeffWhere do you want to go today?", "â€œ like this â€�",
    "The Mona Lisa doesnÃƒÂ¢Ã¢â€šÂ¬Ã¢â€žÂ¢t have eyebrows.",
    "l’humanitÃ©", "Ã perturber la rÃ©flexion", "âš\xa0 warning", "IL Y MARQUÃ‰…", "vedere Ã¨ credere", "ã\x81\x82 ãƒ\xa0", "(à¸‡'âŒ£')à¸‡",
    "uâ€\xa0ndo", "pïŋ―",
    "HÃ¤mÃ¤lÃ¤inen", "ДёГў ВЂВњ", "¯\\_(ツ)_/¯", "(╯°□°)╯︵ ┻━┻", "OOOOH OOOOH â™«", "РїСЂРёРІРµС‚", "œ", "Œ!", "P&LTIMES; &amp;amp;lt;b",
    "<b>&amp;</b>\n&amp;",
    "&amp;\n<b>\n&amp;", "&lt;b&gt; &amp;nbsp;",
]
STEPS = [
    "", " ", "\n", "\t a \v\f b \x1c\x1f c \x85\u2028", "a\u200bb\u2060\u180e\u3000", "\x00a\x7f\u206a\ufff9\ufffc\ufeff",
    "\x1b[31m\x1b[\x1b[1;٣m\x1b[1;3\x1b[m]", "\x1b[3\x001m",
    "\x1b［３１ｍred", "À\n", "cafÃ© À\n", "cafÃ© À", "cafÃ© À\x80", "Ã© í\xa0½í¸\x80", "Ã© í\xa0½í¸\n", "Ã© í\xa0½í°\n", "Ã© í\xa0½?í°\x80",
    "Ã© í\xa0", "Ã©í", "Ã© í\n", "Ã€�", "Â?", "â€? and â?œ", "ð?˜\x80",
    "í\u00a0½í¸€ ok", "í\u00a0�í¸€ í\u00a0½í¸�", "í\u00a0?í¸€", "í\u00a0½í¸? Ã©", "í\u00a0½í�€", "Ã© â… ", "Ã© â … ", "Ã© â\x85 ",
    "Ã© Ã quilo, Ã s, Ã  x, Ã s",
    "√© – x", "≈° and ≈¢", "deja Ã la", "x. Ã la", "end.Â x", "end?Â «x", "ó\u00a0\x81§ ok é", "ó €§ó\u00a0€¿ Ж",
    "Ã©\x1a", "Ã©�", "â�œ", "a\u0301\u0327\u0316e\u0302\u0301", "\u1100\u1161\u11a8 \u212b \u2126 \u0958", "\u0344\u0f73",
    "e\u0301" * 9, "a" + "\u0301\u0327" * 40,
    "Ã\xa0 la mode, Ã la mode, Ã quela, Ã s vezes, Ã  deux, Ã", "Â \u00a0Â", "A Â£5, aÂ 5", "Å Å½", "Î \u00ce", "Ù  Ø§Ù„", "ð Ÿ˜€ ðŸ ˜€ ðŸ˜ €",
    "â €œ", "à €", "á€ ", "ГўВЂВќ. ", "Ãƒ" + "ƒ" * 40, "&" + "amp;" * 30,
    "\r\r\n\n\r", "&#13;\r&#10;", "x" * 3000 + "Ã©" * 3000, "＆ａｍｐ；", "&＃38;", "ʼn\u2018\u201a\u201b\u201f\u2039",
    "&fjlig; &FJLIG; &NAPOS; &SZLIG; &FILIG; &FFLLIG;",
]


def numbered():
    codes = [*range(0x120), *range(0xD7FE, 0xD803), *range(0xDFFE, 0xE002), 0xFDCF, 0xFDD0, 0xFDEF, 0xFDF0, 0xFFFD, 0xFFFE, 0xFFFF, 0x10000,
             *(plane + end for plane in range(0x10000, 0x110000, 0x10000) for end in (0xFFFD, 0xFFFE, 0xFFFF)),
             0x110000, 0x7FFFFFFF, 2**32 + 65, 2**64 + 65]
    for code in codes:
        yield from (f"&#{code};", f"a&#{code}b;", f"&#x{code:x};", f"&#X{code:X}", f"&#x00{code:x}g", f"é&#0{code};é")
    yield from ("&#", "&#;", "&#x;", "&#xg;", "&#12ab;", "&#x12ab", "&#59;", "&#x3b", "&# 65;", "&#٣;", "&#" + "0" * 30 + "65;",
                "&#" + "9" * 4000 + ";", "&#x" + "f" * 9000 + "z", "&;", "&&", "& amp;", "&a", "&\n", "&\x0camp;", "&é;", "&ampé;",
                "&" + "a" * 31 + ";", "&" + "a" * 32 + ";", "&" + "a" * 33 + ";", "&" + "é" * 33 + "amp;")


def named():
    for name in html.entities.html5:
        bare = name.rstrip(";")
        yield from (f"&{bare}", f"&{bare};", f"&{bare}x", f"x&{bare}1;y", f"&{bare.upper()};", f"&{bare.upper()}", f"&{bare[:-1]};",
                    f"&{bare}&{bare};;", f"<&{bare};", f"&{bare.capitalize()};", f"&amp;{bare};", f"&amp{bare}", f"&{bare.lower()};",
                    f"&{bare}\u00e9;")


def known(code):
    return unicodedata.category(chr(code)) not in ("Cn", "Cs")


NEIGHBOURS = [("", ""), ("a", "b"), ("Ã", ""), ("", "Ã"), ("", "\u0301"), ("e", " "), ("É", "€"), ("€", "”"), ("\r", "\n"), ("&", ";"), ("ÉÉ”", "a")]


def characters(step):
    codes = itertools.chain(range(0, 0x3000, step), range(0x3000, 0x110000, 97 * step), range(0xFB00, 0xFB07), range(0xFE00, 0x10000, step))
    for code, (before, after) in itertools.product(filter(known, codes), NEIGHBOURS):
        yield before + chr(code) + after


def badly_read(text, codec, errors):
    return text.encode("utf-8").decode(codec, errors)


def cesu(text):
    """Its UTF-16 as UTF-8, read as Latin-1, where it needs surrogates; zero as Java writes it."""
    result = ""
    for each in text.replace("\x00", "À\x80"):
        units = struct.unpack("<2H", each.encode("utf-16-le")) if ord(each) > 0xFFFF else ()
        result += b"".join(chr(unit).encode("utf-8", "surrogatepass") for unit in units).decode("latin-1") or each
    return result


def mojibake(chance, count):
    sources = [*LANGUAGES, *FTFY_SAYS]
    for _ in range(count):
        text = chance.choice(sources)
        if chance.random() < 0.5:
            begin = chance.randrange(len(text))
            text = text[begin:begin + chance.randint(1, 20)]
        if chance.random() < 0.05:
            text = cesu(text)
        for _ in range(chance.choice((1, 1, 1, 2, 2, 3))):
            text = badly_read(text, chance.choice([*CODECS, "windows-1252", "windows-1251"]), "replace")
            kind = chance.random()
            if kind < 0.15:
                text = text.replace("\u00a0", " ")
            elif kind < 0.2:
                text = text.replace("\ufffd", "?", 1)
            elif kind < 0.3:
                text = text + chance.choice(sources)
            elif kind < 0.35:
                at = chance.randrange(len(text) + 1)
                text = text[:at] + chance.choice(sources)[:9] + text[at:]
        if chance.random() < 0.1:
            text = html.escape(text)
        yield text


def odd_characters():
    odd = set("".join(chardata.UTF8_CLUES.values()) + "".join(badness.MOJIBAKE_CATEGORIES.values())) | set("aZ .?_1\n\t\x1f-<&;²·Ÿ΅")
    for codec in CODECS:
        odd |= set(bytes(range(128, 256)).decode(codec))
    return sorted(odd)


def read_in_each(chance, every):
    """Characters of two, three and four bytes in each encoding, with what may be next to them, and with spaces for 0xA0."""
    codes = [*range(0x80, 0x800), *range(0x2000, 0x2600), *range(0x800, 0x10000, 61), *range(0x1F300, 0x1F700, 5), *range(0x10000, 0x30000, 997)]
    for code, codec in itertools.product(filter(known, codes), CODECS):
        if chance.random() < every:
            text = badly_read(chr(code), codec, "replace")
            yield chance.choice(("", "", "a", "b ", ".", "É", "Ã©", "x€")) + text + chance.choice(("", "", "a", " c", ",", "²", "Ã©", "”"))
            yield chance.choice(("", "a", ". ")) + text.replace("\u00a0", " ") + chance.choice(("", "b", " a"))
            yield text[:-1] + chance.choice("�?\x1a") + chance.choice(("", "a", " Ã©"))


def pairs(chance, every):
    for first, second in itertools.product(odd_characters(), repeat=2):
        if chance.random() < every:
            yield first + second


def rows(chance, count):
    odd = odd_characters()
    for _ in range(count):
        yield "".join(chance.choice(odd) for _ in range(chance.randint(3, 9)))


def mixtures(chance, count):
    pieces = [*STEPS[:60], *FTFY_SAYS, *LANGUAGES, *odd_characters(), "&amp;", "&#", "&lt", "<", "\x1b[", "1m", ";", "\n", "\r\n", " ", "\u0301",
    "Ã", "â€", "\ufffd", "\x1a"]
    for _ in range(count):
        yield "".join(chance.choice(pieces)[:chance.choice((3, 9, 99))] for _ in range(chance.randint(2, 8)))


def texts(is_whole):
    chance = random.Random(20261201)
    yield from (*FTFY_SAYS, *STEPS, *LANGUAGES, *numbered())
    for text, codec in itertools.product([*LANGUAGES, *FTFY_SAYS], CODECS):
        yield badly_read(text, codec, "replace")
    names = list(named())
    yield from names if is_whole else chance.sample(names, 3000)
    yield from characters(1 if is_whole else 40)
    yield from pairs(chance, 1 if is_whole else 0.01)
    yield from read_in_each(chance, 1 if is_whole else 0.1)
    yield from rows(chance, 120000 if is_whole else 1000)
    yield from mojibake(chance, 80000 if is_whole else 2000)
    yield from mixtures(chance, 60000 if is_whole else 1500)


def main():
    folder = pathlib.Path(sys.argv[1])
    if folder.exists():
        return
    from diffusers.pipelines.wan import pipeline_wan

    assert pipeline_wan.is_ftfy_available(), "diffusers does not find ftfy"
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    with open(partial / "texts.bin", "wb") as file:
        for text in dict.fromkeys(texts(sys.argv[2] == "whole")):
            for each in (text, html.unescape(text), ftfy.fix_text(text), pipeline_wan.prompt_clean(text)):
                content = each.encode("utf-8")
                file.write(struct.pack("<I", len(content)) + content)
    partial.rename(folder)


if __name__ == "__main__":
    main()
