#!/usr/bin/env python3
"""Checks that every text of the studio is there in every language, and keeps the files of languages.

    check_translations.py [ROOT]                 the check; without lupdate it checks only what does not need it
    check_translations.py ROOT --update [NODES]  brings resources/translations up to date with ui/ and, where NODES is the
                                                 output of "lowtide nodes --json", with the module; what is new is unfinished
    check_translations.py ROOT --missing         prints what is not translated: "key TAB English TAB" a line
    check_translations.py ROOT --take FILE       takes such lines with the translation after the last TAB

In lines a new line is "\\n", and plural forms stand apart by " | ". Keys of the studio's own texts are "context/English".
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import module_sentences

LANGUAGES = ("zh_CN",)
FOLDER = "resources/translations"
PLACES = re.compile(r"%[1-9n]|%L[1-9]|\{\w+\}")
ACCESS = re.compile(r"&(?=[^& ])")
# Keys and menus of Chinese programs show the letter behind the words: "打开(&O)...".
ELLIPSIS = ("...", "…")


def find_lupdate():
    qt = pathlib.Path("/usr/lib/qt6/bin")
    return shutil.which("lupdate", path=f"{qt}:/usr/lib64/qt6/bin") or shutil.which("lupdate6") or shutil.which("lupdate")


def run_lupdate(root, file, *options):
    """The texts of ui/ into a .ts file. The rows of the action table stand in a macro that lupdate cannot see through."""
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted((root / "ui").rglob("*.[ch]pp")):
            if source.relative_to(root).parts[1] != "cli":
                copy = pathlib.Path(folder) / source.relative_to(root)
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_text(re.sub(r"(?<!define )\bTEXT\(", 'QT_TRANSLATE_NOOP("Actions", ', source.read_text()))
        done = subprocess.run(
            [find_lupdate(), "-silent", "-locations", "none", "-no-obsolete", *options, "ui", "-I", ".", "-ts", str(file.resolve())],
            cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit("lupdate failed: " + done.stderr)


def messages(file):
    """{(context, source, comment): (element, context)} of a .ts file."""
    tree = ElementTree.parse(file)
    found = {}
    for context in tree.getroot().findall("context"):
        for message in context.findall("message"):
            key = (context.find("name").text, message.find("source").text, message.findtext("comment") or "")
            found[key] = message
    return tree, found


def forms(message):
    translation = message.find("translation")
    plural = translation.findall("numerusform")
    return [form.text or "" for form in plural] if plural else [translation.text or ""]


def is_finished(message):
    return message.find("translation").get("type") != "unfinished" and all(forms(message))


def faults(english, text):
    """What a translation lost of its English."""
    problems = []
    if sorted(set(PLACES.findall(english))) != sorted(set(PLACES.findall(text))):
        problems.append("has other placeholders")
    if len(ACCESS.findall(english)) != len(ACCESS.findall(text)):
        problems.append("has another access key")
    if english.endswith(ELLIPSIS) != text.endswith(ELLIPSIS):
        problems.append("lost or gained an ellipsis")
    # Chinese punctuation brings its own room.
    ends = english[-1:].isspace() != text[-1:].isspace() and text[-1:] not in "，。；：、"
    if ends or (english[:1].isspace() != text[:1].isspace() and text[:1] not in "（%"):
        problems.append("begins or ends with other spaces")
    return problems


def check_studio(root, language, known):
    file = root / FOLDER / f"lowtide_{language}.ts"
    _, texts = messages(file)
    problems = []
    for key, message in sorted(texts.items()):
        where = f"{file.relative_to(root)}: {key[0]}: \"{key[1]}\" "
        if not is_finished(message):
            problems.append(where + "is not translated")
        else:
            # One form may leave the number out: "and one more".
            problems += [where + fault for form in forms(message) for fault in faults(key[1], form)]
    if known is not None:
        problems += [f"{key[0]}: \"{key[1]}\" is not in {file.relative_to(root)}; run ./dev translations" for key in sorted(known - set(texts))]
        problems += [f"{file.relative_to(root)}: nothing says \"{key[1]}\" any more; run ./dev translations" for key in sorted(set(texts) - known)]
    return problems


def check_english(root, known):
    file = root / FOLDER / "lowtide_en.ts"
    _, texts = messages(file)
    problems = [f"{file.relative_to(root)}: \"{key[1]}\" has no plural forms" for key, message in texts.items() if not is_finished(message)]
    plural = {key for key, message in (known or {}).items() if message.get("numerus")}
    return problems + [f"\"{key[1]}\" is not in {file.relative_to(root)}; run ./dev translations" for key in sorted(plural - set(texts))]


def module_keys(root, texts):
    """{key: English} of sentences that are no texts of descriptions, and of codes of issues that `texts` has no template for."""
    described = {entry["en"] for key, entry in texts.items() if not key.startswith(("issue/", "sentence/", "word/"))}
    keys = {"sentence/" + sentence: sentence for sentence in module_sentences.gather(root) if sentence not in described}
    for code in module_sentences.codes(root):
        if not any(key.startswith(f"issue/{code}/") for key in texts):
            keys[f"issue/{code}/message"] = "{message}"
    return keys


def check_module(root, language):
    file = root / FOLDER / f"module_{language}.json"
    problems = []
    texts = json.loads(file.read_text())
    for key, entry in texts.items():
        where = f"{file.relative_to(root)}: {key} "
        if not entry.get("text"):
            problems.append(where + "is not translated")
        else:
            problems += [where + fault for fault in faults(entry["en"], entry["text"])]
    wanted, there = module_keys(root, texts), set(texts)
    problems += [f"{file.relative_to(root)}: {key} is not there; run ./dev translations" for key in sorted(set(wanted) - there)]
    gone = {key for key in there if key.startswith("sentence/")} - set(wanted)
    problems += [f"{file.relative_to(root)}: nothing says {key} any more; run ./dev translations" for key in sorted(gone)]
    for page in sorted((root / "resources/help").glob("*.md")):
        if not (page.parent / language / page.name).exists():
            problems.append(f"resources/help/{language}/{page.name} is missing")
    for page in sorted((root / "resources/help" / language).glob("*.md")):
        if not (page.parent.parent / page.name).exists():
            problems.append(f"{page.relative_to(root)}: there is no such page in English")
    return problems


def check_raw(known):
    return [f"\"{key[1]}\" has no class for a context: it is never translated" for key in sorted(known) if key[0] == "lowtide::ui"]


def check(root):
    if not (root / FOLDER).exists():
        return []
    known, problems = None, []
    if find_lupdate():
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "all.ts"
            run_lupdate(root, file)
            _, known = messages(file)
        problems += check_raw(known)
    else:
        print("lupdate is not there (Debian: qt6-l10n-tools): texts that are in no file are not looked for")
    problems += check_english(root, known)
    for language in LANGUAGES:
        problems += check_studio(root, language, None if known is None else set(known)) + check_module(root, language)
    return problems


def described(nodes):
    """{key: English} of what the module says of its nodes."""
    texts = {}

    def put(owner, thing, *names):
        for name in names:
            if thing.get(name):
                texts[f"{owner}/{name}"] = thing[name]

    for node in nodes:
        put(node["id"], node, "label", "tooltip", "category")
        for side, ports in (("in", node["inputs"]), ("out", node["outputs"])):
            for port in ports:
                put(f"{node['id']}/{side}/{port['id']}", port, "label", "tooltip")
        for param in node["params"]:
            owner = f"{node['id']}/{param['id']}"
            put(owner, param, "label", "tooltip", "unit")
            for choice in param.get("choices", []):
                if choice["label"]:
                    texts[f"{owner}/choice/{choice['id']}"] = choice["label"]
    return texts


def of_presets(root):
    texts = {}
    for file in sorted((root / "resources/presets").glob("*.json")):
        preset = json.loads(file.read_text())
        facts = preset.get("preset", {})
        for name in ("title", "description"):
            if facts.get(name):
                texts[f"preset/{file.stem}/{name}"] = facts[name]
        for tag in facts.get("tags", []):
            texts[f"tag/{tag}"] = tag
        for exposed in preset.get("exposed", []):
            if exposed.get("label"):
                texts[f"exposed/{exposed['label']}"] = exposed["label"]
    return texts


def update_module(root, language, nodes):
    file = root / FOLDER / f"module_{language}.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    # What is kept by hand: templates of issues, and words.
    texts = {key: entry["en"] for key, entry in before.items() if key.startswith(("issue/", "word/"))}
    texts |= module_keys(root, before)
    texts |= of_presets(root)
    texts |= described(nodes) if nodes is not None else {
        key: entry["en"] for key, entry in before.items() if not key.startswith(("preset/", "tag/", "exposed/", "sentence/"))}
    same = {}  # what another key of the same English says
    for entry in before.values():
        if entry["text"]:
            same.setdefault(entry["en"], entry["text"])
    after = {}
    for key in sorted(texts):
        old = before.get(key, {})
        keeps = old.get("text") and old["en"] == texts[key]
        after[key] = {"en": texts[key], "text": old["text"] if keeps else same.get(texts[key], "")}
    file.write_text(json.dumps(after, ensure_ascii=False, indent=1) + "\n")


def update(root, nodes_file):
    if not find_lupdate():
        raise SystemExit("lupdate is not there; install qt6-l10n-tools")
    nodes = json.loads(pathlib.Path(nodes_file).read_text()) if nodes_file else None
    run_lupdate(root, root / FOLDER / "lowtide_en.ts", "-pluralonly", "-source-language", "en", "-target-language", "en")
    for language in LANGUAGES:
        run_lupdate(root, root / FOLDER / f"lowtide_{language}.ts", "-source-language", "en", "-target-language", language)
        update_module(root, language, nodes)


def escaped(text):
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def unescaped(text):
    return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t"}.get(found[1], found[1]), text)


def missing(root, language):
    _, texts = messages(root / FOLDER / f"lowtide_{language}.ts")
    for key, message in texts.items():
        if not is_finished(message):
            yield f"{key[0]}/{key[1]}", key[1]
    for key, entry in json.loads((root / FOLDER / f"module_{language}.json").read_text()).items():
        if not entry["text"]:
            yield key, entry["en"]


def take(root, language, lines):
    given = {}
    for line in lines:
        if line.strip():
            key, _, text = line.rstrip("\n").rpartition("\t")
            given[unescaped(key.rpartition("\t")[0])] = unescaped(text)
    file = root / FOLDER / f"lowtide_{language}.ts"
    tree, texts = messages(file)
    used = set()
    for (context, source, _), message in texts.items():
        key = f"{context}/{source}"
        if given.get(key):
            used.add(key)
            translation = message.find("translation")
            translation.attrib.pop("type", None)
            plural = translation.findall("numerusform")
            for form, text in zip(plural, given[key].split(" | ")):
                form.text = text
            if not plural:
                translation.text = given[key]
    tree.write(file, encoding="utf-8", xml_declaration=True)
    run_lupdate(root, file, "-source-language", "en", "-target-language", language)  # in lupdate's own form
    file = root / FOLDER / f"module_{language}.json"
    entries = json.loads(file.read_text())
    for key, entry in entries.items():
        if given.get(key):
            used.add(key)
            entry["text"] = given[key]
    file.write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n")
    for key in sorted(set(given) - used):
        print(f"nothing has the key {key}")


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    what = sys.argv[2] if len(sys.argv) > 2 else ""
    language = LANGUAGES[0]
    if what == "--update":
        update(root, sys.argv[3] if len(sys.argv) > 3 else None)
        return 0
    if what == "--missing":
        for key, english in missing(root, language):
            print(f"{escaped(key)}\t{escaped(english)}\t")
        return 0
    if what == "--take":
        take(root, language, pathlib.Path(sys.argv[3]).read_text().splitlines())
        return 0
    problems = check(root)
    print("\n".join(problems + [f"{len(problems)} texts that are missing or broken"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
