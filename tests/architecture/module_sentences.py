"""Sentences that the module and the libraries below the studio say to people, gathered from their sources.

A sentence is made of literals and values: "node " + id + " needs " + size is kept as "node {0} needs {1}". The studio finds it by
that pattern (ui/language/sentences.hpp), and check_translations.py wants a translation for each.
"""
import re

TOKEN = re.compile(
    r'//[^\n]*|/\*.*?\*/|R"\((?P<raw>.*?)\)"|"(?P<text>(?:[^"\\\n]|\\.)*)"(?:sv|s)?|\'(?:[^\'\\\n]|\\.)+\''
    r"|::|->|<<|>>|\+=|\+\+|==|!=|<=|>=|&&|\|\||[A-Za-z_]\w*|\d[\w.']*|\s+|.", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?!\s*define)[^\n]*", re.M)
SEPARATORS = {",", ";", "?", ":", "=", "return", "throw", "<<", "&&", "||", "==", "!=", "+=", "case"}
# What is said to developers, or translated by its place: logs, tr(), texts of descriptions.
UNSAID = {"log", "LOWTIDE_ASSERT", "static_assert", "record", "emit", "tr", "translate", "QStringLiteral", "QLatin1String",
          "fromLatin1", "fromUtf8", "QT_TRANSLATE_NOOP", "TEXT", "put", "phase", "Op", "def", "bind", "prepare"}
ROOMS = ("plugin", "nodes", "ui/bridge", "ui/document", "ui/door", "ui/history", "ui/models", "ui/panels", "ui/prompts", "ui/studio", "ui/vary")
# Details of damaged files and of faults of the program: those who can mend them read English. The sentence around them is translated.
DETAILS = re.compile("|".join((
    r"plugin/base/(?!json|stop_token)", r"plugin/encodings/", r"plugin/tensor/(?!crossing|cpu_paths)", r"plugin/module/(refusal|run_recording|cuda_facts)",
    r"plugin/files/(byte_cursor|gguf|legacy_torch|pickle|piece_cursor|program_linux|readable_bytes|safetensors|torch_file|zip_directory)",
    r"plugin/executor/(declared|failure|kept_file|node_context|node_types|sensitivity_store|walk_memory)", r"plugin/graph/(catalog|key|node_json)",
    r"plugin/image/(contact_sheet|exif|heat_map|png|webp)", r"plugin/memory/(device_profile|ledger)",
    r"nodes/(engine/(picture_fields|calibration)|denoise/denoise_fields)", r"plugin/nn/(blocks|denoisers/(?!\w+_denoiser)|autoencoders|upscalers/rrdb|image_prompts/clip_vision_model|controls/control_config|stage_context)",
    r"plugin/text/(mending/|byte_|characters|tokenizer_files|sentence_pieces|text_pattern|unigram)", r"plugin/nn/text/(language_model|t5)",
    r"plugin/checkpoints/(quantised/|weight_|layouts/t5|image_prompts/ip_adapter_file|adapters/(adapter_key|adapter_math|adapter_layers)|single_file/(?!beside|ldm_settings|single_file))",
    r"plugin/families/(sdxl/sdxl_ldm|\w+/\w+_(blocks|transformer|autoencoder\.)|autoencoder_blocks)",
    r"plugin/residency/(?!device/cuda/cuda_|device/cpu/cpu_device|device/device_source|device/fake/fake_device|open_devices|master|residency|stay)",
    r"plugin/sampling/(denoise_loop|history|teacher|dpm_update|noise_schedule)", r"plugin/sampling/step_caches/(gates/mag_calibration|cache_scope|mag_record)",
    r"plugin/module/(calls|compute_thread|plugin)", r"ui/bridge/(answer|engine|run_log)", r"ui/document/journal", r"ui/history/run_s",
    r"ui/studio/(?!absent)", r"ui/panels/(?!sheet_drawing)")))
# What only looks like a sentence: texts written into pictures, names of stages, options of the command, faults of the program.
UNSPOKEN = re.compile(
    r"^(GC: |radius |strength \{0\}, steps|\{0\}, sigmas|torch \{0\}|order \{0\}|Hires |Latent \(|Detail pass|Colour match|Postprocess |Power Lora|Lora Loader|My prompt |first block |[A-Za-z]+ (hash|hashes)$"
    r"|ControlNet (is more|Union)|VAE encode|(ip adapter|adapter (un)?load|prompt encode|image encode|video start|empty latent|image prompt|match colour|upscale latent)$|, Masked|f32 after|copy of |eviction of "
    r"|(component device|roles elsewhere)$|the outline of|the plan knows nothing|no part of a model|\[enforce|\{0\}norm|no latents of|(set|use|choose|give|write|connect) $|\{0\} numbers instead|write node\.param|\{0\} does not say what to vary)"
    r"|\"severity\"|--vary|bytes are used|allocate memory$|^not enough memory$|^model\.diffusion_model|rows are gathered|rows 0 to|negative prompt$|prompt; left empty")
PROSE = re.compile(r"[a-z]{2,}[,;:]? [a-z(\"]|^(choose|use|write|set|give|connect) ")
WORD = re.compile(r"(?<![^ (\"])(?!(?:the|is|of|and|or|an|to|in|with|from|has|by|for)\b)[a-z]{2,}(?![^ ,;:)\"])")



def tokens(source):
    for found in TOKEN.finditer(DIRECTIVE.sub("", source)):
        text = found.group(0)
        if text.isspace() or text.startswith(("//", "/*")):
            continue
        if found["raw"] is not None:
            yield "literal", found["raw"]
        elif found["text"] is not None:
            yield "literal", re.sub(r"\\(.)", lambda escape: {"n": "\n", "t": "\t", "0": "\0"}.get(escape[1], escape[1]), found["text"])
        else:
            yield "token", text


def nested(source_tokens):
    """Tokens with what stands between brackets as one: ("group", bracket, [...])."""
    out = []
    for kind, text in source_tokens:
        if kind == "token" and text in "([{":
            out.append(("group", text, nested(source_tokens)))
        elif kind == "token" and text in ")]}":
            return out
        else:
            out.append((kind, text))
    return out


def literal(operand):
    if operand and all(each[0] == "literal" for each in operand):
        return "".join(each[1] for each in operand)
    if len(operand) == 4 and [each[1] for each in operand[:3]] == ["std", "::", "string"] and operand[3][0] == "group":
        return literal(operand[3][2])
    return None


def pattern_of(segment):
    """The sum of a segment as a pattern; nothing where it holds no literal."""
    operands = [[]]
    for each in segment:
        if each == ("token", "+"):
            operands.append([])
        else:
            operands[-1].append(each)
    literals = [literal(operand) for operand in operands]
    if not any(literals):
        return None
    pattern, places = "", 0
    for text in literals:
        pattern += "{%d}" % places if text is None else text
        places += text is None
    # What is put behind something: " is empty", ", which is not built".
    return "{%d}%s" % (places, pattern) if re.match(r" [a-z(]|[,;:] ", pattern) else pattern


def sentences(group, found):
    segment, last = [], None

    def close():
        pattern = pattern_of(segment)
        if pattern:
            found.append(pattern)
        segment.clear()

    for each in group:
        if each[0] == "token" and each[1] in SEPARATORS:
            close()
        else:
            if each[0] == "group":
                name = last[1] if last and last[0] == "token" else ""
                if name not in UNSAID:
                    sentences(each[2], found)
                if each[1] == "{" and not re.match(r"\w", name):
                    close()
                    last = each
                    continue
            segment.append(each)
        last = each
    close()


def is_said(pattern):
    """Whole sentences and clauses in plain words; not the halves that the gatherer sees of a text in brackets."""
    is_half = pattern.count('"') % 2 or re.search(r"[ {]$|:$", pattern)
    is_prose = PROSE.search(re.sub(r"\{\d+\}", " ", pattern)) or len(WORD.findall(pattern)) > 1
    return bool(is_prose) and not is_half and not UNSPOKEN.search(pattern) and len(pattern) < 400 and "\n" not in pattern


def gather(root):
    """{pattern: first file}."""
    found = {}
    for room in ROOMS:
        for source in sorted((root / room).rglob("*.[ch]pp")):
            name = source.relative_to(root).as_posix()
            if not DETAILS.search(name):
                said = []
                sentences(nested(tokens(source.read_text())), said)
                said += [text for answer in said for text in re.findall(r'"(?:message|hint)":"([^"]+)"', answer)]
                for pattern in filter(is_said, said):
                    found.setdefault(pattern, name)
    return found


CODE = re.compile(r'\.code = "(\w+)"|\bk\w+Code = "(\w+)"|\{"code", "(\w+)"\}|\bSeverity::\w+,\s*"(\w+)"')
VALIDATION = re.compile(r'\b(?:addAt|refusal|checkSetting)\(\s*"(\w+)"')


def codes(root):
    """Codes of issues: those of the kinds of errors, of validation, and each other that an issue is made with."""
    kinds = root / "plugin/base/error.cpp"
    found = set(re.findall(r'return "(\w+)";', kinds.read_text())) if kinds.exists() else set()
    for room in ROOMS:
        for source in (root / room).rglob("*.[ch]pp"):
            text = source.read_text()
            for match in [*CODE.finditer(text), *(VALIDATION.finditer(text) if room == "plugin" and "/graph/" in source.as_posix() else ())]:
                found.add(next(filter(None, match.groups())))
    return found
