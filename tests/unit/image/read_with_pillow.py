"""What Pillow sees in an image, as JSON on standard output: read_with_pillow.py FILE

`parameters` as A1111 reads it (piexif's UserComment), `texts` as ComfyUI's page reads them ("key:text" in EXIF's first directory).
"""
import hashlib
import json
import sys

from PIL import Image

image = Image.open(sys.argv[1])
exif = image.getexif()
comment = exif.get_ifd(0x8769).get(0x9286, b"")
# Pillow takes the bytes of EXIF's texts for Latin-1; programs write UTF-8.
texts = dict(value.encode("latin-1").decode().split(":", 1) for value in exif.values() if isinstance(value, str) and ":" in value)
print(json.dumps({
    "format": image.format,
    "size": image.size,
    "mode": image.mode,
    "pixels": hashlib.sha256(image.tobytes()).hexdigest(),
    "parameters": comment[8:].decode("utf-16-be") if comment.startswith(b"UNICODE\0") else "",
    "texts": texts,
    "layers": [list(layer) for layer in getattr(image, "layer", [])]}))
