"""Image files as programs write them, with the pixels that Pillow sees in them: make_image_variants.py OUT.safetensors

NAME.file are the bytes of a file; NAME.pixels [H, W, C] its pixels in 8 bits, NAME.deep in 16 (1, 3 or 4 channels), with the orientation of
EXIF applied. A file without pixels must be refused, with the words of NAME.said. NAME.profile is the name of a colour profile.
"""
import io
import struct
import sys
import zlib

import numpy
from PIL import Image, ImageCms, ImageOps
from safetensors.numpy import save_file

tensors = {}


def scene(width, height, channels):
    """Slopes and edges, so that coding blocks differ."""
    y, x = numpy.mgrid[0:height, 0:width]
    planes = [(x * 255) // max(width - 1, 1), (y * 255) // max(height - 1, 1), ((x // 5 + y // 3) % 2) * 200 + 20,
              255 - (x + y) * 3 % 256]
    return numpy.stack([planes[c] for c in range(channels)], axis=2).astype(numpy.uint8)


def put(name, data):
    tensors[name] = numpy.frombuffer(bytes(data), dtype=numpy.uint8).copy()


def seen(data):
    """What Pillow shows: as a viewer sees it, in 1, 3 or 4 channels."""
    image = ImageOps.exif_transpose(Image.open(io.BytesIO(data)))
    if image.mode in ("1", "L", "I;16"):
        mode = "L"
    else:
        mode = "RGBA" if image.mode in ("LA", "PA", "RGBA") or "transparency" in image.info else "RGB"
    array = numpy.array(image if image.mode == "I;16" else image.convert(mode))
    return array if array.ndim == 3 else array[:, :, None]


def read(name, data, pixels=None):
    put(f"{name}.file", data)
    pixels = numpy.ascontiguousarray(seen(data) if pixels is None else pixels)
    if pixels.dtype == numpy.uint8:
        tensors[f"{name}.pixels"] = pixels
    else:
        tensors[f"{name}.deep"] = pixels.view(numpy.int16)  # the same bits in a type that files of tensors have


def refused(name, data, said):
    put(f"{name}.file", data)
    put(f"{name}.said", said.encode())


def saved(image, form, **settings):
    stream = io.BytesIO()
    image.save(stream, form, **settings)
    return stream.getvalue()


def exif_of(orientation, order=None):
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "Some camera"
    data = exif.tobytes()
    if order == "big":
        data = b"Exif\0\0MM\0*" + struct.pack(">IHHHIHHI", 8, 1, 0x0112, 3, 1, orientation, 0, 0)
    return data


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def deep_png(channels, interlace=False):
    """16 bits a channel, with values that 8 bits cannot have. Pillow keeps them of grey alone."""
    width, height = 19, 11
    y, x = numpy.mgrid[0:height, 0:width]
    values = numpy.stack([(x * 3449 + y * 257 * (c + 1) + c * 11) % 65536 for c in range(channels)], axis=2).astype(">u2")
    color = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    rows = b"".join(b"\0" + values[row].tobytes() for row in range(height))
    if interlace:
        rows = b""
        for first_x, first_y, step_x, step_y in ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)):
            for row in range(first_y, height, step_y):
                part = values[row, first_x::step_x]
                rows += b"\0" + part.tobytes() if part.size else b""
    data = (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 16, color, 0, 0, int(interlace))) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
    native = values.astype(numpy.uint16)
    return data, native if channels != 2 else native[:, :, [0, 0, 0, 1]]


def profile(kind):
    made = ImageCms.ImageCmsProfile(ImageCms.createProfile(kind))
    return made.tobytes(), ImageCms.getProfileDescription(made).strip()


def profiles():
    colour = Image.fromarray(scene(24, 16, 3))
    for form in ("PNG", "JPEG", "WEBP"):
        for kind in ("sRGB", "LAB"):
            data, name = profile(kind)
            case = f"{form.lower()}_profile_{kind.lower()}"
            read(case, saved(colour, form, icc_profile=data))
            put(f"{case}.profile", b"" if kind == "sRGB" else name.encode())


def pngs():
    colour, clear, grey = (Image.fromarray(scene(37, 23, c).squeeze()) for c in (3, 4, 1))
    read("png_colour", saved(colour, "PNG"))
    read("png_optimized", saved(colour, "PNG", optimize=True))
    read("png_alpha", saved(clear, "PNG"))
    read("png_grey", saved(grey, "PNG"))
    read("png_bits", saved(grey.convert("1"), "PNG"))
    read("png_grey_alpha", saved(clear.convert("LA"), "PNG"))
    for colours in (2, 4, 16, 256):
        read(f"png_palette_{colours}", saved(colour.quantize(colours), "PNG"))
    read("png_palette_alpha", saved(clear.quantize(64), "PNG"))
    read("png_palette_clear_colour", saved(colour.quantize(16), "PNG", transparency=3))
    read("png_clear_colour", saved(colour, "PNG", transparency=(20, 20, 20)))
    for channels in (1, 2, 3, 4):
        read(f"png_deep_{channels}", *deep_png(channels))
    read("png_deep_interlaced", *deep_png(3, interlace=True))
    assert numpy.array_equal(seen(deep_png(1)[0]), deep_png(1)[1]), "Pillow reads 16 bits of grey as they were written"
    for orientation in range(1, 9):
        read(f"png_orientation_{orientation}", saved(colour, "PNG", exif=exif_of(orientation)))
    read("png_wide", saved(Image.fromarray(scene(5000, 1, 3)), "PNG"))
    read("png_dot", saved(Image.fromarray(scene(1, 1, 3)), "PNG"))
    whole = saved(colour, "PNG")
    refused("png_cut", whole[:len(whole) // 2], "ends early")
    refused("png_cut_in_the_header", whole[:20], "begin as one")
    refused("png_no_width", b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 0, 5, 8, 2, 0, 0, 0)), "0 x 5")


def jpegs():
    colour, grey = Image.fromarray(scene(61, 45, 3)), Image.fromarray(scene(61, 45, 1).squeeze())
    for quality in (10, 75, 100):
        read(f"jpeg_quality_{quality}", saved(colour, "JPEG", quality=quality))
    for name, sampling in (("444", 0), ("422", 1), ("420", 2), ("440", "4:4:0"), ("411", "4:1:1")):
        try:
            data = saved(colour, "JPEG", subsampling=sampling)
        except (TypeError, ValueError, OSError):
            continue  # a way of sampling that this Pillow does not write
        read(f"jpeg_{name}", data)
    read("jpeg_progressive", saved(colour, "JPEG", progressive=True))
    read("jpeg_progressive_grey", saved(grey, "JPEG", progressive=True))
    read("jpeg_optimized", saved(colour, "JPEG", optimize=True))
    read("jpeg_restarts", saved(colour, "JPEG", restart_marker_blocks=2))
    read("jpeg_grey", saved(grey, "JPEG"))
    read("jpeg_rgb", saved(colour, "JPEG", keep_rgb=True))
    read("jpeg_comment", saved(colour, "JPEG", comment="a word"))
    for orientation in range(1, 9):
        read(f"jpeg_orientation_{orientation}", saved(colour, "JPEG", exif=exif_of(orientation)))
    read("jpeg_orientation_big_endian", saved(colour, "JPEG", exif=exif_of(6, "big")))
    read("jpeg_orientation_progressive_grey", saved(grey, "JPEG", progressive=True, exif=exif_of(8)))
    read("jpeg_orientation_9", saved(colour, "JPEG", exif=exif_of(9)))
    read("jpeg_exif_rubbish", saved(colour, "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\xff"))
    read("jpeg_dot", saved(Image.fromarray(scene(1, 1, 3)), "JPEG"))
    whole = saved(colour, "JPEG")
    read("jpeg_rubbish_between_segments", whole[:20] + b"\0\0\0" + whole[20:])
    read("jpeg_rubbish_behind_the_end", whole + b"rubbish" * 9)
    refused("jpeg_cmyk", saved(colour.convert("CMYK"), "JPEG"), "CMYK")
    refused("jpeg_cut", whole[:len(whole) // 2], "")
    refused("jpeg_cut_in_the_header", whole[:100], "ends before it states its size")
    refused("jpeg_progressive_cut", saved(colour, "JPEG", progressive=True)[:900], "")
    frame = whole.index(b"\xff\xc0")
    refused("jpeg_no_width", whole[:frame + 7] + b"\0\0" + whole[frame + 9:], "its size")
    refused("jpeg_huge", whole[:frame + 5] + b"\xff\xdc\xff\xdc" + whole[frame + 9:], "at most 2^28")
    refused("jpeg_claims_too_much", whole[:frame + 5] + b"\x30\0\x30\0" + whole[frame + 9:], "cannot hold")
    refused("jpeg_12_bits", whole[:frame + 4] + b"\x0c" + whole[frame + 5:], "12 bits")


def webps():
    colour, clear = (Image.fromarray(scene(53, 31, c)) for c in (3, 4))
    for quality in (5, 80, 100):
        read(f"webp_quality_{quality}", saved(colour, "WEBP", quality=quality))
    read("webp_lossless", saved(colour, "WEBP", lossless=True))
    read("webp_alpha", saved(clear, "WEBP"))
    read("webp_lossless_alpha", saved(clear, "WEBP", lossless=True, exact=True))
    read("webp_grey", saved(colour.convert("L"), "WEBP", lossless=True))
    for orientation in range(1, 9):
        read(f"webp_orientation_{orientation}", saved(colour, "WEBP", lossless=True, exif=exif_of(orientation)))
    read("webp_dot", saved(Image.fromarray(scene(1, 1, 3)), "WEBP"))
    whole = saved(colour, "WEBP")
    refused("webp_cut", whole[:len(whole) // 2], "")
    refused("webp_cut_in_the_header", whole[:18], "ends before it states its size")
    refused("webp_animation", saved(colour, "WEBP", save_all=True, append_images=[colour.transpose(0)]), "animation")


def others():
    colour = Image.fromarray(scene(9, 7, 3))
    refused("empty", b"", "empty")
    refused("text", b"hello, this is no image", "does not begin as an image")
    for form in ("GIF", "BMP", "TIFF"):
        refused(form.lower(), saved(colour, form), form)


profiles()
pngs()
jpegs()
webps()
others()
save_file(tensors, sys.argv[1])
