#!/usr/bin/env python3
"""Makes the images of the studio that pages show (./dev screenshots).

    take_images.py PROGRAM FOLDER [--all]

PROGRAM is test_journey_studio; its test scenes_test writes each scene in each appearance to FOLDER, once for each language and
scale that a page of docs asks for by the name of an image (--all: for every one, to look at). Those that are shown go to
docs/images, as small as PNG gets without losing a pixel; one that has not changed keeps its file.
"""
import os
import pathlib
import struct
import subprocess
import sys
import zlib

import numpy as np
from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "architecture"))
sys.dont_write_bytecode = True

import check_pages  # noqa: E402


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def filtered(rows, step):
    """The rows by PNG's filters None, Sub, Up, Paeth, and the best of these for each row."""
    left = np.pad(rows, ((0, 0), (step, 0)))[:, :-step].astype(np.int16)
    up = np.pad(rows, ((1, 0), (0, 0)))[:-1].astype(np.int16)
    corner = np.pad(up, ((0, 0), (step, 0)))[:, :-step]
    guess = left + up - corner
    away = [np.abs(guess - each) for each in (left, up, corner)]
    paeth = np.where((away[0] <= away[1]) & (away[0] <= away[2]), left, np.where(away[1] <= away[2], up, corner))
    ways = {0: rows, 1: rows - left.astype(np.uint8), 2: rows - up.astype(np.uint8), 4: rows - paeth.astype(np.uint8)}
    costs = np.stack([np.abs(way.astype(np.int8).astype(np.int16)).sum(1) for way in ways.values()])
    best = np.array(list(ways))[costs.argmin(0)]
    numbered = {number: np.hstack([np.full((len(way), 1), number, np.uint8), way]) for number, way in ways.items()}
    mixed = np.stack([numbered[number][row] for row, number in enumerate(best)])
    return [*numbered.values(), mixed]


def small_png(pixels):
    """Bytes of a PNG of (height, width, 3): with a palette where 256 colours are enough, by the filter that compresses best."""
    height, width = pixels.shape[:2]
    colours, indices = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True)
    if len(colours) <= 256:
        rows, step, kind, palette = indices.reshape(height, width).astype(np.uint8), 1, 3, chunk(b"PLTE", colours.tobytes())
    else:
        rows, step, kind, palette = pixels.reshape(height, -1), 3, 2, b""
    best = min((way.tobytes() for way in filtered(rows, step)), key=lambda way: len(zlib.compress(way, 1)))
    packed = zlib.compress(best, 9)
    head = struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + palette + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def make_scenes(program, folder, process):
    language, _, scale = process.partition("_at_")
    environment = {**os.environ, "LOWTIDE_SCREENSHOTS": str(folder), "QT_QPA_PLATFORM": "offscreen", "OMP_NUM_THREADS": "1", "QTEST_FUNCTION_TIMEOUT": "600000",
                   "QT_SCALE_FACTOR": scale or "1", "LOWTIDE_TEST_LANGUAGE": language.lstrip("_") or "en"}
    print(f"scenes, {environment['LOWTIDE_TEST_LANGUAGE']}, scale {environment['QT_SCALE_FACTOR']}", flush=True)
    done = subprocess.run([program, "scenes_test", "-maxwarnings", "0"], env=environment, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        print(done.stdout + done.stderr)
    return done.returncode


def take(folder, name):
    """An image of the scenes to docs/images; reports what has changed."""
    pixels = np.asarray(Image.open(folder / name).convert("RGB"))
    file = ROOT / check_pages.IMAGES / name
    before = np.asarray(Image.open(file).convert("RGB")) if file.exists() else np.zeros((0, 0, 3), np.uint8)
    if before.shape == pixels.shape and (before == pixels).all():
        return
    fraction = (before != pixels).any(2).mean() if before.shape == pixels.shape else 1.0
    file.write_bytes(small_png(pixels))
    print(f"{file.relative_to(ROOT)}: {100 * fraction:.1f} % of its pixels are new, {file.stat().st_size} bytes")


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    made = check_pages.scene_images(ROOT)
    shown = [name for name in check_pages.shown_images(ROOT) if name.removesuffix(".png") in made]
    wanted = {made[name.removesuffix(".png")] for name in shown}
    processes = [each for each in check_pages.PROCESSES if "--all" in sys.argv or each in wanted]
    failed = [each for each in processes if make_scenes(program, folder, each) != 0]
    if failed:
        sys.exit("scenes failed: " + ", ".join(each or "en" for each in failed))
    for name in sorted(shown):
        take(folder, name)


if __name__ == "__main__":
    main()
