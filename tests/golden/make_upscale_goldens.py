#!/usr/bin/env python3
"""Makes what the tests of upscalers compare with, once (golden_main.py): ESRGAN files and the images that references make with them.

    make_upscale_goldens.py CASES.json FOLDER

A case with an "image" is computed by the reference's golden.py, one with a "size" (random pixels of that width and height)
by spandrel, which pads, crops and infers the scale on its own. FOLDER/upscalers holds the files, FOLDER/<case>.safetensors a
case's upscale_in and upscale_raw.
"""
from golden_main import golden_main, make_of_reference
from made_once import make_once


def random_net(**settings):
    """As lib.esrgan.make_esrgan makes them, of any settings."""
    import torch
    from lib.esrgan import RRDBNet
    from lib.weights import randomise

    net = randomise(RRDBNet(**settings), 77, gains={"rdb": 3.0, "conv_last.weight": 0.3, "conv_last.bias": 3.0})
    with torch.no_grad():
        net.conv_last.bias += 0.5
    return {key: value.detach().contiguous() for key, value in net.state_dict().items()}, len(net.body)


def flat(ups):
    """The old names with another number of doublings than two."""
    from lib.esrgan import old_key

    state, blocks = random_net(blocks=1)
    last = 3 * ups
    indices = {"6": "6", "8": str(last + 2), "10": str(last + 4)}
    renamed = {}
    for key, value in ((old_key(key, blocks), value) for key, value in state.items()):
        parts = key.split(".")
        if len(parts) == 3 and parts[1] in ("3", "6") and int(parts[1]) > last:
            continue
        renamed[".".join([parts[0], indices.get(parts[1], parts[1]), *parts[2:]])] = value
    for up in range(3, ups + 1):
        for kind in ("weight", "bias"):
            renamed[f"model.{3 * up}.{kind}"] = renamed[f"model.3.{kind}"].flip(0).contiguous()
    return renamed


def one_upconv():
    from lib.esrgan import trunk_key

    state, _ = random_net(blocks=1)
    return {trunk_key(key): value for key, value in state.items() if not key.startswith("conv_up2")}


def make_scales(folder):
    """Files of scales and types that the reference does not make."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True)
    files = {"x1_unshuffled": random_net(blocks=1, unshuffle=4)[0], "x1_flat": flat(0), "x2_flat": flat(1),
             "x8_flat": flat(3), "x2_one_upconv": one_upconv(),
             "half": {key: value.half() for key, value in random_net(blocks=1)[0].items()}}
    for name, state in files.items():
        save_file(state, folder / (name + ".safetensors"))


def spandrel_values(checkpoint, size, target):
    import torch
    from checks.esrgan import stub_torchvision
    from safetensors.torch import load_file, save_file

    stub_torchvision()
    from spandrel.architectures.ESRGAN import ESRGANArch

    state = {key: value.float() for key, value in load_file(checkpoint).items()}
    pixels = torch.rand((1, 3, size[1], size[0]), generator=torch.Generator("cpu").manual_seed(size[0]))
    with torch.inference_mode():
        raw = ESRGANArch().load(state).model.eval()(pixels)
    save_file({"upscale_in": pixels, "upscale_raw": raw.contiguous()}, target)


def make(cases, folder):
    for variant in range(3):
        make_of_reference(folder / "upscalers" / f"esrgan_{variant}", "esrgan", "--variant", variant)
    make_of_reference(folder / "images", "images")
    make_once(folder / "upscalers" / "scales", make_scales)


def run(golden, case, folder):
    checkpoint = folder / "upscalers" / (case["checkpoint"] + ".safetensors")
    target = folder / (case["name"] + ".safetensors")
    if "image" in case:
        golden.main([str(checkpoint), str(target), "--init-image", str(folder / "images" / case["image"])])
    else:
        spandrel_values(checkpoint, case["size"], target)


if __name__ == "__main__":
    golden_main(make, run)
