"""What other programs see in animations, as JSON on standard output: read_videos.py FILE...

For each file its size, milliseconds of each frame, and frames over black as SHA-256 of their RGB pixels. Pillow decodes WebP, ffmpeg PNG:
Pillow 13 shows other pixels than ffmpeg and browsers where a frame is restored behind a blended one.
"""
import hashlib
import json
import subprocess
import sys

from PIL import Image


def with_ffmpeg(path, size):
    raw = subprocess.run(["ffmpeg", "-v", "error", "-f", "apng", "-i", path, "-fps_mode", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgba",
                          "pipe:1"], check=True, stdout=subprocess.PIPE).stdout
    count = size[0] * size[1] * 4
    return [Image.frombytes("RGBA", size, raw[at:at + count]) for at in range(0, len(raw), count)]


def frames_of(path):
    image = Image.open(path)
    times, shown = [], []
    for i in range(getattr(image, "n_frames", 1)):
        image.seek(i)
        shown.append(image.convert("RGBA"))
        times.append(image.info.get("duration", 0))
    if image.format == "PNG" and len(shown) > 1:
        shown = with_ffmpeg(path, image.size)
    hashes = []
    for frame in shown:  # each pixel is opaque or wholly clear
        black = Image.new("RGBA", frame.size, (0, 0, 0, 255))
        black.paste(frame, mask=frame.getchannel("A"))
        hashes.append(hashlib.sha256(black.convert("RGB").tobytes()).hexdigest())
    return {"size": image.size, "times": times, "frames": hashes}


print(json.dumps([frames_of(path) for path in sys.argv[1:]]))
