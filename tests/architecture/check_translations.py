#!/usr/bin/env python3
"""Checks the translations of every language, and keeps their files.

    check_translations.py [ROOT]                 fails where a translation is broken; counts those that are missing
    check_translations.py ROOT --release         fails where one is missing, too
    check_translations.py ROOT --update [NODES]  brings resources/translations up to date with the sources and, where NODES is
                                                 the output of "lowtide nodes --json", with the nodes; what is new is unfinished
    check_translations.py ROOT --missing         prints what is not translated: "key TAB English TAB" a line
    check_translations.py ROOT --take FILE       takes such lines with the translation after the last TAB

In lines a new line is "\\n", and plural forms stand apart by " | ". Keys of the studio's own texts are "context/English", those
of messages "message/FORMAT". What needs lupdate and lconvert (Debian: qt6-l10n-tools) or xgettext (gettext) is left out without.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

LANGUAGES = ("zh_CN",)
FOLDER = "resources/translations"
CLASSES = "resources/interop/classes.json"
PLACEHOLDERS = re.compile(r"%[1-9n]|%L[1-9]|\{\w+\}")
# A format of a message (plugin/base/message.hpp): doubled braces, and placeholders in order or by number.
FORMAT_PIECES = re.compile(r"\{\{|\}\}|\{(\d*)\}|[{}]")
# What the sources call to make a message; of a plural both forms.
KEYWORDS = ("message", "phrase", "plural:2,3", "joined:2")
ACCESS = re.compile(r"&(?=[^& ])")
# Keys and menus of Chinese programs show the letter behind the words: "打开(&O)...".
ELLIPSIS = ("...", "…")


def find_linguist(tool):
    qt = pathlib.Path("/usr/lib/qt6/bin")
    return shutil.which(tool, path=f"{qt}:/usr/lib64/qt6/bin") or shutil.which(tool + "6") or shutil.which(tool)


def find_lupdate():
    return find_linguist("lupdate")


def run(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{pathlib.Path(command[0]).name} failed: {done.stderr}")
    return done.stdout


def reasons_in(recipe):
    """Why what a recipe makes is not ComfyUI's, wherever it stands in it."""
    if isinstance(recipe, list):
        return {reason for part in recipe for reason in reasons_in(part)}
    if not isinstance(recipe, dict):
        return set()
    cases = recipe.get("near_with", [])
    here = {recipe.get("near")} | {case.get("why") for case in (cases if isinstance(cases, list) else [cases])}
    return (here - {None}) | {reason for part in recipe.values() for reason in reasons_in(part)}


def table_reasons(root):
    """Sentences of the table of ComfyUI's classes that an import reports."""
    file = root / CLASSES
    return sorted(reasons_in([row.get("as") for row in json.loads(file.read_text())])) if file.exists() else []


def run_xgettext(root, file):
    """The formats of all messages in the sources and in the table of ComfyUI's classes into a .pot file; their positions without
    lines, which change often."""
    sources = [source.relative_to(root).as_posix() for folder in ("plugin", "nodes", "ui", "service", "cli") for source in (root / folder).rglob("*.[ch]pp")]
    reasons = table_reasons(root)
    with tempfile.TemporaryDirectory() as folder:
        if reasons:
            table = pathlib.Path(folder) / CLASSES
            table.parent.mkdir(parents=True)
            table.write_text("".join(f"message({json.dumps(reason, ensure_ascii=False)});\n" for reason in reasons))
            sources.append(CLASSES)
        command = ["xgettext", "--language=C++", "--from-code=UTF-8", "--keyword", *(f"--keyword={each}" for each in KEYWORDS), "--no-wrap",
                   "--add-location=file", "--sort-by-file", "--force-po", "--directory", folder, "--directory", root, "--output", file,
                   "--files-from=-"]
        done = subprocess.run([str(each) for each in command], input="\n".join(sorted(sources)), capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit("xgettext failed: " + done.stderr)
    # It takes a percent sign for a directive of printf.
    text = file.read_text().replace("charset=CHARSET", "charset=UTF-8")
    file.write_text(re.sub(r"^#, c-format\n", "", text, flags=re.M))


def po_messages(file):
    """{(context, source, comment): element} of a .po file, as messages() of a .ts file."""
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "messages.ts"
        run(find_linguist("lconvert"), "-i", file, "-o", made)
        return {key[1]: message for key, message in messages(made)[1].items() if key[1]}


def run_lupdate(root, file, *options):
    """The texts of ui/ into a .ts file. The rows of the action table stand in a macro that lupdate cannot see through."""
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted((root / "ui").rglob("*.[ch]pp")):
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
            key = (context.findtext("name"), message.findtext("source"), message.findtext("comment") or "")
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
    if sorted(set(PLACEHOLDERS.findall(english))) != sorted(set(PLACEHOLDERS.findall(text))):
        problems.append("has other placeholders")
    if len(ACCESS.findall(english)) != len(ACCESS.findall(text)):
        problems.append("has another access key")
    if english.endswith(ELLIPSIS) != text.endswith(ELLIPSIS):
        problems.append("lost or gained an ellipsis")
    # Chinese punctuation brings its own space.
    ends = english[-1:].isspace() != text[-1:].isspace() and text[-1:] not in "，。；：、"
    if ends or (english[:1].isspace() != text[:1].isspace() and text[:1] not in "（%"):
        problems.append("begins or ends with other spaces")
    return problems


def placeholder_numbers(text):
    """The numbers of a format's placeholders; nothing where a brace stands alone."""
    numbers = []
    for piece in FORMAT_PIECES.finditer(text):
        if piece[0] in ("{", "}"):
            return None
        if piece[1] is not None:
            numbers.append(int(piece[1] or len(numbers)))
    return numbers


def format_faults(english, text):
    """What a translation of a message's format lost, or has too much."""
    wanted, given = placeholder_numbers(english), placeholder_numbers(text)
    problems = []
    if wanted is None or given is None:
        problems.append("has a brace that is neither a placeholder nor doubled")
    elif set(wanted) != set(given):
        problems.append("has other placeholders")
    return problems + faults(FORMAT_PIECES.sub("_", english), FORMAT_PIECES.sub("_", text))


class Findings:
    """What is broken, and what is missing or of no use any more: the second is for translators."""

    def __init__(self):
        self.broken, self.missing = [], []


def check_studio(root, language, known, found):
    file = root / FOLDER / f"lowtide_{language}.ts"
    name = file.relative_to(root)
    _, texts = messages(file)
    for key, message in sorted(texts.items()):
        where = f"{name}: {key[0]}: \"{key[1]}\" "
        if not is_finished(message):
            found.missing.append(where + "is not translated")
        else:
            # One form may leave the number out: "and one more".
            found.broken += [where + fault for form in forms(message) for fault in faults(key[1], form)]
    if known is not None:
        found.missing += [f"{key[0]}: \"{key[1]}\" is not in {name}" for key in sorted(known - set(texts))]
        found.missing += [f"{name}: no source has \"{key[1]}\" any more" for key in sorted(set(texts) - known)]


def check_english(root, known, found):
    file = root / FOLDER / "lowtide_en.ts"
    _, texts = messages(file)
    found.missing += [f"{file.relative_to(root)}: \"{key[1]}\" has no plural forms" for key, message in texts.items() if not is_finished(message)]
    plural = {key for key, message in (known or {}).items() if message.get("numerus")}
    found.missing += [f"\"{key[1]}\" is not in {file.relative_to(root)}" for key in sorted(plural - set(texts))]


def check_messages(root, language, known, found):
    file = root / FOLDER / f"messages_{language}.po"
    if not find_linguist("lconvert"):
        return
    texts = po_messages(file)
    for english, message in sorted(texts.items()):
        where = f"{file.relative_to(root)}: \"{english}\" "
        if not is_finished(message):
            found.missing.append(where + "is not translated")
        else:
            found.broken += [where + fault for form in forms(message) for fault in format_faults(english, form)]
    if known is not None:
        found.missing += [f"\"{english}\" is not in {file.relative_to(root)}" for english in sorted(known - set(texts))]
        found.missing += [f"{file.relative_to(root)}: no source has \"{english}\" any more" for english in sorted(set(texts) - known)]


CODE = re.compile(r'\.code = "(\w+)"|\bk\w+Code = "(\w+)"|\{"code", "(\w+)"\}|\bSeverity::\w+,\s*"(\w+)"')
VALIDATION = re.compile(r'\b(?:addAt|refusal|checkSetting)\(\s*"(\w+)"')
LIBRARIES = ("plugin", "nodes", "ui/bridge", "ui/document", "ui/loader", "ui/history", "ui/models", "ui/panels", "ui/programs", "ui/prompts", "ui/queue", "ui/studio", "ui/vary")


def codes(root):
    """Codes of issues: those of the kinds of errors, of validation, and each other that an issue is made with."""
    kinds = root / "plugin/base/error.cpp"
    found = set(re.findall(r'return "(\w+)";', kinds.read_text())) if kinds.exists() else set()
    for library in LIBRARIES:
        for source in (root / library).rglob("*.[ch]pp"):
            text = source.read_text()
            for match in [*CODE.finditer(text), *(VALIDATION.finditer(text) if library == "plugin" and "/graph/" in source.as_posix() else ())]:
                found.add(next(filter(None, match.groups())))
    return found


def code_keys(root, texts):
    """{key: English} of codes of issues that `texts` has no template for."""
    return {f"issue/{code}/message": "{message}" for code in codes(root) if not any(key.startswith(f"issue/{code}/") for key in texts)}


def check_module(root, language, found):
    file = root / FOLDER / f"module_{language}.json"
    name = file.relative_to(root)
    texts = json.loads(file.read_text())
    for key, entry in texts.items():
        where = f"{name}: {key} "
        if not entry.get("text"):
            found.missing.append(where + "is not translated")
        else:
            found.broken += [where + fault for fault in faults(entry["en"], entry["text"])]
    found.missing += [f"{name}: {key} is not there" for key in sorted(set(code_keys(root, texts)) - set(texts))]
    for page in sorted((root / "resources/help").glob("*.md")):
        if not (page.parent / language / page.name).exists():
            found.missing.append(f"resources/help/{language}/{page.name} is missing")
    for page in sorted((root / "resources/help" / language).glob("*.md")):
        if not (page.parent.parent / page.name).exists():
            found.broken.append(f"{page.relative_to(root)}: there is no such page in English")


def check_raw(known):
    return [f"\"{key[1]}\" has no class for a context: it is never translated" for key in sorted(known) if key[0] == "lowtide::ui"]


def check(root):
    found = Findings()
    if not (root / FOLDER).exists():
        return found
    known = formats = None
    with tempfile.TemporaryDirectory() as folder:
        if find_lupdate():
            file = pathlib.Path(folder) / "all.ts"
            run_lupdate(root, file)
            _, known = messages(file)
            found.broken += check_raw(known)
        else:
            print("lupdate is not there (Debian: qt6-l10n-tools): texts that are in no file are not looked for")
        if find_linguist("lconvert") and shutil.which("xgettext"):
            file = pathlib.Path(folder) / "all.pot"
            run_xgettext(root, file)
            formats = set(po_messages(file))
        else:
            print("xgettext is not there (Debian: gettext): messages that are in no file are not looked for")
    check_english(root, known, found)
    for language in LANGUAGES:
        check_studio(root, language, None if known is None else set(known), found)
        check_messages(root, language, formats, found)
        check_module(root, language, found)
    return found


def described(nodes):
    """{key: English} of what the module states about its nodes."""
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
    for file in sorted((root / "resources/presets").rglob("*.json")):
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
    # What is kept by hand: templates of issues, words, and labels that presets of earlier versions expose.
    texts = {key: entry["en"] for key, entry in before.items() if key.startswith(("issue/", "word/", "exposed/"))}
    texts |= code_keys(root, before)
    texts |= of_presets(root)
    texts |= described(nodes) if nodes is not None else {
        key: entry["en"] for key, entry in before.items() if not key.startswith(("preset/", "tag/", "exposed/"))}
    same = {}  # what another key of the same English is translated to; templates have words of their own around "{message}"
    for entry in before.values():
        if entry["text"] and entry["en"] != "{message}":
            same.setdefault(entry["en"], entry["text"])
    after = {}
    for key in sorted(texts):
        old = before.get(key, {})
        keeps = old.get("text") and old["en"] == texts[key]
        after[key] = {"en": texts[key], "text": old["text"] if keeps else same.get(texts[key], "")}
    file.write_text(json.dumps(after, ensure_ascii=False, indent=1) + "\n")


def update_messages(root, language):
    file = root / FOLDER / f"messages_{language}.po"
    with tempfile.TemporaryDirectory() as folder:
        pot, merged = pathlib.Path(folder) / "all.pot", pathlib.Path(folder) / "merged.po"
        run_xgettext(root, pot)
        run("msgmerge", "--quiet", "--no-fuzzy-matching", "--no-wrap", "--add-location=file", "--sort-by-file", "--output-file", merged, file, pot)
        run("msgattrib", "--no-obsolete", "--no-wrap", "--output-file", file, merged)
    file.write_text(re.sub(r'^"(POT-Creation-Date|Report-Msgid-Bugs-To): .*\n', "", file.read_text(), flags=re.M))


def update(root, nodes_file):
    if not find_lupdate() or not shutil.which("msgmerge"):
        raise SystemExit("lupdate or msgmerge is not there; install qt6-l10n-tools and gettext")
    nodes = json.loads(pathlib.Path(nodes_file).read_text()) if nodes_file else None
    run_lupdate(root, root / FOLDER / "lowtide_en.ts", "-pluralonly", "-source-language", "en", "-target-language", "en")
    for language in LANGUAGES:
        run_lupdate(root, root / FOLDER / f"lowtide_{language}.ts", "-source-language", "en", "-target-language", language)
        update_messages(root, language)
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
    for english, message in po_messages(root / FOLDER / f"messages_{language}.po").items():
        if not is_finished(message):
            yield f"message/{english}", english
    for key, entry in json.loads((root / FOLDER / f"module_{language}.json").read_text()).items():
        if not entry["text"]:
            yield key, entry["en"]


def take_messages(file, given):
    """Puts translations of messages into a .po file by way of one that has nothing else."""
    used = {f"message/{english}": message for english, message in po_messages(file).items() if given.get(f"message/{english}")}
    quoted = lambda text: json.dumps(text, ensure_ascii=False)
    with tempfile.TemporaryDirectory() as folder:
        more = pathlib.Path(folder) / "more.po"
        lines = ['msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n']
        for key, message in used.items():
            plural = message.findtext("extra-po-msgid_plural")
            text = [f"#: {message.findtext('extra-po-references') or ''}", f"msgid {quoted(key.removeprefix('message/'))}"]
            text += [f"msgid_plural {quoted(plural)}"] if plural else []
            text += [f"msgstr[{i}] {quoted(form)}" for i, form in enumerate(given[key].split(" | "))] if plural else [f"msgstr {quoted(given[key])}"]
            lines.append("\n".join(text) + "\n")
        more.write_text("\n".join(lines))
        merged = run("msgcat", "--use-first", "--no-wrap", "--sort-by-file", "--add-location=file", more, file)
    header = file.read_text().partition("\n\n")[0]
    file.write_text(header + "\n\n" + merged.partition("\n\n")[2])
    return set(used)


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
    used |= take_messages(root / FOLDER / f"messages_{language}.po", given)
    file = root / FOLDER / f"module_{language}.json"
    entries = json.loads(file.read_text())
    for key, entry in entries.items():
        if given.get(key):
            used.add(key)
            entry["text"] = given[key]
    file.write_text(json.dumps(entries, ensure_ascii=False, indent=1) + "\n")
    for key in sorted(set(given) - used):
        print(f"nothing has the key {key}")
    left = sum(not text for text in given.values())
    print(f"{len(used)} translations taken" + (f", {left} lines have none" if left else ""))


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
    found = check(root)
    problems = found.broken + (found.missing if what == "--release" else [])
    print("\n".join(problems + [f"{len(found.broken)} translations are broken, {len(found.missing)} are missing or outdated"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
