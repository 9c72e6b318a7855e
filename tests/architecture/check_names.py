#!/usr/bin/env python3
"""Sources are compiled in batches (plugin/cmake/batches.cmake): what one file keeps to itself, another one sees.

    check_names.py [ROOT]

- a name in an anonymous namespace of a .cpp stands in one file of its library alone;
- a file with a Qt Test is in a namespace of its own, called like the file.
"""
import collections
import pathlib
import re
import sys

LIBRARIES = ["plugin/*", "nodes", "ui/*", "service", "cli", "examples/qtnodes_host/*"]
# Libraries of their own within the folder of another library.
APART = ("plugin/residency/device/fake", "plugin/residency/device/cuda", "plugin/sampling/step_caches/gates", "cli/main",
         "ui/studio/main")
WORDS = {"if", "for", "while", "switch", "return", "catch", "constexpr", "operator", "decltype", "noexcept", "requires"}
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:class|struct|enum class|enum|union)\s+(\w+)")
FUNCTION = re.compile(r"((?:\w|::)+)\s*\([^=]*\)\s*(?:const|noexcept|->[^{]*)*$")
VALUE = re.compile(r"^[^(=]*?(\w+)\s*(?:\[[^\]]*\])?\s*(?:=|$)")


def without_texts(source):
    """The source without comments, texts and preprocessor lines, which hold braces of their own."""
    source = re.sub(r'R"(\w*)\(.*?\)\1"', '""', source, flags=re.S)
    source = re.sub(r'"(\\.|[^"\\\n])*"', '""', source)
    source = re.sub(r"'(\\.|[^'\\\n])'", "0", source)
    return re.sub(r"//[^\n]*|/\*.*?\*/|^\s*#[^\n]*", "", source, flags=re.S | re.M)


def statements(text, start):
    """Statements of the namespace whose brace ends before `start`, without what is in braces of theirs."""
    depth, statement = 0, ""
    for letter in text[start:]:
        if letter == "{":
            depth += 1
            statement += "" if depth > 1 else "\0"
        elif letter == "}":
            depth -= 1
            if depth < 0:
                return
            if depth == 0 and not re.search(r"=\s*\S*\s*\0$", statement):
                yield statement
                statement = ""
        elif letter == ";" and depth == 0:
            yield statement
            statement = ""
        elif depth == 0:
            statement += letter


def own_names(source):
    """Names of types, functions and values in the anonymous namespaces of a source."""
    text = without_texts(source)
    for found in re.finditer(r"\bnamespace\s*\{", text):
        for statement in statements(text, found.end()):
            words = " ".join(statement.split("\0")[0].split())
            if not words or words.startswith(("using", "namespace", "friend", "static_assert", "}")):
                continue
            name = TYPE.match(words) or VALUE.match(words) or FUNCTION.search(words)
            if name and name.group(1) not in WORDS and "::" not in name.group(1) and not name.group(1).isdigit():
                yield name.group(1)


def twice_in_libraries(root):
    for pattern in LIBRARIES:
        for parent in sorted(folder for folder in root.glob(pattern) if folder.is_dir()):
            files = collections.defaultdict(set)
            for file in sorted(parent.rglob("*.cpp")):
                path = file.relative_to(root).as_posix()
                library = next((apart for apart in APART if path.startswith(apart)), parent)
                for name in own_names(file.read_text()):
                    files[library, name].add(path)
            for (_, name), paths in files.items():
                if len(paths) > 1:
                    yield f"{name}: a name of its own in each of {', '.join(sorted(paths))}"


def tests_without_namespace(root):
    for file in sorted((root / "tests").rglob("*.cpp")):
        text = file.read_text()
        if re.search(r"^LOWTIDE_\w*TEST\w*\(", text, re.M) and not re.search(rf"^namespace [\w:]*\b{file.stem} \{{", text, re.M):
            yield f"{file.relative_to(root)}: is not in a namespace {file.stem}"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".").resolve()
    problems = [*twice_in_libraries(root), *tests_without_namespace(root)]
    print("\n".join(problems + [f"{len(problems)} names that clash in a batch"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
