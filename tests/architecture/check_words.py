#!/usr/bin/env python3
"""Checks that the project speaks the field's words: names, comments, pages, help and messages.

    check_words.py [ROOT] [--counts]

words.tsv, next to this script, has rows with tabs between their columns:
- `never`, forms of a word with commas, what to write instead: it stands nowhere, but for names of others and saved ones;
- `reviewed`, forms, what to write instead: it stands in its allowed phrases alone;
- `allowed`, forms, a regular expression of a phrase or a name with one of them in it, and where (prefixes of paths with commas;
  empty: everywhere), then why.

Names are split at capitals and underscores: "door" is found in moduleDoor and DOOR_PATH, not in outdoors. --counts prints for each
form how often it stands where it may not.
"""
import collections
import os
import pathlib
import re
import subprocess
import sys

WORDS = pathlib.Path(__file__).with_name("words.tsv")
SOURCES = {".cpp", ".hpp", ".cu", ".c", ".h", ".py", ".cmake", ".md"}
FILES = {"CMakeLists.txt", "dev"}
# Data with texts for users. The English in translations is that of the sources (check_translations.py).
TEXTS = re.compile(r"resources/presets/[^/]+\.json$")
# What cites the words, and this check's own data.
EXCEPT = ("tests/architecture/words.tsv", "tests/architecture/check_words.py")
LETTERS = re.compile(r"[A-Za-z]+")
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


class Rules:
    def __init__(self, lines):
        self.instead, self.reviewed, self.allowed = {}, set(), collections.defaultdict(list)
        for number, line in enumerate(lines, 1):
            if not line.strip() or line.startswith("#"):
                continue
            kind, words, *rest = line.rstrip("\n").split("\t")
            if kind in ("never", "reviewed") and len(rest) == 1:
                for word in words.split(","):
                    self.instead[word] = rest[0]
                    if kind == "reviewed":
                        self.reviewed.add(word)
            elif kind == "allowed" and len(rest) == 3:
                for word in words.split(","):
                    self.allowed[word].append((re.compile(rest[0]), tuple(filter(None, rest[1].split(",")))))
            else:
                sys.exit(f"{WORDS.name}:{number}: not a row of words: {line.strip()}")
        for word in self.allowed.keys() - self.instead.keys():
            sys.exit(f"{WORDS.name}: {word} has allowed phrases and is no word of the list")
        self.parts = {}

    def words_in(self, letters):
        """Words of the list in a run of letters, with where each begins."""
        if letters not in self.parts:
            self.parts[letters] = [(part.group().lower(), part.start(), part.end()) for part in PARTS.finditer(letters)
                                   if part.group().lower() in self.instead]
        return self.parts[letters]

    def is_allowed(self, word, name, text, begin, end):
        """Whether an allowed phrase of the word covers it; the phrase may go on over the line."""
        first, last = text.rfind("\n", 0, begin) + 1, text.find("\n", end)
        line = text[first:] if last < 0 else text[first:last]
        for phrase, places in self.allowed.get(word, ()):
            if places and not name.startswith(places):
                continue
            if any(match.start() <= begin - first and end - first <= match.end() for match in phrase.finditer(line)):
                return True
        return False


def files_of(root):
    """Names of the files that are tracked or not ignored; of all files where the folder is no repository."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True,
                            check=False)
    if listed.returncode == 0 and os.path.exists(os.path.join(root, ".git")):
        return [name for name in listed.stdout.split("\0") if name]
    return sorted(path.relative_to(root).as_posix() for path in pathlib.Path(root).rglob("*") if path.is_file())


def is_text(name):
    return os.path.splitext(name)[1] in SOURCES or os.path.basename(name) in FILES or TEXTS.search(name) is not None


def found_in(name, text, rules):
    """(line, word, excerpt) of what stands where it may not; line 0 is the file's own name."""
    for match in LETTERS.finditer(name):
        for word, begin, end in rules.words_in(match.group()):
            if not rules.is_allowed(word, name, name, match.start() + begin, match.start() + end):
                yield 0, word, name
    if not any(rules.words_in(letters) for letters in set(LETTERS.findall(text))):
        return
    line, at = 1, 0
    for match in LETTERS.finditer(text):
        for word, begin, end in rules.words_in(match.group()):
            begin, end = begin + match.start(), end + match.start()
            if not rules.is_allowed(word, name, text, begin, end):
                line, at = line + text.count("\n", at, begin), begin
                yield line, word, " ".join(text[max(0, begin - 30):end + 30].split())


def main():
    arguments = [each for each in sys.argv[1:] if each != "--counts"]
    root = arguments[0] if arguments else "."
    rules = Rules(WORDS.read_text(encoding="utf-8").splitlines())
    counts = collections.Counter()
    for name in files_of(root):
        if name in EXCEPT:
            continue
        text = ""
        if is_text(name):
            try:
                text = pathlib.Path(root, name).read_text(encoding="utf-8")
            except (UnicodeDecodeError, FileNotFoundError):
                text = ""
        for line, word, excerpt in found_in(name, text, rules):
            counts[word] += 1
            if "--counts" not in sys.argv:
                where = f"{name}:{line}" if line else name
                instead = f"write {rules.instead[word]}"
                how = (f"has no such allowed phrase, {instead}, another word of the field, or allow the phrase in {WORDS.name}"
                       if word in rules.reviewed else f"is not a word of this project, {instead}")
                print(f"{where}: \"{word}\" {how}: {excerpt}")
    for word, count in counts.most_common() if "--counts" in sys.argv else ():
        print(f"{count:6} {word}")
    sys.exit(1 if counts else 0)


if __name__ == "__main__":
    main()
